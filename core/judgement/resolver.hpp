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
    bool children_work = false;  ///< a child session is alive
    bool agent_runs = false;     ///< the process of the agent is alive
    bool agent_works = false;    ///< that process, or its child, computes
};

/// The verdict of the state (docs/detection.md, section 6). From good to bad: progressing,
/// exploring, waiting, slow, silent, blocked, suspect, stuck; the worst one that applies. A
/// suspicion about repeats, failures or edits stays until hard progress, five rounds of P3, advice
/// taken or a new task clears it. Pure.
Verdict verdict_of(const SessionState& state, const VerdictContext& around);

/// Why a session is blocked, and until when.
struct Block {
    Cause cause = Cause::kNone;
    Timestamp retry_at = kNever;
    bool operator==(const Block&) const = default;
};

/// True if the provider stopped the session, and nothing has worked since: a session idle at its
/// prompt has then not finished. Pure.
bool stopped_by_provider(const SessionState& state);

/// The block of a session with this verdict: blocked, or failed while stopped by its provider.
/// Pure.
Block block_of(const SessionState& state, Verdict verdict);

/// True if a person should look at a session with this verdict: it waits for something outside that
/// has not changed for long (Policy::wait_polls, wait_patience), or a provider's failure lasts
/// although it should have passed by itself. Pure.
bool needs_somebody(const SessionState& state, Verdict verdict, Timestamp now);

/// The verdict with its grounds; the event that records it sets `since`. Pure.
Judgement judge(const SessionState& state, const VerdictContext& around);

/// True if `next` is to be recorded after `before`: another verdict, need, cause or time. A wait
/// that no detector counts (at its prompt, for background work, paused by a person) is also news if
/// its reason changes, because it is then another wait. A verdict after a pause is news as well.
/// Pure.
bool is_news(const Judgement& before, const Judgement& next);

/// Visible form of a loop's identity: 16 hexadecimal digits.
std::string loop_name(std::uint64_t identity);

}  // namespace headway::core
