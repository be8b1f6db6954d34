// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include "config/judge_keys.hpp"
#include "core/limits.hpp"
#include "core/suggest.hpp"
#include "core/words.hpp"

// [judge.endpoints.NAME]: the models that may be asked.

namespace headway::config {
namespace {

namespace limits = core::limits;

constexpr std::string_view kEndpoints = "judge.endpoints.";
constexpr std::string_view kSet = "(set)";
constexpr std::array<std::string_view, 2> kRoles{"primary", "confirm"};
constexpr std::array<std::string_view, 2> kSwitch{"off", "on"};
constexpr std::uint32_t kConcurrencyMax = 1'024;  // each is a connection, a descriptor and a buffer
constexpr double kPriceMax = 1'000'000;
constexpr std::size_t kKeyBytesMax = 4096;  // longer than any token that is in use

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

/// What goes into the head of a request must not be able to end its line.
bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f;
    });
}

core::Result<> check_choice(std::string_view text, std::span<const std::string_view> words) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return {};
    return mistake(quoted(text) + " is not one of " + std::string(words[0]) + ", " +
                   std::string(words[1]) + core::did_you_mean(text, words));
}

core::Result<> assign_role(JudgeEndpoint& endpoint, std::string_view text) {
    HEADWAY_CHECK(check_choice(text, kRoles));
    endpoint.role = text;
    return {};
}

core::Result<> assign_base_url(JudgeEndpoint& endpoint, std::string_view text) {
    const bool secure = text.starts_with("https://");
    if (!secure && !text.starts_with("http://")) {
        return mistake(quoted(text) + " does not start with http:// or https://");
    }
    const std::string_view rest = text.substr(secure ? 8 : 7);
    const std::string_view host = rest.substr(0, rest.find('/'));
    if (host.find('@') != std::string_view::npos) {
        return mistake("a name or password has no place in a URL; use api_key_env or headers");
    }
    const bool odd = !is_printable(text) || text.find_first_of(" ?#\"<>\\") != text.npos;
    if (host.empty() || host.starts_with(':') || odd || text.size() > limits::kStringBytesMax) {
        return mistake(quoted(text) + " is not a URL such as \"http://127.0.0.1:8080/v1\"");
    }
    if (text.find("/chat/completions") != std::string_view::npos) {
        return mistake(quoted(text) + ": leave out /chat/completions, it is added");
    }
    endpoint.base_url = text;
    return {};
}

template <auto Member>
core::Result<> assign_text(JudgeEndpoint& endpoint, std::string_view text) {
    const bool fits = !text.empty() && text.size() <= limits::kStringBytesMax;
    if (!fits || !is_printable(text)) return mistake("is empty, too long or not on one line");
    endpoint.*Member = text;
    return {};
}

/// The text is not repeated: it is a secret.
core::Result<> assign_api_key(JudgeEndpoint& endpoint, std::string_view text) {
    const bool whole = !text.empty() && text.size() <= kKeyBytesMax && is_printable(text) &&
                       text.find(' ') == std::string_view::npos;
    if (!whole) return mistake("is empty, too long or has white space in it");
    endpoint.api_key = text;
    return {};
}

core::Result<> assign_api_key_env(JudgeEndpoint& endpoint, std::string_view text) {
    const bool name = !text.empty() && text.size() <= limits::kLabelBytesMax &&
                      !core::is_digit(text.front()) &&
                      std::all_of(text.begin(), text.end(), core::is_word);
    // Not repeated either: a key that was put here by mistake must not appear in a log.
    if (!name) return mistake("is not the name of an environment variable");
    endpoint.api_key_env = text;
    return {};
}

bool is_token(char c) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return core::is_digit(c) || core::is_letter(c) || kMarks.find(c) != std::string_view::npos;
}

bool is_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_printable(line)) return false;
    const std::string_view name = line.substr(0, colon);
    return line.size() <= kKeyBytesMax && std::all_of(name.begin(), name.end(), is_token);
}

core::Result<> assign_headers(JudgeEndpoint& endpoint, std::string_view text) {
    std::vector<std::string> headers;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view line = core::trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (line.empty()) continue;
        // The value may be a secret, and without a colon there is no telling where it begins.
        if (!is_header(line)) {
            return mistake("header " + std::to_string(headers.size() + 1) +
                           " is not of the form \"Name: value\"");
        }
        headers.emplace_back(line);
    }
    if (headers.size() > limits::kJudgeHeadersMax) return mistake("more than 16 headers");
    endpoint.headers = std::move(headers);
    return {};
}

core::Result<> assign_tls_verify(JudgeEndpoint& endpoint, std::string_view text) {
    HEADWAY_CHECK(check_choice(text, kSwitch));
    endpoint.tls_verify = text == "on";
    return {};
}

core::Result<> assign_concurrency(JudgeEndpoint& endpoint, std::string_view text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end || number < 1 || number > kConcurrencyMax) {
        return mistake(quoted(text) + " is not a whole number from 1 to 1024");
    }
    endpoint.concurrency = number;
    return {};
}

template <auto Member>
core::Result<> assign_price(JudgeEndpoint& endpoint, std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool fits = number >= 0 && number <= kPriceMax;  // false for NaN
    if (error != std::errc{} || rest != end || !fits) {
        return mistake(quoted(text) + " is not a price from 0 to 1000000");
    }
    endpoint.*Member = number;
    return {};
}

template <auto Member>
std::string print_text(const JudgeEndpoint& endpoint) {
    return endpoint.*Member;
}

template <auto Member>
std::string print_price(const JudgeEndpoint& endpoint) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, endpoint.*Member).ptr};
}

std::string print_api_key(const JudgeEndpoint& endpoint) {
    return std::string(endpoint.api_key.empty() ? "" : kSet);
}

std::string print_headers(const JudgeEndpoint& endpoint) {
    std::string text;
    for (const std::string& line : endpoint.headers) {
        text.append(text.empty() ? "" : ",").append(line, 0, line.find(':')).append(": ");
        text.append(kSet);
    }
    return text;
}

std::string print_tls_verify(const JudgeEndpoint& endpoint) {
    return endpoint.tls_verify ? "on" : "off";
}

std::string print_concurrency(const JudgeEndpoint& endpoint) {
    return std::to_string(endpoint.concurrency);
}

struct EndpointKey {
    std::string_view name;
    Kind kind;
    core::Result<> (*assign)(JudgeEndpoint& endpoint, std::string_view text);
    std::string (*print)(const JudgeEndpoint& endpoint);  ///< to be shown, without secrets
};

using E = JudgeEndpoint;

constexpr std::array<EndpointKey, 12> kKeys{
    {{"role", Kind::kText, assign_role, print_text<&E::role>},
     {"base_url", Kind::kText, assign_base_url, print_text<&E::base_url>},
     {"model", Kind::kText, assign_text<&E::model>, print_text<&E::model>},
     {"api_key", Kind::kText, assign_api_key, print_api_key},
     {"api_key_env", Kind::kText, assign_api_key_env, print_text<&E::api_key_env>},
     {"api_key_file", Kind::kText, assign_text<&E::api_key_file>, print_text<&E::api_key_file>},
     {"headers", Kind::kTextList, assign_headers, print_headers},
     {"ca_file", Kind::kText, assign_text<&E::ca_file>, print_text<&E::ca_file>},
     {"tls_verify", Kind::kText, assign_tls_verify, print_tls_verify},
     {"concurrency", Kind::kCount, assign_concurrency, print_concurrency},
     {"prompt_usd_per_million", Kind::kNumber, assign_price<&E::prompt_usd_per_million>,
      print_price<&E::prompt_usd_per_million>},
     {"completion_usd_per_million", Kind::kNumber, assign_price<&E::completion_usd_per_million>,
      print_price<&E::completion_usd_per_million>}}};

const EndpointKey* find_endpoint_key(std::string_view name) {
    const auto found = std::find_if(kKeys.begin(), kKeys.end(),
                                    [name](const EndpointKey& key) { return key.name == name; });
    return found == kKeys.end() ? nullptr : &*found;
}

bool is_endpoint_name(std::string_view name) {
    return name.size() <= limits::kLabelBytesMax &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return core::is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
           });
}

}  // namespace

std::optional<EndpointKeyName> parse_endpoint_key(std::string_view name) {
    if (!name.starts_with(kEndpoints)) return std::nullopt;
    name.remove_prefix(kEndpoints.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    const EndpointKeyName parsed{name.substr(0, dot), name.substr(dot + 1)};
    return find_endpoint_key(parsed.key) != nullptr ? std::optional{parsed} : std::nullopt;
}

const std::vector<std::string_view>& endpoint_key_names() {
    static const std::vector<std::string_view> kNames = [] {
        std::vector<std::string_view> names;
        names.reserve(kKeys.size());
        for (const EndpointKey& key : kKeys)
            names.push_back(key.name);
        return names;
    }();
    return kNames;
}

Kind endpoint_key_kind(std::string_view key) {
    const EndpointKey* found = find_endpoint_key(key);
    return found != nullptr ? found->kind : Kind::kText;
}

core::Result<> assign_endpoint_key(Settings& settings, std::string_view name,
                                   std::string_view text) {
    const std::optional<EndpointKeyName> parsed = parse_endpoint_key(name);
    if (!parsed) return mistake("unknown key");
    if (!is_endpoint_name(parsed->name)) {
        return mistake("an endpoint's name is of a-z, 0-9, _ and -, at most 128 of them");
    }
    auto& endpoints = settings.judge.endpoints;
    const auto found =
        std::find_if(endpoints.begin(), endpoints.end(),
                     [&parsed](const JudgeEndpoint& one) { return one.name == parsed->name; });
    const EndpointKey& key = *find_endpoint_key(parsed->key);
    if (found != endpoints.end()) return key.assign(*found, text);

    if (endpoints.size() == limits::kJudgeEndpointsMax) return mistake("more than 8 endpoints");
    JudgeEndpoint added;
    added.name = parsed->name;
    HEADWAY_CHECK(key.assign(added, text));  // first, so that a mistake leaves no endpoint behind
    endpoints.push_back(std::move(added));
    return {};
}

std::vector<std::string> mistakes_in(const JudgeSettings& judge) {
    std::vector<std::string> mistakes;
    for (const JudgeEndpoint& endpoint : judge.endpoints) {
        const std::string table = std::string(kEndpoints) + endpoint.name;
        if (endpoint.base_url.empty()) mistakes.push_back(table + " has no base_url");
        if (endpoint.model.empty()) mistakes.push_back(table + " has no model");
        const int keys = (endpoint.api_key.empty() ? 0 : 1) +
                         (endpoint.api_key_env.empty() ? 0 : 1) +
                         (endpoint.api_key_file.empty() ? 0 : 1);
        if (keys > 1) {
            mistakes.push_back(table + " has more than one of api_key, api_key_env, api_key_file");
        }
    }
    return mistakes;
}

std::vector<EndpointValue> endpoint_values(const Settings& settings) {
    const JudgeEndpoint defaults;
    std::vector<EndpointValue> values;
    for (const JudgeEndpoint& endpoint : settings.judge.endpoints) {
        for (const EndpointKey& key : kKeys) {
            std::string text = key.print(endpoint);
            if (text == key.print(defaults)) continue;
            values.push_back({std::string(kEndpoints) + endpoint.name + "." + std::string(key.name),
                              std::move(text)});
        }
    }
    return values;
}

}  // namespace headway::config
