// A Maven repository over HTTP that serves a folder and misbehaves where it is told to.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_server.hpp"

namespace rowgate::test {

// `pattern` is a glob over the request's path ("*.pom"). Behaviours:
//   status:N           an answer with this status and a short page
//   status:N:HEADER    the same with one further header line ("status:429:Retry-After: 1")
//   fail:N:COUNT       status N for the first COUNT requests of a path, then the file
//   html               200 with a login page
//   empty  no-content  partial     200 without a body, 204, 206
//   short              Content-Length is twice what comes, then the connection closes
//   truncated          half of the file, with a matching Content-Length
//   reset              the connection is reset after the request
//   reset-once         the same for the first request of a path
//   hang               no answer
//   drip               one byte every 50 ms
//   chunked  gzip      the file, in that encoding
//   bomb               gzip of 64 MiB of zeros
//   endless-headers    headers without an end
//   loop               a redirect to itself and back
//   endless-redirects  each redirect to another path
//   redirect:URL       302 to URL followed by the path
//   header:LINE        the file with one further header line
//   corrupt            the file with its first byte changed
//   corrupt-checksum   for .sha1 and the like: a checksum of something else
//   garbage-checksum   for .sha1 and the like: an HTML page
struct Rule {
  std::string pattern;
  std::string behaviour;
};

// "GLOB=BEHAVIOUR". Throws std::invalid_argument when there is no "=".
Rule parse_rule(std::string_view text);

// The first rule whose pattern matches decides; without one the file is served: from `root`, or,
// for .sha1, .sha256, .sha512 and .md5 that are not there, computed when `checksums` names the
// extension. ETag and Last-Modified are sent, conditional requests answered with 304.
class BadRepository {
 public:
  explicit BadRepository(std::filesystem::path root, std::vector<Rule> rules = {},
                         std::vector<std::string> checksums = {".sha1", ".md5"});

  void operator()(const ServerRequest& request, ServerConnection& connection);

 private:
  void serve(const ServerRequest& request, ServerConnection& connection,
             std::string_view extra_headers, std::string_view behaviour);
  void misbehave(std::string_view behaviour, const ServerRequest& request,
                 ServerConnection& connection);
  // The file's bytes, or false.
  bool read(const std::string& path, std::string& contents) const;
  unsigned times_asked(const std::string& path);

  std::filesystem::path root_;
  std::vector<Rule> rules_;
  std::vector<std::string> checksums_;
  std::mutex mutex_;
  std::map<std::string, unsigned> asked_;
};

}  // namespace rowgate::test
