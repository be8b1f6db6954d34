// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/failure_streak.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kSweep = 0x7377'6565'7073'2e2eULL;  // instead of a diagnostic

std::uint32_t weight_of(const FailureStreak& streak) {
    return streak.count + streak.tries / FailureStreaks::kTryWeight +
           streak.fresh / FailureStreaks::kFreshWeight;
}

}  // namespace

void FailureStreaks::observe(const Observation& seen) {
    if (seen.phase_changed || seen.nudge_taken || is_hard(seen.tier)) streaks.clear();
    // A failure that goes on after a message of a person is counted further.
    if (seen.user_message) user_spoke = true;
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallSeen& call = *seen.call;
    if (call.fingerprint.kind == CallKind::kVerify) return;
    const std::uint64_t tool = digest_of(call.call.tool).low;
    if (call.answered()) {
        std::erase_if(streaks, [tool](const FailureStreak& s) { return s.tool == tool; });
    } else if (call.failed()) {
        fail(call, tool, seen.event.n, seen.ledger.rounds);
    }
}

Severity FailureStreaks::severity(Thresholds limits, const Ledger&) const {
    if (user_spoke) return Severity::kNone;
    const FailureStreak* worst = longest();
    HEADWAY_ASSERT(worst == nullptr || worst->patience >= 1);
    return worst == nullptr ? Severity::kNone
                            : severity_of(weight_of(*worst) / worst->patience, limits);
}

Finding FailureStreaks::finding(const Ledger&) const {
    HEADWAY_ASSERT(!streaks.empty());
    const FailureStreak& worst = *longest();
    HEADWAY_ASSERT(std::uint64_t{worst.count} + worst.tries + worst.fresh > 0 &&
                   worst.first_n <= worst.last_n);
    Finding finding;
    finding.count = weight_of(worst);
    finding.identity = worst.diagnostic;
    finding.evidence = {worst.first_n, worst.last_n};
    finding.reason = "one tool failed " +
                     times(std::uint64_t{worst.count} + worst.tries + worst.fresh) +
                     (worst.target != 0 ? " with ever other targets" : " with the same error") +
                     " since #" + std::to_string(worst.first_n);
    return finding;
}

bool FailureStreaks::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::each(streaks, limits::kFailureStreaksMax, [newest](const FailureStreak& one) {
        return one.patience >= 1 && sound::in_order(one, newest);
    });
}

const FailureStreak* FailureStreaks::longest() const {
    const auto worst = std::max_element(
        streaks.begin(), streaks.end(), [](const FailureStreak& a, const FailureStreak& b) {
            return weight_of(a) * b.patience < weight_of(b) * a.patience;
        });
    return worst == streaks.end() ? nullptr : &*worst;
}

FailureStreak& FailureStreaks::streak_of(std::uint64_t tool, std::uint64_t diagnostic) {
    const auto streak = std::find_if(streaks.begin(), streaks.end(), [&](const FailureStreak& s) {
        return s.tool == tool && s.diagnostic == diagnostic;
    });
    if (streak != streaks.end()) return *streak;
    if (streaks.size() == limits::kFailureStreaksMax) streaks.erase(streaks.begin());
    HEADWAY_ASSERT(streaks.size() < limits::kFailureStreaksMax);
    FailureStreak fresh;
    fresh.tool = tool;
    fresh.diagnostic = diagnostic;
    return streaks.emplace_back(fresh);
}

void FailureStreaks::fail(const CallSeen& call, std::uint64_t tool, std::uint64_t n,
                          std::uint32_t round) {
    user_spoke = false;
    const std::uint64_t target = call.fingerprint.is(Shape::kAbsent) ? call.fingerprint.path : 0;
    bool fresh = call.missed();
    // Asked again with other options, a target is no new one.
    if (fresh && target != 0)
        fresh = std::exchange(streak_of(tool, kSweep).target, target) != target;
    const bool sweeps = fresh && target != 0;
    FailureStreak& streak = streak_of(tool, sweeps ? kSweep : call.fingerprint.diagnostic);
    if (streak.round == round) return;
    if (streak.first_n == 0) {
        streak.first_n = n;
        streak.patience = std::max(1U, call.patience);
    }
    HEADWAY_ASSERT(streak.first_n <= n && streak.last_n < n);
    streak.last_n = n;
    streak.round = round;
    const bool tries = call.fingerprint.kind == CallKind::kEdit && !call.entry.known_question;
    ++(fresh ? streak.fresh : tries ? streak.tries : streak.count);
}

}  // namespace headway::core
