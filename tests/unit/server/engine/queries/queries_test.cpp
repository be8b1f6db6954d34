// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

Document list(Supervised& s, const ListQuery& query) {
    const auto what = s.ask(query);
    require_ok(what);
    return Document::parse(std::get<BodyReply>(*what).body);
}

std::vector<std::string> ids(const Document& listed) {
    std::vector<std::string> out;
    for (const Document& one : listed["sessions"])
        out.push_back(one["id"]);
    return out;
}

StreamReply stream(Supervised& s, const std::string& session, std::optional<std::int64_t> after) {
    auto what = s.ask(StreamQuery{session, after});
    require_ok(what);
    return std::get<StreamReply>(*std::move(what));
}

/// A slice of a list; the test has the query, and what it likes happens before the next one.
struct OneSlice {
    ListQuery* query;

    Result<TextPage> operator()(Reader& reader) const {
        HEADWAY_TRY(std::optional<TextPage> page, (*query)(reader));
        return page ? *std::move(page) : TextPage{};
    }
};

std::string body_of(Supervised& s, const OneSlice& slice) {
    const auto what = s.ask(slice);
    require_ok(what);
    return std::get<BodyReply>(*what).body;
}

}  // namespace

TEST_CASE(
    "engine queries: a person's decision about a sub-agent is shown above, also when it has "
    "left memory",
    "[server]") {
    EngineSettings settings;
    settings.resident_max = 2;
    Supervised s{settings};
    const auto open = [&](const std::string& id, const std::string& parent) {
        OpenCommand command;
        command.session = id;
        command.about.parent = parent;
        require_ok(s.ask(command));
    };
    const auto below = [&](const std::string& id) {
        const auto shown = s.ask(SessionQuery{id});
        require_ok(shown);
        return Document::parse(std::get<BodyReply>(*shown).body).value("approvals_below", 0);
    };
    open("root", {});
    open("child", "root");
    open("grandchild", "child");
    CHECK(below("root") == 0);
    ApprovalRequested asked;
    asked.tool = "deploy";
    require_ok(s.ask(AskCommand{"grandchild", asked, {}, {}}));
    for (const char* id : {"a", "b", "c"})
        open(id, {});
    s.engine().upkeep(false);
    s.store().fail(FailingStore::Step::kLoad);
    CHECK_FALSE(s.ask(SessionQuery{"grandchild"}));
    s.store().fail(FailingStore::Step::kNone);
    CHECK(below("root") == 1);
}

TEST_CASE("engine queries: sessions are listed newest first and filtered", "[server]") {
    Supervised s;
    for (const char* id : {"a", "b", "c"}) {
        OpenCommand command;
        command.session = id;
        command.about.agent.type = std::string{id} == "b" ? "coder" : "tester";
        command.about.labels = {{"team", id}};
        require_ok(s.ask(command));
    }
    (void)s.report("b", {ended(Outcome::kFailed)});
    CHECK(ids(list(s, {})) == std::vector<std::string>{"c", "b", "a"});
    ListQuery query;
    SECTION("open") {
        query.filter.open = true;
        CHECK(ids(list(s, query)) == std::vector<std::string>{"c", "a"});
        query.filter.open = false;
        CHECK(ids(list(s, query)) == std::vector<std::string>{"b"});
    }
    SECTION("verdict") {
        query.filter.verdicts = {Verdict::kFailed, Verdict::kStuck};
        CHECK(ids(list(s, query)) == std::vector<std::string>{"b"});
    }
    SECTION("agent") {
        query.filter.agent_type = "tester";
        CHECK(ids(list(s, query)) == std::vector<std::string>{"c", "a"});
    }
    SECTION("label") {
        query.filter.label = Label{"team", "c"};
        CHECK(ids(list(s, query)) == std::vector<std::string>{"c"});
    }
    SECTION("nothing") {
        query.filter.agent_type = "nobody";
        CHECK(list(s, query) == Document::parse(R"({"sessions":[],"next":null,"total":0})"));
    }
}

TEST_CASE("engine queries: pages of a list follow each other", "[server]") {
    Supervised s;
    for (int i = 0; i < 5; ++i)
        (void)s.report("s" + std::to_string(i), {beat()});
    ListQuery query;
    query.limit = 2;
    std::vector<std::string> all;
    while (true) {
        const Document page = list(s, query);
        for (const std::string& id : ids(page))
            all.push_back(id);
        if (page["next"].is_null()) break;
        REQUIRE(all.size() < 10);
        query.before = std::stoll(page["next"].get<std::string>());
    }
    CHECK(all == std::vector<std::string>{"s4", "s3", "s2", "s1", "s0"});
}

TEST_CASE("engine queries: a list that looks at many sessions comes in slices and is whole",
          "[server]") {
    Supervised s;
    for (int i = 0; i < 1500; ++i) {
        OpenCommand command;
        command.session = "s" + std::to_string(i);
        command.about.goal.kept = std::string(1500, 'x') + (i % 7 == 0 ? " seven" : " other");
        require_ok(s.ask(command));
    }
    // A request always waits for a turn, so that readers get only their share of each.
    Request waiting = request_of({}, ViewQuery{"s1"});
    REQUIRE(s.queue().stage(waiting));
    s.queue().hand_over();
    ListQuery query;
    query.rows = true;
    query.filter.text = "seven";
    query.limit = 50;
    std::vector<std::string> all;
    while (true) {
        const Document page = list(s, query);
        CHECK(page["total"] == 215);
        for (const std::string& id : ids(page))
            all.push_back(id);
        if (page["next"].is_null()) break;
        REQUIRE(all.size() < 300);
        query.before = std::stoll(page["next"].get<std::string>());
    }
    REQUIRE(all.size() == 215);
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK(all[i] == "s" + std::to_string(1498 - 7 * i));
}

TEST_CASE("engine queries: a session that retention removes between two slices is left out",
          "[server]") {
    EngineSettings settings;
    settings.retention = std::chrono::hours{1};
    Supervised s{settings, at(0)};
    (void)s.report("old", {ended(Outcome::kCompleted)});
    s.clock().advance_to(at(3'000'000));
    (void)s.report("new", {beat()});
    ListQuery query;
    query.rows = GENERATE(false, true);
    CHECK(body_of(s, {&query}).empty());
    REQUIRE(query.scan.found);
    REQUIRE(query.scan.keys.size() == 2);
    s.clock().advance_to(at(2 * 3'600'000));
    for (int i = 0; i < 10; ++i) {
        s.engine().upkeep(true);
        (void)s.turn({});
    }
    REQUIRE_FALSE(s.ask(JournalQuery{"old"}).has_value());
    // On a busy machine the two sessions may take a slice each.
    std::string body;
    for (int slice = 0; slice < 2 && body.empty(); ++slice)
        body = body_of(s, {&query});
    const Document page = Document::parse(body);
    CHECK(ids(page) == std::vector<std::string>{"new"});
    CHECK(page["total"] == 1);
    CHECK(page["next"].is_null());
}

TEST_CASE("engine: a session is forgotten once it has ended, with retention off", "[server]") {
    EngineSettings settings;
    settings.retention = Millis{0};
    Supervised s{settings, at(0)};
    CHECK(code_of(s.ask(ForgetCommand{"old"})) == ErrorCode::kUnknownSession);
    (void)s.report("old", {beat()});
    (void)s.report("other", {ended(Outcome::kCompleted)});
    CHECK(code_of(s.ask(ForgetCommand{"old"})) == ErrorCode::kSessionOpen);
    (void)s.report("old", {ended(Outcome::kFailed)});
    require_ok(s.ask(ForgetCommand{"old"}));
    const bool restarted = GENERATE(false, true);
    if (restarted) s.restart();
    for (int i = 0; i < 10; ++i) {
        s.engine().upkeep(true);
        (void)s.turn({});
    }
    CHECK(code_of(s.ask(JournalQuery{"old"})) == ErrorCode::kUnknownSession);
    require_ok(s.ask(JournalQuery{"other"}));
    CHECK(s.report("old", {beat()}).n == 2);  // a new one
    for (int i = 0; i < 10; ++i) {
        s.engine().upkeep(true);
        (void)s.turn({});
    }
    require_ok(s.ask(JournalQuery{"old"}));
}

TEST_CASE("engine queries: reports are answered before reads", "[server]") {
    Supervised s;
    (void)s.report("a", {beat()});
    std::vector<headway::tests::Command> commands;
    commands.emplace_back(JournalQuery{"a"});
    commands.emplace_back(ReportCommand{"a", {beat()}, false, {}});
    const auto replies = s.turn(std::move(commands));
    REQUIRE(replies.size() == 2);
    CHECK(replies[0].to.slot == 2);
    CHECK(s.publications == 2);
    require_ok(replies[1].what);
    CHECK(std::get<BodyReply>(*replies[1].what).body.find("\"head\":3") != std::string::npos);
}

TEST_CASE("engine queries: the journal as a document and as lines", "[server]") {
    Supervised s;
    (void)s.report("a", {beat(), beat(), beat()});
    const auto page = s.ask(JournalQuery{"a", 1, 2, false});
    require_ok(page);
    const Document document = Document::parse(std::get<BodyReply>(*page).body);
    CHECK(document["head"] == 4);
    CHECK(document["more"] == true);
    CHECK(document["events"][0]["n"] == 2);
    const auto lines = s.ask(JournalQuery{"a", 2, 100, true});
    require_ok(lines);
    const auto& reply = std::get<BodyReply>(*lines);
    CHECK(reply.lines);
    CHECK(reply.headers == "X-Head: 4\r\nX-More: false\r\n");
    CHECK(std::count(reply.body.begin(), reply.body.end(), '\n') == 2);
    CHECK(code_of(s.ask(JournalQuery{"b"})) == ErrorCode::kUnknownSession);
}

namespace {

/// Numbers of the events of a page, and where the next one starts.
std::pair<std::vector<int>, Document> page_of(Supervised& s, const JournalQuery& query) {
    const auto what = s.ask(query);
    require_ok(what);
    const Document page = Document::parse(std::get<BodyReply>(*what).body);
    std::vector<int> numbers;
    for (const Document& one : page["events"])
        numbers.push_back(one["n"]);
    CHECK(page["more"] == !page["next"].is_null());
    return {numbers, page["next"]};
}

EventTypes only(EventType type) {
    EventTypes types;
    types.set(static_cast<std::size_t>(type));
    return types;
}

using Numbers = std::vector<int>;

}  // namespace

TEST_CASE("engine queries: the journal from its end", "[server]") {
    Supervised s;
    (void)s.report("a", {beat(), beat(), beat(), beat()});
    JournalQuery query{"a", 0, 2};
    query.newest_first = true;
    CHECK(page_of(s, query) == std::pair{Numbers{5, 4}, Document(4)});
    query.before = 4;
    CHECK(page_of(s, query) == std::pair{Numbers{3, 2}, Document(2)});
    query.before = 2;
    CHECK(page_of(s, query) == std::pair{Numbers{1}, Document()});
    query.before = 1;
    CHECK(page_of(s, query) == std::pair{Numbers{}, Document()});
    query.before = 1000;
    query.after = 4;
    CHECK(page_of(s, query) == std::pair{Numbers{5}, Document()});
    query.after = 9;
    CHECK(page_of(s, query) == std::pair{Numbers{}, Document()});
    query = {"a", 1, 100};
    query.before = 4;
    CHECK(page_of(s, query) == std::pair{Numbers{2, 3}, Document()});
}

TEST_CASE("engine queries: of the journal only these types", "[server]") {
    Supervised s;
    for (int i = 0; i < 3; ++i)
        (void)s.report("a", {message("user"), beat()});
    JournalQuery query{"a", 0, 2};
    query.types = only(EventType::kMessage);
    CHECK(page_of(s, query) == std::pair{Numbers{2, 4}, Document(4)});
    query.after = 4;
    CHECK(page_of(s, query) == std::pair{Numbers{6}, Document()});
    query.after = 0;
    query.newest_first = true;
    CHECK(page_of(s, query) == std::pair{Numbers{6, 4}, Document(4)});
    query.types = only(EventType::kCompacted);
    CHECK(page_of(s, query) == std::pair{Numbers{}, Document()});
}

TEST_CASE("engine queries: a page of rare events ends where it has cost enough", "[server]") {
    Supervised s;
    for (std::size_t i = 0; i <= limits::kJournalScanMax / 1000; ++i)
        (void)s.report("a", std::vector<Event>(1000, beat()));
    JournalQuery query{"a", 0, 10};
    query.types = only(EventType::kMessage);
    const auto [numbers, next] = page_of(s, query);
    CHECK(numbers.empty());
    CHECK(next == limits::kJournalScanMax);
    query.after = next;
    CHECK(page_of(s, query).second.is_null());
}

TEST_CASE("engine queries: the system adds up what it has counted", "[server]") {
    Supervised s;
    (void)s.report("a", {beat()});
    (void)s.report("b", {beat(), ended(Outcome::kCompleted)});
    auto given = std::make_shared<headway::api::SystemReport>();
    given->version = "{}";
    const auto what = s.ask(SystemQuery{given});
    require_ok(what);
    const Document shown = Document::parse(std::get<BodyReply>(*what).body);
    CHECK(shown["sessions"] == Document::parse(R"({"open":1,"in_memory":2})"));
    CHECK(shown["commits"]["count"] == 2);
    CHECK(shown["commits"]["p50_ms"] > 0);
    CHECK(shown["commits"]["p99_ms"] >= shown["commits"]["p50_ms"]);
    CHECK(shown["database"]["head"] == s.sqlite().head());
    CHECK(shown["now"].is_string());
}

TEST_CASE("engine queries: the error of a view names its session", "[server]") {
    EngineSettings settings;
    settings.resident_max = 1;
    Supervised s{settings};
    (void)s.report("a", {beat(), ended(Outcome::kCompleted)});
    (void)s.report("b", {beat()});
    s.engine().upkeep(true);  // "a" leaves memory
    s.store().fail(FailingStore::Step::kLoad, ErrorCode::kStorageUnavailable);
    const auto what = s.ask(ViewQuery{"a"});
    require_ok(what);
    const auto& reply = std::get<ViewReply>(*what);
    CHECK(reply.session == "a");
    REQUIRE(reply.error);
    CHECK(reply.error->code == ErrorCode::kStorageUnavailable);
}

TEST_CASE("engine queries: a view of an unknown session is empty, not an error", "[server]") {
    Supervised s;
    const auto what = s.ask(ViewQuery{"nobody"});
    require_ok(what);
    CHECK(std::get<ViewReply>(*what).view == nullptr);
    (void)s.report("a", {beat()});
    CHECK(std::get<ViewReply>(*s.ask(ViewQuery{"a"})).view->n == 2);
}

TEST_CASE("engine queries: a stream of one session from a position", "[server]") {
    Supervised s;
    (void)s.report("a", {beat(), beat(), beat()});
    const StreamReply now = stream(s, "a", std::nullopt);
    CHECK(now.head == 4);
    CHECK(now.from == 4);
    CHECK(now.events.empty());
    CHECK(now.caught_up);
    const StreamReply from = stream(s, "a", 2);
    REQUIRE(from.events.size() == 2);
    CHECK(from.events[0].cursor == 3);
    CHECK(from.caught_up);
    const StreamReply future = stream(s, "a", 99);
    CHECK_FALSE(future.reset.empty());
    CHECK(future.from == 4);
    CHECK(code_of(s.ask(StreamQuery{"b", {}})) == ErrorCode::kUnknownSession);
}

TEST_CASE("engine queries: a report of the turn in which a stream begins belongs to it",
          "[server]") {
    Supervised s;
    (void)s.report("a", {beat()});
    for (const std::string session : {"", "a", "new"}) {
        INFO("stream of '" << session << "'");
        const std::string reporter = session.empty() ? "a" : session;
        std::vector<headway::tests::Command> commands;
        commands.emplace_back(StreamQuery{session, {}});
        commands.emplace_back(ReportCommand{reporter, {beat()}, false, {}});
        const auto replies = s.turn(std::move(commands), true);
        for (const auto& reply : replies) {
            require_ok(reply.what);
            const auto* page = std::get_if<StreamReply>(&*reply.what);
            if (page == nullptr) continue;
            REQUIRE(page->events.size() == (session == "new" ? 2 : 1));
            CHECK(page->events.back().cursor == page->head);
            CHECK(page->caught_up);
        }
    }
}

TEST_CASE("engine queries: a long stream comes in pages without a gap", "[server]") {
    Supervised s;
    for (int i = 0; i < 7; ++i)
        (void)s.report(i % 2 == 0 ? "a" : "b", std::vector<Event>(100, message("assistant")));
    for (const std::string session : {"", "a"}) {
        std::int64_t at = 0;
        StreamReply page;
        do {
            page = stream(s, session, at);
            for (const auto& one : page.events)
                REQUIRE(one.cursor == ++at);
        } while (!page.caught_up);
        CHECK(at == page.head);
    }
}

TEST_CASE(
    "engine queries: a stream of all passes over what is being deleted, and leaves out nothing",
    "[server]") {
    Supervised s;
    (void)s.report("before", {beat()});
    for (int i = 0; i < 600; ++i)
        (void)s.report("doomed", {beat()});
    (void)s.report("doomed", {ended(Outcome::kCompleted)});
    (void)s.report("behind", std::vector<Event>(10, beat()));
    require_ok(s.ask(ForgetCommand{"doomed"}));
    // As far as a slow reader comes before the name is gone.
    std::int64_t at = stream(s, "", 0).through;
    REQUIRE(s.store().delete_some(kNever).value().doomed_id == "doomed");
    StreamReply page = stream(s, "", at);
    CHECK(page.reset == "events after the position were deleted");
    std::size_t behind = 0;
    for (;; page = stream(s, "", at)) {
        for (const auto& one : page.events) {
            REQUIRE(one.cursor > at);
            CHECK(one.session == "behind");
            ++behind;
        }
        REQUIRE((page.through > at || page.caught_up));
        at = page.through;
        if (page.caught_up) break;
    }
    CHECK(behind == s.journal("behind").size());
    CHECK(at == page.head);
}

TEST_CASE("engine queries: a crowd of readers takes turns, and reports go first", "[server]") {
    Supervised s;
    headway::core::Message message;
    message.text.kept = std::string(2000, 'x');
    for (int i = 0; i < 4; ++i) {
        std::vector<Event> events;
        for (int n = 0; n < 250; ++n)
            events.push_back(event(message));
        (void)s.report("big", std::move(events));
    }
    constexpr std::size_t kReaders = 40;  // 2 MB each
    std::vector<headway::tests::Command> commands(kReaders,
                                                  JournalQuery{"big", 0, limits::kJournalPageMax});
    commands.emplace_back(ReportCommand{"small", {beat()}, false, {}});
    std::size_t answered = 0;
    const auto first = s.turn(std::move(commands));
    CHECK(std::holds_alternative<AdviceReply>(*first.front().what));
    answered += first.size() - 1;
    CHECK(answered * 2'000'000 < limits::kPublicationBytesMax + 4'000'000);
    CHECK(s.queue().size() == kReaders - answered);
    for (int turns = 0; answered < kReaders; ++turns) {
        REQUIRE(turns < 1000);
        answered += s.turn({}).size();
    }
    CHECK(answered == kReaders);
    CHECK(s.queue().size() == 0);
}

TEST_CASE("engine queries: the queries of a closed connection are dropped", "[server]") {
    Supervised s;
    headway::core::Message message;
    message.text.kept = std::string(2000, 'x');
    std::vector<Event> events(1000, event(message));
    (void)s.report("big", std::move(events));
    std::vector<headway::tests::Command> commands(40,
                                                  JournalQuery{"big", 0, limits::kJournalPageMax});
    commands.emplace_back(ViewQuery{"big"});  // of no connection: others may wait for the view
    const std::size_t answered = s.turn(std::move(commands)).size();
    REQUIRE(answered < 40);
    s.queue().forget(7);  // a stranger
    const std::size_t more = s.turn({}).size();
    REQUIRE(s.queue().size() == 41 - answered - more);
    s.queue().forget(0);  // the client of all the journals, in this test
    std::vector<Reply> rest = s.turn({});
    REQUIRE(rest.size() == 1);
    CHECK(std::holds_alternative<ViewReply>(*rest.front().what));
    CHECK(s.queue().size() == 0);
}
