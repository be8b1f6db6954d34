// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/budgets/budget.hpp"

// How much of a cost is known, and texts about costs. Functions change only arguments.

namespace headway::core {

/// Dollars with all significant decimals, at least two: "$1.50".
std::string dollar_text(std::uint64_t micros);

/// How much of the cost of a session and its children is known.
enum class CostKnown : std::uint8_t {
    kNothingYet,  ///< nothing was used yet
    kAll,
    kPart,  ///< some tokens have no known cost
    kNone,
};
template <>
struct EnumNames<CostKnown> {
    static constexpr std::array<std::string_view, 4> kNames{"nothing_yet", "all", "part", "none"};
};

CostKnown known_cost(const BudgetUse& use);
CostKnown known_cost(const BudgetStatus& status);
/// Tokens and cost of the session alone, without its children; steps are left out. The cost is the
/// larger of two sums: the costs that the agent reported, and the reported or estimated costs of
/// all its answers. The sums are not added up, because a cost that is reported without tokens may
/// be for answers that have an estimate.
BudgetUse own_use(const BudgetMeter& meter);

/// The tokens that a usage reports: `tokens`, or the sum of its parts if that is larger.
std::uint64_t tokens_of(const Usage& usage);

/// The cost that the agent reported, in micro-dollars; 0 if the cost was estimated.
std::uint64_t said_micros(const Usage& usage);

/// The cost of the tokens in this usage, in micro-dollars. A reported cost is for all tokens of the
/// answer. Some of these (Usage::known_tokens) may have been reported through the other channel and
/// have a cost already, so the result is a share of the reported cost.
std::uint64_t micros_of_tokens(const Usage& usage);

/// Adds the tokens and the cost of a report to the sums of its channel, including the part that the
/// other channel had already reported. `tokens` is the number of tokens without that part.
void add_channel(ChannelUse& channels, const Usage& usage, std::uint64_t tokens);

/// The sums of hooks and of telemetry, for leave_out_known(). The telemetry of an agent also
/// reports the usage of its sub-agents, whose hooks report it in sessions of their own. So if usage
/// rolls up, the use of these sub-agents is added to the sums of hooks.
ChannelUse channel_use(const SessionState& state);

/// Called for a usage that hooks or telemetry reported: removes the part that the other channel had
/// already reported. Thus the tokens and the cost of the session are the larger of the two sums.
/// Called before the cost is estimated. `all` has the sums before this usage, and is updated to
/// those after it.
void leave_out_known(ChannelUse& all, Usage& usage);

/// True if a cost figure may be shown at all.
bool is_shown(CostKnown known);

/// The value of UseRecord::cost_micros if a part of the cost is unknown.
inline constexpr std::uint64_t kUnknownCost = UINT64_MAX;

/// A sentence about a cap on cost that cannot be enforced fully, such as "the cap of $1.00 cannot
/// hold: no cost is known of 4800000 tokens". Empty if there is no cap, or if the cap can be
/// enforced.
std::string cap_doubt(const BudgetStatus& status);

}  // namespace headway::core
