// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_signature.hpp"

#include <algorithm>

#include "core/base/limits.hpp"
#include "core/text/base64.hpp"
#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::string_view kSpace = " \t\r";

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

core::Result<> take_word(std::string_view word, std::vector<std::string>& secrets) {
    const auto bytes = word.starts_with(kSecretPrefix)
                           ? core::from_base64(word.substr(kSecretPrefix.size()))
                           : std::nullopt;
    if (!bytes) {
        return mistake("secret " + std::to_string(secrets.size() + 1) +
                       " is not \"whsec_\" and base64; `headway webhooks secret` makes one");
    }
    if (bytes->size() < limits::kWebhookSecretBytesMin ||
        bytes->size() > limits::kWebhookSecretBytesMax) {
        return mistake("secret " + std::to_string(secrets.size() + 1) + " has " +
                       std::to_string(bytes->size()) +
                       " bytes, it must have 24 to 64; `headway webhooks secret` makes one");
    }
    secrets.push_back(*bytes);
    return {};
}

}  // namespace

core::Result<std::vector<std::string>> parse_webhook_secrets(std::string_view text) {
    std::vector<std::string> secrets;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with('#')) continue;
        while (true) {
            const std::size_t begin = line.find_first_not_of(kSpace);
            if (begin == std::string_view::npos) break;
            const std::size_t stop = std::min(line.find_first_of(kSpace, begin), line.size());
            HEADWAY_CHECK(take_word(line.substr(begin, stop - begin), secrets));
            line.remove_prefix(stop);
        }
    }
    if (secrets.empty()) return mistake("there is no secret; `headway webhooks secret` makes one");
    if (secrets.size() > limits::kWebhookSecretsMax)
        return mistake("there are more than 4 secrets");
    return secrets;
}

std::string webhook_signature(std::span<const std::string> secrets, std::string_view id,
                              std::int64_t seconds, std::string_view body) {
    std::string content{id};
    content.append(".").append(std::to_string(seconds)).append(".").append(body);
    std::string header;
    for (const std::string& secret : secrets) {
        header += header.empty() ? "v1," : " v1,";
        header += core::to_base64(keyed_hash(secret, content));
    }
    return header;
}

}  // namespace headway::server
