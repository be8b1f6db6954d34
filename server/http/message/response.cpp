// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/response.hpp"

#include <algorithm>
#include <charconv>

#include "api/decode/problem.hpp"
#include "core/base/assert.hpp"
#include "server/http/message/gate.hpp"
#include "server/tokens/ping_path.hpp"

namespace headway::server {
namespace {

// Security headers: no MIME sniffing, no referrer, and no access or embedding by other origins.
constexpr std::string_view kCommonHeaders =
    "\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"
    "X-Headway: 1\r\n";  // clients recognize the daemon by it

std::string_view status_line(int status) {
    switch (status) {
        case 200:
            return "HTTP/1.1 200 OK\r\n";
        case 201:
            return "HTTP/1.1 201 Created\r\n";
        case 202:
            return "HTTP/1.1 202 Accepted\r\n";
        case 204:
            return "HTTP/1.1 204 No Content\r\n";
        case 303:
            return "HTTP/1.1 303 See Other\r\n";
        case 307:
            return "HTTP/1.1 307 Temporary Redirect\r\n";
        case 304:
            return "HTTP/1.1 304 Not Modified\r\n";
        case 400:
            return "HTTP/1.1 400 Bad Request\r\n";
        case 401:
            return "HTTP/1.1 401 Unauthorized\r\n";
        case 403:
            return "HTTP/1.1 403 Forbidden\r\n";
        case 404:
            return "HTTP/1.1 404 Not Found\r\n";
        case 405:
            return "HTTP/1.1 405 Method Not Allowed\r\n";
        case 408:
            return "HTTP/1.1 408 Request Timeout\r\n";
        case 409:
            return "HTTP/1.1 409 Conflict\r\n";
        case 411:
            return "HTTP/1.1 411 Length Required\r\n";
        case 413:
            return "HTTP/1.1 413 Content Too Large\r\n";
        case 415:
            return "HTTP/1.1 415 Unsupported Media Type\r\n";
        case 421:
            return "HTTP/1.1 421 Misdirected Request\r\n";
        case 422:
            return "HTTP/1.1 422 Unprocessable Content\r\n";
        case 429:
            return "HTTP/1.1 429 Too Many Requests\r\n";
        case 431:
            return "HTTP/1.1 431 Request Header Fields Too Large\r\n";
        case 503:
            return "HTTP/1.1 503 Service Unavailable\r\n";
        case 505:
            return "HTTP/1.1 505 HTTP Version Not Supported\r\n";
        case 507:
            return "HTTP/1.1 507 Insufficient Storage\r\n";
        default:
            return "HTTP/1.1 500 Internal Server Error\r\n";
    }
}

void append_number(std::string& out, std::uint64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

/// Milliseconds with three decimals, for Server-Timing; at most 24 bytes. Gives their end.
char* put_milliseconds(char* at, std::uint64_t microseconds) {
    at = std::to_chars(at, at + 20, microseconds / 1000).ptr;
    const auto rest = static_cast<unsigned>(microseconds % 1000);
    *at++ = '.';
    *at++ = static_cast<char>('0' + rest / 100);
    *at++ = static_cast<char>('0' + rest / 10 % 10);
    *at++ = static_cast<char>('0' + rest % 10);
    return at;
}

constexpr std::size_t kRequestIdBytesMax = 64;  // longer ones do not come here
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kNoStore = "no-store";

/// Whether only the body, its length and the request's id is its own.
bool is_usual(const Response& response, const Envelope& envelope) {
    return response.status == 200 && response.content_type == kJson &&
           response.cache_control == kNoStore && response.headers.empty() && envelope.keep_alive &&
           !envelope.say_keep_alive && !envelope.head_only && envelope.deprecation == nullptr &&
           envelope.request_id.size() <= kRequestIdBytesMax;
}

/// The same bytes as below, put together before they are appended.
void append_usual(std::string& out, const Response& response, const Envelope& envelope) {
    constexpr std::string_view kStart =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
    constexpr std::string_view kCache = "\r\nCache-Control: no-store";
    constexpr std::string_view kId = "X-Request-Id: ";
    constexpr std::string_view kTime = "\r\nServer-Timing: app;dur=";
    constexpr std::size_t kNumberBytes = 24;
    char head[kStart.size() + kCache.size() + kCommonHeaders.size() + kId.size() + kTime.size() +
              kRequestIdBytesMax + 2 * kNumberBytes + 8];
    char* at = head;
    const auto put = [&at](std::string_view text) { at = std::copy(text.begin(), text.end(), at); };
    put(kStart);
    at = std::to_chars(at, at + kNumberBytes, response.body.size()).ptr;
    put(kCache);
    put(kCommonHeaders);
    put(kId);
    put(envelope.request_id);
    put(kTime);
    at = put_milliseconds(at, envelope.microseconds);
    put("\r\n\r\n");
    out.append(head, static_cast<std::size_t>(at - head));
    out.append(response.body);
}

void append_deprecation(std::string& out, const Deprecation& entry) {
    out.append("Deprecation: @");
    append_number(out, entry.since);
    out.append("\r\nX-Deprecated: true\r\nX-Deprecation-Message: ").append(entry.message);
    out.append("\r\n");
}

}  // namespace

void append_response(std::string& out, const Response& response, const Envelope& envelope) {
    if (is_usual(response, envelope)) return append_usual(out, response, envelope);
    out.append(status_line(response.status));
    const bool has_body = response.status != 204 && response.status != 304;
    if (has_body) {
        // An empty body may be of no type (RFC 9110, 8.3).
        if (!response.content_type.empty())
            out.append("Content-Type: ").append(response.content_type).append("\r\n");
        out.append("Content-Length: ");
        append_number(out, response.body.size());
        out.append("\r\n");
    }
    out.append("Cache-Control: ").append(response.cache_control);
    out.append(kCommonHeaders);
    out.append("X-Request-Id: ").append(envelope.request_id);
    out.append("\r\nServer-Timing: app;dur=");
    char milliseconds[24];
    out.append(milliseconds, put_milliseconds(milliseconds, envelope.microseconds));
    out.append("\r\n");
    out.append(response.headers);
    if (envelope.deprecation != nullptr) append_deprecation(out, *envelope.deprecation);
    if (!envelope.keep_alive) out.append("Connection: close\r\n");
    if (envelope.keep_alive && envelope.say_keep_alive) out.append("Connection: keep-alive\r\n");
    out.append("\r\n");
    if (has_body && !envelope.head_only) out.append(response.body);
}

void append_stream_header(std::string& out, const Envelope& envelope, StreamBody body) {
    out.append("HTTP/1.1 200 OK\r\nContent-Type: ");
    out.append(body == StreamBody::kEvents ? "text/event-stream" : "application/json");
    // With chunks a client can distinguish a document that was cut from one that is over.
    if (body == StreamBody::kHeld) out.append("\r\nTransfer-Encoding: chunked");
    out.append("\r\nCache-Control: no-store");
    out.append(kCommonHeaders);
    out.append("X-Accel-Buffering: no\r\nConnection: close\r\nX-Request-Id: ");
    out.append(envelope.request_id).append("\r\n");
    if (envelope.deprecation != nullptr) append_deprecation(out, *envelope.deprecation);
    out.append("\r\n");
}

void append_chunk(std::string& out, std::string_view text) {
    HEADWAY_ASSERT(!text.empty());
    char size[16];
    const auto end = std::to_chars(size, size + sizeof size, text.size(), 16);
    out.append(size, end.ptr).append("\r\n").append(text).append("\r\n");
}

Response problem_response(const core::Error& error, std::string_view instance,
                          api::ProblemMember more) {
    const api::ProblemKind kind = api::problem_kind(error.code);
    Response response;
    response.status = kind.status;
    response.content_type = "application/problem+json";
    api::append_problem(response.body, error, path_without_key(instance), more);
    if (kind.status == 503 || kind.status == 507) response.headers = "Retry-After: 1\r\n";
    if (kind.status == 401) response.headers = "WWW-Authenticate: Bearer\r\n";
    if (error.code == core::ErrorCode::kMethodNotAllowed) {
        response.headers = "Allow: " + error.field + "\r\n";
    }
    response.close = breaks_framing(error.code);
    return response;
}

}  // namespace headway::server
