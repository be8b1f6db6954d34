// SPDX-License-Identifier: Apache-2.0
#include "cli/session_names.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/text.hpp"
#include "core/suggest.hpp"

namespace headway::cli {

using nlohmann::json;

std::string nearest_session(Daemon& daemon, std::string_view id) {
    const HttpReply reply = daemon.get("/v1/sessions?view=row&limit=200");
    const std::optional<json> body = body_json(reply);
    if (!reply.ok() || !body || !body->is_object()) return {};
    std::vector<std::string> ids;
    for (const json& session : body->value("sessions", json::array())) {
        const auto found = session.find("id");
        if (found != session.end() && found->is_string()) ids.push_back(found->get<std::string>());
    }
    const std::vector<std::string_view> known(ids.begin(), ids.end());
    return clean_line(core::nearest(id, known));
}

}  // namespace headway::cli
