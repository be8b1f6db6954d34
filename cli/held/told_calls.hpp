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

/// How a call is recognised that has another id: agents name the same tool differently in hooks and
/// in lines, but the command of a shell is the same. Pure.
std::string essence_of(const Json& call);

/// The calls that hooks have reported, each of which stands for one call of the lines. Bounded.
/// Pure.
class ToldCalls {
public:
    static constexpr std::size_t kCallsMax = 4'096;
    /// A call with another id is the same only if hooks and lines tell of it at about the same
    /// time: one that was reported early would hide a later one.
    static constexpr std::chrono::seconds kNear{30};

    /// Takes an event of the journal that came at `at`.
    void note(const std::string& type, const Json& data, SteadyTime at);

    /// Each takes a call that no call of the lines has taken, and returns its id: the one with this
    /// id, or the oldest with this essence, or the oldest of any; nothing: there is none. `at`: the
    /// time of the line; none: any time is near.
    std::optional<std::string> take_same(const std::string& id);
    std::optional<std::string> take_like(const std::string& essence, std::optional<SteadyTime> at);
    std::optional<std::string> take_any(std::optional<SteadyTime> at);

    /// False if the call was only asked for, as far as hooks report.
    bool has_run(const std::string& id) const;

private:
    struct Call {
        std::string essence;
        SteadyTime at;  // of its newest event; SteadyTime::max(): a person may decide for long
        bool asked = false;
        std::uint64_t started = 0;
        std::uint64_t finished = 0;
        std::uint64_t taken = 0;  // by calls of lines
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
