// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/detector.hpp"
#include "core/session_state.hpp"

namespace headway::core {

/// A finished call as evidence: what the ledger learnt, and the parts of the observation that point
/// there. Kept by the fold while the detectors look.
struct CallEvidence {
    CallPrint print;
    Entry entry;
    bool counts = false;
    bool replayed = false;  ///< the same finish came before: it never happened
    bool neutral = false;
    bool overran = false;
    std::uint32_t patience = 1;
    Tier tier = Tier::kNone;
};

/// Notes that a call began: it opens a round unless it runs beside one that has not finished.
void begin_call(SessionState& state, const ToolStarted& call);

/// Enters a finished call into the round and the ledger. Calls of hooks, of tools that the policy
/// ignores, replays of a call that has finished, and the second asking of one question in a round
/// are no evidence. `was_open`: its start was reported.
CallEvidence enter_call(SessionState& state, const ToolFinished& call, std::uint64_t n,
                        bool was_open);

/// Whether the call took longer than the policy gives it: by the client's own figure, or from its
/// start (kNever = not reported) to its end as they were reported. Pure.
bool overran(const Policy& policy, const ToolFinished& call, Timestamp since, Timestamp at);

/// What the decoder would have made, for events that did not come through it. Pure.
CallPrint plain_print(const ToolFinished& call);

/// Enters a test result that came as an event; its tier.
Tier enter_test(SessionState& state, const TestResult& result, std::uint64_t n);

}  // namespace headway::core
