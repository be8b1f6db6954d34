// SPDX-License-Identifier: Apache-2.0
#include "cli/client/tcp_peer.hpp"

#include <arpa/inet.h>
#include <pwd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

namespace headway::cli {
namespace {

constexpr std::string_view kListens = "0A";
constexpr std::size_t kMappedBytes = 12;  // before the four of an IPv4 address
constexpr std::array<std::uint8_t, kMappedBytes> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

/// The next word of a line; empty at its end.
std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

template <class Number>
bool read_number(std::string_view text, int base, Number& number) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

/// "0100007F:1E25": words of 32 bits as this machine keeps them.
bool read_end(std::string_view text, TcpEnd& end) {
    const std::size_t colon = text.find(':');
    if (colon != 8 && colon != 32) return false;
    std::size_t at = colon == 8 ? kMappedBytes : 0;
    if (colon == 8) std::copy(kMapped.begin(), kMapped.end(), end.address.begin());
    for (std::size_t i = 0; i < colon; i += 8, at += 4) {
        std::uint32_t word = 0;
        if (!read_number(text.substr(i, 8), 16, word)) return false;
        std::memcpy(end.address.data() + at, &word, sizeof word);
    }
    return read_number(text.substr(colon + 1), 16, end.port);
}

/// The wildcard address of its kind.
bool is_any(const TcpEnd& end) {
    const bool mapped = std::equal(kMapped.begin(), kMapped.end(), end.address.begin());
    const auto begin = end.address.begin() + (mapped ? kMappedBytes : 0);
    return std::all_of(begin, end.address.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool takes(const TcpSocket& listener, const TcpEnd& end) {
    return listener.listens && listener.local.port == end.port &&
           (is_any(listener.local) || listener.local.address == end.address);
}

void read_table(const char* file, const TcpEnd& theirs, std::vector<TcpSocket>& sockets) {
    std::ifstream table{file};
    for (std::string line; std::getline(table, line);) {
        const auto socket = parse_tcp_line(line);
        if (socket && (socket->local == theirs || takes(*socket, theirs)))
            sockets.push_back(*socket);
    }
}

}  // namespace

std::optional<TcpEnd> tcp_end(const std::string& address, long port) {
    TcpEnd end;
    if (port <= 0 || port > 0xFFFF) return std::nullopt;
    end.port = static_cast<std::uint16_t>(port);
    std::copy(kMapped.begin(), kMapped.end(), end.address.begin());
    if (::inet_pton(AF_INET, address.c_str(), end.address.data() + kMappedBytes) == 1) return end;
    if (::inet_pton(AF_INET6, address.c_str(), end.address.data()) == 1) return end;
    return std::nullopt;
}

std::optional<TcpSocket> parse_tcp_line(std::string_view line) {
    TcpSocket socket;
    next_word(line);  // its number
    if (!read_end(next_word(line), socket.local)) return std::nullopt;
    if (!read_end(next_word(line), socket.remote)) return std::nullopt;
    socket.listens = next_word(line) == kListens;
    for (int i = 0; i < 3; ++i)
        next_word(line);  // queues, timer, retransmits
    if (!read_number(next_word(line), 10, socket.user)) return std::nullopt;
    next_word(line);  // timeout
    if (!read_number(next_word(line), 10, socket.inode)) return std::nullopt;
    return socket;
}

std::string stranger_at(const TcpEnd& theirs, const TcpEnd& ours, uid_t owner,
                        const std::vector<TcpSocket>& sockets) {
    const auto connection =
        std::find_if(sockets.begin(), sockets.end(), [&](const TcpSocket& socket) {
            return !socket.listens && socket.local == theirs && socket.remote == ours;
        });
    if (connection == sockets.end()) return "no user that this machine's kernel names";
    if (connection->inode != 0)
        return connection->user == owner ? std::string{} : user_name(connection->user);
    bool found = false;
    for (const TcpSocket& socket : sockets) {
        if (!takes(socket, theirs)) continue;
        if (socket.user != owner) return user_name(socket.user);
        found = true;
    }
    return found ? std::string{} : "no user that this machine's kernel names";
}

std::vector<TcpSocket> sockets_at(const TcpEnd& theirs) {
    std::vector<TcpSocket> sockets;
    for (const char* file : {"/proc/net/tcp", "/proc/net/tcp6"})
        read_table(file, theirs, sockets);
    return sockets;
}

std::string user_name(uid_t user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 1'024> bytes{};  // a longer entry is shown by its number
    const std::string number = std::to_string(user);
    if (::getpwuid_r(user, &entry, bytes.data(), bytes.size(), &found) != 0 || found == nullptr)
        return "user " + number;
    return "user " + std::string{entry.pw_name} + " (" + number + ")";
}

}  // namespace headway::cli
