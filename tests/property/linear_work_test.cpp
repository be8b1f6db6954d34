#include <time.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode.hpp"
#include "api/decode_approvals.hpp"
#include "api/decode_budget.hpp"
#include "api/decode_checks.hpp"

#include "core/mask.hpp"
#include "core/sanitize.hpp"
#include "core/secrets.hpp"
#include "tests/support/gen.hpp"

// The work of reading what a client sends grows with its length and not with its square: one small
// request must not hold up every other agent. Work is counted, not timed: the compiler calls
// __sanitizer_cov_trace_pc in each basic block of the sources that read text
// (tests/CMakeLists.txt), and memchr is wrapped, since libstdc++ searches with it. What else the C
// library does is bounded by the processor time of one thread, against that for prose of the same
// length.

namespace {

std::uint64_t steps = 0;

}  // namespace

extern "C" {
void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_pc() {
    ++steps;
}

void* __real_memchr(const void* bytes, int c, std::size_t size);
void* __wrap_memchr(const void* bytes, int c, std::size_t size);
void* __wrap_memchr(const void* bytes, int c, std::size_t size) {
    void* found = __real_memchr(bytes, c, size);
    const std::size_t passed = found == nullptr
                                   ? size
                                   : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                              static_cast<const char*>(bytes));
    steps += 1 + passed / 16;
    return found;
}
}

using namespace headway;
using namespace headway::api;
using headway::tests::Gen;
using headway::tests::seed;

namespace {

/// What the scanners look for, and what separates it.
constexpr std::string_view kFragments[] = {"eyJ",
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

constexpr std::string_view kEnds[] = {"",  "(", "[",     "\"", "'",         "\n",
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

Pattern any_pattern(Gen& gen) {
    Pattern pattern;
    if (gen.chance(3)) pattern.start = gen.pick(kFragments);
    for (std::uint64_t i = 1 + gen.below(gen.chance(4) ? 6 : 3); i > 0; --i)
        pattern.unit += gen.pick(kFragments);
    pattern.end = gen.pick(kEnds);
    return pattern;
}

std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

using Read = std::function<void(JsonTape&, const std::string& text)>;

struct Reader {
    const char* name;
    Read read;
};

/// A reader of reports whose text stands between `before` and `after`.
Read report(std::string before, std::string after) {
    return [before = std::move(before), after = std::move(after)](JsonTape& tape,
                                                                  const std::string& text) {
        (void)decode_report(tape, before + quoted(text) + after, BodyFormat::kJson);
    };
}

/// Every way in which text of a client comes to be read.
const std::vector<Reader>& readers() {
    static const std::vector<Reader> kReaders{
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
        {"reflection", report(R"({"type":"reflection","data":{"text":)", "}}")},
        {"key of arguments",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_report(
                 tape,
                 R"({"type":"tool.finished","data":{"tool":"x","ok":true,"args":{)" + quoted(text) +
                     R"(:"some text"}}})",
                 BodyFormat::kJson);
         }},
        {"unknown field",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_report(tape, R"({"type":"heartbeat","data":{)" + quoted(text) + ":1}}",
                                 BodyFormat::kJson);
         }},
        {"raw body",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_report(tape, text, BodyFormat::kJson);
         }},
        {"lines",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_report(tape, text, BodyFormat::kNdjson);
         }},
        {"raw arguments",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_report(
                 tape,
                 R"({"type":"tool.finished","data":{"tool":"x","ok":true,"args":[)" + text + "]}}",
                 BodyFormat::kJson);
         }},
        {"heartbeat",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_heartbeat(tape, "{\"note\":" + quoted(text) + "}");
         }},
        {"goal",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_open(tape, "{\"goal\":" + quoted(text) + "}");
         }},
        {"end",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_end(tape, R"({"outcome":"completed","reason":)" + quoted(text) +
                                        ",\"result\":" + quoted(text) + "}");
         }},
        {"cancel",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_cancel(tape, "{\"reason\":" + quoted(text) + "}");
         }},
        {"nudge",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_nudge(tape, "{\"text\":" + quoted(text) + "}");
         }},
        {"approval",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_approval_request(
                 tape, R"({"tool":"bash","summary":"s","args":{"command":)" + quoted(text) + "}}");
         }},
        {"decision",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_decision(tape, R"({"decision":"edit","args":{"command":)" + quoted(text) +
                                             "},\"reason\":" + quoted(text) + "}");
         }},
        {"redeem",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_redeem(tape, "{\"args_digest\":" + quoted(text) + "}");
         }},
        {"approve-agent",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_approve_agent(tape, R"({"approved":true,"reason":)" + quoted(text) + "}");
         }},
        {"budget",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_budget_change(tape,
                                        R"({"set":{"max_steps":5},"reason":)" + quoted(text) + "}");
         }},
        {"check",
         [](JsonTape& tape, const std::string& text) {
             (void)decode_check(tape, "{\"sessionId\":" + quoted(text) + "}");
         }},
        {"shown to a model",
         [](JsonTape&, const std::string& text) { (void)core::sanitized(text, "/work", 512); }}};
    return kReaders;
}

std::uint64_t steps_of(const Reader& reader, JsonTape& tape, const std::string& text) {
    const std::uint64_t before = steps;
    reader.read(tape, text);
    return steps - before;
}

double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Reader& reader, JsonTape& tape, const std::string& text) {
    const double before = thread_seconds();
    reader.read(tape, text);
    return thread_seconds() - before;
}

bool is_long() {
    return std::getenv("HEADWAY_LONG") != nullptr;
}

const core::SecretFinder& secrets() {
    static const core::SecretFinder kSecrets;
    return kSecrets;
}

/// As clients write: sentences, some code, a number now and then.
std::string prose(std::size_t bytes) {
    constexpr std::string_view kSentence =
        "The test in tests/unit/parser_test.cpp fails since the last change: expected 3 items, got "
        "2. I will read src/parser.cpp and look at how the list is closed.\n";
    std::string text;
    while (text.size() < bytes)
        text += kSentence;
    return text;
}

std::string shown(const Pattern& pattern) {
    return quoted(pattern.start) + " + " + quoted(pattern.unit) + " x N + " + quoted(pattern.end);
}

// Found in the first edition, or by this test.
const std::vector<Pattern>& known_patterns() {
    static const std::vector<Pattern> kKnown{{"", "eyJ.", ""},        {"", "eyJ", ""},
                                             {"", ">", ""},           {"", "password=", "("},
                                             {"", "eyJa.", "!"},      {"echo ", ">", "x"},
                                             {"", "password=\\", ""}, {"", "--password \"-", ""},
                                             {"", "a\n", ""},         {"", ";a", ""},
                                             {"", "a|", ""},          {"", "{", ""},
                                             {"", "1 ", ""},          {"", "{}", ""}};
    return kKnown;
}

}  // namespace

TEST_CASE("property: the work of reading a text grows in proportion to its length", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    REQUIRE(secrets().find("token=abcdefgh1", 0));
    const std::uint64_t counted = steps;
    REQUIRE(counted > 0);  // the counter is compiled in
    Gen gen{seed()};
    JsonTape tape;
    tape.redact_with(&secrets());
    std::vector<Pattern> patterns = known_patterns();
    for (int i = 0; i < (is_long() ? 2'000 : 80); ++i)
        patterns.push_back(any_pattern(gen));
    constexpr std::size_t kShort = 8'000;
    constexpr std::uint64_t kTimes = 4;
    for (const Pattern& pattern : patterns) {
        const std::string small = pattern.of(kShort);
        const std::string large = pattern.of(kTimes * kShort);
        for (const Reader& reader : readers()) {
            const std::uint64_t few = steps_of(reader, tape, small);
            const std::uint64_t many = steps_of(reader, tape, large);
            INFO(reader.name << ": " << shown(pattern) << ": " << few << " steps for "
                             << small.size() << " bytes, " << many << " for " << large.size());
            // Sorting the members of an object costs a logarithm more; tables of small things a
            // constant.
            CHECK(many <= few * kTimes * 3 / 2 + 20'000);
        }
    }
}

TEST_CASE("property: a megabyte of any pattern costs at most 20 times a megabyte of prose",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    JsonTape tape;
    tape.redact_with(&secrets());
    constexpr std::size_t kBytes = 1'000'000;
    std::vector<Pattern> patterns = known_patterns();
    for (int i = 0; i < (is_long() ? 100 : 3); ++i)
        patterns.push_back(any_pattern(gen));
    const std::string plain = prose(kBytes);
    for (const Reader& reader : readers()) {
        double usual = std::numeric_limits<double>::max();
        for (int i = 0; i < 3; ++i)
            usual = std::min(usual, seconds_of(reader, tape, plain));
        // What refuses prose at its first byte shows nothing of what reading costs.
        usual = std::max(usual, 0.005);
        for (const Pattern& pattern : patterns) {
            const std::string text = pattern.of(kBytes);
            double least = std::numeric_limits<double>::max();
            for (int i = 0; i < 5 && least > 20 * usual; ++i)
                least = std::min(least, seconds_of(reader, tape, text));
            INFO(reader.name << ": " << shown(pattern) << ": " << least << " s, prose " << usual);
            CHECK(least <= 20 * usual);
        }
    }
}
