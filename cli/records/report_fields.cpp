// SPDX-License-Identifier: Apache-2.0
#include "cli/records/report_fields.hpp"

#include <string_view>

#include "cli/base/json.hpp"

namespace headway::cli {
namespace {

core::Error not_a_pair(const std::string& text) {
    return {core::ErrorCode::kInvalidField, "\"" + text + "\" is not key=value", {}};
}

Json value_of(const std::string& text) {
    return Json::parse(text).value_or(Json(text));
}

core::Result<> set_field(Json& data, const std::string& pair) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos) return not_a_pair(pair);
    Json* target = &data;
    std::string path = pair.substr(0, equals);
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
        target = &(*target)[path.substr(0, dot)];
        path.erase(0, dot + 1);
        if (!target->is_null() && !target->is_object()) return not_a_pair(pair);
    }
    if (path.empty()) return not_a_pair(pair);
    (*target)[path] = value_of(pair.substr(equals + 1));
    return {};
}

}  // namespace

core::Result<Json> build_data(const std::string& text, const std::vector<std::string>& fields) {
    Json data = text.empty() ? Json::object() : Json::parse(text).value_or(Json());
    if (!data.is_object()) {
        return core::Error{core::ErrorCode::kInvalidJson, "--data is not a JSON object", {}};
    }
    for (const std::string& pair : fields) {
        HEADWAY_CHECK(set_field(data, pair));
    }
    return data;
}

core::Result<> check_once(const std::vector<std::string>& pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::string name = pairs[i].substr(0, pairs[i].find('='));
        for (std::size_t other = 0; other < pairs.size(); ++other) {
            if (other == i || !pairs[other].starts_with(name)) continue;
            const std::string_view rest = std::string_view{pairs[other]}.substr(name.size());
            if (!rest.starts_with('=') && !rest.starts_with('.')) continue;
            return core::Error{
                core::ErrorCode::kInvalidField,
                "\"" + name + "\" is given more than once: " + pairs[i] + " and " + pairs[other],
                name};
        }
    }
    return {};
}

core::Result<Json> build_labels(const std::vector<std::string>& pairs) {
    Json labels = Json::object();
    for (const std::string& pair : pairs) {
        const std::size_t equals = pair.find('=');
        const bool whole = equals != std::string::npos && equals + 1 < pair.size();
        if (equals == 0 || !whole) return not_a_pair(pair);
        labels[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return labels;
}

}  // namespace headway::cli
