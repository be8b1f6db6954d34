// SPDX-License-Identifier: Apache-2.0
#include "core/detection/rate_limit.hpp"

#include <array>
#include <string>

#include "core/detection/classify.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kTooManyRequests = 429;
constexpr std::uint64_t kOverloaded = 529;  // non-standard code of some providers
constexpr std::size_t kMessageBytesRead = 1024;

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

}  // namespace headway::core
