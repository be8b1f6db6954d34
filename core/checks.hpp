// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "core/judge_payloads.hpp"

namespace headway::core {

struct SessionState;
struct Event;

/// When a judge estimates how far a session has come.
enum class EstimateMode : std::uint8_t {
    kOff,
    kStall,  ///< when it stalls, and when a phase ends
    kStep,   ///< with each finished call that counts
    kEvery,  ///< with every so many of them
};

template <>
struct EnumNames<EstimateMode> {
    static constexpr std::array<std::string_view, 4> kNames{"off", "stall", "step", "every"};
};

/// When a judge is asked without anybody having said so, and who it is. The daemon's, not a
/// session's.
struct JudgeRules {
    std::string primary;  ///< name of the endpoint asked first; empty = there is no judge
    std::string confirm;  ///< of the one whose second opinion a B needs; empty = none
    bool on_suspect = true;
    std::uint32_t audit_rounds = 100;  ///< without hard progress; 0 = no audits
    std::uint32_t checks_max = 10;     ///< of one session, by itself
    EstimateMode estimates = EstimateMode::kOff;
    std::uint32_t estimate_steps = 5;   ///< with kEvery
    std::uint32_t estimates_max = 100;  ///< of one session
};

/// A status check that a judge has not answered yet.
struct PendingCheck {
    std::uint64_t n = 0;  ///< its check.requested event
    std::string check_id;
    CheckCause cause = CheckCause::kAsked;
    std::string confirm;      ///< JudgeRules::confirm when it was asked
    std::string loop;         ///< Judgement::loop of that moment, empty when none was seen
    std::uint32_t round = 0;  ///< Ledger::rounds of that moment
    bool operator==(const PendingCheck&) const = default;
    static constexpr auto fields() {
        using P = PendingCheck;
        return field_list(field("n", &P::n), field("check_id", &P::check_id),
                          field("cause", &P::cause), field("confirm", &P::confirm),
                          field("loop", &P::loop), field("round", &P::round));
    }
};

/// A stop that waits for its confirmation, with ConfirmStop::kJudge.
struct StopQuestion {
    std::string loop;         ///< Judgement::loop of the stop; empty = none was asked about
    bool waiting = false;     ///< the judge has not answered
    bool held = false;        ///< the judge answered A
    std::uint64_t n = 0;      ///< the answer's event
    std::uint32_t round = 0;  ///< Ledger::rounds at the answer
    std::uint64_t beats = 0;  ///< SessionState::heartbeats at the answer
    std::uint32_t times = 0;  ///< held back so far, over all loops
    bool operator==(const StopQuestion&) const = default;
    static constexpr auto fields() {
        using Q = StopQuestion;
        return field_list(field("loop", &Q::loop), field("waiting", &Q::waiting),
                          field("held", &Q::held), field("n", &Q::n), field("round", &Q::round),
                          field("beats", &Q::beats), field("times", &Q::times));
    }
};

/// What judges were asked about a session, and the one answer that counts: B, "looping". The others
/// move no verdict, so that no transcript that talks a judge round improves one; where the policy
/// says so an A puts a stop off. And the facts that the session has learnt, which a judge is
/// reminded of.
struct Checks {
    std::vector<PendingCheck> pending;  ///< at most limits::kChecksPendingMax
    std::uint32_t automatic = 0;        ///< asked by Headway itself, ever
    std::uint32_t next_round = 0;       ///< Ledger::rounds from which the next of those may come
    std::uint32_t audited_round = 0;
    std::string loop;                 ///< the suspicion that a judge called a loop; empty = none
    std::uint32_t round = 0;          ///< when that judge was asked
    std::uint64_t n = 0;              ///< the answer's event
    std::uint64_t asked_n = 0;        ///< the question's: progress after it refutes the answer
    std::vector<std::string> facts;   ///< at most limits::kFactsKeptMax, the newest last
    bool confirmed = false;           ///< the second opinion, where one is wanted, said the same
    std::uint64_t facts_learned = 0;  ///< in all
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

/// Folds of the two events. `state` is as it was before them.
void begin_check(SessionState& state, const CheckRequested& asked, std::uint64_t n);
void end_check(SessionState& state, const CheckCompleted& done, std::uint64_t n);

/// Why Headway should ask a judge now, by itself: a suspicion, then every 5 to 15 rounds by how
/// sure the last answer was; or a long time without hard progress (detection.md 2.6). Pure.
std::optional<CheckCause> check_due(const SessionState& state, const JudgeRules& rules);

/// Whether a judge's B turns the suspicion that stands into `stuck` (detection.md 2.5 c): it was
/// said of this loop, confirmed where a second opinion is wanted, nothing hard came after the
/// question, and the suspicion has outlasted it by kJudgedRounds - a worker that was only slow has
/// moved by then, whatever a judge says. Pure.
bool judged_looping(const SessionState& state);

/// What a stop for the loop that stands has to do first.
enum class StopGate : std::uint8_t {
    kGo,    ///< nothing: it is confirmed, no judge is there, or it was put off often enough
    kAsk,   ///< ask a judge
    kWait,  ///< a judge is being asked
    kHeld,  ///< a judge saw progress: it is put off for kStopHeldRounds or kStopHeldBeats
};

/// With ConfirmStop::kJudge, by the state alone; `rules` are of the judge that is there, or null.
/// An answer that is not A, or none at all, lets the stop go: a judge that is away makes no agent
/// run without end. Pure.
StopGate stop_gate(const SessionState& state, const JudgeRules* rules);

inline constexpr std::uint32_t kStopHeldRounds = 10;
inline constexpr std::uint64_t kStopHeldBeats = 10;
inline constexpr std::uint32_t kStopHeldMax = 3;  ///< of one session: then the rule is enough

inline constexpr std::uint32_t kJudgedRounds = 5;
inline constexpr double kConfirmConfidenceMin = 0.9;

}  // namespace headway::core
