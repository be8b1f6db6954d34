// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode_checks.hpp"
#include "server/dispatcher_call.hpp"

// Requests about status checks and estimates.

namespace headway::server {

using core::Result;

namespace {

core::Error busy() {
    return {core::ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

}  // namespace

Result<> Dispatcher::route_judge(Call& call) {
    switch (call.request.target.route) {
        case api::Route::kCheckAsk:
            return ask_check(call);
        case api::Route::kEstimates:
            return estimates(call);
        default:
            return check(call);
    }
}

Result<> Dispatcher::ask_check(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_check(tape_, call.request.body));
    HEADWAY_CHECK(require_report(*call.caller, decoded.session));
    const std::string session = decoded.session;
    CheckCommand command{session, std::move(decoded.check_id), signed_by(*call.caller, {})};
    return submit(call, std::move(command), session, call.request.body.size());
}

Result<> Dispatcher::check(Call& call) {
    constexpr std::string_view kKnown[] = {"wait"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const std::string& id = call.request.target.check;
    HEADWAY_CHECK(wait_for_document(call, query, check_key(id)));
    if (ask(call.to, CheckQuery{id, call.caller->grants}, {}, 0)) return {};
    document_waits_.answered(call.to);
    return busy();
}

Result<> Dispatcher::estimates(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (!ask(call.to, EstimatesQuery{}, {}, 0)) return busy();
    return {};
}

void Dispatcher::judged(JudgeReply reply) {
    judged_.push_back(std::move(reply));
    pass_judged();
}

/// As many as the queue has room for; the rest with the next second.
void Dispatcher::pass_judged() {
    std::size_t passed = 0;
    for (; passed < judged_.size(); ++passed) {
        JudgedCommand command{judged_[passed]};
        const std::string session = command.reply.session;
        const std::size_t bytes = command.reply.text.size();
        if (!ask({}, std::move(command), session, bytes)) break;
    }
    judged_.erase(judged_.begin(), judged_.begin() + static_cast<std::ptrdiff_t>(passed));
}

}  // namespace headway::server
