// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/approvals/access.hpp"
#include "core/base/result.hpp"

// The bodies of /v1/tokens. Functions change only arguments.

namespace headway::api {

struct DecodedToken {
    std::string name;
    core::Grants grants;
    std::optional<core::Millis> expires_in;  ///< lifetime of the token; absent: it does not expire
};

/// Decodes `{"name","scopes":[..],"expires_in"?}`, where `expires_in` is "90s", "15m", "12h", "30d"
/// or a number of seconds. Errors: as in decode.hpp.
core::Result<DecodedToken> decode_token(JsonDocument& document, std::string_view body);

/// The document of a token. `secret`, if not empty, is the token itself, which is shown only when
/// the token is created.
void append_token(std::string& out, const core::TokenRecord& token, core::Timestamp now,
                  std::string_view secret = {});

/// The document with all tokens.
void append_tokens(std::string& out, std::span<const core::TokenRecord* const> tokens,
                   core::Timestamp now);

}  // namespace headway::api
