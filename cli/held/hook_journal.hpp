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

/// The events that an agent's hooks, or others than this reporter, have reported into a session:
/// each event of the journal is read once. One thread at a time.
class HookJournal {
public:
    enum class Outcome : std::uint8_t { kRead, kRetry, kRefused };
    struct Told {
        Json event;
        SteadyTime at;  ///< when it came, by this machine's clock
    };
    struct Look {
        Outcome outcome = Outcome::kRead;
        bool more = false;    ///< the next look goes on where this one stopped
        bool partly = false;  ///< the sessions of sub-agents are not known
    };
    struct With {
        std::function<void(const Told&)> note;            ///< gets each new event
        std::function<std::chrono::milliseconds()> left;  ///< the time for the next request
        bool children = false;                            ///< looks at sub-agents' sessions too
    };

    /// `own`: the prefix of the ids of this reporter's events. Words and tokens from before `from`
    /// are of other runs.
    HookJournal(std::string own, SteadyTime from) : own_(std::move(own)), from_(from) {}

    /// The new events of the session, and perhaps of its sub-agents'. A session that does not exist
    /// has none. A refused list of sub-agents hides only these.
    Look read(Daemon& daemon, const std::string& session, const With& with);

    /// Skips what is in the session's journal.
    void skip(Daemon& daemon, const std::string& session, std::chrono::milliseconds timeout);
    /// Changes `from`; SteadyTime::min(): nothing is of other runs.
    void take_from(SteadyTime from) { from_ = from; }

private:
    Outcome read_session(Daemon& daemon, const std::string& session, const With& with, Look& look);
    void note_page(const Json& events, const With& with);

    std::string own_;
    SteadyTime from_;
    std::map<std::string, std::uint64_t> read_to_;  // by session: the number of the last event
    std::size_t pages_left_ = 0;                    // in this look, beyond the first of a session
    /// The least by which an event was older than its reading: how far apart the clocks are.
    std::optional<std::chrono::milliseconds> lag_;
};

}  // namespace headway::cli
