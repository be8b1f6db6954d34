// SPDX-License-Identifier: Apache-2.0
#include "hook/text/rollout.hpp"

#include <catch2/catch.hpp>

using namespace headway::hook;

namespace {

std::string item(const std::string& call, const std::string& code,
                 const std::string& output = "ok") {
    return R"({"type":"event_msg","payload":{"item":{"type":"CommandExecution","id":")" + call +
           R"(","aggregated_output":")" + output + R"(","exit_code":)" + code + "}}}\n";
}

}  // namespace

TEST_CASE("rollout: the exit code is that of the last execution of the call", "[hook]") {
    const std::string rollout = item("call_1", "1") + item("call_2", "0") + item("call_1", "137") +
                                R"({"type":"other","id":"call_1","exit_code":9})"
                                "\n" +
                                item("call_10", "5");
    CHECK(exit_code_in(rollout, "call_1") == "137");
    CHECK(exit_code_in(rollout, "call_2") == "0");
    CHECK(exit_code_in(rollout, "call_10") == "5");
    CHECK(exit_code_in(rollout, "call_3").empty());
    CHECK(exit_code_in(rollout, "").empty());
    CHECK(exit_code_in("", "call_1").empty());
}

TEST_CASE("rollout: what a command prints is not taken for its exit code", "[hook]") {
    const std::string output = R"(\"exit_code\":99,\"CommandExecution\" \"call_2\" \\)";
    const std::string rollout = item("call_2", "3") + item("call_1", "-15", output);
    CHECK(exit_code_in(rollout, "call_1") == "-15");
    CHECK(exit_code_in(rollout, "call_2") == "3");
}

TEST_CASE("rollout: what is no number is no exit code", "[hook]") {
    for (const char* code : {"null", "\"1\"", "-", "", "123456789012"})
        CHECK(exit_code_in(item("call_1", code), "call_1").empty());
    CHECK(exit_code_in(item("call_1", " 7"), "call_1") == "7");
}

TEST_CASE("rollout: a line that the tail cuts is no harm", "[hook]") {
    const std::string rollout = item("call_1", "1") + item("call_2", "2");
    for (std::size_t begin = 0; begin < rollout.size(); ++begin) {
        const std::string_view code =
            exit_code_in(std::string_view{rollout}.substr(begin), "call_2");
        CHECK((code == "2" || begin > item("call_1", "1").size()));
    }
}
