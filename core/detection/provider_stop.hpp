// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/time.hpp"
#include "core/events/work_payloads.hpp"
#include "core/values/cause.hpp"

// The reason why a provider does not serve the agent, as read from errors.

namespace headway::core {

/// A stop by the provider, as described by an `error.reported`.
struct ProviderStop {
    Cause cause = Cause::kNone;  ///< kNone = no error of the provider
    /// True if a class, a status or the end of the turn shows the stop: then one error is enough.
    /// If only the words of an error show it, a second error is needed.
    bool typed = false;
};

/// Reads an error: first its class, then its status, then its words. An error that ended a turn is
/// never kNone. Pure; linear in the first KiB of the message.
ProviderStop stop_of(const ErrorReported& error);

/// True for an error of the model in words that no table knows: neither a cause nor a note. One is
/// no stop; many in a row are. Pure; linear in the first KiB of the message.
bool is_unexplained(const ErrorReported& error);

/// The stop that a failed call shows, judged by its kind of failure and the words of its error.
/// `typed`: the client reported the kind. Pure.
ProviderStop stop_of_call(FailureKind failure, bool typed, std::string_view message);

/// The time at which the provider resets its limit, if the words of an error give this time in
/// seconds since 1970; else kNever. Times of day are not read, because they come without a zone.
/// Pure.
Timestamp retry_in_words(std::string_view message);

/// `retry_at` if it is later than `now` and at most kRetryMost ahead, since the longest limit of a
/// provider is weekly; else kNever. Pure.
Timestamp plausible_retry(Timestamp retry_at, Timestamp now);

}  // namespace headway::core
