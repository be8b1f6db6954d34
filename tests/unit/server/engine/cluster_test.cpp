// SPDX-License-Identifier: Apache-2.0
#include "server/engine/cluster.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "server/engine/engine.hpp"
#include "tests/support/engine_answers.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/postgres_here.hpp"

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;

namespace {

/// One of several daemons on a database, driven turn by turn on this thread.
class Daemon {
public:
    Daemon(const PostgresHere& here, const std::string& id) : store_(here.daemon(id)) {
        engine_ = std::make_unique<Engine>(
            *store_, clock_, queue_, EngineSettings{},
            [this](std::unique_ptr<Publication> published) { take(std::move(*published)); },
            [](bool, const std::string&) {}, JudgeLink{[](JudgeJob) {}, [](const std::string&) {}});
        require_ok(engine_->recover());
    }

    Answer ask(Command command) {
        replies_.clear();
        std::vector<Request> requests;
        requests.push_back(command.request({0, 1}));
        requests.back().listening = true;
        engine_->turn(requests, 0);
        for (int turns = 0; turns < 1'000 && replies_.empty(); ++turns)
            turn();
        REQUIRE(replies_.size() == 1);
        require_ok(replies_.front().what);
        return *std::move(replies_.front().what);
    }
    void turn() {
        std::vector<Request> none;
        engine_->turn(none, 0);
    }
    /// The numbers that its events got.
    std::vector<std::uint64_t> report(const std::string& session,
                                      std::vector<core::Event> reported) {
        const auto reply = ask(ReportCommand{session, std::move(reported), true, {}});
        std::vector<std::uint64_t> numbers;
        for (const auto& [n, duplicate] : std::get<AdviceReply>(reply).advice.results)
            numbers.push_back(n);
        return numbers;
    }
    StreamReply stream(std::optional<std::int64_t> after) {
        return std::get<StreamReply>(ask(StreamQuery{{}, after}));
    }

    std::vector<headway::storage::StreamEvent> events;  ///< as they were published

private:
    void take(Publication published) {
        for (const Answered& answered : published.replies)
            replies_.push_back(reply_of(answered));
        std::move(published.events.begin(), published.events.end(), std::back_inserter(events));
    }

    Clock clock_;
    CommandQueue queue_;
    std::unique_ptr<headway::storage::PostgresStore> store_;
    std::unique_ptr<Engine> engine_;
    std::vector<Reply> replies_;
};

core::Event call(const std::string& id) {
    core::Event event = beat();
    event.event_id = id;
    return event;
}

}  // namespace

TEST_CASE("cluster: a stream goes on at a daemon that had not heard of its position", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    Daemon one{here, "one"};
    Daemon two{here, "two"};
    two.stream({});
    one.report("s", {call("a"), call("b")});
    const std::int64_t head = one.stream({}).head;
    REQUIRE(head >= 3);
    const StreamReply reply = two.stream(head);
    CHECK(reply.reset.empty());
    CHECK(reply.from == head);
    CHECK(reply.events.empty());
    CHECK(reply.caught_up);
    // It has published them on the way, to those who follow it.
    REQUIRE(two.events.size() == static_cast<std::size_t>(head));
    CHECK(two.events.back().cursor == head);
    one.report("s", {call("c")});
    const std::int64_t newest = one.stream({}).head;
    CHECK(two.stream(newest).reset.empty());
    CHECK(two.events.size() == static_cast<std::size_t>(newest));
    CHECK_FALSE(two.stream(std::numeric_limits<std::int64_t>::max() / 4).reset.empty());
}

TEST_CASE("cluster: daemons that report to one session in turn continue each other", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    Daemon one{here, "one"};
    Daemon two{here, "two"};
    const auto first = one.report("s", {call("a")});
    const auto second = two.report("s", {call("b"), call("a")});
    REQUIRE(second.size() == 2);
    CHECK(second[0] > first[0]);
    CHECK(second[1] == first[0]);  // a duplicate
    CHECK(one.report("s", {call("b")}) == std::vector{second[0]});
    CHECK(one.report("s", {call("c")})[0] > second[0]);
}
