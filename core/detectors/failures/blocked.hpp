// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/detection/detector.hpp"
#include "core/detection/provider_stop.hpp"

namespace headway::core {

/// Number of consecutive failures after which a person is needed, even if failures of this kind
/// usually pass by themselves. Agents themselves retry five to ten times, for minutes.
inline constexpr std::uint32_t kBlockedRetries = 6;
/// Number of consecutive errors in unknown words, with no work and no answer between them, that
/// cause a claim. An agent may report a few errors that do not concern it.
inline constexpr std::uint32_t kUnexplainedErrors = 5;
/// A wait of at least this length needs a person, even if the agent will go on by itself.
inline constexpr Millis kBlockedWait{10 * 60'000};
/// Maximum number of bytes kept of an error's own text.
inline constexpr std::size_t kBlockedWordsMax = 200;

/// The agent cannot continue by itself (docs/detection.md, section 8): a provider stopped it, a
/// tool that it calls is missing, or a person was asked. An error class, a status code or the end
/// of a turn causes a claim at once. If only the text of an error shows the cause, the second
/// failure causes the claim, and the kUnexplainedErrors-th if no table knows the words. The claim
/// lasts until a message from a person, a wake-up, the start of a turn, or a successful call. After
/// an error of the model, the start of a call ends the claim as well. If the cause is one that
/// passes by itself (core/values/cause.hpp), the model's next answer also ends the claim, unless
/// the failure was that of a call (`of_call`). Being idle or silent clears nothing.
struct Blocked {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kLiveness,
        .balanced = {0, 0},  // no thresholds: the detector itself decides when to claim kBlocked
        .always_on = true,
    };

    Cause cause = Cause::kNone;
    bool typed = false;      ///< a class, a status code or the end of a turn shows the cause
    bool of_call = false;    ///< a call failed, so an answer of the model does not clear the claim
    bool turn_over = false;  ///< the failure ended the turn, or the provider accepts requests again
                             ///< only after kBlockedWait or more
    std::uint32_t count = 0;  ///< number of consecutive failures with this cause
    /// The host or file that a failed call could not read (failed_target()); 0 = a failure of
    /// another kind. Failures at another place are not counted with failures at this one.
    std::uint64_t place = 0;
    /// When the provider accepts requests again, according to the provider.
    Timestamp retry_at = kNever;
    std::string words;  ///< text of an unknown error, at most kBlockedWordsMax bytes
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;
    /// False while the agent itself retries after a failure that usually passes.
    bool needs_somebody() const;

    bool operator==(const Blocked&) const = default;
    static constexpr auto fields() {
        using D = Blocked;
        return field_list(field("cause", &D::cause), field("count", &D::count),
                          field("typed", &D::typed), field("of_call", &D::of_call),
                          field("place", &D::place), field("turn_over", &D::turn_over),
                          field("retry_at", &D::retry_at), field("words", &D::words),
                          field("first_n", &D::first_n), field("last_n", &D::last_n));
    }

private:
    bool asked() const { return cause == Cause::kPerson; }
    /// Only words that no table knows show the stop.
    bool unexplained() const { return cause == Cause::kUnknown && !typed; }
    /// Enough failures for a claim.
    bool sure() const {
        return asked() || (typed && count >= 1) ||
               count >= (unexplained() ? kUnexplainedErrors : 2);
    }
    bool lifts(const Observation& seen) const;
    void ask(std::uint64_t n);
    void fail(ProviderStop stop, std::uint64_t n);
    void fail_at(std::uint64_t target, ProviderStop stop, std::uint64_t n);
    void observe_error(const ErrorReported& error, const Event& event);
};

static_assert(Detector<Blocked>);

}  // namespace headway::core
