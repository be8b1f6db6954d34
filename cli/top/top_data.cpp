// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_data.hpp"

#include <algorithm>

#include "cli/views/event_line.hpp"

namespace headway::cli::top {

const Json::List& needs_of(const Json& data) {
    return data["overview"]["needs_you"].list();
}

std::string needs_total(const Json& data) {
    const std::uint64_t total = data["overview"].count_of("needs_you_total");
    const std::size_t listed = needs_of(data).size();
    return std::to_string(total) +
           (total > listed ? ", here the first " + std::to_string(listed) : "");
}

std::vector<NeedGroup> groups_of(const Json::List& needs) {
    std::vector<NeedGroup> groups;
    for (const Json& need : needs) {
        const std::string risk = plain_text(need, "risk");
        const bool risky = risk == "critical" || risk == "high";
        const std::string cause = (risky ? risk + " " : "") + plain_text(need, "kind");
        const auto found = std::ranges::find(groups, cause, &NeedGroup::cause);
        if (found == groups.end()) {
            groups.push_back({cause, &need, 1});
        } else {
            ++found->count;
        }
    }
    return groups;
}

bool sees_it(const TopState& state, const Json& data) {
    return plain_text(data["approval"], "id") == state.asked.approval;
}

const Json* row_of(const Json& data, const std::string& id) {
    for (const Json& row : data["rows"])
        if (plain_text(row, "id") == id) return &row;
    return nullptr;
}

bool needs_name(const TopState& state, const Json& data) {
    return state.asked.approve && sees_it(state, data) &&
           plain_text(data["approval"], "risk") == "critical" &&
           !plain_text(data["approval"], "tool").empty();
}

}  // namespace headway::cli::top
