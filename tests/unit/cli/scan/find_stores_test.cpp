// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/find_stores.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "{}\n";
}

}  // namespace

TEST_CASE("find stores: each agent's own variable moves its folder") {
    struct Moved {
        const char* agent;
        const char* variable;
        const char* file;  ///< below the folder that the variable names
    };
    const Moved moved = GENERATE(values<Moved>({
        {"claude", "CLAUDE_CONFIG_DIR", "projects/-p/a.jsonl"},
        {"cline", "CLINE_DIR", "data/sessions/a/a.messages.json"},
        {"codex", "CODEX_HOME", "sessions/2026/11/29/rollout-a.jsonl"},
        {"codex", "CODEX_HOME", "archived_sessions/rollout-a.jsonl"},
        {"copilot", "COPILOT_HOME", "session-state/a/events.jsonl"},
        {"gemini", "GEMINI_CLI_HOME", ".gemini/tmp/p/chats/session-a.jsonl"},
        {"kilo", "XDG_DATA_HOME", "kilo/kilo.db"},
        {"opencode", "XDG_DATA_HOME", "opencode/opencode.db"},
        {"pi", "PI_CODING_AGENT_DIR", "sessions/p/a.jsonl"},
        {"qwen", "QWEN_HOME", "projects/p/chats/a.jsonl"},
    }));
    CAPTURE(moved.agent, moved.file);
    const tests::TempDir dir;
    const fs::path there = dir.file("there");
    put(there / moved.file);

    const std::map<std::string, std::string> environment = {{"HOME", dir.file("home").string()},
                                                            {moved.variable, there.string()}};
    const cli::FoundStores found = cli::find_stores(environment, {moved.agent});
    REQUIRE(found.files.size() == 1);
    CHECK(found.files[0].path == there / moved.file);
}

TEST_CASE("find stores: without a home folder and a variable no folder is searched") {
    const cli::FoundStores found = cli::find_stores(std::map<std::string, std::string>{});
    CHECK(found.files.empty());
    CHECK(found.looked.empty());
}

}  // namespace headway
