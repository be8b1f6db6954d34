// SPDX-License-Identifier: Apache-2.0
#include "core/detection/provider_stop.hpp"

#include <array>
#include <optional>
#include <string>

#include "core/detection/cause_tables.hpp"
#include "core/detection/classify.hpp"
#include "core/detection/rate_limit.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr Millis kWaitOfPlan{3'600'000};

Cause by_status(std::uint64_t status) {
    switch (status) {
        case 401:
        case 403:
        case 407:
            return Cause::kCredentials;
        case 402:
            return Cause::kBilling;
        case 404:
        case 410:
            return Cause::kModelMissing;
        case 408:
        case 425:
        case 499:  // the request was cut off before its end
            return Cause::kNetwork;
        case 413:
            return Cause::kContextFull;
        case 429:
            return Cause::kRateLimit;
        default:
            break;
    }
    if (status >= 600) return Cause::kNone;  // no status of HTTP
    if (status >= 500) return Cause::kOverloaded;
    return status >= 400 ? Cause::kRefused : Cause::kNone;
}

/// A class that is itself a status: "429", "http_503".
std::optional<std::uint64_t> status_of_class(std::string_view error_class) {
    std::string_view digits = error_class;
    while (!digits.empty() && !is_digit(digits.front()))
        digits.remove_prefix(1);
    if (digits.size() != 3 || error_class.size() > 8) return std::nullopt;
    std::uint64_t status = 0;
    for (const char c : digits) {
        if (!is_digit(c)) return std::nullopt;
        status = 10 * status + static_cast<std::uint64_t>(c - '0');
    }
    return status >= 400 && status < 600 ? std::optional{status} : std::nullopt;
}

/// A status in words, where the message has no better ones.
Cause by_status_in(std::string_view message) {
    switch (failure_of_message(message)) {
        case FailureKind::kAuth:
            return Cause::kCredentials;
        case FailureKind::kTransient:
            return message.substr(0, kErrorBytesRead).find("429") == std::string_view::npos
                       ? Cause::kOverloaded
                       : Cause::kRateLimit;
        default:
            return Cause::kNone;
    }
}

/// Words make a vague class or status more exact, but never turn a stop that waiting does not cure
/// into one that passes.
Cause refined(Cause typed, Cause words) {
    const auto rank = [](Cause cause) {
        switch (cause) {
            case Cause::kUsageLimit:
            case Cause::kCredentials:
            case Cause::kBilling:
            case Cause::kModelMissing:
            case Cause::kContextFull:
            case Cause::kCertificate:
                return 3;
            case Cause::kRateLimit:
            case Cause::kNetwork:
                return 2;
            case Cause::kOverloaded:
            case Cause::kRefused:
                return 1;
            default:
                return 0;
        }
    };
    // A status of 403 or 404 is vague among equals: "no credit" and "no such model" say more.
    const bool equal = rank(typed) == 3 && rank(words) == 3;
    return rank(words) > rank(typed) || equal ? words : typed;
}

/// Like cause_of_words(); a rate limit of hours is a limit of the plan, and a limit of the plan
/// that is over at once one of the rate.
Cause limit_in_words(std::string_view message) {
    const Cause words = cause_of_words(message);
    const auto wait = wait_in_words(message);
    if (words == Cause::kUsageLimit && wait == Millis{0}) return Cause::kRateLimit;
    const bool hours = words == Cause::kRateLimit && wait && *wait >= kWaitOfPlan;
    return hours ? Cause::kUsageLimit : words;
}

/// In an error that names a tool: only what keeps any agent from going on.
ProviderStop stop_of_tool(const ErrorReported& error) {
    switch (failure_of_error(error)) {
        case FailureKind::kAuth:
            return {Cause::kCredentials, false};
        case FailureKind::kUnknownTool:
            return {Cause::kTool, false};
        case FailureKind::kNetwork:
            return {Cause::kNetwork, false};  // one may be a mistake of the agent's
        case FailureKind::kTransient: {
            const Cause words = cause_of_words(error.message.kept);
            return {passes(words) ? words : Cause::kOverloaded, false};
        }
        default:
            return {};
    }
}

}  // namespace

ProviderStop stop_of(const ErrorReported& error) {
    const CauseName* known = find_cause_name(error.error_class);
    const auto status = error.status ? error.status : status_of_class(error.error_class);
    const Cause by_code = status ? by_status(*status) : Cause::kNone;
    if (!error.tool.empty()) {
        ProviderStop stop = stop_of_tool(error);
        stop.typed = stop.cause != Cause::kNone && (known != nullptr || by_code != Cause::kNone);
        return stop;
    }
    // A stop that the provider resets at a known time is a limit, whatever else the words say.
    const bool resets =
        known != nullptr && known->cause == Cause::kUsageLimit && error.retry_at != kNever;
    if (known != nullptr && (!known->vague || resets)) return {known->cause, true};
    Cause typed = known != nullptr ? known->cause : Cause::kNone;
    if (by_code != Cause::kNone) {
        const bool vaguer = by_code == Cause::kRefused && !passes(typed);
        typed = known != nullptr && vaguer ? typed : by_code;
        if (known != nullptr && known->cause == Cause::kUsageLimit) typed = known->cause;
    }
    const Cause words = limit_in_words(error.message.kept);
    if (typed != Cause::kNone) return {refined(typed, words), true};
    if (!error.ends_turn && error.retry_at == kNever && is_note(error.message.kept)) return {};
    Cause cause = words != Cause::kNone ? words : by_status_in(error.message.kept);
    if (cause == Cause::kNone && error.retry_at != kNever) cause = Cause::kRateLimit;
    if (cause == Cause::kNone && error.ends_turn) cause = Cause::kUnknown;
    return {cause, error.ends_turn && cause != Cause::kNone};
}

bool is_unexplained(const ErrorReported& error) {
    return error.tool.empty() && find_cause_name(error.error_class) == nullptr &&
           !is_note(error.message.kept) && stop_of(error).cause == Cause::kNone;
}

ProviderStop stop_of_call(FailureKind failure, bool typed, std::string_view message) {
    switch (failure) {
        case FailureKind::kAuth:
            return {Cause::kCredentials, typed};
        case FailureKind::kUnknownTool:
            return {Cause::kTool, typed};
        case FailureKind::kRefused:
            return {Cause::kRefused, typed};
        case FailureKind::kTransient: {
            const Cause words = cause_of_words(message);
            return {passes(words) ? words : Cause::kNetwork, typed};
        }
        default:
            return {};
    }
}

Timestamp retry_in_words(std::string_view message) {
    constexpr std::array<std::string_view, 3> kNames{
        "\"resets_at\":", "\"resetsat\":", "limit reached|"};
    const std::string text = lower(message.substr(0, kErrorBytesRead));
    for (const std::string_view name : kNames) {
        const std::size_t found = text.find(name);
        if (found == std::string::npos) continue;
        std::string_view digits = trimmed(std::string_view{text}.substr(found + name.size()));
        std::int64_t seconds = 0;
        std::size_t count = 0;
        for (; count < digits.size() && count < 11 && is_digit(digits[count]); ++count)
            seconds = 10 * seconds + (digits[count] - '0');
        if (count == 10) return Timestamp{Millis{seconds * 1000}};
    }
    return kNever;
}

Timestamp plausible_retry(Timestamp retry_at, Timestamp now) {
    const bool plausible = retry_at != kNever && retry_at > now && retry_at - now <= kRetryMost;
    return plausible ? retry_at : kNever;
}

}  // namespace headway::core
