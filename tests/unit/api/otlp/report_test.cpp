// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/otlp/report.hpp"
#include "core/base/limits.hpp"

using namespace headway;
using namespace headway::api::otlp;

namespace {

Said call(const std::string& key, const std::string& args, const std::string& result) {
    Said record;
    record.kind = SaidKind::kCall;
    record.agent = "claude";
    record.session = "s";
    record.key = key;
    record.call.tool = "Bash";
    record.call.args = args;
    record.call.result = result;
    return record;
}

core::ToolFinished finished(const Said& record) {
    api::JsonDocument document;
    const Reports reports = report(document, std::vector{record});
    REQUIRE(reports.rejected == 0);
    REQUIRE(reports.sessions.size() == 1);
    REQUIRE(reports.sessions.front().events.size() == 1);
    const auto* call = std::get_if<core::ToolFinished>(&reports.sessions[0].events[0].payload);
    REQUIRE(call != nullptr);
    return *call;
}

}  // namespace

TEST_CASE("calls with the same arguments and result have the same fingerprint") {
    const auto first = finished(call("otlp-1", R"({"command":"make"})", "failed"));
    const auto second = finished(call("otlp-2", R"({"command":"make"})", "failed"));
    CHECK(first.args.kept == R"({"command":"make"})");
    REQUIRE(first.fingerprint);
    CHECK(first.fingerprint == second.fingerprint);
}

TEST_CASE("a call whose arguments or result are not known equals no other") {
    const auto fingerprint = [](const char* key, const char* args, const char* result) {
        return finished(call(key, args, result)).fingerprint;
    };
    CHECK(fingerprint("otlp-1", R"({"command":"make"})", "") !=
          fingerprint("otlp-2", R"({"command":"make"})", ""));
    CHECK(fingerprint("otlp-1", "", "done") != fingerprint("otlp-2", "", "done"));
}

TEST_CASE("arguments that are no JSON object are an input") {
    CHECK(finished(call("k", "ls -la", "x")).args.kept == R"({"input":"ls -la"})");
    CHECK(finished(call("k", R"({"broken":)", "x")).args.kept == R"({"input":"{\"broken\":"})");
    const std::string deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}";
    CHECK(finished(call("k", deep, "x")).args.kept.starts_with(R"({"input":"{)"));
}

TEST_CASE("arguments that would break their event are an input") {
    for (const char* args : {R"({"a":1},{"b":2})", "{}],[{}", "{}]],[[{}", "{}]],0,[[{}"})
        CHECK(finished(call("k", args, "x")).args.kept.starts_with(R"({"input":"{)"));
    std::string many = R"({"a":[0)";
    for (std::size_t i = 0; i < core::limits::kJsonNodesMax - 8; ++i)
        many += ",0";
    CHECK(finished(call("k", many + "]}", "x")).ok);
}

TEST_CASE("a duration above a century is left out") {
    Said record = call("k", "{}", "x");
    record.call.duration_ms = UINT64_MAX;
    CHECK_FALSE(finished(record).duration_ms);
    record.call.duration_ms = 1'500;
    CHECK(finished(record).duration_ms == 1'500);
}

TEST_CASE("long names of calls are shortened, and a call stays the same call") {
    Said record = call("k", "x", "y");
    record.call.id = std::string(500, 'c');
    record.call.tool = std::string(5000, 't');
    const auto one = finished(record);
    CHECK(one.call_id.size() == 32);
    CHECK(one.tool.size() == 512);
    CHECK(one.call_id == finished(record).call_id);
}

TEST_CASE("the answer of a model alone opens no session of a trace") {
    Said used;
    used.kind = SaidKind::kUsage;
    used.session = "aa";
    used.by_trace = true;
    used.usage.input_tokens = 7;
    api::JsonDocument document;
    CHECK_FALSE(report(document, std::vector{used}).sessions.front().opens);
    used.by_trace = false;
    CHECK(report(document, std::vector{used}).sessions.front().opens);
}

TEST_CASE("records of more sessions than one export may have are rejected with a word") {
    std::vector<Said> all;
    for (std::size_t i = 0; i < kSessionsMax + 3; ++i) {
        all.push_back(call("k" + std::to_string(i), "x", "y"));
        all.back().session = "s" + std::to_string(i);
    }
    api::JsonDocument document;
    const Reports reports = report(document, all);
    CHECK(reports.sessions.size() == kSessionsMax);
    CHECK(reports.rejected == 3);
    CHECK(reports.why == "send records of at most 64 sessions at once");
}

TEST_CASE("a use that is none is rejected with a word") {
    Said use;
    use.kind = SaidKind::kUsage;
    use.session = "s";
    use.key = "k";
    use.beyond = true;
    api::JsonDocument document;
    const Reports reports = report(document, std::vector{use, call("k2", "x", "y")});
    CHECK(reports.rejected == 1);
    CHECK(reports.why.find("tokens") != std::string::npos);
    CHECK(reports.sessions.size() == 1);
}

TEST_CASE("a record that is nothing but a sign of life is one heartbeat for all of them") {
    Said alive;
    alive.session = "s";
    api::JsonDocument document;
    const Reports reports = report(document, std::vector{alive, alive, alive});
    REQUIRE(reports.sessions.size() == 1);
    CHECK(reports.sessions.front().events.size() == 1);
}

TEST_CASE("secrets are cut out of calls and prompts") {
    const core::SecretFinder secrets{{}, {}};
    api::JsonDocument document;
    document.redact_with(&secrets);
    Said record = call(
        "k",
        R"({"command":"curl -H 'Authorization: Bearer sk-ant-api03-0123456789abcdef0123456789'"})",
        "AKIAIOSFODNN7EXAMPLE");
    const Reports reports = report(document, std::vector{record});
    const auto& done = std::get<core::ToolFinished>(reports.sessions[0].events[0].payload);
    CHECK(done.args.kept.find("sk-ant") == std::string::npos);
    CHECK(done.result.kept.find("AKIA") == std::string::npos);
}
