#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event.hpp"
#include "core/policy.hpp"

namespace headway::core {

/// How much a detector claims (detection.md 2.3, 2.5).
enum class Rung : std::uint8_t { kSlow, kSuspect, kStuck };

/// What a detector says about the session as it stands.
struct Finding {
    Rung rung = Rung::kSuspect;
    std::string_view detector;            ///< its kName
    std::string reason;                   ///< one sentence, without quoting the agent's call
    std::vector<std::uint64_t> evidence;  ///< event numbers, at most limits::kEvidenceMax
};

/// An event together with what the fold knows around it, so that detectors need not look into the
/// session.
struct Observation {
    const Event& event;
    bool call_in_flight = false;  ///< a call is open after this event, or the beat itself says so
    bool phase_changed = false;
    bool work_moved = false;  ///< the beat's in-flight counter differs from the last one
    bool state_change = false;
};

/// The one interface of all detectors: a value in the session's state, fed with every event by the
/// fold (so replay reproduces it), asked for its finding by the lattice. Constant memory, O(1)
/// amortised an event, no clock. A new detector is a file `<name>.hpp/.cpp` and a line in
/// `Detectors`.
template <class D>
concept Detector = Described<D> && std::equality_comparable<D> &&
    requires(D detector, const Observation& seen, const Policy& policy) {
    { D::kName } -> std::convertible_to<std::string_view>;
    detector.observe(seen);
    { std::as_const(detector).finding(policy) } -> std::same_as<std::optional<Finding>>;
};

}  // namespace headway::core
