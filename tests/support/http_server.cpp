#include "tests/support/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "base/text.hpp"

namespace rowgate::test {
namespace {

constexpr std::size_t kMaxHeadBytes = 64 * 1024;

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 304: return "Not Modified";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    default: return "Answer";
  }
}

ServerRequest parse_head(std::string head) {
  ServerRequest request;
  const auto lines = base::split(head, '\n');
  const auto words = base::split(base::trim(lines.front()), ' ');
  request.method = words.front();
  if (words.size() > 1) request.path = words[1];
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos) continue;
    request.headers.emplace_back(lines[i].substr(0, colon), base::trim(lines[i].substr(colon + 1)));
  }
  request.head = std::move(head);
  return request;
}

}  // namespace

std::string ServerRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (base::equals_ignoring_case(key, name)) return value;
  return {};
}

bool ServerConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      keep_ = false;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

void ServerConnection::reset() {
  const linger now{1, 0};  // close() then sends RST instead of FIN
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  keep_ = false;
}

void ServerConnection::hang(std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  keep_ = false;
  while (!stopping_ && std::chrono::steady_clock::now() < end) {
    pollfd wait{descriptor_, POLLRDHUP, 0};
    if (::poll(&wait, 1, 20) > 0) return;
  }
}

std::string response(int status, std::string_view body, std::string_view headers) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\n{}\r\n{}", status, reason_of(status),
                     body.size(), headers, body);
}

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, generic, length) != 0 || ::listen(listener_, 128) != 0 ||
      ::getsockname(listener_, generic, &length) != 0)
    throw std::runtime_error("cannot listen on the loopback interface");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  for (Client& client : clients_) {
    if (!client.done) ::shutdown(client.descriptor, SHUT_RDWR);
    client.thread.join();
    ::close(client.descriptor);
  }
}

std::string HttpServer::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<ServerRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t HttpServer::count(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const ServerRequest& request : requests_) count += request.path == path ? 1 : 0;
  return count;
}

void HttpServer::accept_loop() {
  while (!stopping_) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (stopping_) return;
      continue;
    }
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ++connections_;
    // Connections whose thread is done keep only their descriptor until here: a client that opens
    // thousands would otherwise run the server out of them.
    for (auto it = clients_.begin(); it != clients_.end();) {
      if (!it->done) {
        ++it;
        continue;
      }
      it->thread.join();
      ::close(it->descriptor);
      it = clients_.erase(it);
    }
    Client& client = clients_.emplace_back();
    client.descriptor = descriptor;
    client.thread = std::thread([this, &client] { serve(client); });
  }
}

void HttpServer::serve(Client& client) {
  ServerConnection connection(client.descriptor, stopping_);
  std::string received;
  while (!stopping_ && connection.keep()) {
    const std::size_t end = received.find("\r\n\r\n");
    if (end == std::string::npos) {
      char buffer[4096];
      const ssize_t got = ::recv(client.descriptor, buffer, sizeof buffer, 0);
      if (got <= 0 || received.size() > kMaxHeadBytes) break;
      received.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    const ServerRequest request = parse_head(received.substr(0, end + 2));
    received.erase(0, end + 4);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    if (const auto latency = latency_ms_.load(); latency > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(latency));
    handler_(request, connection);
  }
  // The descriptor is closed by whoever joins this thread; the peer must not wait for that. A reset
  // needs the close itself, at once.
  linger how{};
  socklen_t length = sizeof how;
  ::getsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &how, &length);
  if (how.l_onoff != 0) {
    const int placeholder = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::dup3(placeholder, client.descriptor, O_CLOEXEC);  // closes the connection, keeps the number
    ::close(placeholder);
  } else {
    ::shutdown(client.descriptor, SHUT_RDWR);
  }
  client.done = true;
}

}  // namespace rowgate::test
