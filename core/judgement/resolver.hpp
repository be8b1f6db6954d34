// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/state/session_state.hpp"
#include "core/values/watch.hpp"

namespace headway::core {

/// Inputs of a verdict besides the events.
struct VerdictContext {
    Timestamp now = kNever;
    Watch watch;                 ///< when Headway listened, see silent_at()
    bool children_work = false;  ///< a child session is alive
    bool agent_runs = false;     ///< the process of the agent is alive
    bool agent_works = false;    ///< the agent's process or one of its children uses the CPU
};

/// The verdict of the state (docs/detection.md, section 6). While a person is asked, an open
/// session is blocked, or stuck if it loops beside its question; while it is paused, it is waiting.
/// Otherwise the verdict is the first of these that applies: stuck, blocked, silent, suspect, slow,
/// waiting, progressing, exploring, starting. A suspicion about repeats, failures or edits stays
/// until one of these clears it: hard progress, five rounds with new answers (P3), advice that the
/// agent takes, or a new task. Pure.
Verdict verdict_of(const SessionState& state, const VerdictContext& around);

/// The cause for which a session is blocked, and the time at which the block ends; kNever =
/// unknown.
struct Block {
    Cause cause = Cause::kNone;
    Timestamp retry_at = kNever;
    bool operator==(const Block&) const = default;
};

/// True if the provider stopped the session, and no later event shows that the stop is over. Such a
/// session has not finished, even if it is idle at its prompt. Pure.
bool stopped_by_provider(const SessionState& state);

/// The block of a session with this verdict. Empty unless the session is blocked, or failed while a
/// stop by its provider was in force. Pure.
Block block_of(const SessionState& state, Verdict verdict);

/// True if a person should look at a session with this verdict. Either the session has long been
/// waiting for something external that does not change (Policy::wait_polls, wait_patience), or a
/// provider's failure lasts although it should have passed by itself. Pure.
bool needs_somebody(const SessionState& state, Verdict verdict, Timestamp now);

/// The verdict with its reason and evidence. Judgement::since has no meaning yet: the event that
/// records the judgement sets it. Pure.
Judgement judge(const SessionState& state, const VerdictContext& around);

/// True if `next` is to be recorded after `before`: its `verdict`, `needs_somebody`, `cause` or
/// `retry_at` differs. A wait that no detector counts (at the prompt, for background work, paused
/// by a person) is also recorded if its reason changes, because it is then another wait. The
/// verdict after a pause is recorded if its reason changes, too. Pure.
bool is_news(const Judgement& before, const Judgement& next);

/// The text of a loop's identity: 16 hexadecimal digits.
std::string loop_name(std::uint64_t identity);

}  // namespace headway::core
