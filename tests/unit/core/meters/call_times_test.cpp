// SPDX-License-Identifier: Apache-2.0
#include "core/meters/call_times.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

Event moved(Event event, std::int64_t ms) {
    event.at = at(ms);
    return event;
}

Event finished(const std::string& call, const std::string& tool,
               std::optional<std::uint64_t> duration_ms = {}) {
    ToolFinished data;
    data.call_id = call;
    data.tool = tool;
    data.duration_ms = duration_ms;
    return event(std::move(data));
}

Samples samples(std::initializer_list<std::uint64_t> values) {
    Samples all;
    for (const std::uint64_t value : values)
        all.add(value);
    return all;
}

}  // namespace

TEST_CASE("call times: a call lasts from its start to its end, or as long as it says",
          "[expectations]") {
    CallTimes times;
    times.note(moved(tool_started("a"), 0));
    times.note(moved(tool_started("b"), 1000));
    times.note(moved(finished("a", "bash"), 4000));
    times.note(moved(finished("b", "bash", 50), 9000));
    times.note(moved(finished("never started", "bash"), 9000));
    times.note(moved(finished({}, "read", 7), 9000));
    REQUIRE(times.tools().size() == 2);
    CHECK(times.tools()[0].name == "bash");
    CHECK(times.tools()[0].samples == samples({4000, 50}));
    CHECK(times.tools()[1].name == "read");
    CHECK(times.tools()[1].samples == samples({7}));
}

TEST_CASE("call times: the wait for a person's approval is not the tool's time", "[expectations]") {
    CallTimes times;
    ToolStarted asked;
    asked.call_id = "a";
    asked.tool = "deploy";
    asked.requires_approval = true;
    times.note(moved(event(asked), 0));
    times.note(moved(finished("a", "deploy"), 3'600'000));
    CHECK(times.tools().empty());
    times.note(moved(event(asked), 0));
    times.note(moved(finished("a", "deploy", 20), 3'600'000));
    CHECK(times.tools().size() == 1);
}

TEST_CASE("call times: a call that the rules ask about, or that is paused, teaches nothing",
          "[expectations]") {
    CallTimes times;
    times.note(moved(tool_started("a"), 0));
    ApprovalRequested request;
    request.call_id = "a";
    REQUIRE(CallTimes::notes(event(request)));
    times.note(moved(event(request), 1));
    times.note(moved(finished("a", "bash"), 3'600'000));
    CHECK(times.tools().empty());

    times.note(moved(tool_started("b"), 0));
    times.note(moved(tool_started("c"), 0));
    request.call_id = "b";
    times.note(moved(event(request), 1));
    times.note(moved(finished("c", "bash"), 20));
    REQUIRE(times.tools().size() == 1);
    CHECK(times.tools()[0].samples == samples({20}));

    times.note(moved(tool_started("d"), 0));
    DirectiveIssued pause;
    pause.kind = DirectiveKind::kPause;
    REQUIRE(CallTimes::notes(event(pause)));
    times.note(moved(event(pause), 1));
    times.note(moved(finished("d", "bash"), 3'600'000));
    CHECK(times.tools()[0].samples == samples({20}));
}

TEST_CASE("call times: a clock that went back gives no negative time", "[expectations]") {
    CallTimes times;
    times.note(moved(tool_started("a"), 5000));
    times.note(moved(finished("a", "bash"), 0));
    CHECK(times.tools()[0].samples == samples({0}));
}

TEST_CASE("call times: whatever an agent reports, they are bounded", "[expectations]") {
    CallTimes times;
    for (int i = 0; i < 100'000; ++i) {
        const std::string name = std::to_string(i);
        times.note(moved(tool_started(name, "tool" + name), i));
        times.note(moved(finished("x" + name, "tool" + std::to_string(i % 97),
                                  static_cast<std::uint64_t>(i) * 99'991),
                         i));
    }
    times.note(moved(finished({}, std::string(limits::kExpectedNameBytesMax + 1, 'x'), 1), 0));
    CHECK(times.tools().size() == limits::kExpectedToolsMax);
    CHECK(times.bytes() < 64 * 1024);
}
