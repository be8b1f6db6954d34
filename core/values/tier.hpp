// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/fields.hpp"

namespace headway::core {

/// The kind of proof of progress in an event (docs/detection.md, section 4), weakest first. Values
/// are stored: append only.
enum class Tier : std::uint8_t {
    kNone,
    kExternal,       ///< P4: the awaited thing changed
    kInformation,    ///< P3: the first answer to a question
    kAnswerChanged,  ///< P3: the same question answered differently
    kVerification,   ///< P2: after a change, a test has fewer failures than ever, or a new result
    kState,          ///< P1: a path got new content
};
template <>
struct EnumNames<Tier> {
    static constexpr std::array<std::string_view, 6> kNames{
        "none", "external", "information", "answer_changed", "verification", "state"};
};

/// True for P1 and P2, which begin a new epoch and clear suspicions.
constexpr bool is_hard(Tier tier) {
    return tier >= Tier::kVerification;
}

}  // namespace headway::core
