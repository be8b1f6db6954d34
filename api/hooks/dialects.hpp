// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/hooks/dialect.hpp"

// One constant for each dialect, defined in the source file of the same name. Other code calls
// find_dialect().

namespace headway::api::hooks {

extern const Dialect kClaude;
extern const Dialect kCline;
extern const Dialect kCodex;
extern const Dialect kCopilot;
extern const Dialect kGemini;
extern const Dialect kGeneric;
extern const Dialect kQwen;

/// The longest wait of hooks that are installed with a time limit of one day: the reply must arrive
/// before that limit.
inline constexpr core::Millis kHoldOfADay{86'400'000 - 60'000};

}  // namespace headway::api::hooks
