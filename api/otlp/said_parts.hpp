// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "api/otlp/said.hpp"

// The parts of a record that have several names. Internal to said.cpp; pure.

namespace headway::api::otlp {

inline constexpr std::array<std::string_view, 6> kCallIds{
    "gen_ai.tool.call.id", "tool_use_id",  "call_id",
    "tool_call.id",        "tool.call_id", "ai.toolCall.id"};

/// The first that is there and not empty, or empty.
std::string_view first_of(const Attributes& attributes, std::span<const std::string_view> names);
inline std::string_view first_of(const Attributes& attributes,
                                 std::initializer_list<std::string_view> names) {
    return first_of(attributes, std::span{names.begin(), names.size()});
}

/// Fills `said.call` and makes it a kCall, if the record names a tool.
void read_call(const Record& record, Said& entry);

/// Fills class and status of a kError. False if the record names no status of 400 or more.
bool read_error(const Attributes& attributes, Said& entry);

/// Fills `said.usage` and says whether it is `beyond`. False if the record says nothing of tokens
/// and cost.
bool read_usage(const Attributes& attributes, Said& entry);

}  // namespace headway::api::otlp
