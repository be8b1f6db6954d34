// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// More calls than a policy allows (docs/detection.md, section 5). This is a configured limit,
/// not a claim about loops.
struct CallVolume {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPolicy,
        .balanced = {0, 0},  // no limit unless a policy has one
        .always_on = true,
    };

    std::uint64_t calls = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const CallVolume&) const = default;
    static constexpr auto fields() {
        using D = CallVolume;
        return field_list(field("calls", &D::calls));
    }
};

static_assert(Detector<CallVolume>);

}  // namespace headway::core
