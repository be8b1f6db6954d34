// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Calls in a row that were refused, whatever they were: nothing that the agent tries may run
/// (docs/detection.md, section 8). Suspect after Thresholds::suspect of them, blocked after twice
/// as many, since only a person can change what refuses them. A call that ran halves the count,
/// also one that failed; a message of the user ends it; a call that was cut neither counts nor ends
/// it.
struct Refusals {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {8, 40},  // calls in a row
        .advice =
            "The rules of this machine refuse this call: do what is left without it, "
            "or say what you need and why.",
        .always_on = true,
    };

    std::uint32_t count = 0;  ///< halved by each call that ran: one cheap call undoes no row
    std::uint32_t row = 0;    ///< with nothing between them
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

/// The class of a call that a person or a policy refused. Pure.
bool is_refusal(const ToolFinished& call);

}  // namespace headway::core
