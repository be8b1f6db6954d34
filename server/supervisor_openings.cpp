// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/budget_settings.hpp"
#include "server/supervisor_turn.hpp"

// Opening of sessions: by a request, or by a report with a later opening.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

bool same_or_absent(const auto& given, const auto& effective) {
    return !given || given == effective;
}

std::string differing_limit(const core::BudgetLimits& again, const core::BudgetLimits& opened) {
    std::string name;
    core::for_each_field<core::BudgetLimits>([&](const auto& field, std::size_t) {
        const bool same = same_or_absent(again.*field.member, opened.*field.member);
        if (name.empty() && !same) name = "/budget/" + std::string{field.name};
    });
    return name;
}

/// The first field in which the opening `again` differs from the session; empty if it changes
/// nothing.
std::string differing(const core::SessionState& state, const core::SessionStarted& again,
                      const core::PolicyFloor* floor, const core::Policy& defaults) {
    const core::SessionStarted& opened = state.about;
    if (!(opened.goal == again.goal)) return "/goal";
    if (!(opened.agent == again.agent)) return "/agent";
    if (opened.parent != again.parent) return "/parent";
    if (opened.labels != again.labels) return "/labels";
    // Through the same floor as the first time, so that raised values are equal.
    core::Policy wanted = core::effective_policy(again.policy, state.policy);
    if (floor != nullptr) (void)core::raise_to(*floor, defaults, wanted);
    const std::string field = core::differing_field(again.policy, wanted, state.policy);
    if (!field.empty()) return "/policy" + field;
    return differing_limit(again.budget, opened.budget);
}

}  // namespace

/// Applies the floor to a caller without the scope `control`.
core::Context Supervisor::with_floor(const core::Context& context, bool controls) const {
    core::Context bound = context;
    bound.floor = controls ? nullptr : &settings_.floor;
    return bound;
}

/// Opens the session of a report to an unknown id, into events_.
Result<> Supervisor::open_if_new(Resident*& resident, const std::string& id,
                                 const core::Context& context) {
    if (resident != nullptr) return {};
    HEADWAY_TRY(resident, create_resident(id, context.now));
    core::SessionStarted about;
    about.implicit = true;
    give_budget(about);
    resident->session.open(std::move(about), settings_.policy, context, events_);
    return {};
}

Result<Answer> Supervisor::handle(OpenCommand& command, const core::Context& context, Turn& turn) {
    if (!command.idempotency_key.empty()) {
        HEADWAY_TRY(const auto use, store_.find_idempotency_key(command.idempotency_key));
        Resident* opened = nullptr;
        if (use) {
            HEADWAY_TRY(opened, find_resident(use->session));
        }
        if (opened != nullptr && use->fingerprint != command.idempotency_fingerprint) {
            return Error{ErrorCode::kIdempotencyMismatch,
                         "this key was used with another body; use a new key", "Idempotency-Key"};
        }
        if (opened != nullptr) {  // the session of the key was deleted: the key is free again
            return Answer{document(opened->session, 200, "Idempotent-Replayed: true\r\n")};
        }
    }
    const core::Context bound = with_floor(context, command.controls);
    HEADWAY_TRY(Resident * resident, find_resident(command.session));
    if (resident != nullptr) return open_again(*resident, command, bound, turn);
    HEADWAY_CHECK(core::check_bounds(command.about.budget, settings_.budget.bounds, "/budget"));
    HEADWAY_TRY(resident, create_resident(command.session, context.now));
    events_.clear();
    give_budget(command.about);
    resident->session.open(std::move(command.about), settings_.policy, bound, events_);
    HEADWAY_CHECK(store_events(*resident, events_, turn));
    if (!command.idempotency_key.empty()) {
        HEADWAY_CHECK(store_.add_idempotency_key(command.idempotency_key,
                                                 {command.idempotency_fingerprint, command.session},
                                                 context.now));
    }
    return Answer{
        document(resident->session, 201, "Location: /v1/sessions/" + command.session + "\r\n")};
}

Result<Answer> Supervisor::open_again(Resident& resident, OpenCommand& command,
                                      const core::Context& context, Turn& turn) {
    if (command.bare) return Answer{document(resident.session, 200, {})};
    const core::SessionState& state = resident.session.state();
    if (state.about.implicit && !state.ended()) {
        HEADWAY_CHECK(core::check_bounds(command.about.budget, settings_.budget.bounds, "/budget"));
        events_.clear();
        add_budget(command.about, state.budget.limits);
        HEADWAY_CHECK(
            resident.session.amend(std::move(command.about), settings_.policy, context, events_));
        HEADWAY_CHECK(store_events(resident, events_, turn));
        return Answer{document(resident.session, 200, {})};
    }
    std::string field = differing(state, command.about, context.floor, settings_.policy);
    if (field.empty()) return Answer{document(resident.session, 200, {})};
    const std::string what = "another " + field.substr(1);
    return Error{ErrorCode::kSessionExists,
                 state.ended() ? "the session has ended, and had " + what +
                                     "; an ended session stays ended: choose another id to begin "
                                     "a new one"
                               : "the session is open with " + what +
                                     "; send an empty body to take it as it is, or choose another "
                                     "id",
                 std::move(field)};
}

BodyReply Supervisor::document(const core::Session& session, int status,
                               std::string headers) const {
    BodyReply reply;
    reply.status = status;
    reply.headers = std::move(headers);
    api::append_session(reply.body, session, reading_time());
    return reply;
}

}  // namespace headway::server
