// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headway::core {

/// The known name nearest to the mistyped `word`, or empty if more than a third of its letters
/// differ. In a short word, one letter may differ. Two swapped neighbouring letters count as one
/// change. Returns an element of `known`. Pure.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// "; did you mean `x`?" for the nearest name, or "". Pure.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace headway::core
