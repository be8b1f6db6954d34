// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_target.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "api/text/plain_text.hpp"
#include "config/settings/address.hpp"
#include "config/values/read_file.hpp"
#include "core/base/limits.hpp"
#include "core/redaction/sanitize.hpp"
#include "core/text/words.hpp"
#include "system/http_call.hpp"

namespace headway::server {
namespace {

/// A shorter header value is a word or a number, not a secret; its removal would spoil the text.
constexpr std::size_t kSecretHeaderBytesMin = 8;

/// True without characters that could end a header line and begin another.
bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
}

/// True for plain HTTP to another machine. libcurl refuses an invalid URL.
bool is_readable_on_its_way(const std::string& url) {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts{curl_url(), curl_url_cleanup};
    if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
        return false;
    const auto part = [&](CURLUPart which) {
        char* text = nullptr;
        if (curl_url_get(parts.get(), which, &text, 0) != CURLUE_OK) return std::string{};
        std::string copy{text};
        curl_free(text);
        return copy;
    };
    const std::string host = part(CURLUPART_HOST);
    return part(CURLUPART_SCHEME) == "http" && host != "localhost" && host != "[::1]" &&
           !config::is_loopback_ipv4(host);
}

}  // namespace

JudgeTarget::JudgeTarget(config::JudgeEndpoint endpoint, const Report& report)
    : endpoint_(std::move(endpoint)), url_(endpoint_.base_url) {
    while (url_.ends_with('/'))
        url_.pop_back();
    url_ += "/chat/completions";
    headers_.emplace_back("Content-Type: application/json");
    headers_.emplace_back("Accept: text/event-stream, application/json");
    read_key();
    for (const std::string& line : endpoint_.headers)
        add_configured_header(line);
    if (!secrets_.empty() && is_readable_on_its_way(url_)) {
        report(true, "judge: " + endpoint_.name + " gets its key unencrypted, by HTTP; set " +
                         setting("base_url") + " to an https address");
    }
    if (!problem_.empty())
        report(true, "judge: " + endpoint_.name + " cannot be asked: " + problem_);
}

std::string JudgeTarget::setting(std::string_view key) const {
    return "judge.endpoints." + endpoint_.name + "." + std::string{key};
}

void JudgeTarget::read_key() {
    std::string text = std::move(endpoint_.api_key);
    endpoint_.api_key.clear();
    if (!core::trimmed(text).empty()) {
        // the configuration holds it
    } else if (!endpoint_.api_key_file.empty()) {
        text = config::read_file(endpoint_.api_key_file, core::limits::kJudgeKeyFileBytesMax)
                   .value_or(std::string{});
        if (core::trimmed(text).empty()) {
            problem_ = "no API key can be read from the file of " + setting("api_key_file") +
                       "; set it to a readable file that holds only the key";
            return;
        }
    } else if (!endpoint_.api_key_env.empty()) {
        const char* const value = std::getenv(endpoint_.api_key_env.c_str());
        text = value == nullptr ? "" : value;
        if (core::trimmed(text).empty()) {
            problem_ = "no API key; set the environment variable " + endpoint_.api_key_env +
                       " named by " + setting("api_key_env");
            return;
        }
    } else {
        return;  // local servers seldom need one
    }
    std::string key{core::trimmed(text)};
    if (!is_printable(key)) {
        problem_ = "the API key holds characters that no key has; set " + setting("api_key_file") +
                   " to a file that holds only the key";
        return;
    }
    headers_.emplace_back("Authorization: Bearer " + key);
    secrets_.push_back(std::move(key));
}

void JudgeTarget::add_configured_header(const std::string& line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0 || !is_printable(line)) {
        problem_ = "a header is not of the form \"Name: value\"; correct " + setting("headers");
        return;
    }
    const std::string_view value = core::trimmed(std::string_view{line}.substr(colon + 1));
    if (value.size() >= kSecretHeaderBytesMin) secrets_.emplace_back(value);
    headers_.push_back(line);
}

std::string JudgeTarget::clean(std::string_view text, std::size_t bytes_max) const {
    std::string kept{text};
    for (const std::string& secret : secrets_)
        replace_all(kept, secret, core::kRedacted);
    return core::sanitized(api::as_utf8(kept), "", bytes_max);
}

}  // namespace headway::server
