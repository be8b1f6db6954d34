// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/budgets/budget_history.hpp"

namespace headway::storage {

/// Counters and usage records, which outlive their sessions. A part of the Store, with the same
/// thread, transactions and errors.
class HistoryTable {
public:
    virtual ~HistoryTable() = default;

    /// A counter that outlives the sessions that it counts; 0 if nothing has been added yet.
    virtual core::Result<std::int64_t> counter(std::string_view name) = 0;
    virtual core::Result<> add_to_counter(std::string_view name, std::int64_t delta) = 0;

    /// Records how much a session used (tokens, cost, time); the session ends in this transaction.
    virtual core::Result<> add_use(const core::UseRecord& record) = 0;
    /// The newest usage records of one agent type, or of all agent types.
    virtual core::Result<std::vector<core::UseRecord>> list_uses(
        const std::optional<std::string>& agent, std::size_t limit) = 0;
};

}  // namespace headway::storage
