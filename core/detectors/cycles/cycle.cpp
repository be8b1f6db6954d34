// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/cycle.hpp"

#include <algorithm>
#include <optional>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

static_assert(2 * Cycle::kPeriodMax < limits::kRecentCallsMax, "two laps and more are remembered");
static_assert(Cycle::kPeriodMax >= 2, "a period of one is exact_repeat's");

/// The last calls, looked at once for all periods: how many of them, the newest included, one has
/// to take until something is among them.
class LastCalls {
public:
    explicit LastCalls(const Ledger& ledger) {
        const CallMark* last = ledger.back(0);
        for (std::size_t i = 0; i < Cycle::kPeriodMax; ++i) {
            const CallMark* mark = ledger.back(i);
            if (mark == nullptr) {
                other_kind_ = std::min(other_kind_, i + 1);
                break;
            }
            if (mark->question != last->question) several_ = std::min(several_, i + 1);
            if (!mark->weak) evidence_ = std::min(evidence_, i + 1);
            const CallMark* before = ledger.back(i + 1);
            if (before == nullptr || mark->steps == before->steps) same_ = std::min(same_, i + 1);
            if (!mark->acts) other_kind_ = std::min(other_kind_, i + 1);
        }
    }
    /// True if the last `period` calls ask more than one question, and one of them gets an answer
    /// that is evidence.
    bool ask_several(std::size_t period) const {
        HEADWAY_ASSERT(period >= 2 && period <= Cycle::kPeriodMax);
        return several_ <= period && evidence_ <= period;
    }
    /// Laps that count as one. An agent that paces up and down in a game comes back to the same
    /// view. A machine that is moved on by steps, with one look behind each, shows the same until
    /// the last of them.
    std::uint32_t patience(std::size_t period) const {
        if (same_ > period) return Cycle::kStepPatience;
        if (other_kind_ <= period || period >= Cycle::kLongCircle) return 1;
        return std::max(Cycle::kActPatience + 2 - static_cast<std::uint32_t>(period), 1U);
    }

private:
    static constexpr std::size_t kNone = Cycle::kPeriodMax + 1;
    std::size_t several_ = kNone;
    std::size_t evidence_ = kNone;
    std::size_t same_ = kNone;        ///< two steps, or two other calls, one after the other
    std::size_t other_kind_ = kNone;  ///< a call that does not act, or none at all
};

/// At most one message of the user inside the run and the lap before it.
bool in_one_scope(const Ledger& ledger, std::size_t calls) {
    const CallMark* first = ledger.back(std::min(calls, ledger.recent.size()) - 1);
    return first == nullptr || ledger.scope <= first->scope + 1;
}

}  // namespace

void Cycle::observe(const Observation& seen) {
    if (seen.nudge_taken) matched.clear();
    if (seen.user_message) user_spoke = true;
    if (seen.call == nullptr) return;
    user_spoke = false;
    matched.resize(kPeriodMax - 1, 0);
    const bool moved = seen.ledger.epoch != epoch;
    epoch = seen.ledger.epoch;
    const CallMark* last = seen.ledger.back(0);
    HEADWAY_ASSERT(last != nullptr && last->n == seen.event.n);
    HEADWAY_ASSERT(matched.size() == kPeriodMax - 1);
    for (std::size_t p = 2; p <= kPeriodMax; ++p) {
        std::uint32_t& run = matched[p - 2];
        const CallMark* before = seen.ledger.back(p);
        const bool again = !moved && before != nullptr && before->key == last->key;
        run = again && in_one_scope(seen.ledger, run + 1 + p) ? run + 1 : 0;
    }
}

Severity Cycle::severity(Thresholds limits, const Ledger& ledger) const {
    Severity best = Severity::kNone;
    if (user_spoke) return best;
    std::optional<LastCalls> last;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const auto p = static_cast<std::uint32_t>(i + 2);
        const std::uint32_t allowed = p * (std::max(1U, limits.suspect) - 1);
        if (matched[i] <= allowed) continue;  // patience only makes it less
        if (!last) last.emplace(ledger);
        const std::uint32_t run = matched[i] / last->patience(p);
        if (run <= allowed || !last->ask_several(p)) continue;
        if (limits.suspect != 0) best = std::max(best, Severity::kSuspect);
        if (limits.stuck != 0 && run >= p * (limits.stuck - 1)) best = Severity::kStuck;
    }
    return best;
}

std::size_t Cycle::period(const Ledger& ledger) const {
    HEADWAY_ASSERT(matched.size() == kPeriodMax - 1);
    std::size_t best = 2;
    std::uint32_t laps = 0;
    const LastCalls last{ledger};
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const auto p = static_cast<std::uint32_t>(i + 2);
        if (matched[i] / p <= laps || !last.ask_several(p)) continue;
        best = p;
        laps = matched[i] / p;
    }
    HEADWAY_ASSERT(best >= 2 && best <= kPeriodMax);
    return best;
}

Finding Cycle::finding(const Ledger& ledger) const {
    const std::size_t p = period(ledger);
    HEADWAY_ASSERT(ledger.back(p - 1) != nullptr);
    const std::size_t calls = matched[p - 2] + p;
    Finding finding;
    finding.count = static_cast<std::uint32_t>(calls / p);
    finding.evidence = evidence_of(ledger, calls, [](const CallMark&) { return true; });
    // The sum is the same at every position of the cycle.
    for (std::size_t i = 0; i < p; ++i)
        finding.identity += ledger.back(i)->question;
    finding.reason = "the same " + std::to_string(p) + " calls came round " + times(finding.count) +
                     " with the same results" + since_change(ledger);
    return finding;
}

bool Cycle::is_valid(const Ledger& ledger, std::uint64_t) const {
    if (!matched.empty() && matched.size() != kPeriodMax - 1) return false;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        if (matched[i] != 0 && ledger.recent.size() <= i + 2) return false;
    }
    return true;
}

}  // namespace headway::core
