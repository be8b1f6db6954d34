// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/detection/detector.hpp"

namespace headway::core {

/// A command that is repeated with one more copy of its own end (docs/detection.md, section 5). Its
/// arguments equal those of the tool's previous call, except that a string or a list in them
/// continues with text that it already contains.
struct SelfAppend {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {4, 8},  // consecutive extensions
        .advice = "The call grows by copies of itself: write it anew, short, from the goal.",
    };

    std::uint64_t tool = 0;
    std::string previous;     ///< exact arguments of the previous call, at most
                              ///< limits::kAppendBytesMax
    std::uint32_t count = 0;  ///< consecutive extensions
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const SelfAppend&) const = default;
    static constexpr auto fields() {
        using D = SelfAppend;
        return field_list(field("tool", &D::tool), field("previous", &D::previous),
                          field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<SelfAppend>);

}  // namespace headway::core
