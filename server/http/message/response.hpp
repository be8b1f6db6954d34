// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/decode/problem.hpp"
#include "core/base/result.hpp"
#include "server/http/message/endpoint.hpp"

namespace headway::server {

/// A reply before its encoding.
struct Response {
    int status = 200;
    std::string_view content_type = "application/json";
    std::string body;
    std::string headers;  ///< further lines, each with its CRLF
    bool close = false;   ///< close the connection after the reply
    std::string_view cache_control = "no-store";
};

/// Fields that the connection adds to a reply.
struct Envelope {
    std::string_view request_id;
    std::uint64_t microseconds = 0;  ///< time from the end of the request's head to the reply
    bool keep_alive = true;
    bool say_keep_alive = false;  ///< set for HTTP/1.0, where keep-alive is not the default
    bool head_only = false;  ///< the request is HEAD: only the header of the reply to GET is sent
    const Deprecation* deprecation = nullptr;  ///< the route's deprecation, or null
};

/// Appends status line, header and body; 204 and 304 have no body. Changes only `out`.
void append_response(std::string& out, const Response& response, const Envelope& envelope);

/// The framing of a reply whose length is not known in advance.
enum class StreamBody : std::uint8_t {
    kEvents,  ///< an endless text/event-stream
    kHeld,    ///< one JSON document in chunks; blanks are sent before it while the client waits
};

/// Appends the header of a reply with this framing.
void append_stream_header(std::string& out, const Envelope& envelope,
                          StreamBody body = StreamBody::kEvents);

/// Appends `text`, which is not empty, as a chunk (RFC 9112, section 7.1).
void append_chunk(std::string& out, std::string_view text);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// The problem+json reply to `error`; errors of framing close the connection. Pure.
Response problem_response(const core::Error& error, std::string_view instance,
                          api::ProblemMember more = {});

}  // namespace headway::server
