// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode/decode.hpp"
#include "core/text/text.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/tokens/session_id.hpp"

// Opening, ending and controlling a session.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// `named`: PUT with the id in the path.
Result<> open(Call& call, bool named) {
    HEADWAY_TRY(auto decoded, api::decode_open(call.on.document, call.request.body));
    if (named && !decoded.id.empty() && decoded.id != call.session()) {
        return Error{ErrorCode::kInvalidField, "differs from the id in the path; leave it out",
                     "/id"};
    }
    OpenCommand command;
    command.controls = call.controls();
    command.by_person = call.by_operator();
    command.decides = call.on.access.may(call.caller, call.request.head, Guard::kApprove);
    command.bare = decoded.about == core::SessionStarted{} && !decoded.suggested;
    command.suggested = decoded.suggested;
    command.about = std::move(decoded.about);
    command.session = std::move(decoded.id);
    if (named) command.session = call.session();
    if (command.session.empty()) {
        // An id that the token may report for.
        const std::string prefix = call.caller.grants.prefixes().front();
        command.session = prefix + new_session_id(call.on.clock.now());
        if (!api::valid_id(command.session)) command.session = prefix;
    }
    if (!named) {
        HEADWAY_TRY(command.idempotency_key, call.idempotency_key());
        if (!command.idempotency_key.empty())
            command.idempotency_fingerprint = core::to_hex(core::digest_of(call.request.body));
    }
    // A token for some sessions must not open or read others.
    HEADWAY_CHECK(require_report(call.caller, command.session));
    if (!command.about.parent.empty()) {
        if (command.about.parent == command.session) {
            return Error{ErrorCode::kInvalidField, "must be another session than this one",
                         "/parent"};
        }
        HEADWAY_CHECK(require_report(call.caller, command.about.parent));
    }
    const std::string session = command.session;
    return call.write(std::move(command), session);
}

Result<> control(Call& call, Control control) {
    const auto decode = control == Control::kNudge ? api::decode_nudge : api::decode_pause;
    HEADWAY_TRY(auto body, decode(call.on.document, call.request.body));
    body.by = signed_by(call.caller, std::move(body.by));
    const bool decides = call.on.access.may(call.caller, call.request.head, Guard::kApprove);
    ControlCommand command{call.session(), control, std::move(body), decides};
    return call.write(std::move(command), call.session());
}

}  // namespace

Result<> endpoints::open_session(Call& call) {
    return open(call, false);
}

Result<> endpoints::open_named_session(Call& call) {
    return open(call, true);
}

Result<> endpoints::end_session(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_end(call.on.document, call.request.body));
    // A run ends its own session, by the operator's token where it has that.
    const bool own = call.request.head.named_session() == call.session();
    if (call.by_operator() && !own) decoded.code = core::kEndedByPerson;
    EndCommand command{call.session(), std::move(decoded), call.controls()};
    return call.write(std::move(command), call.session());
}

Result<> endpoints::forget_session(Call& call) {
    return call.write(ForgetCommand{call.session()}, call.session());
}

Result<> endpoints::cancel_session(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_cancel(call.on.document, call.request.body));
    CancelCommand command{call.session(), std::move(decoded)};
    return call.write(std::move(command), call.session());
}

Result<> endpoints::pause_session(Call& call) {
    return control(call, Control::kPause);
}

Result<> endpoints::resume_session(Call& call) {
    return control(call, Control::kResume);
}

Result<> endpoints::nudge_session(Call& call) {
    return control(call, Control::kNudge);
}

}  // namespace headway::server
