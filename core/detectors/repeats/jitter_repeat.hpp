// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// A test that passes is run repeatedly while nothing changes, and only its output varies
/// (docs/detection.md, section 5). A failed run in between means that the agent studies a flaky
/// test.
struct JitterRepeat {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat, .balanced = {4, 0},  // passed runs with nothing changed
    };

    std::uint64_t question = 0;
    std::uint64_t changes = 0;  ///< Ledger::changes at the first run
    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const JitterRepeat&) const = default;
    static constexpr auto fields() {
        using D = JitterRepeat;
        return field_list(field("question", &D::question), field("changes", &D::changes),
                          field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<JitterRepeat>);

}  // namespace headway::core
