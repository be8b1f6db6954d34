// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {

/// True for the types of events that are about one call of a tool.
bool is_call(const std::string& type);

/// A text by which a call is recognised if its ids differ: the command of a shell, else the name of
/// the tool. Agents may name a shell differently in hooks and in lines, but its command is the
/// same. Pure.
std::string essence_of(const Json& call);

/// The calls that hooks have reported. Each of them stands for one call of the lines. Bounded.
/// Pure.
class ToldCalls {
public:
    static constexpr std::size_t kCallsMax = 4'096;
    /// Two calls with different ids are the same only if hooks and lines report them within this
    /// time. Otherwise a call that hooks reported early would hide a later call of the lines.
    static constexpr std::chrono::seconds kNear{30};

    /// Takes an event that was added to the journal at `at`.
    void note(const std::string& type, const Json& data, SteadyTime at);

    /// Each of these functions takes a call that no call of the lines has taken, and returns its
    /// id; nothing if there is none. take_same() takes the call with this id, take_like() the
    /// oldest call with this essence, take_any() the oldest call. `at` is the time of the line,
    /// from which the call may differ by kNear; without `at`, the call may have any time.
    std::optional<std::string> take_same(const std::string& id);
    std::optional<std::string> take_like(const std::string& essence, std::optional<SteadyTime> at);
    std::optional<std::string> take_any(std::optional<SteadyTime> at);

    /// False if hooks have only requested approval of the call.
    bool has_run(const std::string& id) const;

private:
    struct Call {
        std::string essence;
        SteadyTime at;  // time of its newest event; SteadyTime::max(): it waits for a person
        bool asked = false;
        std::uint64_t started = 0;
        std::uint64_t finished = 0;
        std::uint64_t taken = 0;  // number of calls of lines that have taken it
        bool is_free() const;
    };

    void enter(const std::string& id, const Call& call);
    void leave(const std::string& id, const Call& call);
    std::string take(const std::string& id);

    std::map<std::string, Call> calls_;
    std::deque<std::string> order_;  // ids of `calls_`, the oldest first
    std::set<std::tuple<std::string, SteadyTime, std::string>> alike_;  // essence, time, id
    std::set<std::pair<SteadyTime, std::string>> free_;                 // time, id
};

}  // namespace headway::cli
