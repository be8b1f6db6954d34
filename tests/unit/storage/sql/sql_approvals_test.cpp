// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

/// A digest of 64 digits; all have the same start, as an agent could construct.
std::string digest(char end) {
    return "ffffffffffffffff" + std::string(47, '0') + end;
}

Approval approval(std::uint64_t n, char identity = '1') {
    Approval built;
    built.n = n;
    built.tool = "t" + std::to_string(n);
    built.identity_digest = digest(identity);
    built.identity = identity_start(built.identity_digest);
    return built;
}

struct Shelf {
    TablePlace dir;
    std::unique_ptr<TableStore> store = dir.open();
    SessionKey a = store->create("a", at(0)).value();
    SessionKey b = store->create("b", at(0)).value();

    void save(SessionKey key, const Approval& one, Cursor cursor, Cursor decided = 0) {
        require_ok(store->begin());
        require_ok(store->approvals().save_approval(key, one, cursor, decided));
        require_ok(store->commit());
    }
    std::vector<Cursor> list(ApprovalPage page) {
        std::vector<Cursor> cursors;
        for (const StoredApproval& row : store->approvals().list_approvals(page).value())
            cursors.push_back(row.cursor);
        return cursors;
    }
};

using Cursors = std::vector<Cursor>;

}  // namespace

TEST_CASE("approvals index: a row comes back as it was saved, also over a restart", "[storage]") {
    Shelf shelf;
    auto one = approval(3);
    one.until = at(5);
    shelf.save(shelf.a, one, 10);
    shelf.store.reset();
    shelf.store = shelf.dir.open();
    auto row = shelf.store->approvals().find_approval(shelf.a, 3).value();
    REQUIRE(row);
    CHECK(row->approval == one);
    CHECK(row->session_id == "a");
    CHECK(row->cursor == 10);
    CHECK(shelf.store->approvals().count_identical(one.identity_digest).value() == 1);
    CHECK_FALSE(shelf.store->approvals().find_approval(shelf.b, 3).value());

    one.status = ApprovalStatus::kApproved;
    shelf.save(shelf.a, one, 0, 12);
    shelf.save(shelf.a, one, 0);  // keeps the cursor of its decision
    row = shelf.store->approvals().find_approval(shelf.a, 3).value();
    CHECK(row->approval.status == ApprovalStatus::kApproved);
    CHECK(row->decided == 12);
    CHECK(shelf.store->approvals().count_pending().value() == 0);
    CHECK(shelf.store->approvals().count_identical(one.identity_digest).value() == 0);
}

TEST_CASE("approvals index: pending ones are counted for each open session above", "[storage]") {
    Shelf shelf;
    const auto below = [&](std::string_view id) {
        return shelf.store->approvals().count_pending_below(id).value();
    };
    const auto put = [&](SessionKey key, const std::string& id, const std::string& parent) {
        require_ok(shelf.store->begin());
        SessionState state;
        state.about.parent = parent;
        require_ok(shelf.store->index().index_session(key, Session{id, std::move(state)}, at(0)));
        require_ok(shelf.store->commit());
    };
    const SessionKey c = shelf.store->create("c", at(0)).value();
    put(shelf.a, "a", {});
    put(shelf.b, "b", "a");
    put(c, "c", "b");
    CHECK(below("a") == 0);
    shelf.save(c, approval(1), 10);
    shelf.save(shelf.a, approval(1), 11);
    CHECK(below("a") == 1);
    CHECK(below("b") == 1);
    CHECK(below("c") == 0);
    shelf.save(shelf.b, approval(1), 12);
    CHECK(below("a") == 2);
    put(shelf.a, "a", "c");  // parents that name each other
    CHECK(below("c") == 3);  // each is below each, and itself
    put(shelf.a, "a", {});

    auto decided = approval(1);
    decided.status = ApprovalStatus::kApproved;
    shelf.save(c, decided, 0, 13);
    shelf.save(shelf.b, decided, 0, 14);
    CHECK(below("a") == 0);
    // As many of another family as are looked at, and one more.
    const SessionKey other = shelf.store->create("other", at(0)).value();
    put(other, "other", "z");
    require_ok(shelf.store->begin());
    for (std::uint64_t n = 1; n <= ApprovalTable::kBelowLooksMax; ++n) {
        if (n == ApprovalTable::kBelowLooksMax) {
            require_ok(shelf.store->commit());
            CHECK(below("a") == 0);
            require_ok(shelf.store->begin());
        }
        require_ok(shelf.store->approvals().save_approval(other, approval(n),
                                                          static_cast<Cursor>(100 + n), 0));
    }
    require_ok(shelf.store->commit());
    CHECK(below("a") == 1);  // unknown: a person may have to decide
    CHECK(below("c") == 0);  // it has no children
    CHECK(below("z") == ApprovalTable::kBelowMax);
}

TEST_CASE("approvals index: pending ones oldest first, the others newest first", "[storage]") {
    Shelf shelf;
    for (std::uint64_t i = 1; i <= 6; ++i) {
        auto one = approval(i, i % 2 == 0 ? '0' : '1');
        if (i % 3 == 0) one.status = ApprovalStatus::kRejected;
        if (i == 5) one.kind = ApprovalKind::kQuestion;
        shelf.save(i <= 3 ? shelf.a : shelf.b, one, static_cast<Cursor>(10 * i));
    }
    ApprovalPage page;
    page.pending = true;
    CHECK(shelf.list(page) == Cursors{10, 20, 40, 50});
    page.limit = 2;
    CHECK(shelf.list(page) == Cursors{10, 20});
    page.from = 20;
    CHECK(shelf.list(page) == Cursors{40, 50});
    page = {};
    page.pending = false;
    CHECK(shelf.list(page) == Cursors{60, 30});
    page.from = 60;
    CHECK(shelf.list(page) == Cursors{30});
    page = {};
    CHECK(shelf.list(page) == Cursors{60, 50, 40, 30, 20, 10});
    page.session = shelf.a;
    CHECK(shelf.list(page) == Cursors{30, 20, 10});
    page = {};
    page.kind = ApprovalKind::kQuestion;
    CHECK(shelf.list(page) == Cursors{50});

    const auto equal = shelf.store->approvals().identical_approvals(digest('1'), 10).value();
    REQUIRE(equal.size() == 2);
    CHECK(equal[0].approval.n == 1);
    CHECK(equal[1].session_id == "b");
    CHECK(shelf.store->approvals().identical_approvals(digest('1'), 1).value().size() == 1);
    CHECK(shelf.store->approvals().count_identical(digest('1')).value() == 2);
    CHECK(shelf.store->approvals().count_identical(digest('0')).value() == 2);
    CHECK(shelf.store->approvals().count_identical(digest('2')).value() ==
          0);  // the same start is not enough
    CHECK(shelf.store->approvals().asking_sessions().value() ==
          std::vector<SessionKey>{shelf.a, shelf.b});
}

TEST_CASE("approvals index: pending ones of high and of critical risk are found among others",
          "[storage]") {
    Shelf shelf;
    constexpr Risk kRisks[]{Risk::kHigh,   Risk::kLow,      Risk::kCritical, Risk::kUnknown,
                            Risk::kMedium, Risk::kCritical, Risk::kHigh};
    for (std::uint64_t i = 1; i <= std::size(kRisks); ++i) {
        auto one = approval(i);
        one.risk = kRisks[i - 1];
        shelf.save(shelf.a, one, static_cast<Cursor>(10 * i));
    }
    ApprovalPage page;
    page.pending = true;
    CHECK(shelf.list(page) == Cursors{10, 20, 30, 40, 50, 60, 70});
    page.risk = Risk::kHigh;
    CHECK(shelf.list(page) == Cursors{10, 30, 60, 70});
    page.risk = Risk::kCritical;
    CHECK(shelf.list(page) == Cursors{30, 60});
    auto decided = approval(3);
    decided.risk = Risk::kCritical;
    decided.status = ApprovalStatus::kApproved;
    shelf.save(shelf.a, decided, 0, 80);
    CHECK(shelf.list(page) == Cursors{60});
    CHECK(shelf.store->approvals().count_pending().value() == 6);
}

TEST_CASE("approvals index: an older row without a digest equals no other", "[storage]") {
    Shelf shelf;
    auto old = approval(1);
    old.identity_digest.clear();
    shelf.save(shelf.a, old, 10);
    shelf.save(shelf.b, old, 20);
    CHECK(shelf.store->approvals().count_identical(old.identity_digest).value() == 0);
    CHECK(shelf.store->approvals().identical_approvals(old.identity_digest, 10).value().empty());
    CHECK(shelf.store->approvals().count_identical(digest('1')).value() == 0);
}

TEST_CASE("approvals index: a digest in an agent's text makes no requests equal", "[storage]") {
    Shelf shelf;
    const auto harmless = approval(1);
    auto harmful = approval(2, '0');
    harmful.identity = harmless.identity;  // such collisions can be searched for
    harmful.call_id = harmless.identity_digest;
    shelf.save(shelf.a, harmless, 10);
    shelf.save(shelf.b, harmful, 20);
    CHECK(shelf.store->approvals().count_identical(harmless.identity_digest).value() == 1);
    const auto equal =
        shelf.store->approvals().identical_approvals(harmless.identity_digest, 10).value();
    REQUIRE(equal.size() == 1);
    CHECK(equal[0].approval.n == 1);
}

TEST_CASE("approvals index: a rolled-back row is gone", "[storage]") {
    Shelf shelf;
    require_ok(shelf.store->begin());
    require_ok(shelf.store->approvals().save_approval(shelf.a, approval(1), 10, 0));
    shelf.store->rollback();
    CHECK(shelf.store->approvals().count_pending().value() == 0);
}

TEST_CASE("approvals index: rows go with their session", "[storage]") {
    Shelf shelf;
    Session session{"a"};
    std::vector<Event> events;
    session.open({}, {}, context(0), events);
    std::vector<Event> in{ended(Outcome::kCompleted)};
    session.report(in, context(1), events);
    Chain chain;
    begin_with(*shelf.store, "a");
    require_ok(shelf.store->append(shelf.a, chain, events));
    auto one = approval(2);
    one.status = ApprovalStatus::kCancelled;
    require_ok(shelf.store->approvals().save_approval(shelf.a, one, 2, 0));
    require_ok(shelf.store->save(shelf.a, session, chain, {}));
    require_ok(shelf.store->commit());
    REQUIRE(shelf.list({}).size() == 1);
    REQUIRE(shelf.store->delete_some(at(1000)).value().doomed == shelf.a);
    CHECK(shelf.list({}).empty());  // from the moment its session is unknown
    while (shelf.store->delete_some(at(1000)).value().more) {
    }
    CHECK_FALSE(shelf.store->approvals().find_approval(shelf.a, 2).value());
}
