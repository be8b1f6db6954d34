// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/run_record.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "cli/base/json.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

RunRecord full_record() {
    RunRecord record;
    record.session = "night:1";
    record.mark = "12ab";
    record.generation = "night:1~2";
    record.opened_at = "2026-11-28T01:00:00.000Z";
    record.argv = {"/usr/bin/claude", "-p", "Fix \"it\"\n"};
    record.begins_in = {"/srv", "64768:12", "99:12"};
    record.works_in = {"/srv/../tree", "64768:13", "99:13"};
    record.checks_in = {"/gone", "", ""};
    record.goal = "Fix it";
    record.labels = {"team=night"};
    record.rules = {3, 2h, 10s};
    record.check_most = 1min;
    record.stay_most = 2min;
    record.interval = 1s;
    record.linger = 3s;
    record.check = "make test";
    record.check_dir = "tree";
    record.resume_command = "a {id} {prompt}";
    record.resume_text = "Commit before you go on.";
    record.quiet = true;
    record.began = WallTime{1'795'000'000'000ms};
    record.phase = RunPhase::kWaiting;
    record.agent = "claude";
    record.conversation = "talk-1";
    record.counts = {4, 2, true, true, "abc"};
    record.starts = 5;
    record.checks = 2;
    record.probed = true;
    record.wait.step = {true, true, WallTime{1'795'000'100'000ms}, "the usage limit is reached",
                        "Go on"};
    record.wait.stored = 1'234;
    record.run = {4'711, "123", "boot"};
    record.child = {4'712, "124", "boot"};
    return record;
}

/// The error of read_record() for the full record after this change; empty: none.
std::string fault_after(const std::function<void(Json&)>& change) {
    Json json = *Json::parse(print_record(full_record()));
    change(json);
    const auto read = read_record(dump(json));
    return read ? std::string{} : read.error().detail;
}

/// The paths of all values in the record: "options.check".
std::vector<std::string> paths_in(const Json& json, const std::string& above = {}) {
    std::vector<std::string> paths;
    for (const auto& [name, value] : json.members()) {
        paths.push_back(above + name);
        for (std::string& below : paths_in(value, above + name + "."))
            paths.push_back(std::move(below));
    }
    return paths;
}

Json& at_path(Json& json, const std::string& path) {
    const std::size_t dot = path.find('.');
    return dot == path.npos ? json[path] : at_path(json[path.substr(0, dot)], path.substr(dot + 1));
}

}  // namespace

TEST_CASE("run record: all of it is read as it was written", "[cli]") {
    for (const RunPhase phase : {RunPhase::kWaiting, RunPhase::kRunning, RunPhase::kChecking}) {
        RunRecord record = full_record();
        record.phase = phase;
        if (phase != RunPhase::kWaiting) record.wait = {};
        const auto read = read_record(print_record(record));
        REQUIRE(read);
        CHECK(*read == record);
    }
}

TEST_CASE("run record: a session that is named as a generation goes on as the next one", "[cli]") {
    RunRecord record = full_record();
    record.session = "job~2";
    for (const char* generation : {"job~2", "job~3", "job~10"}) {
        CAPTURE(generation);
        record.generation = generation;
        const auto read = read_record(print_record(record));
        REQUIRE(read);
        CHECK(*read == record);
    }
    for (const char* generation : {"jo~3", "job~x", "other~3"}) {
        CAPTURE(generation);
        record.generation = generation;
        CHECK_FALSE(read_record(print_record(record)));
    }
}

TEST_CASE("run record: each value that is missing or of another kind is named", "[cli]") {
    Json whole = *Json::parse(print_record(full_record()));
    const std::vector<std::string> paths = paths_in(whole);
    CHECK(paths.size() > 50);
    for (const std::string& path : paths) {
        CAPTURE(path);
        const bool text = at_path(whole, path).is_string();
        for (const Json& other :
             {Json{}, Json{1.5}, Json::array({Json{-7}}), Json{-1}, Json{"x"}}) {
            if (text && other.is_string()) continue;
            const std::string fault = fault_after([&](Json& json) { at_path(json, path) = other; });
            CHECK_FALSE(fault.empty());
        }
    }
    CHECK(fault_after([](Json& json) { json["options"].erase("check"); }) ==
          "`options.check` is missing or wrong");
}

TEST_CASE("run record: values out of their range are refused", "[cli]") {
    const std::pair<const char*, Json> wrong[] = {
        {"session", "../x"},
        {"session", ""},
        {"mark", ""},
        {"generation", ".."},
        {"generation", "another"},
        {"argv", Json::array()},
        {"argv", Json::array({Json{""}})},
        {"argv", Json::array({Json{std::string("a\0b", 3)}})},
        {"argv", Json::array({Json{std::string(300'000, 'a')}})},
        {"folder.path", "work"},
        {"folder.path", ""},
        {"folder.identity", ""},
        {"works_in.path", "tree"},
        {"options.max_resumes", 0},
        {"options.max_resumes", 51},
        {"options.margin_ms", 99},
        {"options.margin_ms", 3'600'001},
        {"options.check_limit_ms", 999},
        {"options.interval_ms", 1},
        {"counts.resumes", 51},
        {"counts.in_row", 1'000'000},
        {"until_ms", 1'795'000'000'000},
        {"until_ms", 999'999'999'999'999},
        {"began_ms", -1},
        {"phase", "asleep"},
        {"wait.until_ms", "soon"},
        {"wait.prompt", ""},
        {"wait.prompt", std::string(70'000, 'a')},
        {"process.pid", 9'999'999'999}};
    for (const auto& [path, value] : wrong) {
        CAPTURE(path);
        CHECK_FALSE(fault_after([&, &path = path, &value = value](Json& json) {
                        at_path(json, path) = value;
                    }).empty());
    }
    CHECK(fault_after([](Json& json) {
              json["phase"] = "checking";
              json["options"]["check"] = "";
          }) == "`phase` is missing or wrong");
}

TEST_CASE("run record: a text that is none is refused, and another version is said to be one",
          "[cli]") {
    for (const char* text : {"", "x", "[]", "null", "{", "{}", R"({"version":"1"})"})
        CHECK_FALSE(read_record(text));
    const std::string whole = print_record(full_record());
    for (std::size_t size = 0; size + 2 < whole.size(); size += 7)
        CHECK_FALSE(read_record(whole.substr(0, size)));
    CHECK(fault_after([](Json& json) { json["version"] = 1; }) ==
          "its version is that of another Headway");
    CHECK(fault_after([](Json& json) { json["more"] = 2; }).empty());
}

TEST_CASE("run record: any damage is refused or read, and never more", "[cli]") {
    const std::string whole = print_record(full_record());
    std::size_t read = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char c : {'\0', '"', '9', '{', '\xff', '-'}) {
            std::string text = whole;
            text[at] = c;
            const auto record = read_record(text);
            if (!record) continue;
            ++read;
            CHECK(read_record(print_record(*record)));
        }
    }
    CHECK(read > 100);  // as in the words of the prompt
}

TEST_CASE("run record: one process holds it, and it is gone when that says so", "[cli]") {
    const headway::tests::TempDir folder;
    const std::string state = folder.file("state").string();
    auto file = RecordFile::hold(state, "night:1");
    REQUIRE(file);
    REQUIRE(file->write(full_record()));
    CHECK(*file->read() == full_record());
    struct stat about {};
    REQUIRE(::stat((state + "/runs/night%3A1.json").c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0600);
    REQUIRE(::stat((state + "/runs").c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0700);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(RecordFile::hold(state, "night:1") ? 0 : 7);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 7);
    CHECK(records_in(state).size() == 1);
    file->remove();
    CHECK(fs::is_empty(state + "/runs"));
    CHECK(records_in(state).empty());
    CHECK(file->write(full_record()));  // holds none
    CHECK(fs::is_empty(state + "/runs"));
}

TEST_CASE("run record: what cannot be written is not lost", "[cli]") {
    const headway::tests::TempDir folder;
    const std::string state = folder.file("state").string();
    auto file = RecordFile::hold(state, "night:1");
    REQUIRE(file);
    REQUIRE(file->write(full_record()));
    RunRecord other = full_record();
    other.argv.push_back("\xff");  // it would be another word
    CHECK_FALSE(file->write(other));
    CHECK(*file->read() == full_record());
    fs::create_directory(state + "/runs/night%3A1.json.new");
    other = full_record();
    other.starts = 6;
    CHECK_FALSE(file->write(other));
    CHECK(*file->read() == full_record());
}

TEST_CASE("run record: files that others could have written are left out", "[cli]") {
    const headway::tests::TempDir folder;
    const std::string state = folder.file("state").string();
    auto file = RecordFile::hold(state, "night:1");
    REQUIRE(file);
    REQUIRE(file->write(full_record()));
    const std::string path = state + "/runs/night%3A1.json";
    fs::copy_file(path, state + "/runs/other.json");
    fs::create_symlink(path, state + "/runs/link.json");
    const auto found = records_in(state);
    REQUIRE(found.size() == 3);
    CHECK_FALSE(found[0].record);  // link
    CHECK(found[1].record);
    CHECK_FALSE(found[2].record);  // of another name
    ::chmod(path.c_str(), 0620);
    CHECK_FALSE(file->read());
    ::chmod((state + "/runs").c_str(), 0770);
    CHECK(records_in(state).size() == 1);
    CHECK_FALSE(records_in(state)[0].record);
    CHECK_FALSE(RecordFile::hold(state, "b"));
}

TEST_CASE("run record: no more than a thousand are listed", "[cli]") {
    const headway::tests::TempDir folder;
    fs::create_directories(folder.file("runs"));
    ::chmod(folder.file("runs").c_str(), 0700);
    for (std::size_t i = 0; i < kRecordsMost + 10; ++i)
        std::ofstream{folder.file("runs") / (std::to_string(i) + ".json")} << "x";
    CHECK(records_in(folder.file("").string()).size() == kRecordsMost);
}

TEST_CASE("run record: a process that has ended, or of another boot, does not run", "[cli]") {
    const RecordedProcess own = recorded_process(::getpid());
    CHECK(is_running(own));
    RecordedProcess other = own;
    other.boot = "another";
    CHECK_FALSE(is_running(other));
    other = own;
    other.began += "1";
    CHECK_FALSE(is_running(other));
    const pid_t child = ::fork();
    if (child == 0) ::pause();
    const RecordedProcess running = recorded_process(child);
    CHECK(is_running(running));
    ::kill(child, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    CHECK_FALSE(is_running(running));  // a zombie
    ::waitpid(child, nullptr, 0);
    CHECK_FALSE(is_running(running));
}

TEST_CASE("run record: a folder is the same by its file system after another boot", "[cli]") {
    const headway::tests::TempDir folder;
    RecordedFolder there = recorded_folder(folder.file("").string());
    CHECK(is_same_folder(there, true));
    there.identity = "1:2";  // its device got another number
    CHECK_FALSE(is_same_folder(there, true));
    CHECK(is_same_folder(there, false) == !there.lasting.empty());
    there.lasting = "1:2";
    CHECK_FALSE(is_same_folder(there, false));
    CHECK_FALSE(is_same_folder({"/nowhere", "", ""}, false));
}

TEST_CASE("run record: only a file that was written since the boot has changed since", "[cli]") {
    const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                       ("headway-boot-" + std::to_string(::getpid()) + ".jsonl");
    std::ofstream(file) << "{}\n";
    CHECK(changed_since_boot(file.string()));
    const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours{24 * 3650};
    std::filesystem::last_write_time(file, old);
    CHECK_FALSE(changed_since_boot(file.string()));
    std::filesystem::remove(file);
    CHECK_FALSE(changed_since_boot(file.string()));
    CHECK_FALSE(changed_since_boot(""));
}
