// SPDX-License-Identifier: Apache-2.0
#include "core/sound.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/limits.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kAnswersOfSet = 8;  // as in ledger.cpp
constexpr std::size_t kEditsCompared = 2;
constexpr std::size_t kRequestsMax = limits::kApprovalsPendingMax + limits::kApprovalsKeptMax;
static_assert(limits::kAnswersMax % kAnswersOfSet == 0);

/// Checks first and last event of a range in a session at event `n`.
bool in_order(std::uint64_t first, std::uint64_t last, std::uint64_t n) {
    return first <= last && last <= n;
}

template <class T>
bool in_order(const T& seen, std::uint64_t n) {
    return in_order(seen.first_n, seen.last_n, n);
}

template <class List>
bool fits(const List& list, std::size_t most) {
    return list.size() <= most;
}

template <class T, class Holds>
bool each(const std::vector<T>& items, std::size_t most, Holds holds) {
    return items.size() <= most && std::all_of(items.begin(), items.end(), holds);
}

/// Checks that entries are ordered by event, without duplicates.
template <class T>
bool by_event(const std::vector<T>& items, std::uint64_t n) {
    const auto falls = [](const T& a, const T& b) { return a.n >= b.n; };
    return std::adjacent_find(items.begin(), items.end(), falls) == items.end() &&
           (items.empty() || items.back().n <= n);
}

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

bool is_sound(const Ledger& ledger, std::uint64_t n) {
    const std::uint64_t calls = std::min<std::uint64_t>(ledger.calls, limits::kRecentCallsMax);
    if (ledger.recent.size() != calls || !tables_are_sound(ledger, n)) return false;
    for (std::size_t i = 0; i < calls; ++i) {
        const std::uint64_t newer = i == 0 ? n : ledger.back(i - 1)->n;
        if (ledger.back(i)->n > newer) return false;
    }
    const bool seen = ledger.hard_n <= n && ledger.moved_n <= n && ledger.external_n <= n &&
                      ledger.scope_n <= n && ledger.compacted_n <= n;
    const bool counted = ledger.round_counts || ledger.round_tier == Tier::kNone;
    if (ledger.calls > n || ledger.changes > n) return false;  // each is an event
    return seen && counted && tiers_are_known(ledger.past_tiers);
}

/// Detectors of calls and results.
bool call_rules_are_sound(const Detectors& all, const Ledger& ledger, std::uint64_t n) {
    const auto& laps = all.cycle.matched;
    if (!laps.empty() && laps.size() != Cycle::kPeriodMax - 1) return false;
    for (std::size_t i = 0; i < laps.size(); ++i) {
        if (laps[i] != 0 && ledger.recent.size() <= i + 2) return false;
    }
    const SameDiagnostic& same = all.same_diagnostic;
    const bool same_known = fits(same.evidence, limits::kEvidenceMax) &&
                            fits(same.paths, same.kPathsMax + 1) &&
                            (!same.evidence.empty() || (same.count == 0 && same.edits == 0));
    const Oscillation& turns = all.oscillation;
    const bool turns_known = fits(turns.evidence, limits::kEvidenceMax) &&
                             fits(turns.last_edits, kEditsCompared) &&
                             fits(turns.last_reds, kEditsCompared) && turns.hard_n <= n &&
                             (turns.clean == 0 || turns.reversals > 0);
    return same_known && turns_known && all.exact_repeat.patience >= 1 &&
           all.interleaved_repeat.patience >= 1 && in_order(all.interleaved_repeat, n) &&
           all.jitter_repeat.changes <= ledger.changes && in_order(all.jitter_repeat, n) &&
           in_order(all.self_append, n) &&
           fits(all.self_append.previous, limits::kAppendBytesMax) && in_order(all.stagnation, n) &&
           all.call_volume.calls <= n;
}

/// Detectors of failures.
bool failure_rules_are_sound(const Detectors& all, std::uint64_t n) {
    const Blocked& blocked = all.blocked;
    return each(all.failure_streak.streaks, limits::kFailureStreaksMax,
                [n](const FailureStreak& s) { return s.patience >= 1 && in_order(s, n); }) &&
           in_order(blocked, n) && (blocked.count == 0 || blocked.kind != FailureKind::kNone) &&
           in_order(all.failing_everywhere, n) && in_order(all.same_file_error, n) &&
           in_order(all.tool_failures, n) && in_order(all.empty_turns, n);
}

bool is_sound(const EstimateRow& row, std::uint64_t n) {
    return row.percents.size() == row.events.size() &&
           each(row.events, EstimatePlateau::kWindow, [n](std::uint64_t at) { return at <= n; });
}

/// Detectors of messages and heartbeats.
bool word_rules_are_sound(const Detectors& all, std::uint64_t n) {
    const HeartbeatRule& beats = all.heartbeat_rule;
    const DuplicateMessages& twice = all.duplicate_messages;
    const Waiting& waits = all.waiting;
    return in_order(beats.first_beat, beats.last_beat, n) &&
           in_order(beats.first_working, beats.last_working, n) && beats.last_move <= n &&
           beats.iterations <= beats.quiet_beats && beats.quiet_beats <= n &&
           beats.working_beats <= n && in_order(twice, n) && twice.denied_n <= twice.last_n &&
           by_event(all.similar_messages.sketches, n) &&
           fits(all.similar_messages.sketches, limits::kMessagesMax) &&
           fits(all.similar_messages.alike, limits::kMessagesMax + 1) &&
           is_sound(all.estimate_plateau.own, n) && is_sound(*all.estimate_plateau.judged, n) &&
           in_order(all.planning_only, n) && in_order(all.compaction_churn, n) &&
           in_order(all.phase_churn, n) && waits.since_n <= n &&
           in_order(waits.first_idle_n, waits.last_idle_n, n) && all.chanting.n <= n;
}

bool is_sound(const BudgetMeter& meter) {
    constexpr Millis kNone{0};
    // Each is a part of the time since the epoch, so no sum of two can overflow.
    Millis left = meter.clock_at - kNever;
    for (const Millis clock : {meter.model, meter.tool, meter.human, meter.rate_limit}) {
        if (clock < kNone || clock > left) return false;
        left -= clock;
    }
    const BudgetUse& ended = meter.ended_children;
    return meter.waited >= kNone && meter.waited <= meter.human &&
           meter.tokens <= kBudgetCountMax && meter.cost_micros <= kBudgetCountMax &&
           meter.iteration_max <= kBudgetCountMax && ended.steps <= kBudgetCountMax &&
           ended.tokens <= kBudgetCountMax && ended.cost_micros <= kBudgetCountMax &&
           fits(meter.children, limits::kChildrenMax) && fits(meter.last_words, 1);
}

bool is_sound(const Approval& one, std::uint64_t n) {
    const bool fresh = one.decided_n == 0 && one.redeemed_at == kNever;
    const bool ran = one.executed_n != 0;
    return one.changed_n <= n && one.decided_n <= n && one.executed_n <= n &&
           (!one.pending() || fresh) && ran == (one.status == ApprovalStatus::kExecuted);
}

bool is_sound(const Approvals& approvals, std::uint64_t n) {
    return each(approvals.requests, kRequestsMax,
                [n](const Approval& one) { return is_sound(one, n); }) &&
           by_event(approvals.requests, n) && approvals.pending() <= limits::kApprovalsPendingMax &&
           fits(approvals.grants, limits::kGrantsMax) &&
           each(approvals.alarms, limits::kAlarmsMax, [n](const RaisedAlarm& one) {
               return one.n <= n && one.times > 0 && one.times <= n;
           });
}

bool is_sound(const Checks& checks, const Estimates& estimates, std::uint64_t n) {
    return by_event(checks.pending, n) && fits(checks.pending, limits::kChecksPendingMax) &&
           fits(checks.facts, limits::kFactsKeptMax) && estimates.n <= n &&
           estimates.current.n <= n && fits(estimates.recent, EstimatePlateau::kWindow);
}

bool is_sound(const RoundOfCalls& round) {
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

bool is_sound(const SessionState& state) {
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
           lists_are_sound(state) && is_sound(state.round) && is_sound(state.ledger, n) &&
           call_rules_are_sound(state.detectors, state.ledger, n) &&
           failure_rules_are_sound(state.detectors, n) &&
           word_rules_are_sound(state.detectors, n) && is_sound(state.budget) &&
           is_sound(state.approvals, n) && is_sound(*state.checks, *state.estimates, n);
}

}  // namespace headway::core
