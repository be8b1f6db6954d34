// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::api {

/// True if a short answer consists of addresses, times, dates or UUIDs alone: "0x401004 in main
/// ()", "00:01:20", {"slot":"2026-12-07T10:00:00Z"}. Such a value is what was asked for, not a
/// volatile part of an answer. False for the answer of a clock, and for sentences with a time in
/// them. `uuids`: UUIDs count too, although most are new with each call.
bool is_bare_value(std::string_view answer, bool uuids);

/// True for a tool, or a command, that takes one thing after another: `next_customer`,
/// `get_ticket`, `redis-cli LPOP jobs`.
bool asks_for_next(std::string_view tool, std::string_view args, std::string_view command);

/// True for a tool or a command that asks what time it is, or for a random value.
bool asks_a_clock(std::string_view words);

}  // namespace headway::api
