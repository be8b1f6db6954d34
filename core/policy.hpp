#pragma once

#include <cstdint>
#include <tuple>

#include "core/fields.hpp"
#include "core/time.hpp"

namespace headway::core {

/// How sure a rule must be before it speaks (DESIGN 5).
enum class Profile : std::uint8_t {
    kBalanced,  ///< a rule makes a session `suspect`; `stuck` needs confirmation
    kStrict,    ///< the literal rules of the first designs: a rule makes it `stuck`
};

/// Thresholds and switches of one session; a value, copied into the session when it opens so that
/// replay does not depend on today's configuration.
struct Policy {
    Profile profile = Profile::kBalanced;
    Millis heartbeat_interval{10'000};  ///< asked of a quiet agent, kHeartbeatIntervalMin..Max
    std::uint32_t heartbeat_limit =
        5;  ///< beats without a state change and without a call in flight, 2..1000

    bool operator==(const Policy&) const = default;
    static constexpr auto fields() {
        return std::tuple{field("profile", &Policy::profile),
                          field("heartbeat_interval", &Policy::heartbeat_interval),
                          field("heartbeat_limit", &Policy::heartbeat_limit)};
    }
};

inline constexpr Millis kHeartbeatIntervalMin{100};
inline constexpr Millis kHeartbeatIntervalMax{3'600'000};
inline constexpr std::uint32_t kHeartbeatLimitMin = 2;
inline constexpr std::uint32_t kHeartbeatLimitMax = 1'000;

}  // namespace headway::core
