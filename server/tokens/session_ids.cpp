// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/session_ids.hpp"

#include <algorithm>
#include <utility>

#include "api/decode/decode.hpp"

namespace headway::server {

using core::Error;
using core::ErrorCode;

core::Result<std::vector<std::string>> parse_ids(const std::string& list, std::string_view field,
                                                 std::size_t count_max) {
    std::vector<std::string> ids;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t comma = std::min(list.find(',', from), list.size());
        std::string id = list.substr(from, comma - from);
        from = comma + 1;
        if (!api::valid_id(id)) {
            return Error{ErrorCode::kInvalidId, "must be a comma list of session ids",
                         std::string{field}};
        }
        // Drops duplicates.
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
    }
    if (ids.size() > count_max) {
        return Error{ErrorCode::kInvalidParameter,
                     "names more than " + std::to_string(count_max) + " sessions",
                     std::string{field}};
    }
    return ids;
}

std::string agent_type(std::string_view text) {
    return std::string{text == "command" ? "agent" : text};
}

}  // namespace headway::server
