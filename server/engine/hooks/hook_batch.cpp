// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_batch.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "api/hooks/session_names.hpp"
#include "core/events/event.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/judgement/resolver.hpp"
#include "core/text/text.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/family_writes.hpp"

namespace headway::server {
namespace {

/// Calls of one turn that a batch may name again.
constexpr std::size_t kFinishedCallsMax = 256;

bool knows(const std::vector<std::uint64_t>& digests, const std::string& text) {
    return std::find(digests.begin(), digests.end(), core::digest_of(text).low) != digests.end();
}

bool tells_anew(const Resident& resident, const core::ToolFinished& call, bool untold) {
    const HookMemory& memory = *resident.hooks;
    if (knows(memory.finished_calls, call.call_id)) return false;
    if (!untold) return true;
    // Finished calls are remembered in memory only, open ones by the journal. One that a person let
    // go has run, whose own report was lost.
    const core::SessionState& state = resident.session.state();
    const std::string id = core::kept_call_id(call.call_id);
    const auto& requests = state.approvals.requests;
    const bool let_go = std::any_of(requests.begin(), requests.end(), [&id](const auto& one) {
        return one.call_id == id && one.let_go;
    });
    return !let_go && core::in_flight(state, call.call_id);
}

/// Names have no control characters.
template <class Call>
std::string input_of(const Call& call) {
    return call.call_id + '\n' + call.tool + '\n' + call.args.kept + core::to_hex(call.args.digest);
}

core::ErrorReported error_of(const api::hooks::AnswerEnd& end) {
    core::ErrorReported error;
    error.message = core::bounded_text(end.words);
    error.error_class = end.error_class;
    error.ends_turn = true;
    return error;
}

core::Event works_again() {
    core::StateChanged change;
    change.state = core::AgentState::kStreamingResponse;
    core::Event event;
    event.payload = std::move(change);
    return event;
}

}  // namespace

void note_finished_call(Resident& resident, const std::string& call_id) {
    auto& known = resident.hooks.change().finished_calls;
    if (known.size() >= kFinishedCallsMax) known.erase(known.begin());
    known.push_back(core::digest_of(call_id).low);
}

void note_finished_input(Resident& resident, const HookCommand& command) {
    using api::hooks::HookKind;
    const HookKind kind = command.call.hook.kind;
    if (kind == HookKind::kPrompt && !resident.hooks->finished_inputs.empty())
        resident.hooks.change().finished_inputs.clear();
    if (kind != HookKind::kPost || command.events.empty()) return;
    const auto* call = std::get_if<core::ToolFinished>(&command.events.front().payload);
    if (call == nullptr || call->args.kept.empty()) return;
    // The start of this one has come. Some agents use an id for call after call.
    if (core::in_flight(resident.session.state(), call->call_id)) return;
    auto& known = resident.hooks.change().finished_inputs;
    if (known.size() >= kFinishedCallsMax) known.erase(known.begin());
    known.push_back(core::digest_of(input_of(*call)).low);
}

core::Result<> drop_late_start(Transaction& transaction, Resident& resident, HookCommand& command) {
    if (command.call.hook.kind != api::hooks::HookKind::kPre || command.events.empty()) return {};
    const auto* call = std::get_if<core::ToolStarted>(&command.events.front().payload);
    if (call == nullptr || !knows(resident.hooks->finished_inputs, input_of(*call))) return {};
    const core::SessionState& state = resident.session.state();
    if (core::in_flight(state, call->call_id)) return {};
    HEADWAY_TRY(const bool must_ask,
                must_ask_for(transaction, &resident, *state.policy, call->tool));
    if (must_ask) return {};
    auto& known = resident.hooks.change().finished_inputs;
    known.erase(std::find(known.begin(), known.end(), core::digest_of(input_of(*call)).low));
    command.events.clear();
    command.whole_args.clear();
    return {};
}

core::Event finish_of(const std::string& call_id, const std::string& tool,
                      std::string_view error_class, std::string_view why) {
    core::ToolFinished finished;
    finished.call_id = call_id;
    finished.tool = tool;
    finished.ok = false;
    finished.error =
        core::ToolError{std::string{error_class}, core::bounded_text(std::string{why})};
    core::Event event;
    event.payload = std::move(finished);
    return event;
}

void settle_batch(Resident& resident, HookCommand& command) {
    std::vector<core::Event> kept;
    const auto& untold = command.untold;
    for (std::size_t place = 0; place < command.events.size(); ++place) {
        core::Event& event = command.events[place];
        const auto* call = std::get_if<core::ToolFinished>(&event.payload);
        const bool is_untold = std::find(untold.begin(), untold.end(), place) != untold.end();
        if (call == nullptr || tells_anew(resident, *call, is_untold))
            kept.push_back(std::move(event));
    }
    command.events = std::move(kept);
    if (!resident.hooks->finished_calls.empty()) resident.hooks.change().finished_calls.clear();
}

void number_round(const core::SessionState& state, const core::HookChannel* channel,
                  HookCommand& command) {
    if (channel != nullptr && channel->lacks_batches()) return;
    const std::uint64_t round = command.call.hook.round.value_or(state.iteration.value_or(0) + 1);
    const bool batch = command.call.hook.kind == api::hooks::HookKind::kBatch;
    for (core::Event& event : command.events) {
        if (auto* started = std::get_if<core::ToolStarted>(&event.payload)) started->round = round;
        if (auto* finished = std::get_if<core::ToolFinished>(&event.payload))
            finished->round = round;
        auto* beat = std::get_if<core::Heartbeat>(&event.payload);
        if (beat != nullptr && batch) beat->iteration = round;
    }
}

void note_answer(Resident& resident, HookCommand& command) {
    using api::hooks::HookKind;
    const api::hooks::Hook& hook = command.call.hook;
    if (hook.answer_end && !hook.answer_end->words.empty()) {
        resident.hooks.change().answer_error = error_of(*hook.answer_end);
        return;
    }
    if (hook.answer_end && core::stopped_by_provider(resident.session.state()))
        command.events.push_back(works_again());
    if (!resident.hooks->answer_error) return;
    const bool ends = hook.kind == HookKind::kStop;
    if (ends) command.events.emplace_back().payload = *resident.hooks->answer_error;
    const bool goes_on = hook.kind == HookKind::kPrompt || hook.kind == HookKind::kPre ||
                         hook.kind == HookKind::kTurn;
    if (ends || goes_on || hook.answer_end) resident.hooks.change().answer_error.reset();
}

void note_agents_left(Resident& resident, const HookCommand& command, core::Timestamp now) {
    const api::hooks::Hook& hook = command.call.hook;
    if (hook.kind == api::hooks::HookKind::kPrompt) resident.hooks.change().prompted_at = now;
    if (hook.kind != api::hooks::HookKind::kStop) return;
    if (hook.background_agents.empty() && resident.hooks->agents_left.empty()) return;
    auto& left = resident.hooks.change().agents_left;
    left.clear();
    for (const std::string& id : hook.background_agents)
        left.push_back(api::hooks::child_session(command.session, id));
}

core::Result<bool> has_agent_at_work(Transaction& transaction, const Resident& resident) {
    const std::vector<std::string> left = resident.hooks->agents_left;
    bool known = !left.empty();
    for (const std::string& session : left) {
        HEADWAY_TRY(const std::string named,
                    in_force(transaction.reader(), session, Begins::kNever));
        HEADWAY_TRY(const Resident* agent, transaction.find(named));
        if (agent != nullptr && !agent->session.state().ended()) return true;
        known = known && agent != nullptr;
    }
    if (known) return false;
    return transaction.has_open_child(resident);
}

bool has_call_below(Transaction& transaction, const Resident& resident) {
    const core::Timestamp prompted_at = resident.hooks->prompted_at;
    if (prompted_at == core::kNever) return false;
    const auto below =
        transaction.tree().descendants(resident.session, transaction.sessions().residents());
    const std::string own = resident.session.id() + ".";
    return std::any_of(below.begin(), below.end(), [&](const Resident* child) {
        const core::SessionState& state = child->session.state();
        return child->session.id().starts_with(own) && !state.ended() &&
               !state.open_calls.empty() && state.heard_at() >= prompted_at;
    });
}

}  // namespace headway::server
