// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/time.hpp"
#include "core/events/work_payloads.hpp"
#include "core/values/cause.hpp"

// Reasons why a provider does not serve the agent, read from errors.

namespace headway::core {

/// A stop by the provider, as an `error.reported` describes it.
struct ProviderStop {
    Cause cause = Cause::kNone;  ///< kNone = no error of the provider
    /// True if the stop is known by a class, a status or the end of the turn: one such error is
    /// enough. Words alone need a second error.
    bool typed = false;
};

/// Reads an error: typed names first, then the status, then words. An error that ended a turn is
/// never kNone. Pure; linear in the first KiB of the message.
ProviderStop stop_of(const ErrorReported& error);

/// The same for a failed call, by its failure and the words of its error. Pure.
ProviderStop stop_of_call(FailureKind failure, bool typed, std::string_view message);

/// The reset that the words of an error name as seconds since 1970; kNever if they name none. Times
/// of day have no zone, so they are not read. Pure.
Timestamp retry_in_words(std::string_view message);

/// A time that a provider may name as its reset: later than `now` and at most 8 days ahead, since a
/// weekly limit is the longest. kNever for all else. Pure.
Timestamp plausible_retry(Timestamp retry_at, Timestamp now);

}  // namespace headway::core
