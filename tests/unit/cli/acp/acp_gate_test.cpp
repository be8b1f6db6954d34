// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_gate.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/parsed.hpp"

using headway::cli::AcpGate;
using headway::cli::Json;
using headway::tests::parsed;
using Answer = AcpGate::Answer;

namespace {

const Json kRequest = parsed(
    R"({"id":7,"method":"session/request_permission","params":{"options":[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]}})");
const std::string kRefusal =
    R"({"id":7,"jsonrpc":"2.0","result":{"outcome":{"optionId":"n","outcome":"selected"}}})";

std::string answer_of(const std::string& option) {
    return R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":")" +
           option + "\"}}}";
}

Answer reply(AcpGate& gate, const std::string& line) {
    std::optional<bool> allowed;
    return gate.reply("7", line, parsed(line), allowed);
}

}  // namespace

TEST_CASE("acp gate: what the editor allows waits for Headway, byte for byte", "[cli]") {
    AcpGate gate;
    REQUIRE(gate.ask("7", kRequest));
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK(gate.decide("7", false) == answer_of("y"));
    CHECK_FALSE(gate.decide("7", true));
}

TEST_CASE("acp gate: once Headway lets the call run, the editor's answer passes", "[cli]") {
    AcpGate gate;
    REQUIRE(gate.ask("7", kRequest));
    CHECK_FALSE(gate.decide("7", false));
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
}

TEST_CASE("acp gate: a refusal of Headway is the answer, before the editor's or in its place",
          "[cli]") {
    AcpGate gate;
    REQUIRE(gate.ask("7", kRequest));
    CHECK(gate.decide("7", true) == kRefusal);
    CHECK(reply(gate, answer_of("y")) == Answer::kDrop);
    REQUIRE(gate.ask("7", kRequest));
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK(gate.decide("7", true) == kRefusal);
}

TEST_CASE("acp gate: a refusal of the editor is not held", "[cli]") {
    AcpGate gate;
    for (const std::string& line :
         {answer_of("n"), std::string(R"({"id":7,"result":{"outcome":{"outcome":"cancelled"}}})"),
          std::string(R"({"id":7,"error":{"code":-1,"message":"no"}})")}) {
        REQUIRE(gate.ask("7", kRequest));
        CHECK(reply(gate, line) == Answer::kPass);
        CHECK_FALSE(gate.decide("7", true));
    }
}

TEST_CASE("acp gate: replies to other requests pass", "[cli]") {
    AcpGate gate;
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
    REQUIRE(gate.ask("8", kRequest));
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
}

TEST_CASE("acp gate: a request without a way to refuse is cancelled", "[cli]") {
    AcpGate gate;
    REQUIRE(gate.ask(
        "\"x\"",
        parsed(R"({"id":"x","params":{"options":[{"optionId":"y","kind":"allow_once"}]}})")));
    CHECK(gate.decide("\"x\"", true) ==
          R"({"id":"x","jsonrpc":"2.0","result":{"outcome":{"outcome":"cancelled"}}})");
}

TEST_CASE("acp gate: too many open requests are the editor's alone", "[cli]") {
    AcpGate gate;
    for (std::size_t i = 0; i < AcpGate::kOpenMax; ++i)
        CHECK(gate.ask(std::to_string(100 + i), kRequest));
    CHECK_FALSE(gate.ask("7", kRequest));
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
}
