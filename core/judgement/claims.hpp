// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "core/state/session_state.hpp"

// Claims of the detectors about a state, and their reasons. Pure.

namespace headway::core {

/// True if a claim stays valid until progress refutes it. Other claims describe the present.
constexpr bool lasts(EvidenceKind kind) {
    return kind == EvidenceKind::kRepeat || kind == EvidenceKind::kFailure ||
           kind == EvidenceKind::kEdit;
}

struct DetectorClaim {
    DetectorId id{};
    EvidenceKind kind{};
    Severity severity = Severity::kNone;
    bool alone = true;  ///< a ground for a verdict by itself
};

/// The claims, at most one per detector, strongest first, then in the order of the detectors.
struct Claims {
    std::array<DetectorClaim, kDetectorCount> all{};
    std::size_t count = 0;
    Severity verdict = Severity::kNone;  ///< of all claims together

    const DetectorClaim* begin() const { return all.data(); }
    const DetectorClaim* end() const { return all.data() + count; }
};

/// The claims about a state, combined into Claims::verdict.
Claims claims_of(const SessionState& state);

/// The grounds of one detector, which must claim something.
Finding finding_of(const SessionState& state, DetectorId id);

/// Fills reason, evidence, detectors, loop and confidence from the first claim, which must exist.
void explain(const SessionState& state, const Claims& claims, Judgement& judgement);

}  // namespace headway::core
