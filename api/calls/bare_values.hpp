// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::api {

/// True if a short answer consists of addresses, times, dates or UUIDs alone: "0x401004 in main
/// ()", "00:01:20", {"slot":"2026-12-07T10:00:00Z"}. Such a value is the information that the call
/// requested, not a volatile part of an answer. False for the answer of a clock, and for sentences
/// that contain a time. If `uuids` is true, UUIDs are included, although most UUIDs are new with
/// each call.
bool is_bare_value(std::string_view answer, bool uuids);

/// True for a tool or a command that takes the next of several items: `next_customer`,
/// `get_ticket`, `redis-cli LPOP jobs`.
bool asks_for_next(std::string_view tool, std::string_view args, std::string_view command);

/// True for words with which a tool or a command requests the time or a random value.
bool asks_a_clock(std::string_view words);

}  // namespace headway::api
