// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// The same error on the same file (docs/first-designs.md). The thresholds are numbers of errors. A
/// success on that file (except a read), hard progress, a user message and a new phase restart the
/// count. Enabled only in the strict profile; in other profiles, `failure_streak` and
/// `same_diagnostic` detect such errors with fewer false positives.
struct SameFileError {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {0, 0},  // off
        .strict = {4, 8},
    };

    std::uint64_t file = 0;
    std::uint64_t diagnostic = 0;
    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const SameFileError&) const = default;
    static constexpr auto fields() {
        using D = SameFileError;
        return field_list(field("file", &D::file), field("diagnostic", &D::diagnostic),
                          field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<SameFileError>);

}  // namespace headway::core
