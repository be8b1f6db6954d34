// SPDX-License-Identifier: Apache-2.0
#include "cli/conversations/used_before.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "agents/codex/rollout.hpp"
#include "cli/base/json.hpp"
#include "cli/lines/line_words.hpp"
#include "hook/text/answers.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/json_scan.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kTranscriptBytes = 1024 * 1024;
constexpr std::size_t kTranscriptBytesMax = 64 * kTranscriptBytes;
/// The first version of Claude Code that restores the use of a conversation without a terminal.
constexpr std::array<unsigned, 3> kRestoresSince{2, 1, 277};

bool restores_use(std::string_view version) {
    std::array<unsigned, 3> parts{};
    for (unsigned& part : parts) {
        const auto read = std::from_chars(version.data(), version.data() + version.size(), part);
        version.remove_prefix(static_cast<std::size_t>(read.ptr - version.data()));
        if (version.starts_with('.')) version.remove_prefix(1);
    }
    return parts >= kRestoresSince;
}

/// Claude takes a line only with all of these: another one is no total of its own.
bool is_cost_state(const Json& line, std::string_view conversation) {
    constexpr std::array<const char*, 8> kNumbers{
        "totalCostUSD",      "totalAPIDuration", "totalAPIDurationWithoutRetries",
        "totalToolDuration", "totalLinesAdded",  "totalLinesRemoved",
        "totalDuration",     "startTime"};
    constexpr std::array<const char*, 6> kFields{"inputTokens",          "outputTokens",
                                                 "cacheReadInputTokens", "cacheCreationInputTokens",
                                                 "webSearchRequests",    "costUSD"};
    if (line["type"] != "cost-state" || line.text_of("sessionId") != conversation) return false;
    const auto is_amount = [](const Json& value) {
        return value.is_number() && value.number() >= 0;
    };
    for (const char* name : kNumbers) {
        if (!is_amount(line[name])) return false;
    }
    if (!line["modelUsage"].is_object()) return false;
    for (const auto& [model, used] : line["modelUsage"].members()) {
        for (const char* name : kFields) {
            if (!is_amount(used[name])) return false;
        }
    }
    return true;
}

std::optional<UsedBefore> use_of_claude(const RunBegins& run, const AgentHomes& homes) {
    // A version that is not reported may be an old one.
    if (!run.version.empty() && !restores_use(run.version)) return UsedBefore{};
    const std::string path = file_in_projects(homes.claude, "", run.conversation);
    if (path.empty()) return std::nullopt;
    for (const std::size_t size : {kTranscriptBytes, kTranscriptBytesMax}) {
        const std::string tail = hook::tail_of(path, size);
        const auto use = use_in_cost_state(tail, run.conversation, run.at);
        if (use || tail.size() < size) return use.value_or(UsedBefore{});
    }
    return UsedBefore{};
}

std::optional<UsedBefore> use_of_qwen(const RunBegins& run, const AgentHomes& homes) {
    const std::string path = file_in_projects(homes.qwen, "chats/", run.conversation);
    if (path.empty()) return std::nullopt;
    return use_in_chat(hook::tail_of(path, kTranscriptBytesMax), run.at);
}

std::optional<UsedBefore> use_of_codex(const RunBegins& run, const AgentHomes& homes) {
    const std::string rollout = find_rollout(homes.codex, run.conversation);
    if (rollout.empty()) return std::nullopt;
    return UsedBefore{total_of_rollout(rollout)};
}

UsedBefore smaller(const UsedBefore& a, const UsedBefore& b) {
    UsedBefore use;
    use.tokens = {std::min(a.tokens.input, b.tokens.input),
                  std::min(a.tokens.cached, b.tokens.cached),
                  std::min(a.tokens.cache_write, b.tokens.cache_write),
                  std::min(a.tokens.output, b.tokens.output),
                  std::min(a.tokens.reasoning, b.tokens.reasoning)};
    use.cost_usd = std::min(a.cost_usd, b.cost_usd);
    return use;
}

}  // namespace

std::optional<UsedBefore> use_in_cost_state(std::string_view end_of_transcript,
                                            std::string_view conversation,
                                            std::string_view before) {
    std::optional<UsedBefore> found;
    while (!end_of_transcript.empty()) {
        const std::string_view text = hook::take_last_line(end_of_transcript);
        if (const auto at = hook::text_member(text, "timestamp"); !at.empty()) {
            // It has no time of its own: it belongs to the lines before it.
            if (found && at < before) return found;
            if (at >= before) found.reset();
            continue;
        }
        if (found || hook::text_member(text, "type") != "cost-state") continue;
        const std::optional<Json> line = Json::parse(text);
        if (!line || !is_cost_state(*line, conversation)) continue;
        LineUse use;
        use.tokens = tokens_of_models((*line)["modelUsage"]);
        use.cost_usd = (*line)["totalCostUSD"].number();
        use = believable(use);
        found = UsedBefore{use.tokens, use.cost_usd.value_or(0)};
    }
    return found;
}

UsedBefore use_in_chat(std::string_view chat, std::string_view before) {
    std::uint64_t input = 0;
    std::uint64_t cached = 0;
    std::uint64_t output = 0;
    std::uint64_t total = 0;
    while (!chat.empty()) {
        const std::string_view text = hook::take_last_line(chat);
        if (hook::text_member(text, "subtype") != "ui_telemetry") continue;
        if (hook::text_member(text, "timestamp") >= before) continue;
        const std::string_view event = hook::member(hook::member(text, "systemPayload"), "uiEvent");
        if (hook::text_member(event, "event.name") != "qwen-code.api_response") continue;
        input += hook::count_member(event, "input_token_count");
        cached += hook::count_member(event, "cached_content_token_count");
        output += hook::count_member(event, "output_token_count");
        total += hook::count_member(event, "total_token_count");
    }
    LineUse use;
    use.tokens = tokens_inside(input, cached, 0, output, 0);
    use.tokens.reasoning = without(total, input + output);
    return {believable(use).tokens};
}

std::optional<UsedBefore> stored_use(const RunBegins& run, const AgentHomes& homes) {
    if (run.agent == "claude") return use_of_claude(run, homes);
    if (run.agent == "qwen") return use_of_qwen(run, homes);
    if (run.agent == "codex") return use_of_codex(run, homes);
    return UsedBefore{};
}

UsedBefore used_before(const RunBegins& run, const std::optional<UsedBefore>& stored,
                       const RunBefore& before) {
    UsedBefore use = stored.value_or(UsedBefore{});
    if (before.conversation == run.conversation)
        use = smaller(stored.value_or(before.last_total), before.counted);
    use.restored = run.agent != "claude" || restores_use(run.version);
    return use;
}

}  // namespace headway::cli
