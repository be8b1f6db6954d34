// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.hpp"
#include "core/meters/budget_meter.hpp"

// The number of sub-agents of one session, and its limits (docs/detection.md, section 11).
// Sub-agents are the sessions that a session has opened, and their sub-agents.

namespace headway::core {

/// The consequence of too many sub-agents, in addition to the alarm and the advice.
enum class OnFanOut : std::uint8_t {
    kAlert,  ///< no further consequence: a person sees the alarm
    kAsk,    ///< a person is asked, and the session is blocked until the answer
    kStop,   ///< the session gets a directive to stop
};
template <>
struct EnumNames<OnFanOut> {
    static constexpr std::array<std::string_view, 3> kNames{"alert", "ask", "stop"};
};

/// The limits of every session; 0 = none. No session can change them.
struct FanOutRules {
    std::uint32_t at_once = 16;  ///< open descendants, at most limits::kChildrenMax
    std::uint32_t in_all = 200;  ///< all descendants so far
    std::uint32_t depth = 4;     ///< levels of descendants
    OnFanOut on_exceeded = OnFanOut::kAlert;
    bool operator==(const FanOutRules&) const = default;
};

/// The descendants of a session, as recorded by its meter. Pure.
FanOut fan_out_of(const BudgetMeter& meter);

/// How far a count exceeds its limit: 0 = within the limit, 1 = above it, 2 = above twice the
/// limit, 3 = above four times the limit, and so on. Pure.
std::uint32_t excess(std::uint64_t count, std::uint32_t limit);

/// True if the session is to be notified: excess() has grown for `open` or `all`, or `depth` has
/// grown and exceeds its limit. Pure.
bool exceeds_anew(const FanOut& before, const FanOut& now, const FanOutRules& rules);

/// The count that exceeds its limit, for people: "20 sub-agents at once, more than 16". Empty if no
/// count exceeds its limit. Pure.
std::string excess_words(const FanOut& now, const FanOutRules& rules);

/// The count that exceeds its limit, as advice to the model. Pure.
std::string excess_advice(const FanOut& now, const FanOutRules& rules);

/// The question to a person under OnFanOut::kAsk. Pure.
std::string excess_question(const FanOut& now, const FanOutRules& rules);

}  // namespace headway::core
