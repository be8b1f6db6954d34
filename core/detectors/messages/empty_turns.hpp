// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Turns of the model without an action (docs/detection.md, section 5): empty, cut off at the
/// token limit, or unparseable. A turn that was cut off counts twice.
struct EmptyTurns {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kText, .balanced = {3, 6},  // consecutive turns
    };

    std::uint32_t count = 0;  ///< number of consecutive such turns; a turn that was cut off adds 2
    bool silent = false;      ///< the last of these turns was a message without words
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const EmptyTurns&) const = default;
    static constexpr auto fields() {
        using D = EmptyTurns;
        return field_list(field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n), field("silent", &D::silent));
    }
};

static_assert(Detector<EmptyTurns>);

}  // namespace headway::core
