// SPDX-License-Identifier: Apache-2.0
#include "hook/way/use.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

using namespace headway::hook;

namespace {

// As Claude Code 2.1.330 writes them; the ids are the model's.
std::string answer(const std::string& id, int output, const std::string& content = "[]") {
    return R"({"parentUuid":"b","isSidechain":false,"message":{"id":")" + id +
           R"(","type":"message","role":"assistant","content":)" + content +
           R"(,"usage":{"input_tokens":100,"cache_creation_input_tokens":7,)"
           R"("cache_read_input_tokens":30,"output_tokens":)" +
           std::to_string(output) +
           R"(,"cache_creation":{"input_tokens":5}}},"type":"assistant",)"
           R"("timestamp":"2026-11-24T02:24:48.732Z"})"
           "\n";
}

std::string result() {
    return R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result",)"
           R"("content":"{\"usage\":{\"input_tokens\":9}}"}]},"timestamp":"2026-11-24T02:24:49Z"})"
           "\n";
}

std::string record(const std::string& id, int input) {
    return R"({"timestamp":"2026-11-22T11:49:01.294Z","ordinal":12,"type":"token_usage_record",)"
           R"("payload":{"response_id":")" +
           id + R"(","usage":{"input_tokens":)" + std::to_string(input) +
           R"(,"cached_input_tokens":3,"output_tokens":20},)"
           R"("turn_token_usage":{"input_tokens":999,"output_tokens":999}}})"
           "\n";
}

constexpr const char* kAt = ";2026-11-24T02:24:48.732Z;";

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("headway-use-" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream{path / name} << text;
        return (path / name).string();
    }
};

}  // namespace

TEST_CASE("use: each answer of a transcript counts once, by its last line", "[hook]") {
    const std::string text =
        answer("msg_1", 1) + answer("msg_1", 20) + result() + answer("msg_2", 5) + result();
    CHECK(use_in_transcript(text) == std::string{"@2026-11-24T02:24:49Z,msg_1"} + kAt +
                                         "137;20;30;7;0;,msg_2" + kAt + "137;5;30;7;0;");
    CHECK(use_in_transcript("").empty());
    CHECK(use_in_transcript(result()).empty());
}

TEST_CASE("use: what the model writes into a call is not its use", "[hook]") {
    const std::string content =
        R"([{"type":"tool_use","input":{"type":"assistant","id":"x","timestamp":"y",)"
        R"("usage":{"output_tokens":5000},"message":{"id":"z"}}}])";
    CHECK(use_in_transcript(answer("msg_1", 20, content)) ==
          std::string{"msg_1"} + kAt + "137;20;30;7;0;");
}

TEST_CASE("use: of many answers the last 32 are told, oldest first", "[hook]") {
    std::string text;
    for (int i = 0; i < 40; ++i)
        text += answer("msg_" + std::to_string(i), 1) + result();
    const std::string use = use_in_transcript(text);
    CHECK(use.find("Z,msg_8;") != use.npos);
    CHECK(use.find("msg_7;") == use.npos);
    CHECK(use.find("msg_39;") != use.npos);
    CHECK(std::count(use.begin(), use.end(), ',') == kAnswersMax);  // the clock comes first
}

TEST_CASE("use: ids that do not fit a header are left out", "[hook]") {
    for (const std::string id : {"", "a b", "a,b", "a;b", "a\\\"b", "\u00e9"})
        CHECK(use_in_transcript(answer(id, 1)).empty());
    CHECK(use_in_transcript(answer(std::string(65, 'a'), 1)).empty());
    std::string text;
    for (int i = 0; i < kAnswersMax; ++i)
        text += answer(std::string(62, 'a') + std::to_string(10 + i), 999'999'999);
    CHECK(use_in_transcript(text).size() <= kUseBytesMax);
}

TEST_CASE("use: a tail or a line that is cut is no harm", "[hook]") {
    const std::string text = answer("msg_1", 20) + answer("msg_2", 5);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        const std::string use = use_in_transcript(text.substr(cut));
        const bool second = use == std::string{"msg_2"} + kAt + "137;5;30;7;0;";
        CHECK((cut > answer("msg_1", 20).size() || second));
        const std::string begun = use_in_transcript(text.substr(0, cut));
        CHECK((begun.empty() || begun == std::string{"msg_1"} + kAt + "137;20;30;7;0;" ||
               begun == use_in_transcript(text)));
    }
}

TEST_CASE("use: a rollout tells each response", "[hook]") {
    CHECK(use_in_rollout(record("resp_1", 100) + "{\"type\":\"event_msg\"}\n" +
                         record("resp_2", 50)) ==
          "resp_1;2026-11-22T11:49:01.294Z;100;20;3;0;0;,resp_2;2026-11-22T11:49:01.294Z;50;20;3;0;"
          "0;");
}

TEST_CASE("use: a turn is written when its last message is an answer", "[hook]") {
    CHECK(ends_with_answer(result() + answer("msg_1", 1) + "{\"type\":\"last-prompt\"}\n"));
    CHECK_FALSE(ends_with_answer(answer("msg_1", 1) + result()));
    CHECK_FALSE(ends_with_answer(""));
}

TEST_CASE("use: the answer that ends a turn has the words that its hook tells", "[hook]") {
    const std::string before = answer("msg_1", 1);  // the last one is not written yet
    std::string last = answer("msg_2", 1);
    last.insert(last.find("\"usage\""), R"("content":[{"type":"text","text":"It \"works\".\n"}],)");
    CHECK_FALSE(ends_with_answer(before, R"(It \"works\".)"));
    CHECK(ends_with_answer(before + last, R"(It \"works\".)"));
    CHECK(ends_with_answer(before + last));
    CHECK_FALSE(ends_with_answer(last + result(), R"(It \"works\".)"));
}

TEST_CASE("use: a sub-agent has a record of its own", "[hook]") {
    CHECK(record_of(R"({"transcript_path":"/p/s.jsonl"})") == "/p/s.jsonl");
    CHECK(record_of(R"({"transcript_path":"/p/s.jsonl","agent_id":"a1"})") ==
          "/p/s/subagents/agent-a1.jsonl");
    CHECK(record_of(
              R"({"transcript_path":"/p/s.jsonl","agent_id":"a1","agent_transcript_path":"/q"})") ==
          "/q");
    CHECK(record_of(R"({"transcript_path":"/p/s.jsonl","agent_id":"../x"})").empty());
    CHECK(record_of(R"({"transcript_path":"s.jsonl"})").empty());
    CHECK(record_of(R"({"transcript_path":".jsonl","agent_id":"a1"})").empty());
    CHECK(record_of("{}").empty());
}

TEST_CASE("use: only hooks at which it is known tell it", "[hook]") {
    const Folder folder;
    const std::string path = folder.write("s.jsonl", answer("msg_1", 20));
    const auto body = [&](const std::string& event) {
        return R"({"hook_event_name":")" + event + R"(","transcript_path":")" + path + "\"}";
    };
    for (const char* event : {"PostToolBatch", "Stop", "StopFailure", "SubagentStop"})
        CHECK(use_of("claude", body(event)) == std::string{"msg_1"} + kAt + "137;20;30;7;0;");
    for (const char* event : {"PreToolUse", "PostToolUse", "SessionStart", ""})
        CHECK(use_of("claude", body(event)).empty());
    CHECK(use_of("gemini", body("Stop")).empty());
    const std::string rollout = folder.write("r.jsonl", record("resp_1", 100));
    CHECK(use_of("codex", R"({"hook_event_name":"PostToolUse","transcript_path":")" + rollout +
                              "\"}") == "resp_1;2026-11-22T11:49:01.294Z;100;20;3;0;0;");
    CHECK(use_of("claude", R"({"hook_event_name":"Stop","transcript_path":"/dev/zero"})").empty());
    CHECK(use_of("claude", R"({"hook_event_name":"Stop","transcript_path":"/none"})").empty());
}

TEST_CASE("use: the body that tells only the use has the session and nothing else", "[hook]") {
    CHECK(use_body(R"({"session_id":"s-1","tool_calls":[],"prompt":"secret"})") ==
          R"({"hook_event_name":"Usage","session_id":"s-1"})");
    CHECK(use_body(R"({"session_id":"s-1","agent_id":"a1"})") ==
          R"({"hook_event_name":"Usage","session_id":"s-1","agent_id":"a1"})");
    CHECK(use_body("{}").empty());
    CHECK(use_body(R"({"session_id":"a b"})").empty());
}

TEST_CASE("use: a record's lines may be longer than what is read at first", "[hook]") {
    const Folder folder;
    const std::string big(1'500'000, 'x');
    const std::string result_of =
        R"({"type":"user","message":{"role":"user","content":")" + big + "\"}}\n";
    const auto use_in = [&folder](const std::string& text) {
        const std::string path = folder.write("long.jsonl", text);
        const std::string use = use_of(
            "claude", R"({"hook_event_name":"PostToolBatch","transcript_path":")" + path + "\"}");
        return std::count(use.begin(), use.end(), ';') / 7;
    };
    CHECK(use_in(answer("msg_1", 20) + result_of) == 1);
    CHECK(use_in(answer("msg_1", 20) + result_of + answer("msg_2", 5)) == 2);
    CHECK(use_in(answer("msg_1", 20, "[{\"text\":\"" + big + "\"}]") + result_of) == 1);
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += answer("msg_" + std::to_string(i), 1) + result_of;
    CHECK(use_in(text) == 8);
    CHECK(use_in(result_of) == 0);
}

TEST_CASE("use: answers beyond those of one request are told by further ones", "[hook]") {
    const Folder folder;
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += answer("msg_" + std::to_string(i), 1);
    const std::string path = folder.write("many.jsonl", text);
    const std::string body =
        R"({"hook_event_name":"PostToolBatch","transcript_path":")" + path + "\"}";
    CHECK(use_of("claude", body).find("msg_67;") == std::string::npos);
    CHECK(use_of("claude", body).substr(0, 7) == "msg_68;");
    const std::vector<std::string> older = older_uses_of("claude", body);
    REQUIRE(older.size() == 3);
    CHECK(older[0].find("msg_36;") != std::string::npos);
    CHECK(older[0].find("msg_67;") != std::string::npos);
    CHECK(older[2].find("msg_0;") != std::string::npos);
    CHECK(older_uses_of("claude", "{}").empty());
    CHECK(older_uses_of("gemini", body).empty());
}

TEST_CASE("use: the model and what it has thought are told with an answer", "[hook]") {
    const std::string line =
        R"({"type":"assistant","timestamp":"2026-11-24T02:24:48Z","message":{"id":"m","model":)"
        R"("claude-opus-5[1m]","usage":{"input_tokens":1,"output_tokens":9,)"
        R"("output_tokens_details":{"thinking_tokens":4}}}})";
    CHECK(use_in_transcript(line) == "m;2026-11-24T02:24:48Z;1;9;0;0;4;claude-opus-5[1m]");
    std::string odd = line;
    odd.replace(odd.find("claude-opus-5[1m]"), 17, "a,b;c");
    CHECK(use_in_transcript(odd) == "m;2026-11-24T02:24:48Z;1;9;0;0;4;");
}

TEST_CASE("use: what a fork has copied is not its own", "[hook]") {
    const std::string copied =
        R"({"type":"assistant","forkedFrom":{"sessionId":"s","messageUuid":"u"},"timestamp":)"
        R"("2026-11-24T02:24:48Z","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":9}}})";
    CHECK(use_in_transcript(copied).empty());
    const Folder folder;
    const auto of_thread = [](const std::string& id, const std::string& thread) {
        return R"({"timestamp":"2026-11-22T11:49:01Z","type":"token_usage_record","payload":{)"
               R"("thread_id":")" +
               thread + R"(","response_id":")" + id +
               R"(","usage":{"input_tokens":1,"output_tokens":2}}})"
               "\n";
    };
    const std::string path = folder.write("rollout-2026-11-26T23-39-46-child.jsonl",
                                          of_thread("r1", "parent") + of_thread("r2", "child"));
    CHECK(use_of("codex", R"({"hook_event_name":"Stop","transcript_path":")" + path + "\"}") ==
          "r2;2026-11-22T11:49:01Z;1;2");
}

TEST_CASE("use: what a sub-agent's record repeats of its parent is the parent's", "[hook]") {
    const Folder folder;
    const std::string parent = folder.write("p.jsonl", answer("msg_A", 118));
    static_cast<void>(
        folder.write("p/subagents/agent-s1.jsonl", answer("msg_A", 118) + answer("msg_B", 10)));
    const auto use = [](const std::string& more) {
        return use_of("claude", R"({"hook_event_name":"PostToolBatch","transcript_path":)" + more);
    };
    const std::string own = use("\"" + parent + R"(","agent_id":"s1"})");
    CHECK(own.find("msg_A") == std::string::npos);
    CHECK(own.find("msg_B;") != std::string::npos);
    CHECK(use("\"" + parent + "\"}").find("msg_A;") != std::string::npos);
    // Answers of sub-agents that an older version writes into the parent's record stay theirs.
    std::string both = answer("msg_B", 10);
    both.replace(both.find("\"isSidechain\":false"), 19, "\"isSidechain\":true");
    static_cast<void>(folder.write("p.jsonl", answer("msg_A", 118) + both));
    CHECK(use("\"" + parent + R"(","agent_id":"s1"})").find("msg_B;") != std::string::npos);
}
