// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/claims.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/assert.hpp"
#include "core/judgement/resolver.hpp"

namespace headway::core {
namespace {

constexpr bool confirms(EvidenceKind a, EvidenceKind b) {
    constexpr auto kCounts = [](EvidenceKind kind) {
        return kind != EvidenceKind::kLiveness && kind != EvidenceKind::kWait &&
               kind != EvidenceKind::kPolicy;
    };
    return kCounts(a) && kCounts(b) && a != b;
}

static_assert(HeartbeatRule::kTraits.kind == EvidenceKind::kLiveness);
static_assert(!lasts(HeartbeatRule::kTraits.kind) && lasts(ExactRepeat::kTraits.kind));
static_assert(!confirms(EvidenceKind::kRepeat, EvidenceKind::kRepeat), "none confirms itself");

/// Asked before a finding is made, whose text costs more than all else here.
bool took_advice(const SessionState& state) {
    return std::any_of(state.nudges.begin(), state.nudges.end(),
                       [](const Nudge& nudge) { return nudge.acknowledged; });
}

/// True if a loop is back after the agent acknowledged advice about it.
bool came_back(const SessionState& state, std::uint64_t identity) {
    const std::string loop = loop_name(identity);
    return std::any_of(state.nudges.begin(), state.nudges.end(), [&loop](const Nudge& nudge) {
        return nudge.acknowledged && nudge.loop == loop;
    });
}

/// thresholds_of(), of which most policies change none: known when this is compiled.
template <class D>
Thresholds thresholds_of(const Policy& policy) {
    constexpr DetectorId kId = kIdOf<D>;
    if (kId == kIdOf<HeartbeatRule> || !policy.detectors.empty()) return thresholds_of(policy, kId);
    return policy.profile == Profile::kStrict ? D::kTraits.strict : D::kTraits.balanced;
}

/// The combination rule (docs/detection.md, section 6): one claim that stands alone, two
/// independent suspicions, or a loop that returned after advice. Two suspicions make a loop even of
/// a blocked agent.
Severity verdict_of(const Claims& claims) {
    Severity best = Severity::kNone;
    for (const DetectorClaim& claim : claims) {
        if (claim.alone) best = std::max(best, claim.severity);
    }
    if (best == Severity::kStuck) return best;
    for (const DetectorClaim& a : claims) {
        for (const DetectorClaim& b : claims) {
            const bool both = a.severity == Severity::kSuspect && b.severity == Severity::kSuspect;
            if (both && confirms(a.kind, b.kind)) return Severity::kStuck;
        }
    }
    return best;
}

/// Grows with the count and with a second claim.
double confidence_of(const Claims& claims, const Finding& finding, Thresholds limits,
                     Severity severity) {
    const double wanted = limits.stuck != 0 ? limits.stuck : 2.0 * limits.suspect;
    const double share = wanted > 0 ? std::min(1.0, finding.count / wanted) : 0.5;
    const double base = severity == Severity::kStuck ? 0.8 : 0.4;
    const double others = claims.count > 1 ? 0.1 : 0.0;
    HEADWAY_ASSERT(share >= 0 && share <= 1);
    const double sure = std::round(std::min(0.99, base + 0.1 * share + others) * 100) / 100;
    HEADWAY_ASSERT(sure > 0 && sure < 1);
    return sure;
}

}  // namespace

Claims claims_of(const SessionState& state) {
    Claims claims;
    for_each_detector(*state.detectors, [&](const auto& detector) {
        using D = std::remove_cvref_t<decltype(detector)>;
        constexpr DetectorId kId = kIdOf<D>;
        if (!state.policy->loop_detection && !D::kTraits.always_on) return;
        if (!state.policy->detectors.empty() && state.policy->is_off(kId)) return;
        Severity severity = detector.severity(thresholds_of<D>(*state.policy), *state.ledger);
        if (severity == Severity::kNone) return;
        const bool advised =
            severity == Severity::kSuspect && lasts(D::kTraits.kind) && took_advice(state);
        if (advised && came_back(state, detector.finding(*state.ledger).identity))
            severity = Severity::kStuck;
        HEADWAY_ASSERT(claims.count < kDetectorCount);
        bool alone = D::kTraits.kind != EvidenceKind::kNothing || severity == Severity::kStuck;
        if constexpr (requires { detector.alone(*state.ledger); })
            alone = alone || detector.alone(*state.ledger);
        claims.all[claims.count++] = {kId, D::kTraits.kind, severity, alone};
    });
    const auto before = [](const DetectorClaim& a, const DetectorClaim& b) {
        return std::pair{a.alone, a.severity} > std::pair{b.alone, b.severity};
    };
    // Sorted as it is filled, without moving equal ones: there are a few at most.
    for (std::size_t i = 1; i < claims.count; ++i) {
        for (std::size_t at = i; at > 0 && before(claims.all[at], claims.all[at - 1]); --at)
            std::swap(claims.all[at], claims.all[at - 1]);
    }
    claims.verdict = verdict_of(claims);
    HEADWAY_ASSERT(claims.verdict == Severity::kNone || claims.count > 0);
    return claims;
}

Finding finding_of(const SessionState& state, DetectorId id) {
    Finding found;
    for_each_detector(*state.detectors, [&](const auto& detector) {
        using D = std::remove_cvref_t<decltype(detector)>;
        if (kIdOf<D> == id) found = detector.finding(*state.ledger);
    });
    return found;
}

void explain(const SessionState& state, const Claims& claims, Judgement& judgement) {
    HEADWAY_ASSERT(claims.count > 0 && judgement.detectors.empty());
    const DetectorClaim& main = *claims.begin();
    Finding finding = finding_of(state, main.id);
    judgement.detector = name_of(main.id);
    judgement.reason = std::move(finding.reason);
    judgement.evidence = std::move(finding.evidence);
    for (const DetectorClaim& claim : claims) {
        const bool loops =
            claim.severity == Severity::kSuspect || claim.severity == Severity::kStuck;
        if (loops || claim.id == main.id) {
            judgement.detectors.emplace_back(name_of(claim.id));
        }
    }
    HEADWAY_ASSERT(!judgement.detectors.empty());
    HEADWAY_ASSERT(judgement.detectors.front() == judgement.detector && !judgement.reason.empty());
    if (claims.verdict != Severity::kSuspect && claims.verdict != Severity::kStuck) return;
    judgement.loop = loop_name(finding.identity);
    const Thresholds limits = thresholds_of(*state.policy, main.id);
    judgement.confidence = confidence_of(claims, finding, limits, claims.verdict);
    const bool confirmed =
        claims.verdict == Severity::kStuck && main.severity == Severity::kSuspect;
    for (const DetectorClaim& other : claims) {
        if (!confirmed || !confirms(main.kind, other.kind)) continue;
        judgement.reason += "; and " + finding_of(state, other.id).reason;
        break;
    }
}

std::string loop_name(std::uint64_t identity) {
    std::string name = to_hex({0, identity}).substr(16);
    HEADWAY_ASSERT(name.size() == 16);
    return name;
}

}  // namespace headway::core
