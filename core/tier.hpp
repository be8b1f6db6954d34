// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/fields.hpp"

namespace headway::core {

/// What an event proves about progress (detection.md 2.2), weakest first. Values are stored: append
/// only.
enum class Tier : std::uint8_t {
    kNone,
    kExternal,       ///< P4: what is waited for moved
    kInformation,    ///< P3: the first answer to a question
    kAnswerChanged,  ///< P3: the same question answered differently
    kVerification,   ///< P2: fewer failures than ever, or another set of them after a change
    kState,          ///< P1: a path reached a content it never had
};
template <>
struct EnumNames<Tier> {
    static constexpr std::array<std::string_view, 6> kNames{
        "none", "external", "information", "answer_changed", "verification", "state"};
};

/// P1 and P2 end an epoch of progress and let a suspicion go.
constexpr bool is_hard(Tier tier) {
    return tier >= Tier::kVerification;
}

}  // namespace headway::core
