// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/waiters.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::kNever;
using headway::core::parse_until;
using headway::core::SessionView;
using headway::core::Verdict;
using Document = nlohmann::json;

namespace {

SessionView view(const std::string& id, std::uint64_t n, Verdict verdict) {
    SessionView session_view;
    session_view.id = id;
    session_view.n = n;
    auto judgement = std::make_shared<headway::core::Judgement>();
    judgement->verdict = verdict;
    session_view.judgement = judgement;
    session_view.ended = is_final(verdict);
    session_view.last_beat_at = at(0);
    session_view.heard_at = at(0);
    session_view.asked_interval = headway::core::Millis{1000};
    session_view.reached[static_cast<std::size_t>(verdict)] = n;
    return session_view;
}

/// Waiters over a cache, and the answers by slot.
struct WaitingRoom {
    std::vector<std::string> asked;
    ViewCache views{[this](const std::string& session) {
        asked.push_back(session);
        return true;
    }};
    std::map<std::uint64_t, Response> answers;
    Waiters waiters{views,
                    [this](const ReplyTo& to, headway::core::Result<Response> response) {
                        REQUIRE(answers.count(to.slot) == 0);
                        if (!response) {
                            answers[to.slot] = problem_response(response.error(), "/v1/wait");
                        } else {
                            answers[to.slot] = *std::move(response);
                        }
                    },
                    [this] {
                        return headway::api::ReadingTime{now, at(0)};
                    }};
    headway::core::Timestamp now = at(10);

    /// Time passes, and due waits are checked.
    void at_time(std::int64_t ms) {
        now = at(ms);
        waiters.expire(now);
    }

    void wait(std::uint64_t slot, std::vector<std::string> sessions, const char* until,
              std::int64_t deadline = 1000, bool all = false, bool missing_ok = false) {
        Wait built;
        built.reply_to = {slot / 10, slot};
        built.what.until = *parse_until(until);
        built.several = sessions.size() > 1;
        built.sessions = std::move(sessions);
        built.all = all;
        built.missing_ok = missing_ok;
        built.deadline = at(deadline);
        require_ok(waiters.add(std::move(built)));
    }
    /// A wait with limits for the opening of sessions and for the silence of agents.
    void wait_until_gone(std::uint64_t slot, std::vector<std::string> sessions,
                         std::int64_t open_by, std::optional<std::int64_t> silent_for = {}) {
        Wait result;
        result.reply_to = {slot / 10, slot};
        result.what.until = *parse_until("settled");
        if (silent_for) result.what.silent_for = headway::core::Millis{*silent_for};
        result.several = sessions.size() > 1;
        result.all = result.several;
        result.sessions = std::move(sessions);
        result.missing_ok = true;
        result.open_by = open_by == 0 ? kNever : at(open_by);
        result.deadline = at(1'000'000);
        require_ok(waiters.add(std::move(result)));
    }
    void change(const std::string& id, std::uint64_t n, Verdict verdict) {
        views.update(view(id, n, verdict));
        waiters.notify(id);
    }
    void resolve_unknown(const std::string& id) {
        views.resolve(id, static_cast<const SessionView*>(nullptr));
    }
    Document body(std::uint64_t slot) {
        REQUIRE(answers.count(slot) == 1);
        return Document::parse(answers[slot].body);
    }
};

}  // namespace

TEST_CASE("waiters: a wait that is met already is answered at once", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kStuck));
    room.wait(1, {"a"}, "stuck");
    CHECK(room.body(1)["met"] == true);
    CHECK(room.body(1)["matched"] == "stuck");
    CHECK(room.waiters.size() == 0);
    CHECK_FALSE(room.views.watched("a"));
}

TEST_CASE("waiters: a wait is answered by the change that meets it", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.wait(1, {"a"}, "stuck");
    CHECK(room.answers.empty());
    CHECK(room.views.watched("a"));
    CHECK(room.waiters.next_deadline() == at(1000));
    room.change("a", 4, Verdict::kSlow);
    CHECK(room.answers.empty());
    room.change("a", 5, Verdict::kStuck);
    CHECK(room.body(1)["n"] == 5);
    CHECK(room.waiters.size() == 0);
    CHECK(room.waiters.next_deadline() == kNever);
    CHECK_FALSE(room.views.watched("a"));
    room.change("a", 6, Verdict::kStuck);  // no wait is left
}

TEST_CASE("waiters: one that cannot be met any more is answered at once", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.wait(1, {"a"}, "stuck");
    room.change("a", 4, Verdict::kCompleted);
    CHECK(room.body(1)["met"] == false);
    CHECK(room.body(1)["impossible"] == true);
}

TEST_CASE("waiters: at its deadline a wait gets the current state", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.wait(1, {"a"}, "stuck", 100);
    room.wait(2, {"a"}, "stuck", 200);
    room.waiters.expire(at(99));
    CHECK(room.answers.empty());
    room.waiters.expire(at(100));
    CHECK(room.answers.size() == 1);
    CHECK(room.answers[1].status == 200);
    CHECK(room.body(1)["met"] == false);
    CHECK(room.body(1)["impossible"] == false);
    CHECK(room.body(1)["verdict"]["status"] == "progressing");
    CHECK(room.waiters.next_deadline() == at(200));
}

TEST_CASE("waiters: a drain answers all waits", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.wait(1, {"a"}, "stuck", 100'000);
    room.wait(2, {"unresolved"}, "stuck", 100'000);
    room.wait(3, {"a", "unresolved"}, "stuck", 100'000, true);
    room.waiters.expire(kNever);
    CHECK(room.answers.size() == 3);
    CHECK(room.answers[1].status == 200);
    // Not that it was never opened, which is not known.
    CHECK(room.answers[2].status == 503);
    CHECK(room.answers[3].status == 503);
    CHECK(room.waiters.size() == 0);
}

TEST_CASE("waiters: the waits of a connection that is gone are dropped", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.wait(11, {"a"}, "stuck");
    room.wait(12, {"a", "b"}, "stuck");
    room.wait(21, {"a"}, "stuck");
    room.waiters.drop_connection(1);
    CHECK(room.waiters.size() == 1);
    CHECK_FALSE(room.views.watched("b"));
    room.change("a", 4, Verdict::kStuck);
    CHECK(room.answers.size() == 1);
    CHECK(room.answers.count(21) == 1);
    room.resolve_unknown("b");  // an answer to a wait that is gone
}

TEST_CASE("waiters: a session that is not cached is asked for", "[server]") {
    WaitingRoom room;
    room.wait(1, {"a"}, "stuck");
    CHECK(room.asked == std::vector<std::string>{"a"});
    const SessionView answer = view("a", 3, Verdict::kStuck);
    room.views.resolve("a", &answer);
    CHECK(room.body(1)["met"] == true);
}

TEST_CASE("waiters: an unknown session is 404, or waited for on request", "[server]") {
    WaitingRoom room;
    room.wait(1, {"a"}, "event");
    room.wait(2, {"a"}, "event", 1000, false, true);
    room.resolve_unknown("a");
    CHECK(room.answers[1].status == 404);
    CHECK(room.answers.count(2) == 0);
    room.change("a", 1, Verdict::kStarting);
    CHECK(room.body(2)["met"] == true);
}

TEST_CASE("waiters: at the deadline an unopened session is reported as such", "[server]") {
    WaitingRoom room;
    room.wait(1, {"a"}, "ended", 100, false, true);
    room.resolve_unknown("a");
    room.waiters.expire(at(100));
    CHECK(room.body(1) == Document::parse(R"({"met":false,"matched":null,"impossible":false,
        "cause":null,"session":"a","n":0,"alive":false,"verdict":null})"));
}

TEST_CASE("waiters: any of several", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.views.update(view("b", 3, Verdict::kProgressing));
    room.wait(1, {"a", "b"}, "stuck");
    room.change("a", 4, Verdict::kCompleted);
    CHECK(room.answers.empty());  // b may still do it
    room.change("b", 4, Verdict::kStuck);
    CHECK(room.body(1)["met"] == true);
    CHECK(room.body(1)["matched"] == Document::parse(R"({"b":"stuck"})"));
    CHECK(room.body(1)["sessions"]["a"]["impossible"] == true);
}

TEST_CASE("waiters: any of several is impossible when none can", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kCompleted));
    room.views.update(view("b", 3, Verdict::kProgressing));
    room.wait(1, {"a", "b"}, "stuck");
    room.change("b", 4, Verdict::kFailed);
    CHECK(room.body(1)["impossible"] == true);
}

TEST_CASE("waiters: all of several", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kCompleted));
    room.views.update(view("b", 3, Verdict::kProgressing));
    room.wait(1, {"a", "b"}, "ended", 1000, true);
    CHECK(room.answers.empty());
    room.change("b", 4, Verdict::kFailed);
    CHECK(room.body(1)["met"] == true);
    CHECK(room.body(1)["matched"] == Document::parse(R"({"a":"completed","b":"failed"})"));
}

TEST_CASE("waiters: all of several is impossible as soon as one cannot", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.views.update(view("b", 3, Verdict::kProgressing));
    room.wait(1, {"a", "b"}, "completed", 1000, true);
    room.change("b", 4, Verdict::kFailed);
    CHECK(room.body(1)["met"] == false);
    CHECK(room.body(1)["impossible"] == true);
}

TEST_CASE("waiters: an agent without a heartbeat for ten intervals ends the wait", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kSilent));
    room.wait_until_gone(1, {"a"}, 0);
    CHECK(room.waiters.next_deadline() == at(10'000));
    room.at_time(9'999);
    CHECK(room.answers.empty());
    room.at_time(10'000);
    CHECK(room.body(1)["met"] == false);
    CHECK(room.body(1)["impossible"] == true);
    CHECK(room.body(1)["cause"] == "silent");
    CHECK(room.waiters.size() == 0);
}

TEST_CASE("waiters: a heartbeat postpones the time at which an agent is gone", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kProgressing));
    room.wait_until_gone(1, {"a"}, 0, 5'000);
    SessionView beaten = view("a", 4, Verdict::kProgressing);
    beaten.heard_at = at(4'000);
    room.views.update(beaten);
    room.waiters.notify("a");
    room.at_time(5'000);
    CHECK(room.answers.empty());
    CHECK(room.waiters.next_deadline() == at(9'000));
    room.at_time(9'000);
    CHECK(room.body(1)["cause"] == "silent");
}

TEST_CASE("waiters: once a person has decided, silence is looked at again", "[server]") {
    WaitingRoom room;
    SessionView asked = view("a", 3, Verdict::kWaiting);
    asked.held = true;
    room.views.update(asked);
    room.wait_until_gone(1, {"a"}, 0);
    CHECK(room.waiters.next_deadline() == at(1'000'000));
    asked.held = false;
    asked.heard_at = at(50'000);
    room.now = at(50'000);
    room.views.update(asked);
    room.waiters.notify("a");
    CHECK(room.waiters.next_deadline() == at(60'000));
}

TEST_CASE("waiters: a session that is not opened in time ends the wait", "[server]") {
    WaitingRoom room;
    room.wait_until_gone(1, {"a"}, 500);
    room.resolve_unknown("a");
    CHECK(room.waiters.next_deadline() == at(500));
    room.at_time(500);
    CHECK(room.body(1) == Document::parse(R"({"met":false,"matched":null,"impossible":true,
        "cause":"never_opened","session":"a","n":0,"alive":false,"verdict":null})"));
    room.wait_until_gone(2, {"b"}, 900);
    room.resolve_unknown("b");
    room.change("b", 1, Verdict::kStarting);  // in time
    room.at_time(901);
    CHECK(room.answers.count(2) == 0);
}

TEST_CASE("waiters: a time that has come during a commit is looked at again soon", "[server]") {
    WaitingRoom room;
    room.wait_until_gone(1, {"a"}, 500);
    room.resolve_unknown("a");
    room.now = at(490);  // a turn runs since then
    room.waiters.expire(at(500));
    CHECK(room.answers.empty());
    CHECK(room.waiters.next_deadline() > at(500));
    CHECK(room.waiters.next_deadline() <= at(600));
    room.at_time(600);
    CHECK(room.body(1)["cause"] == "never_opened");
}

TEST_CASE("waiters: each session that ends a wait has its cause", "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kSilent));
    room.views.update(view("b", 3, Verdict::kCompleted));
    room.wait_until_gone(1, {"a", "b"}, 0, 3'000);
    room.at_time(3'000);
    CHECK(room.body(1)["impossible"] == true);
    CHECK(room.body(1)["causes"] == Document::parse(R"({"a":"silent"})"));
    CHECK(room.body(1)["matched"] == Document::parse(R"({"b":"completed"})"));
}

TEST_CASE("waiters: a deleted session ends its waits, unless they wait for it to be opened",
          "[server]") {
    WaitingRoom room;
    room.views.update(view("a", 3, Verdict::kFailed));
    room.views.update(view("b", 3, Verdict::kProgressing));
    room.wait(1, {"a", "b"}, "completed");
    room.wait(2, {"a", "a", "b"}, "completed");
    room.wait(3, {"a", "b"}, "completed", 1000, false, true);
    room.wait(4, {"b"}, "completed");
    CHECK(room.answers.empty());
    room.views.forget("a");
    room.waiters.session_deleted("a");
    CHECK(room.body(1)["code"] == "unknown_session");
    CHECK(room.body(2)["code"] == "unknown_session");
    CHECK(room.answers.size() == 2);
    room.waiters.session_deleted("a");
    room.waiters.session_deleted("unknown");
    CHECK(room.waiters.size() == 2);
    room.change("a", 1, Verdict::kCompleted);
    CHECK(room.body(3)["matched"]["a"] == "completed");
}
