// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "core/time.hpp"

namespace headway::core {

struct ErrorReported;
enum class FailureKind : std::uint8_t;

/// Why an agent cannot go on by itself. Values are stored: append only. `kUnknown` is an error that
/// ended a turn and that no table knows: it blocks with its own words.
enum class Cause : std::uint8_t {
    kNone,
    kUsageLimit,    ///< of a plan or a quota; usually with a time at which it resets
    kRateLimit,     ///< too many requests for the moment
    kOverloaded,    ///< the provider is down or has no capacity (5xx)
    kCredentials,   ///< missing, expired or refused
    kBilling,       ///< no credit: waiting does not help
    kModelMissing,  ///< the model does not exist, or this account may not use it
    kContextFull,   ///< the conversation is larger than the model's window
    kNetwork,       ///< no connection, no name, a stream that was cut
    kCertificate,   ///< TLS refuses the provider's certificate
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

/// A stop by the provider, as an `error.reported` describes it.
struct ProviderStop {
    Cause cause = Cause::kNone;  ///< kNone: the error says nothing about the provider
    /// By a class, a status or the end of the turn: one such error is enough. Words alone need a
    /// second one.
    bool typed = false;
};

/// Reads an error: typed names first, then the status, then words. An error that ended a turn is
/// never kNone. Pure; linear in the first KiB of the message.
ProviderStop stop_of(const ErrorReported& error);

/// The same for a failed call: how it failed, and the words of its error. Pure.
ProviderStop stop_of_call(FailureKind failure, bool typed, std::string_view message);

/// Causes that pass by themselves: the model's next answer shows that they have.
constexpr bool passes(Cause cause) {
    return cause == Cause::kRateLimit || cause == Cause::kOverloaded || cause == Cause::kNetwork;
}

/// The cause as a phrase for people: "the usage limit is reached". Empty for kNone.
std::string_view phrase_of(Cause cause);

/// The reset that the words of an error name as seconds since 1970; kNever if they name none. Times
/// of day have no zone, so they are not read. Pure.
Timestamp retry_in_words(std::string_view message);

/// A time that a provider may name as its reset: later than `now` and at most 8 days ahead, since a
/// weekly limit is the longest. Everything else is no time. Pure.
Timestamp plausible_retry(Timestamp retry_at, Timestamp now);

/// "2026-11-28 03:10 UTC". Pure.
std::string minute_text(Timestamp at);

}  // namespace headway::core
