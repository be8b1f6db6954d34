// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "core/state/session_state.hpp"

// Claims of the detectors about a state, and their reasons. Functions change only arguments.

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
    bool alone = true;  ///< the claim justifies a verdict by itself
};

/// The claims, strongest first, at most one for each detector. Equally strong claims are in the
/// order of the detectors.
struct Claims {
    std::array<DetectorClaim, kDetectorCount> all{};
    std::size_t count = 0;
    Severity verdict = Severity::kNone;  ///< severity combined from all claims

    const DetectorClaim* begin() const { return all.data(); }
    const DetectorClaim* end() const { return all.data() + count; }
};

/// The claims about a state, combined into Claims::verdict.
Claims claims_of(const SessionState& state);

/// The finding of a detector that makes a claim: reason, evidence and identity.
Finding finding_of(const SessionState& state, DetectorId id);

/// Sets reason, evidence, detectors, loop and confidence from the first claim, which must exist.
void explain(const SessionState& state, const Claims& claims, Judgement& judgement);

}  // namespace headway::core
