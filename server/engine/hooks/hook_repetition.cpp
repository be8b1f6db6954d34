// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_repetition.hpp"

#include <string>
#include <variant>
#include <vector>

#include "core/hooks/hook_answer.hpp"
#include "server/engine/commands/family_writes.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/hooks/hook_dialogs.hpp"

namespace headway::server {
namespace {

using core::Result;

/// An id that is known says that an event is stored, and not that this call was allowed: without a
/// request for just this call that stands, the call is another one, and a person is asked about it.
Result<bool> is_another_call(Transaction& transaction, Resident& resident, const HookCall& call) {
    const api::hooks::Hook& hook = call.hook;
    const core::SessionState& state = resident.session.state();
    if (hook.kind != api::hooks::HookKind::kPre) return false;
    HEADWAY_TRY(const bool must_ask,
                must_ask_for(transaction, &resident, *state.policy, hook.call.tool));
    if (!must_ask) return false;
    const core::Approval* asked =
        core::approval_of_call(state, hook.call.call, hook.call.tool, call.args_digest);
    return asked == nullptr || !(asked->pending() || (asked->open() && !asked->let_go) ||
                                 asked->decision == core::Decision::kReject);
}

/// Directives delivered after the event `n`. Its answer, if it was lost, had one of these.
Result<std::vector<std::string>> delivered_since(Transaction& transaction, const Resident& resident,
                                                 std::uint64_t n) {
    constexpr std::size_t kEvents = 100;  // more than what a turn of calls at once reports
    const auto events = transaction.store().read_session(resident.key, resident.chain, n, kEvents);
    std::vector<std::string> ids;
    if (!events && events.error().code == core::ErrorCode::kStorageCorrupt) {
        transaction.reader().say_damaged(resident.key, events.error().detail);
        return ids;  // no reason to refuse the others of the turn
    }
    if (!events) return events.error();
    for (const core::Event& event : *events)
        if (const auto* delivered = std::get_if<core::DirectiveDelivered>(&event.payload))
            ids.push_back(delivered->id);
    return ids;
}

/// The request that a dialog of just this call made as event `n`; null if that is none.
const core::Approval* dialog_of(const Resident& resident, const HookCall& call, std::uint64_t n) {
    const core::Approval* asked = resident.session.state().approvals.find(n);
    const bool same = asked != nullptr && asked->of_dialog() &&
                      asked->tool == call.hook.call.tool && asked->args_digest == call.args_digest;
    return same ? asked : nullptr;
}

}  // namespace

Result<> note_repetition(Transaction& transaction, Resident& resident, HookCommand& command) {
    HookCall& call = command.call;
    if (call.hook.event_id.empty() || command.events.empty()) return {};
    std::string& id = command.events.back().event_id;
    HEADWAY_TRY(const std::uint64_t n, number_of_id(transaction, resident, id));
    if (n == 0) return {};
    bool other = call.hook.dialog && dialog_of(resident, call, n) == nullptr;
    if (!call.hook.dialog) {
        HEADWAY_TRY(other, is_another_call(transaction, resident, call));
    }
    if (other) {
        id.clear();
        call.hook.event_id.clear();
        return {};
    }
    HEADWAY_TRY(call.unheard, delivered_since(transaction, resident, n));
    if (call.hook.dialog) await_dialog(transaction, call, n);
    transaction.stats().duplicates += command.events.size();
    return {};
}

}  // namespace headway::server
