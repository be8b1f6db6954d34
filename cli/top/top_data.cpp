// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_data.hpp"

#include "cli/views/event_line.hpp"

namespace headway::cli::top {

const Json::List& needs_of(const Json& data) {
    return data["overview"]["needs_you"].list();
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
