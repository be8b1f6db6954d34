// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lazy_optional.hpp"
#include "core/detectors/detectors.hpp"
#include "core/fold/fold_call.hpp"

namespace headway::core {

/// Shows an event to every detector, with its call if that counts as evidence. Most sessions that
/// are open wait: what their events leave as it was takes no memory.
void show_to_detectors(LazyOptional<Detectors>& detectors, Observation& seen,
                       const CallEvidence& evidence);

}  // namespace headway::core
