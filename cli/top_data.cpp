// SPDX-License-Identifier: Apache-2.0
#include "cli/top_data.hpp"

#include <nlohmann/json.hpp>

#include "cli/event_line.hpp"

namespace headway::cli::top {

using nlohmann::json;

const json& at(const json& object, const char* name) {
    static const json null;
    if (!object.is_object()) return null;
    const auto found = object.find(name);
    return found == object.end() ? null : *found;
}

const json& list_at(const json& object, const char* name) {
    static const json none = json::array();
    const json& list = at(object, name);
    return list.is_array() ? list : none;
}

std::string text_at(const json& object, const char* name) {
    const json& value = at(object, name);
    return value.is_null() ? std::string{} : plain_text(value);
}

std::size_t index_of(const json& rows, const std::string& id) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (text_at(rows[i], "id") == id) return i;
    return 0;
}

const json& needs_of(const json& data) {
    return list_at(at(data, "overview"), "needs_you");
}

/// Whether the person can see what is decided: it was read, and is that one.
bool sees_it(const TopState& state, const json& data) {
    return text_at(at(data, "approval"), "id") == state.asked.approval;
}

const json* row_of(const json& data, const std::string& id) {
    for (const json& row : list_at(data, "rows"))
        if (text_at(row, "id") == id) return &row;
    return nullptr;
}

}  // namespace headway::cli::top
