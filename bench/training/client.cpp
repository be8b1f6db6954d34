// SPDX-License-Identifier: Apache-2.0
#include "bench/training/client.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "bench/training/surroundings.hpp"

namespace headway::training {
namespace {

constexpr int kDescriptorsMax = 1024;
constexpr std::size_t kShown = 1000;  ///< of a refused request

sockaddr_in address_of(int fd, decltype(::getsockname)* ask) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (ask(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) address.sin_port = 0;
    return address;
}

}  // namespace

void give_up(const std::string& why) {
    std::fprintf(stderr, "headway_training: %s\n", why.c_str());
    std::_Exit(1);
}

Client::Client(std::uint16_t port)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        give_up("connect: " + std::string{std::strerror(errno)});
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Client::Client(Client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      port_(other.port_),
      waits_(other.waits_),
      streams_(other.streams_),
      asked_(std::move(other.asked_)),
      received_(std::move(other.received_)),
      body_(std::move(other.body_)) {}

Client::~Client() {
    if (fd_ < 0) return;
    forget_ends(fd_);
    ::close(fd_);
}

void Client::accepted() {
    const auto mine = address_of(fd_, ::getsockname).sin_port;
    for (int fd = 0; fd < kDescriptorsMax; ++fd) {
        if (fd == fd_ || address_of(fd, ::getpeername).sin_port != mine) continue;
        return pair_ends(fd_, fd);
    }
    give_up("the daemon's end of a connection is not there");
}

void Client::ask(std::string_view method, std::string_view target, std::string_view body,
                 std::string_view type, std::string_view headers) {
    asked_ = std::string{method} + " " + std::string{target} +
             " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" +
             std::string{headers};
    if (!body.empty()) {
        asked_ += "Content-Type: " + std::string{type} +
                  "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    }
    asked_ += "\r\n" + std::string{body};
    if (::send(fd_, asked_.data(), asked_.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
        static_cast<ssize_t>(asked_.size())) {
        give_up("a request does not fit into its connection");
    }
    waits_ = true;
}

void Client::follow(std::string_view target) {
    ask("GET", target, {}, {}, "Accept: text/event-stream\r\n");
    streams_ = true;
    waits_ = false;
}

void Client::read() {
    std::array<char, 65536> buffer;
    for (;;) {
        const auto got = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got == 0) give_up("the daemon has closed the connection after " + asked_);
        if (got < 0) break;
        if (!streams_) received_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (waits_) take_reply();
}

void Client::take_reply() {
    constexpr std::string_view kEnd = "\r\n\r\n";
    constexpr std::string_view kLength = "Content-Length: ";
    const auto end = received_.find(kEnd);
    if (end == std::string::npos) return;
    const auto length = received_.find(kLength);
    if (length == std::string::npos || length > end) give_up("no length of " + received_);
    const auto size = std::strtoul(received_.c_str() + length + kLength.size(), nullptr, 10);
    if (received_.size() < end + kEnd.size() + size) return;
    if (!received_.starts_with("HTTP/1.1 2"))
        give_up(asked_.substr(0, kShown) + "\n=> " + received_);
    body_ = received_.substr(end + kEnd.size(), size);
    received_.clear();
    waits_ = false;
}

}  // namespace headway::training
