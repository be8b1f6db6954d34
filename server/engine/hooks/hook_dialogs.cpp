// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_dialogs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/text/plain_text.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/text/text.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/commands/family_writes.hpp"

namespace headway::server {
namespace {

using core::Result;

/// Calls in one turn whose dialogs may still open.
constexpr std::size_t kAnnouncedCallsMax = 64;

std::uint64_t content_of(const HookCall& call) {
    return core::digest_of(call.hook.call.tool + "\n" + call.args_digest).low;
}

/// The call in flight that this dialog is about: by its id, else by its content; empty if unknown.
std::string call_of_dialog(const Resident& resident, const HookCall& call) {
    if (!call.hook.call.call.empty()) return call.hook.call.call;
    const auto& known = resident.hooks->announced_calls;
    const core::SessionState& state = resident.session.state();
    const auto found =
        std::find_if(known.begin(), known.end(), [&, content = content_of(call)](const auto& one) {
            return one.first == content && core::in_flight(state, one.second);
        });
    return found == known.end() ? std::string{} : found->second;
}

/// How long the agent's dialog may be kept waiting for a person who is not there.
core::Millis wait_of(const Transaction& transaction, const HookCall& call) {
    const core::ApprovalRules& rules = transaction.settings().approvals;
    if (call.dialect->asks_always && !rules.copilot_dialogs) return core::Millis{0};
    const core::Millis most = std::min(call.dialect->hold_permission, rules.agent_dialog_wait);
    if (!call.hook.hold_ms) return most;
    const auto asked =
        std::min<std::uint64_t>(*call.hook.hold_ms, static_cast<std::uint64_t>(most.count()));
    return core::Millis{static_cast<std::int64_t>(asked)};
}

Result<> close(Transaction& transaction, Resident& resident, std::uint64_t n,
               core::ApprovalClosing how) {
    return transaction.change(resident, &core::Session::close_dialogs, n, how);
}

/// As a word of code in Markdown, on one line.
std::string as_code(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '`') c = '?';
    }
    return "`" + text + "`";
}

}  // namespace

std::string folder_note(Transaction& transaction, const Resident& resident,
                        const api::hooks::Hook& hook) {
    if (hook.cwd.empty()) return {};
    for (const core::Label& label : resident.session.state().about.labels) {
        // It may have lost the beginning of a long path.
        const bool cut = label.value.size() + 3 >= core::limits::kLabelBytesMax;
        const bool same =
            hook.cwd == label.value || (cut && std::string_view{hook.cwd}.ends_with(label.value));
        if (label.key == "workspace" && same) return {};
    }
    return "In the folder " +
           as_code(api::without_secrets(hook.cwd, transaction.document().secrets())) + ".";
}

Result<> ask_beside_dialog(Transaction& transaction, Resident& resident, HookCall& call,
                           std::optional<core::ApprovalRequested> asked) {
    const core::SessionState& state = resident.session.state();
    const core::Millis wait = wait_of(transaction, call);
    call.hook.hold_ms = static_cast<std::uint64_t>(wait.count());
    if (state.ended() || core::must_stop(state)) return {};
    const core::Approval* ready = core::ready_for_dialog(
        state.approvals, call_of_dialog(resident, call), call.hook.call.tool, call.args_digest);
    if (ready != nullptr) {
        call.dialog = ready->n;
        return {};
    }
    const bool room = resident.session.admit_requests(1).has_value();
    if (!asked || !room || wait <= core::Millis{0}) return {};
    asked = with_note(*asked, folder_note(transaction, resident, call.hook));
    asked->expires_in_ms = static_cast<std::uint64_t>(wait.count());
    core::Event request;
    request.payload = *asked;
    HEADWAY_TRY(const auto rejected, rejected_elsewhere(transaction, resident, {&request, 1}));
    return transaction.change(resident, [&](core::Session& session, core::Context context,
                                            std::vector<core::Event>& events) {
        context.rejected_elsewhere = rejected;
        call.dialog = session.ask_beside_dialog(*std::move(asked), context, events);
        for (core::Event& event : events) {  // by which a hook that is sent again is known
            if (event.n == call.dialog) event.event_id = call.hook.event_id;
        }
    });
}

void await_dialog(Transaction& transaction, HookCall& call, std::uint64_t n) {
    call.hook.hold_ms = static_cast<std::uint64_t>(wait_of(transaction, call).count());
    call.dialog = n;
}

void note_announced_call(Resident& resident, const HookCall& call) {
    if (call.hook.call.call.empty() || call.args_digest.empty()) return;
    auto& known = resident.hooks.change().announced_calls;
    if (known.size() >= kAnnouncedCallsMax) known.erase(known.begin());
    known.emplace_back(content_of(call), call.hook.call.call);
}

std::string take_announced_call(Resident& resident, const HookCall& call) {
    if (resident.hooks->announced_calls.empty()) return {};
    auto& known = resident.hooks.change().announced_calls;
    const core::SessionState& state = resident.session.state();
    const auto found =
        std::find_if(known.begin(), known.end(), [&, content = content_of(call)](const auto& one) {
            return one.first == content && core::in_flight(state, one.second);
        });
    if (found == known.end()) return {};
    std::string id = std::move(found->second);
    known.erase(found);
    return id;
}

Result<> close_dialogs(Transaction& transaction, Resident& resident, std::uint64_t n,
                       core::ApprovalClosing how) {
    return n == 0 ? Result<>{} : close(transaction, resident, n, how);
}

Result<> end_dialogs(Transaction& transaction, Resident& resident) {
    if (resident.hooks.has_value()) resident.hooks.change().announced_calls.clear();
    return close(transaction, resident, 0, core::ApprovalClosing::kAnsweredAtAgent);
}

Result<Unanswered> HookLeftCommand::operator()(Transaction& transaction) {
    if (n == 0) {  // only a note, in a memory that a session on the disk does not have
        if (Resident* known = transaction.sessions().residents().find(session))
            note_left(*known, call_id);
        return Unanswered{};
    }
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    if (resident == nullptr) return Unanswered{};  // deleted since
    HEADWAY_CHECK(close(transaction, *resident, n, core::ApprovalClosing::kLeftToAgent));
    return Unanswered{};
}

}  // namespace headway::server
