// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/errors.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/hooks/read.hpp"
#include "api/json/canonical_json.hpp"
#include "api/text/timestamp.hpp"

namespace headway::api::hooks {
namespace {

using core::Millis;
using core::Timestamp;

/// Larger numbers are milliseconds since 1970, smaller ones seconds.
constexpr std::uint64_t kSecondsMost = 100'000'000'000;
/// The year 2286: later ones are no time.
constexpr std::uint64_t kMillisMost = 9'999'999'999'999;
/// A month: what lasts longer is no wait.
constexpr std::uint64_t kAfterMost = 31ULL * 24 * 3'600'000;
/// Objects in objects that are looked into: payload, data, error, details, metadata.
constexpr int kDepthMax = 5;

constexpr std::array<std::string_view, 12> kTimes{"retry_at",
                                                  "resetsAt",
                                                  "resets_at",
                                                  "reset_at",
                                                  "resetAt",
                                                  "quotaResetTimeStamp",
                                                  "next",
                                                  "resetTime",
                                                  "x-codex-primary-reset-at",
                                                  "anthropic-ratelimit-unified-reset",
                                                  "x-ratelimit-reset",
                                                  "x-ratelimit-reset-requests"};
constexpr std::array<std::string_view, 5> kSeconds{"retry-after", "retry_after", "retryAfter",
                                                   "resets_in_seconds", "retryDelay"};
constexpr std::array<std::string_view, 4> kMilliseconds{"retry-after-ms", "retry_after_ms",
                                                        "retryAfterMs", "retryDelayMs"};
constexpr std::array<std::string_view, 10> kInside{
    "error",    "data",        "details",     "metadata",        "headers",
    "response", "quotaLimits", "rate_limits", "responseHeaders", "cause"};
constexpr std::array<std::string_view, 4> kStatuses{"status", "statusCode", "status_code", "code"};

Timestamp time_of_count(std::uint64_t count) {
    const std::uint64_t millis = count > kSecondsMost ? count : count * 1'000;
    if (count == 0 || millis > kMillisMost) return core::kNever;
    return Timestamp{Millis{static_cast<std::int64_t>(millis)}};
}

/// "35181.2s", "35181", 35181.2
std::optional<double> number_of(JsonValue value) {
    if (value.kind() == JsonKind::kUnsigned || value.kind() == JsonKind::kNumber)
        return value.number();
    if (value.kind() != JsonKind::kString) return std::nullopt;
    const std::string_view text = value.text();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    if (!unit.empty() && unit != "s") return std::nullopt;  // a date of HTTP, or a format unknown
    return number;
}

void note_after(std::optional<double> number, double factor, Hook& hook) {
    if (!number || hook.retry_after_ms) return;
    const double millis = *number * factor;
    if (millis > 0 && millis <= static_cast<double>(kAfterMost))
        hook.retry_after_ms = static_cast<std::uint64_t>(millis);
}

void read_reset_in(JsonValue object, Hook& hook, int depth) {
    for (const std::string_view name : kTimes) {
        const auto found = member(object, name);
        // The latest of several windows holds.
        if (found) hook.retry_at = std::max(hook.retry_at, time_of(*found));
    }
    for (const std::string_view name : kMilliseconds)
        if (const auto found = member(object, name)) note_after(number_of(*found), 1, hook);
    for (const std::string_view name : kSeconds)
        if (const auto found = member(object, name)) note_after(number_of(*found), 1'000, hook);
    if (depth == 0) return;
    for (const std::string_view name : kInside) {
        const auto found = member(object, name);
        if (!found) continue;
        if (found->kind() == JsonKind::kObject) read_reset_in(*found, hook, depth - 1);
        if (found->kind() != JsonKind::kArray) continue;
        found->each([&](JsonValue item) {
            if (item.kind() == JsonKind::kObject) read_reset_in(item, hook, depth - 1);
            return true;
        });
    }
}

}  // namespace

Timestamp time_of(JsonValue value) {
    Timestamp at = core::kNever;
    if (value.kind() == JsonKind::kString) {
        if (parse_timestamp(value.text(), at)) return at;
        return time_of_digits(value.text());
    }
    if (value.kind() == JsonKind::kUnsigned) return time_of_count(value.unsigned_integer());
    if (value.kind() != JsonKind::kNumber) return core::kNever;
    const double number = value.number();
    const bool fits = number > 0 && number <= static_cast<double>(kMillisMost);
    return fits ? time_of_count(static_cast<std::uint64_t>(number)) : core::kNever;
}

Timestamp time_of_digits(std::string_view digits) {
    std::uint64_t count = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, count);
    const bool whole = !digits.empty() && read.ec == std::errc{} && read.ptr == end;
    return whole ? time_of_count(count) : core::kNever;
}

std::optional<std::uint64_t> status_in(JsonValue object) {
    for (const std::string_view name : kStatuses) {
        const auto found = count_in(object, name);
        if (found && *found >= 400 && *found < 600) return found;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> status_in_words(std::string_view words) {
    constexpr std::array<std::string_view, 5> kBefore{
        "API Error: ", "[API Error: ", "Error: ", "HTTP ", ""};
    for (const std::string_view label : kBefore) {
        const auto status = number_after(words, label);
        if (status && *status >= 400 && *status < 600) return status;
    }
    return std::nullopt;
}

void read_reset(JsonValue object, Hook& hook) {
    read_reset_in(object, hook, kDepthMax);
}

void read_error(JsonValue error, Hook& hook) {
    if (error.kind() == JsonKind::kString && hook.text.empty()) hook.text = error.redacted_text();
    if (error.kind() != JsonKind::kObject) return;
    if (hook.text.empty()) hook.text = text_in(error, "message");
    for (const std::string_view name : {"type", "code", "name", "errorType"})
        if (hook.error_class.empty()) hook.error_class = phrase_in(error, name);
    if (!hook.status) hook.status = status_in(error);
    read_reset(error, hook);
}

}  // namespace headway::api::hooks
