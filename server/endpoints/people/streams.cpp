// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/streams.hpp"

#include "api/text/sse.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// Server-Sent Events.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<> follow(Call& call, StreamKind kind) {
    const api::Query& query = call.query;
    if (call.on.state.draining)
        return Error{ErrorCode::kDraining, "the daemon is going down; reconnect", {}};
    std::optional<std::int64_t> after;
    if (!call.request.head.last_event_id.empty()) {
        HEADWAY_TRY(after, api::parse_position(call.request.head.last_event_id, "Last-Event-ID"));
    } else if (const std::string* id = query.find("last_event_id")) {
        HEADWAY_TRY(after, api::parse_position(*id, "last_event_id"));
    }
    if (kind == StreamKind::kProgress) after.reset();  // progress has no history
    return call.on.streams.open(
        call.connection, call.to.slot, kind, call.session(), after,
        {call.on.access.stays_as(call.caller, call.request.head), call.place_holder()});
}

}  // namespace

Result<> endpoints::stream_session(Call& call) {
    return follow(call, StreamKind::kSession);
}

Result<> endpoints::stream_all(Call& call) {
    return follow(call, StreamKind::kAll);
}

Result<> endpoints::stream_progress(Call& call) {
    return follow(call, StreamKind::kProgress);
}

}  // namespace headway::server
