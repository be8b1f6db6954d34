// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"
#include "core/base/time.hpp"

// Errors in hooks: classes, statuses and the time at which a provider accepts requests again.
// core/detection/provider_stop.hpp classifies the errors. Internal to the dialects; functions
// change only arguments.

namespace headway::api::hooks {

/// A point in time: a text of RFC 3339, or a number of seconds or milliseconds since 1970. kNever
/// for anything else.
core::Timestamp time_of(JsonValue value);
/// time_of() for digits.
core::Timestamp time_of_digits(std::string_view digits);

/// An HTTP status, 400 to 599, among the members of `object`; empty without one.
std::optional<std::uint64_t> status_in(JsonValue object);

/// The HTTP status at the beginning of `words`: "API Error: 529 ...", "429 ...".
std::optional<std::uint64_t> status_in_words(std::string_view words);

/// Sets Hook::retry_at and Hook::retry_after_ms from the retry times that agents and providers
/// report. Also looks into members such as `error`, `data`, `details` and `headers`, up to five
/// levels deep.
void read_reset(JsonValue object, Hook& hook);

/// Reads `error`: a text, or an object with class, message, status and reset. If Hook::text and
/// Hook::error_class are already set, they are kept.
void read_error(JsonValue error, Hook& hook);

}  // namespace headway::api::hooks
