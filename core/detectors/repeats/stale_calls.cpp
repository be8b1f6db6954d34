// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/stale_calls.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kSaysBytesMin = 24;

}  // namespace

void StaleCalls::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken || is_hard(seen.tier)) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const Entry& entry = seen.call->entry;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    // Receipts and short answers are alike whatever was asked.
    const bool says =
        fingerprint.result_bytes >= kSaysBytesMin && !fingerprint.is(Shape::kAcknowledged);
    const bool known = entry.known_answer && says && fingerprint.kind != CallKind::kVerify &&
                       fingerprint.kind != CallKind::kEdit;
    if (seen.tier != Tier::kNone && !known) {
        *this = {};
        return;
    }
    if (seen.call->weak()) return;
    if (!entry.same_answer && !known) {
        if (!entry.known_question && ++fresh >= kNewQuestions) *this = {};
        return;
    }
    if (entry.free_again || entry.flaky || seen.call->patience > 1) return;
    fresh = 0;
    if (++run == 1) first_n = seen.event.n;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
    if (entry.same_answer) halves += fingerprint.is(Shape::kActs) ? 1U : 2U;
}

Severity StaleCalls::severity(Thresholds limits, const Ledger&) const {
    const Severity same = severity_of(halves / 2, limits);
    // New questions whose answers are known may be a check of many things: suspect at most.
    const bool known = limits.suspect != 0 && run >= kKnownAnswers;
    return known ? std::max(same, Severity::kSuspect) : same;
}

Finding StaleCalls::finding(const Ledger& ledger) const {
    HEADWAY_ASSERT(run > 0 && first_n <= last_n);
    Finding finding;
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
