// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_data.hpp"

#include <algorithm>

#include "cli/base/text.hpp"
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
            found->same_reason = found->same_reason &&
                                 plain_text(need, "reason") == plain_text(*found->first, "reason");
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

bool needs_words(const TopState& state, const Json& data) {
    const Json& approval = data["approval"];
    return state.asked.approve && sees_it(state, data) &&
           plain_text(approval, "kind") == "question" &&
           plain_text(approval, "source") != "headway";
}

std::string asked_line(const TopState& state, const Json& data) {
    const std::string& id = state.asked.approval;
    const bool answers = needs_words(state, data);
    if (state.asked.approve && !state.whole) {
        const std::string verb = answers ? "answer " + id + " \"...\"" : "approve " + id;
        return "This window is too small to show all of " + id + ": make it larger, or `headway " +
               verb + "`; any other key: no";
    }
    const std::string whose = id + " of " + state.asked.session;
    const std::string typed = "   > " + clean_line(state.typed) + "_";
    if (answers) return "Answer " + whose + "? Type your answer, and press enter; esc: no" + typed;
    if (needs_name(state, data)) {
        return "CRITICAL. Approve " + whose + "? Type the name of the tool, " +
               plain_text(data["approval"], "tool") + ", and press enter; esc: no" + typed;
    }
    return std::string{state.asked.approve ? "Approve " : "Deny "} + whose +
           (sees_it(state, data) ? "?  y: yes, any other key: no" : "?  one moment");
}

}  // namespace headway::cli::top
