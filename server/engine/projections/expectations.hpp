// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "api/encode/parts/encode_expectations.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/expectations.hpp"
#include "server/engine/transaction/projection.hpp"
#include "server/engine/transaction/reader.hpp"
#include "storage/tables/expectation_table.hpp"

// Expectations learned from ended sessions, and functions that read them. They appear in replies,
// and they give the budget for an opening that requests a suggestion. No verdict, directive or fold
// uses them.

namespace headway::server {

/// Collects the durations of a session's calls while the session is in memory, and learns from
/// these durations when the session ends.
class ExpectationProjection final : public Projection {
public:
    explicit ExpectationProjection(storage::Store& store) : store_(store) {}
    core::Result<> apply(const Appended& appended) override;

private:
    core::Result<> learn(Resident& resident, core::Timestamp at);

    storage::Store& store_;
};

/// The budget to suggest for a new session of this agent type.
core::Result<core::BudgetSuggestion> suggested_budget(storage::ExpectationTable& table,
                                                      std::string_view agent,
                                                      std::optional<core::Complexity> complexity,
                                                      const core::BudgetBounds& bounds);

/// The text to add to the prompt if the budget is above the level nominal; otherwise empty. Covers
/// only the tools that the session has called since it was loaded into memory.
core::Result<std::string> usual_calls(const Reader& reader, const Resident& resident,
                                      const core::BudgetStatus& status);

/// Expectations for the document of a session.
core::Result<core::SessionExpectations> expectations_of(const Reader& reader,
                                                        const Resident& resident);

/// Expectations, by agent type.
struct ExpectationQuery {
    std::optional<std::string> agent;
    std::optional<core::Complexity> complexity;

    core::Result<api::Expectations> operator()(Reader& reader) const;
};

}  // namespace headway::server
