// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/resident_set.hpp"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/text/text.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using headway::core::Session;
using headway::storage::SessionKey;

namespace {

Resident& add(ResidentSet& set, SessionKey key) {
    return *set.add({key, Session{"s" + std::to_string(key)}, {}, {}}).value();
}

}  // namespace

TEST_CASE("resident set: found by id and by key, at the same place", "[server]") {
    ResidentSet set;
    Resident& one = add(set, 1);
    add(set, 2);
    CHECK(set.find("s1") == &one);
    CHECK(set.find(SessionKey{1}) == &one);
    CHECK(set.find("s3") == nullptr);
    CHECK(set.find(SessionKey{3}) == nullptr);
    CHECK(set.size() == 2);
}

TEST_CASE("resident set: the least recent is the one not looked for longest", "[server]") {
    ResidentSet set;
    CHECK(set.least_recent() == nullptr);
    Resident& one = add(set, 1);
    Resident& two = add(set, 2);
    CHECK(set.least_recent() == &one);
    (void)set.find("s1");
    CHECK(set.least_recent() == &two);
    set.evict(two);
    CHECK(set.least_recent() == &one);
    CHECK(set.find("s2") == nullptr);
    CHECK(set.size() == 1);
}

TEST_CASE("resident set: one that was not asked for is the first to leave", "[server]") {
    ResidentSet set;
    Resident& one = add(set, 1);
    Resident& two = add(set, 2);
    set.put_last(two);
    CHECK(set.least_recent() == &two);
    CHECK(set.find("s2") == &two);  // now it was
    CHECK(set.least_recent() == &one);
}

TEST_CASE("resident set: those beyond a bound are the least recent ones, dirty or not",
          "[server]") {
    ResidentSet set;
    Resident& one = add(set, 1);
    Resident& two = add(set, 2);
    Resident& three = add(set, 3);
    set.mark_dirty(two, 1);
    const std::size_t all = set.bytes();
    using Found = std::vector<Resident*>;
    CHECK(set.beyond(3, all, 10).empty());
    CHECK(set.beyond(2, all, 10) == Found{&one});
    CHECK(set.beyond(3, all - 1, 10) == Found{&one});
    CHECK(set.beyond(3, all - one.bytes, 10) == Found{&one});
    CHECK(set.beyond(3, all - one.bytes - 1, 10) == Found{&one, &two});
    CHECK(set.beyond(1, all, 10) == Found{&one, &two});
    CHECK(set.beyond(0, all, 10) == Found{&one, &two, &three});
    CHECK(set.beyond(0, all, 2) == Found{&one, &two});
    CHECK(set.size() == 3);
}

TEST_CASE("resident set: the oldest dirty one keeps its first cursor", "[server]") {
    ResidentSet set;
    Resident& one = add(set, 1);
    Resident& two = add(set, 2);
    CHECK(set.oldest_dirty() == nullptr);
    set.mark_dirty(two, 5);
    set.mark_dirty(one, 6);
    set.mark_dirty(two, 7);
    CHECK(set.oldest_dirty() == &two);
    CHECK(two.dirty_from == 5);
    set.mark_clean(two);
    CHECK(set.oldest_dirty() == &one);
    set.mark_dirty(two, 8);
    CHECK(set.oldest_dirty() == &one);
    set.mark_clean(one);
    CHECK(set.oldest_dirty() == &two);
}

TEST_CASE("resident set: saved means its event ids are in the store", "[server]") {
    ResidentSet set;
    Resident& one = add(set, 1);
    set.mark_dirty(one, 3);
    one.new_ids.add("e", 1);
    set.mark_clean(one);
    CHECK(one.new_ids.empty());
    set.mark_clean(one);  // idempotent
    CHECK(one.dirty_from == 0);
}

TEST_CASE("resident set: cleared is empty, dirty ones included", "[server]") {
    ResidentSet set;
    set.mark_dirty(add(set, 1), 1);
    set.clear();
    CHECK(set.size() == 0);
    CHECK(set.oldest_dirty() == nullptr);
    CHECK(set.find("s1") == nullptr);
    add(set, 1);
    CHECK(set.size() == 1);
}

TEST_CASE("resident set: a session that is stored twice is an error and changes nothing",
          "[server]") {
    ResidentSet set;
    add(set, 1);
    using headway::core::ErrorCode;
    using headway::tests::code_of;
    CHECK(code_of(set.add({2, Session{"s1"}, {}, {}})) == ErrorCode::kStorageCorrupt);
    CHECK(code_of(set.add({1, Session{"s2"}, {}, {}})) == ErrorCode::kStorageCorrupt);
    CHECK(set.size() == 1);
    CHECK(set.find("s2") == nullptr);
    CHECK(set.find(SessionKey{2}) == nullptr);
}

TEST_CASE("resident set: memory grows with the state of a session, and is freed with it",
          "[server]") {
    using namespace headway::core;
    ResidentSet set;
    CHECK(set.bytes() == 0);
    Resident& one = add(set, 1);
    const std::size_t empty = set.bytes();
    CHECK(empty > 0);
    SessionStarted about;
    about.goal = bounded_text(std::string(4'000, 'g'));
    std::vector<Event> out;
    one.session.open(std::move(about), {}, headway::tests::context(0), out);
    set.measure(one);
    CHECK(set.bytes() > empty + 4'000);
    const std::size_t both = set.bytes();
    Resident& two = add(set, 2);
    CHECK(set.bytes() > both);
    set.evict(two);
    CHECK(set.bytes() == both);
    set.measure(one);  // nothing new: nothing is counted twice
    CHECK(set.bytes() == both);
    set.clear();
    CHECK(set.bytes() == 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their heap is another one

namespace {

using namespace headway::core;

SessionStarted rich_opening(std::size_t number) {
    const std::string mark = " of agent " + std::to_string(number);
    SessionStarted about;
    about.goal = bounded_text("do the next thing" + mark);
    about.agent = {"coder" + mark, "a longer name" + mark, "the model" + mark};
    for (int i = 0; i < 16; ++i)
        about.labels.push_back({"the label " + std::to_string(i), "the value" + mark});
    return about;
}

Event rich_call(std::size_t number, int i) {
    Event call = headway::tests::tool_finished("call " + std::to_string(i) + " of this session");
    auto& done = std::get<ToolFinished>(call.payload);
    done.fingerprint.emplace();
    done.fingerprint->question = digest_of(std::to_string(number) + "/" + std::to_string(i));
    done.fingerprint->outcome = digest_of(std::to_string(i));
    return call;
}

}  // namespace

TEST_CASE("resident set: what is counted is what the heap has, within a fifth", "[server]") {
    const int calls = GENERATE(0, 2, 10, 30, 70);
    constexpr std::size_t kSessions = 600;
    ResidentSet set;
    std::vector<Event> out;
    const std::size_t before = ::mallinfo2().uordblks;
    for (std::size_t number = 1; number <= kSessions; ++number) {
        Resident& one = add(set, static_cast<SessionKey>(number));
        out.clear();
        one.session.open(rich_opening(number), {}, headway::tests::context(0), out);
        set.measure(one);
        for (int i = 0; i < calls; ++i) {
            std::vector<Event> in{rich_call(number, i)};
            out.clear();
            one.session.report(in, headway::tests::context(1'000 * i), out);
            set.measure(one);
        }
    }
    const auto heap = static_cast<double>(::mallinfo2().uordblks - before);
    INFO(calls << " calls: " << heap / kSessions << " bytes each");
    CHECK(static_cast<double>(set.bytes()) / heap == Approx(1).margin(0.2));
}

#endif
