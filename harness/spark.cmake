# Real Spark, driven through a child process. Included by harness/CMakeLists.txt.
rowgate_library(process
  SOURCES child_process.cpp
  PUBLIC rowgate_base
  PRIVATE fmt::fmt Boost::boost)

rowgate_embed(drivers_source embedded_drivers drivers .py spark_driver)

rowgate_library(spark
  SOURCES change_feed_spark.cpp drift_spark.cpp driver_script.cpp setup_spark.cpp spark_merge_check.cpp spark_requests.cpp spark_session.cpp spark_spec.cpp
          spark_target.cpp spark_wire.cpp work_folder.cpp ${drivers_source}
  PUBLIC rowgate_harness rowgate_process
  PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
