// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/view_cache.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using headway::core::Error;
using headway::core::ErrorCode;
using headway::core::Result;
using headway::core::SessionView;

namespace {

SessionView view_of(const std::string& id, std::uint64_t n) {
    SessionView view;
    view.id = id;
    view.n = n;
    return view;
}

/// A cache, its queries, and the answers to its readers.
struct Cache {
    std::vector<std::string> asked;
    bool room = true;
    ViewCache views{[this](const std::string& session) {
        if (room) asked.push_back(session);
        return room;
    }};
    std::vector<std::string> notices;

    void get(const std::string& session) {
        views.get(session, [this](Result<const SessionView*> found) {
            if (!found) {
                notices.push_back("error");
            } else {
                notices.push_back(*found != nullptr ? std::to_string((*found)->n) : "unknown");
            }
        });
    }
};

}  // namespace

TEST_CASE("view cache: a cached view answers at once", "[server]") {
    Cache cache;
    cache.views.update(view_of("a", 3));
    cache.get("a");
    CHECK(cache.notices == std::vector<std::string>{"3"});
    CHECK(cache.asked.empty());
    cache.views.update(view_of("a", 4));
    CHECK(cache.views.find("a")->n == 4);
}

TEST_CASE("view cache: a missing view is queried once, and answers all readers", "[server]") {
    Cache cache;
    cache.get("a");
    cache.get("a");
    CHECK(cache.asked == std::vector<std::string>{"a"});
    CHECK(cache.notices.empty());
    const SessionView answer = view_of("a", 5);
    cache.views.resolve("a", &answer);
    CHECK(cache.notices == std::vector<std::string>{"5", "5"});
    cache.get("a");
    CHECK(cache.notices.size() == 3);
    CHECK(cache.asked.size() == 1);
}

TEST_CASE("view cache: an unknown session is not remembered", "[server]") {
    Cache cache;
    cache.get("a");
    cache.views.resolve("a", static_cast<const SessionView*>(nullptr));
    CHECK(cache.notices == std::vector<std::string>{"unknown"});
    CHECK(cache.views.size() == 0);
    cache.get("a");
    CHECK(cache.asked.size() == 2);
}

TEST_CASE("view cache: a failure answers all readers, and a later one queries again", "[server]") {
    Cache cache;
    cache.get("a");
    cache.views.resolve("a", Error{ErrorCode::kStorageUnavailable, "", {}});
    CHECK(cache.notices == std::vector<std::string>{"error"});
    cache.get("a");
    CHECK(cache.asked.size() == 2);
}

TEST_CASE("view cache: a full queue is an error at once", "[server]") {
    Cache cache;
    cache.room = false;
    cache.get("a");
    CHECK(cache.notices == std::vector<std::string>{"error"});
    cache.room = true;
    cache.get("a");
    CHECK(cache.asked.size() == 1);
}

TEST_CASE("view cache: watchers are counted, also before there is a view", "[server]") {
    Cache cache;
    cache.views.watch("a");
    cache.views.watch("a");
    CHECK(cache.views.watched("a"));
    CHECK(cache.views.find("a") == nullptr);
    cache.views.unwatch("a");
    CHECK(cache.views.watched("a"));
    cache.views.unwatch("a");
    CHECK_FALSE(cache.views.watched("a"));
    CHECK(cache.views.size() == 0);
    cache.views.unwatch("a");
    CHECK_FALSE(cache.views.watched("a"));
}

TEST_CASE("view cache: of sessions that no client reads only the newest views stay", "[server]") {
    Cache cache;
    cache.views.watch("watched");
    for (const char* id : {"watched", "read", "asked", "deleted"})
        cache.views.update(view_of(id, 1));
    CHECK(cache.views.find_newest("read") != nullptr);
    const SessionView answer = view_of("asked", 2);
    cache.views.forget("asked");
    cache.get("asked");
    cache.views.resolve("asked", &answer);
    cache.views.forget("deleted");
    for (std::size_t i = 0; i < headway::core::limits::kViewsUnreadMax; ++i)
        cache.views.update(view_of(std::to_string(i), 1));
    cache.views.update(view_of("last", 1));
    CHECK(cache.views.find("0") != nullptr);  // replies of the same publication rest on it
    cache.views.trim();
    CHECK(cache.views.size() == headway::core::limits::kViewsUnreadMax + 3);
    for (const char* id : {"watched", "read", "asked", "last", "1"})
        CHECK(cache.views.find(id) != nullptr);
    CHECK(cache.views.find("0") == nullptr);
    cache.get("0");  // is queried, and kept from then on
    CHECK(cache.asked.back() == "0");
}

TEST_CASE("view cache: an update says what is watched, and with which view", "[server]") {
    Cache cache;
    CHECK(cache.views.update(view_of("a", 1)) == nullptr);
    cache.views.watch("a");
    const SessionView* shown = cache.views.update(view_of("a", 2));
    REQUIRE(shown != nullptr);
    CHECK(shown == cache.views.find("a"));
    CHECK(shown->n == 2);
}

TEST_CASE("view cache: those that are read or deleted take no place among the unread ones",
          "[server]") {
    Cache cache;
    constexpr std::size_t kMost = headway::core::limits::kViewsUnreadMax;
    for (std::size_t i = 0; i < kMost + 6; ++i)
        cache.views.update(view_of(std::to_string(i), 1));
    // Some of the oldest, of the newest, and between them.
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}, kMost + 5})
        CHECK(cache.views.read(std::to_string(i)).view != nullptr);
    for (const std::size_t i : {std::size_t{1}, std::size_t{9}, kMost + 4})
        cache.views.forget(std::to_string(i));
    cache.views.trim();
    CHECK(cache.views.size() == kMost + 3);
    CHECK(cache.views.find("2") != nullptr);
    cache.views.update(view_of("last", 1));
    cache.views.trim();
    CHECK(cache.views.size() == kMost + 3);
    CHECK(cache.views.find("0") != nullptr);
    CHECK(cache.views.find("2") == nullptr);
    CHECK(cache.views.find("last") != nullptr);
    for (std::size_t i = 0; i < kMost + 6; ++i)
        cache.views.forget(std::to_string(i));
    cache.views.forget("last");
    cache.views.trim();
    CHECK(cache.views.size() == 0);
    cache.views.update(view_of("again", 1));
    CHECK(cache.views.find("again") != nullptr);
}

TEST_CASE("view cache: a view that was watched and is not any more is one of the unread",
          "[server]") {
    Cache cache;
    cache.views.watch("once");
    cache.views.update(view_of("once", 1));
    for (std::size_t i = 0; i < headway::core::limits::kViewsUnreadMax; ++i)
        cache.views.update(view_of(std::to_string(i), 1));
    cache.views.trim();
    cache.views.unwatch("once");
    cache.views.update(view_of("once", 2));
    for (std::size_t i = 0; i < headway::core::limits::kViewsUnreadMax; ++i)
        cache.views.update(view_of("more-" + std::to_string(i), 1));
    cache.views.trim();
    CHECK(cache.views.find("once") == nullptr);
    CHECK(cache.views.size() == headway::core::limits::kViewsUnreadMax);
}

TEST_CASE("view cache: trimmed to its bound, the views of watched sessions stay", "[server]") {
    Cache cache;
    cache.views.watch("kept");
    cache.views.update(view_of("kept", 1));
    for (std::size_t i = 0; i < headway::core::limits::kViewCacheMax + 50; ++i) {
        cache.views.update(view_of(std::to_string(i), 1));
        CHECK(cache.views.find_newest(std::to_string(i)) != nullptr);
    }
    CHECK(cache.views.find("0") != nullptr);  // replies of the same publication rest on it
    cache.views.trim();
    CHECK(cache.views.size() == headway::core::limits::kViewCacheMax);
    CHECK(cache.views.find("kept") != nullptr);
}

TEST_CASE("view cache: it is back at its bound after some publications, though many are watched",
          "[server]") {
    Cache cache;
    for (std::size_t i = 0; i < 4 * headway::core::limits::kWaitersMax; ++i)
        cache.views.watch("watched-" + std::to_string(i));
    for (std::size_t i = 0; i < headway::core::limits::kViewCacheMax; ++i) {
        cache.views.update(view_of(std::to_string(i), 1));
        CHECK(cache.views.find_newest(std::to_string(i)) != nullptr);
    }
    for (int publications = 0; publications < 8; ++publications)
        cache.views.trim();
    CHECK(cache.views.size() == headway::core::limits::kViewCacheMax);
    CHECK(cache.views.watched("watched-0"));
}

TEST_CASE("view cache: of a shared store each reader asks, and gets the answer to its own question",
          "[server]") {
    Cache cache;
    cache.views.share();
    cache.views.update(view_of("a", 1));
    CHECK(cache.views.find("a") != nullptr);
    CHECK(cache.views.find_newest("a") == nullptr);
    cache.get("a");
    cache.get("a");
    CHECK(cache.asked.size() == 2);
    const SessionView older = view_of("a", 2);
    cache.views.resolve("a", &older);
    CHECK(cache.notices == std::vector<std::string>{"2"});
    const SessionView newer = view_of("a", 3);
    cache.views.resolve("a", &newer);
    CHECK(cache.notices == std::vector<std::string>{"2", "3"});
    cache.room = false;
    cache.get("a");
    CHECK(cache.notices.back() == "error");
    cache.views.resolve("a", &newer);  // no reader waits any more
    CHECK(cache.notices.size() == 3);
}

TEST_CASE("view cache: a view that was updated has another version", "[server]") {
    Cache cache;
    CHECK(cache.views.read("a").view == nullptr);
    cache.views.update(view_of("a", 3));
    cache.views.update(view_of("b", 3));
    const auto first = cache.views.read("a");
    REQUIRE(first.view != nullptr);
    CHECK(first.version != cache.views.read("b").version);
    CHECK(cache.views.read("a").version == first.version);
    cache.views.update(view_of("a", 3));  // the same number, yet it may say something else
    CHECK(cache.views.read("a").version != first.version);
}
