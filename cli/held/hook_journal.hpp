// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"

namespace headway::cli {

/// Reads the events that other reporters, mainly the agent's hooks, have added to a session. Each
/// event of the journal is read once. One thread at a time.
class HookJournal {
public:
    enum class Outcome : std::uint8_t { kRead, kRetry, kRefused };
    struct Told {
        Json event;
        SteadyTime at;  ///< time of the event by this machine's clock
    };
    struct Look {
        Outcome outcome = Outcome::kRead;
        bool more = false;    ///< the next look continues where this one stopped
        bool partly = false;  ///< some sessions of sub-agents cannot be read
    };
    struct With {
        std::function<void(const Told&)> note;            ///< gets each new event
        std::function<std::chrono::milliseconds()> left;  ///< time limit of the next request
        bool children = false;                            ///< reads the sessions of sub-agents too
    };

    /// `own`: the prefix of the ids of this reporter's events. Messages and tokens from before
    /// `from` belong to other runs and are left out.
    HookJournal(std::string own, SteadyTime from) : own_(std::move(own)), from_(from) {}

    /// Reads the new events of the session and, with With::children, of its sub-agents. A session
    /// that does not exist has no events. If the daemon refuses the list of sub-agents, only their
    /// events are missing.
    Look read(Daemon& daemon, const std::string& session, const With& with);

    /// Skips the events that the session's journal has now.
    void skip(Daemon& daemon, const std::string& session, std::chrono::milliseconds timeout);
    /// Changes `from`; with SteadyTime::min(), no event belongs to another run.
    void take_from(SteadyTime from) { from_ = from; }

private:
    Outcome read_session(Daemon& daemon, const std::string& session, const With& with, Look& look);
    void note_page(const Json& events, const With& with);

    std::string own_;
    SteadyTime from_;
    std::map<std::string, std::uint64_t> read_to_;  // number of the last event read, by session
    std::size_t pages_left_ = 0;  // left for this look, after the first page of each session
    /// The smallest age of an event when it was read: an estimate of the difference between the
    /// clocks.
    std::optional<std::chrono::milliseconds> lag_;
};

}  // namespace headway::cli
