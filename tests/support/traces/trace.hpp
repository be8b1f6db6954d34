// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/gen.hpp"

namespace headway::tests {

/// One reported event as the client would send it, and when.
struct Step {
    std::string json;
    std::int64_t ms = 0;
    bool call = false;  ///< a finished tool call
};

using Trace = std::vector<Step>;

/// `text` as a JSON string.
std::string quoted(std::string_view text);

/// A finished tool call in the words of an agent.
struct Call {
    std::string tool;
    std::string args = "{}";  ///< JSON
    std::string result;       ///< JSON; empty = left out
    bool ok = true;
    std::string error_class;
    std::string error;
    std::vector<std::pair<std::string, std::string>> mutated;  ///< path and digest
    std::int64_t ms = 300;                                     ///< how long it takes
};

/// How a client reports, which differs from client to client and never within a trace.
struct Habits {
    bool starts = false;  ///< tool.started before each call
    bool call_ids = true;
    bool rounds = false;  ///< numbers the turns of the model
    bool beats = false;   ///< heartbeats while nothing else is said
    bool stamps = false;  ///< a request id and a time in the arguments of each call
    bool chats = false;   ///< messages of the model between calls
};

Habits random_habits(Gen& gen);

/// Writes what an agent does as the events that its client reports. Volatile values (times, ids,
/// durations) come from `noise`, so that the same work can be recorded twice with other ones.
class Recorder {
public:
    Recorder(Gen& gen, std::uint64_t noise_seed, Habits habits);

    /// One turn of the model with one call.
    void call(const Call& call) { turn({call}); }
    /// One turn of the model with several calls at once.
    void turn(const std::vector<Call>& calls);

    void message(std::string_view role, std::string_view text);
    void event(std::string_view type, const std::string& data);
    void pass(std::int64_t ms) { now_ += ms; }

    /// A number of milliseconds, seconds with two digits, a UUID, a time: different each time and
    /// from noise to noise.
    std::uint64_t volatile_number() { return 1'000 + noise_.below(9'000'000); }
    std::string volatile_seconds();
    std::string volatile_uuid();
    std::string volatile_time();

    std::size_t calls() const { return calls_; }
    const Habits& habits() const { return habits_; }
    Trace take() { return std::move(trace_); }

private:
    void add(std::string json, bool call = false) {
        trace_.push_back({std::move(json), now_, call});
    }
    std::string call_fields(const Call& call, const std::string& id);
    void finish(const Call& call, const std::string& fields);

    Gen& gen_;
    Gen noise_;
    Habits habits_;
    Trace trace_;
    std::int64_t now_ = 0;
    std::size_t calls_ = 0;
    std::uint64_t round_ = 0;
    std::uint64_t next_id_ = 0;
    std::uint64_t beats_ = 0;
};

}  // namespace headway::tests
