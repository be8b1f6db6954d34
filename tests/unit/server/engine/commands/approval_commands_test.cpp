// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

ApprovalRequested call(std::string digest = "sha256:1", std::string call_id = "c1") {
    ApprovalRequested asked;
    asked.tool = "deploy";
    asked.args.text = R"({"to":"prod"})";
    asked.args_digest = std::move(digest);
    asked.call_id = std::move(call_id);
    return asked;
}

Ruling approve(std::string by = "ann") {
    Ruling ruling;
    ruling.decision = Decision::kApprove;
    ruling.by = std::move(by);
    return ruling;
}

BodyReply approval_reply(headway::core::Result<Answer> what) {
    require_ok(what);
    return std::get<BodyReply>(*what);
}

Document parsed(const BodyReply& reply) {
    return Document::parse(reply.body);
}

AskCommand ask(std::string session, ApprovalRequested asked) {
    return {std::move(session), std::move(asked), {}, {}};
}

}  // namespace

TEST_CASE("engine approvals: the first of many decisions of a turn wins", "[server]") {
    Supervised daemon;
    const auto n = parsed(approval_reply(daemon.ask(ask("s", call()))))["n"].get<std::uint64_t>();
    std::vector<headway::tests::Command> commands;
    for (int i = 0; i < 5; ++i) {
        DecideCommand decide{"s", n, approve("p" + std::to_string(i)), false};
        if (i == 3) decide.ruling.decision = Decision::kReject;
        commands.emplace_back(std::move(decide));
    }
    auto replies = daemon.turn(std::move(commands));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        const BodyReply reply = approval_reply(std::move(replies[i].what));
        REQUIRE(reply.lost.has_value() == (i == 3));
        if (i == 3) CHECK(reply.lost->code == headway::core::ErrorCode::kAlreadyDecided);
        const Document document = parsed(reply);
        CHECK((i == 3 ? document : document["approval"])["decision"]["by"] == "p0");
    }
    REQUIRE(daemon.last.decided.size() == 2);  // by its id and by its alias
    CHECK(daemon.last.decided[0] == approval_id("s", n));
    CHECK(daemon.last.stats.approvals.decided[0] == 1);
    CHECK(daemon.last.stats.approvals.pending == 0);
}

TEST_CASE("engine approvals: the answer to a request says where it is, asked now or before",
          "[server]") {
    Supervised daemon;
    for (const int status : {201, 200}) {
        const auto reply = daemon.ask(ask("s", call()));
        require_ok(reply);
        const auto& shown = std::get<BodyReply>(*reply);
        CHECK(shown.status == status);
        CHECK(shown.headers == "Location: /v1/approvals/s.a2\r\n");
    }
}

TEST_CASE("engine approvals: a request behind a pause that is credited has its own number",
          "[server]") {
    Supervised headway{{}, at(0)};
    OpenCommand open;
    open.session = "a";
    open.about.budget.timeout_seconds = 600;
    require_ok(headway.ask(open));
    headway.clock().advance_to(at(60'000));
    headway.restart();  // an attention gap of a minute

    const Document asked = parsed(approval_reply(headway.ask(ask("a", call()))));
    CHECK(asked["status"] == "pending");
    const auto journal = headway.journal("a");
    const auto request = std::find_if(journal.begin(), journal.end(), [](const Event& event) {
        return std::holds_alternative<ApprovalRequested>(event.payload);
    });
    REQUIRE(request != journal.end());
    CHECK(std::holds_alternative<BudgetExtended>(std::prev(request)->payload));
    CHECK(asked["id"] == "a.a" + std::to_string(request->n));
}

TEST_CASE("engine approvals: nothing of a decision stays when the commit fails", "[server]") {
    using Step = FailingStore::Step;
    const auto step = GENERATE(Step::kAppend, Step::kIndex, Step::kCommit);
    Supervised daemon;
    const auto n = parsed(approval_reply(daemon.ask(ask("s", call()))))["n"].get<std::uint64_t>();
    daemon.store().fail(step);
    CHECK(code_of(daemon.ask(DecideCommand{"s", n, approve(), false})) == ErrorCode::kStorageFull);
    CHECK(daemon.last.decided.empty());
    daemon.store().fail(Step::kNone);
    const auto before = std::get<DocumentReply>(*daemon.ask(ApprovalQuery{"s", n}));
    CHECK(before.pending);
    CHECK(parsed(approval_reply(daemon.ask(
              DecideCommand{"s", n, approve(), false})))["approval"]["status"] == "approved");
}

TEST_CASE("engine approvals: a decision holds after a power cut", "[server]") {
    Supervised daemon;
    const auto n = parsed(approval_reply(daemon.ask(ask("s", call()))))["n"].get<std::uint64_t>();
    (void)approval_reply(daemon.ask(DecideCommand{"s", n, approve(), false}));
    daemon.restart();
    CHECK(parsed(approval_reply(daemon.ask(DecideCommand{
              "s", n, approve("bob"), false})))["approval"]["decision"]["by"] == "ann");
    const RedeemCommand redeem{"s", n, {"sha256:1", "k"}};
    CHECK(approval_reply(daemon.ask(redeem)).status == 200);
    daemon.restart();
    CHECK(approval_reply(daemon.ask(redeem)).status == 200);  // by the same key
    CHECK(code_of(daemon.ask(RedeemCommand{"s", n, {"sha256:1", "other"}})) ==
          ErrorCode::kAlreadyRedeemed);
    CHECK(code_of(daemon.ask(RedeemCommand{"s", n, {"sha256:2", "k"}})) ==
          ErrorCode::kDigestMismatch);
}

TEST_CASE("engine approvals: an old one is answered from the index", "[server]") {
    Supervised daemon;
    const auto first = parsed(approval_reply(daemon.ask(ask("s", call("sha256:0", "first")))))["n"]
                           .get<std::uint64_t>();
    Ruling no = approve();
    no.decision = Decision::kIgnore;
    (void)approval_reply(daemon.ask(DecideCommand{"s", first, no, false}));
    (void)daemon.report("s", {acknowledged(approval_id("s", first))});
    for (int i = 1; i <= 80; ++i) {
        const std::string id = std::to_string(i);
        const auto n = parsed(approval_reply(daemon.ask(ask("s", call("sha256:" + id, id)))))["n"]
                           .get<std::uint64_t>();
        (void)approval_reply(daemon.ask(DecideCommand{"s", n, no, false}));
    }
    const auto shown = std::get<DocumentReply>(*daemon.ask(ApprovalQuery{"s", first}));
    const Document document = Document::parse(shown.body);
    CHECK(document["status"] == "ignored");
    CHECK(document["args"]["to"] == "prod");
    CHECK(approval_reply(daemon.ask(DecideCommand{"s", first, no, false})).status == 200);
    CHECK(approval_reply(daemon.ask(DecideCommand{"s", first, approve(), false})).status == 409);
    CHECK(daemon.last.stats.approvals.requested == 81);
}

TEST_CASE("engine approvals: calls that need approval in one report keep their numbers",
          "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"deploy"};
    Supervised daemon{settings};
    const auto advice = daemon.report(
        "s", {tool_started("c1", "deploy"), message("assistant"), tool_started("c2", "deploy")});
    REQUIRE(advice.results.size() == 3);
    const auto events = daemon.journal("s");
    CHECK(type_of(events[advice.results[0].first - 1].payload) == EventType::kToolStarted);
    CHECK(type_of(events[advice.results[1].first - 1].payload) == EventType::kMessage);
    CHECK(type_of(events[advice.results[2].first - 1].payload) == EventType::kToolStarted);
    CHECK(advice.approvals.size() == 2);
    CHECK(advice.n == advice.results[2].first);
}

TEST_CASE("engine approvals: the inbox leaves out damaged approvals only", "[server]") {
    using Step = FailingStore::Step;
    Supervised s{{}, at(0)};
    const auto n = parsed(approval_reply(s.ask(ask("damaged", call()))))["n"].get<std::uint64_t>();
    Ruling always = approve();
    always.scope = GrantScope::kSession;  // whether it still holds stands in the session's state
    (void)approval_reply(s.ask(DecideCommand{"damaged", n, always, false}));
    (void)approval_reply(s.ask(ask("sound", call("sha256:2"))));
    s.queue().close();
    s.engine().run();  // saves both
    s.restart();
    (void)s.report("sound", {tool_finished("c")});
    s.log.clear();

    s.store().fail(Step::kLoad, headway::core::ErrorCode::kStorageCorrupt);
    for (int times = 0; times < 2; ++times) {
        const Document inbox = parsed(approval_reply(s.ask(InboxQuery{})));
        REQUIRE(inbox["approvals"].size() == 1);
        CHECK(inbox["approvals"][0]["session"] == "sound");
        CHECK(inbox["next"].is_null());
    }
    REQUIRE(s.log.size() == 1);  // once
    CHECK(s.log[0].find("'damaged' is damaged on the disk") != std::string::npos);

    s.store().fail(Step::kStream, headway::core::ErrorCode::kStorageCorrupt);
    InboxQuery page;
    page.page.limit = 1;
    const Document inbox = parsed(approval_reply(s.ask(page)));
    CHECK(inbox["approvals"].empty());
    CHECK(inbox["next"].is_string());  // later ones can be read
    s.store().fail(Step::kStream, headway::core::ErrorCode::kStorageUnavailable);
    CHECK(code_of(s.ask(InboxQuery{})) == headway::core::ErrorCode::kStorageUnavailable);
}

TEST_CASE("engine approvals: a decision on identical requests takes those that were there",
          "[server]") {
    Supervised daemon;
    for (const char* session : {"a", "b", "c"})
        (void)approval_reply(daemon.ask(ask(session, call())));
    const auto decided = parsed(approval_reply(daemon.ask(DecideCommand{"a", 2, approve(), true})));
    CHECK(decided["also"] == Document::array({"b.a2", "c.a2"}));
    const auto again = parsed(approval_reply(daemon.ask(DecideCommand{"a", 2, approve(), true})));
    CHECK(again["also"].empty());
}

TEST_CASE("engine approvals: identical requests are decided also where the named one was before",
          "[server]") {
    Supervised daemon;
    for (const char* session : {"a", "b", "c"})
        (void)approval_reply(daemon.ask(ask(session, call())));
    const auto alone = parsed(approval_reply(daemon.ask(DecideCommand{"a", 2, approve(), false})));
    CHECK(alone["also"].empty());
    CHECK(alone["left"] == 2);
    const auto all =
        parsed(approval_reply(daemon.ask(DecideCommand{"a", 2, approve("bob"), true})));
    CHECK(all["approval"]["decision"]["by"] == "ann");
    CHECK(all["also"] == Document::array({"b.a2", "c.a2"}));
    CHECK(all["left"] == 0);
    const auto other = std::get<DocumentReply>(*daemon.ask(ApprovalQuery{"b", 2}));
    CHECK(Document::parse(other.body)["decision"]["by"] == "bob");
}

TEST_CASE("engine approvals: a redemption in the turn in which a grant ends comes too late",
          "[server]") {
    Supervised daemon{{}, at(0)};
    (void)approval_reply(daemon.ask(ask("s", call())));
    Ruling until = approve();
    until.scope = GrantScope::kUntil;
    until.until = at(60'000);
    (void)approval_reply(daemon.ask(DecideCommand{"s", 2, until, false}));
    daemon.clock().advance_to(at(60'000));
    CHECK(code_of(daemon.ask(RedeemCommand{"s", 2, {"sha256:1", "k"}})) == ErrorCode::kNotApproved);
}

namespace {

/// A statement on the database of the daemon.
void change(Supervised& daemon, const std::string& sql) {
    auto statement = daemon.stored().tables()->prepare(sql);
    require_ok(statement);
    require_ok(statement->run());
}

}  // namespace

TEST_CASE("engine approvals: one that is damaged refuses its own command alone", "[server]") {
    Supervised s{{}, at(0)};
    const auto asked = [&s](int i) {
        const std::string number = std::to_string(i);
        const BodyReply reply =
            approval_reply(s.ask(ask("s", call("sha256:" + number, "c" + number))));
        return parsed(reply)["n"].get<std::uint64_t>();
    };
    const auto decided = [&asked, &s](int i) {
        const std::uint64_t n = asked(i);
        Ruling no = approve();
        no.decision = Decision::kReject;
        (void)approval_reply(s.ask(DecideCommand{"s", n, no, false}));
        return n;
    };
    const std::uint64_t old = decided(0);
    // So many that the session itself forgets the first.
    const int many = static_cast<int>(headway::core::limits::kApprovalsKeptMax) + 1;
    for (int i = 1; i <= many; ++i)
        (void)decided(i);
    const std::uint64_t waits = asked(many + 1);
    change(s, "UPDATE approval SET state=X'ff' WHERE n IN (" + std::to_string(old) + "," +
                  std::to_string(waits) + ")");
    auto replies = s.turn({DecideCommand{"s", old, approve(), false},
                           ReportCommand{"s", {beat()}, true, {}}, ask("other", call("sha256:x"))});
    REQUIRE(replies.size() == 3);
    REQUIRE_FALSE(replies[0].what);
    CHECK(replies[0].what.error().code == headway::core::ErrorCode::kInternal);
    CHECK(replies[0].what.error().detail ==
          "an approval of session 's' is damaged on the disk (it cannot be decoded); stop headway "
          "and run `headway doctor --repair`");
    require_ok(replies[1].what);
    require_ok(replies[2].what);
    CHECK_FALSE(s.ask(ApprovalQuery{"s", old}));
    // The other parts of its session are decided all the same, and the row is whole again.
    CHECK_FALSE(s.ask(ApprovalQuery{"s", waits}));
    (void)approval_reply(s.ask(DecideCommand{"s", waits, approve(), false}));
    require_ok(s.ask(ApprovalQuery{"s", waits}));
    CHECK(s.store().rollbacks() == 0);
}

TEST_CASE("engine approvals: without the bytes that were shown nothing is decided", "[server]") {
    Supervised s{{}, at(0)};
    const auto n = parsed(approval_reply(s.ask(ask("s", call()))))["n"].get<std::uint64_t>();
    const std::size_t before = s.journal("s").size();
    s.store().fail(FailingStore::Step::kStream, headway::core::ErrorCode::kStorageCorrupt);
    auto replies = s.turn(
        {DecideCommand{"s", n, approve(), false}, ReportCommand{"other", {beat()}, true, {}}});
    REQUIRE(replies.size() == 2);
    REQUIRE_FALSE(replies[0].what);
    CHECK(replies[0].what.error().code == headway::core::ErrorCode::kInternal);
    require_ok(replies[1].what);
    s.store().fail(FailingStore::Step::kNone);
    CHECK(s.journal("s").size() == before);
}

TEST_CASE("engine approvals: a decision whose texts are damaged is no notice, and fails no report",
          "[server]") {
    Supervised s{{}, at(0)};
    const auto n = parsed(approval_reply(s.ask(ask("s", call()))))["n"].get<std::uint64_t>();
    Ruling edit = approve();
    edit.decision = Decision::kEdit;
    edit.edited_args.text = R"({"to":"staging"})";
    edit.edited_digest = "sha256:edited";
    (void)approval_reply(s.ask(DecideCommand{"s", n, edit, false}));
    REQUIRE(s.report("s", {beat()}).approvals.size() == 1);
    const std::size_t decided = s.journal("s").size() - 1;
    change(s, "UPDATE journal SET events=X'00' WHERE n<=" + std::to_string(decided) + " AND n>" +
                  std::to_string(n));
    s.log.clear();
    CHECK(s.report("s", {beat()}).approvals.empty());
    REQUIRE(s.log.size() == 1);
    CHECK(s.log.front().find("damaged") != std::string::npos);
    CHECK(s.store().rollbacks() == 0);
}

TEST_CASE("engine approvals: the key of a request does not outlive its session", "[server]") {
    Supervised daemon{{}, at(0)};
    AskCommand first = ask("s", call());
    first.idempotency_key = "k1";
    first.idempotency_fingerprint = "f";
    const std::uint64_t n = parsed(approval_reply(daemon.ask(first)))["n"];
    daemon.report("s", {ended(Outcome::kCompleted)});
    require_ok(daemon.ask(ForgetCommand{"s"}));
    while (daemon.store().find("s").value())
        require_ok(daemon.store().delete_some(kNever));
    daemon.clock().advance_to(at(5));
    daemon.restart();

    ApprovalRequested other = call("sha256:2", "c2");
    other.tool = "Read";
    const std::uint64_t same = parsed(approval_reply(daemon.ask(ask("s", other))))["n"];
    REQUIRE(same == n);
    approval_reply(daemon.ask(DecideCommand{"s", same, approve(), false}));

    const Document again = parsed(approval_reply(daemon.ask(first)));
    CHECK(again["tool"] == "deploy");
    CHECK(again["status"] == "pending");
    CHECK(again["n"] != n);
    CHECK(parsed(approval_reply(daemon.ask(first)))["n"] == again["n"]);  // its key is used again
}
