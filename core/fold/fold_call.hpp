// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/detection/detector.hpp"
#include "core/state/session_state.hpp"

namespace headway::core {

/// A finished call as evidence, with its entry in the ledger. Detectors get references into this
/// struct, so the fold keeps it while they observe the event.
struct CallEvidence {
    CallFingerprint fingerprint;
    Entry entry;
    bool counts = false;
    bool replayed = false;  ///< repeats the end of a call that was already reported: ignored
    bool neutral = false;
    bool unrun = false;   ///< the call was refused or interrupted, and is counted nowhere
    bool slept = false;   ///< the agent has slept since it last made this call
    bool rested = false;  ///< the call was long enough to be a wait
    bool overran = false;
    std::uint32_t patience = 1;
    Tier tier = Tier::kNone;
};

/// True if the agent waits only for one pending request: no open call asks a person. Pure.
bool awaits_one_decision(const SessionState& state);

/// Opens a round if the started call's round number is new. A call without a number opens a round
/// if no call is open, or if a call of the current round has finished.
void begin_call(SessionState& state, const ToolStarted& call);

/// Enters a finished call into the round and the ledger. Calls of hooks and of ignored tools, calls
/// that did not run, replays, and a question that occurs again in the same round are not evidence.
/// `was_open`: the start of the call was reported.
CallEvidence enter_call(SessionState& state, const ToolFinished& call, std::uint64_t n,
                        std::optional<Millis> took, bool was_open);

/// True if the ended call took longer than the policy allows. The time of the call is the duration
/// that the client reports or, without it, the time from `since` to the end of the call. `since` is
/// the time from which the call could run; kNever if its start was not reported. Time that a person
/// took is excluded. Pure; called before the event is fully folded.
bool overran(const SessionState& state, const ToolFinished& call, Timestamp since,
             const Event& event);

/// The fingerprint of an event that did not pass the decoder (tests, old journals). Pure.
CallFingerprint plain_fingerprint(const ToolFinished& call);

/// Enters a test result that arrived as an event; returns its tier.
Tier enter_test(SessionState& state, const TestResult& result, std::uint64_t n);

}  // namespace headway::core
