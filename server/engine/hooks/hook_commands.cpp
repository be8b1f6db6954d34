// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_commands.hpp"

#include <algorithm>
#include <utility>

#include "api/hooks/read.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/text/text.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/goals/goals.hpp"
#include "server/engine/hooks/hook_answers.hpp"
#include "server/engine/hooks/hook_batch.hpp"
#include "server/engine/hooks/hook_dialogs.hpp"
#include "server/engine/hooks/hook_prompts.hpp"
#include "server/engine/hooks/hook_repetition.hpp"
#include "server/engine/hooks/hook_uses.hpp"
#include "server/engine/reports/generations.hpp"
#include "server/engine/reports/hook_ends.hpp"

namespace headway::server {
namespace {

using api::hooks::Hook;
using api::hooks::HookKind;
using core::Result;

Begins begins(const Hook& hook) {
    switch (hook.kind) {
        case HookKind::kStart:  // by itself, where the context was full
            return hook.source == "compact" ? Begins::kByCall : Begins::kAnew;
        case HookKind::kPrompt:
            return hook.synthetic ? Begins::kByCall : Begins::kAnew;
        case HookKind::kPre:
        case HookKind::kPermission:
        case HookKind::kRequest:
        case HookKind::kQuestion:
        case HookKind::kSubStart:
            return Begins::kByCall;
        default:
            return Begins::kNever;
    }
}

/// Report of a hook once the state of its session is known.
class Report {
public:
    Report(Transaction& transaction, Resident& resident, HookCommand& command)
        : transaction_(transaction),
          resident_(resident),
          state_(resident.session.state()),
          command_(command) {}

    /// `uses` are the events that count the answers it tells of; `adapter` is empty if it is no
    /// report of the agent's.
    Result<ReportCommand> make(std::vector<core::Event> uses, std::string adapter) {
        const HookKind kind = command_.call.hook.kind;
        if (kind == HookKind::kPre) {
            name_started();
            HEADWAY_CHECK(drop_late_start(transaction_, resident_, command_));
            note_announced_call(resident_, command_.call);
        }
        if (kind == HookKind::kPost) name_finished();
        if (kind == HookKind::kBatch) settle_batch(resident_, command_);
        if (kind == HookKind::kError) date_error();
        if (kind == HookKind::kAnswered) settle_answer();
        note_interruption();
        note_answer(resident_, command_);
        note_agents_left(resident_, command_, transaction_.now());
        note_finished_input(resident_, command_);
        if (kind == HookKind::kInterrupt) {
            for (const core::OpenCall& call : state_.open_calls)
                note_left(resident_, call.call_id);
        }
        if (command_.call.dialect->reports_rounds)
            number_round(state_, transaction_.channels().find(resident_.key), command_);
        // From a program that reads the agent's record, so no sign of the agent.
        if (tells_use_only(command_.call.hook)) command_.events.clear();
        const bool others = !uses.empty() || kind == HookKind::kEnd;  // with ids
        std::vector<core::Event> events = std::move(uses);
        note_adapter(adapter, events);
        if (closes_calls(command_.call.hook)) close_calls(events);
        const std::size_t before = events.size();
        std::move(command_.events.begin(), command_.events.end(), std::back_inserter(events));
        for (api::WholeArgs& whole : command_.whole_args)
            whole.place += before;
        if (ends_session(kind)) {
            HEADWAY_TRY(const bool cut_off, has_agent_at_work(transaction_, resident_));
            core::Event& end = events.emplace_back();
            end.payload = end_of(state_, command_.call.hook, *resident_.hooks,
                                 {cut_off, has_call_below(transaction_, resident_)});
            if (is_of_run(state_)) end.payload = agent_has_ended();
            if (kind == HookKind::kEnd) end.event_id = command_.call.hook.event_id;
        }
        ReportCommand report;
        report.session = command_.target;
        report.batch = true;
        report.events = std::move(events);
        report.whole_args = std::move(command_.whole_args);
        report.fresh = !others;
        report.of_hook = true;
        report.gives_up = kind == HookKind::kInterrupt ||
                          (kind == HookKind::kPrompt && !command_.call.hook.synthetic);
        report.channel = core::Channel::kAgent;
        report.adapter = std::move(adapter);
        report.note = folder_note(transaction_, resident_, command_.call.hook);
        return report;
    }

private:
    template <class P>
    P* only() {
        if (command_.events.empty()) return nullptr;
        return std::get_if<P>(&command_.events.front().payload);
    }

    /// A session that something else opened, or another adapter.
    void note_adapter(const std::string& adapter, std::vector<core::Event>& events) const {
        const auto& known = state_.about.adapters;
        if (adapter.empty() || known.size() >= core::limits::kAdaptersMax) return;
        if (std::find(known.begin(), known.end(), adapter) != known.end()) return;
        core::Heartbeat beat;
        beat.adapter = adapter;
        events.emplace_back().payload = std::move(beat);
    }

    bool is_of_content(const std::string& call_id) const {
        return !command_.call.dialect->has_call_ids || api::hooks::is_content_id(call_id);
    }

    /// An id made of the content is that of every equal call: a number tells them apart.
    void name_started() {
        auto* started = only<core::ToolStarted>();
        if (started == nullptr || !is_of_content(started->call_id)) return;
        started->call_id += "." + std::to_string(state_.n + 1);
        command_.call.hook.call.call = started->call_id;
    }

    /// The oldest open call of this content, or of this tool: a person may have edited it.
    void name_finished() {
        auto* finished = only<core::ToolFinished>();
        if (finished == nullptr) return;
        if (is_of_content(finished->call_id)) {
            if (command_.call.dialect->has_call_ids)  // a batch may name it so again
                note_finished_call(resident_, finished->call_id);
            const std::string text = finished->call_id + ".";
            const auto& open = state_.open_calls;
            auto found = std::find_if(open.begin(), open.end(), [&text](const auto& call) {
                return call.call_id.starts_with(text);
            });
            if (found == open.end()) {
                found = std::find_if(open.begin(), open.end(), [finished](const auto& call) {
                    return call.tool == finished->tool;
                });
            }
            finished->call_id = found == open.end() ? std::string{} : found->call_id;
        }
        note_finished_call(resident_, finished->call_id);
    }

    /// A time that the agent tells as a wait begins with its hook.
    void date_error() {
        auto* error = only<core::ErrorReported>();
        const auto after = command_.call.hook.retry_after_ms;
        if (error == nullptr || error->retry_at != core::kNever || !after) return;
        error->retry_at = transaction_.now() + core::Millis{static_cast<std::int64_t>(*after)};
    }

    /// The agent goes on with what it did, and was not asked about anything else.
    void settle_answer() {
        auto* change = only<core::StateChanged>();
        if (change == nullptr) return;
        if (state_.agent_state != core::AgentState::kAwaitingPermission) {
            command_.events.front().payload = core::Heartbeat{};
        } else if (state_.open_calls.empty()) {
            change->state = core::AgentState::kProcessingPrompt;
        }
    }

    /// Until the next turn.
    void note_interruption() {
        const HookKind kind = command_.call.hook.kind;
        const bool now = kind == HookKind::kInterrupt;
        const bool works = kind == HookKind::kPrompt || kind == HookKind::kPre;
        if (now || (works && resident_.hooks->interrupted))
            resident_.hooks.change().interrupted = now;
    }

    void close_calls(std::vector<core::Event>& events) const {
        const HookKind kind = command_.call.hook.kind;
        const bool person = kind == HookKind::kPrompt || kind == HookKind::kInterrupt;
        const bool shared = transaction_.reader().is_shared();  // another daemon may hold hooks
        for (const core::OpenCall& call : state_.open_calls) {
            // A person may write while a call is held.
            if (kind == HookKind::kPrompt && may_be_held(resident_, call, shared)) continue;
            events.push_back(finish_of(call.call_id, call.tool, "cancelled",
                                       person ? "interrupted" : "its end was not reported"));
            auto& finished = std::get<core::ToolFinished>(events.back().payload);
            finished.refused_here = was_held(resident_, call);
            finished.end_assumed = !finished.refused_here;
        }
    }

    Transaction& transaction_;
    Resident& resident_;
    const core::SessionState& state_;
    HookCommand& command_;
};

/// A call that its session does not take, because a person could not see all of its arguments or
/// has too many calls to decide about: the agent would take an error as a daemon that is away, and
/// run it unasked.
bool refuses_call(HookKind kind, const core::Error& error) {
    return waits(kind) && !api::hooks::asks_person(kind) && !is_storage_error(error.code);
}

Result<HookAnswered> refused_call(HookCommand& command, core::Error&& error) {
    if (!refuses_call(command.call.hook.kind, error)) return std::move(error);
    HookAnswered answered;
    answered.session = command.target;
    answered.reply.deny = "This call may not run, for it cannot be recorded: " + error.detail + ".";
    answered.call = std::move(command.call);
    return answered;
}

/// Checks that the session that this hook names as its sub-agent's is one of its sessions: an agent
/// may have opened it beforehand, where no decision about this session would reach it.
Result<> check_sub_agent(const core::Session& session, const std::string& parent) {
    if (parent.empty() || base_of(session.state().about.parent) == base_of(parent)) return {};
    return core::Error{core::ErrorCode::kForbidden,
                       session.id() + " was opened before, and not as a sub-agent of " + parent,
                       {}};
}

/// Answer for a session that is not open: there is no process to follow either, of which there may
/// be few.
HookAnswered unheard(HookAnswered&& answered, HookCall&& call) {
    call.process = false;
    answered.call = std::move(call);
    return std::move(answered);
}

void follow_process(Resident& resident, const HookCall& call) {
    if (call.process) resident.agent_runs = true;
    if (call.process_number != 0) resident.agent_work.follow(call.process_number);
}

/// Opens the session; a prompt gives it its goal.
Result<> open_for(Transaction& transaction, HookCommand& command) {
    HEADWAY_TRY(Resident * resident, transaction.find(command.target));
    const Hook& hook = command.call.hook;
    const bool asked = hook.kind == HookKind::kPrompt && !hook.synthetic;
    const bool open = resident != nullptr;
    if (open && (resident->session.state().ended() || !asked)) return {};
    if (open && !resident->session.state().about.implicit) return {};
    core::SessionStarted about = command.about;
    if (std::string adapter = reporting_adapter(*command.call.dialect, hook, about.agent.name);
        !adapter.empty())
        about.adapters.push_back(std::move(adapter));
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
        opening.of_hook = true;   // and a person's prompt
        HEADWAY_TRY(const SessionDocument opened, opening(transaction));
        (void)opened;
        return {};
    }
    const bool prompted = begins(hook) == Begins::kAnew;
    const BegunBy by = prompted ? BegunBy::kPrompt : BegunBy::kAgent;
    HEADWAY_CHECK(check_turn(transaction.reader(), command.target, by));
    HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), command.target));
    const Takes takes = prompted ? Takes::kSet : Takes::kAll;
    return open_implicitly(transaction, command.target, std::move(about), before, takes);
}

}  // namespace

Result<> HookCommand::name(Reader& reader, SessionNames& names) {
    HEADWAY_TRY(named, in_force(reader, session, begins(call.hook)));
    target = named;
    names.push_back(named);
    if (!parent.empty())  // of which open_for() asks
        HEADWAY_CHECK(in_force(reader, parent, Begins::kNever));
    // A command before it in the turn may end the session. Where names are rows to be locked, the
    // command waits for the next turn then.
    next = reader.is_shared() ? "" : next_generation(session, named);
    if (!next.empty()) names.push_back(next);
    return {};
}

std::optional<HookAnswered> HookCommand::unstored(Reader& reader, const core::Error& error) const {
    if (is_unreadable(error.code)) return answer_unread(session, call);
    std::string id = session;
    if (!reader.is_shared()) {  // else each look may wait for a connection
        if (auto current = in_force(reader, session, Begins::kNever)) id = *std::move(current);
    }
    return answer_unstored(reader, std::move(id), parent, call);
}

Result<bool> HookCommand::is_well_named(Reader& reader) const {
    HEADWAY_TRY(const std::string now, in_force(reader, session, begins(call.hook)));
    return now == named;
}

Result<HookAnswered> HookCommand::operator()(Transaction& transaction) {
    if (!next.empty()) {
        HEADWAY_TRY(target, in_force(transaction.reader(), session, begins(call.hook)));
        if (!transaction.may_change(target)) target = next;
    }
    HEADWAY_TRY(Resident * resident, transaction.find(target));
    const HookKind kind = call.hook.kind;
    const bool ended = resident != nullptr && resident->session.state().ended();
    const bool opens = !ends_session(kind) && !tells_use_only(call.hook);
    const bool opened_before = resident != nullptr && !ended;
    const bool late = resident == nullptr ? !opens : ended && !waits(kind);
    HookAnswered nothing;
    nothing.session = target;
    if (kind == HookKind::kStatus && (resident == nullptr || ended)) {
        nothing.reply.context = ended ? core::status_words(resident->session.state())
                                      : "Nothing was reported of this session yet.";
        return unheard(std::move(nothing), std::move(call));
    }
    if (late) return unheard(std::move(nothing), std::move(call));
    if (goal.ran && resident != nullptr) {
        nothing.call = std::move(call);
        HEADWAY_TRY(nothing.reply.go_on, judge_goal(transaction, *resident, nothing.call, goal));
        return nothing;
    }
    if (resident != nullptr && !ended) mark_wake_up(*resident, *this);
    if (auto opened = open_for(transaction, *this); !opened)
        return refused_call(*this, std::move(opened).error());
    HEADWAY_TRY(resident, transaction.require(target));
    if (auto fits = check_sub_agent(resident->session, parent); !fits && waits(kind))
        return refused_call(*this, std::move(fits).error());
    follow_process(*resident, call);
    if (!opened_before && kind == HookKind::kStart && call.hook.source == "startup")
        resident->hooks.change().fresh = true;
    const bool turns = kind == HookKind::kTurn || kind == HookKind::kStop;
    if (turns && !resident->hooks->turned) resident->hooks.change().turned = true;
    std::string adapter = reporting_adapter(*call.dialect, call.hook, about.agent.name);
    if (!adapter.empty())
        transaction.channels().note(resident->key, *call.dialect, call.hook, call.process,
                                    transaction.now());
    const bool vain = api::hooks::asks_person(kind) && is_vain(*resident, call, transaction.now());
    const bool open = !resident->session.state().ended() && !vain;
    if (open) HEADWAY_CHECK(note_repetition(transaction, *resident, *this));
    if (call.hook.dialog && !call.unheard) {
        HEADWAY_CHECK(ask_beside_dialog(transaction, *resident, call, std::move(dialog)));
        if (call.dialog != 0) events.clear();  // its request already reports that a person is asked
    }
    if (ends_dialogs(call.hook) && !call.unheard)
        HEADWAY_CHECK(end_dialogs(transaction, *resident));
    bool older = false;
    if (open && !call.unheard) {
        note_prompts(*resident, call.hook);
        HEADWAY_TRY(UsesTaken taken, take_uses(transaction, *resident, *this));
        older = taken.more;
        HEADWAY_TRY(ReportCommand report, Report(transaction, *resident, *this)
                                              .make(std::move(taken.events), std::move(adapter)));
        if (!report.events.empty()) {
            // It decides before it changes anything.
            if (auto done = report(transaction); !done)
                return refused_call(*this, std::move(done).error());
        }
    }
    if (resident->session.state().ended()) call.process = false;
    HEADWAY_TRY(HookAnswered answered,
                answer_hook_call(transaction, *resident, std::move(call), false, false));
    answered.wants_older_uses = older;
    HEADWAY_TRY(const bool may_go_on,
                may_pursue_goal(transaction.reader(), *resident, answered.call));
    answered.wants_goal = goal.set && may_go_on;
    return answered;
}

Result<HookAnswered> HookAgainCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.require(session));
    return answer_hook_call(transaction, *resident, std::move(call), time_is_up, true);
}

Result<Unanswered> AgentGoneCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    if (resident == nullptr) return Unanswered{};  // deleted since
    resident->agent_runs = false;
    transaction.channels().note_process_gone(resident->key);
    if (is_of_run(resident->session.state())) return Unanswered{};
    HEADWAY_CHECK(transaction.change(*resident, &core::Session::agent_gone));
    return Unanswered{};
}

}  // namespace headway::server
