// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/session_commands.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/budgets/budget.hpp"
#include "core/judgement/failure.hpp"
#include "core/meters/budget_settings.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/family_writes.hpp"
#include "server/engine/projections/expectations.hpp"

namespace headway::server {
namespace {

using core::Result;

/// Ends a recording whose import is not complete, so that no further part is added.
Result<> end_recording(Transaction& transaction, Resident& resident) {
    const core::Timestamp last = resident.session.state().budget.clock_at;
    core::Context context;
    context.now = last;
    context.watch = core::Watch{last};
    core::SessionEnded end;
    end.outcome = core::Outcome::kFailed;
    end.reason = core::bounded_text("its import was not completed");
    std::vector<core::Event> reported(1);
    reported.front().at = last;
    reported.front().payload = std::move(end);
    std::vector<core::Event>& events = transaction.events();
    resident.session.report(reported, context, events);
    return transaction.append(resident, events);
}

/// The reply after a person's command: its own event is the session's last one. A command that
/// wrote nothing behind event `before` is one that was obeyed already.
Result<Advised> advise_last(Transaction& transaction, Resident& resident, std::uint64_t before) {
    api::Advice advice;
    advice.n = resident.session.state().n;
    advice.duplicates = advice.n == before ? 1 : 0;
    return advise(transaction, resident, std::move(advice));
}

}  // namespace

Result<Resident*> require_live(Transaction& transaction, const std::string& session) {
    HEADWAY_TRY(Resident * resident, transaction.require(session));
    const core::SessionState& state = resident->session.state();
    if (!state.about.recorded || state.ended()) return resident;
    return core::Error{core::ErrorCode::kSessionExists,
                       "this session is recorded, and its import is not complete: no agent is "
                       "there to obey; repeat `headway scan --into`, or forget the session",
                       {}};
}

namespace {

/// For an operator's command: the error about an ended session names the one that goes on.
Result<Resident*> require_open(Transaction& transaction, const std::string& session) {
    HEADWAY_TRY(Resident * resident, require_live(transaction, session));
    HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *resident));
    if (after == nullptr || after->session.state().ended()) return resident;
    return core::Error{core::ErrorCode::kSessionEnded,
                       "the session has ended, and its conversation goes on as " +
                           after->session.id() + "; use that id",
                       {}};
}

}  // namespace

Result<Advised> advise(Transaction& transaction, Resident& resident, api::Advice advice,
                       bool again) {
    transaction.touch(resident);
    for (const core::Directive& directive : resident.session.state().directives) {
        if (!directive.to_tell()) continue;
        auto& counts = resident.deliveries.change();
        auto count = std::find_if(counts.begin(), counts.end(),
                                  [&](const auto& c) { return c.first == directive.id; });
        if (count == counts.end()) count = counts.insert(counts.end(), {directive.id, 0});
        if (!again || count->second == 0) ++count->second;
        advice.directives.emplace_back(directive, count->second);
    }
    if (advice.directives.empty()) {
        resident.deliveries.reset();
    } else {
        std::erase_if(resident.deliveries.change(), [&advice](const auto& count) {
            return std::none_of(advice.directives.begin(), advice.directives.end(),
                                [&](const auto& d) { return d.first.id == count.first; });
        });
    }
    const core::SessionState& state = resident.session.state();
    const core::Context& context = transaction.context();
    advice.feedback = core::feedback_of(state, context.now);
    if (state.budget.limited()) {
        advice.budget = std::make_shared<const core::BudgetStatus>(
            core::budget_status(state, context.now, context.watch));
        HEADWAY_TRY(advice.usual_calls,
                    usual_calls(transaction.reader(), resident, *advice.budget));
    }
    HEADWAY_TRY(advice.approvals, approval_notices(transaction.reader(), resident));
    return Advised{std::move(advice), resident.session.id()};
}

bool is_of_run(const core::SessionState& state) {
    return state.about.agent.type == kRunType;
}

bool is_supervised(const core::SessionState& state) {
    return state.about.by_operator && is_of_run(state);
}

core::StateChanged agent_has_ended() {
    core::StateChanged idle;
    idle.detail = "the agent has ended";
    return idle;
}

Result<Advised> EndCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, require_live(transaction, session));
    api::Advice advice;
    if (resident->session.state().outcome == end.outcome) {
        advice.n = resident->session.state().n;  // idempotent replay
        return advise(transaction, *resident, std::move(advice));
    }
    std::vector<core::Event> reported(1);
    reported.front().payload = std::move(end);
    const bool goes_on = !controls && is_supervised(resident->session.state());
    if (goes_on) reported.front().payload = agent_has_ended();
    if (transaction.settings().capture.only_digests(resident->session.state().about))
        core::keep_digests(reported.front().payload);
    HEADWAY_CHECK(resident->session.admit(reported));
    std::vector<core::Event>& events = transaction.events();
    resident->session.report(reported, transaction.context(), events);
    advice.accepted = 1;
    for (const core::Event& event : events) {  // a time credit may come first
        const bool ends = std::holds_alternative<core::SessionEnded>(event.payload);
        if (ends || (goes_on && std::holds_alternative<core::StateChanged>(event.payload)))
            advice.n = event.n;
    }
    HEADWAY_CHECK(transaction.append(*resident, events));
    return advise(transaction, *resident, std::move(advice));
}

Result<Forgotten> ForgetCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.require(session));
    const core::SessionState& state = resident->session.state();
    if (!state.ended() && !state.about.recorded) {
        return core::Error{core::ErrorCode::kSessionOpen,
                           "the session is open, and its agent may report more; end it first",
                           {}};
    }
    Reader& reader = transaction.reader();
    HEADWAY_TRY(const std::string newest, in_force(reader, base_of(session), Begins::kNever));
    HEADWAY_TRY(const Resident* later, reader.find(newest));
    const bool binds = later != nullptr && later != resident &&
                       (!later->session.state().ended() || later->session.state().paused() ||
                        was_stopped(later->session.state()));
    if (binds) {
        return core::Error{core::ErrorCode::kSessionOpen,
                           "its conversation goes on in " + newest + ": end and forget that first",
                           {}};
    }
    // A part that comes after the request must not be stored behind the deletion.
    if (!state.ended()) HEADWAY_CHECK(end_recording(transaction, *resident));
    // The deletion begins at the position that is saved.
    HEADWAY_CHECK(transaction.store().save(resident->key, resident->session, resident->chain,
                                           resident->new_ids));
    HEADWAY_CHECK(transaction.store().forget(resident->key));
    transaction.hurry_deletion();
    return Forgotten{session};
}

Result<Advised> CancelCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, require_open(transaction, session));
    const std::uint64_t before = resident->session.state().n;
    HEADWAY_CHECK(transaction.change(*resident, &core::Session::cancel, std::move(cancel.reason)));
    touch_below(transaction, *resident);
    return advise_last(transaction, *resident, before);
}

Result<Advised> ControlCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, require_open(transaction, session));
    // An agent may control itself where access is open, but a decision is no agent's to lift.
    const core::SessionState& state = resident->session.state();
    const bool lifts = control == Control::kResume && resident->session.is_stopped();
    if (lifts && !decides && !state.paused()) {
        return core::Error{core::ErrorCode::kForbidden,
                           std::string{state.stopped ? "a rejection" : "a rule"} +
                               " has stopped this session; to resume it, send a token with the "
                               "scope `approve`",
                           {}};
    }
    const auto by = [this] {
        if (control == Control::kPause) return &core::Session::pause;
        if (control == Control::kResume) return &core::Session::resume;
        return &core::Session::nudge;
    };
    const std::uint64_t before = state.n;
    HEADWAY_CHECK(transaction.change(*resident, by(), body.text, body.by));
    if (control == Control::kResume) touch_below(transaction, *resident);
    return advise_last(transaction, *resident, before);
}

Result<Advised> BudgetCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, require_open(transaction, session));
    const std::uint64_t before = resident->session.state().n;
    const core::BudgetBounds& bounds = transaction.settings().budget.bounds;
    if (change.extends) {
        HEADWAY_CHECK(core::check_extension(change.limits, bounds, "/extend"));
        HEADWAY_CHECK(transaction.change(*resident, &core::Session::extend_budget, change.limits,
                                         std::move(change.by), std::move(change.reason),
                                         std::string{}));
    } else {
        HEADWAY_CHECK(core::check_bounds(change.limits, bounds, "/set"));
        core::BudgetSet set{change.limits, std::move(change.by), std::move(change.reason)};
        HEADWAY_CHECK(transaction.change(*resident, &core::Session::set_budget, std::move(set)));
    }
    return advise_last(transaction, *resident, before);
}

}  // namespace headway::server
