// A Maven repository over HTTP, behind the disk cache.
//
//   404, 410                            not there; remembered for a while
//   200 with the file                   checked against the published checksum, then cached
//   200 with HTML, nothing, or a piece  cannot be told; nothing is cached
//   everything else                     cannot be told; the error names the repository and the code
//
// Checksums: of the response's headers, else of the .sha1 file, else .sha512, .sha256, .md5. A
// mismatch is an error; with none published the file is accepted and marked. Whether this
// repository sends checksums in headers is learnt from its first answers; until then .sha1 is asked
// for along with the file, so that it costs no second round trip.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pomcheck/cache_policy.hpp"
#include "pomcheck/http_client.hpp"
#include "pomcheck/http_url.hpp"
#include "pomcheck/repository.hpp"

namespace rowgate::pomcheck {

struct HttpRepositoryConfig {
  std::string id;
  Url url;
  Credentials credentials;
  std::vector<HttpHeader> private_headers;
  CacheMode mode = CacheMode::normal;
  CachePolicy policy;
  // What it is asked for; the rest it does not have by configuration.
  bool releases = true;
  bool snapshots = true;
};

std::unique_ptr<Repository> open_http_repository(HttpRepositoryConfig config,
                                                 std::shared_ptr<HttpClient> client,
                                                 const std::filesystem::path& cache_folder);

}  // namespace rowgate::pomcheck
