// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "core/base/result.hpp"

// The state that all agents that are kept going share, as files in the state directory: a switch,
// and for each kind of agent whose turn it is to begin. A file is held by flock(2) while it is
// changed, and the turns of keepers that are gone do not count, so that nothing is left behind by a
// kill -9.

namespace headway::cli {

/// The time that one agent has to itself when it begins.
struct ProviderTurn {
    WallTime at{};
    WallTime until{};
    std::int64_t pid = 0;  ///< of its keeper
    std::string began{};   ///< by /proc, as another process may have the number later
    bool operator==(const ProviderTurn&) const = default;
};

struct ProviderTurns {
    WallTime limited_until{};         ///< a resumed agent found out that the limit holds until then
    WallTime limited_noted{};         ///< and when it found that out
    std::vector<ProviderTurn> taken;  ///< of keepers that live, by time
    bool operator==(const ProviderTurns&) const = default;
};

/// Takes the first turn that is free and not before `wanted`, for this keeper. One behind a pause
/// is a probe and has two margins to itself, others have half of one. Pure.
WallTime take_turn(ProviderTurns& turns, WallTime wanted, std::chrono::milliseconds margin,
                   std::int64_t pid, const std::string& began);

/// One line each, and the inverse, which leaves out what it cannot read. Pure.
std::string print_turns(const ProviderTurns& turns);
ProviderTurns read_turns(std::string_view text);

/// The state directory that a verb uses.
std::string state_folder_of(const ClientOptions& client,
                            std::map<std::string, std::string> environment);

class KeepGoingState {
public:
    /// `folder`: the state directory.
    explicit KeepGoingState(std::string folder) : folder_(std::move(folder)) {}

    /// Whether `headway keep-going off` was said.
    bool is_off() const;
    /// Error: kInternal, with the path and why.
    core::Result<> set_off(bool off) const;

    /// As take_turn(), among all agents of that name. Without a file, it cannot be taken: `wanted`.
    WallTime take_turn_of(const std::string& agent, WallTime wanted,
                          std::chrono::milliseconds margin) const;
    /// The limit of the provider still holds, as an agent of that name has found that was resumed
    /// at the reset. Not for the first limit of a run: it may be of another account or window, and
    /// each waits for its own.
    void note_limit(const std::string& agent, WallTime until, WallTime now) const;
    /// The end of a limit that another agent has found at or after `since`; the past if none.
    WallTime limited_until(const std::string& agent, WallTime since) const;

    std::string switch_file() const;

private:
    std::string turns_file(const std::string& agent) const;

    const std::string folder_;
};

}  // namespace headway::cli
