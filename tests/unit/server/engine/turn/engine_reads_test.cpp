// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>

#include "server/testclock/jumps.hpp"
#include "tests/support/hook_command.hpp"
#include "tests/support/supervised.hpp"

// The read phase of a turn.

using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;
namespace core = headway::core;

namespace {

/// A read of so many slices, each of which takes 5 ms.
class SlicedRead final : public ReadTask {
public:
    SlicedRead(int slices, int& done) : left_(slices), done_(done) {}
    core::Result<bool> read(Reader&) override {
        testclock::jump(testclock::Jump::pass(5ms));
        if (--left_ > 0) return false;
        ++done_;
        return true;
    }
    void name(SessionNames&) const override {}
    void arrive(Reader&) override {}
    std::int64_t position() const override { return 0; }
    bool shared() const override { return true; }
    std::size_t bytes() const override { return 0; }
    void answer(Answers&, const ReplyTo&) override {}

private:
    int left_;
    int& done_;
};

Request read_of(int slices, int& done) {
    Request request;
    request.read = std::make_unique<SlicedRead>(slices, done);
    return request;
}

}  // namespace

TEST_CASE("engine: a long read does not hold up a short one, and ends", "[server]") {
    Supervised s;
    int long_done = 0;
    int short_done = 0;
    std::vector<Request> requests;
    for (int i = 0; i < 2; ++i)
        requests.push_back(read_of(1'000, long_done));
    requests.push_back(read_of(1, short_done));
    s.engine().turn(requests, 0);
    for (int turns = 0; turns < 10; ++turns) {
        std::vector<Request> none;
        s.engine().turn(none, 0);
    }
    CHECK(short_done == 1);
    CHECK(long_done == 0);
    for (int turns = 0; turns < 1'000 && long_done < 2; ++turns) {
        std::vector<Request> none;
        s.engine().turn(none, 0);
    }
    CHECK(long_done == 2);
}

TEST_CASE("engine: only a few reads are begun at a time", "[server]") {
    Supervised s;
    int done = 0;
    int last_done = 0;
    std::vector<Request> requests;
    for (int i = 0; i < 20; ++i)
        requests.push_back(read_of(100, done));
    requests.push_back(read_of(1, last_done));
    s.engine().turn(requests, 0);
    for (int turns = 0; turns < 2'000 && last_done == 0; ++turns) {
        std::vector<Request> none;
        s.engine().turn(none, 0);
    }
    CHECK(last_done == 1);
    CHECK(done >= 12);
}

TEST_CASE("engine: a stream gets the events of hooks that were sent before it and run after it",
          "[server]") {
    Supervised s;
    const auto stage = [&s](Request request) { REQUIRE(s.queue().stage(request)); };
    for (std::size_t i = 0; i <= CommandQueue::kRationPerTurn; ++i) {
        const std::string call = std::to_string(i);
        stage(request_of({}, hook_command(R"("event":"pre","tool":"a","call":")" + call + '"')));
    }
    s.queue().set_listening(true);
    stage(request_of({0, 1}, StreamQuery{}));
    s.queue().hand_over();
    std::vector<Request> requests;
    const auto turn = [&] {
        const std::size_t left = s.queue().take(requests, Clock::steady());
        s.last = {};
        s.engine().turn(requests, left);
        return left;
    };
    CHECK(turn() == 1);
    REQUIRE(s.last.replies.size() > 0);
    std::int64_t head = 0;
    for (const Answered& answered : s.last.replies) {
        const Reply reply = reply_of(answered);
        if (const auto* page = std::get_if<StreamReply>(&*reply.what)) head = page->head;
    }
    REQUIRE(head > 0);
    CHECK(turn() == 0);
    REQUIRE_FALSE(s.last.events.empty());
    CHECK(s.last.events.front().cursor == head + 1);
}
