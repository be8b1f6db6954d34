// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "core/meters/budget_settings.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/projections/expectations.hpp"
#include "server/engine/transaction/costs.hpp"

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
    const core::Opening& opened = state.about;
    if (!(opened.goal == again.goal)) return "/goal";
    if (!(opened.agent == again.agent)) return "/agent";
    if (base_of(opened.parent) != base_of(again.parent)) return "/parent";  // by generation
    if (opened.labels != again.labels) return "/labels";
    if (!same_or_absent(again.complexity, opened.complexity)) return "/complexity";
    // Through the same floor as the first time, so that raised values are equal.
    core::Policy wanted = core::effective_policy(again.policy, *state.policy);
    if (floor != nullptr) (void)core::raise_to(*floor, defaults, wanted);
    const std::string field = core::differing_field(again.policy, wanted, *state.policy);
    if (!field.empty()) return "/policy" + field;
    return differing_limit(again.budget, opened.budget);
}

/// give_budget() for a session with the limits `now`: where its opening names no limit, that of its
/// agent type applies only if it is tighter, so that an opening never lifts a limit by omission.
void add_budget(const core::BudgetSettings& settings, core::SessionStarted& about,
                const core::BudgetLimits& now, const core::BudgetSuggestion& suggestion) {
    const core::BudgetLimits asked = about.budget;
    give_budget(settings, about, suggestion);
    core::for_each_field<core::BudgetLimits>([&](const auto& field, std::size_t) {
        auto& limit = about.budget.*field.member;
        const auto& before = now.*field.member;
        const bool looser = before && (!limit || *limit > *before);
        if (!(asked.*field.member) && looser) limit = before;
    });
    if (about.budget == now) about.suggested_from.reset();
}

SessionDocument document(Transaction& transaction, const Resident& resident) {
    SessionDocument shown{resident.session, transaction.reader().time()};
    const auto adapter = transaction.reader().adapter(resident.key, resident.session);
    shown.cost_warning = cost_warning(transaction.reader(), resident.session, adapter);
    return shown;
}

/// The numbers that an opening accepts by asking for them.
Result<core::BudgetSuggestion> suggestion_for(Transaction& transaction,
                                              const OpenCommand& command) {
    if (!command.suggested) return core::BudgetSuggestion{};
    return suggested_budget(transaction.store().expectations(), command.about.agent.type,
                            command.about.complexity, transaction.settings().budget.bounds);
}

/// The answer to an opening whose idempotency key was used before; empty if the key is free.
Result<std::optional<SessionDocument>> replay(Transaction& transaction,
                                              const OpenCommand& command) {
    std::optional<SessionDocument> none;
    if (command.idempotency_key.empty()) return none;
    HEADWAY_TRY(const auto use,
                transaction.store().idempotency().find_key(command.idempotency_key));
    if (!use) return none;
    HEADWAY_TRY(const Resident* opened, transaction.find(use->session));
    // The session of the key was deleted, and its id may be another's by now: the key is free.
    if (opened == nullptr || opened->session.state().opened_at > use->at) return none;
    if (use->fingerprint != command.idempotency_fingerprint) {
        return Error{ErrorCode::kIdempotencyMismatch,
                     "this key was used with another body; use a new key", "Idempotency-Key"};
    }
    std::optional<SessionDocument> again{document(transaction, *opened)};
    again->replayed = true;
    return again;
}

/// An operator's opening keeps what it leaves open.
void take_absent(const core::Opening& known, core::SessionStarted& about) {
    if (about.goal.empty()) about.goal = known.goal;
    if (about.agent.type.empty()) about.agent.type = known.agent.type;
    if (about.agent.name.empty()) about.agent.name = known.agent.name;
    if (about.agent.model.empty()) about.agent.model = known.agent.model;
    if (about.parent.empty()) about.parent = known.parent;
    if (!about.complexity) about.complexity = known.complexity;
    for (const core::Label& label : known.labels) {
        const bool own = std::any_of(about.labels.begin(), about.labels.end(),
                                     [&](const auto& other) { return other.key == label.key; });
        if (!own && about.labels.size() < core::limits::kLabelsMax) about.labels.push_back(label);
    }
    std::sort(about.labels.begin(), about.labels.end(),
              [](const core::Label& a, const core::Label& b) { return a.key < b.key; });
}

/// An opening of a session that exists: fills in what a report left open, or must not differ. A
/// person's opening wins over an agent's, which may have come first. One that has ended stays as it
/// is, and is the answer to an opening that is sent again because its reply was lost.
Result<SessionDocument> open_again(Transaction& transaction, Resident& resident,
                                   OpenCommand& command, const core::Context& context) {
    if (command.bare) return document(transaction, resident);
    const EngineSettings& settings = transaction.settings();
    const core::SessionState& state = resident.session.state();
    const bool by_person = command.by_person && command.controls;
    if (by_person) take_absent(state.about, command.about);
    const bool wins = by_person && !state.about.by_operator;
    if ((state.about.implicit || wins) && !state.ended()) {
        HEADWAY_CHECK(core::check_bounds(command.about.budget, settings.budget.bounds, "/budget"));
        // A sub-agent stays one, whatever an opening of its own says.
        if (!state.about.parent.empty()) command.about.parent = state.about.parent;
        HEADWAY_CHECK(
            name_newest_parent(transaction.reader(), command.session, command.about.parent));
        HEADWAY_TRY(const auto suggestion, suggestion_for(transaction, command));
        add_budget(settings.budget, command.about, state.budget.limits, suggestion);
        HEADWAY_CHECK(transaction.change(
            resident, [&](core::Session& session, const core::Context&, auto& events) {
                return session.amend(std::move(command.about), settings.policy, context, events);
            }));
        SessionTree::note_opened(resident, transaction.sessions().residents());
        return document(transaction, resident);
    }
    std::string field = differing(state, command.about, context.floor, settings.policy);
    if (field.empty()) return document(transaction, resident);
    // The policy that an agent gives to a generation was added to the inherited one, so it need not
    // be equal.
    if (!command.controls || command.of_hook) {
        HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), command.session));
        if (before != nullptr) return document(transaction, resident);
    }
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

/// A caller that may not control a session does not rename what its hooks call it: budgets and
/// digests go by these.
void keep_hooks_words(const core::Opening& known, core::SessionStarted& about) {
    if (known.adapters.empty()) return;
    if (!known.agent.type.empty()) about.agent.type = known.agent.type;
    if (!known.agent.name.empty()) about.agent.name = known.agent.name;
    std::vector<core::Label> labels;
    for (const core::Label& label : known.labels) {
        if (label.key != "adapter" && label.key != "workspace") continue;
        std::erase_if(about.labels, [&](const auto& own) { return own.key == label.key; });
        labels.push_back(label);
    }
    labels.insert(labels.end(), about.labels.begin(), about.labels.end());
    if (labels.size() > core::limits::kLabelsMax) labels.resize(core::limits::kLabelsMax);
    std::sort(labels.begin(), labels.end(),
              [](const core::Label& a, const core::Label& b) { return a.key < b.key; });
    about.labels = std::move(labels);
}

/// An opening adds nothing to this session: it had one, or has ended.
bool is_opened(const Resident* resident) {
    if (resident == nullptr) return false;
    const core::SessionState& state = resident->session.state();
    return !state.about.implicit || state.ended();
}

/// Adds the policy of an agent or its hooks to the rules of the generation before it, which is
/// returned; null if there is none.
Result<const Resident*> take_before(Transaction& transaction, const Resident* resident,
                                    OpenCommand& command) {
    Reader& reader = transaction.reader();
    HEADWAY_TRY(const Resident* before, ended_before(reader, command.session));
    if (before == nullptr) return before;
    const core::Policy& base =
        resident != nullptr ? *resident->session.state().policy : transaction.settings().policy;
    auto raised = take_rules(before->session.state(), base, command.about);
    if (!command.of_hook) command.about.raised = std::move(raised);
    return before;
}

/// The stop of a rejection goes on in a generation that the operator begins without the right to
/// decide: resume() needs that right, too.
Result<> keep_rejection(Transaction& transaction, Resident& resident,
                        std::vector<core::Event>& events) {
    HEADWAY_TRY(const Resident* ended, ended_before(transaction.reader(), resident.session.id()));
    if (ended == nullptr || !ended->session.state().stopped) return {};
    resident.session.stay_stopped(ended->session, transaction.context(), events);
    return {};
}

}  // namespace

Result<> OpenCommand::name(Reader& reader, SessionNames& names) const {
    return name_opening(reader, names, session);
}

void give_budget(const core::BudgetSettings& settings, core::SessionStarted& about,
                 const core::BudgetSuggestion& suggestion) {
    const core::OpeningBudget budget =
        core::opening_budget(settings, about.agent.type, about.budget, suggestion.limits);
    if (budget.source == core::BudgetSource::kSuggested) about.suggested_from = suggestion.sessions;
    about.budget = budget.limits;
    about.budget_source = budget.source;
    about.budget_rules = settings.rules;
    about.budget_rules.timeout_seconds_max = settings.bounds.timeout_seconds_max;
}

Result<> open_if_new(Transaction& transaction, Resident*& resident, const std::string& id,
                     bool controls, std::vector<core::Event>& events) {
    if (resident != nullptr) {
        const core::SessionState& state = resident->session.state();
        if (!state.about.recorded || state.ended()) return {};
        return Error{ErrorCode::kSessionExists,
                     "stored events of this session are being added; report under another id",
                     {}};
    }
    Beginning begun{id, {}, controls};
    HEADWAY_TRY(begun.about, implicit_opening(transaction, id));
    HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), id));
    HEADWAY_TRY(resident, begin_after(transaction, before, std::move(begun), events));
    return {};
}

Result<SessionDocument> OpenCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(auto replayed, replay(transaction, *this));
    if (replayed) return *std::move(replayed);
    if (about.agent.type == kRunType) {
        // `headway run` goes on after its agent has ended the session: no further than the agent
        // may.
        HEADWAY_TRY(const Resident* ended, ended_before(transaction.reader(), session));
        if (ended != nullptr) controls = by_person = false;
    }
    const core::Context context = transaction.opening_context(controls);
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    const EngineSettings& settings = transaction.settings();
    if (resident == nullptr) {
        const BegunBy by = of_hook     ? BegunBy::kPrompt
                           : by_person ? BegunBy::kOperator
                                       : BegunBy::kAgent;
        HEADWAY_CHECK(check_turn(transaction.reader(), session, by));
    }
    const bool by_operator = controls && !of_hook;
    const Resident* before = nullptr;
    // Where access is open an agent controls, too: the rules of its line go on all the same.
    if (!(by_operator && by_person) && !is_opened(resident)) {
        HEADWAY_TRY(before, take_before(transaction, resident, *this));
    }
    if (by_operator) about.by_operator = true;
    if (resident != nullptr && !by_operator && !of_hook)
        keep_hooks_words(resident->session.state().about, about);
    const bool known =
        resident != nullptr && settings.capture.only_digests(resident->session.state().about);
    if (known || settings.capture.only_digests(about)) about.goal = {};
    if (resident != nullptr) return open_again(transaction, *resident, *this, context);
    HEADWAY_CHECK(core::check_bounds(about.budget, settings.budget.bounds, "/budget"));
    Beginning begun{session, {}, controls};
    HEADWAY_TRY(begun.suggestion, suggestion_for(transaction, *this));
    begun.about = std::move(about);
    if (of_hook) begun.takes = Takes::kSet;
    std::vector<core::Event>& events = transaction.events();
    HEADWAY_TRY(resident, begin_after(transaction, before, std::move(begun), events));
    if (by_operator && !decides) HEADWAY_CHECK(keep_rejection(transaction, *resident, events));
    HEADWAY_CHECK(transaction.append(*resident, events));
    if (!idempotency_key.empty()) {
        HEADWAY_CHECK(transaction.store().idempotency().add_key(
            idempotency_key, {idempotency_fingerprint, session}, context.now));
    }
    HEADWAY_CHECK(heed_day(transaction, *resident));
    SessionDocument opened = document(transaction, *resident);
    opened.created = true;
    return opened;
}

}  // namespace headway::server
