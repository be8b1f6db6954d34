// SPDX-License-Identifier: Apache-2.0
#include "core/detection/rate_limit.hpp"

#include <array>
#include <string>

#include "core/detection/classify.hpp"
#include "core/detection/provider_stop.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kTooManyRequests = 429;
constexpr std::uint64_t kOverloaded = 529;  // non-standard code of some providers
constexpr std::size_t kMessageBytesRead = 1024;

/// The unit that begins here, in milliseconds; 0: none. Its letters are removed.
std::int64_t take_unit(std::string_view& text) {
    struct Unit {
        std::string_view word;
        std::int64_t millis;
    };
    constexpr std::array<Unit, 14> kUnits{{{"d", 86'400'000},
                                           {"day", 86'400'000},
                                           {"days", 86'400'000},
                                           {"h", 3'600'000},
                                           {"hr", 3'600'000},
                                           {"hour", 3'600'000},
                                           {"hours", 3'600'000},
                                           {"m", 60'000},
                                           {"min", 60'000},
                                           {"minute", 60'000},
                                           {"minutes", 60'000},
                                           {"s", 1'000},
                                           {"second", 1'000},
                                           {"seconds", 1'000}}};
    while (text.starts_with(' '))
        text.remove_prefix(1);
    std::size_t letters = 0;
    while (letters < text.size() && is_letter(text[letters]))
        ++letters;
    for (const Unit& unit : kUnits) {
        if (unit.word != text.substr(0, letters)) continue;
        text.remove_prefix(letters);
        return unit.millis;
    }
    return 0;
}

/// "15 hours 23 minutes", "2h39m52s" at the beginning; nothing: no such time.
std::optional<Millis> leading_wait(std::string_view text) {
    constexpr std::size_t kPartsMax = 4;
    constexpr std::size_t kDigitsMax = 7;
    std::int64_t sum = 0;
    bool found = false;
    for (std::size_t part = 0; part < kPartsMax; ++part) {
        while (text.starts_with(' ') || text.starts_with(','))
            text.remove_prefix(1);
        if (text.starts_with("and ")) text.remove_prefix(4);
        std::int64_t number = 0;
        std::size_t digits = 0;
        for (; digits < text.size() && digits < kDigitsMax && is_digit(text[digits]); ++digits)
            number = 10 * number + (text[digits] - '0');
        if (digits == 0) break;
        text.remove_prefix(digits);
        if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) {
            ++number;  // a part more is later, and no request comes too early
            text.remove_prefix(1);
            while (!text.empty() && is_digit(text[0]))
                text.remove_prefix(1);
        }
        const std::int64_t unit = take_unit(text);
        if (unit == 0) break;
        sum += number * unit;
        found = true;
    }
    return found ? std::optional{Millis{sum}} : std::nullopt;
}

/// So many digits at the beginning, removed; nothing if there are fewer.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i >= text.size() || !is_digit(text[i])) return std::nullopt;
        number = 10 * number + (text[i] - '0');
    }
    text.remove_prefix(count);
    return number;
}

bool take_one(std::string_view& text, std::string_view letters) {
    if (text.empty() || letters.find(text[0]) == letters.npos) return false;
    text.remove_prefix(1);
    return true;
}

/// "2026-12-01t05:00:00z" at the beginning, in lower case; kNever: no such time. Another zone than
/// UTC is none.
Timestamp leading_time(std::string_view text) {
    const auto year = take_digits(text, 4);
    const bool dash = take_one(text, "-");
    const auto month = take_digits(text, 2);
    const bool dash_again = take_one(text, "-");
    const auto day = take_digits(text, 2);
    const bool begins_time = take_one(text, "t ");
    const auto hour = take_digits(text, 2);
    const bool colon = take_one(text, ":");
    const auto minute = take_digits(text, 2);
    const bool has_second = take_one(text, ":");
    const auto second = has_second ? take_digits(text, 2) : std::optional{0};
    if (take_one(text, "."))
        while (!text.empty() && is_digit(text[0]))
            text.remove_prefix(1);
    if (text.starts_with(" utc")) text = "z";
    if (!text.starts_with('z') && !text.starts_with("+00:00")) return kNever;
    if (!dash || !dash_again || !begins_time || !colon || !year || !month || !day || !hour ||
        !minute || !second)
        return kNever;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return kNever;
    return Timestamp{std::chrono::sys_days{date} + std::chrono::hours{*hour} +
                     std::chrono::minutes{*minute} + std::chrono::seconds{*second}};
}

/// The time that words about a reset give with its date and zone; kNever: none.
Timestamp time_in_words(std::string_view message) {
    constexpr std::array<std::string_view, 6> kNames{"resets at ", "reset at ",     "resets on ",
                                                     "reset on ",  "try again at ", "retry at "};
    const std::string text = lower(message.substr(0, kMessageBytesRead));
    for (const std::string_view name : kNames) {
        const std::size_t found = text.find(name);
        if (found == std::string::npos) continue;
        const Timestamp at = leading_time(std::string_view{text}.substr(found + name.size()));
        if (at != kNever) return at;
    }
    return kNever;
}

}  // namespace

bool is_rate_limit(std::string_view error_class, std::optional<std::uint64_t> status,
                   std::string_view message) {
    if (!error_class.empty()) {
        static constexpr std::array<std::string_view, 3> kNames{"ratelimit", "toomanyrequests",
                                                                "overload"};
        std::string name;
        for (char c : error_class) {
            if (is_letter(c)) name.push_back(lower(c));
        }
        if (mentions(name, kNames)) return true;
        if (failure_of_class(error_class) != FailureKind::kNone) return false;
    }
    if (status) return *status == kTooManyRequests || *status == kOverloaded;
    if (failure_of_message(message) != FailureKind::kTransient) return false;
    static constexpr std::array<std::string_view, 6> kPhrases{
        "429", "529", "too many requests", "rate limit", "rate_limit", "overloaded"};
    return mentions(lower(message.substr(0, kMessageBytesRead)), kPhrases);
}

std::optional<Millis> wait_in_words(std::string_view message) {
    constexpr std::array<std::string_view, 8> kNames{"try again in ", "retry after ", "retry in ",
                                                     "retrying in ",  "resets in ",   "reset in ",
                                                     "resets after ", "reset after "};
    const std::string text = lower(message.substr(0, kMessageBytesRead));
    for (const std::string_view name : kNames) {
        const std::size_t found = text.find(name);
        if (found == std::string::npos) continue;
        const auto wait = leading_wait(std::string_view{text}.substr(found + name.size()));
        if (wait && *wait <= kRetryMost) return wait;
    }
    return std::nullopt;
}

Timestamp retry_of(const ErrorReported& error, Timestamp now) {
    if (error.retry_at != kNever) return plausible_retry(error.retry_at, now);
    const Timestamp named = retry_in_words(error.message.kept);
    if (named != kNever) return plausible_retry(named, now);
    const Timestamp dated = time_in_words(error.message.kept);
    if (dated != kNever) return plausible_retry(dated, now);
    const Cause cause = stop_of(error).cause;
    if (cause != Cause::kUsageLimit && cause != Cause::kRateLimit) return kNever;
    const auto wait = wait_in_words(error.message.kept);
    return wait ? now + *wait : kNever;
}

}  // namespace headway::core
