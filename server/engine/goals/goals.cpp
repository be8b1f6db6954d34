// SPDX-License-Identifier: Apache-2.0
#include "server/engine/goals/goals.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/json/json_writer.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/text/text.hpp"
#include "core/views/digest.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"

namespace headway::server {
namespace {

using api::hooks::GoalReport;
using core::Result;

constexpr std::size_t kShownBytes = 200;

/// A session that no message of a person has followed since the end of the one before: an agent may
/// end its session and open the next, and must not begin a new count by it.
bool goes_on_unasked(const Resident& resident) {
    const core::SessionState& state = resident.session.state();
    return resident.session.id().find('~') != std::string::npos &&
           (state.about.implicit || state.ledger->scope == 0);
}

bool is_held(const core::SessionState& state) {
    const auto wraps_up = [](const core::Directive& directive) {
        return directive.kind == core::DirectiveKind::kWrapUp;
    };
    return state.ended() || state.paused() || core::must_stop(state) || state.waits_for_human() ||
           state.judgement->verdict == core::Verdict::kStuck ||
           state.judgement->verdict == core::Verdict::kBlocked ||
           state.budget.level >= core::BudgetLevel::kCritical ||
           std::any_of(state.directives.begin(), state.directives.end(), wraps_up);
}

std::string ending_of(const GoalReport& goal) {
    std::string text = "`" + core::shortened(goal.command, kShownBytes) + "` ";
    if (goal.timed_out) return text + "did not end within its 10 minutes";
    return text + "ends with exit status " + std::to_string(goal.exit_status);
}

std::string prompt_of(const GoalReport& goal) {
    std::string text = "The operator's goal is not reached: " + ending_of(goal) + ".";
    if (!goal.output.empty()) text += " Its output ends so:\n" + goal.output + "\n";
    return text + " Continue until it passes.";
}

/// How the command ended, as `headway run --check` reports its own.
core::Event check_event(const core::SessionState& state, const GoalReport& goal) {
    core::ToolFinished call;
    call.call_id = "goal-" + std::to_string(state.n + 1);
    call.tool = "check";
    std::string args;
    api::JsonWriter json{args};
    json.open_object();
    json.member("command", goal.command);
    json.close_object();
    static_cast<core::Text&>(call.args) = core::bounded_text(std::move(args));
    call.ok = goal.reached();
    if (!call.ok) {
        const std::string why = goal.output.empty() ? ending_of(goal) : goal.output;
        call.error = core::ToolError{"exit_status", core::bounded_text(why)};
    }
    core::Event event;
    event.event_id = std::string{core::kGoalCheckEvent} + std::to_string(state.n + 1);
    event.payload = std::move(call);
    return event;
}

core::Event message_event(std::uint64_t turn, const GoalReport& goal) {
    core::Message message;
    message.role = "system";
    message.text = core::bounded_text("goes on, " + std::to_string(turn) + " of " +
                                      std::to_string(kGoalTurnsMax) + ": " + ending_of(goal));
    core::Event event;
    event.event_id = std::string{core::kGoalEvent} + std::to_string(turn);
    event.payload = std::move(message);
    return event;
}

core::Event idle_event() {
    core::StateChanged change;
    change.state = core::AgentState::kIdle;
    core::Event event;
    event.payload = std::move(change);
    return event;
}

/// Something that a person has to look at. The class is none that the API has for errors of tools
/// or providers: the session is `blocked` in the words of the message.
core::Event error_event(std::string message, std::string_view error_class) {
    core::ErrorReported error;
    error.message = core::bounded_text(std::move(message));
    error.error_class = error_class;
    error.ends_turn = true;
    core::Event event;
    event.payload = std::move(error);
    return event;
}

core::Event not_reached(const GoalReport& goal, const std::string& why) {
    return error_event("the goal is not reached: " + ending_of(goal) + ", and " + why,
                       "goal_not_reached");
}

core::Event cannot_run(const GoalReport& goal) {
    return error_event("the operator's goal command cannot be run: " + ending_of(goal),
                       "goal_cannot_run");
}

/// How often the agent has gone on, and the event of the last time. The ids stand in the journal,
/// so a restart of the daemon forgets none.
struct GoneOn {
    std::uint64_t turns = 0;
    std::uint64_t last_n = 0;
};

/// The generations of a session that are looked through; more of them in a day are none of a
/// person's.
constexpr std::uint64_t kGenerationsCounted = 64;
constexpr core::Millis kCountsFor = std::chrono::hours{24};

/// How often the sessions before this one have gone on within a day: an agent can end its session,
/// open the next one and write the prompt with which that begins.
Result<std::uint64_t> turns_before(Transaction& transaction, const Resident& resident) {
    const core::Timestamp now = resident.session.state().heard_at();
    std::uint64_t turns = 0;
    std::string name = resident.session.id();
    for (std::uint64_t looked = 0; looked < kGenerationsCounted; ++looked) {
        HEADWAY_TRY(const Resident* earlier, ended_before(transaction.reader(), name));
        if (earlier == nullptr || now - earlier->session.state().heard_at() > kCountsFor)
            return turns;
        for (std::uint64_t turn = kGoalTurnsMax; turn > turns; --turn) {
            const std::string event = std::string{core::kGoalEvent} + std::to_string(turn);
            HEADWAY_TRY(const std::uint64_t n, number_of_id(transaction, *earlier, event));
            if (n != 0) turns = turn;
        }
        name = earlier->session.id();
    }
    return kGoalTurnsMax;
}

Result<GoneOn> gone_on(Transaction& transaction, const Resident& resident) {
    GoneOn gone;
    HEADWAY_TRY(gone.turns, turns_before(transaction, resident));
    while (gone.turns < kGoalTurnsMax) {
        const std::string id = std::string{core::kGoalEvent} + std::to_string(gone.turns + 1);
        HEADWAY_TRY(const std::uint64_t n, number_of_id(transaction, resident, id));
        if (n == 0) break;
        gone.last_n = n;
        ++gone.turns;
    }
    return gone;
}

bool is_call_of_agent(const core::Event& event) {
    const bool call = std::holds_alternative<core::ToolStarted>(event.payload) ||
                      std::holds_alternative<core::ToolFinished>(event.payload);
    return call && !event.event_id.starts_with(core::kGoalCheckEvent);
}

/// Events that are looked through for a call; an agent at work has one among its next few.
constexpr std::size_t kLookedThroughMax = 2'000;
constexpr std::size_t kLookedThroughPage = 200;

/// Whether the agent made a call since event `n`; checks of the goal are none. Not known: it did
/// not.
Result<bool> has_called_since(Transaction& transaction, const Resident& resident, std::uint64_t n) {
    for (std::size_t looked = 0; looked < kLookedThroughMax; looked += kLookedThroughPage) {
        const auto events =
            transaction.store().read_session(resident.key, resident.chain, n, kLookedThroughPage);
        if (!events && events.error().code == core::ErrorCode::kStorageCorrupt) {
            transaction.reader().say_damaged(resident.key, events.error().detail);
            return false;
        }
        if (!events) return events.error();
        if (std::any_of(events->begin(), events->end(), is_call_of_agent)) return true;
        if (events->size() < kLookedThroughPage) return false;
        n = events->back().n;
    }
    return false;
}

Result<> store(Transaction& transaction, const Resident& resident,
               std::vector<core::Event> events) {
    ReportCommand report;
    report.session = resident.session.id();
    report.batch = true;
    report.events = std::move(events);
    HEADWAY_TRY(const Advised advised, report(transaction));
    (void)advised;
    return {};
}

}  // namespace

Result<bool> may_pursue_goal(const Reader& reader, const Resident& resident, const HookCall& call) {
    const api::hooks::Hook& hook = call.hook;
    const core::SessionState& state = resident.session.state();
    const bool may = hook.kind == api::hooks::HookKind::kStop && call.dialect->goes_on &&
                     hook.agent_id.empty() && hook.background.empty() &&
                     hook.wake_prompts.empty() && !is_held(state) && !goes_on_unasked(resident);
    if (!may) return false;
    HEADWAY_TRY(const std::size_t below, reader.approvals_below(resident.session));
    return below == 0;
}

Result<std::string> judge_goal(Transaction& transaction, Resident& resident, const HookCall& call,
                               const GoalReport& goal) {
    const core::SessionState& state = resident.session.state();
    std::string words;
    if (state.ended() || call.hook.kind != api::hooks::HookKind::kStop) return words;
    std::vector<core::Event> events{check_event(state, goal)};
    HEADWAY_TRY(const GoneOn gone, gone_on(transaction, resident));
    HEADWAY_TRY(const bool called, has_called_since(transaction, resident, gone.last_n));
    const bool answered = !called && gone.turns == 0;  // a turn of words alone
    HEADWAY_TRY(const bool may, may_pursue_goal(transaction.reader(), resident, call));
    if (goal.reached() || answered || !may) {
        // Nothing follows from it: the agent is at its prompt, as before the command.
        if (state.agent_state == core::AgentState::kIdle) events.push_back(idle_event());
    } else if (goal.cannot_run()) {
        events.push_back(cannot_run(goal));
    } else if (gone.turns == kGoalTurnsMax) {
        events.push_back(
            not_reached(goal, "the agent went on " + std::to_string(kGoalTurnsMax) + " times"));
    } else if (!called) {
        events.push_back(not_reached(goal, "the agent made no call since it went on"));
    } else {
        events.push_back(message_event(gone.turns + 1, goal));
        words = prompt_of(goal);
    }
    HEADWAY_CHECK(store(transaction, resident, std::move(events)));
    return words;
}

}  // namespace headway::server
