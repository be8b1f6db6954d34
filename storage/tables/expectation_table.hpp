// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/budgets/expectations.hpp"

namespace headway::storage {

/// Use of the sessions of one agent type.
struct StoredUse {
    std::string agent;
    core::UseSketches use;
};

/// Knowledge from ended sessions, by agent type: part of the Store, with its thread, transactions
/// and errors. At most limits::kExpectedAgentsMax agent types with limits::kExpectedToolsMax tools
/// each: a new entry replaces the least recently updated one, preferably an entry learned from too
/// few sessions. A value that cannot be decoded, or that no session could have produced, is
/// ignored.
class ExpectationTable {
public:
    virtual ~ExpectationTable() = default;

    /// Use of all sessions of the agent type, or of its sessions of one complexity; empty without
    /// sessions.
    virtual core::Result<core::UseSketches> use(std::string_view agent,
                                                std::optional<core::Complexity> complexity) = 0;
    /// `at` is the end of the session that `use` was learned from. An agent type is first saved
    /// without a complexity.
    virtual core::Result<> save_use(std::string_view agent,
                                    std::optional<core::Complexity> complexity,
                                    const core::UseSketches& use, core::Timestamp at) = 0;
    /// Durations of the calls of a tool, in ms.
    virtual core::Result<core::Sketch> calls(std::string_view agent, std::string_view tool) = 0;
    virtual core::Result<> save_calls(std::string_view agent, std::string_view tool,
                                      const core::Sketch& calls, core::Timestamp at) = 0;

    /// All agent types, sorted by name.
    virtual core::Result<std::vector<StoredUse>> list_uses() = 0;
    /// Tools of the agent type, those learned from most sessions first; `ready`: only tools learned
    /// from enough sessions.
    virtual core::Result<std::vector<core::ExpectedCall>> list_calls(std::string_view agent,
                                                                     std::size_t limit,
                                                                     bool ready) = 0;
};

}  // namespace headway::storage
