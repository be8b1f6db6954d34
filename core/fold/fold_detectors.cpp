// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold_detectors.hpp"

#include <utility>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

void show_all(Detectors& detectors, Observation& seen, const CallEvidence& evidence) {
    HEADWAY_ASSERT(seen.call == nullptr);
    if (!evidence.counts) {
        for_each_detector(detectors, [&seen](auto& detector) { detector.observe(seen); });
        return;
    }
    const CallSeen call{std::get<ToolFinished>(seen.event.payload),
                        evidence.fingerprint,
                        evidence.entry,
                        evidence.patience,
                        evidence.neutral,
                        evidence.slept,
                        evidence.rested,
                        evidence.overran};
    HEADWAY_ASSERT(call.patience >= 1 && seen.ledger.back(0)->n == seen.event.n);
    seen.call = &call;
    for_each_detector(detectors, [&seen](auto& detector) { detector.observe(seen); });
    seen.call = nullptr;
}

}  // namespace

void show_to_detectors(LazyOptional<Detectors>& detectors, Observation& seen,
                       const CallEvidence& evidence) {
    if (detectors.has_value()) return show_all(detectors.change(), seen, evidence);
    Detectors first;
    show_all(first, seen, evidence);
    if (first != Detectors{}) detectors.change() = std::move(first);
}

}  // namespace headway::core
