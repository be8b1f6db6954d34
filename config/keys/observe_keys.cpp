// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/load/sections.hpp"

namespace headway::config {
namespace {

std::string observed_names() {
    std::string names;
    for (const std::string_view agent : kObservedAgents)
        names += (names.empty() ? "" : ", ") + std::string(agent);
    return names;
}

core::Result<Value::List> read_observed(const Value& value) {
    HEADWAY_TRY(Value::List names, parse_list(value, kObservedAgents.size(), "agents"));
    for (const std::string& name : names) {
        if (std::find(kObservedAgents.begin(), kObservedAgents.end(), name) !=
            kObservedAgents.end())
            continue;
        return mistake(in_quotes(name) + " is no agent that can be observed; use " +
                       observed_names());
    }
    return names;
}

}  // namespace

void add_observe_keys(std::vector<Key>& table) {
    table.push_back(value_row<read_observed, &Settings::observe, &ObserveSettings::agents>(
        Kind::kTextList, observed_names(), "observe.agents", kRestart,
        "Agents that are observed from their stored sessions, without hooks: [\"claude\"]."));
}

}  // namespace headway::config
