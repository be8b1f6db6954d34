// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "config/load/sections.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

// [judge.endpoints.NAME]: the models that may be asked.

namespace headway::config {
namespace {

namespace limits = core::limits;

constexpr std::string_view kSet = "(set)";
constexpr std::array<std::string_view, 2> kRoles{"primary", "confirm"};
constexpr std::uint32_t kConcurrencyMax = 1'024;  // each is a connection, a descriptor and a buffer
constexpr double kPriceMax = 1'000'000;
constexpr std::size_t kKeyBytesMax = 4096;  // longer than any token that is in use

/// A text in the head of a request must not be able to end its line.
bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f;
    });
}

core::Result<std::string> read_base_url(const Value& value) {
    std::string text = value.text();
    const bool secure = text.starts_with("https://");
    if (!secure && !text.starts_with("http://")) {
        return mistake(in_quotes(text) + " does not start with http:// or https://");
    }
    const std::string_view rest = std::string_view(text).substr(secure ? 8 : 7);
    const std::string_view host = rest.substr(0, rest.find('/'));
    if (host.find('@') != std::string_view::npos) {
        return mistake("a name or password has no place in a URL; use api_key_env or headers");
    }
    const bool odd = !is_printable(text) || text.find_first_of(" ?#\"<>\\") != text.npos;
    if (host.empty() || host.starts_with(':') || odd || text.size() > limits::kStringBytesMax) {
        return mistake(in_quotes(text) + " is not a URL such as \"http://127.0.0.1:8080/v1\"");
    }
    if (text.find("/chat/completions") != std::string_view::npos) {
        return mistake(in_quotes(text) + ": leave out /chat/completions, it is added");
    }
    return text;
}

core::Result<std::string> read_line(const Value& value) {
    std::string text = value.text();
    const bool fits = !text.empty() && text.size() <= limits::kStringBytesMax;
    if (!fits || !is_printable(text)) return mistake("is empty, too long or not on one line");
    return text;
}

/// The text is not repeated: it is a secret.
core::Result<std::string> read_api_key(const Value& value) {
    std::string text = value.text();
    const bool whole = !text.empty() && text.size() <= kKeyBytesMax && is_printable(text) &&
                       text.find(' ') == std::string_view::npos;
    if (!whole) return mistake("is empty, too long or has white space in it");
    return text;
}

core::Result<std::string> read_variable(const Value& value) {
    std::string text = value.text();
    const bool name = !text.empty() && text.size() <= limits::kLabelBytesMax &&
                      !core::is_digit(text.front()) &&
                      std::all_of(text.begin(), text.end(), core::is_word);
    // Not repeated either: a key that was put here by mistake must not appear in a log.
    if (!name) return mistake("is not the name of an environment variable");
    return text;
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

core::Result<Value::List> read_headers(const Value& value) {
    HEADWAY_TRY(Value::List headers, parse_list(value, limits::kJudgeHeadersMax, "headers"));
    for (std::size_t i = 0; i < headers.size(); ++i) {
        if (is_header(headers[i])) continue;
        // The value may be a secret, and without a colon there is no telling where it begins.
        return mistake("header " + std::to_string(i + 1) + " is not of the form \"Name: value\"");
    }
    return headers;
}

core::Result<double> read_price(const Value& value) {
    const double price = parse_number(value);
    if (price >= 0 && price <= kPriceMax) return price;
    return mistake(in_quotes(value.text()) + " is not a price from 0 to 1000000");
}

Value print_api_key(const JudgeEndpoint& endpoint) {
    return endpoint.api_key.empty() ? "" : kSet;
}

Value print_headers(const JudgeEndpoint& endpoint) {
    Value::List lines;
    for (const std::string& line : endpoint.headers)
        lines.push_back(line.substr(0, line.find(':')).append(": ").append(kSet));
    return lines;
}

template <auto Read, auto Member>
Row<JudgeEndpoint> line_row(std::string name) {
    return value_row<Read, Member>(Kind::kText, "", std::move(name));
}

template <auto Member>
Row<JudgeEndpoint> price_row(std::string name) {
    return value_row<read_price, Member>(Kind::kNumber, "", std::move(name));
}

std::vector<Row<JudgeEndpoint>> endpoint_rows() {
    using E = JudgeEndpoint;
    return {word_row<kRoles, &E::role>("role"),
            required(line_row<read_base_url, &E::base_url>("base_url")),
            required(line_row<read_line, &E::model>("model")),
            shown_as(print_api_key, line_row<read_api_key, &E::api_key>("api_key")),
            line_row<read_variable, &E::api_key_env>("api_key_env"),
            line_row<read_line, &E::api_key_file>("api_key_file"),
            shown_as(print_headers,
                     value_row<read_headers, &E::headers>(Kind::kTextList, "", "headers")),
            line_row<read_line, &E::ca_file>("ca_file"),
            switch_row<kOffOn, 1, &E::tls_verify>("tls_verify"),
            whole_row<1, kConcurrencyMax, &E::concurrency>("concurrency"),
            price_row<&E::prompt_usd_per_million>("prompt_usd_per_million"),
            price_row<&E::completion_usd_per_million>("completion_usd_per_million")};
}

std::vector<std::string> mistakes_of(const JudgeEndpoint& endpoint) {
    const int keys = (endpoint.api_key.empty() ? 0 : 1) + (endpoint.api_key_env.empty() ? 0 : 1) +
                     (endpoint.api_key_file.empty() ? 0 : 1);
    if (keys <= 1) return {};
    return {" has more than one of api_key, api_key_env, api_key_file"};
}

constexpr const char* kEndpointHelp = R"(
# Each model that may be asked has a table; without one nothing is ever asked. Any server with
# OpenAI's chat completions will do. The first endpoint of each role is asked. An example, with
# every key:
# [judge.endpoints.local]
# role = "primary"                        # primary | confirm: the second opinion
# base_url = "http://127.0.0.1:8080/v1"   # what comes before /chat/completions
# model = "qwen2.5-7b-instruct"
# api_key_env = "JUDGE_API_KEY"           # variable with the key; or api_key_file, or api_key
# headers = ["X-Team: agents"]            # sent with each request
# ca_file = "/etc/ssl/judge.pem"          # authorities to trust (default: the system's)
# tls_verify = "on"                       # on | off
# concurrency = 1                         # questions at once, 1..1024
# prompt_usd_per_million = 0              # tokens, for the costs that are shown
# completion_usd_per_million = 0
)";

}  // namespace

const AnyNamedTable& judge_table() {
    static const NamedTable<JudgeEndpoint, &JudgeEndpoint::name, &Settings::judge,
                            &JudgeSettings::endpoints>
        kTable{{.path = "judge.endpoints",
                .entry = "endpoint",
                .example = "local",
                .bad_name = kBadEndpointName,
                .too_many = "more than 8 endpoints",
                .help = kEndpointHelp},
               {.rows = endpoint_rows(),
                .entries_max = limits::kJudgeEndpointsMax,
                .mistakes = mistakes_of}};
    return kTable;
}

}  // namespace headway::config
