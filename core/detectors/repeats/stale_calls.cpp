// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/stale_calls.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

void StaleCalls::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken || is_hard(seen.tier)) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const Entry& entry = seen.call->entry;
    if (seen.tier != Tier::kNone) {
        *this = {};
        return;
    }
    if (seen.call->weak() || seen.call->fingerprint.is(Shape::kActs)) return;
    if (!entry.same_answer) {
        if (!entry.known_question && ++fresh >= kNewQuestions) *this = {};
        return;
    }
    if (entry.free_again || entry.flaky || seen.call->patience > 1) return;
    fresh = 0;
    if (++run == 1) first_n = seen.event.n;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity StaleCalls::severity(Thresholds limits, const Ledger&) const {
    return severity_of(run, limits);
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
