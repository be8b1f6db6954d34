// SPDX-License-Identifier: Apache-2.0
#include "hook/way/exchange.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hook/text/reply_parser.hpp"

namespace headway::hook {
namespace {

constexpr int kConnectMs = 1000;

/// The kernel's own timeouts: connect() has that of sending.
void limit(int connection, int option, int milliseconds) {
    const timeval time{milliseconds / 1000, (milliseconds % 1000) * 1000};
    ::setsockopt(connection, SOL_SOCKET, option, &time, sizeof time);
}

struct Address {
    sockaddr_storage bytes{};
    socklen_t size = 0;  ///< 0: there is no such address
};

template <class Kernels>
Address made_of(const Kernels& kernels) {
    Address address;
    std::memcpy(&address.bytes, &kernels, sizeof kernels);
    address.size = sizeof kernels;
    return address;
}

Address address_of(const Place& place) {
    if (!place.socket.empty()) {
        sockaddr_un local{};
        local.sun_family = AF_UNIX;
        if (place.socket.size() >= sizeof local.sun_path) return {};
        place.socket.copy(local.sun_path, place.socket.size());
        return made_of(local);
    }
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(place.port);
    if (::inet_pton(AF_INET, place.host.c_str(), &four.sin_addr) == 1) return made_of(four);
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(place.port);
    if (::inet_pton(AF_INET6, place.host.c_str(), &six.sin6_addr) == 1) return made_of(six);
    return {};
}

/// Puts one descriptor beside the first bytes of a message.
struct Passenger {
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};

    void board(msghdr& message, int descriptor) {
        message.msg_control = space;
        message.msg_controllen = sizeof space;
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
};

iovec piece_of(std::string_view text) {
    return {const_cast<char*>(text.data()), text.size()};
}

/// Head and body in one call: a small body behind a head of its own would wait for the peer's
/// acknowledgement.
bool send_all(int connection, std::string_view head, std::string_view body, int pidfd) {
    while (!head.empty() || !body.empty()) {
        iovec pieces[2] = {piece_of(head), piece_of(body)};
        msghdr message{};
        message.msg_iov = pieces;
        message.msg_iovlen = 2;
        Passenger passenger;
        if (pidfd >= 0) passenger.board(message, pidfd);
        const ssize_t sent = ::sendmsg(connection, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        pidfd = -1;
        auto count = static_cast<std::size_t>(sent);
        const std::size_t of_head = count < head.size() ? count : head.size();
        head.remove_prefix(of_head);
        body.remove_prefix(count - of_head);
    }
    return true;
}

std::string why_broken(const ReplyParser& reply) {
    if (reply.status() == 0 || (reply.status() == 200 && !reply.of_daemon()))
        return "what answers there is no Headway daemon";
    if (reply.status() != 200) return "the daemon answered " + std::to_string(reply.status());
    return "the daemon's reply broke off";
}

Outcome receive(int connection) {
    ReplyParser reply;
    char piece[16'384];
    while (reply.state() == ReplyParser::State::kMore) {
        const ssize_t count = ::recv(connection, piece, sizeof piece, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return {{}, "the daemon has been silent for too long"};
        }
        if (count < 0) return {{}, "the connection to the daemon was lost"};
        if (count == 0) {
            reply.end();
        } else {
            reply.feed({piece, static_cast<std::size_t>(count)});
        }
    }
    if (reply.state() == ReplyParser::State::kBroken || !reply.of_daemon())
        return {{}, why_broken(reply), reply.status()};
    if (!may_be_object(reply.body())) return {{}, "the daemon's reply is no JSON object"};
    return {reply.body(), {}, 0, reply.wants_older_uses(), reply.wants_goal()};
}

}  // namespace

int connect_to(const Place& place) {
    const Address address = address_of(place);
    if (address.size == 0) return -1;
    const int connection = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) return -1;
    limit(connection, SO_SNDTIMEO, kConnectMs);
    const auto* const where = reinterpret_cast<const sockaddr*>(&address.bytes);
    if (::connect(connection, where, address.size) == 0) return connection;
    ::close(connection);
    return -1;
}

Outcome exchange(int connection, std::string_view head, std::string_view body, int pidfd,
                 int silence_ms) {
    limit(connection, SO_SNDTIMEO, silence_ms);
    limit(connection, SO_RCVTIMEO, silence_ms);
    // A daemon that refuses the request may close before it has read all, with a reply that says
    // so.
    const bool sent = send_all(connection, head, body, pidfd);
    if (!sent) limit(connection, SO_RCVTIMEO, kConnectMs);  // what comes is there already
    Outcome outcome = receive(connection);
    ::close(connection);
    if (!sent && outcome.status == 0) return {{}, "the daemon did not take the request"};
    return outcome;
}

}  // namespace headway::hook
