// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "api/canonical.hpp"
#include "api/decode.hpp"

// What platforms put around commands and their output.

namespace {

headway::core::CallPrint print_of_report(const std::string& data) {
    headway::api::JsonTape tape;
    const auto report = headway::api::decode_report(
        tape, R"({"type":"tool.finished","data":)" + data + "}", headway::api::BodyFormat::kJson);
    REQUIRE(report.has_value());
    const auto& call = std::get<headway::core::ToolFinished>(report->events.front().payload);
    REQUIRE(call.print);
    return *call.print;
}

std::string ran(const std::string& args, const std::string& result) {
    return R"({"tool":"shell","ok":true,"args":)" + args + R"(,"result":)" + result + "}";
}

}  // namespace

TEST_CASE("canonical: a command may be the words of exec", "[api]") {
    using headway::core::CallKind;
    const auto kind = [](const std::string& args) {
        return print_of_report(ran(args, "\"\"")).kind;
    };
    CHECK(kind(R"({"command":["bash","-lc","cargo test"]})") == CallKind::kVerify);
    CHECK(kind(R"({"command":["cargo","test","--lib"]})") == CallKind::kVerify);
    CHECK(kind(R"({"command":["sh","-c","sleep 30"]})") == CallKind::kSleep);
    CHECK(kind(R"({"command":[]})") == CallKind::kOther);
    CHECK(kind(R"({"command":[1,"cargo test"]})") == CallKind::kOther);
}

TEST_CASE("canonical: how long a command took is no part of its answer", "[api]") {
    const auto outcome = [](const std::string& result) {
        return print_of_report(ran(R"({"command":"make"})", result)).outcome;
    };
    CHECK(outcome(R"({"output":"x","metadata":{"exit_code":0,"duration_seconds":0.7}})") ==
          outcome(R"({"output":"x","metadata":{"exit_code":0,"duration_seconds":1.3}})"));
    CHECK(outcome(R"({"output":"x","metadata":{"exit_code":0}})") !=
          outcome(R"({"output":"x","metadata":{"exit_code":1}})"));
    CHECK(outcome("\"Stdout: x\\nProcess Group PGID: 4711\"") ==
          outcome("\"Stdout: x\\nProcess Group PGID: 4822\""));
}

TEST_CASE("canonical: what an agent may still use up is masked, work that is left is not",
          "[api]") {
    const auto outcome = [](const std::string& text) {
        return print_of_report(ran(R"({"command":"x"})", "\"" + text + "\"")).outcome;
    };
    CHECK(outcome("ok (17 steps left)") == outcome("ok (16 steps left)"));
    CHECK(outcome("attempt 3 failed") == outcome("attempt 4 failed"));
    CHECK(outcome("3 files left") != outcome("2 files left"));
    CHECK(outcome("511 revisions left") != outcome("255 revisions left"));
}

TEST_CASE("canonical: a confirmation with a number that is not the agent's is news", "[api]") {
    using headway::core::Shape;
    const auto print = [](const std::string& args, const std::string& result) {
        return print_of_report(R"({"tool":"scroll","ok":true,"args":)" + args + R"(,"result":")" +
                               result + "\"}");
    };
    CHECK(print(R"({"amount":500})", "Scrolled down 500 px").is(Shape::kAcknowledged));
    CHECK_FALSE(
        print(R"({"amount":500})", "Scrolled. Visible: posts 28 to 36").is(Shape::kAcknowledged));
    CHECK(print_of_report(ran(R"({"command":"psql -c 'update t set a=1'"})", "\"UPDATE 40\""))
              .weak());
}

TEST_CASE("canonical: an action of a screen tool that waits is a wait", "[api]") {
    using headway::core::CallKind;
    const auto kind = [](const std::string& rest) {
        return print_of_report(R"({"tool":"computer","ok":true,"args":{"action":"wait"})" + rest +
                               "}")
            .kind;
    };
    CHECK(kind("") == CallKind::kSleep);
    CHECK(kind(R"(,"result":"Installing 18%")") == CallKind::kPoll);
}
