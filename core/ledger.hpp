// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/call_print.hpp"
#include "core/fields.hpp"
#include "core/limits.hpp"
#include "core/tier.hpp"
#include "core/work_payloads.hpp"

namespace headway::core {

/// Rounds of P3 that let a suspicion go as one of P1 or P2 does (detection.md 2.5).
inline constexpr std::uint32_t kInformedRounds = 5;

/// The last answer to one question.
struct KnownAnswer {
    std::uint64_t question = 0;
    std::uint64_t outcome = 0;
    std::uint64_t raw_outcome = 0;
    std::uint64_t first_n = 0;  ///< event of the first of `repeats`
    std::uint64_t last_n = 0;
    std::uint32_t repeats = 0;  ///< equal answers since the epoch began
    std::uint32_t epoch = 0;
    std::uint32_t scope = 0;
    bool ok = false;
    bool operator==(const KnownAnswer&) const = default;
    static constexpr auto fields() {
        using A = KnownAnswer;
        return field_list(field("question", &A::question), field("outcome", &A::outcome),
                          field("raw_outcome", &A::raw_outcome), field("first_n", &A::first_n),
                          field("last_n", &A::last_n), field("repeats", &A::repeats),
                          field("epoch", &A::epoch), field("scope", &A::scope),
                          field("ok", &A::ok));
    }
};

/// The contents that a path has had, the newest last.
struct FileTrail {
    std::uint64_t path = 0;
    std::uint64_t last_n = 0;
    std::uint32_t reversals = 0;         ///< in a row: back to a content it had left
    std::vector<std::uint64_t> digests;  ///< at most limits::kTrailDigestsMax
    bool operator==(const FileTrail&) const = default;
    static constexpr auto fields() {
        using F = FileTrail;
        return field_list(field("path", &F::path), field("last_n", &F::last_n),
                          field("reversals", &F::reversals), field("digests", &F::digests));
    }
};

/// What one verifying question has said so far.
struct Verification {
    std::uint64_t question = 0;
    std::uint64_t last_n = 0;
    std::uint64_t changes_seen = 0;  ///< Ledger::changes when it last ran
    std::uint64_t best_failing = 0;
    bool counted = false;  ///< best_failing means something
    bool flaky = false;    ///< it answered differently with nothing changed
    std::uint64_t last_outcome = 0;
    std::vector<std::uint64_t> outcomes;  ///< at most limits::kTrailDigestsMax
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

/// One counted call in the ring of recent ones.
struct CallMark {
    std::uint64_t key = 0;  ///< question and outcome
    std::uint64_t question = 0;
    std::uint64_t n = 0;
    std::uint32_t scope = 0;  ///< user messages before it
    bool operator==(const CallMark&) const = default;
    static constexpr auto fields() {
        using C = CallMark;
        return field_list(field("key", &C::key), field("question", &C::question), field("n", &C::n),
                          field("scope", &C::scope));
    }
};

/// Progress of a session, for its whole life in bounded space: which answers are known, which
/// contents files have had, what tests have said, and since when nothing new came. Fed by the fold;
/// detectors read it.
struct Ledger {
    std::uint32_t epoch = 0;         ///< of progress: ends when something changed
    std::uint32_t rounds = 0;        ///< model turns with a counted call
    std::uint32_t quiet_rounds = 0;  ///< in a row that proved nothing
    /// In a row without P2, P3 or P4: edits that no test confirmed.
    std::uint32_t unproven_rounds = 0;
    std::uint32_t informed_rounds = 0;  ///< ever, that were P3 or better
    std::uint32_t hard_round = 0;       ///< the last with P1 or P2; 0 = none
    std::uint64_t hard_n = 0;           ///< the last event of P1 or P2; 0 = none
    std::uint64_t moved_n = 0;          ///< the last event of P3
    std::uint64_t external_n = 0;       ///< the last event of P4
    std::uint64_t changes = 0;          ///< counted calls that may have changed something
    std::uint32_t scope = 0;            ///< messages of the user
    std::uint64_t scope_n = 0;          ///< the last of them
    std::uint64_t compacted_n = 0;      ///< the last compaction of the agent's context
    Tier round_tier = Tier::kNone;      ///< best of the round so far
    bool round_counts = false;          ///< the round has a call that is not neutral
    std::vector<KnownAnswer> answers;   ///< in sets; a place with question 0 is free
    std::vector<FileTrail> files;
    std::vector<Verification> verifications;
    std::vector<CallMark> recent;  ///< a ring of limits::kRecentCallsMax
    std::uint64_t calls = 0;       ///< counted ever; the next goes to recent[calls % max]
    /// Best tiers of the rounds before this one, the newest in the lowest four bits: 0 = no such
    /// round, else the tier plus 1.
    std::uint64_t past_tiers = 0;

    /// A round begins: closes the books of the last one.
    void begin_round();

    /// A call that is no evidence but lies between others: nothing before it is "in a row" with
    /// what follows.
    void interrupt(std::uint64_t n);

    /// The i-th last counted call, 0 = the last; null beyond the ring.
    const CallMark* back(std::size_t i) const;

    bool operator==(const Ledger&) const = default;
    static constexpr auto fields();
};

constexpr auto Ledger::fields() {
    using L = Ledger;
    return field_list(field("epoch", &L::epoch), field("rounds", &L::rounds),
                      field("quiet_rounds", &L::quiet_rounds),
                      field("unproven_rounds", &L::unproven_rounds),
                      field("informed_rounds", &L::informed_rounds),
                      field("hard_round", &L::hard_round), field("hard_n", &L::hard_n),
                      field("moved_n", &L::moved_n), field("external_n", &L::external_n),
                      field("changes", &L::changes), field("scope", &L::scope),
                      field("scope_n", &L::scope_n), field("compacted_n", &L::compacted_n),
                      field("round_tier", &L::round_tier), field("round_counts", &L::round_counts),
                      field("answers", &L::answers), field("files", &L::files),
                      field("verifications", &L::verifications), field("recent", &L::recent),
                      field("calls", &L::calls), field("past_tiers", &L::past_tiers));
}

/// What the last 16 rounds have proven, oldest first, the one under way included: `.` nothing new,
/// `x` external, `i` information, `v` verification, `s` state. Pure.
std::string activity_of(const Ledger& ledger);

/// What the ledger learnt of one call.
struct Entry {
    Tier tier = Tier::kNone;
    bool jitter = false;  ///< equal but for what is volatile
    bool known_question = false;
    std::uint32_t repeats = 1;  ///< equal answers to this question since the epoch began
    std::uint64_t first_n = 0;  ///< event of the first of them
    /// Of the path it changed, when it went back to an earlier content.
    std::uint32_t reversals = 0;
    std::uint64_t changed_path = 0;          ///< a path that reached a new content
    std::vector<std::uint64_t> fresh_paths;  ///< changed paths that were not followed before
    bool flaky = false;                      ///< a verification that answers now this, now that
    bool improved = false;                   ///< fewer tests fail than ever before
};

/// Question and outcome in one.
constexpr std::uint64_t key_of(const CallPrint& print) {
    return print.question.low ^ (print.outcome.low * 0x9e3779b97f4a7c15ULL);
}

/// Records a finished call that counts. `n` is its event.
Entry record(Ledger& ledger, const CallPrint& print, const ToolFinished& call, std::uint64_t n);

/// Records a test result that came as an event of its own. `question` and `outcome` are digests of
/// its command and of what it says.
Entry record(Ledger& ledger, std::uint64_t question, std::uint64_t outcome, std::uint64_t failing,
             std::uint64_t n);

/// Records an unchanged or changed answer of something that is waited for; kExternal when it moved.
Tier wait_on(Ledger& ledger, const CallPrint& print, std::uint64_t n);

/// Books the tier of a call or result into the round and the epoch. `telling` is false for a new
/// question whose answer tells nothing: such a round is neither progress nor the lack of it.
void book(Ledger& ledger, Tier tier, std::uint64_t n, bool telling);

}  // namespace headway::core
