// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "api/decode/decode.hpp"
#include "api/encode/encode.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/hub/streams/reading_time.hpp"

// Progress of a session, from its view.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using Encode = void (*)(std::string& out, const core::SessionView&, const api::ReadingTime&);

void answer_from_view(Call& call, const std::string& session, Encode encode, bool stale = false) {
    const auto reply = [&clock = call.on.clock, encode, stale](const core::SessionView& view) {
        Response response;
        encode(response.body, view, reading_time(clock));
        if (stale) api::append_as_of(response.body, view.n);
        return response;
    };
    if (const core::SessionView* view =
            stale ? call.on.views.find(session) : call.on.views.find_newest(session)) {
        call.respond(reply(*view));
        return;
    }
    call.on.views.get(session, [&replies = call.on.replies, to = call.to, path = call.path(),
                                reply](core::Result<const core::SessionView*> view) {
        if (view && *view != nullptr) {
            replies.respond(to, reply(**view));
        } else if (view) {
            replies.respond(
                to, problem_response({ErrorCode::kUnknownSession, "no such session", "id"}, path));
        } else {
            replies.respond(to, problem_response(view.error(), path));
        }
    });
}

}  // namespace

Result<> endpoints::progress(Call& call) {
    const std::string* stale = call.query.find("stale");
    if (stale != nullptr && *stale != "ok") {
        return Error{ErrorCode::kInvalidParameter,
                     "use stale=ok for the state in this daemon's memory, or leave it out",
                     "stale"};
    }
    ViewCache& views = call.on.views;
    const ViewCache::Versioned found =
        stale != nullptr ? views.read(call.session()) : views.read_newest(call.session());
    if (found.view == nullptr) {
        answer_from_view(call, call.session(), api::append_progress, stale != nullptr);
        return {};
    }
    Response& response = call.on.progress.of(found, reading_time(call.on.clock));
    if (stale != nullptr) api::append_as_of(response.body, found.view->n);
    call.respond(response);
    return {};
}

Result<> endpoints::chat_status(Call& call) {
    const api::Query& query = call.query;
    const std::string* id = query.find("sessionId");
    if (id == nullptr || !api::valid_id(*id)) {
        return Error{ErrorCode::kInvalidParameter, "give the session as ?sessionId=", "sessionId"};
    }
    HEADWAY_CHECK(require_read(call.caller, *id));
    answer_from_view(call, *id,
                     [](std::string& out, const core::SessionView& view, const api::ReadingTime&) {
                         api::append_chat_status(out, view);
                     });
    return {};
}

}  // namespace headway::server
