# Warnings, sanitizers, and the two helpers with which every folder declares its targets.

add_library(rowgate_options INTERFACE)
target_include_directories(rowgate_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(rowgate_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
option(ROWGATE_WERROR "Treat warnings as errors (the dev, asan and tsan presets do)" OFF)
if(ROWGATE_WERROR)
  target_compile_options(rowgate_options INTERFACE -Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Debug builds run the fuzz corpora and whole jars under sanitizers: -Og is about twice as fast
  # as -O0 there and still debugs well.
  target_compile_options(rowgate_options INTERFACE -Og)
  target_compile_definitions(rowgate_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()

if(ROWGATE_SANITIZE)
  add_compile_options(-fsanitize=${ROWGATE_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROWGATE_SANITIZE})
endif()

find_program(ROWGATE_CCACHE ccache)
if(ROWGATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source folder are hashed relative to it, so that another clone finds the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${ROWGATE_CCACHE})
endif()

# rowgate_library(<name> SOURCES <file>... [PUBLIC <target>...] [PRIVATE <target>...])
# A static library `rowgate_<name>`.
function(rowgate_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(rowgate_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(rowgate_${name} PUBLIC ${ARG_PUBLIC}
                        PRIVATE rowgate_options ${ARG_PRIVATE})
  target_include_directories(rowgate_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endfunction()

# rowgate_test(<name> SOURCES <file>... LIBS <target>... [LABELS <label>...] [ARGS <arg>...]
#              [WORKING_DIRECTORY <dir>])
# A doctest program `<name>`, run by ctest under the given labels (default: unit).
function(rowgate_test name)
  cmake_parse_arguments(ARG "" "WORKING_DIRECTORY" "SOURCES;LIBS;LABELS;ARGS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE rowgate_options ${ARG_LIBS} rowgate_test_main)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS} WORKING_DIRECTORY ${ARG_WORKING_DIRECTORY})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" SKIP_RETURN_CODE 77)
endfunction()

# rowgate_fuzz(<name> SOURCES <file>... LIBS <target>...)
# A fuzz target: `LLVMFuzzerTestOneInput` linked with a driver that replays tests/fuzz/corpus/<name>/
# and then seeded mutations of it. Compiled with clang and -DROWGATE_LIBFUZZER=ON it becomes a
# libFuzzer program instead.
option(ROWGATE_LIBFUZZER "Link fuzz targets with libFuzzer (clang only)" OFF)
function(rowgate_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(fuzz_${name} ${ARG_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE rowgate_options ${ARG_LIBS})
  if(ROWGATE_LIBFUZZER)
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(fuzz_${name} PRIVATE rowgate_fuzz_driver)
    add_test(NAME fuzz_${name}
             COMMAND fuzz_${name} --mutations 2000 ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz_${name} PROPERTIES LABELS "unit;fuzz" SKIP_RETURN_CODE 77)
  endif()
endfunction()
