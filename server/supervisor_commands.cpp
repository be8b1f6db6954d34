// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/assert.hpp"
#include "core/budget.hpp"
#include "core/failure.hpp"
#include "server/supervisor_turn.hpp"

// Commands on sessions: decide, append, fold.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error unknown_session(std::string_view id) {
    return {ErrorCode::kUnknownSession,
            "no session '" + std::string{id} + "'; open it with PUT /v1/sessions/" +
                std::string{id} + " or by reporting to it",
            "id"};
}

}  // namespace

Result<Resident*> Supervisor::find_resident(std::string_view id) {
    if (Resident* resident = residents_.find(id)) return resident;
    HEADWAY_TRY(const auto key, store_.find(id));
    if (!key) return static_cast<Resident*>(nullptr);
    HEADWAY_TRY(storage::StoredSession stored, load(*key, id));
    HEADWAY_TRY(Resident * resident, residents_.add(std::move(stored)));
    resident->touched_at = clock_.now();
    if (resident->session.state().ended()) visitors_.push_back(*key);
    return resident;
}

Result<Resident*> Supervisor::require_resident(std::string_view id) {
    HEADWAY_TRY(Resident * resident, find_resident(id));
    if (resident == nullptr) return unknown_session(id);
    return resident;
}

Result<Resident*> Supervisor::create_resident(const std::string& id, core::Timestamp now) {
    HEADWAY_TRY(const storage::SessionKey key, store_.create(id, now));
    return residents_.add({key, core::Session{id}, {}, {}});
}

Result<Answer> Supervisor::handle(ReportCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(Resident * resident, find_resident(command.session));
    for (core::Event& event : command.events) {
        auto* read = std::get_if<core::DirectiveAcknowledged>(&event.payload);
        if (read == nullptr) continue;
        HEADWAY_TRY(const auto named, find_alias(read->id));
        // Of this session only: reveals no ids of other sessions.
        if (named && named->session_id == command.session)
            read->id = core::approval_id(named->session_id, named->approval.n);
    }
    api::Advice advice;
    advice.batch = command.batch;
    Echoes echoes;
    HEADWAY_CHECK(drop_known(resident, command, advice, echoes));
    if (command.events.empty()) return advise(*resident, std::move(advice), turn);

    if (resident != nullptr) {
        HEADWAY_CHECK(resident->session.admit(command.events));
    } else {
        HEADWAY_CHECK(core::Session{command.session}.admit(command.events));
    }
    HEADWAY_CHECK(check_requests(resident, command.events, advice));
    HEADWAY_TRY(const auto asks, calls_to_allow(resident, command));
    events_.clear();
    HEADWAY_CHECK(open_if_new(resident, command.session, with_floor(context, command.controls)));
    core::Context asking = context;
    asking.asks = asks;
    resident->session.report(command.events, asking, events_);
    note_conflicts(*resident, context);
    HEADWAY_CHECK(heed_ancestors(*resident, context));
    for (const core::Event& event : events_) {
        if (!event.event_id.empty()) resident->new_ids.emplace(event.event_id, event.n);
    }

    // Fills the numbers of the accepted events into the places that drop_known() left open.
    auto place = advice.results.begin();
    for (const core::Event& event : events_) {
        if (!core::reportable(core::type_of(event.payload))) continue;
        const auto* change = std::get_if<core::StateChanged>(&event.payload);
        if (change != nullptr && change->invalid)
            advice.invalid_transitions.emplace_back(event.n, *change);
        const auto* end = std::get_if<core::SessionEnded>(&event.payload);
        if (end != nullptr && end->automatic) continue;  // not from the report
        const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload);
        if (asked != nullptr && asked->source != "agent") continue;
        advice.n = event.n;
        if (!advice.batch) continue;
        place = std::find_if(place, advice.results.end(),
                             [](const auto& r) { return r.first == 0 && !r.second; });
        HEADWAY_ASSERT(place != advice.results.end());
        place->first = event.n;
    }
    for (const auto& [place_of, earlier] : echoes) {
        advice.results[place_of].first = advice.results[earlier].first;
    }
    HEADWAY_CHECK(store_events(*resident, events_, turn));
    return advise(*resident, std::move(advice), turn);
}

/// The root session of the run: the topmost known parent. Empty for a session without relatives.
std::string Supervisor::run_of(const core::Session& session) {
    constexpr int kGenerationsMax = 16;  // parents could name each other
    std::string run = session.id();
    std::string parent = session.state().about.parent;
    if (parent.empty() && !families_.has_children(run)) return {};
    for (int i = 0; i < kGenerationsMax && !parent.empty(); ++i) {
        run = parent;
        const Resident* resident = residents_.find(parent);
        parent = resident == nullptr ? std::string{} : resident->session.state().about.parent;
    }
    return run;
}

/// Appends to `events_` the conflicts with files that other sessions of the run write.
void Supervisor::note_conflicts(Resident& resident, const core::Context& context) {
    if (families_.empty()) return;
    const std::string run = run_of(resident.session);
    if (run.empty()) return;
    const std::size_t reported = events_.size();
    for (std::size_t i = 0; i < reported; ++i) {
        auto conflict = run_files_.observe(run, resident.session.id(), events_[i]);
        if (conflict) resident.session.note_conflict(*std::move(conflict), context, events_);
    }
}

/// Removes stored or repeated events from the report and notes them in `advice`, where the numbers
/// of the others are still open. `echoes` maps places of the list to the earlier ones that they
/// repeat.
Result<> Supervisor::drop_known(Resident* resident, ReportCommand& command, api::Advice& advice,
                                Echoes& echoes) {
    std::vector<core::Event>& events = command.events;
    const bool asks = std::holds_alternative<core::ApprovalRequested>(events.front().payload);
    if (events.size() == 1 && events.front().event_id.empty() && !asks) {  // most reports
        advice.accepted = 1;
        if (advice.batch) advice.results.emplace_back(0, false);
        return {};
    }
    std::unordered_map<std::string_view, std::size_t> first;
    std::vector<bool> known(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::string& id = events[i].event_id;
        std::uint64_t n = 0;
        if (!id.empty() && resident != nullptr) {
            HEADWAY_TRY(n, number_of_id(*resident, id));
        }
        const auto* asked = std::get_if<core::ApprovalRequested>(&events[i].payload);
        if (n == 0 && asked != nullptr && resident != nullptr) {
            const auto* before = resident->session.state().approvals.asked_before(*asked);
            if (before != nullptr) n = before->n;
        }
        known[i] = n != 0;
        if (n != 0) {
            advice.n = n;
        } else if (!id.empty() && events.size() > 1) {
            const auto [earlier, fresh] = first.emplace(id, i);
            known[i] = !fresh;
            if (!fresh) echoes.emplace_back(i, earlier->second);
        }
        ++(known[i] ? advice.duplicates : advice.accepted);
        if (advice.batch) advice.results.emplace_back(n, known[i]);
    }
    stats_.duplicates += advice.duplicates;
    std::erase_if(command.whole_args,
                  [&known](const api::WholeArgs& whole) { return known[whole.place]; });
    for (api::WholeArgs& whole : command.whole_args) {
        const auto before = known.begin() + static_cast<std::ptrdiff_t>(whole.place);
        whole.place -= static_cast<std::size_t>(std::count(known.begin(), before, true));
    }
    std::size_t i = 0;
    std::erase_if(events, [&](const core::Event&) { return known[i++]; });
    return {};
}

Result<std::uint64_t> Supervisor::number_of_id(const Resident& resident, const std::string& id) {
    const auto fresh = resident.new_ids.find(id);
    if (fresh != resident.new_ids.end()) return fresh->second;
    HEADWAY_TRY(const auto stored, store_.find_event_id(resident.key, id));
    return stored.value_or(0);
}

Result<> Supervisor::store_events(Resident& resident, std::vector<core::Event>& events,
                                  Turn& turn) {
    HEADWAY_TRY(storage::Cursor cursor, store_.append(resident.key, resident.chain, events));
    residents_.mark_dirty(resident, cursor);
    touch(resident, turn);
    if (!resident.moved) turn.moved.push_back(&resident);
    resident.moved = true;
    // Not after the end: an alarm of an ended session may be acknowledged later.
    const bool ends = std::any_of(events.begin(), events.end(), [](const core::Event& event) {
        return std::holds_alternative<core::SessionEnded>(event.payload);
    });
    if (ends) HEADWAY_CHECK(note_use(resident));
    stats_.events += events.size();
    HEADWAY_CHECK(index_session(resident, events));
    HEADWAY_CHECK(index_approvals(resident, events, cursor, turn));
    HEADWAY_CHECK(index_checks(resident, events, cursor, turn));
    HEADWAY_CHECK(index_estimates(resident, events));
    if (webhooks_.any()) HEADWAY_CHECK(webhooks_.note(resident.session, events));
    for (core::Event& event : events) {
        count(stats_, event);
        chronicle_.note(resident.session.id(), event);
        if (std::holds_alternative<core::SessionEnded>(event.payload)) {
            HEADWAY_CHECK(count_ended(resident.session.state()));
        }
        if (listening_) {
            turn.publication->events.push_back({cursor, resident.session.id(), std::move(event)});
        }
        ++cursor;
    }
    return {};
}

/// Adds to the totals of the old timers, in the transaction of the end.
Result<> Supervisor::count_ended(const core::SessionState& state) {
    if (state.policy.legacy.mode == core::LegacyMode::kOff) return {};
    const core::Comparison comparison = core::compare(state, state.ended_at);
    HEADWAY_CHECK(store_.add_to_counter("legacy.sessions", 1));
    if (comparison.kills.empty()) return {};
    HEADWAY_CHECK(store_.add_to_counter("legacy.killed", 1));
    if (!comparison.saved) return {};
    const core::Millis after = state.ended_at - comparison.kills.front().at;
    HEADWAY_CHECK(store_.add_to_counter("legacy.saved", 1));
    return store_.add_to_counter("legacy.saved_ms", after.count());
}

void Supervisor::touch(Resident& resident, Turn& turn) {
    if (resident.touched) return;
    resident.touched = true;
    turn.touched.push_back(&resident);
}

Result<Answer> Supervisor::advise(Resident& resident, api::Advice advice, Turn& turn) {
    touch(resident,
          turn);  // the reply needs the published view, also if nothing was stored

    for (const core::Directive& directive : resident.session.state().directives) {
        auto& counts = resident.deliveries;
        auto count = std::find_if(counts.begin(), counts.end(),
                                  [&](const auto& c) { return c.first == directive.id; });
        if (count == counts.end()) count = counts.insert(counts.end(), {directive.id, 0});
        advice.directives.emplace_back(directive, ++count->second);
    }
    std::erase_if(resident.deliveries, [&advice](const auto& count) {
        return std::none_of(advice.directives.begin(), advice.directives.end(),
                            [&](const auto& d) { return d.first.id == count.first; });
    });
    const core::SessionState& state = resident.session.state();
    advice.feedback = core::feedback_of(state, turn.now);
    if (state.budget.limited()) {
        advice.budget = std::make_shared<const core::BudgetStatus>(
            core::budget_status(state, turn.now, watch_));
    }
    HEADWAY_CHECK(add_notices(resident, advice));
    return Answer{AdviceReply{std::move(advice), resident.session.id()}};
}

Result<Answer> Supervisor::handle(EndCommand& command, const core::Context& context, Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    api::Advice advice;
    if (resident->session.state().outcome == command.end.outcome) {
        advice.n = resident->session.state().n;  // idempotent replay
        return advise(*resident, std::move(advice), turn);
    }
    std::vector<core::Event> events(1);
    events.front().payload = std::move(command.end);
    HEADWAY_CHECK(resident->session.admit(events));
    events_.clear();
    resident->session.report(events, context, events_);
    advice.accepted = 1;
    for (const core::Event& event : events_) {  // a time credit may come first
        if (std::holds_alternative<core::SessionEnded>(event.payload)) advice.n = event.n;
    }
    HEADWAY_CHECK(store_events(*resident, events_, turn));
    return advise(*resident, std::move(advice), turn);
}

Result<Answer> Supervisor::handle(CancelCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    events_.clear();
    HEADWAY_CHECK(resident->session.cancel(std::move(command.cancel.reason), context, events_));
    api::Advice advice;
    advice.n = resident->session.state().n;
    if (!events_.empty()) HEADWAY_CHECK(store_events(*resident, events_, turn));
    return advise(*resident, std::move(advice), turn);
}

Result<Answer> Supervisor::handle(ControlCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    core::Session& session = resident->session;
    events_.clear();
    switch (command.control) {
        case Control::kPause:
            HEADWAY_CHECK(session.pause(command.body.text, command.body.by, context, events_));
            break;
        case Control::kResume:
            HEADWAY_CHECK(session.resume(command.body.text, command.body.by, context, events_));
            break;
        case Control::kNudge:
            HEADWAY_CHECK(session.nudge(command.body.text, command.body.by, context, events_));
            break;
    }
    api::Advice advice;
    advice.n = session.state().n;
    if (!events_.empty()) HEADWAY_CHECK(store_events(*resident, events_, turn));
    return advise(*resident, std::move(advice), turn);
}

}  // namespace headway::server
