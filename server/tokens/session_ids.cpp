// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/session_ids.hpp"

#include <algorithm>
#include <utility>

#include "api/decode/decode.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"

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

std::string agent_session(std::string_view agent, const std::string& native) {
    std::string id = std::string{agent} + "-" + native;
    // Room for a sub-agent and a generation.
    const bool fits = id.size() + 8 <= core::limits::kIdBytesMax && api::valid_id(id);
    return fits ? id : std::string{agent} + "-h" + core::to_hex(core::digest_of(native));
}

std::string agent_type(std::string_view said) {
    return std::string{said == "command" ? "agent" : said};
}

std::string child_session(const std::string& parent, const std::string& agent_id) {
    std::string id = parent + "." + agent_id;
    const bool fits = id.size() + 4 <= core::limits::kIdBytesMax && api::valid_id(id);
    if (fits) return id;
    // The digest is of both, and the beginning keeps it in the scope of its token.
    id = core::to_hex(core::digest_of(id));
    return parent.substr(0, core::limits::kIdBytesMax - id.size() - 5) + "." + id;
}

}  // namespace headway::server
