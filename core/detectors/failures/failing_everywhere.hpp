// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Consecutive rounds in which every call failed, whatever the tool (docs/detection.md, section 5).
/// The session is suspect after Thresholds::suspect rounds with one known kind of error, or three
/// rounds later if the kinds are mixed or unknown. It is stuck after Thresholds::stuck rounds, or
/// after two thirds of that number if all failures have the same error. Failed tests are results,
/// not failures.
struct FailingEverywhere {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {5, 12},  // consecutive rounds
        .advice =
            "Nothing works at the moment: check the environment (directory, services, permissions) "
            "with one simple command.",
    };

    std::uint32_t any = 0;
    std::uint32_t same_kind = 0;
    std::uint32_t same_error = 0;
    std::uint32_t round = 0;
    FailureKind kind = FailureKind::kNone;
    std::uint64_t diagnostic = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const FailingEverywhere&) const = default;
    static constexpr auto fields() {
        using D = FailingEverywhere;
        return field_list(field("any", &D::any), field("same_kind", &D::same_kind),
                          field("same_error", &D::same_error), field("round", &D::round),
                          field("kind", &D::kind), field("diagnostic", &D::diagnostic),
                          field("first_n", &D::first_n), field("last_n", &D::last_n));
    }
};

static_assert(Detector<FailingEverywhere>);

}  // namespace headway::core
