// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode/decode_checks.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// Requests about status checks and estimates.

namespace headway::server {

using core::Result;

Result<> endpoints::ask_check(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_check(call.on.document, call.request.body));
    HEADWAY_CHECK(require_report(call.caller, decoded.session));
    const std::string session = decoded.session;
    CheckCommand command{session, std::move(decoded.check_id), signed_by(call.caller, {})};
    return call.write(std::move(command), session);
}

Result<> endpoints::show_check(Call& call) {
    const std::string& id = call.target().check;
    const std::string* session = call.query.find("sessionId");
    if (session != nullptr && !api::valid_id(*session))
        return core::Error{core::ErrorCode::kInvalidParameter,
                           "a session id is 1 to 128 of A-Z a-z 0-9 . _ ~ : -", "sessionId"};
    return call.read_document(
        CheckQuery{id, session != nullptr ? *session : std::string{}, call.caller.grants},
        check_key(id));
}

Result<> endpoints::estimate_analytics(Call& call) {
    return call.read(EstimatesQuery{});
}

}  // namespace headway::server
