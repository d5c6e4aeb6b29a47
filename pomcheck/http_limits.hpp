// How long and how much an HTTP transfer may take, and how often it is tried.
#pragma once

#include <chrono>
#include <cstdint>

namespace rowgate::pomcheck {

using Milliseconds = std::chrono::milliseconds;

struct HttpLimits {
  Milliseconds connect_timeout{10'000};
  // A transfer slower than this many bytes a second for `stall_timeout` is given up.
  std::uint32_t min_bytes_per_second = 100;
  Milliseconds stall_timeout{30'000};
  // The whole transfer of one attempt, from the request to the last byte.
  Milliseconds small_file_deadline{60'000};     // POMs, metadata, checksums
  Milliseconds large_file_deadline{3'600'000};  // everything else

  std::uint64_t max_small_file_bytes = std::uint64_t{16} << 20;
  std::uint64_t max_large_file_bytes = std::uint64_t{8} << 30;

  // 408, 429, 5xx, refused and reset connections, transfers cut short: tried again after
  // first_delay, twice that, and so on; a Retry-After of the server takes its place. Neither is
  // longer than max_delay. Timeouts, TLS failures and all other answers are final.
  unsigned retries = 3;
  Milliseconds first_delay{500};
  Milliseconds max_delay{30'000};

  unsigned max_redirects = 10;
  // HTTP/1.1: 25 POMs with their checksums at once. HTTP/2 multiplexes over one.
  unsigned max_connections_per_host = 50;
  unsigned max_in_flight = 64;
};

}  // namespace rowgate::pomcheck
