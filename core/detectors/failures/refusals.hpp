// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Refused calls of any kind: most calls that the agent tries are not allowed to run
/// (docs/detection.md, section 8). The session is suspect after Thresholds::suspect refusals,
/// blocked after twice as many, and stuck after Thresholds::stuck. It is blocked because only a
/// person can change the rules that refuse the calls. A call that ran halves the count, even if it
/// failed; a message from the user ends the series; a call that was interrupted changes nothing.
struct Refusals {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {8, 40},  // refusals, as `count` counts them
        .advice =
            "The rules of this machine refuse this call: do what is left without it, "
            "or say what you need and why.",
        .always_on = true,
    };

    std::uint32_t count = 0;  ///< number of refusals, halved by each call that ran, because one
                              ///< cheap call must not clear it
    std::uint32_t row = 0;    ///< refusals since the last call that ran
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Refusals&) const = default;
    static constexpr auto fields() {
        using D = Refusals;
        return field_list(field("count", &D::count), field("row", &D::row),
                          field("first_n", &D::first_n), field("last_n", &D::last_n));
    }
};

static_assert(Detector<Refusals>);

/// True if the call's error class shows that a person or a policy refused it. Pure.
bool is_refusal(const ToolFinished& call);

}  // namespace headway::core
