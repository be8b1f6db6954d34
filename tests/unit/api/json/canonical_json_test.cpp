// SPDX-License-Identifier: Apache-2.0
#include "api/json/canonical_json.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway::api;

namespace {

/// A body whose values stay valid as long as it lives.
struct ParsedText {
    JsonDocument document;
    explicit ParsedText(const std::string& text) {
        INFO(text);
        REQUIRE(document.parse(text).has_value());
    }
    JsonValue root() const { return document.root(); }
};

std::string canonical_text(const std::string& json, bool mask = false) {
    const ParsedText parsed{json};
    std::string out;
    append_canonical(out, parsed.root(), mask);
    return out;
}

std::string text_without_paths(const std::string& json) {
    const ParsedText parsed{json};
    std::string out;
    append_without_paths(out, parsed.root());
    return out;
}

std::string member_text(const std::string& json, std::string_view name) {
    const ParsedText parsed{json};
    const auto found = member(parsed.root(), name);
    if (!found) return "none";
    std::string out;
    found->append_to(out);
    return out;
}

std::string found_under(const std::string& json, const auto& keys) {
    const ParsedText parsed{json};
    return std::string{text_under(std::optional{parsed.root()}, keys)};
}

std::string json_of_command(std::string_view key, std::string_view command) {
    return R"({")" + std::string{key} + R"(":")" + std::string{command} + R"("})";
}

}  // namespace

TEST_CASE("canonical json: a member is found by its exact name and only in an object", "[api]") {
    struct Case {
        const char* name;
        const char* json;
        const char* found;
    };
    const Case cases[] = {
        {"a text", R"({"b":1,"a":"x"})", R"("x")"},
        {"false is a value", R"({"a":false})", "false"},
        {"an empty text is a value", R"({"a":""})", R"("")"},
        {"null is absent", R"({"a":null,"b":1})", "none"},
        {"another case", R"({"A":1})", "none"},
        {"only deeper", R"({"b":{"a":1}})", "none"},
        {"an array", R"(["a"])", "none"},
        {"a text as a whole", R"("a")", "none"},
        {"null as a whole", "null", "none"},
        {"nothing", "{}", "none"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            CHECK(member_text(c.json, "a") == c.found);
        }
    }
}

TEST_CASE("canonical json: a key given twice reaches no member, because it is refused", "[api]") {
    JsonDocument document;
    CHECK_FALSE(document.parse(R"({"a":1,"a":2})").has_value());
}

TEST_CASE("canonical json: the text under a list is that of its first key, in any place", "[api]") {
    struct Case {
        const char* name;
        const char* json;
        const char* found;
    };
    const Case cases[] = {
        {"the order of the list counts", R"({"file":"f","path":"p"})", "p"},
        {"the same in the other order", R"({"path":"p","file":"f"})", "p"},
        {"spelled in another way", R"({"File-Path":"x"})", "x"},
        {"two spellings: the first", R"({"file_path":"x","filePath":"y"})", "x"},
        {"an empty text is passed over", R"({"path":"","file":"f"})", "f"},
        {"what is no text is passed over", R"({"path":["p"],"file":"f"})", "f"},
        {"null is passed over", R"({"path":null,"cwd":"c"})", "c"},
        {"a key of 24 letters that is no match", R"({"abcdefghijklmnopqrstuvwx":"x"})", ""},
        {"a key too long for any list", R"({"pathpathpathpathpathpathpath":"x"})", ""},
        {"not deeper", R"({"a":{"path":"p"}})", ""},
        {"an array", R"(["path"])", ""},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            CHECK(found_under(c.json, kPathKeys) == c.found);
        }
    }
    CHECK(text_under(std::nullopt, kPathKeys).empty());
    CHECK(found_under(R"({"input":"i","code":"c","CMD":"m"})", kCommandKeys) == "m");
}

TEST_CASE("canonical json: a key is compared without case and separators, if it fits", "[api]") {
    std::array<char, 24> buffer{};
    CHECK(plain_key("File_Path", buffer) == "filepath");
    CHECK(plain_key("notebook-path", buffer) == "notebookpath");
    CHECK(plain_key("__-", buffer).empty());
    CHECK(plain_key(std::string(24, 'A'), buffer) == std::string(24, 'a'));
    CHECK(plain_key(std::string(25, 'A'), buffer).empty());
    CHECK(plain_key(std::string(24, 'A') + "____", buffer) == std::string(24, 'a'));
}

TEST_CASE("canonical json: a path is plain without what changes nothing", "[api]") {
    const std::pair<const char*, const char*> cases[] = {
        {"a/b", "a/b"},   {"./a/b", "a/b"}, {"././a", "a"},    {"a/b/", "a/b"}, {"a//", "a"},
        {"/", "/"},       {"//", "/"},      {"./", ""},        {"", ""},        {".", "."},
        {"../a", "../a"}, {".a/", ".a"},    {"a/./b", "a/./b"}};
    for (const auto& [path, plain] : cases) {
        DYNAMIC_SECTION("'" << path << "'") {
            CHECK(plain_path(path) == plain);
        }
    }
}

TEST_CASE("canonical json: the form sorts keys and leaves out null and volatile members", "[api]") {
    CHECK(canonical_text(R"({"b":1,"a":[true,null,"x"],"c":null})") ==
          R"({a:[true,null,"x",],b:1,})");
    CHECK(canonical_text("[2,1]") == "[2,1,]");  // the order of an array is a part of it
    CHECK(canonical_text("{}") == "{}");
    CHECK(canonical_text("-2.50") == "-2.5");
}

TEST_CASE("canonical json: keys that say when or which time are no part of the form", "[api]") {
    for (const char* key : {"attempt",
                            "attempt_number",
                            "attemptNumber",
                            "retry",
                            "retries",
                            "retry_count",
                            "Retry-Count",
                            "t",
                            "ts",
                            "timestamp",
                            "nonce",
                            "request_id",
                            "requestId",
                            "req_id",
                            "trace_id",
                            "span_id",
                            "correlation_id",
                            "message_id",
                            "receipt",
                            "receipt_handle",
                            "duration",
                            "duration_ms",
                            "elapsed",
                            "elapsed_ms",
                            "elapsed_seconds",
                            "latency",
                            "latency_ms",
                            "took",
                            "took_ms",
                            "started_at",
                            "finished_at",
                            "completed_at",
                            "generated_at",
                            "fetched_at",
                            "checked_at",
                            "server_time",
                            "pid",
                            "tid",
                            "idempotency_key",
                            "run_id",
                            "invocation_id"}) {
        CAPTURE(key);
        const std::string with =
            R"({"a":1,")" + std::string{key} + R"(":7,"b":{")" + key + R"(":"x"}})";
        CHECK(canonical_text(with) == "{a:1,b:{},}");
        CHECK(canonical_text(with, true) == "{a:1,b:{},}");
    }
    for (const char* key : {"attempts", "retryable", "id", "time", "times", "at", "date", "page",
                            "offset", "n", "tt", "count", "run", "key", "message", "update_at"}) {
        CAPTURE(key);
        CHECK(canonical_text(json_of_command(key, "7")) == "{" + std::string{key} + ":\"7\",}");
    }
}

TEST_CASE("canonical json: a path is plain under the keys of paths only", "[api]") {
    CHECK(canonical_text(R"({"path":"./a/"})") == R"({path:"a",})");
    CHECK(canonical_text(R"({"notebook_path":"./a/"})") == R"({notebook_path:"a",})");
    CHECK(canonical_text(R"({"text":"./a/"})") == R"({text:"./a/",})");
    CHECK(canonical_text(R"({"path":["./a/"]})") == R"({path:["./a/",],})");
    // In a result it is what was answered.
    CHECK(canonical_text(R"({"path":"./a/"})", true) == R"({path:"./a/",})");
}

TEST_CASE("canonical json: what an edit writes is the form without its paths", "[api]") {
    CHECK(text_without_paths(R"({"file_path":"a","content":"x","cwd":"/"})") ==
          R"({content:"x",})");
    CHECK(text_without_paths(R"({"edits":[{"path":"a","new":"x"}]})") ==
          R"({edits:[{new:"x",path:"a",},],})");
    CHECK(text_without_paths(R"({"path":"a"})") == "{}");
}

TEST_CASE("canonical json: volatile parts of a text are masked in a result only", "[api]") {
    const std::string first = R"({"log":"done at 2026-11-21T02:37:00Z in 0.31s"})";
    const std::string second = R"({"log":"done at 2026-11-22T05:01:09Z in 0.28s"})";
    CHECK(canonical_text(first, true) == canonical_text(second, true));
    CHECK(canonical_text(first) != canonical_text(second));
    CHECK(canonical_text(R"("9 failed")", true) != canonical_text(R"("8 failed")", true));
}

TEST_CASE("canonical json: a comment for people is no part of a one-line shell command", "[api]") {
    for (const char* key : {"command", "cmd", "script", "commandline", "Command_Line", "CMD"}) {
        CAPTURE(key);
        CHECK(canonical_text(json_of_command(key, "make x # try 3")) ==
              canonical_text(json_of_command(key, "make x")));
    }
    for (const char* key : {"code", "input", "text", "query", "content", "path"}) {
        CAPTURE(key);
        CHECK(canonical_text(json_of_command(key, "make x # try 3")) !=
              canonical_text(json_of_command(key, "make x")));
    }
}

TEST_CASE("canonical json: only a # between blanks begins a comment of a command", "[api]") {
    const auto form = [](const char* command) {
        return canonical_text(json_of_command("command", command));
    };
    CHECK(form("make # a") == form("make # b"));
    CHECK(form("make #") == form("make"));
    CHECK(form("make #3") != form("make #4"));  // an issue, a channel, a colour
    CHECK(form("curl x/#a") != form("curl x/#b"));
    CHECK(form("echo '# a'") != form("echo '# b'"));
    CHECK(form("cat <<E # a") != form("cat <<E # b"));
    // A comment in code of more lines may be why it was written again.
    CHECK(form(R"(make # a\nmake y)") != form(R"(make # b\nmake y)"));
    CHECK(form(R"(make\n)") != form("make"));
}

TEST_CASE("canonical json: a comment stays in a result and in a list of words", "[api]") {
    CHECK(canonical_text(json_of_command("command", "make # a"), true) !=
          canonical_text(json_of_command("command", "make # b"), true));
    CHECK(canonical_text(R"({"command":["make","# a"]})") !=
          canonical_text(R"({"command":["make","# b"]})"));
}

TEST_CASE("canonical json: a cursor or ETag beside a list is no part of a result", "[api]") {
    const auto result = [](const std::string& text) { return canonical_text(text, true); };
    CHECK(result(R"({"items":["a"],"nextCursor":"x1","etag":"e1"})") ==
          result(R"({"items":["a"],"nextCursor":"x2","etag":"e2"})"));
    CHECK(result(R"({"items":["a"],"etag":"e1"})") != result(R"({"items":["b"],"etag":"e1"})"));
    // It may be the answer.
    CHECK(result(R"({"key":"a","etag":"e1"})") != result(R"({"key":"a","etag":"e2"})"));
    CHECK(canonical_text(R"({"items":["a"],"nextCursor":"x1"})") !=
          canonical_text(R"({"items":["a"],"nextCursor":"x2"})"));
}

TEST_CASE("canonical json: JSON in a text is read as JSON, twice inside each other", "[api]") {
    CHECK(canonical_text(R"({"args":"{\"b\":1.0,\"a\":2}"})") ==
          canonical_text(R"({"args":{"a":2,"b":1}})"));
    CHECK(canonical_text(R"(" [1, 2] ")") == "[1,2,]");
    CHECK(canonical_text(R"("{\"attempt\":1}")") == "{}");
    CHECK(canonical_text(R"("{no json}")") == R"("{no json}")");
    CHECK(canonical_text(R"("{]")") == R"("{]")");
    CHECK(canonical_text(R"("1.0")") == R"("1.0")");  // a text that is a number stays a text
    const std::string twice = R"(["[\"[1.0]\"]"])";
    CHECK(canonical_text(twice) == "[[[1,],],]");
    const std::string thrice = R"(["[\"[\\\"[1.0]\\\"]\"]"])";
    CHECK(canonical_text(thrice) == R"([[["[1.0]",],],])");
}

TEST_CASE("canonical json: a text beyond its bound is cut", "[api]") {
    constexpr std::size_t kMost = 256U << 10;
    const std::string first = canonical_text("\"" + std::string(kMost + 10, 'x') + "\"", true);
    CHECK(first.size() == kMost + 2);
    const std::string items = "[\"" + std::string(kMost, 'x') + "\",\"after\"]";
    CHECK(canonical_text(items).find("after") == std::string::npos);
}
