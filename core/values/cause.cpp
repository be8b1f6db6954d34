// SPDX-License-Identifier: Apache-2.0
#include "core/values/cause.hpp"

#include <chrono>

namespace headway::core {

std::string_view phrase_of(Cause cause) {
    switch (cause) {
        case Cause::kUsageLimit:
            return "the usage limit is reached";
        case Cause::kRateLimit:
            return "the provider limits the rate of requests";
        case Cause::kOverloaded:
            return "the provider is overloaded or fails";
        case Cause::kCredentials:
            return "credentials or permission are missing or have expired";
        case Cause::kBilling:
            return "the account has no credit";
        case Cause::kModelMissing:
            return "the model does not exist or is not allowed for this account";
        case Cause::kContextFull:
            return "the context of the model is full";
        case Cause::kNetwork:
            return "the network or the stream fails";
        case Cause::kCertificate:
            return "the provider's certificate is not trusted";
        case Cause::kRefused:
            return "the model's API refuses the request";
        case Cause::kUnknown:
            return "the turn ended with an error";
        case Cause::kPerson:
            return "waits for a person";
        case Cause::kTool:
            return "a tool that the agent calls is not available";
        case Cause::kNone:
            break;
    }
    return {};
}

std::string minute_text(Timestamp at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::minutes>(at - day)};
    const auto two = [](auto number) {
        const std::string digits = std::to_string(number);
        return digits.size() < 2 ? "0" + digits : digits;
    };
    return std::to_string(static_cast<int>(date.year())) + "-" +
           two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
           " " + two(time.hours().count()) + ":" + two(time.minutes().count()) + " UTC";
}

}  // namespace headway::core
