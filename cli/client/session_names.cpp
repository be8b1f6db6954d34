// SPDX-License-Identifier: Apache-2.0
#include "cli/client/session_names.hpp"

#include <vector>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "core/text/suggest.hpp"

namespace headway::cli {

std::string nearest_session(Daemon& daemon, std::string_view id) {
    const HttpReply reply = daemon.get("/v1/sessions?view=row&limit=200");
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body) return {};
    std::vector<std::string> ids;
    for (const Json& session : (*body)["sessions"])
        if (session["id"].is_string()) ids.push_back(session.text_of("id"));
    const std::vector<std::string_view> known(ids.begin(), ids.end());
    return clean_line(core::nearest(id, known));
}

}  // namespace headway::cli
