// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Edits that undo each other (docs/detection.md, section 5), in one of two ways. A reversal
/// returns a file to content that it had left; the ledger counts consecutive reversals for each
/// file. An alternation is the other way: the last four edits alternate between two edits
/// (A-B-A-B). Edits that change nothing are ignored. After hard progress on other files, earlier
/// reversals still count, but only for `suspect` (see `clean`). A better test result clears the
/// alternations. A test that alternates kRedFlips times between two failures, with edits in
/// between, is also suspicious, because each fix then brings back the other failure.
struct Oscillation {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kEdit,
        .balanced = {2, 4},  // reversals
        .strict = {1, 2},
        .advice =
            "Two edits undo each other: find the requirement that both have to meet before you "
            "edit again.",
        .second_advice = "Keep one of the two versions and change the code that conflicts with it.",
    };

    /// Threshold for consecutive failures that equal the last but one before them: in A-B-A-B, the
    /// third and the fourth do.
    static constexpr std::uint32_t kRedFlips = 2;
    /// A measurement with a new result clears the alternations, because an experiment that switches
    /// between two variants undoes nothing. At most this many measurements clear them: otherwise an
    /// agent could excuse any number of edits by printing numbers.
    static constexpr std::uint32_t kExperimentsMax = 24;
    /// Number of alternations that count as one if the contents are unknown: the thresholds 2 / 4
    /// become 8 / 16.
    static constexpr std::uint32_t kBlindPatience = 4;

    std::uint32_t reversals = 0;  ///< consecutive reversals of the file `path`
    std::uint32_t clean = 0;      ///< reversals since the last hard progress
    std::uint64_t path = 0;
    std::uint64_t hard_n = 0;               ///< Ledger::hard_n at the last reversal
    std::vector<std::uint64_t> evidence;    ///< events, at most limits::kEvidenceMax
    std::vector<std::uint64_t> last_edits;  ///< digests of the last two edits
    std::uint64_t red_question = 0;         ///< the last failed test
    std::uint64_t red_changes = 0;          ///< Ledger::changes at the last failure of that test
    std::vector<std::uint64_t> last_reds;   ///< the last two failures of that test
    /// Number of consecutive edits that equal the last but one before them.
    std::uint32_t alternations = 0;
    std::uint32_t red_flips = 0;    ///< consecutive failures that equal the last but one before
                                    ///< them
    std::uint32_t experiments = 0;  ///< measurements that cleared the alternations
    bool blind = false;             ///< the path of the last edit is known, but not its content

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Oscillation&) const = default;
    static constexpr auto fields() {
        using D = Oscillation;
        return field_list(
            field("reversals", &D::reversals), field("clean", &D::clean), field("path", &D::path),
            field("hard_n", &D::hard_n), field("evidence", &D::evidence),
            field("last_edits", &D::last_edits), field("alternations", &D::alternations),
            field("red_question", &D::red_question), field("red_changes", &D::red_changes),
            field("last_reds", &D::last_reds), field("red_flips", &D::red_flips),
            field("experiments", &D::experiments), field("blind", &D::blind));
    }

private:
    void note(std::uint64_t n);
    void alternate(const CallSeen& call);
    void test(std::uint64_t question, std::uint64_t failure, const Observation& seen);
    void test(const TestResult& result, const Observation& seen);
};

static_assert(Detector<Oscillation>);

}  // namespace headway::core
