// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_gate.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/parsed.hpp"

using headway::cli::AcpAction;
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
    return gate.reply("7", line, parsed(line)).answer;
}

/// Headway's answer to the last question.
std::optional<std::string> decide(AcpGate& gate, const std::string& id, bool refused) {
    std::optional<std::string> line;
    for (std::uint64_t serial = 1; serial < 1'000 && !line; ++serial)
        line = gate.decide(id, serial, refused);
    return line;
}

/// The serial of the question, or 0.
std::uint64_t ask(AcpGate& gate, const std::string& id = "7", const Json& request = kRequest) {
    AcpAction asking;
    asking.kind = AcpAction::Kind::kAsk;
    asking.session = "s";
    asking.type = "call";
    asking.request = id;
    asking.data = {{"hook", {{"tool", "edit"}}}, {"started", Json::object()}};
    const auto put = gate.ask(asking, request);
    return put ? put->serial : 0;
}

}  // namespace

TEST_CASE("acp gate: a session waits for the editor as long as one of its requests has no answer",
          "[cli]") {
    AcpGate gate;
    CHECK_FALSE(gate.waits_for_editor("s"));
    ask(gate);
    ask(gate, "8");
    CHECK(gate.waits_for_editor("s"));
    CHECK_FALSE(gate.waits_for_editor("another"));
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK(decide(gate, "7", false).has_value());
    CHECK(gate.waits_for_editor("s"));
    CHECK(decide(gate, "8", true).has_value());
    CHECK_FALSE(gate.waits_for_editor("s"));
}

TEST_CASE("acp gate: what the editor allows waits for Headway, byte for byte", "[cli]") {
    AcpGate gate;
    REQUIRE(ask(gate));
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK(decide(gate, "7", false) == answer_of("y"));
    CHECK_FALSE(decide(gate, "7", true));
}

TEST_CASE("acp gate: Headway is asked again when the editor answers after it", "[cli]") {
    AcpGate gate;
    for (const bool refused : {false, true}) {
        REQUIRE(ask(gate));
        CHECK_FALSE(decide(gate, "7", false));
        const AcpGate::Reply again = gate.reply("7", answer_of("y"), parsed(answer_of("y")));
        CHECK(again.answer == Answer::kAskAgain);
        CHECK_FALSE(again.asking.data.contains("started"));
        CHECK(decide(gate, "7", refused) == (refused ? kRefusal : answer_of("y")));
    }
}

TEST_CASE("acp gate: a refusal of the editor names the call", "[cli]") {
    AcpGate gate;
    REQUIRE(ask(gate));
    const AcpGate::Reply reply = gate.reply("7", answer_of("n"), parsed(answer_of("n")));
    CHECK(reply.refused);
    CHECK((reply.asking.session == "s" && reply.asking.type == "call"));
}

TEST_CASE("acp gate: refused calls whose dialogs stay open make room for others", "[cli]") {
    AcpGate gate;
    for (std::size_t i = 0; i < 3 * AcpGate::kOpenMax; ++i) {
        const std::string id = std::to_string(i);
        REQUIRE(ask(gate, id));
        CHECK(decide(gate, id, true));
    }
}

TEST_CASE("acp gate: a refusal of Headway is the answer, before the editor's or in its place",
          "[cli]") {
    AcpGate gate;
    REQUIRE(ask(gate));
    CHECK(decide(gate, "7", true) == kRefusal);
    CHECK(reply(gate, answer_of("y")) == Answer::kDrop);
    REQUIRE(ask(gate));
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK(decide(gate, "7", true) == kRefusal);
}

TEST_CASE("acp gate: a refusal of the editor is not held", "[cli]") {
    AcpGate gate;
    for (const std::string& line :
         {answer_of("n"), std::string(R"({"id":7,"result":{"outcome":{"outcome":"cancelled"}}})"),
          std::string(R"({"id":7,"error":{"code":-1,"message":"no"}})")}) {
        REQUIRE(ask(gate));
        CHECK(reply(gate, line) == Answer::kPass);
        CHECK_FALSE(decide(gate, "7", true));
    }
}

TEST_CASE("acp gate: replies to other requests pass", "[cli]") {
    AcpGate gate;
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
    REQUIRE(ask(gate, "8"));
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
}

TEST_CASE("acp gate: a request without a way to refuse is cancelled", "[cli]") {
    AcpGate gate;
    REQUIRE(
        ask(gate, "\"x\"",
            parsed(R"({"id":"x","params":{"options":[{"optionId":"y","kind":"allow_once"}]}})")));
    CHECK(decide(gate, "\"x\"", true) ==
          R"({"id":"x","jsonrpc":"2.0","result":{"outcome":{"outcome":"cancelled"}}})");
}

TEST_CASE("acp gate: a refusal names no option that may allow", "[cli]") {
    const std::string cancelled =
        R"({"id":7,"jsonrpc":"2.0","result":{"outcome":{"outcome":"cancelled"}}})";
    for (const char* options :
         {R"([{"optionId":"x","kind":"allow_once"},{"optionId":"x","kind":"reject_once"}])",
          R"([{"kind":"allow_once"},{"kind":"reject_once"}])"}) {
        AcpGate gate;
        const Json request =
            parsed(R"({"id":7,"params":{"options":)" + std::string(options) + "}}");
        REQUIRE(ask(gate, "7", request));
        CHECK(decide(gate, "7", true) == cancelled);
    }
}

TEST_CASE("acp gate: one open request too many is not known to it", "[cli]") {
    AcpGate gate;
    for (std::size_t i = 0; i < AcpGate::kOpenMax; ++i)
        CHECK(ask(gate, std::to_string(100 + i)));
    CHECK_FALSE(ask(gate));
    CHECK_FALSE(gate.reply("7", answer_of("y"), parsed(answer_of("y"))).known);
    CHECK(gate.reply("100", answer_of("n"), parsed(answer_of("n"))).known);
}

TEST_CASE("acp gate: an answer to an earlier request of the same id is none", "[cli]") {
    AcpGate gate;
    const std::uint64_t first = ask(gate);
    CHECK(reply(gate, answer_of("n")) == Answer::kPass);
    const std::uint64_t second = ask(gate);
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK_FALSE(gate.decide("7", first, false));
    CHECK(gate.decide("7", second, false) == answer_of("y"));
}

TEST_CASE("acp gate: a turn that is over answers what is open, once", "[cli]") {
    const std::string cancelled =
        R"({"id":7,"jsonrpc":"2.0","result":{"outcome":{"outcome":"cancelled"}}})";
    for (const bool held : {false, true}) {
        AcpGate gate;
        const std::uint64_t serial = ask(gate);
        if (held) CHECK(reply(gate, answer_of("y")) == Answer::kHold);
        CHECK(gate.close("other").empty());
        const auto closed = gate.close("s");
        REQUIRE(closed.size() == 1);
        CHECK(closed.front().line == cancelled);
        CHECK(closed.front().asking.serial == serial);
        CHECK_FALSE(gate.decide("7", serial, false));
        CHECK(reply(gate, answer_of("y")) == Answer::kDrop);
        CHECK(gate.close("s").empty());
    }
    AcpGate gate;
    REQUIRE(ask(gate));
    CHECK(gate.close("s", true).front().line == kRefusal);
}

TEST_CASE("acp gate: a second yes of the editor is no second answer", "[cli]") {
    AcpGate gate;
    REQUIRE(ask(gate));
    CHECK(reply(gate, answer_of("y")) == Answer::kHold);
    CHECK(decide(gate, "7", false));
    CHECK(reply(gate, answer_of("y")) == Answer::kDrop);
    CHECK_FALSE(gate.begin("7"));  // the agent uses the id again, for something else
    CHECK(reply(gate, answer_of("y")) == Answer::kPass);
}

TEST_CASE("acp gate: two requests of one id have no answer in common", "[cli]") {
    AcpGate gate;
    const std::uint64_t serial = ask(gate);
    const auto closed = gate.begin("7");
    REQUIRE(closed);
    CHECK(closed->line == kRefusal);
    CHECK_FALSE(gate.decide("7", serial, false));
    CHECK(reply(gate, answer_of("y")) == Answer::kDrop);
}

TEST_CASE("acp gate: it remembers where a daemon has had the call", "[cli]") {
    AcpGate gate;
    for (const bool reached : {false, true}) {
        const std::uint64_t serial = ask(gate);
        CHECK_FALSE(gate.decide("7", serial, false, reached));
        const AcpAction again = gate.reply("7", answer_of("y"), parsed(answer_of("y"))).asking;
        CHECK(again.reached == reached);
        CHECK(again.data.contains("started") != reached);  // a daemon has had it already
        CHECK(decide(gate, "7", false));
    }
}

TEST_CASE("acp gate: an answer that cannot be read refuses what it may be about", "[cli]") {
    AcpGate gate;
    CHECK_FALSE(gate.may_answer(""));
    for (const char* id : {"7", "8"}) {
        AcpAction asking;
        asking.request = id;
        gate.ask(asking, kRequest);
    }
    CHECK((gate.may_answer("") && gate.may_answer("7")));
    CHECK_FALSE(gate.may_answer("9"));
    CHECK(gate.refuse("9").empty());
    const auto one = gate.refuse("7");
    REQUIRE(one.size() == 1);
    CHECK((one[0].asking.request == "7" && one[0].line == kRefusal));
    CHECK(gate.may_answer("7"));  // it has had its answer
    CHECK(reply(gate, answer_of("y")) == Answer::kDrop);
    CHECK(gate.refuse("").size() == 1);
    CHECK_FALSE(gate.may_answer(""));
}
