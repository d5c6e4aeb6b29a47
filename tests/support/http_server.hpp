// A real HTTP/1.1 server on the loopback interface whose answers the test scripts byte by byte.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace rowgate::test {

struct ServerRequest {
  std::string method;
  std::string path;  // as on the wire, with the query
  std::vector<std::pair<std::string, std::string>> headers;
  std::string head;  // the whole request head as received

  // "" when absent; names in any case.
  std::string header(std::string_view name) const;
};

// One connection, used by the handler while it answers one request.
class ServerConnection {
 public:
  ServerConnection(int descriptor, const std::atomic<bool>& stopping)
      : descriptor_(descriptor), stopping_(stopping) {}

  // False when the peer is gone.
  bool send(std::string_view bytes);
  // Close after this answer.
  void close() { keep_ = false; }
  // Ends the connection with a TCP reset.
  void reset();
  // Says nothing until the peer closes, the server stops, or the time is over.
  void hang(std::chrono::milliseconds at_most);

  bool keep() const { return keep_; }

 private:
  int descriptor_;
  const std::atomic<bool>& stopping_;
  bool keep_ = true;
};

// "HTTP/1.1 200 OK" with Content-Length and the given further header lines ("Name: value\r\n").
std::string response(int status, std::string_view body, std::string_view headers = "");

class HttpServer {
 public:
  // Called from one thread a connection.
  using Handler = std::function<void(const ServerRequest&, ServerConnection&)>;

  // Listens on 127.0.0.1 on a free port. Throws std::runtime_error when it cannot.
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const;  // "http://127.0.0.1:12345"

  // Waits this long before each answer, as a distant server would.
  void set_latency(std::chrono::milliseconds latency) { latency_ms_ = latency.count(); }

  std::vector<ServerRequest> requests() const;  // so far, in the order of arrival
  std::size_t count(std::string_view path) const;
  std::size_t connections() const { return connections_.load(); }

 private:
  struct Client {
    int descriptor;
    std::thread thread;
    std::atomic<bool> done{false};
  };
  void accept_loop();
  void serve(Client& client);

  Handler handler_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> latency_ms_{0};
  std::atomic<std::size_t> connections_{0};
  mutable std::mutex mutex_;
  std::vector<ServerRequest> requests_;
  std::list<Client> clients_;
  std::thread acceptor_;
};

}  // namespace rowgate::test
