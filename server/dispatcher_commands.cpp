// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode.hpp"
#include "core/text.hpp"
#include "server/dispatcher_call.hpp"
#include "server/gate.hpp"
#include "server/session_id.hpp"

// Requests that change a session.

namespace headway::server {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<> Dispatcher::submit(Call& call, Command command, const std::string& session,
                            std::size_t bytes) {
    if (draining_) {
        return Error{ErrorCode::kDraining, "the daemon is going down; send it again", {}};
    }
    if (!ask(call.to, std::move(command), session, bytes)) {
        return Error{ErrorCode::kOverloaded, "nothing was stored; send it again", {}};
    }
    return {};
}

Result<> Dispatcher::report(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    const bool lines = is_media_type(call.request.head.content_type, "application/x-ndjson");
    const auto format = lines ? api::BodyFormat::kNdjson : api::BodyFormat::kJson;
    HEADWAY_TRY(auto decoded, api::decode_report(tape_, call.request.body, format));
    ReportCommand command{call.session(), std::move(decoded.events), decoded.batch,
                          std::move(decoded.whole_args),
                          access_.may_control(*call.caller, call.request.head)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::heartbeat(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_heartbeat(tape_, call.request.body));
    ReportCommand command{call.session(),
                          std::move(decoded.events),
                          false,
                          {},
                          access_.may_control(*call.caller, call.request.head)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::open(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_open(tape_, call.request.body));
    const bool named = call.request.target.route == api::Route::kOpenNamed;
    if (named && !decoded.id.empty() && decoded.id != call.session()) {
        return Error{ErrorCode::kInvalidField, "differs from the id in the path; leave it out",
                     "/id"};
    }
    OpenCommand command;
    command.controls = access_.may_control(*call.caller, call.request.head);
    command.bare = decoded.about == core::SessionStarted{};
    command.about = std::move(decoded.about);
    command.session = std::move(decoded.id);
    if (named) command.session = call.session();
    if (command.session.empty()) {
        // One that the token fits.
        const std::string prefix = call.caller->grants.prefixes().front();
        command.session = prefix + new_session_id(clock_.now());
        if (!api::valid_id(command.session)) command.session = prefix;
    }
    const std::string_view key = call.request.head.idempotency_key;
    if (!named && !key.empty()) {
        if (key.size() > 255) {
            return Error{ErrorCode::kInvalidField, "must be 1 to 255 bytes", "Idempotency-Key"};
        }
        command.idempotency_key = own_key(*call.caller, key);
        command.idempotency_fingerprint = core::to_hex(core::digest_of(call.request.body));
    }
    // A token for some sessions must not open others, nor have one of them answer for its own.
    HEADWAY_CHECK(require_report(*call.caller, command.session));
    if (!command.about.parent.empty()) {
        if (command.about.parent == command.session) {
            return Error{ErrorCode::kInvalidField, "must be another session than this one",
                         "/parent"};
        }
        HEADWAY_CHECK(require_report(*call.caller, command.about.parent));
    }
    const std::string session = command.session;
    return submit(call, std::move(command), session, call.request.body.size());
}

Result<> Dispatcher::end(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_end(tape_, call.request.body));
    EndCommand command{call.session(), std::move(decoded)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::cancel(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_cancel(tape_, call.request.body));
    CancelCommand command{call.session(), std::move(decoded)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::control(Call& call, Control control) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    const auto decode = control == Control::kNudge ? api::decode_nudge : api::decode_pause;
    HEADWAY_TRY(auto body, decode(tape_, call.request.body));
    body.by = signed_by(*call.caller, std::move(body.by));
    ControlCommand command{call.session(), control, std::move(body)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

}  // namespace headway::server
