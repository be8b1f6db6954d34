// SPDX-License-Identifier: Apache-2.0
#include "core/state/legacy_comparison.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/assert.hpp"
#include "core/state/person_time.hpp"
#include "core/state/session_state.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

bool noted(std::span<const LegacyKill> kills, std::string_view timer) {
    return std::any_of(kills.begin(), kills.end(),
                       [timer](const LegacyKill& kill) { return kill.timer == timer; });
}

constexpr std::size_t kTimers = 2;

/// When the session's old timer would have fired; the time that a person took is not in it.
Timestamp session_due(const SessionState& state, Timestamp now) {
    return state.opened_at + state.policy->legacy.session + time_of_person(state, now);
}

/// The results of the timers, had they run, since the last event and by `now`, beside what is
/// recorded.
std::vector<LegacyKill> new_kills(const SessionState& state, Timestamp now) {
    std::vector<LegacyKill> kills;
    const LegacyTimeouts& timers = state.policy->legacy;
    if (timers.mode == LegacyMode::kOff || state.n == 0 || state.ended()) return kills;
    const auto note = [&](std::string timer, std::string tool, Timestamp at) {
        kills.push_back({std::move(timer), std::move(tool), at, state.n, state.judgement->verdict});
    };
    const Timestamp due = session_due(state, now);
    if (timers.session != Millis{0} && now >= due && !noted(state.legacy_kills, "session"))
        note("session", {}, due);
    if (timers.tool == Millis{0} || noted(state.legacy_kills, "tool")) return kills;
    for (const OpenCall& call : state.open_calls) {
        const Millis ran = running_for(state, call, now);
        if (ran < timers.tool) continue;
        note("tool", call.tool, now - (ran - timers.tool));
        break;
    }
    HEADWAY_ASSERT(kills.size() + state.legacy_kills.size() <= kTimers);
    return kills;
}

std::string seconds(Millis time) {
    return std::to_string(time.count() / 1000) + " s";
}

std::string summary_of(const SessionState& state, const Comparison& comparison) {
    if (comparison.timers.mode == LegacyMode::kOff) return "the old timers are off";
    if (comparison.kills.empty()) return "no timer would have ended this session";
    const LegacyKill& first = comparison.kills.front();
    std::string text = "the " + first.timer + " timer would have ended it after " +
                       seconds(first.at - state.opened_at) + ", when it was " +
                       std::string{name_of(first.verdict)};
    if (!state.ended()) return text + "; it is " + std::string{name_of(state.judgement->verdict)};
    return text + "; it ran " + seconds(comparison.ran) + " and " +
           (*state.outcome == Outcome::kCompleted
                ? "completed"
                : "ended as " + std::string{name_of(*state.outcome)});
}

}  // namespace

void note_legacy_kills(SessionState& state, Timestamp now) {
    for (LegacyKill& kill : new_kills(state, now))
        state.legacy_kills.push_back(std::move(kill));
}

Timestamp legacy_end(const SessionState& state, const Watch& watch) {
    const LegacyTimeouts& timers = state.policy->legacy;
    const bool silent = timers.fallback && timers.mode != LegacyMode::kOff &&
                        state.judgement->verdict == Verdict::kSilent;
    if (state.ended() || timers.session == Millis{0}) return kNever;
    if (timers.mode != LegacyMode::kEnforce && !silent) return kNever;
    if (state.budget.running == BudgetClock::kHuman) return kNever;  // a person's time
    return std::max(session_due(state, kNever),
                    watch.since(state.asked_interval) + 2 * state.asked_interval);
}

Comparison compare(const SessionState& state, Timestamp now) {
    Comparison comparison;
    comparison.timers = state.policy->legacy;
    comparison.ended = state.ended();
    const Timestamp until = state.ended() ? state.ended_at : now;
    comparison.ran = until - state.opened_at;
    comparison.kills = state.legacy_kills;  // timers also run between events
    for (LegacyKill& kill : new_kills(state, now))
        comparison.kills.push_back(std::move(kill));
    std::sort(comparison.kills.begin(), comparison.kills.end(),
              [](const LegacyKill& a, const LegacyKill& b) { return a.at < b.at; });
    comparison.saved = state.outcome == Outcome::kCompleted && !comparison.kills.empty();
    comparison.summary = summary_of(state, comparison);
    return comparison;
}

}  // namespace headway::core
