// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/waiting.hpp"

#include <algorithm>
#include <array>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/detection/classify.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kSentenceBytesMin = 24;  // "failed" alone may be said of many things

/// True for a look that fails with words: no such file, no such job. The thing may never come. The
/// words of a provider or about a port are others, and the end of a look by its own time limit says
/// nothing about the thing.
bool finds_none(const CallSeen& call) {
    const FailureKind failure = call.fingerprint.failure;
    const bool says_so = !call.call.ok && !call.fingerprint.is(Shape::kSilent);
    constexpr std::size_t kLooked = 256;
    static constexpr std::array<std::string_view, 4> kOutOfTime{
        "timed out", "timeout", "exit code 124", "exit status 124"};  // the latter of timeout(1)
    const std::string said =
        call.call.error ? lower(std::string_view{call.call.error->message.kept}.substr(0, kLooked))
                        : std::string{};
    return says_so && !call.fingerprint.running &&
           (failure == FailureKind::kNotFound || failure == FailureKind::kOther) &&
           !mentions(said, kOutOfTime);
}

}  // namespace

void Waiting::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    // An agent that looks each time that a timer wakes it has not waited since the first time.
    if (seen.woken) unmoved = pressed = rested = 0;
    if (const auto* started = std::get_if<ToolStarted>(&seen.event.payload)) {
        const CallKind kind = kind_of_call(started->tool, {});
        const bool was_waiting = waits;
        // Between the polls of a wait other calls start: sleeps, and commands of any name.
        waits = kind == CallKind::kPoll || kind == CallKind::kSleep || (waits && unmoved > 0);
        if (waits && !was_waiting) since_n = seen.event.n;
    }
    if (seen.call == nullptr) return;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    count_rest(seen.call->call);
    if (fingerprint.kind == CallKind::kSleep) {
        if (!seen.call->neutral) {  // what it waited for is not there
            waits = live = false;
            return;
        }
        // One that took long by itself, or names something that runs, asks like a poll.
        if (!seen.call->rested && !fingerprint.running) return count_sleep(seen);
    }
    moves = live && fingerprint.running && seen.tier == Tier::kExternal;
    live = fingerprint.running;
    const bool neutral = seen.call->neutral;
    const bool polls = neutral && (live || seen.call->slept || fingerprint.kind == CallKind::kPoll);
    unchanged = polls && waits ? unchanged + 1 : 0;
    if (polls && !waits) since_n = seen.event.n;
    waits = polls;
    idle = 0;
    count_unmoved(*seen.call, neutral && seen.tier != Tier::kExternal, seen.tier, seen.event);
    if (is_hard(seen.tier)) over = 0;
    count_over(*seen.call, seen.tier, seen.event.at);
    if (over == 1 && !waits) since_n = seen.event.n;
    HEADWAY_ASSERT(since_n <= seen.event.n);
    HEADWAY_ASSERT(waits || unchanged == 0);
}

void Waiting::count_sleep(const Observation& seen) {
    // The start of a sleep says that it waits, and not that there is something to wait for.
    const bool for_something = waits && (unmoved > 0 || unchanged > 0);
    if (live || for_something || seen.call_in_flight) return;
    if (++idle == 1) first_idle_n = seen.event.n;
    last_idle_n = seen.event.n;
    HEADWAY_ASSERT(first_idle_n <= last_idle_n);
    waits = false;
}

void Waiting::count_unmoved(const CallSeen& call, bool still, Tier tier, const Event& event) {
    const CallFingerprint& fingerprint = call.fingerprint;
    const bool asks = fingerprint.kind == CallKind::kPoll || fingerprint.is(Shape::kLooks) ||
                      fingerprint.kind == CallKind::kRead;
    const bool none = still && !fingerprint.is(Shape::kBusy) && finds_none(call);
    busy = still && (fingerprint.is(Shape::kBusy) || none);
    missed = none ? static_cast<std::uint8_t>(std::min<std::uint32_t>(missed + 1U, kBusyWaits)) : 0;
    if (!still) {
        pressed = 0;
        // New questions do not move what it waits for.
        const bool moved = tier == Tier::kExternal || tier == Tier::kAnswerChanged;
        if (moved || is_hard(tier)) unmoved = 0;
        return;
    }
    // Ever other items that are handed in, each of which is queued, are no wait for one of them.
    if (call.call.ok && !asks && !call.slept && !call.entry.known_question) return;
    if (unmoved < UINT32_MAX) ++unmoved;
    if (unmoved == 1) unmoved_at = event.at;
    const bool patient = call.slept || (fingerprint.running && asks);
    pressed = patient ? 0 : std::min(pressed + 1, unmoved);
    if (pressed == 1 && !waits) since_n = event.n;
    HEADWAY_ASSERT(pressed <= unmoved);
}

/// A recording may have no times, and yet say how long each call took.
void Waiting::count_rest(const ToolFinished& call) {
    if (unmoved == 0) {
        rested = 0;
        return;
    }
    constexpr std::uint64_t kDay = 86'400;
    const std::uint64_t more = std::min(call.duration_ms.value_or(0) / 1'000, kDay);
    rested = static_cast<std::uint32_t>(std::min(rested + more, 30 * kDay));
}

void Waiting::count_over(const CallSeen& call, Tier tier, Timestamp now) {
    const CallFingerprint& fingerprint = call.fingerprint;
    const bool asks = (call.slept && !fingerprint.running) || fingerprint.kind == CallKind::kPoll ||
                      fingerprint.kind == CallKind::kRead || fingerprint.is(Shape::kLooks);
    if (!asks) return;  // a restart, a kill: what it looks at has ended all the same
    // A port that stays closed behind a sleep is an end as well, though it takes longer to tell.
    const bool refused =
        !call.call.ok && call.slept && fingerprint.failure == FailureKind::kNetwork;
    const auto of = static_cast<std::uint32_t>(fingerprint.question.low);
    const auto outcome = static_cast<std::uint32_t>(fingerprint.outcome.low);
    const bool ended = fingerprint.is(Shape::kOver) || refused;
    // A look at something else that goes on takes nothing back; one at the same thing does.
    const bool news = tier == Tier::kExternal || tier == Tier::kAnswerChanged;
    if (!ended && over > 0 && of != over_of && !news) return;
    // The same sentence about an end is about the same end, however it was asked.
    const bool tells_same = outcome == over_said && fingerprint.result_bytes >= kSentenceBytesMin;
    // Differences between looks do not matter to a port that is closed.
    const bool again = over > 0 && (refused ? closed : of == over_of || tells_same || call.slept);
    over_of = of;
    over_said = outcome;
    over = !ended ? 0 : (again && over < UINT32_MAX ? over + 1 : 1);
    closed = refused;
    if (over == 1) over_at = now;
}

bool Waiting::needs_somebody(std::uint32_t polls, Millis patience, Timestamp now) const {
    const bool ended_long_ago = over >= 2 && now - over_at >= kOverPatience;
    if (waits && polls != 0 && (over >= (closed ? kClosedWaits : kOverWaits) || ended_long_ago))
        return true;
    if (!waits || moves || unmoved < 2) return false;
    const bool many = polls != 0 && unmoved >= polls;
    const bool long_ago =
        patience != Millis{0} && unmoved_at != kNever &&
        std::max(now - unmoved_at, Millis{std::chrono::seconds{rested}}) >= patience;
    // A lock may be looked at in other ways meanwhile; a thing that was there a look ago may come.
    const bool taken =
        polls != 0 && busy && (missed > 0 ? std::uint32_t{missed} : unmoved) >= kBusyWaits;
    return many || long_ago || taken;
}

Severity Waiting::severity(Thresholds limits, const Ledger&) const {
    if (looks_at_an_end() && limits.suspect != 0) return Severity::kSuspect;
    const Severity claimed = severity_of(std::max(idle, pressed), limits);
    if (claimed != Severity::kNone) return claimed;
    return waits && !moves ? Severity::kWaiting : Severity::kNone;
}

Finding Waiting::finding(const Ledger&) const {
    Finding finding;
    finding.identity = 1;
    if (looks_at_an_end()) {
        finding.count = over;
        finding.evidence = {since_n};
        finding.reason =
            "looked " + times(over) + " at what has ended since #" + std::to_string(since_n);
        return finding;
    }
    if (pressed > idle && (!waits || pressed >= kTraits.balanced.suspect)) {
        finding.count = pressed;
        finding.evidence = {since_n};
        finding.reason = "asked again " + times(pressed) + " in a row without a wait since #" +
                         std::to_string(since_n) + ", and nothing moved";
        return finding;
    }
    if (idle > 0) {
        HEADWAY_ASSERT(first_idle_n <= last_idle_n);
        finding.count = idle;
        finding.evidence = {first_idle_n, last_idle_n};
        finding.reason = "slept " + times(idle) + " in a row with nothing to wait for since #" +
                         std::to_string(first_idle_n);
        return finding;
    }
    HEADWAY_ASSERT(waits && !moves);
    finding.count = unchanged;
    finding.evidence = {since_n};
    finding.reason = "waits for something under way since #" + std::to_string(since_n);
    return finding;
}

bool Waiting::is_valid(const Ledger&, std::uint64_t newest) const {
    const bool counted = pressed <= unmoved && (pressed == 0 || !moves);
    const bool dated = unmoved_at == kNever || unmoved_at > Timestamp{};
    return counted && dated && since_n <= newest &&
           sound::in_order(first_idle_n, last_idle_n, newest);
}

}  // namespace headway::core
