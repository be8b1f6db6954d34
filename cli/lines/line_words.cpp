// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/line_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "api/text/timestamp.hpp"
#include "core/calls/tool_class.hpp"

namespace headway::cli {
namespace {

constexpr std::uint64_t kStatusMin = 400;
constexpr std::uint64_t kStatusMax = 599;
constexpr std::size_t kStatusWordsMax = 1024;                // the error's own words come first
constexpr std::uint64_t kEpochSecondsMax = 253'402'300'799;  // the year 9999

/// The three digits at the beginning, if they are such a status and nothing of a longer number.
std::optional<std::uint64_t> leading_status(std::string_view text) {
    std::uint64_t status = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, status);
    const std::string_view rest = text.substr(std::min<std::size_t>(3, text.size()));
    const bool part = rest.size() > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9';
    const bool whole = read.ptr == text.data() + 3 && !part;
    if (read.ec != std::errc{} || !whole || status < kStatusMin || status > kStatusMax)
        return std::nullopt;
    return status;
}

}  // namespace

void add_started(AgentLine& line, const Json& call_id, std::string_view tool, const Json& args) {
    Json data = {{"call_id", call_id}, {"tool", tool}};
    if (!args.is_null()) data["args"] = args;
    line.events.push_back({"tool.started", std::move(data)});
}

void add_succeeded(AgentLine& line, const Json& call_id, const Json& result) {
    line.events.push_back(
        {"tool.finished", {{"call_id", call_id}, {"ok", true}, {"result", result}}});
}

void add_failed(AgentLine& line, const Json& call_id, std::string_view error_class,
                std::string_view message) {
    Json error = {{"message", message}};
    if (!error_class.empty()) error["class"] = error_class;
    line.events.push_back(
        {"tool.finished", {{"call_id", call_id}, {"ok", false}, {"error", std::move(error)}}});
}

void add_message(AgentLine& line, std::string_view role, std::string_view text) {
    if (text.empty()) return;
    // A line is the agent's word, and only a person's own message answers a suspicion.
    if (role == "user") role = "system";
    line.events.push_back({"message", {{"role", role}, {"text", text}}});
}

void add_error(AgentLine& line, const ToldError& error) {
    Json data = {{"message", error.message}};
    if (!error.error_class.empty()) data["class"] = error.error_class;
    if (error.status) data["status"] = *error.status;
    if (error.retryable) data["retryable"] = *error.retryable;
    if (error.ends_turn) data["ends_turn"] = true;
    if (error.retry_at_s && *error.retry_at_s <= kEpochSecondsMax) {
        const std::chrono::seconds since{static_cast<std::int64_t>(*error.retry_at_s)};
        data["retry_at"] = api::timestamp_text(core::Timestamp{since});
    }
    line.events.push_back({"error.reported", std::move(data), error.retry_in_ms});
}

void add_beginning(AgentLine& line, std::string_view agent, std::string_view session,
                   std::string_view model) {
    std::string detail{agent};
    if (!model.empty()) detail += ", model " + std::string(model);
    line.began = session;
    line.model = model;
    line.events.push_back(
        {"state.changed", {{"state", "processing_prompt"}, {"detail", std::move(detail)}}});
}

std::string text_of_content(const Json& content) {
    if (content.is_string()) return content.text();
    if (content.is_null()) return {};
    if (!content.is_array()) return dump(content);
    std::string text;
    for (const Json& part : content) {
        if (!text.empty()) text += '\n';
        text += part["text"].is_string() ? part.text_of("text") : dump(part);
    }
    return text;
}

std::string text_of_error(const Json& error) {
    if (error.is_string() || error.is_null()) return error.text();
    if (!error.text_of("message").empty()) return error.text_of("message");
    if (!error["data"].text_of("message").empty()) return error["data"].text_of("message");
    if (!error.text_of("name").empty()) return error.text_of("name");
    return dump(error);
}

namespace {

/// The JSON of an error that is all of the words, perhaps behind "[API Error: " or "400 ".
std::optional<Json> json_of_error(std::string_view words) {
    constexpr std::size_t kPrefixMax = 64;
    const std::size_t begin = words.find('{');
    const std::size_t end = words.rfind('}');
    if (begin > kPrefixMax || end == words.npos || end < begin) return std::nullopt;  // or npos
    const std::string_view prefix = words.substr(0, begin);
    const bool opens = prefix.find_first_not_of("[ ") == prefix.npos ||
                       prefix.find("rror") != prefix.npos || status_in(prefix).has_value();
    const bool closes = words.find_first_not_of("]) \n", end + 1) == words.npos;
    if (!opens || !closes) return std::nullopt;
    return Json::parse(words.substr(begin, end + 1 - begin));
}

}  // namespace

std::string plain_words(std::string_view words) {
    constexpr int kWrappedMost = 8;
    std::string text{words};
    for (int i = 0; i < kWrappedMost; ++i) {
        const std::optional<Json> json = json_of_error(text);
        if (!json || !json->is_object()) break;
        const Json& error = std::as_const(*json)["error"];
        std::string message = error.is_string() ? error.text() : error.text_of("message");
        if (!has_words(message)) message = json->text_of("message");
        if (!has_words(message)) break;
        text = std::move(message);
    }
    return text;
}

std::optional<std::uint64_t> status_of(const Json& value) {
    if (!value.is_unsigned()) return std::nullopt;
    const std::uint64_t status = value.count();
    if (status < kStatusMin || status > kStatusMax) return std::nullopt;
    return status;
}

bool has_words(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
    text.remove_prefix(begin);
    return !text.empty() && text.substr(0, text.find_last_not_of(kSpace) + 1) != "(no content)";
}

std::string fault_of_result(const Json& line) {
    const Json& is_error = line["is_error"];
    if (!is_error.is_boolean()) return "its result does not say if it is an error";
    if (line.flag_of("is_error")) return "it reports failure";
    const Json& kind = line["subtype"];
    if (kind == "success") return {};
    if (!kind.is_string()) return "its result does not say how it ended";
    return "it ended with \"" + kind.text() + "\"";
}

std::optional<std::uint64_t> status_in(std::string_view words) {
    constexpr std::array<std::string_view, 7> kBefore{
        "API Error: ", "status: ", "status ", "status code ", "\"code\":", "\"code\": ", "HTTP "};
    words = words.substr(0, kStatusWordsMax);
    if (const auto status = leading_status(words)) return status;
    for (const std::string_view before : kBefore) {
        for (std::size_t at = words.find(before); at != words.npos;
             at = words.find(before, at + 1)) {
            if (const auto status = leading_status(words.substr(at + before.size()))) return status;
        }
    }
    return std::nullopt;
}

bool starts_agent(std::string_view tool) {
    return core::class_of_tool(tool) == "class:agent";
}

std::string_view inner_command(std::string_view line) {
    const std::string_view program = line.substr(0, line.find(' '));
    const std::size_t option = line.find(" -lc ");
    if (!program.ends_with("sh") || option != program.size()) return line;
    line.remove_prefix(option + 5);
    const bool quoted = line.size() >= 2 && (line.front() == '\'' || line.front() == '"') &&
                        line.back() == line.front();
    return quoted ? line.substr(1, line.size() - 2) : line;
}

LineTokens tokens_inside(std::uint64_t input, std::uint64_t cached, std::uint64_t cache_write,
                         std::uint64_t output, std::uint64_t reasoning) {
    LineTokens tokens;
    tokens.cached = std::min(cached, input);
    tokens.cache_write = std::min(cache_write, input - tokens.cached);
    tokens.input = input - tokens.cached - tokens.cache_write;
    tokens.reasoning = std::min(reasoning, output);
    tokens.output = output - tokens.reasoning;
    return tokens;
}

LineTokens tokens_of_models(const Json& models) {
    LineTokens tokens;
    for (const auto& [model, used] : models.members()) {
        const LineTokens of =
            tokens_inside(used.count_of("inputTokens"), 0, 0, used.count_of("outputTokens"),
                          used.count_of("thinkingTokens"));
        tokens.input += of.input;
        tokens.cached += used.count_of("cacheReadInputTokens");
        tokens.cache_write += used.count_of("cacheCreationInputTokens");
        tokens.output += of.output;
        tokens.reasoning += of.reasoning;
    }
    return tokens;
}

void take_over_limit(const Json& limit, Json& error) {
    const bool refused = error["class"] == "rate_limit" || error.count_of("status") == 429;
    if (limit["class"] != "usage_limit" || !refused || error.contains("retry_at")) return;
    error["class"] = "usage_limit";
    if (limit.contains("retry_at")) error["retry_at"] = limit["retry_at"];
}

bool take_details(const Json& before, Json& again) {
    const bool classless = !before.contains("class") || before["class"] == "unknown";
    Json both = before;
    for (const char* name : {"status", "retry_at"})
        if (!before.contains(name) && again.contains(name)) both[name] = again[name];
    if (classless && again.contains("class")) both["class"] = again["class"];
    again = std::move(both);
    return again != before;
}

void keep_later_reset(const Json& before, Json& error) {
    if (before["class"] != "usage_limit" || error["class"] != "usage_limit") return;
    if (before.text_of("retry_at") > error.text_of("retry_at"))
        error["retry_at"] = before["retry_at"];
}

std::span<const LineFormat* const> line_formats() {
    static constexpr std::array<const LineFormat*, 8> kFormats{
        &kClaudeLines, &kCodexLines,   &kGeminiLines, &kOpencodeLines,
        &kCursorLines, &kCopilotLines, &kPiLines,     &kClineLines};
    return kFormats;
}

}  // namespace headway::cli
