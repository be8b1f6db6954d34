// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_answers.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/budget_text.hpp"
#include "core/hooks/hook_answer.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/family_writes.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/hooks/hook_batch.hpp"
#include "server/engine/hooks/hook_dialogs.hpp"
#include "server/engine/transaction/days.hpp"

namespace headway::server {
namespace {

using api::hooks::Hook;
using api::hooks::HookKind;
using core::Result;

Result<std::string> answer_of(Transaction& transaction, const Resident& resident, std::uint64_t n) {
    HEADWAY_TRY(const auto document, approval_document(transaction.reader(), resident, n));
    return document.texts.response.kept;
}

/// The arguments that a person put in place of the call's.
Result<std::string> edited_args(Transaction& transaction, const Resident& resident,
                                std::uint64_t n) {
    HEADWAY_TRY(auto document, approval_document(transaction.reader(), resident, n));
    if (document.texts.edited_args.text.empty())
        return core::Error{core::ErrorCode::kInternal, "its edited arguments are not stored", {}};
    return std::move(document.texts.edited_args.text);
}

/// A person's replacement of the call, or answer, and damage on the disk.
struct SaidByPerson {
    std::string edited;
    std::string answer;
};

/// Without what a person has said the call must not run: with an error its agent would take us for
/// a daemon that is away. Leaves the approval unused.
Result<SaidByPerson> said_by_person(Transaction& transaction, const Resident& resident,
                                    core::HookAnswer& hook_answer) {
    SaidByPerson words;
    Result<std::string> edited;
    if (hook_answer.edited != 0) edited = edited_args(transaction, resident, hook_answer.edited);
    Result<std::string> answer;
    if (hook_answer.answered != 0) answer = answer_of(transaction, resident, hook_answer.answered);
    for (const auto* one : {&edited, &answer}) {
        if (*one) continue;
        if (!is_unreadable(one->error().code)) return one->error();
        hook_answer.edited = 0;
        hook_answer.allow.clear();
        hook_answer.acknowledged.clear();
        hook_answer.redeemed = 0;
        hook_answer.deny = "This call may not run: " + one->error().detail + ".";
        return words;
    }
    words.edited = *std::move(edited);
    words.answer = *std::move(answer);
    return words;
}

/// An approval lets one call go: the agent has it with this answer.
Result<> redeem(Transaction& transaction, Resident& resident, std::uint64_t n,
                const std::string& call_id) {
    const core::Approval* approval = resident.session.state().approvals.find(n);
    HEADWAY_ASSERT(approval != nullptr);
    const std::string digest = approval->run_digest;
    // Which answer a dialog took is not known, so the call is not missed when it does not run.
    const bool hooks =
        transaction.channels().find(resident.key) != nullptr && !approval->of_dialog();
    const bool announced = core::in_flight(resident.session.state(), call_id);
    const bool other = !call_id.empty() && !approval->of_dialog() && !approval->call_id.empty() &&
                       approval->call_id != core::kept_call_id(call_id);
    const std::string_view delivered = other ? core::kDeliveredOtherKey : core::kDeliveredKey;
    return transaction.change(resident, &core::Session::redeem, n, digest,
                              hooks ? core::hook_key(call_id, announced) : std::string{delivered});
}

core::HookQuestion question_of(const Resident& resident, const HookCall& call, bool time_is_up,
                               bool again) {
    const Hook& hook = call.hook;
    core::HookQuestion asked;
    asked.session = resident.session.id();
    asked.waits = waits(hook.kind);
    asked.stops = resident.hooks->stops;
    asked.takes_words = call.dialect->takes_context(hook);
    asked.wordless = hook.wordless;
    asked.time_is_up = time_is_up;
    if (hook.kind == HookKind::kQuestion) asked.kind = core::ApprovalKind::kQuestion;
    asked.redeems = hook.kind == HookKind::kRequest;
    asked.again = again;
    asked.in_dialog = hook.dialog;
    asked.dialog = call.dialog;
    asked.call_id = hook.call.call;
    asked.tool = hook.call.tool;
    asked.args_digest = call.args_digest;
    asked.repeated = call.unheard.has_value();
    asked.permission = hook.kind == HookKind::kPermission;
    if (call.unheard) asked.unheard = *call.unheard;
    return asked;
}

/// Events for the texts that this answer delivers to the agent.
std::vector<core::Event> heard_with(core::HookAnswer& answer) {
    std::vector<core::Event> events;
    for (std::string& id : answer.delivered) {
        core::Event delivered;
        delivered.payload = core::DirectiveDelivered{std::move(id)};
        events.push_back(std::move(delivered));
    }
    if (!answer.acknowledged.empty()) {
        core::Event read;
        read.payload =
            core::DirectiveAcknowledged{std::move(answer.acknowledged), !answer.allow.empty()};
        events.push_back(std::move(read));
    }
    return events;
}

/// True if a person's arguments can take the place of the call's.
bool takes_edits(const HookCall& call) {
    const bool can = call.hook.dialog ? call.dialect->edits_in_dialog : call.dialect->edits_calls;
    return can && !call.hook.unedited;
}

/// The call that this answer refuses does not run: its agent may name it again in a batch, as if it
/// had, with the words of the refusal as its result.
void add_refusal(Resident& resident, const HookCall& call, const core::HookAnswer& answer,
                 std::vector<core::Event>& events) {
    const bool dialog = call.hook.dialog;
    if (call.hook.kind != HookKind::kPre && !dialog) return;
    const bool edited = answer.edited != 0 && !takes_edits(call);
    const bool denied = !answer.deny.empty() && !(dialog && answer.undecided);
    if (!denied && answer.stop.empty() && !edited) return;
    const std::string id = dialog ? take_announced_call(resident, call) : call.hook.call.call;
    if (dialog && id.empty()) return;
    // The answer that was lost has refused it, and it is counted.
    if (call.unheard && !core::in_flight(resident.session.state(), id)) return;
    std::string why = answer.stop.empty() ? answer.deny : answer.stop;
    if (edited) why = "allowed with other arguments";
    events.push_back(finish_of(id, call.hook.call.tool, "denied", why));
    std::get<core::ToolFinished>(events.back().payload).refused_here = true;
    note_finished_call(resident, id);
    if (!answer.stop.empty() && !dialog) ++resident.hooks.change().stops;
}

/// Notes whether the call of this hook is held. A call that is no longer open is forgotten.
void note_hold(Resident& resident, const HookCall& call, bool held) {
    // The agent's own dialog may let a call run while its hook is held.
    const bool before = call.hook.kind == HookKind::kPre ||
                        (call.hook.kind == HookKind::kPermission && !call.hook.dialog);
    if (!before) return;
    const std::uint64_t id = core::digest_of(core::kept_call_id(call.hook.call.call)).low;
    if (resident.hooks->held_calls.empty() && !held) return;
    std::vector<std::uint64_t> kept;
    for (const core::OpenCall& open : resident.session.state().open_calls) {
        const std::uint64_t one = core::digest_of(core::kept_call_id(open.call_id)).low;
        if (one == id ? held : is_held(resident, open.call_id)) kept.push_back(one);
    }
    HookMemory& memory = resident.hooks.change();
    std::erase_if(memory.left_calls, [&](const std::uint64_t one) {
        return one == id || std::find(kept.begin(), kept.end(), one) == kept.end();
    });
    memory.held_calls = std::move(kept);
}

/// How the session stands, and what there is to say.
std::string with_status(Transaction& transaction, const core::SessionState& state,
                        std::string text) {
    std::string words = core::status_words(state);
    if (state.budget.limited()) {
        words += "\n\n" + core::budget_prompt(core::budget_status(state, transaction.now(),
                                                                  transaction.context().watch));
    }
    return text.empty() ? words : words + "\n\n" + text;
}

}  // namespace

bool waits(HookKind kind) {
    return kind == HookKind::kPre || kind == HookKind::kPermission || api::hooks::asks_person(kind);
}

bool is_vain(const Resident& resident, const HookCall& call, core::Timestamp now) {
    const core::SessionState& state = resident.session.state();
    core::HookQuestion asked;
    asked.now = now;
    asked.call_id = call.hook.call.call;
    asked.tool = call.hook.call.tool;
    asked.args_digest = call.args_digest;
    const bool approved = call.hook.kind == HookKind::kRequest && core::is_approved(state, asked);
    return approved || core::must_stop(state);
}

namespace {

/// True if a person allowed calls like this one in advance.
bool is_granted(const core::SessionState& state, const core::HookQuestion& asked,
                core::Timestamp now) {
    core::ApprovalRequested like;
    like.kind = core::ApprovalKind::kTool;
    like.tool = asked.tool;
    like.args_digest = asked.args_digest;
    return state.approvals.grant_for(like, now) != nullptr;
}

/// Ends the pending request that the hook waits for if this answer leaves nothing to decide: the
/// one of its dialog (`dialog`; 0: none), or the one of a call that a stop refuses.
Result<> end_request(Transaction& transaction, Resident& resident, std::uint64_t dialog,
                     const core::HookQuestion& asked, const core::HookAnswer& answer) {
    const bool stopped = asked.waits && !answer.stop.empty();
    if (asked.in_dialog && !answer.hold) {
        const auto how =
            stopped ? core::ApprovalClosing::kStopped : core::ApprovalClosing::kLeftToAgent;
        return close_dialogs(transaction, resident, dialog, how);
    }
    if (!stopped) return {};
    const core::SessionState& state = resident.session.state();
    const core::Approval* request = core::request_of_wait(state, asked);
    if (request == nullptr || !request->pending()) return {};
    // An equal call that is held as well may be the one that it was made for.
    const bool own = request->call_id == core::kept_call_id(asked.call_id);
    if (!own && core::in_flight(state, request->call_id)) return {};
    return transaction.change(resident, &core::Session::close_request, request->n,
                              core::ApprovalClosing::kStopped);
}

/// Decisions of people about the call in other sessions of its family.
Result<Above> decided_above(Transaction& transaction, Resident& resident, const Hook& hook,
                            std::string_view args_digest) {
    if (!waits(hook.kind)) return Above{};
    const bool later = hook.kind == HookKind::kPermission || hook.kind == HookKind::kRequest;
    AskedCall one{hook.call.tool, args_digest, hook.call.call};
    one.by_hook = hook.kind == HookKind::kPre || hook.kind == HookKind::kPermission;
    one.runs = later && core::in_flight(resident.session.state(), hook.call.call);
    return above_of(transaction, resident, one);
}

}  // namespace

Result<HookAnswered> answer_hook_call(Transaction& transaction, Resident& resident, HookCall call,
                                      bool time_is_up, bool again) {
    const Hook& hook = call.hook;
    HookAnswered answered;
    answered.session = resident.session.id();
    HEADWAY_CHECK(transaction.change(resident, &core::Session::end_lapsed));
    // Another daemon may have made room.
    if (again && resident.session.state().paused_for_day)
        HEADWAY_CHECK(release_day(transaction, resident));
    HEADWAY_TRY(const Above above, decided_above(transaction, resident, hook, call.args_digest));
    core::HookQuestion asked = question_of(resident, call, time_is_up, again);
    asked.now = transaction.now();
    HEADWAY_TRY(
        asked.needs_approval,
        must_ask_for(transaction, &resident, *resident.session.state().policy, hook.call.tool));
    asked.granted = is_granted(resident.session.state(), asked, transaction.now());
    // A person is asked by a call that redeems.
    asked.needs_approval = (asked.needs_approval && !asked.granted) || asked.redeems;
    asked.stopped_above = above.stop;
    asked.paused_above = above.paused;
    asked.refused_before = above.refused;
    asked.refused_at = above.refused_at;
    core::HookAnswer answer = core::answer_hook(resident.session.state(), asked);
    answered.hold = answer.hold;
    answered.held_elsewhere = answer.hold && (!resident.session.state().about.parent.empty() ||
                                              resident.session.state().paused_for_day);
    note_hold(resident, call, answer.hold);
    HEADWAY_TRY(SaidByPerson person, said_by_person(transaction, resident, answer));
    const bool before = hook.kind == HookKind::kPre || hook.unedited;
    if (before && answer.edited != 0 && !takes_edits(call)) {
        // The refusal names the arguments, and the approval is for the call that has them.
        answer.acknowledged.clear();
        answer.redeemed = 0;
    } else if (hook.dialog && answer.edited != 0 && takes_edits(call)) {
        answer.redeemed = answer.edited;  // the call of the dialog runs with them now
    }
    std::vector<core::Event> events = heard_with(answer);
    const bool refused = !answer.deny.empty() || !answer.stop.empty();
    if (!answer.hold && !resident.session.state().ended())
        add_refusal(resident, call, answer, events);
    if (hook.kind == HookKind::kPre && !refused && !answered.hold)
        transaction.channels().note_call(resident.key);
    answered.reply.edit_json = std::move(person.edited);
    if (answer.redeemed != 0)
        HEADWAY_CHECK(redeem(transaction, resident, answer.redeemed, hook.call.call));
    HEADWAY_CHECK(end_request(transaction, resident, call.dialog, asked, answer));
    answered.reply.answer = std::move(person.answer);
    if (hook.kind == HookKind::kStatus)
        answer.words = with_status(transaction, resident.session.state(), std::move(answer.words));
    answered.reply.deny = std::move(answer.deny);
    answered.reply.allow = std::move(answer.allow);
    answered.reply.context = std::move(answer.words);
    answered.reply.stop = std::move(answer.stop);
    answered.reply.stop_hard = answer.hard;
    answered.reply.undecided = answer.undecided;
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

namespace {

HookAnswered refused_unasked(const std::string& session, const HookCall& call, const char* why) {
    HookAnswered answered;
    answered.session = session;
    answered.reply.deny = std::string("This call may not run: ") + why + ".";
    answered.call = call;
    answered.call.process = false;
    return answered;
}

}  // namespace

std::optional<HookAnswered> answer_unread(const std::string& session, const HookCall& call) {
    if (!waits(call.hook.kind) || api::hooks::asks_person(call.hook.kind)) return std::nullopt;
    return refused_unasked(session, call,
                           "the daemon cannot read what was decided about its session");
}

std::optional<HookAnswered> answer_unstored(Reader& reader, std::string session,
                                            const std::string& parent, const HookCall& call) {
    if (!waits(call.hook.kind) || api::hooks::asks_person(call.hook.kind)) return std::nullopt;
    std::string bound = session;
    if (!parent.empty() && !reader.is_shared()) {
        const auto known = reader.find(session);
        // The parent's rules apply to a sub-agent that cannot be opened.
        if (known && *known == nullptr) {
            auto above = in_force(reader, parent, Begins::kNever);
            bound = above ? *std::move(above) : parent;
        }
    }
    if (!is_forbidden(reader, std::move(bound), call.hook.call.tool, call.args_digest))
        return std::nullopt;
    return refused_unasked(session, call, "the daemon cannot store it");
}

}  // namespace headway::server
