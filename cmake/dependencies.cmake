# Every dependency of rowgate, in one place. All of them are Debian 12 packages; nothing is
# downloaded. A missing one stops the configuration with the apt line that brings it.

set(ROWGATE_APT_PACKAGES
    libzip-dev libdeflate-dev libboost-dev libboost-filesystem-dev libpugixml-dev
    libcurl4-openssl-dev libfmt-dev libcli11-dev nlohmann-json3-dev libexpected-dev
    libtomlplusplus-dev libssl-dev pkg-config)
set(ROWGATE_APT_TEST_PACKAGES doctest-dev librapidcheck-dev libbenchmark-dev)

function(rowgate_require found what package)
  if(NOT ${found})
    list(JOIN ROWGATE_APT_PACKAGES " " packages)
    list(JOIN ROWGATE_APT_TEST_PACKAGES " " test_packages)
    message(FATAL_ERROR
      "${what} was not found. Install it with:\n  apt-get install ${package}\n"
      "or everything that rowgate needs with:\n  apt-get install ${packages} ${test_packages}\n"
      "(-DROWGATE_TESTS=OFF builds without the test packages.)")
  endif()
endfunction()

find_package(PkgConfig QUIET)
rowgate_require(PkgConfig_FOUND "pkg-config" pkg-config)

# libzip's CMake package on Debian 12 names tools that its -dev package does not ship, so
# find_package(libzip) fails there; its pkg-config file is right.
pkg_check_modules(LIBZIP QUIET IMPORTED_TARGET libzip)
rowgate_require(LIBZIP_FOUND "libzip" libzip-dev)
pkg_check_modules(LIBDEFLATE QUIET IMPORTED_TARGET libdeflate)
rowgate_require(LIBDEFLATE_FOUND "libdeflate" libdeflate-dev)

find_package(Boost 1.74 QUIET COMPONENTS filesystem)
rowgate_require(Boost_FOUND "Boost (headers, filesystem)" "libboost-dev libboost-filesystem-dev")
find_package(pugixml QUIET)
rowgate_require(pugixml_FOUND "pugixml" libpugixml-dev)
find_package(CURL QUIET)
rowgate_require(CURL_FOUND "libcurl" libcurl4-openssl-dev)
find_package(OpenSSL QUIET)
rowgate_require(OpenSSL_FOUND "OpenSSL" libssl-dev)
find_package(fmt QUIET)
rowgate_require(fmt_FOUND "fmt" libfmt-dev)
find_package(CLI11 QUIET)
rowgate_require(CLI11_FOUND "CLI11" libcli11-dev)
find_package(nlohmann_json QUIET)
rowgate_require(nlohmann_json_FOUND "nlohmann-json" nlohmann-json3-dev)
find_package(tl-expected QUIET)
rowgate_require(tl-expected_FOUND "libexpected" libexpected-dev)
find_package(tomlplusplus QUIET)
rowgate_require(tomlplusplus_FOUND "toml++" libtomlplusplus-dev)
find_package(Threads REQUIRED)

if(ROWGATE_TESTS)
  find_package(doctest QUIET)
  rowgate_require(doctest_FOUND "doctest" doctest-dev)
  find_package(rapidcheck QUIET)
  rowgate_require(rapidcheck_FOUND "rapidcheck" librapidcheck-dev)
  find_package(benchmark QUIET)
  rowgate_require(benchmark_FOUND "google benchmark" libbenchmark-dev)
endif()
