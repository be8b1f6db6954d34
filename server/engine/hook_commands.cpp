// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hook_commands.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "core/budget.hpp"
#include "core/budget_text.hpp"
#include "core/hook_answer.hpp"
#include "core/text.hpp"
#include "server/engine/approval_documents.hpp"
#include "server/engine/generations.hpp"
#include "server/engine/session_commands.hpp"

namespace headway::server {
namespace {

using api::hooks::Hook;
using api::hooks::HookKind;
using core::Result;

/// Calls of one turn that a batch may name again.
constexpr std::size_t kFinishedCallsMax = 256;

Begins begins(const Hook& hook) {
    switch (hook.kind) {
        case HookKind::kStart:
        case HookKind::kSubStart:
            return Begins::kAnew;
        case HookKind::kPrompt:
            return hook.synthetic ? Begins::kByCall : Begins::kAnew;
        case HookKind::kPre:
        case HookKind::kPermission:
        case HookKind::kRequest:
        case HookKind::kQuestion:
            return Begins::kByCall;
        default:
            return Begins::kNever;
    }
}

bool ends_session(HookKind kind) {
    return kind == HookKind::kEnd || kind == HookKind::kSubEnd;
}

/// Opened by `headway run`, which also ends it: its command may start several agents, and has an
/// exit status.
bool is_supervised(const core::SessionState& state) {
    return state.about.agent.type == "command";
}

bool waits(HookKind kind) {
    return kind == HookKind::kPre || kind == HookKind::kPermission || api::hooks::asks_person(kind);
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

/// Calls in flight of a turn that is over will not be reported any more.
bool closes_calls(HookKind kind) {
    return kind == HookKind::kPrompt || kind == HookKind::kStop || kind == HookKind::kError ||
           ends_session(kind);
}

/// How the session of an agent that went away has ended.
core::SessionEnded end_of(const core::SessionState& state, const Hook& hook) {
    core::SessionEnded end;
    end.reason = core::bounded_text(hook.kind == HookKind::kSubEnd ? "" : hook.reason);
    const bool exhausted =
        state.budget.limited() && state.budget.level == core::BudgetLevel::kExhausted;
    if (core::parse_name(hook.outcome, end.outcome) && end.outcome != core::Outcome::kHalted &&
        (end.outcome != core::Outcome::kBudgetExhausted || exhausted))
        return end;
    const bool completed =
        hook.kind == HookKind::kSubEnd || state.agent_state == core::AgentState::kIdle;
    end.outcome = core::Outcome::kCancelled;
    if (state.cancel_requested) return end;
    if (exhausted) {
        end.outcome = core::Outcome::kBudgetExhausted;
    } else if (completed) {
        end.outcome = core::Outcome::kCompleted;
    } else if (state.agent_state == core::AgentState::kErrorRecovery) {
        end.outcome = core::Outcome::kFailed;
    }
    return end;
}

/// What a hook reports once the state of its session is known.
class Report {
public:
    Report(Resident& resident, HookCommand& command)
        : resident_(resident), state_(resident.session.state()), command_(command) {}

    ReportCommand make() {
        const HookKind kind = command_.call.hook.kind;
        if (kind == HookKind::kPre) name_started();
        if (kind == HookKind::kPost) name_finished();
        if (kind == HookKind::kBatch) drop_finished();
        if (command_.call.dialect->reports_rounds) number_round();
        std::vector<core::Event> events;
        if (closes_calls(kind)) close_calls(events);
        const std::size_t before = events.size();
        std::move(command_.events.begin(), command_.events.end(), std::back_inserter(events));
        for (api::WholeArgs& whole : command_.whole_args)
            whole.place += before;
        if (ends_session(kind)) {
            core::Event end;
            end.payload = end_of(state_, command_.call.hook);
            if (is_supervised(state_)) {
                core::StateChanged idle;
                idle.detail = "the agent has ended";
                end.payload = std::move(idle);
            }
            events.push_back(std::move(end));
        }
        ReportCommand report;
        report.session = command_.target;
        report.batch = true;
        report.events = std::move(events);
        report.whole_args = std::move(command_.whole_args);
        return report;
    }

private:
    template <class P>
    P* only() {
        if (command_.events.empty()) return nullptr;
        return std::get_if<P>(&command_.events.front().payload);
    }

    /// An id made of the content is that of every equal call: a number tells them apart.
    void name_started() {
        auto* started = only<core::ToolStarted>();
        if (started == nullptr || command_.call.dialect->has_call_ids) return;
        started->call_id += "." + std::to_string(state_.n + 1);
        command_.call.hook.call.call = started->call_id;
    }

    /// The oldest open call of this content, or of this tool: a person may have edited it.
    void name_finished() {
        auto* finished = only<core::ToolFinished>();
        if (finished == nullptr) return;
        if (!command_.call.dialect->has_call_ids) {
            const std::string made = finished->call_id + ".";
            const auto& open = state_.open_calls;
            auto found = std::find_if(open.begin(), open.end(), [&made](const auto& call) {
                return call.call_id.starts_with(made);
            });
            if (found == open.end()) {
                found = std::find_if(open.begin(), open.end(), [finished](const auto& call) {
                    return call.tool == finished->tool;
                });
            }
            finished->call_id = found == open.end() ? std::string{} : found->call_id;
        }
        note_finished(finished->call_id);
    }

    void note_finished(const std::string& call_id) {
        auto& known = resident_.hook_calls;
        if (known.size() == kFinishedCallsMax) known.erase(known.begin());
        known.push_back(core::digest_of(call_id).low);
    }

    /// A batch names all calls of a turn. Those that were reported by themselves are known.
    void drop_finished() {
        auto& known = resident_.hook_calls;
        std::erase_if(command_.events, [&known](const core::Event& event) {
            const auto* call = std::get_if<core::ToolFinished>(&event.payload);
            return call != nullptr && std::find(known.begin(), known.end(),
                                                core::digest_of(call->call_id).low) != known.end();
        });
        known.clear();
    }

    /// Batches are counted by the iteration of their heartbeat, unless the agent counts its turns.
    void number_round() {
        const std::uint64_t round =
            command_.call.hook.round.value_or(state_.iteration.value_or(0) + 1);
        const bool batch = command_.call.hook.kind == HookKind::kBatch;
        for (core::Event& event : command_.events) {
            if (auto* started = std::get_if<core::ToolStarted>(&event.payload))
                started->round = round;
            if (auto* finished = std::get_if<core::ToolFinished>(&event.payload))
                finished->round = round;
            auto* beat = std::get_if<core::Heartbeat>(&event.payload);
            if (beat != nullptr && batch) beat->iteration = round;
        }
    }

    void close_calls(std::vector<core::Event>& events) const {
        const bool prompt = command_.call.hook.kind == HookKind::kPrompt;
        for (const core::OpenCall& call : state_.open_calls) {
            events.push_back(finish_of(call.call_id, call.tool, "cancelled",
                                       prompt ? "interrupted" : "its end was not reported"));
        }
    }

    Resident& resident_;
    const core::SessionState& state_;
    HookCommand& command_;
};

/// Opens the session; a prompt gives it its goal.
Result<> open_for(Transaction& transaction, HookCommand& command) {
    HEADWAY_TRY(Resident * resident, transaction.find(command.target));
    const Hook& hook = command.call.hook;
    const bool asked = hook.kind == HookKind::kPrompt && !hook.synthetic;
    const bool open = resident != nullptr;
    if (open && (resident->session.state().ended() || !asked)) return {};
    if (open && !resident->session.state().about.implicit) return {};
    core::SessionStarted about = command.about;
    if (!command.parent.empty()) {
        HEADWAY_TRY(about.parent, in_force(transaction.reader(), command.parent, Begins::kNever));
    }
    if (command.target != command.session) about.labels.push_back({"resumed", command.session});
    if (asked) {
        about.goal = core::bounded_text(hook.text);
        OpenCommand opening;
        opening.session = command.target;
        opening.about = std::move(about);
        opening.controls = true;  // all of it is the daemon's own choice
        HEADWAY_TRY(const SessionDocument opened, opening(transaction));
        (void)opened;
        return {};
    }
    return open_implicitly(transaction, command.target, std::move(about));
}

/// The arguments that a person put in place of the call's.
Result<std::string> edited_args(Transaction& transaction, const Resident& resident,
                                const HookCall& call) {
    const core::Approval* approval = core::approval_of_call(
        resident.session.state(), call.hook.call.call, call.hook.call.tool, call.args_digest);
    HEADWAY_ASSERT(approval != nullptr);
    HEADWAY_TRY(const auto document,
                approval_document(transaction.reader(), resident, approval->n));
    return document.texts.edited_args.text;
}

/// No person is asked for one who has to stop, or about a call that was approved before.
bool is_vain(const core::SessionState& state, const HookCall& call) {
    core::HookQuestion asked;
    asked.call_id = call.hook.call.call;
    asked.tool = call.hook.call.tool;
    asked.args_digest = call.args_digest;
    const bool approved = call.hook.kind == HookKind::kRequest && core::is_approved(state, asked);
    return approved || core::must_stop(state);
}

/// An approval lets one call go: the agent has it with this answer.
Result<> redeem(Transaction& transaction, Resident& resident, std::uint64_t n) {
    const core::Approval* approval = resident.session.state().approvals.find(n);
    HEADWAY_ASSERT(approval != nullptr);
    const std::string digest = approval->run_digest;
    const bool hooks = transaction.channels().find(resident.key) != nullptr;
    std::vector<core::Event> events;
    auto done = resident.session.redeem(n, digest, hooks ? "hook" : core::kDeliveredKey,
                                        transaction.context(), events);
    if (!done) return std::move(done).error();
    return transaction.append(resident, events);
}

/// How the session stands, and what there is to say.
std::string with_status(Transaction& transaction, const core::SessionState& state,
                        std::string said) {
    std::string words = core::status_words(state);
    if (state.budget.limited()) {
        words += "\n\n" + core::budget_prompt(core::budget_status(state, transaction.now(),
                                                                  transaction.context().watch));
    }
    return said.empty() ? words : words + "\n\n" + said;
}

/// Answers, and records what the answer itself changes.
Result<HookAnswered> answer(Transaction& transaction, Resident& resident, HookCall call,
                            bool time_is_up) {
    const Hook& hook = call.hook;
    HookAnswered answered;
    answered.session = resident.session.id();
    core::HookQuestion asked;
    asked.session = answered.session;
    asked.waits = waits(hook.kind);
    asked.stops = resident.hook_stops;
    asked.takes_words = call.dialect->takes_context(hook);
    asked.wordless = hook.wordless;
    asked.time_is_up = time_is_up;
    if (hook.kind == HookKind::kQuestion) asked.kind = core::ApprovalKind::kQuestion;
    asked.redeems = hook.kind == HookKind::kRequest;
    asked.call_id = hook.call.call;
    asked.tool = hook.call.tool;
    asked.args_digest = call.args_digest;
    core::HookAnswer said = core::answer_hook(resident.session.state(), asked);
    answered.hold = said.hold;
    std::vector<core::Event> events;
    for (std::string& id : said.delivered) {
        core::Event delivered;
        delivered.payload = core::DirectiveDelivered{std::move(id)};
        events.push_back(std::move(delivered));
    }
    if (!said.acknowledged.empty()) {
        core::Event read;
        read.payload = core::DirectiveAcknowledged{std::move(said.acknowledged)};
        events.push_back(std::move(read));
    }
    const bool refused = !said.deny.empty() || !said.stop.empty();
    if (hook.kind == HookKind::kPre && refused && !resident.session.state().ended()) {
        const std::string& why = said.stop.empty() ? said.deny : said.stop;
        events.push_back(finish_of(hook.call.call, hook.call.tool, "denied", why));
        resident.hook_calls.push_back(core::digest_of(hook.call.call).low);
        if (!said.stop.empty()) ++resident.hook_stops;
    }
    if (hook.kind == HookKind::kPre && !refused && !answered.hold)
        transaction.channels().note_call(resident.key);
    if (!said.edit.empty()) {
        HEADWAY_TRY(answered.reply.edit_json, edited_args(transaction, resident, call));
    }
    if (said.redeemed != 0) HEADWAY_CHECK(redeem(transaction, resident, said.redeemed));
    if (said.answered != 0) {
        HEADWAY_TRY(const auto document,
                    approval_document(transaction.reader(), resident, said.answered));
        answered.reply.answer = document.texts.response.kept;
    }
    if (hook.kind == HookKind::kStatus)
        said.words = with_status(transaction, resident.session.state(), std::move(said.words));
    answered.reply.deny = std::move(said.deny);
    answered.reply.allow = std::move(said.allow);
    answered.reply.context = std::move(said.words);
    answered.reply.stop = std::move(said.stop);
    answered.reply.stop_hard = said.hard;
    answered.reply.undecided = said.undecided;
    answered.call = std::move(call);
    if (events.empty()) return answered;
    ReportCommand report;
    report.session = answered.session;
    report.batch = true;
    report.events = std::move(events);
    HEADWAY_TRY(const Advised advised, report(transaction));
    (void)advised;
    return answered;
}

}  // namespace

Result<> HookCommand::name(Reader& reader, SessionNames& names) {
    HEADWAY_TRY(target, in_force(reader, session, begins(call.hook)));
    names.push_back(target);
    return {};
}

Result<HookAnswered> HookCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.find(target));
    const HookKind kind = call.hook.kind;
    const bool ended = resident != nullptr && resident->session.state().ended();
    const bool late = resident == nullptr ? ends_session(kind) : ended && !waits(kind);
    HookAnswered nothing;
    nothing.session = target;
    if (kind == HookKind::kStatus && (resident == nullptr || ended)) {
        nothing.reply.context = ended ? core::status_words(resident->session.state())
                                      : "Nothing was reported of this session yet.";
        nothing.call = std::move(call);
        return nothing;
    }
    if (late) {
        nothing.call = std::move(call);
        return nothing;
    }
    HEADWAY_CHECK(open_for(transaction, *this));
    HEADWAY_TRY(resident, transaction.require(target));
    if (call.process) resident->agent_runs = true;
    // MCP is no way of reporting, and a person can be asked by it beside any.
    const bool reports = !api::hooks::asks_person(kind) && kind != HookKind::kStatus;
    if (reports)
        transaction.channels().note(resident->key, *call.dialect, call.hook, call.process,
                                    transaction.now());
    const bool vain = api::hooks::asks_person(kind) && is_vain(resident->session.state(), call);
    if (!resident->session.state().ended() && !vain) {
        ReportCommand report = Report{*resident, *this}.make();
        if (!report.events.empty()) {
            HEADWAY_TRY(const Advised advised, report(transaction));
            (void)advised;
        }
    }
    return answer(transaction, *resident, std::move(call), false);
}

Result<HookAnswered> HookAgainCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.require(session));
    return answer(transaction, *resident, std::move(call), time_is_up);
}

Result<Unanswered> AgentGoneCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    if (resident == nullptr) return Unanswered{};  // deleted since
    resident->agent_runs = false;
    transaction.channels().note_process_gone(resident->key);
    if (is_supervised(resident->session.state())) return Unanswered{};
    std::vector<core::Event>& events = transaction.events();
    resident->session.agent_gone(transaction.context(), events);
    HEADWAY_CHECK(transaction.append(*resident, events));
    return Unanswered{};
}

}  // namespace headway::server
