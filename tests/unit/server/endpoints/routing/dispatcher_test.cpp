// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/routing/dispatcher.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/approvals/approvals.hpp"
#include "core/base/limits.hpp"
#include "tests/support/engine_answers.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/listener.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// Clients that leave at any moment between their request and its publication. The test plays the
// engine: it takes commands from the queue and publishes.

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
namespace storage = headway::storage;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

struct Scheduler {
    TempDir dir;
    net::io_context io{1};
    Clock clock;
    CommandQueue queue;
    std::vector<std::string> warnings;
    Dispatcher dispatcher{
        io, {}, clock, queue, [this](const std::string& line) { warnings.push_back(line); }};
    std::vector<Request> asked;

    Scheduler() {
        require_ok(dispatcher.access().adopt_operator(dir.file("operator.token")));
        require_ok(dispatcher.http().listen("127.0.0.1", 0));
    }
    ~Scheduler() {
        dispatcher.stop();
        dispatcher.http().drain();
        run_until(io, [this] { return dispatcher.drained(); });
    }

    Wire send(const std::string& method, const std::string& path, const std::string& body = "",
              const std::string& headers = "") {
        Wire far = connect_to(dispatcher.http().port());
        far.send(method + " " + path +
                 " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(dispatcher.http().port()) +
                 "\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body);
        return far;
    }
    Wire beat(const std::string& session) {
        return send("POST", "/v1/sessions/" + session + "/heartbeat", "{}");
    }
    /// The next command that reaches the engine.
    Request next() {
        REQUIRE(run_until(io, [this] {
            if (asked.empty() && queue.size() > 0) queue.take(asked, Clock::steady());
            return !asked.empty();
        }));
        Request first = std::move(asked.front());
        asked.erase(asked.begin());
        return first;
    }
    static core::SessionView view(const std::string& id, std::uint64_t n = 1) {
        core::SessionView session_view;
        session_view.id = id;
        session_view.n = n;
        session_view.judgement = std::make_shared<core::Judgement>();
        return session_view;
    }
    Answered advice(const ReplyTo& to, const std::string& session) {
        AdviceReply reply;
        reply.session = session;
        return answered(to, Answer{std::move(reply)});
    }
    void publish(Publication publication) {
        publication.stats.writable = true;
        dispatcher.publish(publication);
    }
    bool gone() {
        return run_until(io, [this] { return dispatcher.http().stats().open == 0; });
    }
    bool has_answer(Wire& far) {
        return run_until(io, [&] { return far.read().find("\r\n\r\n") != std::string::npos; });
    }
    storage::StreamEvent event(const std::string& session, std::uint64_t n) {
        storage::StreamEvent stream_event;
        stream_event.cursor = static_cast<std::int64_t>(n);
        stream_event.session = session;
        stream_event.event = beat_event();
        stream_event.event.n = n;
        stream_event.event.at = at(0);
        return stream_event;
    }
    static core::Event beat_event() { return headway::tests::beat(); }
};

}  // namespace

TEST_CASE("dispatcher: a client that is gone before its report is answered", "[server]") {
    Scheduler scheduler;
    Wire far = scheduler.beat("s");
    const Request request = scheduler.next();
    SECTION("it is known to be gone") {
        far.reset();
        REQUIRE(scheduler.gone());
    }
    SECTION("it is not known yet") {
        far.reset();
    }
    SECTION("it has only half closed") {
        far.half_close();
    }
    Publication publication;
    publication.views.push_back(Scheduler::view("s"));
    publication.replies.push_back(scheduler.advice(request.reply_to, "s"));
    scheduler.publish(std::move(publication));
    if (far.open()) {
        CHECK(scheduler.has_answer(far));
        CHECK(far.received().starts_with("HTTP/1.1 200"));
    }
    CHECK(scheduler.gone());
}

TEST_CASE("dispatcher: a reply does not reach the next client with the same index", "[server]") {
    Scheduler scheduler;
    Wire far = scheduler.beat("s");
    const Request request = scheduler.next();
    far.reset();
    REQUIRE(scheduler.gone());
    Wire next = scheduler.beat("t");
    const Request second = scheduler.next();
    Publication publication;
    publication.views.push_back(Scheduler::view("s"));
    publication.replies.push_back(scheduler.advice(request.reply_to, "s"));
    scheduler.publish(std::move(publication));
    run_ready(scheduler.io);
    CHECK(next.read().empty());
    Publication late;
    late.views.push_back(Scheduler::view("t"));
    late.replies.push_back(scheduler.advice(second.reply_to, "t"));
    scheduler.publish(std::move(late));
    REQUIRE(scheduler.has_answer(next));
    CHECK(count(next.received(), "HTTP/1.1 200") == 1);
}

TEST_CASE("dispatcher: a session that is deleted in the turn of a report to it", "[server]") {
    Scheduler scheduler;
    Wire far = scheduler.beat("s");
    const Request request = scheduler.next();
    Publication publication;
    publication.views.push_back(Scheduler::view("s"));
    publication.deleted.emplace_back("s");
    publication.replies.push_back(scheduler.advice(request.reply_to, "s"));
    scheduler.publish(std::move(publication));
    REQUIRE(scheduler.has_answer(far));
    CHECK(far.received().starts_with("HTTP/1.1 404"));
}

TEST_CASE("dispatcher: a view stays for the replies that come in a later part of its turn",
          "[server]") {
    Scheduler scheduler;
    const auto reported = [](std::size_t from, std::size_t count) {
        Publication publication;
        for (std::size_t i = from; i < from + count; ++i)
            publication.views.push_back(Scheduler::view("s" + std::to_string(i)));
        return publication;
    };
    scheduler.publish(reported(0, core::limits::kViewsUnreadMax));
    Wire far = scheduler.beat("s0");
    const Request request = scheduler.next();
    Publication first = reported(core::limits::kViewsUnreadMax, 256);
    first.views.push_back(Scheduler::view("s0", 2));
    first.more = true;
    scheduler.publish(std::move(first));
    Publication rest;
    rest.replies.push_back(scheduler.advice(request.reply_to, "s0"));
    scheduler.publish(std::move(rest));
    REQUIRE(scheduler.has_answer(far));
    CHECK(far.received().starts_with("HTTP/1.1 200"));
}

TEST_CASE(
    "dispatcher: the last follower resets while its event, its progress and its wait are "
    "published",
    "[server]") {
    for (int round = 0; round < 30; ++round) {
        Scheduler scheduler;
        std::vector<Wire> followers;
        for (const char* path : {"/v1/sessions/s/stream", "/v1/stream", "/progress/s/stream"})
            followers.push_back(scheduler.send("GET", path));
        std::vector<Answered> pages;
        for (int i = 0; i < 3; ++i) {
            StreamReply page;
            page.caught_up = true;
            pages.push_back(answered(scheduler.next().reply_to, Answer{std::move(page)}));
        }
        Publication opened;
        opened.views.push_back(Scheduler::view("s"));
        opened.replies = std::move(pages);
        scheduler.publish(std::move(opened));
        Wire waiting = scheduler.send("GET", "/v1/sessions/s/wait?until=ended");
        Wire steady = scheduler.send("GET", "/livez");
        REQUIRE(scheduler.has_answer(steady));
        for (Wire& far : followers)
            far.reset();
        waiting.reset();
        Publication publication;
        core::SessionView ended = Scheduler::view("s", 2);
        ended.ended = true;
        publication.views.push_back(ended);
        publication.events.push_back(scheduler.event("s", 2));
        publication.events.push_back(scheduler.event("t", 3));
        publication.events.push_back(scheduler.event("s", 4));
        scheduler.publish(std::move(publication));
        steady.close();
        REQUIRE(scheduler.gone());
    }
}

TEST_CASE(
    "dispatcher: a stream whose session is unknown is refused, also when no client listens "
    "any more",
    "[server]") {
    Scheduler scheduler;
    Wire here = scheduler.send("GET", "/v1/sessions/none/stream");
    const Request first = scheduler.next();
    Wire gone = scheduler.send("GET", "/v1/sessions/none/stream");
    const Request second = scheduler.next();
    gone.reset();
    Publication publication;
    for (const Request* request : {&first, &second}) {
        publication.replies.push_back(
            answered(request->reply_to,
                     core::Error{core::ErrorCode::kUnknownSession, "no such session", ""}));
    }
    scheduler.publish(std::move(publication));
    REQUIRE(scheduler.has_answer(here));
    CHECK(here.received().starts_with("HTTP/1.1 404"));
}

TEST_CASE("dispatcher: the error of a report is not taken for that of the stream behind it",
          "[server]") {
    Scheduler scheduler;
    const std::string host =
        "Host: 127.0.0.1:" + std::to_string(scheduler.dispatcher.http().port());
    Wire far = connect_to(scheduler.dispatcher.http().port());
    far.send("POST /v1/sessions/s/heartbeat HTTP/1.1\r\n" + host +
             "\r\nContent-Length: 0\r\n\r\nGET /v1/sessions/s/stream HTTP/1.1\r\n" + host +
             "\r\n\r\n");
    const Request report = scheduler.next();
    const Request stream = scheduler.next();
    Publication refused;
    refused.replies.push_back(
        answered(report.reply_to, core::Error{core::ErrorCode::kSessionEnded, "it has ended", ""}));
    scheduler.publish(std::move(refused));
    REQUIRE(scheduler.has_answer(far));
    CHECK(far.received().starts_with("HTTP/1.1 409"));
    StreamReply page;
    page.caught_up = true;
    Publication begun;
    begun.replies.push_back(answered(stream.reply_to, Answer{std::move(page)}));
    scheduler.publish(std::move(begun));
    CHECK(run_until(scheduler.io, [&] { return count(far.read(), "event: hello") == 1; }));
}

TEST_CASE("dispatcher: a stream that cannot be fed any more is ended, not left waiting",
          "[server]") {
    Scheduler scheduler;
    Wire far = scheduler.send("GET", "/v1/stream?last_event_id=0");
    StreamReply page;
    page.events.push_back(scheduler.event("s", 1));
    Publication first;
    first.replies.push_back(answered(scheduler.next().reply_to, Answer{std::move(page)}));
    scheduler.publish(std::move(first));
    const Request more = scheduler.next();
    Publication failed;
    failed.replies.push_back(
        answered(more.reply_to, core::Error{core::ErrorCode::kStorageUnavailable, "no disk", ""}));
    scheduler.publish(std::move(failed));
    REQUIRE(run_until(scheduler.io, [&] {
        far.read();
        return far.ended();
    }));
    CHECK(count(far.received(), "id: 1\n") == 1);
}

TEST_CASE("dispatcher: a report to a session whose id was free is answered", "[server]") {
    Scheduler scheduler;
    Wire far = scheduler.beat("s");
    Publication publication;
    publication.replaced.emplace_back("s");
    publication.views.push_back(Scheduler::view("s"));
    publication.replies.push_back(scheduler.advice(scheduler.next().reply_to, "s"));
    scheduler.publish(std::move(publication));
    REQUIRE(scheduler.has_answer(far));
    CHECK(far.received().starts_with("HTTP/1.1 200"));
}

TEST_CASE("dispatcher: what follows a session or waits for it ends when it is deleted",
          "[server]") {
    Scheduler scheduler;
    Publication open;
    open.views.push_back(Scheduler::view("s"));
    scheduler.publish(std::move(open));
    Wire waits = scheduler.send("GET", "/v1/sessions/s/wait?until=ended");
    Wire far = scheduler.send("GET", "/v1/sessions/s/stream?last_event_id=0");
    const ReplyTo first = scheduler.next().reply_to;
    StreamReply page;
    page.session = "s";
    page.events.push_back(scheduler.event("s", 1));
    page.caught_up = true;
    Publication deleted;
    deleted.deleted.emplace_back("s");
    SECTION("although it has just begun") {
        deleted.replies.push_back(answered(first, Answer{std::move(page)}));
    }
    SECTION("that is live") {
        Publication begun;
        begun.replies.push_back(answered(first, Answer{std::move(page)}));
        scheduler.publish(std::move(begun));
        deleted.events.push_back(scheduler.event("s", 2));  // of the one that has its id now
    }
    scheduler.publish(std::move(deleted));
    REQUIRE(run_until(scheduler.io, [&] {
        far.read();
        return far.ended();
    }));
    CHECK(count(far.received(), "event: goodbye") == 1);
    CHECK(count(far.received(), "id: 1\n") == 1);
    CHECK(count(far.received(), "id: 2\n") == 0);
    REQUIRE(scheduler.has_answer(waits));
    CHECK(waits.received().starts_with("HTTP/1.1 404"));
}

TEST_CASE(
    "dispatcher: a view that cannot be read is an error for those who wait, and asked for "
    "again",
    "[server]") {
    Scheduler scheduler;
    for (int round = 0; round < 2; ++round) {
        Wire progress = scheduler.send("GET", "/progress/s");
        Wire waits = scheduler.send("GET", "/v1/sessions/s/wait?until=ended");
        REQUIRE(op_of<ViewQuery>(scheduler.next()) != nullptr);
        REQUIRE(run_until(scheduler.io, [&] {
            return scheduler.dispatcher.http().stats().requests >=
                   static_cast<std::uint64_t>(2 * round + 2);
        }));
        ViewReply view;
        view.session = "s";
        view.error = core::Error{core::ErrorCode::kStorageUnavailable, "no disk", ""};
        Publication publication;
        publication.replies.push_back(answered({}, Answer{std::move(view)}));
        scheduler.publish(std::move(publication));
        REQUIRE(scheduler.has_answer(progress));
        REQUIRE(scheduler.has_answer(waits));
        CHECK(progress.received().starts_with("HTTP/1.1 503"));
        CHECK(waits.received().starts_with("HTTP/1.1 503"));
    }
}

TEST_CASE("dispatcher: going down answers those who wait and leaves none behind", "[server]") {
    Scheduler scheduler;
    Wire waits = scheduler.send("GET", "/v1/sessions/s/wait?until=ended");
    Wire gone = scheduler.send("GET", "/v1/sessions/s/wait?until=ended");
    scheduler.next();
    Publication publication;
    publication.views.push_back(Scheduler::view("s"));
    ViewReply view;
    view.session = "s";
    view.view = std::make_unique<core::SessionView>(Scheduler::view("s"));
    publication.replies.push_back(answered({}, Answer{std::move(view)}));
    scheduler.publish(std::move(publication));
    run_ready(scheduler.io);
    gone.reset();
    scheduler.dispatcher.drain();
    REQUIRE(scheduler.has_answer(waits));
    CHECK(count(waits.received(), "\"met\":false") == 1);
    waits.close();
    CHECK(scheduler.gone());
}

TEST_CASE("dispatcher: an answer that found the queue full is passed on as things stand then",
          "[server]") {
    Scheduler scheduler;
    Request filler = request_of({}, UseTokensCommand{});
    filler.bytes = core::limits::kCommandQueueBytesMax;
    REQUIRE(scheduler.queue.stage(filler));
    JudgeReply reply;
    reply.session = "s";
    reply.text = "A";
    scheduler.dispatcher.judged(std::move(reply));
    CHECK(scheduler.queue.size() == 1);  // only what filled it
    scheduler.queue.hand_over();
    std::vector<Request> taken;
    scheduler.queue.take(taken, Clock::steady());
    REQUIRE(taken.size() == 1);

    Wire follower = scheduler.send("GET", "/v1/stream");  // followed since then
    const Request page = scheduler.next();
    CHECK(op_of<StreamQuery>(page) != nullptr);
    scheduler.dispatcher.second(Clock::steady());
    const Request passed = scheduler.next();
    REQUIRE(op_of<JudgedCommand>(passed) != nullptr);
    CHECK(op_of<JudgedCommand>(passed)->reply.session == "s");
    CHECK(scheduler.queue.listening());
    scheduler.dispatcher.second(Clock::steady());
    CHECK(scheduler.queue.size() == 0);  // once
    follower.reset();
    CHECK(scheduler.gone());
}

namespace {

std::string hook(const std::string& call, std::size_t bytes) {
    return R"({"agent":"a","session":"s","event":"pre","tool":"Write","call":")" + call +
           R"(","args":{"content":")" + std::string(bytes, 'x') + R"("}})";
}

bool reads_beside() {
    for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
        std::ifstream file{task.path() / "comm"};
        std::string name;
        if (std::getline(file, name) && name == "bodies") return true;
    }
    return false;
}

}  // namespace

TEST_CASE("dispatcher: a long hook is read beside the loop, and a short one is not", "[server]") {
    Scheduler scheduler;
    Wire small = scheduler.send("POST", "/v1/hooks/generic", hook("c1", 100));
    static_cast<void>(scheduler.next());
    CHECK_FALSE(reads_beside());
    Wire far =
        scheduler.send("POST", "/v1/hooks/generic", hook("c2", core::limits::kBodyAtOnceBytesMax));
    SECTION("its client stays") {}
    SECTION("its client is gone") {
        REQUIRE(run_until(scheduler.io, [] { return reads_beside(); }));
        far.reset();
    }
    static_cast<void>(scheduler.next());
    CHECK(reads_beside());
}

TEST_CASE("dispatcher: what is wrong with a long hook is answered, too", "[server]") {
    Scheduler scheduler;
    std::string wrong = hook("c1", core::limits::kBodyAtOnceBytesMax);
    wrong.pop_back();
    Wire far = scheduler.send("POST", "/v1/hooks/generic", wrong);
    REQUIRE(scheduler.has_answer(far));
    CHECK(far.received().starts_with("HTTP/1.1 4"));
    CHECK(far.received().find("ends too early") != std::string::npos);
    Wire native = scheduler.send("POST", "/v1/hooks/claude", wrong);
    REQUIRE(scheduler.has_answer(native));
    CHECK(native.received().ends_with("{}"));
}

TEST_CASE("dispatcher: a long body of each route is read beside the loop", "[server]") {
    const std::string blanks(core::limits::kBodyAtOnceBytesMax + 1, ' ');
    for (const Endpoint& route : route_table()) {
        if (route.body.bytes_max <= core::limits::kBodyAtOnceBytesMax) continue;
        if (route.guard == Guard::kApprove) continue;  // not without a token
        std::string path{route.path};
        for (const auto& [name, value] :
             {std::pair<std::string, std::string>{"{approval}", core::approval_id("s", 1)},
              {"{agent}", "claude"},
              {"{ping}", "s/log"},
              {"{id}", "s"}}) {
            const std::size_t at = path.find(name);
            if (at != path.npos) path.replace(at, name.size(), value);
        }
        INFO(path);
        for (const bool packed : {false, true}) {
            Scheduler scheduler;
            Wire far = scheduler.send("POST", path, packed ? gzip(blanks) : blanks,
                                      packed ? "Content-Encoding: gzip\r\n" : "");
            if (route.body.any_type) {
                CHECK(op_of<PingCommand>(scheduler.next()) != nullptr);
            } else {
                REQUIRE(scheduler.has_answer(far));
                const bool hook = route.path.starts_with("/v1/hooks");
                CHECK(far.received().starts_with(hook ? "HTTP/1.1 200" : "HTTP/1.1 400"));
            }
            CHECK(reads_beside());
        }
    }
}

TEST_CASE("dispatcher: long bodies beyond those that may wait are refused and not read here",
          "[server]") {
    Scheduler scheduler;
    const std::string packed = gzip(std::string(4'000'000, ' '));
    std::vector<Wire> clients;
    for (std::size_t i = 0; i < core::limits::kLongBodiesMax * 3 / 2; ++i)
        clients.push_back(scheduler.send("POST", "/v1/logs", packed, "Content-Encoding: gzip\r\n"));
    std::size_t refused = 0;
    for (Wire& client : clients) {
        REQUIRE(scheduler.has_answer(client));
        const bool no_room = client.received().starts_with("HTTP/1.1 503");
        refused += no_room ? 1 : 0;
        CHECK((no_room ? client.received().find("Retry-After: 1") != std::string::npos
                       : client.received().starts_with("HTTP/1.1 400")));
    }
    CHECK(refused > 0);
    CHECK(refused <= core::limits::kLongBodiesMax);
}
