// SPDX-License-Identifier: Apache-2.0
#include "server/process/service_notifier.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstring>

#include "server/time/clock.hpp"

namespace headway::server {
namespace {

std::string_view value_of(const ServiceNotifier::Environment& environment,
                          const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string_view{} : found->second;
}

std::optional<long long> number_of(std::string_view text) {
    long long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number <= 0)
        return std::nullopt;
    return number;
}

}  // namespace

ServiceNotifier::ServiceNotifier(const Environment& environment)
    : socket_(value_of(environment, "NOTIFY_SOCKET")) {
    const bool usable = socket_.size() > 1 && socket_.size() < sizeof(sockaddr_un::sun_path) &&
                        (socket_[0] == '/' || socket_[0] == '@');
    if (!usable) socket_.clear();
    const auto pid = number_of(value_of(environment, "WATCHDOG_PID"));
    if (socket_.empty() || (pid && *pid != ::getpid())) return;
    if (const auto usec = number_of(value_of(environment, "WATCHDOG_USEC")))
        watchdog_.emplace(*usec);
}

void ServiceNotifier::ready(std::string_view status) const {
    send("READY=1\nSTATUS=" + std::string{status});
}

void ServiceNotifier::reloading() const {
    // Newer managers require it; libstdc++'s steady clock is CLOCK_MONOTONIC.
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::steady().time_since_epoch());
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

void ServiceNotifier::stopping() const {
    send("STOPPING=1\nSTATUS=draining");
}

void ServiceNotifier::send(const std::string& message) const {
    if (socket_.empty()) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (socket_[0] == '@') address.sun_path[0] = '\0';
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    (void)::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                   reinterpret_cast<const sockaddr*>(&address), size);
    ::close(fd);
}

}  // namespace headway::server
