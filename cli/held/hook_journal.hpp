// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"

namespace headway::cli {

/// The events that an agent's hooks, or others than this reporter, have reported into a session:
/// each event of the journal is read once. One thread at a time.
class HookJournal {
public:
    enum class Outcome : std::uint8_t { kRead, kRetry, kRefused };
    struct Page {
        Outcome outcome = Outcome::kRead;
        std::vector<Json> events = {};
    };

    /// `own`: the prefix of the ids of this reporter's events.
    explicit HookJournal(std::string own) : own_(std::move(own)) {}

    /// The new events of the session, and those of its sub-agents' sessions if `children`. A
    /// session that does not exist has none. Events that were read before a failure are in the
    /// page, and in no later one.
    Page read(Daemon& daemon, const std::string& session, bool children);

private:
    Outcome read_session(Daemon& daemon, const std::string& session, std::vector<Json>& events);

    std::string own_;
    std::map<std::string, std::uint64_t> read_to_;  // by session: the number of the last event
};

}  // namespace headway::cli
