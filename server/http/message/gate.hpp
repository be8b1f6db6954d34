// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/http/message/request_head.hpp"

namespace headway::server {

/// The host names that the daemon accepts. Reloadable.
struct GateSettings {
    std::vector<std::string> hosts;           ///< lower case values of `Host`, as "name:port"
    std::vector<std::string> any_port_hosts;  ///< lower case names accepted with any port
    /// Requests that came through a proxy are refused, because every client is trusted as local.
    bool refuse_forwarded = false;
};

/// True for a port that clients leave out in `Host`: the default port of http or https. Pure.
bool is_default_port(std::uint16_t port) noexcept;

/// The names of a loopback listener on `port`, and the configured names. Pure.
GateSettings gate_settings(std::uint16_t port, const std::vector<std::string>& allowed_hosts);

/// Turns an absolute-form target with an accepted name into origin form (RFC 9112, 3.2.2).
/// check_head() refuses any other absolute-form target. Changes only `head`.
void strip_authority(RequestHead& head, const GateSettings& settings);

/// Checks a head before the body is read (RFC 9112, 3.2 and 6; docs/security.md "Browsers"): there
/// must be exactly one Host, with a known name; either chunks or at most one Content-Length, not
/// both; and an origin-form ASCII target. A foreign Origin and a cross-site fetch are refused,
/// because every web page can send requests to a daemon on localhost. Errors: kUnknownHost,
/// kBadRequest, kLengthRequired, kForbiddenOrigin, kForbidden. Pure.
core::Result<> check_head(const RequestHead& head, const GateSettings& settings);

/// Checks the head against the body rule of its route: length, media type and coding. Sets
/// RequestHead::gzip. Errors: kBodyTooLarge, kUnsupportedMediaType. Changes only `head`.
core::Result<> check_body(RequestHead& head, const BodyRule& rule);

/// True if a Content-Type names the media type `type`, which is in lower case. Ignores parameters
/// and case (RFC 9110, 8.3.1). Pure.
bool is_media_type(std::string_view value, std::string_view type);

/// True if a client's X-Request-Id can be used: it has 1 to 64 characters, all of
/// `[A-Za-z0-9._:-]`.
bool usable_request_id(std::string_view id) noexcept;

/// True if the start of the next request is unknown after this error, so that the connection must
/// close.
bool breaks_framing(core::ErrorCode code) noexcept;

}  // namespace headway::server
