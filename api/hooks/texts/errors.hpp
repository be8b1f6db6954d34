// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"
#include "core/base/time.hpp"

// Errors in hooks: classes, statuses and the time at which a provider takes requests
// again. Nothing is classified here; that is core/cause. Internal to the dialects; pure.

namespace headway::api::hooks {

/// A point in time: a text of RFC 3339, or a number of seconds or milliseconds since 1970. kNever
/// for anything else.
core::Timestamp time_of(JsonValue value);
/// The same of digits.
core::Timestamp time_of_digits(std::string_view digits);

/// A status of HTTP, 400 to 599, among these members; empty without one.
std::optional<std::uint64_t> status_in(JsonValue object);

/// The status that stands in words at their beginning: "API Error: 529 ...", "429 ...".
std::optional<std::uint64_t> status_in_words(std::string_view words);

/// Sets Hook::retry_at, or else Hook::retry_after_ms, from the members that agents and providers
/// have for it; looks into `error`, `data`, `details`, `headers` and the like, not deeper than
/// that.
void read_reset(JsonValue object, Hook& hook);

/// `error`: a text, or an object with class, message, status and reset. Words and class that are
/// there already stay.
void read_error(JsonValue error, Hook& hook);

}  // namespace headway::api::hooks
