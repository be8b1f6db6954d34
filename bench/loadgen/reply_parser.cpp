// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/reply_parser.hpp"

#include <strings.h>

#include <charconv>
#include <cstdint>

namespace headway::bench {

namespace {

constexpr std::string_view kLength = "content-length:";

long long number_at(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    long long value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// The value of Content-Length in a header block, 0 without one.
std::size_t content_length(std::string_view head) {
    for (auto at = head.find('\n'); at != head.npos; at = head.find('\n', at + 1)) {
        const std::string_view line = head.substr(at + 1);
        if (line.size() > kLength.size() && (line.front() | 0x20) == 'c' &&
            ::strncasecmp(line.data(), kLength.data(), kLength.size()) == 0) {
            return static_cast<std::size_t>(number_at(line.substr(kLength.size())));
        }
    }
    return 0;
}

}  // namespace

std::optional<Reply> parse_http_reply(std::string_view text) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == text.npos) return std::nullopt;
    const std::string_view head = text.substr(0, end + 2);
    if (!head.starts_with("HTTP/1.")) return Reply{0, text.size()};
    const int status = static_cast<int>(number_at(head.substr(9)));
    const std::size_t body = status == 204 ? 0 : content_length(head);
    const std::size_t bytes = end + 4 + body;
    if (text.size() < bytes) return std::nullopt;
    return Reply{status, bytes};
}

std::optional<Reply> parse_redis_reply(std::string_view text) {
    const std::size_t end = text.find("\r\n");
    if (end == text.npos) return std::nullopt;
    if (text.front() != '$') return Reply{text.front() == '-' ? 500 : 200, end + 2};
    const long long length = number_at(text.substr(1));
    if (length < 0) return Reply{500, end + 2};
    const std::size_t bytes = end + 2 + static_cast<std::size_t>(length) + 2;
    if (text.size() < bytes) return std::nullopt;
    return Reply{200, bytes};
}

}  // namespace headway::bench
