// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/limits.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"
#include "core/values/tier.hpp"

namespace headway::core {

/// Rounds of tier P1, P2 or P3 that clear a suspicion, as hard progress does (docs/detection.md,
/// section 7).
inline constexpr std::uint32_t kInformedRounds = 5;

/// Answers in one set. The table of answers is the largest structure that an event touches, so it
/// is a set-associative cache: a lookup reads only one set, selected by the low bits of the
/// question.
inline constexpr std::size_t kAnswersOfSet = 8;

/// The time that passed before a call, compared with the agent's own pace. Values are stored:
/// append only.
enum class Pause : std::uint8_t {
    kShort,  ///< kShortRest or more, but not unusual for a turn of this agent
    kRest,   ///< kShortRest or more, and at least twice a usual turn of this agent
    kLong,   ///< kLongRest or more, and at least twice a usual turn of this agent
    // Since a timer or background work woke the agent after kLongRest or more at the prompt:
    kWoken,       ///< no other pause
    kWokenShort,  ///< the last one was as kShort
    kWokenRest,   ///< the last one was as kRest
};
template <>
struct EnumNames<Pause> {
    static constexpr std::array<std::string_view, 6> kNames{"short", "rest",        "long",
                                                            "woken", "woken_short", "woken_rest"};
};

/// The last answer to one question.
struct KnownAnswer {
    std::uint64_t question = 0;
    std::uint64_t outcome = 0;
    std::uint32_t raw_outcome = 0;  ///< low half of CallFingerprint::raw_outcome
    std::uint32_t before = 0;       ///< low half of the previous outcome; 0 = none
    std::uint64_t first_n = 0;      ///< event of the first answer that `repeats` counts
    std::uint64_t last_n = 0;
    std::uint32_t repeats = 0;  ///< number of equal answers in this epoch
    /// State at the last answer, from bit 0: 12 bits of Ledger::informed_rounds, 12 of
    /// Ledger::epoch, 1 for success, 7 of Ledger::scope. Packed, because the table of answers takes
    /// most of a session's memory.
    std::uint32_t span = 0;
    bool ok() const { return (span >> 24U & 1U) != 0; }
    bool operator==(const KnownAnswer&) const = default;
    static constexpr auto fields() {
        using A = KnownAnswer;
        return field_list(field("question", &A::question), field("outcome", &A::outcome),
                          field("raw_outcome", &A::raw_outcome), field("before", &A::before),
                          field("first_n", &A::first_n), field("last_n", &A::last_n),
                          field("repeats", &A::repeats), field("span", &A::span));
    }
};

/// Contents that a file has had, the newest last.
struct FileTrail {
    std::uint64_t path = 0;
    std::uint64_t last_n = 0;
    /// Number of consecutive returns to a content that the file had left.
    std::uint32_t reversals = 0;
    /// Digests of the contents, at most limits::kTrailDigestsMax.
    std::vector<std::uint64_t> digests;
    bool operator==(const FileTrail&) const = default;
    static constexpr auto fields() {
        using F = FileTrail;
        return field_list(field("path", &F::path), field("last_n", &F::last_n),
                          field("reversals", &F::reversals), field("digests", &F::digests));
    }
};

/// Results of one verifying question, such as a test.
struct Verification {
    std::uint64_t question = 0;
    std::uint64_t last_n = 0;
    std::uint64_t changes_seen = 0;  ///< Ledger::changes when the test last ran
    std::uint64_t best_failing = 0;
    bool counted = false;  ///< best_failing is valid
    bool flaky = false;    ///< the result changed although no file changed
    std::uint64_t last_outcome = 0;
    /// Digests of the results, at most limits::kTrailDigestsMax.
    std::vector<std::uint64_t> outcomes;
    bool operator==(const Verification&) const = default;
    static constexpr auto fields() {
        using V = Verification;
        return field_list(field("question", &V::question), field("last_n", &V::last_n),
                          field("changes_seen", &V::changes_seen),
                          field("best_failing", &V::best_failing), field("counted", &V::counted),
                          field("outcomes", &V::outcomes), field("flaky", &V::flaky),
                          field("last_outcome", &V::last_outcome));
    }
};

/// One counted call, in the ring of recent calls.
struct CallMark {
    std::uint64_t key = 0;  ///< question and outcome
    std::uint64_t question = 0;
    std::uint64_t n = 0;
    std::uint32_t scope = 0;  ///< number of user messages before the call
    bool weak = false;   ///< an acknowledgement or a failure without output: no evidence by itself
    bool acts = false;   ///< an action on a screen, a page or a game
    bool steps = false;  ///< a step that was only acknowledged (Shape::kSteps)
    bool operator==(const CallMark&) const = default;
    static constexpr auto fields() {
        using C = CallMark;
        return field_list(field("key", &C::key), field("question", &C::question), field("n", &C::n),
                          field("scope", &C::scope), field("weak", &C::weak),
                          field("acts", &C::acts), field("steps", &C::steps));
    }
};

/// The record of a session's progress over its whole life, in bounded space: known answers,
/// contents of files, test results, and the last progress (docs/detection.md, section 4). The fold
/// writes it, detectors read it.
struct Ledger {
    std::uint32_t epoch = 0;         ///< number of the epoch; each change begins a new one
    std::uint32_t rounds = 0;        ///< model turns that had a counted call
    std::uint32_t quiet_rounds = 0;  ///< consecutive rounds without progress
    /// Consecutive rounds of tier P1 or none: no test confirmed the edits in these rounds.
    std::uint32_t unproven_rounds = 0;
    std::uint32_t informed_rounds = 0;  ///< total number of rounds of tier P1 to P3
    std::uint32_t hard_round = 0;       ///< the last round with hard progress; 0 = none
    std::uint32_t scope = 0;            ///< number of messages from the user
    /// Number of consecutive further files that were written with last_content.
    std::uint32_t content_copies = 0;
    /// Edits since the last hard progress whose effect is unknown.
    std::uint32_t unsure_edits = 0;
    std::uint32_t lifts = 0;       ///< reported user messages that cleared a suspicion
    std::uint64_t hard_n = 0;      ///< the last event with hard progress; 0 = none
    std::uint64_t moved_n = 0;     ///< the last event of tier P3
    std::uint64_t external_n = 0;  ///< the last event of tier P4
    /// Event of the last call that brought news and may have changed something.
    std::uint64_t deed_n = 0;
    std::uint64_t changes = 0;      ///< counted calls that may have changed something
    std::uint64_t scope_n = 0;      ///< the last user message
    std::uint64_t compacted_n = 0;  ///< the last compaction of the agent's context
    Tier round_tier = Tier::kNone;  ///< best tier of the current round so far
    bool round_counts = false;      ///< the current round has a call that is not neutral
    Pause paused = Pause::kShort;   ///< the pause before paused_n
    bool said_go_on = false;        ///< the last user message only asked to go on
    /// The last call that did something new: the low half of its event number.
    std::uint32_t done_n = 0;
    std::vector<KnownAnswer> answers;  ///< table of answers, in sets; question 0 = free entry
    std::vector<FileTrail> files;
    std::vector<Verification> verifications;
    std::vector<CallMark> recent;  ///< a ring of limits::kRecentCallsMax
    std::uint64_t calls = 0;       ///< number of calls; the next one goes to recent[calls % max]
    /// The best tier of each earlier round, the newest in the lowest four bits: 0 = no such round,
    /// else the tier plus 1.
    std::uint64_t past_tiers = 0;
    std::uint64_t slept_n = 0;        ///< event of the last call that waited
    std::uint64_t wait_outcome = 0;   ///< the answer to the newest poll
    std::uint64_t cosmetic_path = 0;  ///< path of the last edit if that edit changed only comments;
                                      ///< else 0
    std::uint64_t last_content = 0;   ///< content of the last file that was written whole
    /// The last event before which the clock shows a pause: the low half of the event's number.
    std::uint32_t paused_n = 0;
    /// Times that the model took for its last eight turns, the newest in the lowest four bits. Each
    /// is the bit width of the number of seconds; 0 = no such turn.
    std::uint32_t turn_times = 0;

    /// Closes the current round and begins the next.
    void begin_round();
    /// Forgets the rounds without progress, including the current round if it has none.
    void forget_quiet();

    /// Records a neutral call: the calls before it and after it are not consecutive.
    void interrupt(std::uint64_t n);

    /// The counted call i places before the last one (0 = the last); null beyond the ring.
    const CallMark* back(std::size_t i) const;

    bool operator==(const Ledger&) const = default;
    static constexpr auto fields();
};

constexpr auto Ledger::fields() {
    using L = Ledger;
    return field_list(
        field("epoch", &L::epoch), field("rounds", &L::rounds),
        field("quiet_rounds", &L::quiet_rounds), field("unproven_rounds", &L::unproven_rounds),
        field("informed_rounds", &L::informed_rounds), field("hard_round", &L::hard_round),
        field("hard_n", &L::hard_n), field("moved_n", &L::moved_n),
        field("external_n", &L::external_n), field("changes", &L::changes),
        field("scope", &L::scope), field("scope_n", &L::scope_n),
        field("said_go_on", &L::said_go_on), field("compacted_n", &L::compacted_n),
        field("round_tier", &L::round_tier), field("round_counts", &L::round_counts),
        field("answers", &L::answers), field("files", &L::files),
        field("verifications", &L::verifications), field("recent", &L::recent),
        field("calls", &L::calls), field("past_tiers", &L::past_tiers),
        field("slept_n", &L::slept_n), field("wait_outcome", &L::wait_outcome),
        field("cosmetic_path", &L::cosmetic_path), field("last_content", &L::last_content),
        field("content_copies", &L::content_copies), field("lifts", &L::lifts),
        field("paused_n", &L::paused_n), field("paused", &L::paused),
        field("unsure_edits", &L::unsure_edits), field("deed_n", &L::deed_n),
        field("done_n", &L::done_n), field("turn_times", &L::turn_times));
}

/// Progress of the last 16 rounds, oldest first, including the current one: `.` none, `x` external,
/// `i` information, `v` verification, `s` state. Pure.
std::string activity_of(const Ledger& ledger);

/// The facts that the ledger finds about one call.
struct Entry {
    Tier tier = Tier::kNone;
    bool jitter = false;  ///< the answer equals the last one except in masked parts
    bool known_question = false;
    bool same_answer = false;  ///< the answer is the same as the last time
    /// The question is new, but another question had the same answer before.
    bool known_answer = false;
    bool hollow = false;  ///< the call claims to change something, but changes nothing
    /// A check that passes as it did the last time, although something was done in between. It ends
    /// a step of the work and is not a repeat.
    bool confirms = false;
    /// The first reading since the context was compacted, since the user's last message or since
    /// hard progress.
    bool free_again = false;
    std::uint32_t repeats = 1;  ///< equal answers to this question in this epoch
    std::uint64_t first_n = 0;  ///< event of the first of these answers
    std::uint64_t asked_n = 0;  ///< the event at which the question was last asked; 0 = none
    /// FileTrail::reversals of the changed path, if the path returned to an earlier content.
    std::uint32_t reversals = 0;
    std::uint64_t changed_path = 0;          ///< a path that has new content
    std::vector<std::uint64_t> fresh_paths;  ///< changed paths that are new to the ledger
    bool flaky = false;                      ///< the result of the test varies although no file
                                             ///< changes
    bool improved = false;                   ///< fewer failing tests than ever
    bool rechecks = false;  ///< a check without failures after an edit that changed only comments
};

/// Combines question and outcome.
constexpr std::uint64_t key_of(const CallFingerprint& fingerprint) {
    return fingerprint.question.low ^ (fingerprint.outcome.low * 0x9e3779b97f4a7c15ULL);
}

/// True if the question also had this answer the last time. Pure.
bool repeats_answer(const Ledger& ledger, const CallFingerprint& fingerprint);

/// True if the agent has slept since it last asked this question, or if the call itself sleeps.
/// Pure.
bool slept_before(const Ledger& ledger, const CallFingerprint& fingerprint);

/// Records a counted call. `n` is the number of its event.
Entry record(Ledger& ledger, const CallFingerprint& fingerprint, const ToolFinished& call,
             std::uint64_t n);

/// Records a test result that arrived as an event. `question` and `outcome` are digests of its
/// command and its content.
Entry record(Ledger& ledger, std::uint64_t question, std::uint64_t outcome, std::uint64_t failing,
             std::uint64_t n);

/// Records the answer to a wait; returns kExternal if the answer changed.
Tier wait_on(Ledger& ledger, const CallFingerprint& fingerprint, std::uint64_t n);

/// Records the tier of a call or a result in the round and the epoch. `telling` is false for a new
/// question with a trivial answer, which shows neither progress nor its absence.
void book(Ledger& ledger, Tier tier, std::uint64_t n, bool telling);

}  // namespace headway::core
