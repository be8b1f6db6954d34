// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/waiting.hpp"

#include "core/assert.hpp"
#include "core/classify.hpp"
#include "core/sound_rules.hpp"

namespace headway::core {

void Waiting::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    if (const auto* started = std::get_if<ToolStarted>(&seen.event.payload)) {
        const CallKind kind = kind_of_call(started->tool, {});
        const bool was_waiting = waits;
        waits = kind == CallKind::kPoll || kind == CallKind::kSleep;
        if (waits && !was_waiting) since_n = seen.event.n;
    }
    if (seen.call == nullptr) return;
    const CallPrint& print = seen.call->print;
    if (print.kind == CallKind::kSleep) {
        if (live || seen.call_in_flight) return;
        if (++idle == 1) first_idle_n = seen.event.n;
        last_idle_n = seen.event.n;
        HEADWAY_ASSERT(first_idle_n <= last_idle_n);
        waits = false;
        return;
    }
    moves = live && print.running && seen.tier == Tier::kExternal;
    live = print.running;
    const bool polls = seen.call->neutral && live;
    unchanged = polls && waits ? unchanged + 1 : 0;
    if (polls && !waits) since_n = seen.event.n;
    waits = polls;
    idle = 0;
    HEADWAY_ASSERT(since_n <= seen.event.n);
    HEADWAY_ASSERT(waits || unchanged == 0);
}

Rung Waiting::rung(Thresholds limits, const Ledger&) const {
    const Rung idling = rung_of(idle, limits);
    if (idling != Rung::kNone) return idling;
    return waits && !moves ? Rung::kWaiting : Rung::kNone;
}

Finding Waiting::finding(const Ledger&) const {
    Finding finding;
    finding.identity = 1;
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

bool Waiting::is_sound(const Ledger&, std::uint64_t newest) const {
    return since_n <= newest && sound::in_order(first_idle_n, last_idle_n, newest);
}

}  // namespace headway::core
