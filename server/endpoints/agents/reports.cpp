// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <utility>

#include "api/decode/decode.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/http/message/gate.hpp"

// Reports of agents.

namespace headway::server {

using core::Result;

namespace {

Result<> pass_on_report(Call& call, api::DecodedReport&& decoded) {
    ReportCommand command{call.session(), std::move(decoded.events), decoded.batch,
                          std::move(decoded.whole_args), call.controls()};
    command.by_operator = call.by_operator();
    return call.write(std::move(command), call.session());
}

}  // namespace

Result<> endpoints::report(Call& call) {
    const bool lines = is_media_type(call.request.head.content_type, "application/x-ndjson");
    const auto format = lines ? api::BodyFormat::kNdjson : api::BodyFormat::kJson;
    return call.read_body(
        [format](api::JsonDocument& document, std::string_view body) {
            return api::decode_report(document, body, format);
        },
        pass_on_report);
}

Result<> endpoints::record(Call& call) {
    return call.read_body(
        [](api::JsonDocument& document, std::string_view body) {
            return api::decode_recording(document, body);
        },
        [](Call& read, api::DecodedRecording&& part) {
            const bool dry_run = read.query.find("dry_run") != nullptr;
            return read.write(RecordCommand{read.session(), std::move(part), dry_run},
                              read.session());
        });
}

Result<> endpoints::heartbeat(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_heartbeat(call.on.document, call.request.body));
    ReportCommand command{call.session(), std::move(decoded.events), false, {}, call.controls()};
    return call.write(std::move(command), call.session());
}

}  // namespace headway::server
