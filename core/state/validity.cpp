// SPDX-License-Identifier: Apache-2.0
#include "core/state/validity.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/base/limits.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

using sound::by_event;
using sound::each;
using sound::fits;

static_assert(limits::kAnswersMax % kAnswersOfSet == 0);

bool tiers_are_known(std::uint64_t past_tiers) {
    for (; past_tiers != 0; past_tiers >>= 4U) {
        if ((past_tiers & 0xfU) > EnumNames<Tier>::kNames.size()) return false;
    }
    return true;
}

bool tables_are_sound(const Ledger& ledger, std::uint64_t n) {
    const std::size_t sets = ledger.answers.size() / kAnswersOfSet;
    const bool in_sets = ledger.answers.empty() ||
                         (ledger.answers.size() % kAnswersOfSet == 0 && std::has_single_bit(sets));
    return in_sets &&
           each(ledger.answers, limits::kAnswersMax,
                [n](const KnownAnswer& a) { return a.first_n <= n && a.last_n <= n; }) &&
           each(ledger.files, limits::kFilesMax,
                [n](const FileTrail& f) {
                    return f.last_n <= n && f.digests.size() <= limits::kTrailDigestsMax;
                }) &&
           each(ledger.verifications, limits::kVerificationsMax, [&](const Verification& v) {
               return v.last_n <= n && v.changes_seen <= ledger.changes &&
                      v.outcomes.size() <= limits::kTrailDigestsMax;
           });
}

bool is_valid(const Ledger& ledger, std::uint64_t n) {
    const std::uint64_t calls = std::min<std::uint64_t>(ledger.calls, limits::kRecentCallsMax);
    if (ledger.recent.size() != calls || !tables_are_sound(ledger, n)) return false;
    for (std::size_t i = 0; i < calls; ++i) {
        const std::uint64_t newer = i == 0 ? n : ledger.back(i - 1)->n;
        if (ledger.back(i)->n > newer) return false;
    }
    const bool seen = ledger.hard_n <= n && ledger.moved_n <= n && ledger.external_n <= n &&
                      ledger.scope_n <= n && ledger.compacted_n <= n && ledger.slept_n <= n;
    const bool counted = ledger.round_counts || ledger.round_tier == Tier::kNone;
    if (ledger.calls > n || ledger.changes > n) return false;  // each is an event
    return seen && counted && tiers_are_known(ledger.past_tiers);
}

bool is_valid(const Detectors& detectors, const Ledger& ledger, std::uint64_t n) {
    bool all = true;
    for_each_detector(detectors,
                      [&](const auto& detector) { all = all && detector.is_valid(ledger, n); });
    return all;
}

bool is_valid(const BudgetMeter& meter) {
    constexpr Millis kNone{0};
    // Each is a part of the time since the epoch, so no sum of two can overflow.
    Millis left = meter.clock_at - kNever;
    for (const Millis clock : {meter.model, meter.tool, meter.human, meter.rate_limit}) {
        if (clock < kNone || clock > left) return false;
        left -= clock;
    }
    const BudgetUse& ended = *meter.ended_children;
    return meter.waited >= kNone && meter.waited <= meter.human &&
           meter.tokens <= kBudgetCountMax && meter.cost_micros <= kBudgetCountMax &&
           meter.iteration_max <= kBudgetCountMax && ended.steps <= kBudgetCountMax &&
           ended.tokens <= kBudgetCountMax && ended.cost_micros <= kBudgetCountMax &&
           fits(meter.children, limits::kChildrenMax) &&
           fits(meter.evicted->known, kEvictedChildrenMax) &&
           meter.evicted->known.size() <= meter.evicted->count && fits(meter.last_words, 1);
}

bool is_valid(const Approval& one, std::uint64_t n) {
    const bool fresh = one.decided_n == 0 && one.redeemed_at == kNever;
    const bool ran = one.executed_n != 0;
    return one.changed_n <= n && one.decided_n <= n && one.executed_n <= n &&
           (!one.pending() || fresh) && ran == (one.status == ApprovalStatus::kExecuted);
}

bool is_valid(const Approvals& approvals, std::uint64_t n) {
    return each(approvals.requests, limits::kApprovalsMax,
                [n](const Approval& one) { return is_valid(one, n); }) &&
           by_event(approvals.requests, n) && approvals.pending() <= limits::kApprovalsPendingMax &&
           fits(approvals.grants, limits::kGrantsMax) &&
           fits(approvals.rejected, limits::kRejectedCallsMax) &&
           each(approvals.alarms, limits::kAlarmsMax, [n](const RaisedAlarm& one) {
               return one.n <= n && one.times > 0 && one.times <= n;
           });
}

bool is_valid(const Checks& checks, const Estimates& estimates, std::uint64_t n) {
    return by_event(checks.pending, n) && fits(checks.pending, limits::kChecksPendingMax) &&
           fits(checks.facts, limits::kFactsKeptMax) && estimates.n <= n &&
           estimates.current.n <= n && fits(estimates.recent, EstimatePlateau::kWindow);
}

bool is_valid(const RoundOfCalls& round) {
    return fits(round.questions, limits::kRoundQuestionsMax) &&
           round.calls <= limits::kRoundCallsMax && round.echoes <= limits::kRoundEchoesMax;
}

/// At most one kill by each timer.
bool are_timers(const std::vector<LegacyKill>& kills) {
    const auto known = [](const LegacyKill& one) {
        return one.timer == "session" || one.timer == "tool";
    };
    const bool twice = kills.size() == 2 && kills[0].timer == kills[1].timer;
    return each(kills, 2, known) && !twice;
}

/// Lists of the session itself.
bool lists_are_sound(const SessionState& state) {
    const auto& paths = state.paths_seen->digests;
    const bool rising =
        std::adjacent_find(paths.begin(), paths.end(), std::greater_equal<>{}) == paths.end();
    return rising && fits(paths, limits::kPathsSeenMax) &&
           fits(state.open_calls, limits::kInFlightMax) &&
           fits(state.directives, limits::kDirectivesMax) &&
           fits(state.past_phases, limits::kPhasesMax) &&
           fits(state.recent_phases.names, RecentPhases::kMax) &&
           fits(state.recent_call_ids, limits::kRecentCallIdsMax) &&
           are_timers(state.legacy_kills) &&
           each(state.nudges, limits::kNudgesMax, [](const Nudge& one) { return one.step != 0; });
}

}  // namespace

bool is_valid(const SessionState& state) {
    const std::uint64_t n = state.n;
    if (n > INT64_MAX) return false;  // not storable
    const bool counted = state.heartbeats <= n && state.state_changes <= n &&
                         state.work_moves <= state.heartbeats && state.tool_calls <= n &&
                         state.tool_failures <= state.tool_calls &&
                         state.calls_while_asked <= limits::kCallsBesideQuestion + 1;
    const bool asked = state.asked_interval >= Millis{0} &&
                       state.asked_interval <= Millis{UINT32_MAX};  // Event::next_heartbeat_ms
    const bool claimed = state.claim.n <= n && state.claim.calls <= state.tool_calls;
    return counted && asked && claimed && state.last_change_n <= n &&
           state.reached.size() == kVerdictCount &&
           each(state.reached, kVerdictCount, [n](std::uint64_t at) { return at <= n; }) &&
           lists_are_sound(state) && is_valid(state.round) && is_valid(*state.ledger, n) &&
           is_valid(*state.detectors, *state.ledger, n) && is_valid(state.budget) &&
           is_valid(state.approvals, n) && is_valid(*state.checks, *state.estimates, n);
}

}  // namespace headway::core
