// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/other_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/process/proc_tree.hpp"
#include "system/file_descriptor.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
namespace fs = std::filesystem;

namespace {

const std::string kId = "0f3c5a2e-1111-4222-8333-444455556666";

struct Homes {
    headway::tests::TempDir folder;
    AgentHomes homes{folder.file("claude").string(), folder.file("codex").string()};

    void write(const fs::path& file, const std::string& text) const {
        const fs::path path = folder.file(file.string());
        fs::create_directories(path.parent_path());
        std::ofstream{path} << text;
    }
    void live(pid_t pid, const std::string& began, const std::string& session = kId) const {
        write("claude/sessions/" + std::to_string(pid) + ".json",
              R"({"pid":)" + std::to_string(pid) + R"(,"procStart":")" + began +
                  R"(","sessionId":")" + session + R"(","status":"busy"})");
    }
};

}  // namespace

TEST_CASE("other writer: a conversation that has grown is seen in each agent's own file", "[cli]") {
    Homes at;
    at.homes.qwen = at.folder.file("qwen").string();
    at.homes.gemini = at.folder.file("gemini").string();
    at.homes.copilot = at.folder.file("copilot").string();
    at.homes.pi = at.folder.file("pi").string();
    const std::pair<const char*, std::string> files[] = {
        {"claude", "claude/projects/-p/" + kId + ".jsonl"},
        {"qwen", "qwen/projects/-p/chats/" + kId + ".jsonl"},
        {"gemini", "gemini/.gemini/tmp/p/chats/session-2026-11-29T10-00-0f3c5a2e.jsonl"},
        {"copilot", "copilot/session-state/" + kId + "/events.jsonl"},
        {"pi", "pi/sessions/--p--/2026-11-29T11-00-00-000Z_" + kId + ".jsonl"}};
    for (const auto& [agent, file] : files) {
        CAPTURE(agent);
        CHECK(stored_bytes(agent, kId, at.homes) == 0);
        at.write(file, "12345");
        CHECK(stored_bytes(agent, kId, at.homes) == 5);
        const std::vector<std::string> found{at.folder.file(file).string()};
        CHECK(stored_files(agent, kId, at.homes) == found);
        CHECK(stored_bytes(agent, "another", at.homes) == 0);
    }
}

TEST_CASE("other writer: a process in Claude's register that lives has the conversation", "[cli]") {
    const Homes at;
    CHECK(open_elsewhere("claude", kId, at.homes).empty());
    at.live(::getpid(), process_began(::getpid()));
    CHECK(open_elsewhere("claude", kId, at.homes) ==
          "process " + std::to_string(::getpid()) + " of claude");
    CHECK(open_elsewhere("claude", "another", at.homes).empty());
    CHECK(open_elsewhere("codex", kId, at.homes).empty());
}

TEST_CASE("other writer: what kill -9 left in the register is no process", "[cli]") {
    const Homes at;
    at.live(::getpid(), "1");  // its number was given to another process
    at.live(4194305, "77");
    at.write("claude/sessions/9.json", "no JSON");
    CHECK(open_elsewhere("claude", kId, at.homes).empty());
}

TEST_CASE("other writer: Codex holds a lock on the thread, and a file that is not held is none",
          "[cli]") {
    const Homes at;
    at.write("codex/thread-writer-locks/" + kId + ".lock", "");
    CHECK(open_elsewhere("codex", kId, at.homes).empty());
    const std::string path = at.homes.codex + "/thread-writer-locks/" + kId + ".lock";
    const headway::system::FileDescriptor other(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(other.get(), LOCK_EX) == 0);
    CHECK(open_elsewhere("codex", kId, at.homes) == "a process of codex");
}

TEST_CASE("other writer: a conversation that grows is longer", "[cli]") {
    const Homes at;
    CHECK(stored_bytes("claude", kId, at.homes) == 0);
    at.write("claude/projects/-home-dev/" + kId + ".jsonl", "{}\n");
    at.write("codex/sessions/2026/11/28/rollout-2026-11-28T03-00-00-" + kId + ".jsonl", "{}{}\n");
    CHECK(stored_bytes("claude", kId, at.homes) == 3);
    CHECK(stored_bytes("codex", kId, at.homes) == 5);
    CHECK(stored_bytes("gemini", kId, at.homes) == 0);
}

TEST_CASE("agent home: it is the folder with the agent's login, under each of its names", "[cli]") {
    const headway::tests::TempDir folder;
    const std::string root = fs::canonical(folder.file("")).string();
    const std::string home = root + "/home";
    fs::create_directories(home + "/.claude");
    fs::create_directory_symlink(home + "/.claude", root + "/link");
    CHECK(agent_home("claude", {{"HOME", home}}) == home + "/.claude");
    CHECK(agent_home("claude", {{"HOME", home}, {"CLAUDE_CONFIG_DIR", root + "/link/"}}) ==
          home + "/.claude");
    CHECK(agent_home("claude", {{"HOME", home}, {"CLAUDE_CONFIG_DIR", root + "/b"}}) ==
          root + "/b");
    CHECK(agent_home("codex", {{"HOME", home}, {"CODEX_HOME", root + "/c"}}) == root + "/c");
    CHECK(agent_home("pi", {{"HOME", home}}) == home + "/.pi/agent");
    CHECK(agent_home("aider", {{"HOME", home}}) == home);
    CHECK(agent_home("claude", {}).empty());
}

TEST_CASE("other writer: an id is no path", "[cli]") {
    const Homes at;
    at.write("secret.jsonl", "12345");
    CHECK(stored_bytes("claude", "../../secret", at.homes) == 0);
    CHECK(open_elsewhere("codex", "../x", at.homes).empty());
}
