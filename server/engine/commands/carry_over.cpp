// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/carry_over.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/judgement/recovery.hpp"
#include "core/policies/policy_floor.hpp"

namespace headway::server {
namespace {

using core::BudgetFigure;
using core::BudgetSource;
using core::Error;
using core::ErrorCode;
using core::Result;

/// `<base>~<number>` as this daemon writes it.
struct Generation {
    std::string base;
    int number = 0;
};

std::optional<Generation> parse_generation(std::string_view session) {
    const std::size_t mark = session.rfind('~');
    if (mark == std::string_view::npos || mark == 0) return std::nullopt;
    const std::string_view digits = session.substr(mark + 1);
    Generation found{std::string{session.substr(0, mark)}, 0};
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, found.number);
    const bool whole = read.ec == std::errc{} && read.ptr == end && !digits.starts_with('0');
    const bool one = whole && found.number >= 2 && found.number <= kGenerationsMax;
    return one ? std::optional{std::move(found)} : std::nullopt;  // `report~2024` is any id
}

std::string id_before(const Generation& next) {
    return next.number == 2 ? next.base : next.base + "~" + std::to_string(next.number - 1);
}

std::string generation(const std::string& session, int number) {
    return number == 1 ? session : session + "~" + std::to_string(number);
}

/// True if the generation after this one has a name that requests can address.
bool has_next(const std::string& session, int number) {
    return number < kGenerationsMax &&
           generation(session, number + 1).size() <= core::limits::kIdBytesMax;
}

/// The newest generation that is known, or 0: its names are doubled until one is unknown, then
/// halved, since only the newest has to be loaded. One that is open in memory is the newest.
Result<int> newest_known(Reader& reader, const std::string& session) {
    int known = 0;
    int unknown = kGenerationsMax + 1;
    while (unknown - known > 1) {
        const bool doubles = unknown > kGenerationsMax;
        const int number =
            doubles ? std::clamp(2 * known, 1, kGenerationsMax) : known + (unknown - known) / 2;
        const std::string id = generation(session, number);
        HEADWAY_TRY(const bool here, reader.knows(id));
        if (here) reader.look_at(id);
        (here ? known : unknown) = number;
        if (here && reader.is_open_in_memory(id)) break;
    }
    return known;
}

/// No floor of the operator: nothing may be weaker than the policy that it raises to.
core::PolicyFloor exact_floor(const core::Policy& least) {
    core::PolicyFloor floor;
    floor.judge.reset();
    floor.heartbeat_interval = {};
    floor.heartbeat_limit = 0;
    floor.patience = 0;
    floor.threshold_factor = 1;
    floor.trust_origin = least.trust_origin;
    return floor;
}

/// Hooks say these of each generation.
bool is_of_one_run(const core::Label& label) {
    return label.key == "workspace" || label.key == "agent_version" || label.key == "resumed";
}

/// First those of the generation before: caps count by them.
void take_labels(const std::vector<core::Label>& before, bool of_hooks,
                 std::vector<core::Label>& labels) {
    std::vector<core::Label> all;
    for (const core::Label& label : before) {
        const auto own = std::find_if(labels.begin(), labels.end(),
                                      [&](const auto& other) { return other.key == label.key; });
        all.push_back(own != labels.end() && of_hooks && is_of_one_run(label) ? *own : label);
        if (own != labels.end()) labels.erase(own);
    }
    all.insert(all.end(), labels.begin(), labels.end());
    labels = std::move(all);
    if (labels.size() > core::limits::kLabelsMax) labels.resize(core::limits::kLabelsMax);
    std::sort(labels.begin(), labels.end(), [](auto& a, auto& b) { return a.key < b.key; });
}

/// First those of the generation before, so that digests are kept of the same agents.
void take_adapters(const std::vector<std::string>& before, std::vector<std::string>& adapters) {
    std::vector<std::string> all = before;
    for (std::string& adapter : adapters) {
        if (std::find(all.begin(), all.end(), adapter) == all.end())
            all.push_back(std::move(adapter));
    }
    adapters = std::move(all);
}

/// As many as a policy may have: first those that the generation before had, or each generation
/// would add its own.
void keep_first(const std::vector<core::ToolPolicy>& before, std::vector<core::ToolPolicy>& tools) {
    if (tools.size() <= core::limits::kToolPoliciesMax) return;
    std::stable_partition(tools.begin(), tools.end(), [&](const core::ToolPolicy& own) {
        return std::any_of(before.begin(), before.end(),
                           [&](const core::ToolPolicy& other) { return other.tool == own.tool; });
    });
    tools.resize(core::limits::kToolPoliciesMax);
}

/// True if the limits are not just those that any session of the type begins with.
bool was_set(const core::BudgetMeter& meter) {
    return meter.limited() && meter.source != BudgetSource::kConfig &&
           meter.source != BudgetSource::kBuiltin;
}

/// The rest of a limit. One that is used up becomes 0, which is used up from the beginning.
std::optional<std::uint64_t> rest_of(const BudgetFigure& figure, std::uint64_t unit = 1) {
    if (!figure.limit) return std::nullopt;
    return figure.left() / unit;
}

core::BudgetLimits limits_left(const core::BudgetStatus& status) {
    core::BudgetLimits left;
    left.timeout_seconds = rest_of(status.time, 1000);
    left.max_steps = rest_of(status.steps);
    left.max_tokens = rest_of(status.tokens);
    if (const auto micros = rest_of(status.cost)) left.max_cost_usd = core::dollars(*micros);
    return left;
}

/// The lower of two limits; no limit is the highest.
template <class T>
void lower_to(std::optional<T>& limit, const std::optional<T>& other) {
    if (other && (!limit || *limit > *other)) limit = other;
}

void lower_to(core::BudgetLimits& limits, const core::BudgetLimits& other) {
    lower_to(limits.timeout_seconds, other.timeout_seconds);
    lower_to(limits.max_steps, other.max_steps);
    lower_to(limits.max_tokens, other.max_tokens);
    lower_to(limits.max_cost_usd, other.max_cost_usd);
}

/// The session that `session` goes on from: `<id>` of `<id>~2`, `<id>~2` of `<id>~3`; or empty.
Result<std::string> name_before(Reader& reader, const std::string& session) {
    const auto next = parse_generation(session);
    if (!next) return std::string{};
    // One that an agent has made beforehand must not become the first of its line.
    for (const std::string& known : {next->base, id_before(*next)}) {
        const auto found = reader.find(known);
        if (!found && is_unreadable(found.error().code)) continue;  // its own command says so
        if (!found) return found.error();
        if (*found != nullptr) return id_before(*next);
    }
    return std::string{};
}

/// Sets the limits and rules of a session that begins after `before`: what is left of its limits.
/// Defaults of the type begin whole where a person goes on with the agent, or an agent could get
/// them as often as it likes. A run of a job gets the operator's limits whole.
void take_budget(Transaction& transaction, const core::SessionState& before, Beginning& begun) {
    core::SessionStarted& about = begun.about;
    const core::BudgetLimits asked = about.budget;
    // The defaults of the type that it had, whatever its hooks call it.
    const bool run = before.about.agent.type == kRunType;
    std::string type = run ? std::exchange(about.agent.type, std::string{kRunType}) : "";
    give_budget(transaction.settings().budget, about, begun.suggestion);
    if (run) about.agent.type = std::move(type);
    if (!(begun.takes == Takes::kAll ? before.budget.limited() : was_set(before.budget))) return;
    // Once for each limit, not for each generation.
    std::uint64_t& extension = about.budget_rules.in_flight_extension_seconds;
    extension = before.budget.extended
                    ? 0
                    : std::min(extension, before.about.budget_rules->in_flight_extension_seconds);
    const core::Context& context = transaction.context();
    const core::BudgetLimits defaults = about.budget;
    about.budget = begun.takes == Takes::kOperators
                       ? before.budget.limits
                       : limits_left(core::budget_status(before, context.now, context.watch));
    lower_to(about.budget, asked);
    if (!was_set(before.budget)) lower_to(about.budget, defaults);
    about.budget_source = before.budget.source;
    about.suggested_from.reset();
}

}  // namespace

std::string base_of(const std::string& session) {
    const auto later = parse_generation(session);
    return later ? later->base : session;
}

Result<std::string> in_force(Reader& reader, const std::string& session, Begins begins) {
    HEADWAY_TRY(const int number, newest_known(reader, session));
    if (number == 0) return session;
    std::string id = generation(session, number);
    if (begins == Begins::kNever || !has_next(session, number)) return id;
    HEADWAY_TRY(const Resident* found, reader.find(id));
    if (found == nullptr) return id;
    const core::SessionState& state = found->session.state();
    if (!state.ended() && !state.about.recorded) return id;  // a recording that was not finished
    const bool goes_on = begins == Begins::kAnew || !was_stopped(state);
    return goes_on ? generation(session, number + 1) : id;
}

std::string next_generation(const std::string& session, const std::string& now) {
    int number = 1;
    if (now != session) {
        const std::string_view digits = std::string_view{now}.substr(session.size() + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    }
    return has_next(session, number) ? generation(session, number + 1) : now;
}

Result<Resident*> generation_after(Transaction& transaction, const std::string& session) {
    const auto now = parse_generation(session);
    const std::string base = now ? now->base : session;
    const int number = now ? now->number : 1;
    Resident* const none = nullptr;
    if (!has_next(base, number)) return none;
    const std::string id = generation(base, number + 1);
    HEADWAY_TRY(const bool known, transaction.reader().knows(id));
    if (!known) return none;
    auto found = transaction.sessions().find(id);
    if (!found && is_unreadable(found.error().code)) return none;
    return found;
}

Result<const Resident*> successor(Reader& reader, const Resident& ended) {
    const core::SessionState& state = ended.session.state();
    if (!state.ended() && !state.about.recorded) return static_cast<const Resident*>(nullptr);
    HEADWAY_TRY(const std::string newest,
                in_force(reader, base_of(ended.session.id()), Begins::kNever));
    if (newest == ended.session.id()) return static_cast<const Resident*>(nullptr);
    auto found = reader.find(newest);
    if (!found && is_unreadable(found.error().code)) return static_cast<const Resident*>(nullptr);
    return found;
}

Result<const Resident*> ended_before(Reader& reader, const std::string& session) {
    HEADWAY_TRY(const std::string name, name_before(reader, session));
    const Resident* found = nullptr;
    if (!name.empty()) {
        auto before = reader.find(name);
        if (!before && !is_unreadable(before.error().code)) return std::move(before).error();
        found = before ? *before : nullptr;
    }
    if (found == nullptr) return found;
    const core::SessionState& state = found->session.state();
    return state.ended() || state.about.recorded ? found : nullptr;
}

Result<> name_opening(Reader& reader, SessionNames& names, const std::string& session) {
    names.push_back(session);
    HEADWAY_TRY(const Resident* known, reader.find(session));
    if (known != nullptr && !known->session.state().about.implicit)
        return {};  // it takes over no more
    HEADWAY_TRY(const std::string name, name_before(reader, session));
    if (!name.empty()) reader.look_at(name);
    return {};
}

bool was_stopped(const core::SessionState& state) {
    const bool spent =
        state.budget.limited() && state.budget.level == core::BudgetLevel::kExhausted;
    const bool nudged = std::any_of(state.nudges.begin(), state.nudges.end(),
                                    [](const auto& nudge) { return nudge.step > core::kStepAsk; });
    return state.cancel_requested || core::must_stop(state) || spent || nudged ||
           was_ended_for_it(state) || state.outcome == core::Outcome::kBudgetExhausted;
}

bool was_ended_for_it(const core::SessionState& state) {
    const bool failed = state.outcome == core::Outcome::kFailed && !state.end_code.empty() &&
                        state.end_code != core::kAgentGone && state.end_code != core::kMissing;
    return failed || state.end_code == core::kEndedByPerson ||
           state.outcome == core::Outcome::kHalted;
}

Result<> check_turn(Reader& reader, const std::string& session, BegunBy by) {
    HEADWAY_TRY(const std::string name, name_before(reader, session));
    if (name.empty() && (by == BegunBy::kOperator || !parse_generation(session))) return {};
    if (name.empty())
        return Error{
            ErrorCode::kForbidden,
            "ids with ~2 to ~999 at their end are those of sessions that go on after their "
            "end; choose another id",
            "id"};
    const auto next = parse_generation(session);
    HEADWAY_TRY(const std::string line, name_before(reader, next ? next->base : std::string{}));
    if (!line.empty() && by == BegunBy::kAgent)
        return Error{ErrorCode::kForbidden,
                     next->base + " goes on in the next id of its own line; choose another id",
                     "id"};
    HEADWAY_TRY(const Resident* ended, ended_before(reader, session));
    if (ended != nullptr && (by != BegunBy::kAgent || !was_stopped(ended->session.state())))
        return {};
    if (ended != nullptr)
        return Error{ErrorCode::kForbidden,
                     name +
                         " was stopped, and goes on only once a person starts it again; choose "
                         "another id",
                     "id"};
    return Error{ErrorCode::kForbidden,
                 name + " goes on in this session only after its end; choose another id", "id"};
}

std::vector<std::string> take_rules(const core::SessionState& before, const core::Policy& base,
                                    core::SessionStarted& about) {
    const bool asks_trust = about.policy.trust_origin.has_value();
    core::Policy policy = core::effective_policy(about.policy, base);
    auto raised = core::raise_to(exact_floor(*before.policy), *before.policy, policy);
    keep_first(before.policy->tools, policy.tools);
    about.policy = core::whole_policy(policy);
    if (!asks_trust && policy.trust_origin) about.policy.trust_origin.reset();
    const core::AgentInfo& agent = before.about.agent;
    // The hooks' word counts more than that of a caller without `control`, who may be the agent.
    const bool of_hooks = !about.adapters.empty();
    const bool keeps = before.about.by_operator || !of_hooks || about.agent.type.empty();
    if (keeps && !agent.type.empty() && agent.type != kRunType) about.agent.type = agent.type;
    if (keeps && !agent.name.empty()) about.agent.name = agent.name;
    about.by_operator = before.about.by_operator;
    take_adapters(before.about.adapters, about.adapters);
    const std::string& parent = before.about.parent;  // a later generation of it is the same family
    if (base_of(about.parent) != base_of(parent)) about.parent = parent;
    take_labels(before.about.labels, of_hooks, about.labels);
    return raised;
}

Result<core::SessionStarted> implicit_opening(Transaction& transaction,
                                              const std::string& session) {
    core::SessionStarted about;
    about.implicit = true;
    HEADWAY_CHECK(check_turn(transaction.reader(), session));
    HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), session));
    if (before != nullptr)
        (void)take_rules(before->session.state(), transaction.settings().policy, about);
    return about;
}

Result<> name_newest_parent(Reader& reader, const std::string& session, std::string& parent) {
    if (parent.empty()) return {};
    const std::string base = base_of(parent);
    if (base == base_of(session)) {  // no session is a child of its own line
        parent.clear();
        return {};
    }
    HEADWAY_TRY(std::string newest, in_force(reader, base, Begins::kNever));
    // A generation that does not exist would have no family, and none of its rules.
    HEADWAY_TRY(const bool exists, reader.knows(parent));
    if (newest != base || !exists) parent = std::move(newest);
    return {};
}

Result<Resident*> begin_after(Transaction& transaction, const Resident* before, Beginning&& begun,
                              std::vector<core::Event>& events) {
    HEADWAY_CHECK(name_newest_parent(transaction.reader(), begun.session, begun.about.parent));
    HEADWAY_TRY(Resident * resident,
                transaction.sessions().create(begun.session, transaction.now()));
    const EngineSettings& settings = transaction.settings();
    const core::SessionState* const last = before == nullptr ? nullptr : &before->session.state();
    if (last == nullptr ||
        (begun.takes == Takes::kOperators && last->budget.source != BudgetSource::kOperator)) {
        give_budget(settings.budget, begun.about, begun.suggestion);
    } else {
        take_budget(transaction, *last, begun);
    }
    resident->session.open(std::move(begun.about), settings.policy,
                           transaction.opening_context(begun.controls), events);
    SessionTree::note_opened(*resident, transaction.sessions().residents());
    if (last == nullptr || resident->session.state().ended()) return resident;
    // The stop of a rejection was of that run, as a cancel is.
    if (last->stopped && begun.takes != Takes::kOperators)
        resident->session.stay_stopped(before->session, transaction.context(), events);
    // A pause by the budget of the day is that day's, and applies to this session by itself.
    if (!last->paused() || last->paused_for_day) return resident;
    HEADWAY_CHECK(
        resident->session.pause("paused by the operator before " + before->session.id() + " ended",
                                {}, transaction.context(), events));
    return resident;
}

}  // namespace headway::server
