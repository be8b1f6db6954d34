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

/// The resources that sessions of one agent type used.
struct StoredUse {
    std::string agent;
    core::UseSketches use;
};

/// Figures learned from ended sessions, by agent type: a part of the Store, with the same thread,
/// transactions and errors. At most limits::kExpectedAgentsMax agent types with
/// limits::kExpectedToolsMax tools each are kept. Beyond this, a new entry replaces the entry that
/// was updated least recently. Entries that are out of date or learned from too few sessions are
/// replaced before all others. A value that cannot be decoded, or that no session could have
/// produced, is ignored.
class ExpectationTable {
public:
    virtual ~ExpectationTable() = default;

    /// The resources that sessions of the agent type used: all its sessions, or only those with the
    /// given complexity. Empty if there are no such sessions.
    virtual core::Result<core::UseSketches> use(std::string_view agent,
                                                std::optional<core::Complexity> complexity) = 0;
    /// `at` is the end of the session that `use` was learned from. The caller must save an agent
    /// type without a complexity before it saves the same type with a complexity.
    virtual core::Result<> save_use(std::string_view agent,
                                    std::optional<core::Complexity> complexity,
                                    const core::UseSketches& use, core::Timestamp at) = 0;
    /// The durations of a tool's calls, in ms.
    virtual core::Result<core::Sketch> calls(std::string_view agent, std::string_view tool) = 0;
    virtual core::Result<> save_calls(std::string_view agent, std::string_view tool,
                                      const core::Sketch& calls, core::Timestamp at) = 0;

    /// All agent types, sorted by name.
    virtual core::Result<std::vector<StoredUse>> list_uses() = 0;
    /// The tools of the agent type; those learned from the most sessions come first. With `ready`,
    /// only tools learned from enough sessions.
    virtual core::Result<std::vector<core::ExpectedCall>> list_calls(std::string_view agent,
                                                                     std::size_t limit,
                                                                     bool ready) = 0;
};

}  // namespace headway::storage
