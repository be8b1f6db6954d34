// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/detector_id.hpp"
#include "core/event.hpp"
#include "core/ledger.hpp"
#include "core/policy.hpp"

namespace headway::core {

/// How much a detector claims, weakest first, in the order of verdicts (API.md "Verdicts"): what
/// blocks an agent is certain and needs somebody, a suspicion is neither.
enum class Rung : std::uint8_t { kNone, kWaiting, kSlow, kSuspect, kBlocked, kStuck };

/// Why a detector claims what it claims.
struct Finding {
    std::string reason;  ///< one sentence a person understands, without quoting the agent's call
    std::vector<std::uint64_t> evidence;  ///< event numbers, at most limits::kEvidenceMax
    std::uint64_t identity = 0;  ///< of the loop: the same whenever and by whomever it is seen
    std::uint32_t count = 0;     ///< of what the thresholds count
};

/// A finished call that counts as evidence, with what the ledger learnt of it.
struct CallSeen {
    const ToolFinished& call;
    const CallPrint& print;
    const Entry& entry;
    std::uint32_t patience = 1;  ///< ToolPolicy::patience of its tool
    /// Waiting for something, or turned away by a provider: neither progress nor a repeat, but it
    /// stands between the calls around it.
    bool neutral = false;
    bool overran = false;  ///< it took longer than the policy gives it: a failure of its tool
};

/// An event together with what the fold knows around it, so that detectors need not look into the
/// session.
struct Observation {
    const Event& event;
    const Ledger& ledger;
    const CallSeen* call = nullptr;  ///< null unless the event is a call that counts
    Tier tier = Tier::kNone;         ///< of this event
    bool call_in_flight = false;  ///< a call is open after this event, or the beat itself says so
    bool phase_changed = false;   ///< to one that was not seen lately (RecentPhases)
    bool phase_turned = false;    ///< to any other
    bool thinking = false;        ///< the model is at work, as state or phase say
    bool work_moved = false;      ///< the beat's in-flight counter differs from the last one
    bool state_change = false;
    bool user_message = false;
    bool nudge_taken = false;      ///< the agent acknowledged a change of approach
    bool waits_for_human = false;  ///< somebody was asked and has not answered, or said to pause
};

/// The one interface of all detectors: a value in the session's state, fed with every event by the
/// fold (so replay reproduces it) and asked by the lattice. Constant memory, O(1) amortised an
/// event, no clock. `finding()` is asked only where `rung()` claims something. A new detector is a
/// file in detectors/ and a line in DetectorId, in the table of policy.cpp and in `Detectors`.
template <class D>
concept Detector = Described<D> && std::equality_comparable<D> &&
    requires(D detector, const Observation& seen, Thresholds limits, const Ledger& ledger) {
    { D::kId } -> std::convertible_to<DetectorId>;
    detector.observe(seen);
    { std::as_const(detector).rung(limits, ledger) } -> std::same_as<Rung>;
    { std::as_const(detector).finding(ledger) } -> std::same_as<Finding>;
};

/// The rung that a count deserves; a threshold of 0 is never reached.
constexpr Rung rung_of(std::uint64_t count, Thresholds limits) {
    if (limits.stuck != 0 && count >= limits.stuck) return Rung::kStuck;
    if (limits.suspect != 0 && count >= limits.suspect) return Rung::kSuspect;
    return Rung::kNone;
}

/// "3 times"; "once" does not occur in findings.
inline std::string times(std::uint64_t count) {
    return std::to_string(count) + " times";
}

/// ", no file changed since #118", when something ever did.
inline std::string since_change(const Ledger& ledger) {
    if (ledger.hard_n == 0) return ", and nothing has changed since the start";
    return ", and nothing has changed since #" + std::to_string(ledger.hard_n);
}

/// The events of the last calls that `matches`, oldest first, at most limits::kEvidenceMax of them.
template <class Matches>
std::vector<std::uint64_t> evidence_of(const Ledger& ledger, std::size_t calls, Matches matches) {
    std::vector<std::uint64_t> evidence;
    for (std::size_t i = 0; i < calls && evidence.size() < limits::kEvidenceMax; ++i) {
        const CallMark* mark = ledger.back(i);
        if (mark == nullptr) break;
        if (matches(*mark)) evidence.insert(evidence.begin(), mark->n);
    }
    return evidence;
}

}  // namespace headway::core
