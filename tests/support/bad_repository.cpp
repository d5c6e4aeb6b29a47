#include "tests/support/bad_repository.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::test {
namespace {

constexpr std::string_view kLoginPage =
    "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Who are you?</body></html>\n";

std::string gzip(std::string_view text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(
      libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

std::string chunked(std::string_view text) {
  std::string chunks;
  for (std::size_t at = 0; at < text.size(); at += 100) {
    const std::string_view piece = text.substr(at, 100);
    chunks += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  return chunks + "0\r\n\r\n";
}

// "fail:503:2" -> "503", "2"
std::pair<std::string_view, std::string_view> two_parts(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

int number(std::string_view text) {
  return std::stoi(std::string(text));
}

}  // namespace

Rule parse_rule(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) throw std::invalid_argument("a rule is GLOB=BEHAVIOUR");
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

BadRepository::BadRepository(std::filesystem::path root, std::vector<Rule> rules,
                             std::vector<std::string> checksums)
    : root_(std::move(root)), rules_(std::move(rules)), checksums_(std::move(checksums)) {}

unsigned BadRepository::times_asked(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return asked_[path]++;
}

bool BadRepository::read(const std::string& path, std::string& contents) const {
  const auto file = base::read_file(root_ / path.substr(1));
  if (file) {
    contents = *file;
    return true;
  }
  for (const std::string& extension : checksums_) {
    if (!path.ends_with(extension)) continue;
    const auto original =
        base::read_file(root_ / path.substr(1, path.size() - 1 - extension.size()));
    if (!original) return false;
    for (auto kind : {base::DigestKind::md5, base::DigestKind::sha1, base::DigestKind::sha256,
                      base::DigestKind::sha512})
      if (extension.substr(1) == base::to_string(kind))
        contents = base::digest(kind, base::as_bytes(*original));
    return true;
  }
  return false;
}

void BadRepository::operator()(const ServerRequest& request, ServerConnection& connection) {
  for (const Rule& rule : rules_)
    if (base::matches_glob(rule.pattern, request.path))
      return misbehave(rule.behaviour, request, connection);
  serve(request, connection, "", "");
}

void BadRepository::serve(const ServerRequest& request, ServerConnection& connection,
                          std::string_view extra_headers, std::string_view behaviour) {
  std::string contents;
  if (!read(request.path, contents)) {
    connection.send(response(404, request.method == "HEAD" ? "" : "no such file\n"));
    return;
  }
  if (behaviour == "corrupt" && !contents.empty()) contents[contents.size() / 2] ^= 1;
  const std::string etag =
      '"' + base::digest(base::DigestKind::md5, base::as_bytes(contents)) + '"';
  std::string headers = fmt::format(
      "ETag: {}\r\nLast-Modified: Mon, 30 Nov 2026 07:37:24 GMT\r\n{}", etag, extra_headers);
  if (request.header("If-None-Match") == etag) {
    connection.send(fmt::format("HTTP/1.1 304 Not Modified\r\nETag: {}\r\n\r\n", etag));
    return;
  }
  std::string answer = response(200, contents, headers);
  if (request.method == "HEAD") answer.resize(answer.size() - contents.size());
  connection.send(answer);
}

void BadRepository::misbehave(std::string_view behaviour, const ServerRequest& request,
                              ServerConnection& connection) {
  const auto [name, rest] = two_parts(behaviour);
  std::string contents;
  read(request.path, contents);
  if (name == "status") {
    const auto [status, header] = two_parts(rest);
    connection.send(response(number(status), request.method == "HEAD" ? "" : "no\n",
                             header.empty() ? "" : fmt::format("{}\r\n", header)));
  } else if (name == "fail") {
    const auto [status, count] = two_parts(rest);
    if (times_asked(request.path) < static_cast<unsigned>(number(count)))
      connection.send(response(number(status), "later\n"));
    else
      serve(request, connection, "", "");
  } else if (name == "html") {
    std::string answer = response(200, kLoginPage, "Content-Type: text/html\r\n");
    if (request.method == "HEAD") answer.resize(answer.size() - kLoginPage.size());
    connection.send(answer);
  } else if (name == "empty") {
    connection.send(response(200, ""));
  } else if (name == "no-content") {
    connection.send("HTTP/1.1 204 No Content\r\n\r\n");
  } else if (name == "partial") {
    connection.send(response(206, contents.substr(0, contents.size() / 2)));
  } else if (name == "short") {
    connection.send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}",
                                contents.size() * 2 + 1, contents));
    connection.close();
  } else if (name == "truncated") {
    connection.send(response(200, contents.substr(0, contents.size() / 2)));
  } else if (name == "reset" || (name == "reset-once" && times_asked(request.path) == 0)) {
    connection.reset();
  } else if (name == "reset-once") {
    serve(request, connection, "", "");
  } else if (name == "hang") {
    connection.hang(std::chrono::seconds(60));
  } else if (name == "drip") {
    bool there = connection.send(
        fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", contents.size()));
    for (std::size_t i = 0; there && i < contents.size(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      there = connection.send(std::string_view(contents).substr(i, 1));
    }
  } else if (name == "chunked") {
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(contents));
  } else if (name == "gzip") {
    connection.send(response(200, gzip(contents), "Content-Encoding: gzip\r\n"));
  } else if (name == "bomb") {
    connection.send(response(200, gzip(std::string(std::size_t{64} << 20, '\0')),
                             "Content-Encoding: gzip\r\n"));
  } else if (name == "endless-headers") {
    bool there = connection.send("HTTP/1.1 200 OK\r\n");
    while (there) there = connection.send("X-More: " + std::string(1000, 'x') + "\r\n");
  } else if (name == "loop") {
    const bool back = request.path.starts_with("/back");
    connection.send(response(
        302, "",
        fmt::format("Location: {}\r\n", back ? request.path.substr(5) : "/back" + request.path)));
  } else if (name == "endless-redirects") {
    connection.send(response(302, "", fmt::format("Location: {}x\r\n", request.path)));
  } else if (name == "redirect") {
    connection.send(response(302, "", fmt::format("Location: {}{}\r\n", rest, request.path)));
  } else if (name == "header") {
    serve(request, connection, fmt::format("{}\r\n", rest), "");
  } else if (name == "corrupt") {
    serve(request, connection, "", name);
  } else if (name == "corrupt-checksum") {
    const std::size_t dot = request.path.rfind('.');
    const std::size_t digits = request.path.substr(dot) == ".md5"      ? 32
                               : request.path.substr(dot) == ".sha1"   ? 40
                               : request.path.substr(dot) == ".sha256" ? 64
                                                                       : 128;
    connection.send(response(200, std::string(digits, '0')));
  } else if (name == "garbage-checksum") {
    connection.send(response(200, kLoginPage));
  } else {
    connection.send(response(500, fmt::format("the test names no behaviour {}\n", name)));
  }
}

}  // namespace rowgate::test
