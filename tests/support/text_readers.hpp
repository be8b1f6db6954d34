// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/decode/decode_approvals.hpp"
#include "api/decode/decode_budget.hpp"
#include "api/decode/decode_checks.hpp"
#include "core/redaction/sanitize.hpp"
#include "core/text/bare_code.hpp"
#include "tests/support/gen.hpp"

// Every way in which text of a client comes to be read, and patterns of text that try them.

namespace headway::tests {

using namespace headway::api;

/// Texts that the scanners look for, and their separators.
inline constexpr std::string_view kFragments[] = {"eyJ",
                                                  "eyJ.",
                                                  "eyJa1.",
                                                  "sk-",
                                                  "ghp_",
                                                  "AKIA",
                                                  "hw_",
                                                  "bearer ",
                                                  "Bearer eyJ",
                                                  "-----BEGIN ",
                                                  "-----BEGIN PRIVATE KEY-----",
                                                  "-----END ",
                                                  "-----",
                                                  "://",
                                                  "a://b:c@",
                                                  "@",
                                                  "password=",
                                                  "password: ",
                                                  "\"password\":\"",
                                                  "password='",
                                                  "password=`",
                                                  "token=",
                                                  "token:",
                                                  "cookie: ",
                                                  "authorization: ",
                                                  "authorization: bearer ",
                                                  "--password ",
                                                  "--password \"",
                                                  "--token '-",
                                                  "api_key",
                                                  "secret",
                                                  "=",
                                                  ":",
                                                  ":=",
                                                  "=>",
                                                  "==",
                                                  "\\",
                                                  "\\\\",
                                                  "\"",
                                                  "'",
                                                  "`",
                                                  ">",
                                                  ">>",
                                                  "> ",
                                                  ">&",
                                                  ">/dev/null",
                                                  "2>&1 ",
                                                  "<",
                                                  "|",
                                                  "||",
                                                  "&",
                                                  "&&",
                                                  "& ",
                                                  ";",
                                                  "\n",
                                                  "\r\n",
                                                  "\t",
                                                  " ",
                                                  "    ",
                                                  "(",
                                                  ")",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  "{}",
                                                  "[]",
                                                  "{\"a\":",
                                                  "[1,",
                                                  ",",
                                                  ".",
                                                  "..",
                                                  "/",
                                                  "/* ",
                                                  "*/",
                                                  "// ",
                                                  "# ",
                                                  "<!-- ",
                                                  "-->",
                                                  "./",
                                                  "../",
                                                  "/tmp/",
                                                  "/tmp/tmpab12/",
                                                  "~",
                                                  "$",
                                                  "$(",
                                                  "*",
                                                  "%",
                                                  "#",
                                                  "-",
                                                  "--",
                                                  "_",
                                                  "0",
                                                  "1",
                                                  "9",
                                                  "0x",
                                                  "0xab",
                                                  "12",
                                                  "1.5",
                                                  "1,5",
                                                  "12 ms",
                                                  "3s",
                                                  "1m",
                                                  "05:41",
                                                  "05:41:21",
                                                  "2026-11-21",
                                                  "2026-11-21T",
                                                  "21/Nov/2026",
                                                  "Nov ",
                                                  "Nov 21 ",
                                                  "jan",
                                                  "pid=",
                                                  "timestamp: 1700000000",
                                                  "550e8400-e29b-41d4-a716-446655440000",
                                                  "deadbeef-",
                                                  "a",
                                                  "A",
                                                  "z1",
                                                  "failed",
                                                  "3 failed",
                                                  "1 test ",
                                                  "tests passed",
                                                  "error",
                                                  "Error: ",
                                                  "error 503",
                                                  "line 12",
                                                  "Traceback",
                                                  "File \"",
                                                  "at ",
                                                  "===",
                                                  "sudo ",
                                                  "time ",
                                                  "sed -i ",
                                                  "python test",
                                                  "echo ",
                                                  "cd ",
                                                  "git ",
                                                  "git commit ",
                                                  "<<EOF\n",
                                                  "EOF",
                                                  "http://",
                                                  "https://u:p@h/",
                                                  "C:\\",
                                                  "\xC3\xA9",
                                                  "\xF0\x9F\x98\x80",
                                                  "\xE2\x80\xAE",
                                                  "\x01",
                                                  "<think>",
                                                  "</think>",
                                                  "...[12 chars cut]"};

inline constexpr std::string_view kEnds[] = {"",  "(", "[",     "\"", "'",         "\n",
                                             " ", "@", "-----", ">",  "x",         "}",
                                             "]", "1", ".",     "=",  "password=", "-----END "};

/// A pattern that repeats, so that its length is the only difference.
struct Pattern {
    std::string start;
    std::string unit;
    std::string end;

    std::string of(std::size_t bytes) const {
        std::string text = start;
        while (text.size() < bytes)
            text += unit;
        return text + end;
    }
};

inline Pattern any_pattern(Gen& gen) {
    Pattern pattern;
    if (gen.chance(3)) pattern.start = gen.pick(kFragments);
    for (std::uint64_t i = 1 + gen.below(gen.chance(4) ? 6 : 3); i > 0; --i)
        pattern.unit += gen.pick(kFragments);
    pattern.end = gen.pick(kEnds);
    return pattern;
}

inline std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

/// A text, and the JSON string of it, which is made once for all readers.
struct ClientText {
    explicit ClientText(std::string text) : plain(std::move(text)), json(quoted(plain)) {}

    std::string plain;
    std::string json;
};

using Read = std::function<void(JsonDocument&, const ClientText& text)>;

struct Reader {
    const char* name;
    Read read;
};

/// A reader of reports whose text stands between `before` and `after`.
inline Read report(std::string before, std::string after) {
    return [before = std::move(before), after = std::move(after)](JsonDocument& document,
                                                                  const ClientText& text) {
        (void)decode_report(document, before + text.json + after, BodyFormat::kJson);
    };
}

/// Texts that stand in events.
inline std::vector<Reader> event_readers() {
    return {
        {"message", report(R"({"type":"message","data":{"role":"assistant","text":)", "}}")},
        {"command",
         report(R"({"type":"tool.finished","data":{"tool":"bash","ok":true,"args":{"command":)",
                R"(},"result":"ok"}})")},
        {"tool", report(R"({"type":"tool.finished","data":{"ok":true,"tool":)", "}}")},
        {"edit",
         report(
             R"({"type":"tool.finished","data":{"tool":"edit","ok":true,"args":{"path":"a","content":)",
             R"(},"result":"ok"}})")},
        {"result",
         report(
             R"({"type":"tool.finished","data":{"tool":"bash","ok":true,"args":{"command":"make test"},"result":)",
             "}}")},
        {"failed result",
         report(
             R"({"type":"tool.finished","data":{"tool":"bash","ok":false,"args":{"command":"pytest"},"result":)",
             "}}")},
        {"error",
         report(
             R"({"type":"tool.finished","data":{"tool":"x","ok":false,"error":{"class":"e","message":)",
             "}}}")},
        {"started",
         report(R"({"type":"tool.started","data":{"call_id":"1","tool":"bash","args":{"command":)",
                "}}}")},
        {"reported error",
         report(R"({"type":"error.reported","data":{"class":"api","message":)", "}}")},
        {"fact", report(R"({"type":"fact.learned","data":{"fact":)", "}}")},
        {"reflection", report(R"({"type":"reflection","data":{"text":)", "}}")}};
}

/// Texts that stand in keys, or instead of JSON.
inline std::vector<Reader> shape_readers() {
    return {{"key of arguments",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_report(
                     document,
                     R"({"type":"tool.finished","data":{"tool":"x","ok":true,"args":{)" +
                         text.json + R"(:"some text"}}})",
                     BodyFormat::kJson);
             }},
            {"unknown field",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_report(document,
                                     R"({"type":"heartbeat","data":{)" + text.json + ":1}}",
                                     BodyFormat::kJson);
             }},
            {"raw body",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_report(document, text.plain, BodyFormat::kJson);
             }},
            {"lines",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_report(document, text.plain, BodyFormat::kNdjson);
             }},
            {"raw arguments", [](JsonDocument& document, const ClientText& text) {
                 (void)decode_report(
                     document,
                     R"({"type":"tool.finished","data":{"tool":"x","ok":true,"args":[)" +
                         text.plain + "]}}",
                     BodyFormat::kJson);
             }}};
}

/// Other bodies, and what is shown to a model.
inline std::vector<Reader> body_readers() {
    return {{"heartbeat",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_heartbeat(document, "{\"note\":" + text.json + "}");
             }},
            {"goal",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_open(document, "{\"goal\":" + text.json + "}");
             }},
            {"end",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_end(document, R"({"outcome":"completed","reason":)" + text.json +
                                                ",\"result\":" + text.json + "}");
             }},
            {"cancel",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_cancel(document, "{\"reason\":" + text.json + "}");
             }},
            {"nudge",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_nudge(document, "{\"text\":" + text.json + "}");
             }},
            {"approval",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_approval_request(
                     document,
                     R"({"tool":"bash","summary":"s","args":{"command":)" + text.json + "}}");
             }},
            {"decision",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_decision(document, R"({"decision":"edit","args":{"command":)" +
                                                     text.json + "},\"reason\":" + text.json + "}");
             }},
            {"redeem",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_redeem(document, "{\"args_digest\":" + text.json + "}");
             }},
            {"approve-agent",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_approve_agent(document,
                                            R"({"approved":true,"reason":)" + text.json + "}");
             }},
            {"budget",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_budget_change(
                     document, R"({"set":{"max_steps":5},"reason":)" + text.json + "}");
             }},
            {"check",
             [](JsonDocument& document, const ClientText& text) {
                 (void)decode_check(document, "{\"sessionId\":" + text.json + "}");
             }},
            {"file",
             [](JsonDocument&, const ClientText& text) {
                 for (const char* path : {"a.vue", "a.php", "a.sql"})
                     (void)core::code_of_file(path, text.plain);
             }},
            {"shown to a model", [](JsonDocument&, const ClientText& text) {
                 (void)core::sanitized(text.plain, "/home/dev", 512);
             }}};
}

/// Every way in which text of a client comes to be read.
inline std::vector<Reader> readers() {
    std::vector<Reader> all = event_readers();
    for (const auto& more : {shape_readers(), body_readers()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

inline std::string shown(const Pattern& pattern) {
    return quoted(pattern.start) + " + " + quoted(pattern.unit) + " x N + " + quoted(pattern.end);
}

// Found in the first edition, or by this test.
inline const std::vector<Pattern>& known_patterns() {
    static const std::vector<Pattern> kKnown{{"", "eyJ.", ""},        {"", "eyJ", ""},
                                             {"", ">", ""},           {"", "password=", "("},
                                             {"", "eyJa.", "!"},      {"echo ", ">", "x"},
                                             {"", "password=\\", ""}, {"", "--password \"-", ""},
                                             {"", "a\n", ""},         {"", ";a", ""},
                                             {"", "a|", ""},          {"", "{", ""},
                                             {"", "1 ", ""},          {"", "{}", ""},
                                             {"", "/* ", ""},         {"", "<!--", ""},
                                             {"", "mysql -p' ", ""},  {"curl '", "&", ""},
                                             {"", "a:", ""},          {"", "name: password ", ""},
                                             {"", "nonce=", ""},      {"", "password | ", ""}};
    return kKnown;
}

}  // namespace headway::tests
