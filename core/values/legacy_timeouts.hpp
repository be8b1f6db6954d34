// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/values/verdict.hpp"

// The timers that status-based supervision replaces (api/API.md, "comparison"): off, observed for
// comparison, or enforced.

namespace headway::core {

enum class LegacyMode : std::uint8_t {
    kOff,
    kObserve,  ///< record when the timer would have killed the session
    kEnforce,  ///< end the session when the timer expires
};
template <>
struct EnumNames<LegacyMode> {
    static constexpr std::array<std::string_view, 3> kNames{"off", "observe", "enforce"};
};

/// The timers in force at the session's opening; 0 = none.
struct LegacyTimeouts {
    LegacyMode mode = LegacyMode::kOff;
    Millis session{300'000};  ///< longest time from the opening to the end
    Millis tool{60'000};      ///< longest time of one call
    bool fallback = false;    ///< enforce the session's timer on a silent session
    bool operator==(const LegacyTimeouts&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("mode", &LegacyTimeouts::mode), field("session", &LegacyTimeouts::session),
            field("tool", &LegacyTimeouts::tool), field("fallback", &LegacyTimeouts::fallback));
    }
};

/// A kill that a timer would have made, and the facts known at the time of that kill.
struct LegacyKill {
    std::string timer;  ///< "session" or "tool"
    std::string tool;   ///< tool of the call that took too long
    Timestamp at = kNever;
    std::uint64_t n = 0;  ///< number of the last event before the kill
    Verdict verdict = Verdict::kStarting;
    bool operator==(const LegacyKill&) const = default;
    static constexpr auto fields() {
        return field_list(field("timer", &LegacyKill::timer), field("tool", &LegacyKill::tool),
                          field("at", &LegacyKill::at), field("n", &LegacyKill::n),
                          field("verdict", &LegacyKill::verdict));
    }
};

}  // namespace headway::core
