// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lazy_optional.hpp"
#include "core/detectors/detectors.hpp"
#include "core/fold/fold_call.hpp"

namespace headway::core {

/// Passes an event to every detector, with its call if the call counts as evidence. Most open
/// sessions only wait: detectors that their events leave unchanged take no memory.
void show_to_detectors(LazyOptional<Detectors>& detectors, Observation& seen,
                       const CallEvidence& evidence);

}  // namespace headway::core
