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
    Watch watch;                 ///< attention gaps, see silent_at()
    bool children_work = false;  ///< a session that this one opened is alive
    bool agent_runs = false;     ///< the process of the agent is alive
    bool agent_works = false;    ///< and it, or one that it started, computes
};

/// The verdict of the state (docs/detection.md, section 6). From good to bad: progressing,
/// exploring, waiting, slow, silent, blocked, suspect, stuck; the worst that holds. A suspicion
/// about repeats, failures or edits stays until hard progress, five rounds of P3, advice taken or a
/// new task lifts it. Pure.
Verdict verdict_of(const SessionState& state, const VerdictContext& around);

/// Why a session is blocked, and until when.
struct Block {
    Cause cause = Cause::kNone;
    Timestamp retry_at = kNever;
    bool operator==(const Block&) const = default;
};

/// True if the session's provider stopped it, and nothing has worked since: idle at its prompt, it
/// has not finished. Pure.
bool stopped_by_provider(const SessionState& state);

/// The block of a session with this verdict: of one that is blocked, or failed while its provider
/// stopped it. Pure.
Block block_of(const SessionState& state, Verdict verdict);

/// True if a person should look at a session with this verdict: it waits for something outside that
/// has not moved for long (Policy::wait_polls, wait_patience), or a provider's failure that should
/// have passed by itself lasts. Pure.
bool needs_somebody(const SessionState& state, Verdict verdict, Timestamp now);

/// The verdict with its grounds; the event that records it sets `since`. Pure.
Judgement judge(const SessionState& state, const VerdictContext& around);

/// True if `next` is to be recorded after `before`: another verdict, need, cause or time. A wait
/// that no detector counts (at its prompt, for its work in the background, paused by a person) is
/// also news with another reason, since that makes it another wait; so is one after a pause. Pure.
bool is_news(const Judgement& before, const Judgement& next);

/// Visible form of a loop's identity: 16 hexadecimal digits.
std::string loop_name(std::uint64_t identity);

}  // namespace headway::core
