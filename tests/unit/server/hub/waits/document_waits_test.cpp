// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/document_waits.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::kNever;

namespace {

/// Waits, and the documents that they queried.
struct Room {
    std::vector<std::uint64_t> asked;  ///< slots
    bool full = false;
    std::vector<std::uint64_t> refused;  ///< slots
    DocumentWaits waits{
        [this](const ReplyTo& to, const std::string&) {
            if (!full) asked.push_back(to.slot);
            return !full;
        },
        [this](const ReplyTo& to, const headway::core::Error&) { refused.push_back(to.slot); }};

    void wait(std::uint64_t slot, std::uint64_t n = 7, std::int64_t deadline = 1000) {
        require_ok(waits.add({slot / 10, slot}, "s.a" + std::to_string(n), at(deadline), "one"));
    }
    /// A document arrives: true if the wait continues.
    bool kept(std::uint64_t slot, bool pending) {
        return waits.keeps_waiting({slot / 10, slot}, pending);
    }
};

}  // namespace

TEST_CASE("document waits: one that is decided already is answered at once", "[server]") {
    Room room;
    room.wait(1);
    CHECK_FALSE(room.kept(1, false));
    CHECK(room.waits.size() == 0);
    CHECK(room.waits.next_deadline() == kNever);
}

TEST_CASE("document waits: a decision answers all waits for the document", "[server]") {
    Room room;
    room.wait(1);
    room.wait(2);
    room.wait(3, 8);
    for (const std::uint64_t slot : {1U, 2U, 3U})
        CHECK(room.kept(slot, true));
    room.waits.notify("s.a7");
    CHECK(room.asked == std::vector<std::uint64_t>{1, 2});
    room.waits.notify("s.a7");
    CHECK(room.asked.size() == 2);  // asked for once
    CHECK_FALSE(room.kept(1, false));
    CHECK_FALSE(room.kept(2, false));
    CHECK(room.waits.size() == 1);
}

TEST_CASE("document waits: a document on its way is the answer when the decision comes first",
          "[server]") {
    Room room;
    room.wait(1);
    room.waits.notify("s.a7");
    CHECK(room.asked.empty());
    CHECK_FALSE(room.kept(1, false));
    CHECK(room.waits.size() == 0);
}

TEST_CASE("document waits: the deadline brings the document as it is", "[server]") {
    Room room;
    room.wait(1, 7, 1000);
    room.wait(2, 7, 2000);
    CHECK(room.kept(1, true));
    CHECK(room.kept(2, true));
    CHECK(room.waits.next_deadline() == at(1000));
    room.waits.expire(at(1000));
    CHECK(room.asked == std::vector<std::uint64_t>{1});
    CHECK_FALSE(room.kept(1, true));
    CHECK(room.waits.next_deadline() == at(2000));
    room.waits.expire(kNever);  // going down
    CHECK(room.asked.size() == 2);
}

TEST_CASE("document waits: a full queue is tried again", "[server]") {
    Room room;
    room.wait(1);
    CHECK(room.kept(1, true));
    room.full = true;
    room.waits.expire(at(1000));
    CHECK(room.waits.next_deadline() > at(1000));
    room.full = false;
    room.waits.expire(room.waits.next_deadline());
    CHECK(room.asked.size() == 1);
}

TEST_CASE("document waits: a connection that is gone waits for nothing", "[server]") {
    Room room;
    room.wait(11);
    room.wait(12);
    room.wait(21);
    room.waits.drop_connection(1);
    CHECK(room.waits.size() == 1);
    room.waits.answered({2, 21});
    CHECK(room.waits.size() == 0);
    room.waits.notify("s.a7");
    room.waits.expire(at(5000));
    CHECK(room.asked.empty());
}

TEST_CASE("document waits: they are bounded", "[server]") {
    Room room;
    for (std::uint64_t i = 0; i < headway::core::limits::kWaitersMax; ++i)
        room.wait(i);
    CHECK(code_of(room.waits.add({1, 1'000'000}, {"s", 1}, at(1), "one")) ==
          headway::core::ErrorCode::kOverloaded);
    CHECK(room.refused.empty());
    require_ok(room.waits.add({1, 1'000'000}, {"s", 1}, at(1), "another caller"));
    CHECK(room.refused == std::vector<std::uint64_t>{headway::core::limits::kWaitersMax - 1});
    CHECK(room.waits.size() == headway::core::limits::kWaitersMax);
}

TEST_CASE("document waits: what other daemons may have decided is asked for, and waits go on",
          "[server]") {
    Room room;
    room.wait(1);
    room.wait(2, 8);
    CHECK(room.kept(1, true));
    room.waits.look_again("t");
    CHECK(room.asked.empty());
    room.waits.look_again("s");  // the second one's first document is on its way
    CHECK(room.asked == std::vector<std::uint64_t>{1});
    CHECK(room.kept(1, true));
    CHECK_FALSE(room.kept(2, false));
    CHECK(room.waits.size() == 1);
}
