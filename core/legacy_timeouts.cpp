// SPDX-License-Identifier: Apache-2.0
#include "core/legacy_timeouts.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/liveness.hpp"
#include "core/session_state.hpp"

namespace headway::core {
namespace {

bool noted(const SessionState& state, std::string_view timer) {
    return std::any_of(state.legacy_kills.begin(), state.legacy_kills.end(),
                       [timer](const LegacyKill& kill) { return kill.timer == timer; });
}

constexpr std::size_t kTimers = 2;

void note(SessionState& state, std::string timer, std::string tool, Timestamp at) {
    state.legacy_kills.push_back(
        {std::move(timer), std::move(tool), at, state.n, state.judgement->verdict});
    HEADWAY_ASSERT(state.legacy_kills.size() <= kTimers);
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
    const LegacyTimeouts& timers = state.policy->legacy;
    if (timers.mode == LegacyMode::kOff || state.n == 0 || state.ended()) return;
    const Timestamp due = state.opened_at + timers.session;
    if (timers.session != Millis{0} && now >= due && !noted(state, "session"))
        note(state, "session", {}, due);
    if (timers.tool == Millis{0} || noted(state, "tool")) return;
    for (const OpenCall& call : state.open_calls) {
        if (now < call.since + timers.tool) continue;
        note(state, "tool", call.tool, call.since + timers.tool);
        return;
    }
}

Timestamp legacy_end(const SessionState& state, const Watch& watch) {
    const LegacyTimeouts& timers = state.policy->legacy;
    const bool silent = timers.fallback && timers.mode != LegacyMode::kOff &&
                        state.judgement->verdict == Verdict::kSilent;
    if (state.ended() || timers.session == Millis{0}) return kNever;
    if (timers.mode != LegacyMode::kEnforce && !silent) return kNever;
    return std::max(state.opened_at + timers.session,
                    watch.since(state.asked_interval) + 2 * state.asked_interval);
}

Comparison compare(const SessionState& state, Timestamp now) {
    Comparison comparison;
    comparison.timers = state.policy->legacy;
    comparison.ended = state.ended();
    const Timestamp until = state.ended() ? state.ended_at : now;
    comparison.ran = until - state.opened_at;
    SessionState then;  // timers also run between events
    then.n = state.n;
    then.opened_at = state.opened_at;
    then.open_calls = state.open_calls;
    then.judgement.change().verdict = state.judgement->verdict;
    then.policy = state.policy;
    then.legacy_kills = state.legacy_kills;
    if (!state.ended()) note_legacy_kills(then, now);
    comparison.kills = std::move(then.legacy_kills);
    std::sort(comparison.kills.begin(), comparison.kills.end(),
              [](const LegacyKill& a, const LegacyKill& b) { return a.at < b.at; });
    comparison.saved = state.outcome == Outcome::kCompleted && !comparison.kills.empty();
    comparison.summary = summary_of(state, comparison);
    return comparison;
}

}  // namespace headway::core
