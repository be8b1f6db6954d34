// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/events/judge_payloads.hpp"

namespace headway::core {

struct SessionState;
struct Event;

/// When a judge estimates the progress of a session.
enum class EstimateMode : std::uint8_t {
    kOff,
    kStall,  ///< when progress stalls, and when a phase ends
    kStep,   ///< after each counted call
    kEvery,  ///< after every estimate_steps counted calls
};

template <>
struct EnumNames<EstimateMode> {
    static constexpr std::array<std::string_view, 4> kNames{"off", "stall", "step", "every"};
};

/// When a judge is asked automatically, and which judge. Belongs to the daemon, not to a session.
struct JudgeRules {
    std::string primary;  ///< name of the endpoint asked first; empty = there is no judge
    std::string confirm;  ///< endpoint for the second opinion on an answer B; empty = none
    bool on_suspect = true;
    /// Rounds without hard progress before an audit; 0 = no audits.
    std::uint32_t audit_rounds = 100;
    std::uint32_t checks_max = 10;  ///< maximum number of automatic checks of one session
    EstimateMode estimates = EstimateMode::kOff;
    std::uint32_t estimate_steps = 5;   ///< with kEvery: counted calls between two estimates
    std::uint32_t estimates_max = 100;  ///< maximum number of estimates of one session
};

/// A status check that a judge has not answered yet.
struct PendingCheck {
    std::uint64_t n = 0;  ///< number of its check.requested event
    std::string check_id;
    CheckCause cause = CheckCause::kAsked;
    std::string confirm;      ///< JudgeRules::confirm when the check was requested
    std::string loop;         ///< Judgement::loop when the check was requested; empty = none
    std::uint32_t round = 0;  ///< Ledger::rounds when the check was requested
    bool operator==(const PendingCheck&) const = default;
    static constexpr auto fields() {
        using P = PendingCheck;
        return field_list(field("n", &P::n), field("check_id", &P::check_id),
                          field("cause", &P::cause), field("confirm", &P::confirm),
                          field("loop", &P::loop), field("round", &P::round));
    }
};

/// Under ConfirmStop::kJudge: a stop that needs confirmation.
struct StopQuestion {
    std::string loop;         ///< Judgement::loop of the stop; empty = no question asked
    bool waiting = false;     ///< a judge has been asked and has not answered yet
    bool held = false;        ///< the judge answered A, "progressing"
    std::uint64_t n = 0;      ///< number of the answer's event
    std::uint32_t round = 0;  ///< Ledger::rounds at the answer
    std::uint64_t beats = 0;  ///< SessionState::heartbeats at the answer
    std::uint32_t times = 0;  ///< postponements so far, over all loops
    bool operator==(const StopQuestion&) const = default;
    static constexpr auto fields() {
        using Q = StopQuestion;
        return field_list(field("loop", &Q::loop), field("waiting", &Q::waiting),
                          field("held", &Q::held), field("n", &Q::n), field("round", &Q::round),
                          field("beats", &Q::beats), field("times", &Q::times));
    }
};

/// Questions to judges about a session, and the only answer that changes a verdict: B, "looping".
/// Other answers change no verdict, so that no transcript can improve a verdict by persuading a
/// judge. However, under ConfirmStop::kJudge the answer A postpones a stop. The struct also keeps
/// the facts that each question to a judge includes.
struct Checks {
    /// Checks without an answer, at most limits::kChecksPendingMax.
    std::vector<PendingCheck> pending;
    std::uint32_t automatic = 0;  ///< automatic checks so far
    /// Ledger::rounds from which the next automatic check is allowed.
    std::uint32_t next_round = 0;
    std::uint32_t audited_round = 0;
    std::string loop;         ///< the suspicion that a judge called a loop; empty = none
    std::uint32_t round = 0;  ///< Ledger::rounds when the judge was asked about this loop
    std::uint64_t n = 0;      ///< number of the answer's event
    /// Event of the question. Progress after this event refutes the answer.
    std::uint64_t asked_n = 0;
    /// Facts for the judge, newest last: at most limits::kFactsKeptMax, of limits::kFactsBytesMax
    /// bytes in all.
    std::vector<std::string> facts;
    bool confirmed = false;           ///< the second opinion agreed, or none is required
    std::uint64_t facts_learned = 0;  ///< number of all facts learned so far
    StopQuestion stop;
    bool operator==(const Checks&) const = default;
    static constexpr auto fields() {
        using C = Checks;
        return field_list(field("pending", &C::pending), field("automatic", &C::automatic),
                          field("next_round", &C::next_round),
                          field("audited_round", &C::audited_round), field("loop", &C::loop),
                          field("round", &C::round), field("n", &C::n),
                          field("asked_n", &C::asked_n), field("confirmed", &C::confirmed),
                          field("facts", &C::facts), field("facts_learned", &C::facts_learned),
                          field("stop", &C::stop));
    }

    const PendingCheck* find(std::string_view check_id) const noexcept;
};

/// Adds a fact for the judge; the oldest facts are dropped for lack of room.
void learn_fact(Checks& checks, std::string_view fact);

/// These functions fold the start and the end of a check. `state` is the state before the event.
void begin_check(SessionState& state, const CheckRequested& asked, std::uint64_t n);
void end_check(SessionState& state, const CheckCompleted& done, std::uint64_t n);

/// The cause for which Headway should ask a judge now; nothing if there is none (docs/detection.md,
/// section 10). One cause is a suspicion: as long as it lasts, a judge is asked every 5 to 15
/// rounds, depending on the confidence of the last answer. The other cause is many rounds without
/// hard progress. Pure.
std::optional<CheckCause> check_due(const SessionState& state, const JudgeRules& rules);

/// True if a judge's answer B turns the current suspicion into `stuck` (docs/detection.md, section
/// 10). The answer must be about this loop and, if a second opinion is required, confirmed by it.
/// Neither hard progress nor a user message may have followed the question. The suspicion must have
/// lasted for kJudgedRounds after the question, because an agent that is only slow makes progress
/// in that time. Pure.
bool judged_looping(const SessionState& state);

/// Whether a stop for the current loop may go ahead.
enum class StopGate : std::uint8_t {
    kGo,    ///< stop: it is confirmed, no judge is available, or it was postponed often enough
    kAsk,   ///< ask a judge
    kWait,  ///< a judge is being asked
    /// A judge saw progress: the stop is postponed by kStopHeldRounds or, if these pass earlier,
    /// kStopHeldBeats.
    kHeld,
};

/// The gate under ConfirmStop::kJudge. `rules` are those of the available judge; null if there is
/// none. Any answer except A lets the stop go ahead, and so does a missing answer: an absent judge
/// must not keep an agent running. Pure.
StopGate stop_gate(const SessionState& state, const JudgeRules* rules);

inline constexpr std::uint32_t kStopHeldRounds = 10;
inline constexpr std::uint64_t kStopHeldBeats = 10;
inline constexpr std::uint32_t kStopHeldMax = 3;  ///< maximum number of postponements per session

inline constexpr std::uint32_t kJudgedRounds = 5;
inline constexpr double kConfirmConfidenceMin = 0.9;

}  // namespace headway::core
