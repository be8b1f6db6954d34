// SPDX-License-Identifier: Apache-2.0
#include "cli/held/hook_journal.hpp"

#include <cstddef>
#include <utility>

#include "cli/client/http_client.hpp"
#include "core/views/digest.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kPagesMax = 20;     // of 1000 events, in one look
constexpr std::size_t kChildrenMax = 32;  // more sub-agents are not looked at
constexpr const char* kWhatHooksTell =
    "/events?types=tool.started,tool.finished,approval.requested,message,heartbeat&limit=1000"
    "&after=";

HookJournal::Outcome outcome_of(const HttpReply& reply) {
    if (reply.ok()) return HookJournal::Outcome::kRead;
    const bool retry = worth_retrying(reply) || is_of_another_program(reply);
    return retry ? HookJournal::Outcome::kRetry : HookJournal::Outcome::kRefused;
}

}  // namespace

HookJournal::Page HookJournal::read(Daemon& daemon, const std::string& session, bool children) {
    Page page;
    page.outcome = read_session(daemon, session, page.events);
    if (page.outcome != Outcome::kRead || !children) return page;
    const HttpReply reply = daemon.get("/v1/sessions?limit=" + std::to_string(kChildrenMax) +
                                       "&parent=" + url_encode(session));
    const Json list = body_json(reply).value_or(Json::object());
    page.outcome = outcome_of(reply);
    for (const Json& child : list["sessions"]) {
        if (page.outcome != Outcome::kRead) break;
        page.outcome = read_session(daemon, child.text_of("id"), page.events);
    }
    return page;
}

HookJournal::Outcome HookJournal::read_session(Daemon& daemon, const std::string& session,
                                               std::vector<Json>& events) {
    std::uint64_t& after = read_to_[session];
    for (std::size_t i = 0; i < kPagesMax; ++i) {
        const HttpReply reply =
            daemon.get(session_path(session, kWhatHooksTell + std::to_string(after)));
        if (reply.status == 404 && !is_of_another_program(reply)) return Outcome::kRead;
        if (!reply.ok()) return outcome_of(reply);
        const Json page = body_json(reply).value_or(Json::object());
        for (const Json& event : page["events"]) {
            const std::string& id = event.text_of("event_id");
            const bool own = id.starts_with(own_) || id.starts_with(core::kKeepGoingEvent);
            if (!own) events.push_back(event);
        }
        if (!page.flag_of("more") || !page["next"].is_unsigned()) {
            after = page.count_of("head", after);
            return Outcome::kRead;
        }
        after = page.count_of("next");
    }
    return Outcome::kRead;
}

}  // namespace headway::cli
