# Linkage: resolution as the JVM does it, and what breaks between two Sparks.
target_sources(rowgate_jarscan PRIVATE
  jdk_image.cpp link.cpp link_baseline.cpp link_describe.cpp link_findings.cpp link_index.cpp
  link_index_file.cpp link_judge.cpp link_path.cpp link_reach.cpp link_reach_plan.cpp
  link_rules.cpp link_types.cpp link_types_code.cpp link_types_frames.cpp link_unit.cpp
  link_unit_file.cpp resolve.cpp resolve_class.cpp resolve_load.cpp)
