#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "core/verdict.hpp"
#include "core/view.hpp"

// Waiting on status instead of a timer: what to wait for, and whether it has come. Pure.

namespace headway::core {

/// A set of verdicts, or "anything new".
struct Until {
    std::bitset<kVerdictCount> verdicts;
    bool any_event = false;  ///< `event`: any event after `after`

    bool contains(Verdict verdict) const {
        return verdicts.test(static_cast<std::size_t>(verdict));
    }
};

/// Parses a comma list of verdicts and of the sets `settled`, `ended`, `event`. Error:
/// kInvalidParameter.
Result<Until> parse_until(std::string_view text);

enum class WaitMode : std::uint8_t {
    kNow,   ///< the verdict as it stands
    kEver,  ///< any verdict since `after`, also one that has passed
};

struct WaitFor {
    Until until;
    WaitMode mode = WaitMode::kNow;
    std::uint64_t after = 0;
};

/// The answer so far: met, or impossible (the session has ended otherwise), or neither.
struct WaitAnswer {
    bool met = false;
    bool impossible = false;
    std::optional<Verdict> matched;  ///< empty for `event`
};

/// Judges the session as `view` shows it. Pure.
WaitAnswer answer(const WaitFor& wait, const SessionView& view);

}  // namespace headway::core
