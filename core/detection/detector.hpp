// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detection/ledger.hpp"
#include "core/events/event.hpp"
#include "core/values/policy.hpp"

namespace headway::core {

/// Severity of a detector's claim, weakest first, in the order of the verdicts (api/API.md,
/// "Verdicts"). A block is certain and needs a person, so it ranks above a suspicion.
enum class Severity : std::uint8_t { kNone, kWaiting, kSlow, kSuspect, kBlocked, kStuck };

/// Kinds of evidence. Two detectors of the same kind do not confirm each other.
enum class EvidenceKind : std::uint8_t {
    kLiveness,
    kRepeat,
    kFailure,
    kEdit,
    kText,
    kPlan,
    kWait,
    kNothing,  ///< absence of progress: supports other claims, but is no ground for a verdict alone
    kPolicy,
};

/// Fixed properties of a detector that the engine must know.
struct DetectorTraits {
    /// Decides which claims this detector can confirm, and whether its own claims last until
    /// progress.
    EvidenceKind kind;
    /// The counts at which the detector claims a severity, by profile (docs/detection.md, sections
    /// 5 and 13; for `strict`: docs/first-designs.md). The counts are as low as recordings allow:
    /// no recorded session that succeeded has four consecutive equal calls, or three laps of a
    /// cycle.
    Thresholds balanced;
    Thresholds strict = balanced;
    /// Advice on leaving the loops that the detector finds, for a directive: one sentence without
    /// any quotation. The second text is for agents that followed the first text without success.
    /// Empty = the general text (recovery.cpp).
    std::string_view advice{};
    std::string_view second_advice{};
    /// True if the detector's claims are not only about loops, so that Policy::loop_detection does
    /// not switch the detector off.
    bool always_on = false;
};

/// The grounds for a claim.
struct Finding {
    std::string reason;                   ///< one sentence for people, without quotations from the
                                          ///< call
    std::vector<std::uint64_t> evidence;  ///< event numbers, at most limits::kEvidenceMax
    std::uint64_t identity = 0;  ///< identifies the loop; does not depend on the time or the
                                 ///< detector
    std::uint32_t count = 0;     ///< the count that is compared with the thresholds
};

/// A finished call that counts as evidence, with its entry in the ledger.
struct CallSeen {
    const ToolFinished& call;
    const CallFingerprint& fingerprint;
    const Entry& entry;
    std::uint32_t patience = 1;  ///< ToolPolicy::patience of the call's tool
    /// The call is a wait, or a request that a provider refused. It is neither progress nor a
    /// repeat, but it separates the calls before it from those after it.
    bool neutral = false;
    bool slept = false;    ///< the agent waited between the previous equal call and this one
    bool rested = false;   ///< the call itself took as long as a wait
    bool overran = false;  ///< the call exceeded its time limit: a failure of its tool

    /// True if the call brought an answer. This includes a search that could not read some folders.
    bool answered() const { return call.ok || fingerprint.is(Shape::kAnswered); }
    /// True for a failure with output. A failure without output counts as the answer "no", and the
    /// failure of a poll as "not yet".
    bool failed() const {
        return !answered() && !fingerprint.is(Shape::kSilent) &&
               fingerprint.kind != CallKind::kPoll;
    }
    bool weak() const { return fingerprint.weak(); }
    /// True if a question that was never asked before has the answer that the thing does not exist.
    /// An agent that searches many places gets such answers.
    bool missed() const {
        return !entry.known_question &&
               (fingerprint.failure == FailureKind::kNotFound || fingerprint.is(Shape::kAbsent));
    }
};

/// Facts that the fold has found about an event.
struct EventSigns {
    Tier tier = Tier::kNone;      ///< tier of this event
    bool call_in_flight = false;  ///< a call is open after this event, or the heartbeat names one
    bool phase_changed = false;   ///< the phase changed to a phase that is new (RecentPhases)
    bool phase_turned = false;    ///< the phase changed to another phase, new or not
    bool fresh_start = false;     ///< a new phase under the strict profile: counts restart
    bool thinking = false;        ///< the model is at work, according to its state or phase
    bool work_moved = false;      ///< the heartbeat's in-flight counter changed
    bool state_change = false;
    bool user_message = false;
    bool other_spoke = false;      ///< a message of a role other than the agent's
    bool woken = false;            ///< a timer or background work woke the agent from a rest
    bool nudge_taken = false;      ///< the agent acknowledged a change of approach
    bool dialog_over = false;      ///< the agent's own dialog was answered, at the agent or in
                                   ///< Headway
    bool dialog_left = false;      ///< only the agent's own dialog waits for a person
    bool model_answered = false;   ///< the event implies that the model has answered
    bool waits_for_human = false;  ///< a person has paused the agent or has not answered yet
};

/// An event with its context from the fold, so that detectors need not read the session.
struct Observation : EventSigns {
    const Event& event;
    const Ledger& ledger;            ///< the ledger, including this event
    const CallSeen* call = nullptr;  ///< the event's counted call; null if there is none
};

/// The interface of all detectors: a detector is a value in the session's state. The fold feeds it
/// every event, so that a replay reproduces its state; the resolver reads its claim. A detector
/// takes constant memory and amortised O(1) time per event, and reads no clock. `finding()` is
/// called only if `severity()` claims something. `is_valid()` checks a state from a snapshot, in a
/// session whose last event is `newest`. It returns false for a state that no fold can have
/// produced and that would make an assertion fail. The code of a detector is in its two files in
/// detectors/; adding it to `Detectors` (detectors.hpp) enables it.
template <class D>
concept Detector = Described<D> && std::equality_comparable<D> &&
    requires(D detector, const Observation& seen, Thresholds limits, const Ledger& ledger,
             std::uint64_t newest) {
    { D::kTraits } -> std::convertible_to<DetectorTraits>;
    detector.observe(seen);
    { std::as_const(detector).severity(limits, ledger) } -> std::same_as<Severity>;
    { std::as_const(detector).finding(ledger) } -> std::same_as<Finding>;
    { std::as_const(detector).is_valid(ledger, newest) } -> std::same_as<bool>;
};

/// The severity for a count; a threshold of 0 is never reached.
constexpr Severity severity_of(std::uint64_t count, Thresholds limits) {
    if (limits.stuck != 0 && count >= limits.stuck) return Severity::kStuck;
    if (limits.suspect != 0 && count >= limits.suspect) return Severity::kSuspect;
    return Severity::kNone;
}

/// "3 times"; findings never have a count of one.
inline std::string times(std::uint64_t count) {
    return std::to_string(count) + " times";
}

/// The clause ", and no change was reported since #118", where 118 is the event of the last hard
/// progress; without hard progress the clause names the start. If the effect of some edits since
/// that event is unknown, the clause gives the number of these edits instead.
std::string since_change(const Ledger& ledger);

/// Events of the matching calls among the last `calls` calls, oldest first, at most kEvidenceMax.
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
