// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/below.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/wait/verdict_wait.hpp"

namespace headway::cli {
namespace {

bool takes_need(std::string_view until) {
    return until.find("settled") != until.npos || until.find("needs_somebody") != until.npos;
}

std::optional<Json> read(Daemon& daemon, const std::string& path) {
    const HttpReply reply = daemon.get(path);
    if (!reply.answered() || worth_retrying(reply)) return std::nullopt;
    return reply.ok() ? body_json(reply).value_or(Json()) : Json();  // none is opened so far
}

/// Empty: no sub-agent needs a person. Nothing: the daemon has not answered.
std::optional<std::string> need_below(Daemon& daemon, const std::string& id) {
    const std::optional<Json> session = read(daemon, session_path(id));
    if (!session) return std::nullopt;
    const std::uint64_t asked = session->count_of("approvals_below");
    if (asked > 0) {
        return clean_line(id) + ": a sub-agent waits for a person (" + std::to_string(asked) +
               (asked == 1 ? " approval" : " approvals") + "); `headway approvals` lists them";
    }
    const std::optional<Json> blocked =
        read(daemon, "/v1/sessions?open=true&verdict=blocked&limit=1&parent=" + url_encode(id));
    if (!blocked) return std::nullopt;
    const Json& first = (*blocked)["sessions"][std::size_t{0}];
    if (first.is_null()) return "";
    return clean_line(id) + ": its sub-agent " + clean_line(first.text_of("id")) + " is blocked (" +
           clean_line(first["verdict"].text_of("reason")) + ")";
}

}  // namespace

NeedsBelow needs_below(Daemon& daemon, bool any, std::string_view until, WaitAnswer& answer) {
    NeedsBelow needs;
    if (!takes_need(until)) return needs;
    for (const std::string& id : answer.unmet) {
        std::optional<std::string> line = need_below(daemon, id);
        // A daemon that does not answer would take the time of the wait for each session.
        if (!line || (line->empty() && !any)) return {};
        if (!line->empty()) needs.emplace(id, *std::move(line));
        if (any && !needs.empty()) break;
    }
    if (needs.empty()) return needs;
    if (answer.exit_code == kExitOk) answer.exit_code = kExitNeedsHuman;  // others are worse
    if (answer.lines.size() == 1) answer.lines.clear();
    for (const auto& [id, line] : needs)
        answer.lines.push_back(line);
    return needs;
}

}  // namespace headway::cli
