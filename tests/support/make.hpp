// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "core/session/session.hpp"
#include "core/text/text.hpp"

// Short ways to the values that tests are made of.

namespace headway::tests {

/// A moment this many milliseconds after an arbitrary start of time.
inline core::Timestamp at(std::int64_t ms) {
    return core::Timestamp{core::Millis{1'700'000'000'000 + ms}};
}

/// The context of a command at that moment; Headway has listened from the start.
inline core::Context context(std::int64_t ms) {
    core::Context around;
    around.now = at(ms);
    around.watch = at(0);
    return around;
}

template <class P>
core::Event event(P payload) {
    core::Event one_event;
    one_event.payload = std::move(payload);
    return one_event;
}

/// Use whose other parts are none.
inline core::Usage use_of(std::uint64_t tokens, std::uint64_t input, std::uint64_t output,
                          std::optional<double> cost_usd = {}) {
    core::Usage usage;
    usage.tokens = tokens;
    usage.input_tokens = input;
    usage.output_tokens = output;
    usage.cost_usd = cost_usd;
    return usage;
}

inline core::Event beat() {
    return event(core::Heartbeat{});
}

inline core::Event beat_in_phase(std::string phase) {
    core::Heartbeat data;
    data.phase = std::move(phase);
    return event(std::move(data));
}

inline core::Event beat_in_flight(std::string call_id, std::uint64_t counter) {
    core::Heartbeat data;
    data.in_flight = core::InFlightBeat{std::move(call_id), counter};
    return event(std::move(data));
}

inline core::Event tool_started(std::string call_id, std::string tool = "bash") {
    core::ToolStarted data;
    data.call_id = std::move(call_id);
    data.tool = std::move(tool);
    return event(std::move(data));
}

/// A call that leaves a file in a new state if it succeeds: new progress each time.
inline core::Event tool_finished(std::string call_id, bool ok = true) {
    core::ToolFinished data;
    data.tool = "bash";
    data.ok = ok;
    data.target = call_id;
    if (ok) data.mutated.push_back({"file of " + call_id, call_id});
    data.call_id = std::move(call_id);
    return event(std::move(data));
}

inline core::Event message(std::string role) {
    core::Message data;
    data.role = std::move(role);
    return event(std::move(data));
}

inline core::Event phase_started(std::string name) {
    core::PhaseStarted data;
    data.name = std::move(name);
    return event(std::move(data));
}

inline core::Event acknowledged(std::string id) {
    core::DirectiveAcknowledged data;
    data.id = std::move(id);
    return event(std::move(data));
}

inline core::Event ended(core::Outcome outcome, std::string reason = {}) {
    core::SessionEnded data;
    data.outcome = outcome;
    data.reason = core::bounded_text(std::move(reason));
    return event(std::move(data));
}

inline core::Event with_id(core::Event event, std::string event_id) {
    event.event_id = std::move(event_id);
    return event;
}

inline core::Event with_attempt(core::Event event, std::uint32_t attempt) {
    event.attempt = attempt;
    return event;
}

/// A session and every event it wrote.
struct Story {
    core::Session session{"story"};
    std::vector<core::Event> events;

    explicit Story(core::Policy policy = {}) {
        session.open(core::SessionStarted{}, policy, context(0), events);
    }

    /// Reports one event at that moment and returns what it caused, itself included.
    std::vector<core::Event> report(core::Event event, std::int64_t ms) {
        return report(std::move(event), context(ms));
    }
    std::vector<core::Event> report(core::Event one_event, const core::Context& around) {
        std::vector<core::Event> in{std::move(one_event)};
        std::vector<core::Event> out;
        session.report(in, around, out);
        events.insert(events.end(), out.begin(), out.end());
        return out;
    }
    std::vector<core::Event> tick(std::int64_t ms) {
        std::vector<core::Event> out;
        session.tick(context(ms), out);
        events.insert(events.end(), out.begin(), out.end());
        return out;
    }
    core::Verdict verdict() const { return session.state().judgement->verdict; }
};

/// The state that a fold of these events gives.
inline core::SessionState folded(const std::vector<core::Event>& events) {
    core::Session replayed{"story"};
    for (const core::Event& one : events)
        replayed.apply(one);
    return replayed.state();
}

}  // namespace headway::tests
