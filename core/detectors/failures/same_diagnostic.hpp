// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detection/detector.hpp"

namespace headway::core {

/// The same failure of a test or a build across several edits (docs/detection.md, section 5): equal
/// diagnostics, while at most kPathsMax files were edited and nothing was committed. An agent that
/// pursues one error through many files makes progress. Fewer failing tests than ever before are
/// progress too, even if the first failure is the same. Outside the strict profile, the
/// finding makes a session suspect at most; `no_progress` may confirm it.
struct SameDiagnostic {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {4, 0},  // failed runs; needs confirmation
        .strict = {3, 8},
        .advice =
            "The edits do not reach the cause: read the failing code and its caller before the "
            "next edit, or check that the edited file is the one that runs.",
        .second_advice =
            "Undo the edits of this failure and start from the error itself in a smaller case.",
    };
    static constexpr std::size_t kPathsMax = 2;

    std::uint64_t diagnostic = 0;
    std::uint32_t count = 0;
    std::uint32_t edits = 0;              ///< number of edits since the first failure
    std::vector<std::uint64_t> paths;     ///< at most kPathsMax + 1
    std::vector<std::uint64_t> evidence;  ///< events, at most limits::kEvidenceMax
    bool user_spoke = false;              ///< a user message came after the last failure: the
                                          ///< detector claims nothing before the next failure
    std::uint32_t question = 0;           ///< if the failed run is not a test: low half of
                                          ///< CallFingerprint::question; 0: a test, or no failure

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const SameDiagnostic&) const = default;
    static constexpr auto fields() {
        using D = SameDiagnostic;
        return field_list(field("diagnostic", &D::diagnostic), field("count", &D::count),
                          field("edits", &D::edits), field("paths", &D::paths),
                          field("evidence", &D::evidence), field("user_spoke", &D::user_spoke),
                          field("question", &D::question));
    }

private:
    void fail(std::uint64_t what, std::uint64_t n);
    void rerun(const CallSeen& call, std::uint64_t n);
    void edit(std::uint64_t path);
};

static_assert(Detector<SameDiagnostic>);

}  // namespace headway::core
