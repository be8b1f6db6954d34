// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/no_progress.hpp"

#include <variant>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

/// True for a test that failed, as a call or as a result that the agent reports, and for a program
/// that fails as it did before.
bool is_red(const Observation& seen) {
    if (const auto* result = std::get_if<TestResult>(&seen.event.payload))
        return result->failed.value_or(0) + result->errors.value_or(0) > 0;
    if (seen.call == nullptr || seen.call->neutral) return false;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    if (fingerprint.kind == CallKind::kVerify) return fingerprint.diagnostic != 0;
    return fingerprint.kind == CallKind::kOther && fingerprint.is(Shape::kCommand) &&
           seen.call->failed() && seen.call->entry.same_answer;
}

/// True if the edits of many rounds proved nothing: tests failed among them, or their effect is not
/// known.
bool proves_nothing(const NoProgress& rounds, const Ledger& ledger) {
    return rounds.edits_in_vain() ||
           (rounds.unproven >= NoProgress::kUnprovenRounds && ledger.unsure_edits > 0);
}

}  // namespace

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
    reds = proven ? 0 : reds + (is_red(seen) ? 1 : 0);
    unproven = proven ? 0 : ledger.unproven_rounds + (unproven_now ? 1 : 0);
}

Severity NoProgress::severity(Thresholds limits, const Ledger& ledger) const {
    const std::uint32_t most = ledger.hard_n == 0 ? kAloneRounds : kAloneRoundsProven;
    if (limits.suspect != 0 && quiet >= kStuckTimes * most) return Severity::kStuck;
    const Severity severity = severity_of(quiet, limits);
    if (severity != Severity::kNone || limits.suspect == 0) return severity;
    return proves_nothing(*this, ledger) ? Severity::kSuspect : Severity::kNone;
}

/// Edits are proof by themselves, unless runs go on failing between them: who writes a text, and
/// builds it as successfully as before, has nothing else to prove.
bool NoProgress::edits_in_vain() const {
    return unproven >= kUnprovenRounds && reds > 0;
}

bool NoProgress::alone(const Ledger& ledger) const {
    return quiet >= (ledger.hard_n == 0 ? kAloneRounds : kAloneRoundsProven) ||
           (unproven >= kAloneRoundsProven && reds >= kAloneReds);
}

Finding NoProgress::finding(const Ledger& ledger) const {
    Finding finding;
    // The one that spoke; a quiet round or two may come with many unproven ones.
    const bool in_vain = proves_nothing(*this, ledger) || quiet == 0;
    finding.count = in_vain ? unproven : quiet;
    HEADWAY_ASSERT(finding.count > 0);
    finding.identity = 1;
    finding.evidence = evidence_of(ledger, finding.count, [](const CallMark&) { return true; });
    // Edits may have come since: the rounds are counted from the last proof, not from a change.
    finding.reason = std::to_string(finding.count);
    if (finding.count == quiet)
        finding.reason += " rounds without anything new" + since_change(ledger);
    else if (reds == 0)
        finding.reason += " rounds without proven progress" + since_change(ledger);
    else
        finding.reason += " rounds without proven progress, and " + std::to_string(reds) +
                          (reds == 1 ? " failed run in them" : " failed runs in them");
    return finding;
}

bool NoProgress::is_valid(const Ledger&, std::uint64_t) const {
    return true;  // counts of rounds without a bound
}

}  // namespace headway::core
