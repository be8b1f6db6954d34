// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Consecutive equal calls that have the same result, or that all fail with the same diagnostic
/// (docs/detection.md, section 5). Duplicates of a call in one round count as one call. Provider
/// errors and polls of something under way end the run of equal calls and are not counted
/// themselves. A call whose answer changed, or that changed something, is the first of a new run. A
/// run may span one user message, since "go on" is not a new task; a second message ends the run. A
/// failing call gets kRetries more attempts before the session is suspect, because three attempts
/// are an ordinary retry policy.
struct ExactRepeat {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {3, 4},  // consecutive equal calls
        .advice =
            "The answer will not change by asking again: use another tool, or ask something else.",
    };

    static constexpr std::uint32_t kRetries = 1;
    static constexpr std::uint32_t kClosedTimes = 2;  ///< factor of the thresholds for a closed
                                                      ///< port
    /// Factor of the thresholds for an action that is only acknowledged, since only another call
    /// shows its effect.
    static constexpr std::uint32_t kActPatience = 15;
    /// Factor of the thresholds for a step in a game (along a corridor, against a foe) if its
    /// one-line answer does not show the position.
    static constexpr std::uint32_t kMovePatience = 4;
    /// Factor of the thresholds for a shell test that answers "no", such as `test -f`.
    static constexpr std::uint32_t kGuardPatience = 5;

    std::uint64_t key = 0;
    std::uint64_t question = 0;
    std::uint32_t run = 0;          ///< equal calls with equal outcomes
    std::uint32_t failing_run = 0;  ///< equal calls that failed alike
    std::uint32_t patience = 1;
    std::uint16_t scope = 0;    ///< low half of Ledger::scope at the start of the run
    bool user_spoke = false;    ///< a user message came after the last call: the detector claims
                                ///< nothing before the next call
    bool edits = false;         ///< the call is an edit: a failed edit fails again if repeated
    bool closed = false;        ///< the target is a closed port, on which a server may listen later
    std::uint8_t failures = 0;  ///< number of failures in the run, whatever their messages
    std::uint16_t first_failure = 0;  ///< low bits of the first failure's diagnostic
    std::uint16_t last_failure = 0;   ///< low bits of the last failure's diagnostic
    std::uint16_t last_words = 0;     ///< low bits of the last failure's CallFingerprint::kin

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const ExactRepeat&) const = default;
    static constexpr auto fields() {
        using D = ExactRepeat;
        return field_list(
            field("key", &D::key), field("question", &D::question), field("run", &D::run),
            field("failing_run", &D::failing_run), field("patience", &D::patience),
            field("scope", &D::scope), field("user_spoke", &D::user_spoke),
            field("edits", &D::edits), field("closed", &D::closed), field("failures", &D::failures),
            field("first_failure", &D::first_failure), field("last_failure", &D::last_failure),
            field("last_words", &D::last_words));
    }

private:
    void count_failure(const CallSeen& seen);
    void begin(const CallSeen& seen, std::uint32_t now_scope);
};

static_assert(Detector<ExactRepeat>);

}  // namespace headway::core
