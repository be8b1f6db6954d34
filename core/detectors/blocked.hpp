// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detector.hpp"

namespace headway::core {

/// The agent cannot continue by itself (docs/detection.md, section 8): a provider refuses or limits
/// requests, credentials, permission or a tool are missing, or a person was asked. Claims at once
/// if the client or a status code says so, at the second failure if it is read from a message. A
/// success or a user message ends it; silence does not.
struct Blocked {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kLiveness,
        .balanced = {0, 0},  // no threshold: it claims kBlocked at once
        .always_on = true,
    };

    FailureKind kind = FailureKind::kNone;
    std::uint32_t count = 0;  ///< failures in a row of that kind
    bool typed = false;       ///< by the client or a status code
    bool asked = false;       ///< waits for a person
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_sound(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Blocked&) const = default;
    static constexpr auto fields() {
        using D = Blocked;
        return field_list(field("kind", &D::kind), field("count", &D::count),
                          field("typed", &D::typed), field("asked", &D::asked),
                          field("first_n", &D::first_n), field("last_n", &D::last_n));
    }

private:
    void fail(FailureKind failure, bool is_typed, std::uint64_t n);
    void observe_error(const ErrorReported& error, std::uint64_t n);
};

static_assert(Detector<Blocked>);

}  // namespace headway::core
