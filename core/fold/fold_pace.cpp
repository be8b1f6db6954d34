// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold_pace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

#include "core/base/assert.hpp"
#include "core/detection/known_answers.hpp"

namespace headway::core {
namespace {

constexpr std::uint32_t kWidthMax = 15;  // of a number of seconds: nine hours
constexpr std::size_t kTurns = 8;
/// No model answers in less; calls of one turn that run one after another do.
constexpr Millis kTurn{1'000};

/// From here on it is a wait: two to four times what the model usually takes. Zero as long as that
/// is not known.
Millis longest_turn(const Ledger& ledger) {
    std::array<std::uint32_t, kTurns> widths{};
    std::size_t known = 0;
    for (std::uint32_t rest = ledger.turn_times; rest != 0; rest >>= 4U)
        widths[known++] = rest & kWidthMax;
    HEADWAY_ASSERT(known <= kTurns);
    if (known == 0) return Millis{0};
    std::sort(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(known));
    return std::chrono::seconds{std::int64_t{2} << widths[(known - 1) / 2]};
}

void note_turn(Ledger& ledger, Millis took) {
    HEADWAY_ASSERT(took >= kTurn);
    const auto whole = static_cast<std::uint64_t>(took / std::chrono::seconds{1});
    const auto width = static_cast<std::uint32_t>(std::bit_width(whole));
    ledger.turn_times = ledger.turn_times << 4U | std::min(width, kWidthMax);
}

void note_pause(Ledger& ledger, Millis passed, std::uint64_t n) {
    HEADWAY_ASSERT(passed >= kShortRest);
    const bool unusual = passed >= longest_turn(ledger);
    ledger.paused_n = static_cast<std::uint32_t>(n);
    const bool woken = ledger.paused >= Pause::kWoken;  // the same beat goes on
    if (!unusual)
        ledger.paused = woken ? Pause::kWokenShort : Pause::kShort;
    else if (passed < kLongRest)
        ledger.paused = woken ? Pause::kWokenRest : Pause::kRest;
    else
        ledger.paused = Pause::kLong;
}

/// True if the time before this call is the model's own, and may be taken for its pace: no word
/// from outside, no rest at the prompt and no person lies in it, and the call is none that is made
/// again, behind which a wait may lie. As long as no pace is known, one of these is better than
/// none.
bool takes_own_time(const SessionState& state, const ToolFinished& call) {
    const Ledger& ledger = *state.ledger;
    const bool disturbed = std::max(ledger.scope_n, ledger.slept_n) > state.last_change_n ||
                           state.last_change == EventType::kStateChanged ||
                           state.approvals.waited_until > state.last_change_at;
    if (disturbed || !call.fingerprint) return false;
    return ledger.turn_times == 0 ||
           find_answer(ledger.answers, call.fingerprint->question.low) == nullptr;
}

/// When the call began, as far as that was reported.
Timestamp started_at(const SessionState& state, const ToolFinished& call, Timestamp ended) {
    const auto open = std::find_if(state.open_calls.begin(), state.open_calls.end(),
                                   [&](const OpenCall& c) { return c.call_id == call.call_id; });
    if (open != state.open_calls.end()) return open->since;
    constexpr std::uint64_t kDayMs = 86'400'000;
    return ended - Millis{std::min(call.duration_ms.value_or(0), kDayMs)};
}

}  // namespace

void note_time(SessionState& state, const Event& event) {
    const auto* finished = std::get_if<ToolFinished>(&event.payload);
    const bool call = finished != nullptr || std::holds_alternative<ToolStarted>(event.payload);
    if (!call || state.last_change_at == kNever || state.ledger->calls == 0) return;
    const Millis passed = event.at - state.last_change_at;
    // The rest before a wake-up is noted with that.
    const bool noted = state.ledger->paused == Pause::kWoken &&
                       state.ledger->paused_n > static_cast<std::uint32_t>(state.last_change_n);
    if (passed >= kShortRest && !noted) note_pause(state.ledger.change(), passed, event.n);
    if (finished == nullptr || !takes_own_time(state, *finished)) return;
    const Millis thought = started_at(state, *finished, event.at) - state.last_change_at;
    if (thought >= kTurn) note_turn(state.ledger.change(), thought);
}

bool note_wake_up(SessionState& state, const Event& event) {
    Ledger& ledger = state.ledger.change();
    note_sleep(ledger, event.n);
    const bool rests = state.agent_state == AgentState::kIdle;  // its turn was over
    const Millis passed = event.at - state.last_change_at;
    if (rests && passed >= kLongRest) {
        ledger.paused_n = static_cast<std::uint32_t>(event.n);
        ledger.paused = Pause::kWoken;
    }
    return rests && passed >= kShortRest;
}

bool paused_before(const Ledger& ledger, const CallFingerprint& fingerprint, bool receives) {
    const KnownAnswer* last = find_answer(ledger.answers, fingerprint.question.low);
    if (last == nullptr || static_cast<std::uint32_t>(last->last_n) >= ledger.paused_n)
        return false;
    const bool none_yet = fingerprint.is(Shape::kNothingYet);
    if (fingerprint.running || (none_yet && receives)) return true;  // what it waits for is named
    if (ledger.paused == Pause::kLong || ledger.paused == Pause::kWoken) return true;
    const bool rest = ledger.paused == Pause::kRest || ledger.paused == Pause::kWokenRest;
    return none_yet && rest;
}

bool woken_before(const Ledger& ledger, const CallFingerprint& fingerprint) {
    const KnownAnswer* last = find_answer(ledger.answers, fingerprint.question.low);
    return ledger.paused >= Pause::kWoken && last != nullptr && last->last_n < ledger.slept_n;
}

void note_sleep(Ledger& ledger, std::uint64_t n) {
    ledger.slept_n = n;
    if (ledger.paused == Pause::kWoken) ledger.paused = Pause::kLong;
    if (ledger.paused == Pause::kWokenShort) ledger.paused = Pause::kShort;
    if (ledger.paused == Pause::kWokenRest) ledger.paused = Pause::kRest;
}

}  // namespace headway::core
