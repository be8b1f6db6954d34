// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/command_queue.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "tests/support/engine_answers.hpp"

using namespace headway::server;
using namespace headway::tests;
namespace limits = headway::core::limits;

namespace {

Request request(std::uint64_t slot, std::size_t bytes = 1) {
    Request ask = request_of({}, SessionQuery{"s"});
    ask.reply_to.slot = slot;
    ask.bytes = bytes;
    return ask;
}

bool stage(CommandQueue& queue, std::uint64_t slot, std::size_t bytes = 1) {
    Request ask = request(slot, bytes);
    return queue.stage(ask);
}

bool stage_hook(CommandQueue& queue, std::uint64_t slot) {
    Request request = request_of({}, AgentGoneCommand{"s"});
    request.reply_to.slot = slot;
    return queue.stage(request);
}

/// Takes what is there without waiting.
std::vector<std::uint64_t> take(CommandQueue& queue, std::size_t& left) {
    std::vector<Request> out;
    out.push_back(request(99));  // cleared by take()
    left = queue.take(out, Clock::Steady::time_point::min());
    std::vector<std::uint64_t> slots;
    for (const Request& one : out)
        slots.push_back(one.reply_to.slot);
    return slots;
}

}  // namespace

TEST_CASE("command queue: nothing is taken before it is handed over", "[server]") {
    CommandQueue queue;
    std::size_t left = 0;
    CHECK(stage(queue, 1));
    CHECK(stage(queue, 2));
    CHECK(queue.size() == 2);
    CHECK(take(queue, left).empty());
    queue.hand_over();
    CHECK(queue.size() == 2);
    CHECK(take(queue, left) == std::vector<std::uint64_t>{1, 2});
    CHECK(queue.size() == 0);
    CHECK(left == 0);
}

TEST_CASE("command queue: what is handed over twice is taken once, in order", "[server]") {
    CommandQueue queue;
    std::size_t left = 0;
    stage(queue, 1);
    queue.hand_over();
    stage(queue, 2);
    stage(queue, 3);
    queue.hand_over();
    queue.hand_over();
    CHECK(take(queue, left) == std::vector<std::uint64_t>{1, 2, 3});
    CHECK(take(queue, left).empty());
}

TEST_CASE("command queue: a large backlog comes in batches and in order", "[server]") {
    CommandQueue queue;
    const std::size_t total = 2 * limits::kBatchMax + 5;
    for (std::size_t i = 0; i < total; ++i)
        REQUIRE(stage(queue, i));
    queue.hand_over();
    std::size_t left = 0;
    std::uint64_t next = 0;
    for (const std::size_t expected : {limits::kBatchMax, limits::kBatchMax, std::size_t{5}}) {
        const auto slots = take(queue, left);
        REQUIRE(slots.size() == expected);
        for (const std::uint64_t slot : slots)
            REQUIRE(slot == next++);
        CHECK(left == total - next);
        if (next == limits::kBatchMax) {  // more arrives while the rest of a batch waits
            REQUIRE(stage(queue, total));
            queue.hand_over();
            CHECK(queue.size() == total - next + 1);
            CHECK(take(queue, left).size() == limits::kBatchMax);
            CHECK(take(queue, left).back() == total);
            return;
        }
    }
}

TEST_CASE("command queue: full at its bound, and room again once taken", "[server]") {
    CommandQueue queue;
    for (std::size_t i = 0; i < limits::kCommandQueueMax; ++i)
        REQUIRE(stage(queue, i, 0));
    Request refused = request(7, 3);
    CHECK_FALSE(queue.stage(refused));
    CHECK(refused.reply_to.slot == 7);
    REQUIRE(op_of<SessionQuery>(refused) != nullptr);
    CHECK(op_of<SessionQuery>(refused)->session == "s");
    queue.hand_over();
    CHECK_FALSE(queue.stage(refused));
    std::size_t left = 0;
    (void)take(queue, left);
    CHECK(queue.stage(refused));
}

TEST_CASE("command queue: full at its bytes, and room again once taken", "[server]") {
    CommandQueue queue;
    const std::size_t half = limits::kCommandQueueBytesMax / 2;
    CHECK(stage(queue, 1, half));
    CHECK(stage(queue, 2, half));
    CHECK_FALSE(stage(queue, 3, 1));
    CHECK(stage(queue, 4, 0));
    queue.hand_over();
    std::size_t left = 0;
    (void)take(queue, left);
    CHECK(stage(queue, 3, 1));
}

TEST_CASE("command queue: closing hands over what was staged", "[server]") {
    CommandQueue queue;
    std::size_t left = 0;
    stage(queue, 1);
    queue.close();
    CHECK_FALSE(queue.closed_and_empty());
    CHECK(take(queue, left) == std::vector<std::uint64_t>{1});
    CHECK(queue.closed_and_empty());
}

TEST_CASE("command queue: once closed take returns at once whatever the deadline", "[server]") {
    CommandQueue queue;
    queue.close();
    std::vector<Request> out;
    CHECK(queue.take(out, Clock::Steady::time_point::max()) == 0);
    CHECK(out.empty());
}

// Both comments of server/command_queue.hpp promise it.
TEST_CASE("command queue: once closed nothing more is staged", "[server]") {
    CommandQueue queue;
    queue.close();
    CHECK_FALSE(stage(queue, 1));
    CHECK(queue.closed_and_empty());
}

TEST_CASE("command queue: what is held fills it too", "[server]") {
    CommandQueue queue;
    queue.hold(limits::kCommandQueueMax - 1);
    CHECK(stage(queue, 1));
    CHECK_FALSE(stage(queue, 2));
    queue.hold(0);
    CHECK(stage(queue, 2));
    CHECK(queue.size() == 2);
}

TEST_CASE("command queue: held readers crowd out other readers, but no report", "[server]") {
    CommandQueue queue;
    queue.hold(limits::kCommandQueueMax);
    CHECK_FALSE(stage(queue, 1));
    Request report = request_of({}, ReportCommand{});
    CHECK(queue.stage(report));
}

TEST_CASE("command queue: closed connections are reported once, while requests wait", "[server]") {
    CommandQueue queue;
    queue.forget(7);  // nothing waits: nothing to forget
    CHECK(queue.take_forgotten().empty());
    queue.hold(1);
    queue.forget(7);
    queue.forget(8);
    CHECK(queue.take_forgotten() == std::vector<std::uint64_t>{7, 8});
    CHECK(queue.take_forgotten().empty());
}

TEST_CASE("command queue: a burst of hooks does not stand before a report", "[server]") {
    CommandQueue queue;
    const std::size_t hooks = 3 * CommandQueue::kRationPerTurn + 1;
    for (std::size_t i = 0; i < hooks; ++i)
        REQUIRE(stage_hook(queue, 1000 + i));
    REQUIRE(stage(queue, 1));
    queue.hand_over();
    std::size_t left = 0;
    std::uint64_t next_hook = 1000;
    std::vector<std::uint64_t> slots = take(queue, left);
    REQUIRE(slots.size() == CommandQueue::kRationPerTurn + 1);
    CHECK(slots.front() == 1);
    CHECK(left == hooks - CommandQueue::kRationPerTurn);
    CHECK(queue.size() == left);
    slots.erase(slots.begin());
    REQUIRE(stage(queue, 2));
    queue.hand_over();
    for (;;) {
        for (const std::uint64_t slot : slots) {
            if (slot != 2) REQUIRE(slot == next_hook++);
        }
        if (left == 0) break;
        slots = take(queue, left);
        if (next_hook == 1000 + CommandQueue::kRationPerTurn) CHECK(slots.front() == 2);
    }
    CHECK(next_hook == 1000 + hooks);
    CHECK(queue.size() == 0);
}

TEST_CASE("command queue: large reports do not stand before a small one", "[server]") {
    CommandQueue queue;
    for (std::uint64_t i = 0; i < 8; ++i)
        REQUIRE(stage(queue, 1000 + i, CommandQueue::kLargeBytesPerTurn));
    REQUIRE(stage(queue, 1));
    queue.hand_over();
    std::size_t left = 0;
    CHECK(take(queue, left) == std::vector<std::uint64_t>{1, 1000});
    CHECK(left == 7);
    REQUIRE(stage(queue, 2));
    queue.hand_over();
    CHECK(take(queue, left) == std::vector<std::uint64_t>{2, 1001});
    for (std::uint64_t i = 2; i < 8; ++i)
        CHECK(take(queue, left) == std::vector<std::uint64_t>{1000 + i});
    CHECK(queue.size() == 0);
}

TEST_CASE("command queue: a closed queue is empty when its hooks are taken, too", "[server]") {
    CommandQueue queue;
    REQUIRE(stage_hook(queue, 1));
    queue.close();
    CHECK_FALSE(queue.closed_and_empty());
    std::size_t left = 0;
    CHECK(take(queue, left) == std::vector<std::uint64_t>{1});
    CHECK(queue.closed_and_empty());
}
