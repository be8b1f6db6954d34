// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/request.hpp"

#include <utility>

namespace headway::bench {

namespace {

void write_digits(char* out, std::size_t digits, std::uint64_t value) {
    for (std::size_t i = digits; i-- > 0; value /= 10) {
        out[i] = static_cast<char>('0' + value % 10);
    }
}

// `text` with the placeholders replaced by as many zeros: what its length will be.
std::size_t length_of(std::string_view text, unsigned connection) {
    std::size_t length = text.size();
    const std::pair<std::string_view, std::size_t> sizes[] = {
        {"{id}", kIdDigits}, {"{now}", kTimeDigits}, {"{conn}", std::to_string(connection).size()}};
    for (const auto& [name, size] : sizes) {
        for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
            length += size;
            length -= name.size();
        }
    }
    return length;
}

std::string resp_string(std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

}  // namespace

Request::Request(const Options& o, unsigned connection, unsigned events) : events_(events) {
    if (o.mode == Mode::kRedis) {
        bytes_ = "*5\r\n" + resp_string("XADD") + resp_string("s:" + std::to_string(connection)) +
                 resp_string("*") + resp_string("event") + "$" +
                 std::to_string(length_of(o.body, connection)) + "\r\n";
        append(o.body, connection, 0);
        bytes_ += "\r\n";
        return;
    }
    const bool array = o.array && events > 1;
    const std::size_t extra =
        array ? 1 : 0;  // [ and ] and commas, against newlines between the lines
    const std::size_t length =
        o.body.empty() ? 0 : events * length_of(o.body, connection) + (events - 1) + 2 * extra;
    bytes_ = o.method + " ";
    append(o.target, connection, 0);
    bytes_ += " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(o.port) + "\r\n";
    if (length > 0) {
        const bool lines = events > 1 && !array;
        bytes_ += "Content-Type: " + (lines ? "application/x-ndjson" : o.content_type) +
                  "\r\nContent-Length: " + std::to_string(length) + "\r\n";
    }
    bytes_ += "\r\n";
    if (array) bytes_ += '[';
    for (unsigned event = 0; length > 0 && event < events; ++event) {
        if (event > 0) bytes_ += array ? ',' : '\n';
        append(o.body, connection, event);
    }
    if (array) bytes_ += ']';
}

void Request::append(std::string_view text, unsigned connection, unsigned event) {
    while (!text.empty()) {
        if (text.starts_with("{id}") || text.starts_with("{now}")) {
            const bool is_time = text.starts_with("{now}");
            slots_.push_back({bytes_.size(), event, is_time});
            bytes_.append(is_time ? kTimeDigits : kIdDigits, '0');
            text.remove_prefix(is_time ? 5 : 4);
        } else if (text.starts_with("{conn}")) {
            bytes_ += std::to_string(connection);
            text.remove_prefix(6);
        } else {
            bytes_ += text.front();
            text.remove_prefix(1);
        }
    }
}

std::string_view Request::stamp(std::uint64_t first_id, std::int64_t now_ns) {
    for (const Slot& slot : slots_) {
        if (slot.is_time) {
            write_digits(bytes_.data() + slot.offset, kTimeDigits,
                         static_cast<std::uint64_t>(now_ns));
        } else {
            write_digits(bytes_.data() + slot.offset, kIdDigits, first_id + slot.event);
        }
    }
    return bytes_;
}

}  // namespace headway::bench
