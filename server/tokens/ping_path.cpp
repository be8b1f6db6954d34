// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/ping_path.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kTokenStart = "hw_";
constexpr std::size_t kTokenLike = 40;  // bytes: no id that a person chooses has them behind "hw_"

bool is_exit_status(std::string_view text) {
    unsigned status = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), status);
    return read.ec == std::errc{} && read.ptr == text.data() + text.size() && status <= 255;
}

bool is_action(std::string_view text) {
    return text == "start" || text == "fail" || text == "log" || is_exit_status(text);
}

/// Takes the first segment off `rest`.
std::string_view take_segment(std::string_view& rest) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
    return segment;
}

}  // namespace

Result<PingPath> parse_ping_path(std::string_view rest) {
    PingPath path;
    if (looks_like_token(rest.substr(0, rest.find('/')))) {
        path.key = take_segment(rest);
        HEADWAY_CHECK(token_id(path.key));
    }
    if (rest.empty()) {
        return Error{ErrorCode::kUnknownRoute,
                     "a ping names a session: /ping/ID, or /ping/KEY/ID with a token", "id"};
    }
    const bool ends_in_slash = rest.ends_with('/');
    path.id = take_segment(rest);
    path.action = rest;
    if (ends_in_slash || (!path.action.empty() && !is_action(path.action))) {
        return Error{ErrorCode::kUnknownRoute,
                     "behind the id of a ping stands nothing, start, fail, log or an exit status "
                     "of 0 to 255",
                     "action"};
    }
    return path;
}

bool looks_like_token(std::string_view segment) {
    return segment.starts_with(kTokenStart) && segment.size() >= kTokenLike;
}

std::string path_without_key(std::string_view path) {
    if (!path.starts_with(kPingPrefix)) return std::string{path};
    std::string shown{kPingPrefix.substr(0, kPingPrefix.size() - 1)};
    std::string_view rest = path.substr(kPingPrefix.size());
    for (bool more = true; more;) {
        more = rest.find('/') != rest.npos;
        const std::string_view segment = take_segment(rest);
        shown.append(1, '/').append(looks_like_token(segment) ? "KEY" : segment);
    }
    return shown;
}

}  // namespace headway::server
