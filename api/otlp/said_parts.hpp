// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "api/otlp/said.hpp"

// Readers for parts of a record that have different names in different conventions. Internal to
// said.cpp; functions change only arguments.

namespace headway::api::otlp {

inline constexpr std::array<std::string_view, 6> kCallIds{
    "gen_ai.tool.call.id", "tool_use_id",  "call_id",
    "tool_call.id",        "tool.call_id", "ai.toolCall.id"};

/// The value of the first of these attributes that is neither empty nor "null"; empty if there is
/// none.
std::string_view first_of(const Attributes& attributes, std::span<const std::string_view> names);
inline std::string_view first_of(const Attributes& attributes,
                                 std::initializer_list<std::string_view> names) {
    return first_of(attributes, std::span{names.begin(), names.size()});
}

/// The tokens of an answer, as the record writes them.
std::string figures_of(const Attributes& attributes);

/// The type of the error with which a span's operation failed; empty if the operation did not fail.
/// Conventions set this attribute only on failure, even if the status stays UNSET.
std::string_view error_type(const Attributes& attributes);

/// If the record names a tool, sets `entry.call` and makes `entry` a kCall.
void read_call(const Record& record, Said& entry);

/// Sets the class and the status of a kError. False if the record has no status of 400 or more.
bool read_error(const Attributes& attributes, Said& entry);

/// Sets `entry.usage` and `entry.beyond`. False if the record has neither tokens nor cost.
bool read_usage(const Attributes& attributes, Said& entry);

}  // namespace headway::api::otlp
