// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lazy_optional.hpp"
#include "core/detectors/detectors.hpp"
#include "core/fold/fold_call.hpp"

namespace headway::core {

/// Passes an event to every detector, with its call if the call counts as evidence. If the event
/// changes no detector, no detectors are allocated: most open sessions only wait, and their
/// detectors take no memory.
void show_to_detectors(LazyOptional<Detectors>& detectors, Observation& seen,
                       const CallEvidence& evidence);

}  // namespace headway::core
