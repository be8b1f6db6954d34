// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "core/time.hpp"
#include "core/verdict.hpp"
#include "core/watch.hpp"

// The timers that status replaces (first design "Migration Strategy"): off, watched to compare, or
// in force.

namespace headway::core {

enum class LegacyMode : std::uint8_t {
    kOff,
    kObserve,  ///< note when the timer would have killed the session
    kEnforce,  ///< and end it then
};
template <>
struct EnumNames<LegacyMode> {
    static constexpr std::array<std::string_view, 3> kNames{"off", "observe", "enforce"};
};

/// The timers, as the session was opened under them; 0 = there is no such timer.
struct LegacyTimeouts {
    LegacyMode mode = LegacyMode::kOff;
    Millis session{300'000};  ///< from its opening to its end
    Millis tool{60'000};      ///< of one call
    bool fallback = false;    ///< enforce the session's timer on one that went silent
    bool operator==(const LegacyTimeouts&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("mode", &LegacyTimeouts::mode), field("session", &LegacyTimeouts::session),
            field("tool", &LegacyTimeouts::tool), field("fallback", &LegacyTimeouts::fallback));
    }
};

/// The moment at which a timer would have killed a session, and what was known of it then.
struct LegacyKill {
    std::string timer;  ///< "session" or "tool"
    std::string tool;   ///< whose call took too long
    Timestamp at = kNever;
    std::uint64_t n = 0;  ///< the last event before it
    Verdict verdict = Verdict::kStarting;
    bool operator==(const LegacyKill&) const = default;
    static constexpr auto fields() {
        return field_list(field("timer", &LegacyKill::timer), field("tool", &LegacyKill::tool),
                          field("at", &LegacyKill::at), field("n", &LegacyKill::n),
                          field("verdict", &LegacyKill::verdict));
    }
};

struct SessionState;

/// Notes in `state`, which has all events before `now` in it, what the timers would have done by
/// then: the first kill by each, at most two. Nothing when the mode is off. Called by the fold.
void note_legacy_kills(SessionState& state, Timestamp now);

/// When the session's timer is to end the session, or kNever: with mode `enforce`, or with
/// `fallback` once it is silent. Time before Watch::since() counts, but the agent gets two of its
/// intervals after it to show itself. Pure.
Timestamp legacy_end(const SessionState& state, const Watch& watch);

/// Both views of one session side by side.
struct Comparison {
    LegacyTimeouts timers;
    /// What the timers would have done up to `now`, the first first.
    std::vector<LegacyKill> kills;
    Millis ran{0};  ///< from the opening to the end, or to now
    bool ended = false;
    bool saved = false;  ///< it would have been killed, and it completed
    std::string summary;
};

/// Pure.
Comparison compare(const SessionState& state, Timestamp now);

}  // namespace headway::core
