// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "server/endpoints/endpoint.hpp"
#include "server/request_head.hpp"

namespace headway::server {

/// Which names we answer to. Reloadable.
struct GateSettings {
    std::vector<std::string> hosts;           ///< lower case values of `Host`, as "name:port"
    std::vector<std::string> any_port_hosts;  ///< lower case names that fit with any port
    bool refuse_forwarded = false;  ///< whoever reaches us counts as local: none by way of a proxy
};

/// Whether clients leave the port out of `Host`: that of http or https. Pure.
bool is_default_port(std::uint16_t port) noexcept;

/// The names of a listener on loopback with `port`, and what the configuration adds. Pure.
GateSettings gate_settings(std::uint16_t port, const std::vector<std::string>& allowed_hosts);

/// Makes an origin-form target of an absolute one that names us (RFC 9112, 3.2.2); any other is
/// left for check_head() to refuse. Pure.
void strip_authority(RequestHead& head, const GateSettings& settings);

/// Checks a head before anything else of the request is looked at (operations.md 3.4 and 3.5):
/// exactly one Host that is ours, at most one Content-Length, or chunks alone, an origin-form
/// ASCII target, no foreign Origin and no cross-site fetch, since a daemon on localhost is
/// reachable from every web page. Errors: kUnknownHost, kBadRequest, kLengthRequired,
/// kForbiddenOrigin, kForbidden. Pure.
core::Result<> check_head(const RequestHead& head, const GateSettings& settings);

/// Checks the head against its route: a body of a bounded length, or in chunks, and of a type and
/// coding that are read here, or none. Notes what has to be inflated. Errors: kBodyTooLarge,
/// kUnsupportedMediaType. Pure.
core::Result<> check_body(RequestHead& head, const BodyRule& rule);

/// Whether a Content-Type names this media type, which is in lower case; parameters and upper case
/// do not matter (RFC 9110, 8.3.1). Pure.
bool is_media_type(std::string_view value, std::string_view type);

/// Whether a client's X-Request-Id is taken over: 1 to 64 of `[A-Za-z0-9._:-]`.
bool usable_request_id(std::string_view id) noexcept;

/// Whether an error leaves us unsure where the next request starts, so that the connection must
/// close.
bool breaks_framing(core::ErrorCode code) noexcept;

}  // namespace headway::server
