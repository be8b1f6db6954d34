// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode.hpp"
#include "server/endpoints/call.hpp"
#include "server/endpoints/handlers.hpp"
#include "server/gate.hpp"

// Reports of agents.

namespace headway::server {

using core::Result;

Result<> endpoints::report(Call& call) {
    const bool lines = is_media_type(call.request.head.content_type, "application/x-ndjson");
    const auto format = lines ? api::BodyFormat::kNdjson : api::BodyFormat::kJson;
    HEADWAY_TRY(auto decoded, api::decode_report(call.on.tape, call.request.body, format));
    ReportCommand command{call.session(), std::move(decoded.events), decoded.batch,
                          std::move(decoded.whole_args), call.controls()};
    command.by_operator = call.by_operator();
    return call.write(std::move(command), call.session());
}

Result<> endpoints::heartbeat(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_heartbeat(call.on.tape, call.request.body));
    ReportCommand command{call.session(), std::move(decoded.events), false, {}, call.controls()};
    return call.write(std::move(command), call.session());
}

}  // namespace headway::server
