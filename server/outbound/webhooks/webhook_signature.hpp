// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace headway::server {

/// Parses secrets ("whsec_" and base64) separated by white space; lines that begin with # are
/// comments. Error: kInvalidConfig, with a message that does not quote the text. Pure.
core::Result<std::vector<std::string>> parse_webhook_secrets(std::string_view text);

/// The header webhook-signature of Standard Webhooks. It has one part for each secret, separated by
/// spaces: "v1," and the base64 of the HMAC-SHA256 over id, seconds and body. Pure.
std::string webhook_signature(std::span<const std::string> secrets, std::string_view id,
                              std::int64_t seconds, std::string_view body);

}  // namespace headway::server
