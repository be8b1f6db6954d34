// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/stale_calls.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kSaysBytesMin = 24;
constexpr std::uint64_t kNothingBytesMin = 8;  // "no match"

}  // namespace

void StaleCalls::observe(const Observation& seen) {
    // Also where a wait ends otherwise than it began: something outside moves with each lap.
    const bool moved = seen.tier == Tier::kExternal;
    if (seen.user_message || seen.nudge_taken || is_hard(seen.tier) || moved) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    count_miss(*seen.call, seen.tier);
    const Entry& entry = seen.call->entry;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    // Receipts and short answers are alike whatever was asked.
    const bool says =
        fingerprint.result_bytes >= kSaysBytesMin && !fingerprint.is(Shape::kAcknowledged);
    const bool known = entry.known_answer && says && fingerprint.kind != CallKind::kVerify &&
                       fingerprint.kind != CallKind::kEdit;
    if (entry.confirms) {
        end_row();
        if (seen.ledger.done_n != done_n) ++laps;  // more checks may follow
        done_n = seen.ledger.done_n;
        return;
    }
    if (seen.tier >= Tier::kInformation && !entry.known_answer) laps = 0;
    if (seen.tier != Tier::kNone && !known) return end_row();
    if (seen.call->weak()) return;
    if (!entry.same_answer && !known) {
        if (!entry.known_question && ++fresh >= kNewQuestions) end_row();
        return;
    }
    if (entry.free_again || entry.flaky || seen.call->patience > 1) return;
    fresh = 0;
    if (++run == 1) first_n = seen.event.n;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
    if (entry.same_answer) halves += fingerprint.is(Shape::kActs) ? 1U : 2U;
}

void StaleCalls::end_row() {
    const StaleCalls before = *this;
    *this = {};
    misses = before.misses;
    laps = before.laps;
    done_n = before.done_n;
}

/// A guess asks ever new questions, so that each "nothing found" is a new answer.
void StaleCalls::count_miss(const CallSeen& call, Tier tier) {
    const CallFingerprint& fingerprint = call.fingerprint;
    const bool asks = fingerprint.kind == CallKind::kRead || fingerprint.is(Shape::kLooks);
    // Without a word it may be a check, and a page that is missing is one of many.
    const bool nothing = call.call.ok && fingerprint.is(Shape::kNothingYet) &&
                         fingerprint.result_bytes >= kNothingBytesMin;
    if (asks && nothing)
        ++misses;
    else if (tier != Tier::kNone)
        misses = 0;
}

Severity StaleCalls::severity(Thresholds limits, const Ledger&) const {
    const Severity same = severity_of(halves / 2, limits);
    // New questions whose answers are known may be a check of many things: suspect at most.
    const bool many = run >= kKnownAnswers || misses >= kMisses || laps >= kLaps;
    return limits.suspect != 0 && many ? std::max(same, Severity::kSuspect) : same;
}

Finding StaleCalls::finding(const Ledger& ledger) const {
    Finding finding;
    if (misses >= kMisses && run < kTraits.balanced.suspect) {
        finding.count = misses;
        finding.identity = 3;
        finding.evidence = evidence_of(ledger, misses, [](const CallMark&) { return true; });
        finding.reason = std::to_string(misses) + " searches in a row found nothing";
        return finding;
    }
    if (laps >= kLaps && run < kTraits.balanced.suspect) {
        finding.count = laps;
        finding.identity = 4;
        finding.evidence = evidence_of(ledger, laps, [](const CallMark&) { return true; });
        finding.reason = std::to_string(laps) +
                         " actions in a row had one answer, and so had the check behind them" +
                         since_change(ledger);
        return finding;
    }
    HEADWAY_ASSERT(run > 0 && first_n <= last_n);
    finding.count = run;
    finding.identity = 2;  // one loop, whatever calls it is made of
    finding.evidence = {first_n, last_n};
    finding.reason = std::to_string(run) +
                     " calls in a row brought no answer that it did not have" +
                     since_change(ledger);
    return finding;
}

bool StaleCalls::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
