// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/detection/detector.hpp"
#include "core/state/session_state.hpp"

namespace headway::core {

/// A finished call as evidence: what the ledger found, and the storage behind the observation. The
/// fold keeps it while the detectors observe.
struct CallEvidence {
    CallFingerprint fingerprint;
    Entry entry;
    bool counts = false;
    bool replayed = false;  ///< a replay of an earlier finish: ignored
    bool neutral = false;
    bool unrun = false;  ///< the call was refused or interrupted: it counts nowhere
    bool slept = false;  ///< since the question was asked before
    bool overran = false;
    std::uint32_t patience = 1;
    Tier tier = Tier::kNone;
};

/// A call that comes, or ends, long after all before it: the agent let time pass, however it did.
/// Before the event is entered.
void note_pause(SessionState& state, const Event& event);

/// A call started: it opens a round unless it runs beside an unfinished call.
void begin_call(SessionState& state, const ToolStarted& call);

/// Enters a finished call into the round and the ledger. Calls of hooks and of ignored tools,
/// replays, and the second occurrence of one question in a round are no evidence. `was_open`: its
/// start was reported.
CallEvidence enter_call(SessionState& state, const ToolFinished& call, std::uint64_t n,
                        std::optional<Millis> took, bool was_open);

/// True if the call that this event ends exceeded the policy's time limit: by the client's own
/// duration, or from when it could run (kNever = its start was not reported) to its end. Time that
/// a person took is excluded. Pure; asked before the event is folded to its end.
bool overran(const SessionState& state, const ToolFinished& call, Timestamp since,
             const Event& event);

/// The fingerprint of an event that did not pass the decoder (tests, old journals). Pure.
CallFingerprint plain_fingerprint(const ToolFinished& call);

/// Enters a test result that arrived as an event; returns its tier.
Tier enter_test(SessionState& state, const TestResult& result, std::uint64_t n);

}  // namespace headway::core
