// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/budgets/budget.hpp"

// How much of a cost is known; texts about that. Pure.

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

/// The tokens that a usage reports. Where the sum of its parts is larger than `tokens`, the sum: a
/// field never hides another.
std::uint64_t tokens_of(const Usage& usage);

/// The cost that the agent said, in micro-dollars; 0 where it was estimated.
std::uint64_t said_micros(const Usage& usage);

/// The cost of the tokens of this usage alone, in millionths: a stated cost is of all tokens of the
/// answer, also of those that are known by the other channel, which have a cost already.
std::uint64_t micros_of_tokens(const Usage& usage);

/// Adds to the sums of a channel all that a report said, also what was known before. `tokens` are
/// those that count.
void add_channel(ChannelUse& channels, const Usage& usage, std::uint64_t tokens);

/// The sums of hooks and of telemetry for leave_out_known(). The telemetry of an agent with hooks
/// has the answers of its sub-agents too, whose hooks report them in sessions of their own: their
/// use counts as reported where it is charged to this session.
ChannelUse channel_use(const SessionState& state);

/// Takes out of a usage that came by hooks or by telemetry what the other of both has reported
/// before, so that tokens and cost of the session are the larger of both sums. Call before the cost
/// is estimated. `all` has the sums before this usage, and then those after it.
void leave_out_known(ChannelUse& all, Usage& usage);

/// True if a cost figure may be shown at all.
bool is_shown(CostKnown known);

/// Stands for the cost in a UseRecord if the whole cost is not known.
inline constexpr std::uint64_t kUnknownCost = UINT64_MAX;

/// A sentence about a cap on cost that cannot be enforced fully, such as "the cap of $1.00 cannot
/// hold: no cost is known of 4800000 tokens". Empty if there is no cap, or no doubt about it.
std::string cap_doubt(const BudgetStatus& status);

}  // namespace headway::core
