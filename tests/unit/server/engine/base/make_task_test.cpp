// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/make_task.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/supervised.hpp"

// Commands and queries as tasks: what they may change, when they see what, and how they fail.

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
using core::ErrorCode;

namespace {

/// Opens or reports, as a command of a test.
struct Beat {
    std::string session;
    std::string other = {};  ///< is named too
    std::vector<std::string>* ran = nullptr;
    std::optional<core::Error> unnamed = {};

    core::Result<> name(Reader&, SessionNames& names) const {
        if (unnamed) return *unnamed;
        names.push_back(session);
        if (!other.empty()) names.push_back(other);
        return {};
    }
    core::Result<Unanswered> operator()(Transaction& transaction) {
        if (ran != nullptr) ran->push_back(session);
        for (const std::string& id : {session, other}) {
            if (id.empty()) continue;
            ReportCommand report{id, {beat()}, false};
            HEADWAY_CHECK(report(transaction));
        }
        return Unanswered{};
    }
};

/// Counts up to `slices`, one in each.
struct Slow {
    int slices = 3;
    int done = 0;
    std::uint64_t* at_arrival = nullptr;

    void arrive(Reader& reader) const {
        if (at_arrival != nullptr) *at_arrival = static_cast<std::uint64_t>(reader.store().head());
    }
    core::Result<std::optional<TextPage>> operator()(Reader&) {
        std::optional<TextPage> page;
        if (++done == slices) page = TextPage{std::to_string(done)};
        return page;
    }
};

struct Refused {
    core::Result<> operator()(EngineContext&, const ReplyTo&) const {
        return core::Error{ErrorCode::kOverloaded, "not now", {}};
    }
};

std::string text(const core::Result<Answer>& what) {
    require_ok(what);
    return std::get<BodyReply>(*what).body;
}

}  // namespace

TEST_CASE("tasks: a write may change every session that it names", "[server]") {
    Supervised s;
    require_ok(s.ask(Beat{"a", "b"}));
    CHECK(s.journal("a").size() == 2);
    CHECK(s.journal("b").size() == 2);
}

TEST_CASE("tasks: what cannot name its sessions is refused alone and does not run", "[server]") {
    Supervised s;
    std::vector<std::string> ran;
    Beat bad{"a", {}, &ran, core::Error{ErrorCode::kUnknownApproval, "no", "id"}};
    const auto replies = s.turn({Beat{"b", {}, &ran}, bad, Beat{"c", {}, &ran}});
    REQUIRE(replies.size() == 3);
    CHECK(code_of(replies[1].what) == ErrorCode::kUnknownApproval);
    CHECK(ran == std::vector<std::string>{"b", "c"});
    CHECK(s.sqlite().find("a").value() == std::nullopt);
}

TEST_CASE("tasks: a store that fails while sessions are named fails the turn", "[server]") {
    Supervised s;
    std::vector<std::string> ran;
    Beat bad{"a", {}, &ran, core::Error{ErrorCode::kStorageUnavailable, "gone", {}}};
    const auto replies = s.turn({Beat{"b", {}, &ran}, bad});
    REQUIRE(replies.size() == 2);
    CHECK(code_of(replies[0].what) == ErrorCode::kStorageUnavailable);
    CHECK(ran.empty());
    require_ok(s.ask(Beat{"b"}));  // the next turn reads the journal again
    CHECK(s.journal("b").size() == 2);
}

TEST_CASE("tasks: a read is continued until it has its result", "[server]") {
    Supervised s;
    CHECK(text(s.ask(Slow{1})) == "1");
    CHECK(text(s.ask(Slow{50})) == "50");
}

TEST_CASE("tasks: a read may note where it stands before the writes of its turn", "[server]") {
    Supervised s;
    require_ok(s.ask(Beat{"a"}));
    const auto head = static_cast<std::uint64_t>(s.sqlite().head());
    std::uint64_t at_arrival = 0;
    const auto replies = s.turn({Beat{"a"}, Slow{1, 0, &at_arrival}});
    REQUIRE(replies.size() == 2);
    CHECK(at_arrival == head);
    CHECK(static_cast<std::uint64_t>(s.sqlite().head()) > head);
}

TEST_CASE("tasks: an operation that does not start is answered with its error", "[server]") {
    Supervised s;
    CHECK(code_of(s.ask(Refused{})) == ErrorCode::kOverloaded);
}
