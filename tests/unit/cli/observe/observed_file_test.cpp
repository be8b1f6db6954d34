// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/observed_file.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace headway::cli;

namespace {

std::string prompt(const std::string& words) {
    return R"({"type":"user","sessionId":"s1","cwd":"/w","version":"2.1.3","uuid":"u)" + words +
           R"(","timestamp":"2026-11-28T10:00:00.000Z","message":{"role":"user","content":")" +
           words + "\"}}\n";
}

/// A stored session of Claude Code in a folder of its own.
struct Stored {
    headway::tests::TempDir folder;
    std::filesystem::path path = folder.file("s1.jsonl");

    void add(const std::string& text) { std::ofstream(path, std::ios::app) << text; }
    ObservedFile open(double since = 0) const {
        StoreFile file;
        file.path = path;
        file.format = &kClaudeStore;
        return {file, since};
    }
};

std::vector<std::string> read(ObservedFile& file, std::size_t most = 100) {
    std::vector<std::string> reports;
    REQUIRE(file.read(most, reports).has_value());
    return reports;
}

bool says(const std::vector<std::string>& reports, const std::string& words) {
    return std::any_of(reports.begin(), reports.end(),
                       [&](const std::string& one) { return one.find(words) != one.npos; });
}

}  // namespace

TEST_CASE("observed file: what grows is read once, and a half line when it is whole", "[cli]") {
    Stored stored;
    stored.add(prompt("first"));
    ObservedFile file = stored.open();
    CHECK(says(read(file), "first"));
    CHECK(read(file).empty());
    const std::string second = prompt("second");
    stored.add(second.substr(0, 40));
    CHECK(read(file).empty());
    stored.add(second.substr(40));
    const auto reports = read(file);
    CHECK(says(reports, "second"));
    CHECK_FALSE(says(reports, "first"));
}

TEST_CASE("observed file: one that is written again makes the same reports", "[cli]") {
    Stored stored;
    stored.add(prompt("first"));
    ObservedFile file = stored.open();
    const auto before = read(file);
    std::ofstream(stored.folder.file("new")) << prompt("first");
    std::filesystem::rename(stored.folder.file("new"), stored.path);
    CHECK(read(file) == before);  // their ids are those of their content
    std::ofstream(stored.path, std::ios::trunc) << prompt("other");
    CHECK(says(read(file), "other"));
}

TEST_CASE("observed file: the past is no report, and damaged lines end nothing", "[cli]") {
    Stored stored;
    stored.add("no JSON\n[1]\n" + prompt("first") + std::string("\xff\xfe\n"));
    ObservedFile late = stored.open(4e9);
    CHECK(read(late).empty());
    ObservedFile file = stored.open();
    CHECK(says(read(file), "first"));
}

TEST_CASE("observed file: links and what is no file are refused", "[cli]") {
    Stored stored;
    stored.add(prompt("first"));
    std::filesystem::rename(stored.path, stored.folder.file("other"));
    std::filesystem::create_symlink(stored.folder.file("other"), stored.path);
    std::vector<std::string> reports;
    ObservedFile link = stored.open();
    CHECK_FALSE(link.read(100, reports).has_value());
    std::filesystem::remove(stored.path);
    std::filesystem::create_directory(stored.path);
    ObservedFile folder = stored.open();
    CHECK_FALSE(folder.read(100, reports).has_value());
    CHECK(reports.empty());
}
