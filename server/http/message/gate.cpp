// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/gate.hpp"

#include <algorithm>

#include "api/decode/decode.hpp"
#include "core/text/words.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return out;
}

std::string_view without_port(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    const bool in_brackets = colon != std::string_view::npos && host.find(']', colon) != host.npos;
    return colon == std::string_view::npos || in_brackets ? host : host.substr(0, colon);
}

bool is_ours(std::string_view host, const GateSettings& settings) {
    const auto contains = [](const std::vector<std::string>& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (contains(settings.hosts, host)) return true;
    const std::string folded = lower(host);
    return contains(settings.hosts, folded) ||
           contains(settings.any_port_hosts, without_port(folded));
}

Result<> check_host(const RequestHead& head, const GateSettings& settings) {
    if (head.hosts != 1) {
        return Error{ErrorCode::kBadRequest, "send exactly one Host header", "Host"};
    }
    if (!is_ours(head.host, settings)) {
        return Error{ErrorCode::kUnknownHost,
                     "this daemon does not answer to that Host; add it to server.allowed_hosts if "
                     "it is yours",
                     "Host"};
    }
    return {};
}

Result<> check_target(std::string_view target) {
    const bool plain = std::all_of(target.begin(), target.end(), [](char c) {
        return c > ' ' && c < 0x7f && c != '#' && c != '\\';
    });
    if (target.empty() || target.front() != '/' || !plain) {
        return Error{ErrorCode::kBadRequest,
                     "the target must be a path of printable ASCII, without a fragment", "target"};
    }
    if (target.find("%00") != std::string_view::npos) {
        return Error{ErrorCode::kBadRequest, "the target contains %00", "target"};
    }
    return {};
}

/// A person follows a link of a chat, a mail or a local file to the page. It replaces the page that
/// it came from, which can neither read it nor frame it, and these routes change nothing.
bool follows_link(const RequestHead& head) {
    const std::string_view path = head.target.substr(0, head.target.find('?'));
    return head.method == Method::kGet && head.fetch_mode == "navigate" &&
           head.fetch_dest == "document" && head.origin.empty() &&
           (path == "/" || path == "/login" || path == "/decide");
}

Result<> check_origin(const RequestHead& head, const GateSettings& settings) {
    bool foreign = head.fetch_site == "cross-site" || head.fetch_site == "same-site";
    if (!head.origin.empty()) {
        std::string_view host = head.origin;
        if (host.starts_with("http://")) host.remove_prefix(7);
        if (host.starts_with("https://")) host.remove_prefix(8);
        if (host.size() == head.origin.size() || !is_ours(host, settings)) foreign = true;
    }
    if (!foreign || follows_link(head)) return {};
    return Error{ErrorCode::kForbiddenOrigin,
                 "requests from web pages of other origins are refused", "Origin"};
}

Result<> check_framing(const RequestHead& head) {
    if (head.transfer_encodings > 0) {
        if (head.http_1_0 || head.content_lengths > 0) {
            return Error{ErrorCode::kBadRequest,
                         head.http_1_0 ? "HTTP/1.0 has no Transfer-Encoding; send Content-Length"
                                       : "send Content-Length or Transfer-Encoding, not both",
                         "Transfer-Encoding"};
        }
        if (head.transfer_encodings > 1 || !head.chunked) {
            return Error{ErrorCode::kLengthRequired,
                         "no Transfer-Encoding but chunked is supported; send that or "
                         "Content-Length",
                         "Transfer-Encoding"};
        }
    }
    if (head.content_lengths > 1) {
        return Error{ErrorCode::kBadRequest, "send at most one Content-Length", "Content-Length"};
    }
    if (!head.repeated.empty()) {
        return Error{ErrorCode::kBadRequest,
                     "send at most one " + std::string{head.repeated} + " header",
                     std::string{head.repeated}};
    }
    return {};
}

/// Where every local client is trusted, a proxy would extend that trust to all of its clients.
Result<> check_forwarded(const RequestHead& head, const GateSettings& settings) {
    if (head.forwarded.empty() || !settings.refuse_forwarded) return {};
    return Error{ErrorCode::kForbidden,
                 "this request came through a proxy to a listener that trusts every client; send "
                 "it to the port, with access.mode = \"token\" and server.behind_proxy = \"on\"",
                 std::string{head.forwarded}};
}

/// JSON is UTF-8 only (RFC 8259, 8.1).
Result<> check_charset(std::string_view type) {
    if (type.find(';') == type.npos) return {};
    const std::string folded = lower(type);
    for (std::size_t at = folded.find(';'); at != folded.npos; at = folded.find(';', at + 1)) {
        std::string_view parameter = std::string_view{folded}.substr(at + 1);
        parameter = core::trimmed(parameter.substr(0, parameter.find(';')));
        if (!parameter.starts_with("charset")) continue;
        std::string_view value = core::trimmed(parameter.substr(7));
        if (!value.starts_with("=")) continue;
        value = core::trimmed(value.substr(1));
        if (value.size() > 1 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        if (value == "utf-8" || value == "utf8" || value == "us-ascii") continue;
        return Error{ErrorCode::kUnsupportedMediaType, "bodies are UTF-8; send charset=utf-8",
                     "Content-Type"};
    }
    return {};
}

}  // namespace

void strip_authority(RequestHead& head, const GateSettings& settings) {
    if (head.target.starts_with('/')) return;  // nearly always
    const std::string start = lower(head.target.substr(0, 8));
    const std::size_t scheme = start == "https://" ? 8 : start.starts_with("http://") ? 7 : 0;
    if (scheme == 0) return;
    const std::string_view rest = head.target.substr(scheme);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (!is_ours(rest.substr(0, end), settings)) return;
    head.target = end == rest.size() ? std::string_view{"/"} : rest.substr(end);
}

bool is_media_type(std::string_view value, std::string_view type) {
    const std::string_view bare = value.substr(0, value.find(';'));
    const std::size_t end = bare.find_last_not_of(" \t");
    if (end == std::string_view::npos) return false;
    const std::string_view name = bare.substr(0, end + 1);
    return name == type || lower(name) == type;
}

bool is_default_port(std::uint16_t port) noexcept {
    return port == 80 || port == 443;
}

GateSettings gate_settings(std::uint16_t port, const std::vector<std::string>& allowed_hosts) {
    const std::string suffix = ":" + std::to_string(port);
    GateSettings settings;
    for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
        settings.hosts.push_back(name + suffix);
        if (is_default_port(port)) settings.hosts.emplace_back(name);
    }
    for (const std::string& host : allowed_hosts) {
        const bool has_port = without_port(host) != host;
        (has_port ? settings.hosts : settings.any_port_hosts).push_back(lower(host));
    }
    return settings;
}

Result<> check_head(const RequestHead& head, const GateSettings& settings) {
    HEADWAY_CHECK(check_host(head, settings));
    HEADWAY_CHECK(check_framing(head));
    HEADWAY_CHECK(check_target(head.target));
    HEADWAY_CHECK(check_origin(head, settings));
    return check_forwarded(head, settings);
}

Result<> check_body(RequestHead& head, const BodyRule& rule) {
    const std::uint64_t length = head.content_length.value_or(0);
    if (length > rule.bytes_max || (head.chunked && !rule.read)) {
        return Error{
            ErrorCode::kBodyTooLarge,
            rule.read ? "the body is limited to " + std::to_string(rule.bytes_max) + " bytes here"
                      : "this route takes no body",
            head.chunked ? "Transfer-Encoding" : "Content-Length"};
    }
    if (!rule.read || (length == 0 && !head.chunked)) return {};
    const std::string coding = lower(head.content_encoding);
    head.gzip = coding == "gzip" || coding == "x-gzip";
    if (!head.gzip && !coding.empty() && coding != "identity") {
        return Error{ErrorCode::kUnsupportedMediaType,
                     "send the body as it is, or with Content-Encoding: gzip", "Content-Encoding"};
    }
    if (rule.any_type) return {};
    if (is_media_type(head.content_type, "application/json") ||
        (rule.lines && is_media_type(head.content_type, "application/x-ndjson"))) {
        return check_charset(head.content_type);
    }
    if (rule.protobuf && is_media_type(head.content_type, "application/x-protobuf")) return {};
    std::string known = "send Content-Type: application/json";
    if (rule.lines) known += " or application/x-ndjson";
    if (rule.protobuf) known += " or application/x-protobuf";
    return Error{ErrorCode::kUnsupportedMediaType, known, "Content-Type"};
}

bool usable_request_id(std::string_view id) noexcept {
    return id.size() <= 64 && api::valid_id(id);
}

bool breaks_framing(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kBadRequest:
        case ErrorCode::kLengthRequired:
        case ErrorCode::kHeaderTooLarge:
        case ErrorCode::kBodyTooLarge:
        case ErrorCode::kHttpVersion:
        case ErrorCode::kRequestTimeout:
            return true;
        default:
            return false;
    }
}

}  // namespace headway::server
