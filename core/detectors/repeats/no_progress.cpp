// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/no_progress.hpp"

#include "core/base/assert.hpp"

namespace headway::core {

void NoProgress::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken || seen.fresh_start) *this = {};
    // The current round counts if it has proven nothing so far.
    const Ledger& ledger = seen.ledger;
    const bool quiet_now = ledger.round_counts && ledger.round_tier == Tier::kNone;
    const bool unproven_now =
        ledger.round_counts && (quiet_now || ledger.round_tier == Tier::kState);
    quiet = ledger.round_tier != Tier::kNone ? 0 : ledger.quiet_rounds + (quiet_now ? 1 : 0);
    const bool proven = ledger.round_tier != Tier::kNone && ledger.round_tier != Tier::kState;
    HEADWAY_ASSERT(!proven || quiet == 0);
    const bool red = seen.call != nullptr && seen.call->fingerprint.kind == CallKind::kVerify &&
                     seen.call->fingerprint.diagnostic != 0;
    reds = proven ? 0 : reds + (red ? 1 : 0);
    unproven = proven ? 0 : ledger.unproven_rounds + (unproven_now ? 1 : 0);
}

Severity NoProgress::severity(Thresholds limits, const Ledger& ledger) const {
    const std::uint32_t most = ledger.hard_n == 0 ? kAloneRounds : kAloneRoundsProven;
    if (limits.suspect != 0 && quiet >= kStuckTimes * most) return Severity::kStuck;
    const Severity severity = severity_of(quiet, limits);
    if (severity != Severity::kNone || limits.suspect == 0) return severity;
    return unproven >= kUnprovenRounds ? Severity::kSuspect : Severity::kNone;
}

bool NoProgress::alone(const Ledger& ledger) const {
    return quiet >= (ledger.hard_n == 0 ? kAloneRounds : kAloneRoundsProven) ||
           (unproven >= kAloneRoundsProven && reds >= kAloneReds);
}

Finding NoProgress::finding(const Ledger& ledger) const {
    Finding finding;
    // The one that spoke; a quiet round or two may come with many unproven ones.
    const bool of_quiet = quiet > 0 && unproven < kUnprovenRounds;
    finding.count = of_quiet || unproven == 0 ? quiet : unproven;
    HEADWAY_ASSERT(finding.count > 0);
    finding.identity = 1;
    finding.evidence = evidence_of(ledger, finding.count, [](const CallMark&) { return true; });
    finding.reason = std::to_string(finding.count) +
                     (finding.count == quiet ? " rounds without anything new"
                                             : " rounds without proven progress") +
                     since_change(ledger);
    return finding;
}

bool NoProgress::is_valid(const Ledger&, std::uint64_t) const {
    return true;  // counts of rounds without a bound
}

}  // namespace headway::core
