// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/request_head.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "core/base/limits.hpp"

// The only file that includes Beast.

namespace headway::server {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using View = boost::beast::string_view;

std::string_view std_view(View view) {
    return {view.data(), view.size()};
}

Method method_of(http::verb verb) {
    switch (verb) {
        case http::verb::get:
            return Method::kGet;
        case http::verb::head:
            return Method::kHead;
        case http::verb::post:
            return Method::kPost;
        case http::verb::put:
            return Method::kPut;
        case http::verb::delete_:
            return Method::kDelete;
        case http::verb::patch:
            return Method::kPatch;
        case http::verb::options:
            return Method::kOptions;
        default:
            return Method::kOther;
    }
}

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
    if (a.size() != lower.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char c = a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] + 32) : a[i];
        if (c != lower[i]) return false;
    }
    return true;
}

bool has_line_end(const char* from, const char* to) {
    return std::find(from, to, '\n') != to;
}

/// Fields that proxies add, in lower case; also all that begin with X-Forwarded.
constexpr std::string_view kForwarding[] = {"forwarded",           "via",
                                            "x-real-ip",           "x-client-ip",
                                            "true-client-ip",      "cf-connecting-ip",
                                            "x-cluster-client-ip", "x-original-forwarded-for"};

bool is_forwarding(std::string_view name) {
    constexpr std::string_view kPrefix = "x-forwarded";
    if (equals_ignoring_case(name.substr(0, kPrefix.size()), kPrefix)) return true;
    return std::any_of(
        std::begin(kForwarding), std::end(kForwarding),
        [name](std::string_view known) { return equals_ignoring_case(name, known); });
}

bool is_number(std::string_view value) {
    return value.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The port of `127.0.0.1:7717` and the like; empty for every other address: only of these is it
/// known that another port is another daemon.
std::string_view loopback_port(std::string_view authority) {
    const std::size_t colon = authority.rfind(':');
    if (colon == authority.npos) return {};
    const std::string_view host = authority.substr(0, colon);
    const std::string_view port = authority.substr(colon + 1);
    const bool here =
        host == "127.0.0.1" || host == "[::1]" || equals_ignoring_case(host, "localhost");
    return here && is_number(port) ? port : std::string_view{};
}

/// Without the scheme. One with a path leads through a proxy.
std::string_view authority_of(std::string_view url) {
    const std::size_t scheme = url.find("://");
    return scheme == url.npos ? url : url.substr(scheme + 3);
}

/// Collects the fields into a RequestHead.
class HeadParser final : public http::basic_parser<true> {
public:
    HeadParser(RequestHead& head, std::string_view bytes) : head_(head), bytes_(bytes) {
        header_limit(static_cast<std::uint32_t>(core::limits::kHeaderBytesMax));
        body_limit(boost::none);  // the gate has a limit per route
    }

private:
    void on_request_impl(http::verb verb, View, View target, int version, error_code&) override {
        head_.method = method_of(verb);
        head_.target = std_view(target);
        head_.http_1_0 = version < 11;
    }

    void on_field_impl(http::field name, View raw_name, View raw_value, error_code& ec) override {
        const std::string_view value = std_view(raw_value);
        if (!value.empty() &&
            (value.data() < bytes_.data() || value.data() >= bytes_.data() + bytes_.size())) {
            // A folded value (obs-fold, RFC 9112 5.2) is a copy on the parser's stack.
            ec = http::error::bad_value;
            return;
        }
        if (++head_.fields > core::limits::kHeaderFieldsMax) {
            ec = http::error::header_limit;
            return;
        }
        if (is_forwarding(std_view(raw_name))) head_.forwarded = std_view(raw_name);
        take(name, std_view(raw_name), value);
    }

    void take(http::field name, std::string_view raw_name, std::string_view value) {
        switch (name) {
            case http::field::host:
                ++head_.hosts;
                head_.host = value;
                break;
            case http::field::content_length:
                // A list of equal lengths (RFC 9110, 8.6) counts as several.
                head_.content_lengths += is_number(value) ? 1U : 2U;
                break;
            case http::field::transfer_encoding:
                ++head_.transfer_encodings;
                // The only known coding; not from a folded line, which other parsers read
                // differently.
                head_.chunked = equals_ignoring_case(value, "chunked") &&
                                !has_line_end(raw_name.data() + raw_name.size(), value.data());
                break;
            case http::field::content_encoding:
                note_repeated(head_.content_encoding, "Content-Encoding");
                head_.content_encoding = value;
                break;
            case http::field::content_type:
                note_repeated(head_.content_type, "Content-Type");
                head_.content_type = value;
                break;
            case http::field::accept:
                head_.accept = value;
                break;
            case http::field::accept_encoding:
                head_.accept_encoding = value;
                break;
            case http::field::if_none_match:
                head_.if_none_match = value;
                break;
            case http::field::origin:
                note_repeated(head_.origin, "Origin");
                head_.origin = value;
                break;
            case http::field::authorization:
                ++head_.authorizations;
                head_.authorization = value;
                break;
            case http::field::expect:
                head_.expects_continue = equals_ignoring_case(value, "100-continue");
                break;
            default:
                take_by_name(raw_name, value);
                break;
        }
    }

    /// By name, because Beast knows only some of these fields.
    void take_by_name(std::string_view name, std::string_view value) {
        if (equals_ignoring_case(name, "last-event-id")) head_.last_event_id = value;
        if (equals_ignoring_case(name, "idempotency-key")) head_.idempotency_key = value;
        if (equals_ignoring_case(name, "x-request-id")) head_.request_id = value;
        if (equals_ignoring_case(name, "x-headway-session")) head_.hook_session = value;
        if (equals_ignoring_case(name, "x-headway-url")) head_.hook_url = value;
        if (equals_ignoring_case(name, "x-headway-agent-pid")) head_.agent_process.pid = value;
        if (equals_ignoring_case(name, "x-headway-agent-start")) head_.agent_process.start = value;
        if (equals_ignoring_case(name, "x-headway-agent-boot")) head_.agent_process.boot = value;
        if (equals_ignoring_case(name, "x-headway-agent-pid-ns"))
            head_.agent_process.pid_ns = value;
        if (equals_ignoring_case(name, "mcp-session-id")) head_.mcp_session = value;
        if (equals_ignoring_case(name, "x-headway-exit-code")) head_.hook_exit_code = value;
        if (equals_ignoring_case(name, "x-headway-usage")) head_.hook_usage = value;
        if (equals_ignoring_case(name, "x-headway-goal")) head_.hook_goal = value;
        if (equals_ignoring_case(name, "x-headway-retry-at")) head_.hook_retry_at = value;
        if (equals_ignoring_case(name, "x-headway-error-status")) head_.hook_error_status = value;
        if (equals_ignoring_case(name, "x-headway-error-class")) head_.hook_error_class = value;
        if (equals_ignoring_case(name, "x-headway-agent-version")) head_.agent_version = value;
        if (equals_ignoring_case(name, "headway-login")) {
            note_repeated(head_.login, "Headway-Login");
            head_.login = value;
        }
        if (equals_ignoring_case(name, "sec-fetch-site")) {
            note_repeated(head_.fetch_site, "Sec-Fetch-Site");
            head_.fetch_site = value;
        }
        if (equals_ignoring_case(name, "sec-fetch-mode")) {
            note_repeated(head_.fetch_mode, "Sec-Fetch-Mode");
            head_.fetch_mode = value;
        }
        if (equals_ignoring_case(name, "sec-fetch-dest")) {
            note_repeated(head_.fetch_dest, "Sec-Fetch-Dest");
            head_.fetch_dest = value;
        }
    }

    /// Duplicates are ambiguous (request smuggling): rejects them.
    void note_repeated(std::string_view before, std::string_view name) {
        if (before.data() != nullptr) head_.repeated = name;
    }

    // The parser stops at the end of the head; RequestBody reads the body.
    void on_response_impl(int, View, int, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(View, error_code&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, View, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View, error_code&) override { return 0; }
    void on_finish_impl(error_code&) override {}

    RequestHead& head_;
    std::string_view bytes_;
};

core::Error describe(const error_code& ec) {
    if (ec == http::error::header_limit) {
        return {core::ErrorCode::kHeaderTooLarge,
                "the header is limited to " + std::to_string(core::limits::kHeaderBytesMax) +
                    " bytes and " + std::to_string(core::limits::kHeaderFieldsMax) + " fields",
                {}};
    }
    if (ec == http::error::bad_version) {
        return {core::ErrorCode::kHttpVersion, "use HTTP/1.1", {}};
    }
    return {core::ErrorCode::kBadRequest, "not an HTTP/1.1 request: " + ec.message(), {}};
}

/// True if the request line names a version, so that an error can refer to it.
bool names_a_version(std::string_view bytes) {
    std::string_view line = bytes.substr(0, bytes.find("\r\n"));
    // The parser does not wait for the line feed, which may come with the next bytes.
    if (line.size() == bytes.size() && line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t space = line.rfind(' ');
    const bool two_spaces = std::count(line.begin(), line.end(), ' ') == 2;
    if (!two_spaces || line.find('\n') != line.npos) return false;
    const std::string_view version = line.substr(space + 1);
    return version.starts_with("HTTP/") &&
           version.find_first_not_of("0123456789.", 5) == std::string_view::npos;
}

HeadStatus parse(std::string_view bytes, RequestHead& head, core::Error& error) {
    // RFC 9112 2.2 allows empty lines before the request line; Beast does not skip them.
    std::size_t skipped = 0;
    while (bytes.size() >= skipped + 2 && bytes.substr(skipped, 2) == "\r\n")
        skipped += 2;
    if (skipped > 8) {
        error = {core::ErrorCode::kBadRequest, "not an HTTP/1.1 request: empty lines", {}};
        return HeadStatus::kMalformed;
    }
    bytes.remove_prefix(skipped);
    if (bytes.empty() || bytes == "\r") return HeadStatus::kNeedMore;
    HeadParser parser{head, bytes};
    error_code ec;
    const std::size_t used = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), ec);
    if (ec == http::error::need_more) {
        if (bytes.size() < core::limits::kHeaderBytesMax) return HeadStatus::kNeedMore;
        ec = http::error::header_limit;
    }
    if (!ec && used > core::limits::kHeaderBytesMax) ec = http::error::header_limit;
    if (ec == http::error::bad_version && !names_a_version(bytes)) ec = http::error::bad_target;
    if (ec) {
        error = describe(ec);
        return HeadStatus::kMalformed;
    }
    head.bytes = used + skipped;
    head.keep_alive = parser.keep_alive();
    if (const auto length = parser.content_length()) head.content_length = *length;
    return HeadStatus::kComplete;
}

}  // namespace

std::string_view RequestHead::named_session() const noexcept {
    const std::string_view here = loopback_port(host);
    const std::string_view there = loopback_port(authority_of(hook_url));
    const bool elsewhere = !here.empty() && !there.empty() && here != there;
    return elsewhere ? std::string_view{} : hook_session;
}

HeadStatus parse_head(std::string_view bytes, RequestHead& head, core::Error& error) noexcept {
    head = RequestHead{};
    try {
        return parse(bytes, head, error);
    } catch (const std::exception& e) {
        error = {
            core::ErrorCode::kBadRequest, std::string{"not an HTTP/1.1 request: "} + e.what(), {}};
        return HeadStatus::kMalformed;
    }
}

}  // namespace headway::server
