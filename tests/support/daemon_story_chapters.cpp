// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <utility>

#include "server/engine/commands/admin_commands.hpp"
#include "server/engine/commands/approval_commands.hpp"
#include "server/engine/commands/check_commands.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/projections/expectations.hpp"
#include "server/engine/queries/queries.hpp"
#include "storage/store/shared_store.hpp"
#include "tests/support/daemon_story.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// The chapters of the story.

namespace headway::tests {
namespace {

using namespace server;
using core::Millis;

core::Event named(core::Event event, std::string id) {
    event.event_id = std::move(id);
    return event;
}

core::Event call_of(const std::string& tool, const std::string& id) {
    core::ToolFinished data;
    data.call_id = id;
    data.tool = tool;
    data.duration_ms = 2'000;
    data.ok = true;
    return named(event(std::move(data)), id);
}

core::Event estimate(double percent, const std::string& id) {
    core::ProgressEstimated data;
    data.percent = percent;
    return named(event(std::move(data)), id);
}

}  // namespace

void DaemonStory::open() {
    OpenCommand command;
    command.session = "parent";
    command.about.agent.type = "coder";
    command.about.labels = {{"team", "a"}};
    command.idempotency_key = "key";
    command.idempotency_fingerprint = "print";
    require_ok(settle(Command{command}));
    require_ok(settle(Command{command}));
    OpenCommand child;
    child.session = "child";
    child.about.parent = "parent";
    child.about.agent.type = "coder";
    require_ok(settle(Command{child}));
}

void DaemonStory::work() {
    report("parent", {named(beat(), "a"), named(tool_finished("c1"), "b")});
    report("child", {named(tool_finished("c2"), "a"), named(tool_finished("c3", false), "b")});
    report("parent", {named(beat(), "a"), named(beat_in_phase("two"), "c")});
    rest(2, Millis{600});
    report("new", {named(beat(), "a")});
}

void DaemonStory::approve() {
    core::ApprovalRequested asked;
    asked.tool = "deploy";
    asked.args.text = "{}";
    asked.args_digest = "sha256:{}";
    AskCommand ask{"parent", asked, "ask", "print"};
    const auto answer = settle(Command{ask});
    require_ok(answer);
    const std::string& document = std::get<BodyReply>(*answer).body;
    const std::size_t number = document.find("\"n\":");
    REQUIRE(number != std::string::npos);
    const std::uint64_t n = std::stoull(document.substr(number + 4));
    read(InboxQuery{});
    ask.session = "new";
    ask.idempotency_key = "again";
    require_ok(settle(Command{ask}));
    core::Ruling ruling;
    ruling.decision = core::Decision::kApprove;
    ruling.channel = "api";
    require_ok(settle(Command{DecideCommand{"parent", n, ruling, true}}));
    require_ok(settle(Command{ApprovalQuery{"parent", n}}));
    (void)settle(Command{RedeemCommand{"parent", n, {"sha256:{}", "k"}}});
}

void DaemonStory::answer_judges() {
    rest(2, Millis{1'100});
    for (const JudgeJob& job : std::exchange(judge_jobs_, {})) {
        JudgeReply reply;
        reply.id = job.id;
        reply.session = job.session;
        reply.endpoint = job.endpoint;
        reply.outcome = core::JudgeOutcome::kAnswered;
        reply.text = R"({"answer":"A","confidence":0.8,"evidence":[],"reason":"works",)"
                     R"("progressPercent":50,"reasoning":"half"})";
        reply.model = "m";
        (void)settle(Command{JudgedCommand{std::move(reply)}});
    }
}

void DaemonStory::judge() {
    (void)settle(Command{CheckCommand{"child", "mine", "ann"}});
    read(CheckQuery{"mine", {}, core::Grants::all()});
    (void)settle(Command{CheckCommand{"parent", "mine", "ann"}});  // under the same id
    report("child", {named(tool_finished("c4"), "c")});
    answer_judges();
    (void)settle(Command{CheckCommand{"child", "other", "ann"}});  // open at its end
    read(CheckQuery{"mine", "parent", core::Grants::all()});
    report("child", {estimate(20, "e1"), estimate(40, "e2")});
    read(EstimatesQuery{});
}

void DaemonStory::manage_tokens() {
    const auto settled = settle_each([this] {
        core::TokenRecord token;
        token.id = "t" + std::to_string(++made_);
        token.name = "name";
        token.created_at = at(time_.count());
        token.grants = core::Grants::parse(std::vector<std::string>{"read"}).value();
        return Command{CreateTokenCommand{token, "secret"}};
    });
    require_ok(settled);
    tokens_.push_back("t" + std::to_string(made_));
    require_ok(settle(Command{UseTokensCommand{{{tokens_.back(), at(time_.count())}}}}));
    require_ok(settle(Command{RevokeTokenCommand{"old7"}}));
}

/// Ends teach the use of an agent type and the times of its tools.
void DaemonStory::learn() {
    report("child", {call_of("new tool", "t1")});
    end("child", core::Outcome::kCompleted);
    rest(1, Millis{300});
    OpenCommand other;
    other.session = "other";
    other.about.agent.type = "newcomer";
    other.about.complexity = core::Complexity::kHigh;
    require_ok(settle(Command{other}));
    report("other", {call_of("bash", "t1"), estimate(90, "e1")});
    end("other", core::Outcome::kCompleted);
    read(ExpectationQuery{"coder", std::nullopt});
    read(ExpectationQuery{});
    read(BudgetAnalyticsQuery{});
    read(BudgetAnalyticsQuery{"coder"});
}

void DaemonStory::send_webhooks() {
    const auto answer_all = [this](WebhookOutcome outcome) {
        for (WebhookJob& job : std::exchange(webhook_jobs_, {})) {
            WebhookDoneCommand done;
            done.result.job = std::move(job);
            done.result.outcome = outcome;
            (void)settle(Command{done});
        }
        rest(3, Millis{3'000});
    };
    rest(2, Millis{1'100});
    answer_all(WebhookOutcome::kAway);
    answer_all(WebhookOutcome::kDelivered);  // the others need not wait any longer
    report("refused", {named(beat(), "a")});
    end("refused", core::Outcome::kFailed);
    answer_all(WebhookOutcome::kRefused);
    answer_all(WebhookOutcome::kRefused);
    read(WebhooksQuery{});
    read(DeliveriesQuery{"ops", true});
    read(DeliveriesQuery{"ops", false});
    (void)settle(Command{WebhookReplayCommand{"ops", {"m5"}}});
    rest(1, Millis{300});
    answer_all(WebhookOutcome::kGone);
    report("late", {named(beat(), "a")});
    end("late", core::Outcome::kFailed);
    // Answered when the test has ended.
    std::vector<Request> test;
    test.push_back(Command{WebhookTestCommand{"ops"}}.request({0, ++asked_}));
    daemon_->engine->turn(test, 0);
    answer_all(WebhookOutcome::kDelivered);
    (void)settle(Command{WebhookReplayCommand{"ops", {}}});
}

/// A commit of another daemon; this one has the session in memory.
void DaemonStory::follow_another() {
    revive();
    if (daemon_->store->shared() == nullptr) return;
    auto other = start("another");
    std::swap(daemon_, other);
    report("parent", {named(beat_in_phase("three"), "d")});
    report("elsewhere", {named(beat(), "a")});
    std::swap(daemon_, other);
    rest(3, Millis{600});
    read(StreamQuery{{}, 0});
    read(JournalQuery{"elsewhere"});
    report("elsewhere", {named(beat(), "a"), named(beat(), "b")});
    const auto hints = daemon_->store->shared()->make_hints();
    (void)hints->wait(-1, Millis{0});
    hints->tell();
}

void DaemonStory::look() {
    read(StreamQuery{"parent", 0});
    read(SessionQuery{"parent"});
    read(BudgetQuery{"parent"});
    read(ViewQuery{"parent"});
    read(ComparisonQuery{});
    read(OverviewQuery{});
    ListQuery list;
    read(list);
    list.filter.open = true;
    list.filter.verdicts = {core::Verdict::kProgressing};
    read(list);
    list.filter.label = core::Label{"team", "a"};
    list.filter.agent_type = "coder";
    list.filter.text = "parent";
    read(list);
    list = {};
    list.filter.ids = std::vector<std::string>{"parent", "absent"};
    read(list);
    list = {};
    list.filter.parent = "parent";
    read(list);
    storage::ApprovalPage page;
    page.pending = false;
    read(InboxQuery{page, {}});
    read(InboxQuery{page, "parent"});
}

/// Snapshots with their ids, the pulse, a gap in the attention of all.
void DaemonStory::tidy() {
    rest(3, Millis{7'000});
    report("parent", {named(beat(), "a"), named(beat(), "e")});
    pass(Millis{4'000});
    rest(2, Millis{1'100});
}

void DaemonStory::forget() {
    const auto answer = settle(Command{ForgetCommand{"other"}});
    if (!answer) CHECK(answer.error().code == core::ErrorCode::kUnknownSession);
    acknowledged_.erase("other");
    rest(10, Millis{1'100});
    acknowledged_.erase("child");
    acknowledged_.erase("refused");
    acknowledged_.erase("late");
    // Beyond the retention; an agent that still works says so.
    for (int i = 0; i < 3; ++i) {
        rest(1, Millis{1'500'000});
        report("parent", {named(beat(), "f" + std::to_string(i))});
    }
    rest(20, Millis{1'100});
}

void DaemonStory::stop() {
    report("parent", {named(beat(), "g")});
    (void)settle(Command{EndCommand{"absent", {}}});  // a name that stays without events
    daemon_->queue.close();
    daemon_->engine->run();
    daemon_.reset();
    place_.between();
    daemon_ = start("one");
    report("parent", {named(beat(), "g"), named(beat(), "h")});
}

}  // namespace headway::tests
