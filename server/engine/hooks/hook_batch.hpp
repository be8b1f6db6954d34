// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"
#include "core/hooks/hook_channel.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// The batch hook at the end of a round, which names all calls of the round again, and the end of a
// turn. At the end of a turn, the agent may report separately how the model's last answer ended,
// and sub-agents may still work.

namespace headway::server {

/// The event for the end of a call that did not complete. Pure.
core::Event finish_of(const std::string& call_id, const std::string& tool,
                      std::string_view error_class, std::string_view why);

/// Remembers a finished call, because the batch of this round may name it again. A bounded number
/// is remembered.
void note_finished_call(Resident& resident, const std::string& call_id);

/// Remembers the input of the call that a hook reports as finished and that was not announced, for
/// drop_late_start(), until the next prompt. A bounded number is remembered.
void note_finished_input(Resident& resident, const HookCommand& command);

/// Removes the start of a call if a call with the same id and input has already finished: the hook
/// of the start came after the hook of the result. Each finished call removes one start. The start
/// of a call that needs approval is kept. Errors: those of the store.
core::Result<> drop_late_start(Transaction& transaction, Resident& resident, HookCommand& command);

/// Removes from a batch the events that are known already, such as calls that were reported
/// separately. Calls in HookCommand::untold show no sign that they ran. Such a call did not run if
/// it was announced, is still open, and was not allowed by a person: its event is kept, as a
/// refused call. The event of any other such call is removed, because the call may have succeeded
/// or failed: it may have no hook of its own, or may have finished at another daemon or before a
/// restart.
void settle_batch(Resident& resident, HookCommand& command);

/// Numbers the rounds of a dialect whose hooks report rounds. Batches are counted by the iteration
/// of their heartbeat, unless the agent counts its turns. Where batches do not come, calls are left
/// without a number, and rounds are found as for agents that report none.
void number_round(const core::SessionState& state, const core::HookChannel* channel,
                  HookCommand& command);

/// Keeps Hook::answer_end of an answer that was cut off or refused, and adds it to the next kStop
/// as the error that ended the turn, unless a prompt, another answer or a call comes before. A
/// complete answer also ends a stop by the provider, because the provider answers again.
void note_answer(Resident& resident, HookCommand& command);

/// Remembers the sub-agents that a stop hook names as still at work, and the time of the last
/// prompt. Bounded.
void note_agents_left(Resident& resident, const HookCommand& command, core::Timestamp now);

/// True if one of the remembered sub-agents has not ended. If there is none, or one is unknown:
/// true if any descendant of the session has not ended. Errors: those of the store.
core::Result<bool> has_agent_at_work(Transaction& transaction, const Resident& resident);

/// True if a sub-agent's session has a call in flight and has reported since the agent's last
/// prompt, whatever the agent's last stop hook named. Only sessions in memory whose id begins with
/// the id of this session are examined.
bool has_call_below(Transaction& transaction, const Resident& resident);

}  // namespace headway::server
