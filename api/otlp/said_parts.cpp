// SPDX-License-Identifier: Apache-2.0
#include "api/otlp/said_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text/text.hpp"

namespace headway::api::otlp {
namespace {

/// Counts of one request to a model; larger ones are no counts.
constexpr std::uint64_t kTokensMax = 1'000'000'000;
constexpr double kCostMax = 1'000'000;

// Conventions and agents differ in what of these overlaps, so each name is read by its own rule.
constexpr std::array<std::string_view, 6> kInputNames{
    "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "input_token_count",
    "llm.token_count.prompt",    "ai.usage.inputTokens",       "input_tokens"};
constexpr std::array<std::string_view, 6> kOutputNames{
    "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "output_token_count",
    "llm.token_count.completion", "ai.usage.outputTokens",          "output_tokens"};
constexpr std::array<std::string_view, 8> kCachedNames{
    "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_tokens.cached",     "cached_token_count",
    "cached_content_token_count",           "llm.token_count.prompt_details.cache_read",
    "ai.usage.cachedInputTokens",           "cache_read_tokens"};
constexpr std::array<std::string_view, 4> kCacheWriteNames{
    "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
    "llm.token_count.prompt_details.cache_write", "cache_creation_tokens"};
/// Counted as output too.
constexpr std::array<std::string_view, 5> kReasoningNames{
    "gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.output_tokens.reasoning",
    "reasoning_token_count", "llm.token_count.completion_details.reasoning",
    "ai.usage.reasoningTokens"};
/// Gemini's, which are not; but those of other models behind the same agent are.
constexpr std::array<std::string_view, 1> kThoughtNames{"thoughts_token_count"};
constexpr std::array<std::string_view, 1> kTotalNames{"total_token_count"};
constexpr std::array<std::string_view, 3> kCostNames{"cost_usd", "gen_ai.usage.cost",
                                                     "llm.cost.total"};

std::optional<std::uint64_t> count(std::string_view digits) {
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    if (digits.empty() || read.ec != std::errc{}) return std::nullopt;
    if (read.ptr == end) return value;
    // Some exporters write `12.0`, or `1e+05`.
    constexpr double kExactMax = 9'007'199'254'740'992;
    double number = 0;
    const auto real = std::from_chars(digits.data(), end, number);
    if (real.ec != std::errc{} || real.ptr != end || !(number <= kExactMax)) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

std::optional<std::uint64_t> count_of(const Attributes& attributes,
                                      std::span<const std::string_view> names) {
    auto found = count(first_of(attributes, names));
    return found && *found <= kTokensMax ? found : std::nullopt;
}

std::optional<double> cost_of(const Attributes& attributes) {
    const std::string_view digits = first_of(attributes, kCostNames);
    double value = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    const bool good = !digits.empty() && read.ec == std::errc{} && read.ptr == end &&
                      std::isfinite(value) && value >= 0 && value <= kCostMax;
    return good ? std::optional{value} : std::nullopt;
}

/// Something stands there that was meant as a number.
bool is_said(const Attributes& attributes, std::span<const std::string_view> names) {
    const std::string_view text = first_of(attributes, names);
    return !text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'));
}

/// The conventions count cached tokens as input, Anthropic's own names beside it.
void read_cache(const Attributes& attributes, core::Usage& usage) {
    usage.cached_tokens = count_of(attributes, kCachedNames).value_or(0);
    usage.cache_write_tokens = count_of(attributes, kCacheWriteNames).value_or(0);
    const auto others = std::span{kInputNames}.first(kInputNames.size() - 1);
    if (first_of(attributes, others).empty()) return;
    usage.cached_tokens = std::min(usage.cached_tokens, usage.input_tokens);
    usage.input_tokens -= usage.cached_tokens;
    usage.cache_write_tokens = std::min(usage.cache_write_tokens, usage.input_tokens);
    usage.input_tokens -= usage.cache_write_tokens;
}

void read_reasoning(const Attributes& attributes, core::Usage& usage) {
    const std::uint64_t within = count_of(attributes, kReasoningNames).value_or(0);
    const std::uint64_t thoughts = count_of(attributes, kThoughtNames).value_or(0);
    usage.reasoning_tokens = std::max(within, thoughts);
    const auto total = count_of(attributes, kTotalNames);
    const std::uint64_t beside = usage.input_tokens + usage.cached_tokens + usage.output_tokens;
    const bool apart = within == 0 && (!total || beside + thoughts <= *total);
    if (apart) return;
    usage.reasoning_tokens = std::min(usage.reasoning_tokens, usage.output_tokens);
    usage.output_tokens -= usage.reasoning_tokens;
}

bool is_true(std::string_view text) {
    return text == "true" || text == "True" || text == "1";
}

}  // namespace

std::string_view first_of(const Attributes& attributes, std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        const std::string_view found = value_of(attributes, name);
        if (!found.empty() && found != "null") return found;
    }
    return {};
}

std::string figures_of(const Attributes& attributes) {
    return std::string{first_of(attributes, kInputNames)} + "+" +
           std::string{first_of(attributes, kOutputNames)};
}

std::string_view error_type(const Attributes& attributes) {
    return first_of(attributes, {"error.type", "error_type", "exception.type"});
}

void read_call(const Record& record, Said& item) {
    const Attributes& attributes = record.attributes;
    SaidCall& call = item.call;
    call.tool = first_of(attributes, {"gen_ai.tool.name", "tool_name", "function_name", "tool.name",
                                      "ai.toolCall.name", "traceloop.entity.name"});
    if (call.tool.empty()) call.tool = record.name;
    if (call.tool.empty()) return;
    item.kind = SaidKind::kCall;
    call.id = first_of(attributes, kCallIds);
    call.args = first_of(attributes,
                         {"gen_ai.tool.call.arguments", "tool_input", "arguments", "function_args",
                          "tool.parameters", "ai.toolCall.args", "tool_parameters", "input.value",
                          "traceloop.entity.input", "full_command", "file_path"});
    call.result = first_of(attributes, {"gen_ai.tool.call.result", "output", "ai.toolCall.result",
                                        "output.value", "traceloop.entity.output"});
    const std::string_view success = value_of(attributes, "success");
    const std::string_view error =
        first_of(attributes, {"error", "error.message", "error_message"});
    const bool names_error =
        !error_type(attributes).empty() || (!error.empty() && error != "false");
    call.ok = !record.failed && (success.empty() ? !names_error : is_true(success));
    call.denied = value_of(attributes, "decision") == "reject";
    if (!call.ok) {
        call.error = error;
        // Claude Code says this of every command that fails.
        if (call.error == "Shell command failed") call.error.clear();
        if (call.error.empty()) call.error = record.error;
        if (call.error.empty()) call.error = call.result;
        call.result.clear();
    }
    call.duration_ms = count(value_of(attributes, "duration_ms"));
    const bool timed = record.began_ns != 0 && record.ended_ns > record.began_ns;
    if (!call.duration_ms && timed)
        call.duration_ms = (record.ended_ns - record.began_ns) / 1'000'000;
}

bool read_usage(const Attributes& attributes, Said& record) {
    core::Usage& usage = record.usage;
    const auto input = count_of(attributes, kInputNames);
    const auto output = count_of(attributes, kOutputNames);
    const auto cost = cost_of(attributes);
    record.beyond = (!input && is_said(attributes, kInputNames)) ||
                    (!output && is_said(attributes, kOutputNames)) ||
                    (!cost && is_said(attributes, kCostNames));
    usage.input_tokens = input.value_or(0);
    usage.output_tokens = output.value_or(0);
    usage.cost_usd = cost;
    read_cache(attributes, usage);
    read_reasoning(attributes, usage);
    return input || output || cost;
}

bool read_error(const Attributes& attributes, Said& record) {
    constexpr std::size_t kClassBytesMax = 128;
    const auto status = count(first_of(attributes, {"status_code", "http.response.status_code",
                                                    "http.status_code", "error.code"}));
    if (status && *status >= 400 && *status < 600) record.status = status;
    const std::string_view named =
        first_of(attributes, {"error_type", "error.type", "error_class", "exception.type"});
    record.error_class = core::cut_text(named, kClassBytesMax);
    return record.status.has_value();
}

}  // namespace headway::api::otlp
