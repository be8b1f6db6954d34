// SPDX-License-Identifier: Apache-2.0
#include "cli/conversations/used_before.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.hpp"

using headway::cli::AgentHomes;
using headway::cli::LineTokens;
using headway::cli::RunBefore;
using headway::cli::RunBegins;
using headway::cli::stored_use;
using headway::cli::use_in_chat;
using headway::cli::use_in_cost_state;
using headway::cli::used_before;
using headway::cli::UsedBefore;

namespace {

// As Claude Code 2.1.332 stores it at the end of a run.
std::string cost_state(const std::string& cost, int input, int output) {
    return R"({"type":"cost-state","sessionId":"talk","totalCostUSD":)" + cost +
           R"(,"totalAPIDuration":177,"totalAPIDurationWithoutRetries":170,"totalToolDuration":38,)"
           R"("totalLinesAdded":0,"totalLinesRemoved":0,"totalDuration":6276,)"
           R"("startTime":1795734650228,"modelUsage":{"claude-sonnet-4-5":{"inputTokens":)" +
           std::to_string(input) + R"(,"outputTokens":)" + std::to_string(output) +
           R"(,"thinkingTokens":1,"cacheReadInputTokens":5,"cacheCreationInputTokens":7,)"
           R"("webSearchRequests":0,"costUSD":)" +
           cost + "}}}\n";
}

std::string line_at(const std::string& time) {
    return R"({"type":"user","timestamp":"2026-11-26T23:)" + time + R"(Z"})" + "\n";
}

/// "cost input output", or "none".
std::string use_at(const std::string& transcript, const std::string& time) {
    const auto use = use_in_cost_state(transcript, "talk", "2026-11-26T23:" + time + "Z");
    if (!use) return "none";
    return std::to_string(use->cost_usd) + " " + std::to_string(use->tokens.input) + " " +
           std::to_string(use->tokens.output);
}

UsedBefore used(std::uint64_t input, double cost) {
    UsedBefore use;
    use.tokens.input = input;
    use.cost_usd = cost;
    return use;
}

const RunBegins kClaudeRun{"claude", "talk", "2.1.332", "2026-11-26T23:11:03.000Z"};

}  // namespace

TEST_CASE("use before: Claude's last total from before the start, not that of the run itself",
          "[cli]") {
    const std::string first = line_at("10:54.427") + cost_state("0.006915", 2'100, 41);
    const std::string second =
        line_at("10:56.517") + line_at("11:03.174") + cost_state("0.01116", 3'400, 64);
    CHECK(use_at(first, "11:03.000") == "0.006915 2100 40");
    CHECK(use_at(first + second, "11:03.000") == "0.006915 2100 40");
    CHECK(use_at(first + second, "11:04.000") == "0.011160 3400 63");
    CHECK(use_at(first + second, "10:54.000") == "none");
    const auto use = use_in_cost_state(first, "talk", "2026-11-26T23:11:03.000Z");
    CHECK(use->tokens == LineTokens{2'100, 5, 7, 40, 1});
}

TEST_CASE("use before: a total that Claude would not take is none", "[cli]") {
    const std::string good = cost_state("0.5", 100, 10);
    CHECK(use_at(good, "11:00.000") != "none");
    CHECK_FALSE(use_in_cost_state(good, "another", "2026-11-26T23:11:00.000Z"));
    for (const char* part : {"\"startTime\":", "\"outputTokens\":", "\"totalLinesRemoved\":"}) {
        std::string bad = good;
        bad.replace(bad.find(part), 2, "\"x");
        CHECK(use_at(bad, "11:00.000") == "none");
        CHECK(use_at(good + bad, "11:00.000") == use_at(good, "11:00.000"));
    }
    CHECK(use_at(cost_state("-1", 100, 10), "11:00.000") == "none");
    CHECK(use_at(cost_state("\"1\"", 100, 10), "11:00.000") == "none");
    CHECK(use_at(good.substr(0, 200), "11:00.000") == "none");
    CHECK(use_at("", "11:00.000") == "none");
}

TEST_CASE("use before: Qwen sums the answers that it has stored", "[cli]") {
    const auto answer = [](const std::string& time, int input, int output, int total) {
        return R"({"sessionId":"q","timestamp":"2026-11-26T23:)" + time +
               R"(Z","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":)"
               R"({"event.name":"qwen-code.api_response","input_token_count":)" +
               std::to_string(input) + R"(,"output_token_count":)" + std::to_string(output) +
               R"(,"cached_content_token_count":100,"thoughts_token_count":0,)"
               R"("total_token_count":)" +
               std::to_string(total) + "}}}\n";
    };
    const std::string chat = answer("14:11.311", 1'000, 20, 1'020) +
                             answer("14:14.311", 1'100, 21, 1'125) +
                             answer("14:53.162", 1'200, 22, 1'222);
    CHECK(use_in_chat(chat, "2026-11-26T23:14:30.000Z").tokens == LineTokens{1'900, 200, 0, 41, 4});
    CHECK(use_in_chat("{}\n", "2026-11-26T23:14:30.000Z").tokens.sum() == 0);
}

TEST_CASE("use before: by agent and version", "[cli]") {
    const headway::tests::TempDir root;
    const auto folder = root.file("projects/-work");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "talk.jsonl") << line_at("10:54.427") << cost_state("0.5", 100, 10);
    const AgentHomes homes{root.file("").string(), ""};
    const auto cost = [&homes](const char* version) {
        return stored_use({"claude", "talk", version, kClaudeRun.at}, homes)->cost_usd;
    };
    CHECK(cost("2.1.332") == 0.5);
    CHECK(cost("2.1.277") == 0.5);
    CHECK(cost("") == 0.5);
    CHECK(cost("2.1.276") == 0);
    CHECK(cost("2.0.999") == 0);
    CHECK(cost("3.0.0-beta.1") == 0.5);
    CHECK_FALSE(stored_use({"claude", "other", "2.1.332", kClaudeRun.at}, homes));
    CHECK_FALSE(stored_use({"claude", "../-work/talk", "2.1.332", kClaudeRun.at}, homes));
    CHECK_FALSE(stored_use({"qwen", "talk", "0.24.4", kClaudeRun.at}, homes));
    CHECK(stored_use({"gemini", "talk", "", kClaudeRun.at}, homes)->tokens.sum() == 0);
}

TEST_CASE("use before: a run after another of the conversation starts from what both know",
          "[cli]") {
    const RunBefore before{"talk", used(100, 1), used(140, 1)};
    // Stored more than was reported, after a kill; less; nothing; not found.
    CHECK(used_before(kClaudeRun, used(180, 1.5), before).tokens.input == 140);
    CHECK(used_before(kClaudeRun, used(180, 1.5), before).cost_usd == 1);
    CHECK(used_before(kClaudeRun, used(90, 0.5), before).cost_usd == 0.5);
    CHECK(used_before(kClaudeRun, UsedBefore{}, before).tokens.sum() == 0);
    CHECK(used_before(kClaudeRun, std::nullopt, before).tokens.input == 100);
    // Another conversation.
    const RunBefore other{"other", used(100, 1), used(140, 1)};
    CHECK(used_before(kClaudeRun, used(180, 1.5), other).tokens.input == 180);
    CHECK(used_before(kClaudeRun, std::nullopt, other).tokens.sum() == 0);
    CHECK(used_before(kClaudeRun, used(1, 1), other).restored);
    CHECK_FALSE(used_before({"claude", "talk", "", ""}, used(1, 1), other).restored);
}
