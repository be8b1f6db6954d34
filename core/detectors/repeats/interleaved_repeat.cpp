// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/interleaved_repeat.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/detectors/repeats/exact_repeat.hpp"

namespace headway::core {

void InterleavedRepeat::observe(const Observation& seen) {
    const bool moved_on = seen.ledger.informed_rounds >= informed + kInformedRounds;
    if (seen.ledger.epoch != epoch || seen.user_message || moved_on) *this = {};
    epoch = seen.ledger.epoch;
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallSeen& call = *seen.call;
    // Actions that are only acknowledged count as well, but it takes many more.
    const bool acts = call.fingerprint.is(Shape::kActs);
    const bool tells_nothing = !acts && ((call.fingerprint.trivial && call.call.ok) || call.weak());
    if (tells_nothing || call.entry.repeats < repeats) return;
    // Between two looks something happened: what it waits for moved, or it did something new that
    // had an answer. Then this is the same end of another try.
    const bool moved = std::max(seen.ledger.external_n, seen.ledger.deed_n) > call.entry.asked_n;
    question = call.fingerprint.question.low;
    repeats = call.entry.repeats;
    informed = seen.ledger.informed_rounds;
    first_n = call.entry.first_n;
    last_n = seen.event.n;
    patience = std::max(1U, call.patience);
    if (acts) patience *= call.weak() ? ExactRepeat::kActPatience : kActPatience;
    if (moved) patience *= kMovedPatience;
    if (call.failed() && call.fingerprint.failure == FailureKind::kNetwork)
        patience *= ExactRepeat::kClosedTimes;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity InterleavedRepeat::severity(Thresholds limits, const Ledger&) const {
    HEADWAY_ASSERT(patience >= 1);
    return severity_of(repeats / patience, limits);
}

Finding InterleavedRepeat::finding(const Ledger& ledger) const {
    HEADWAY_ASSERT(repeats > 0);
    Finding finding;
    finding.count = repeats;
    finding.identity = question;
    finding.evidence = evidence_of(ledger, limits::kRecentCallsMax, [this](const CallMark& mark) {
        return mark.question == question;
    });
    if (finding.evidence.empty()) finding.evidence = {first_n, last_n};
    HEADWAY_ASSERT(finding.evidence.size() <= limits::kEvidenceMax);
    finding.reason = "the same question got the same answer " + times(repeats) + " since #" +
                     std::to_string(first_n) + since_change(ledger);
    return finding;
}

bool InterleavedRepeat::is_valid(const Ledger&, std::uint64_t newest) const {
    return patience >= 1 && sound::in_order(*this, newest);
}

}  // namespace headway::core
