// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/expectations.hpp"

#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::Result;

Result<> learn_use(storage::ExpectationTable& table, const core::UseRecord& record,
                   std::optional<core::Complexity> complexity) {
    HEADWAY_TRY(core::UseSketches use, table.use(record.agent, complexity));
    core::learn(use, record);
    return table.save_use(record.agent, complexity, use, record.ended_at);
}

api::AgentExpectation shown(std::string agent, const core::UseSketches& use,
                            core::BudgetSuggestion suggestion) {
    api::AgentExpectation expected;
    expected.agent = std::move(agent);
    expected.sessions = use.steps.sessions;
    expected.elapsed_ms = core::quantiles_of(use.elapsed_ms);
    expected.steps = core::quantiles_of(use.steps);
    expected.tokens = core::quantiles_of(use.tokens);
    expected.cost_micros = core::quantiles_of(use.cost_micros);
    expected.suggestion = suggestion;
    return expected;
}

/// Use under a name that is kept, or nothing: no row has another one.
Result<core::UseSketches> use_of(storage::ExpectationTable& table, std::string_view agent,
                                 std::optional<core::Complexity> complexity) {
    if (!core::is_expected_name(agent)) return core::UseSketches{};
    return table.use(agent, complexity);
}

}  // namespace

Result<> ExpectationProjection::apply(const Appended& appended) {
    for (const core::Event& event : appended.events) {
        if (core::CallTimes::notes(event)) appended.resident.calls.change().note(event);
        if (!std::holds_alternative<core::SessionEnded>(event.payload)) continue;
        HEADWAY_CHECK(learn(appended.resident, event.at));
    }
    return {};
}

Result<> ExpectationProjection::learn(Resident& resident, core::Timestamp at) {
    const core::LazyOptional<core::CallTimes> calls = std::exchange(resident.calls, {});
    const core::SessionState& state = resident.session.state();
    if (!core::is_expected_name(state.about.agent.type)) return {};
    storage::ExpectationTable& table = store_.expectations();
    const core::UseRecord record = core::use_record_of(state);
    HEADWAY_CHECK(learn_use(table, record, std::nullopt));
    if (state.about.complexity) HEADWAY_CHECK(learn_use(table, record, state.about.complexity));
    for (const core::CallTimes::Tool& tool : calls->tools()) {
        HEADWAY_TRY(core::Sketch sketch, table.calls(record.agent, tool.name));
        sketch.learn(tool.samples);
        HEADWAY_CHECK(table.save_calls(record.agent, tool.name, sketch, at));
    }
    return {};
}

Result<core::BudgetSuggestion> suggested_budget(storage::ExpectationTable& table,
                                                std::string_view agent,
                                                std::optional<core::Complexity> complexity,
                                                const core::BudgetBounds& bounds) {
    HEADWAY_TRY(const core::UseSketches all, use_of(table, agent, std::nullopt));
    core::UseSketches alike;
    if (complexity) {
        HEADWAY_TRY(alike, use_of(table, agent, complexity));
    }
    return core::suggest_budget(all, alike, complexity, bounds);
}

Result<std::string> usual_calls(const Reader& reader, const Resident& resident,
                                const core::BudgetStatus& status) {
    const auto& own = resident.calls->tools();
    if (status.level == core::BudgetLevel::kNominal || own.empty()) return std::string{};
    HEADWAY_TRY(auto calls,
                reader.store().expectations().list_calls(resident.session.state().about.agent.type,
                                                         core::limits::kExpectedToolsMax, true));
    std::erase_if(calls, [&own](const core::ExpectedCall& call) {
        return std::none_of(own.begin(), own.end(),
                            [&call](const auto& tool) { return tool.name == call.tool; });
    });
    return core::usual_calls_text(calls);
}

Result<core::SessionExpectations> expectations_of(const Reader& reader, const Resident& resident) {
    const core::SessionState& state = resident.session.state();
    core::SessionExpectations expected;
    if (state.ended()) return expected;
    storage::ExpectationTable& table = reader.store().expectations();
    for (const core::OpenCall& call : state.open_calls) {
        const auto known = std::find_if(expected.calls.begin(), expected.calls.end(),
                                        [&call](const auto& one) { return one.tool == call.tool; });
        if (known != expected.calls.end() || !core::is_expected_name(call.tool)) continue;
        HEADWAY_TRY(const core::Sketch sketch, table.calls(state.about.agent.type, call.tool));
        expected.calls.push_back({call.tool, sketch.sessions, core::quantiles_of(sketch)});
    }
    if (!state.budget.limited()) return expected;
    const api::ReadingTime time = reader.time();
    HEADWAY_TRY(expected.usual_calls,
                usual_calls(reader, resident, core::budget_status(state, time.now, time.watch)));
    return expected;
}

Result<api::Expectations> ExpectationQuery::operator()(Reader& reader) const {
    storage::ExpectationTable& table = reader.store().expectations();
    const core::BudgetBounds& bounds = reader.settings().budget.bounds;
    api::Expectations all;
    all.complexity = complexity;
    if (agent) {
        HEADWAY_TRY(const core::UseSketches use, use_of(table, *agent, std::nullopt));
        HEADWAY_TRY(auto suggestion, suggested_budget(table, *agent, complexity, bounds));
        all.agents.push_back(shown(*agent, use, suggestion));
        HEADWAY_TRY(all.agents.back().tools,
                    table.list_calls(*agent, core::limits::kExpectedToolsMax, false));
        return all;
    }
    HEADWAY_TRY(const auto uses, table.list_uses());
    for (const storage::StoredUse& one : uses) {
        core::UseSketches alike;
        if (complexity) {
            HEADWAY_TRY(alike, table.use(one.agent, complexity));
        }
        all.agents.push_back(
            shown(one.agent, one.use, core::suggest_budget(one.use, alike, complexity, bounds)));
    }
    return all;
}

}  // namespace headway::server
