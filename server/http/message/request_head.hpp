// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/http/message/process_numbers.hpp"

namespace headway::server {

/// The request line, and those headers that are used. Views point into the parsed bytes.
struct RequestHead {
    Method method = Method::kOther;
    std::string_view target;
    bool http_1_0 = false;
    bool keep_alive = true;
    std::optional<std::uint64_t> content_length;
    bool expects_continue = false;
    std::size_t bytes = 0;  ///< length of the head with its empty line

    std::string_view host;
    std::string_view content_type;
    std::string_view accept;
    std::string_view origin;
    std::string_view fetch_site;
    std::string_view fetch_mode;
    std::string_view fetch_dest;
    std::string_view last_event_id;
    std::string_view idempotency_key;
    std::string_view request_id;
    std::string_view authorization;
    std::string_view accept_encoding;
    std::string_view login;  ///< Headway-Login
    // Further data from the program that forwarded a hook.
    std::string_view hook_session;       ///< X-Headway-Session; to be read through named_session()
    std::string_view hook_url;           ///< X-Headway-Url
    std::string_view mcp_session;        ///< Mcp-Session-Id
    ProcessNumbers agent_process;        ///< X-Headway-Agent-Pid and so on
    std::string_view hook_exit_code;     ///< X-Headway-Exit-Code
    std::string_view hook_usage;         ///< X-Headway-Usage
    std::string_view hook_goal;          ///< X-Headway-Goal
    std::string_view hook_retry_at;      ///< X-Headway-Retry-At
    std::string_view hook_error_class;   ///< X-Headway-Error-Class
    std::string_view hook_error_status;  ///< X-Headway-Error-Status
    std::string_view agent_version;      ///< X-Headway-Agent-Version
    std::string_view if_none_match;
    std::string_view content_encoding;
    bool chunked = false;
    bool gzip = false;  ///< the body is compressed; set by check_body()

    // For the checks in gate.hpp.
    std::uint32_t fields = 0;
    std::uint32_t hosts = 0;
    std::uint32_t content_lengths = 0;
    std::uint32_t authorizations = 0;
    std::uint32_t transfer_encodings = 0;
    std::string_view forwarded;  ///< the name of a field that a proxy added
    std::string_view repeated;   ///< a field that was repeated but may occur only once

    /// True for requests from web pages: only browsers send these fields.
    bool from_browser() const noexcept { return !origin.empty() || !fetch_site.empty(); }

    /// The session that the request names. Empty if it names none, or if the session belongs to a
    /// run that reports to another daemon. An agent's settings name one daemon, but `headway run`
    /// may report to another one on this machine; the same name means different sessions in the two
    /// daemons. Pure.
    std::string_view named_session() const noexcept;
};

enum class HeadStatus : std::uint8_t { kNeedMore, kComplete, kMalformed };

/// Parses the head of one request with Beast's parser and a callback for each field, so that
/// nothing is allocated and no field container can overflow. With kMalformed, `error` has the
/// reason (kBadRequest, kHeaderTooLarge, kHttpVersion). Accepts any bytes; never throws. Changes
/// only `head` and `error`.
HeadStatus parse_head(std::string_view bytes, RequestHead& head, core::Error& error) noexcept;

}  // namespace headway::server
