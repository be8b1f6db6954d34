// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"
#include "core/hooks/hook_channel.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// The batch hook at the end of a round, which names all calls of the round again; and the end of a
// turn, whose agent may report apart from it how the model's last answer ended, and may leave
// sub-agents at work.

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

/// Removes the start of a call that has already finished, with the same id and input: the hook was
/// overtaken by that of the result, once. A call that needs approval is announced all the same.
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

/// Keeps Hook::answer_end of an answer that was cut off or refused, and adds it as the error that
/// ended the turn to the kStop behind it; not if another answer follows, or a call of that answer.
/// A whole answer also ends a stop by the provider: it answers again.
void note_answer(Resident& resident, HookCommand& command);

/// Remembers the sub-agents that a stop hook names as still at work. Bounded.
void note_agents_left(Resident& resident, const HookCommand& command, core::Timestamp now);

/// True if one of these sub-agents has not ended; if the agent named none by its id, or one that
/// is not known, true if any session below has not ended.
core::Result<bool> has_agent_at_work(Transaction& transaction, const Resident& resident);

/// True if a sub-agent of the agent's own has a call in flight that hooks have announced since the
/// agent's last prompt, whatever its last stop hook named.
bool has_call_below(Transaction& transaction, const Resident& resident);

}  // namespace headway::server
