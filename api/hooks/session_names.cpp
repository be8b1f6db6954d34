// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/session_names.hpp"

#include "api/decode/decode.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"

namespace headway::api::hooks {

std::string agent_session(std::string_view agent, const std::string& native) {
    std::string id = std::string{agent} + "-" + native;
    // Room for a sub-agent and a generation.
    const bool fits = id.size() + 8 <= core::limits::kIdBytesMax && api::valid_id(id);
    return fits ? id : std::string{agent} + "-h" + core::to_hex(core::digest_of(native));
}

std::string child_session(const std::string& parent, const std::string& agent_id) {
    std::string id = parent + "." + agent_id;
    const bool fits = id.size() + 4 <= core::limits::kIdBytesMax && api::valid_id(id);
    if (fits) return id;
    // The digest is of both, and the beginning keeps it in the scope of its token.
    id = core::to_hex(core::digest_of(id));
    return parent.substr(0, core::limits::kIdBytesMax - id.size() - 5) + "." + id;
}

}  // namespace headway::api::hooks
