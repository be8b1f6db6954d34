// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"

namespace headway::core {

/// Why an agent cannot go on by itself. Values are stored: append only. kUnknown means that an
/// error that is in no table ended a turn: the session is `blocked`, with the text of the error.
enum class Cause : std::uint8_t {
    kNone,
    kUsageLimit,   ///< the limit of a plan or a quota is reached; it usually resets at a known time
    kRateLimit,    ///< too many requests in a short time
    kOverloaded,   ///< the provider is down or has no capacity (5xx)
    kCredentials,  ///< the credentials are missing, expired or refused
    kBilling,      ///< no credit: waiting does not help
    kModelMissing,  ///< the model does not exist, or this account may not use it
    kContextFull,   ///< the conversation is larger than the model's window
    kNetwork,       ///< no connection, no DNS name, a broken stream
    kCertificate,   ///< the provider's TLS certificate is not trusted
    kRefused,       ///< the API refuses the request itself (another 4xx)
    kUnknown,
    kPerson,  ///< a person was asked
    kTool,    ///< a tool that the agent calls is not available
};

template <>
struct EnumNames<Cause> {
    static constexpr std::array<std::string_view, 14> kNames{
        "none",    "usage_limit",   "rate_limit",   "overloaded",  "credentials",
        "billing", "model_missing", "context_full", "network",     "certificate",
        "refused", "unknown",       "person",       "tool_missing"};
};

/// True for a cause that may pass at any moment without a person. The next answer of the model then
/// shows that it has passed. False for a usage limit, which lasts until its reset.
constexpr bool passes(Cause cause) {
    return cause == Cause::kRateLimit || cause == Cause::kOverloaded || cause == Cause::kNetwork;
}

/// The cause as a phrase for people: "the usage limit is reached". Empty for kNone.
std::string_view phrase_of(Cause cause);

/// "2026-11-28 03:10 UTC". Pure.
std::string minute_text(Timestamp at);

}  // namespace headway::core
