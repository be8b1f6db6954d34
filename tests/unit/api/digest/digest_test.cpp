// SPDX-License-Identifier: Apache-2.0
#include "api/digest/digest.hpp"

#include <catch2/catch.hpp>

#include "api/digest/digest_sums.hpp"

using namespace headway;
using namespace std::chrono_literals;

namespace {

constexpr core::Timestamp kNight{std::chrono::sys_days{std::chrono::year{2026} / 11 / 27} + 22h};

class Night {
public:
    core::Event& at(core::Millis after, core::Payload payload) {
        event_ = {};
        event_.n = ++n_;
        event_.at = kNight + after;
        event_.payload = std::move(payload);
        return event_;
    }
    void add(const std::string& session, core::Millis after, core::Payload payload,
             const std::string& event_id = {}) {
        at(after, std::move(payload)).event_id = event_id;
        fold.add(session, event_);
    }
    std::uint64_t newest() const { return n_; }
    core::DigestFold fold;

private:
    core::Event event_;
    std::uint64_t n_ = 0;
};

core::ToolFinished call(std::uint64_t tokens, std::optional<double> cost,
                        const std::string& model = {}) {
    core::ToolFinished call;
    call.tool = "bash";
    core::Usage usage;
    usage.tokens = tokens;
    usage.cost_usd = cost;
    usage.model = model;
    call.usage = usage;
    return call;
}

core::Heartbeat usage_beat(std::uint64_t tokens, std::optional<double> cost,
                           const std::string& model = {}, bool estimated = false) {
    core::Heartbeat beat;
    core::Usage usage;
    usage.tokens = tokens;
    usage.cost_usd = cost;
    usage.model = model;
    usage.estimated = estimated;
    beat.usage = usage;
    return beat;
}

core::VerdictChanged verdict(core::Verdict to, const std::string& reason = {}) {
    core::VerdictChanged change;
    change.to = to;
    change.reason = reason;
    return change;
}

core::SessionEnded end_of(core::Outcome outcome, const std::string& reason) {
    core::SessionEnded end;
    end.outcome = outcome;
    end.reason = core::bounded_text(reason);
    return end;
}

core::Message announcement() {
    core::Message message;
    message.role = "system";
    message.text =
        core::bounded_text("resume 1: the usage limit is reached; goes on at 2026-11-28T03:10Z");
    return message;
}

core::ToolFinished wait_call(bool ok) {
    core::ToolFinished wait;
    wait.tool = "wait";
    wait.call_id = "wait-1";
    wait.ok = ok;
    return wait;
}

api::DigestRow row_of(const Night& night, const std::string& id) {
    api::DigestRow row;
    row.id = id;
    row.facts = night.fold.sessions().at(id);
    return row;
}

std::string words_of_loops(const Night& night) {
    api::DigestDocument digest;
    digest.rows.push_back(row_of(night, "a"));
    return api::text_of(api::digest_page(digest));
}

}  // namespace

TEST_CASE("digest: a cost that is reported apart is that of the tokens before", "[api]") {
    Night night;
    night.add("a", 1min, usage_beat(330, std::nullopt, "opus"));
    night.add("a", 1min, usage_beat(0, 0.3));
    night.add("a", 2min, verdict(core::Verdict::kStuck));
    night.add("a", 3min, usage_beat(165, std::nullopt, "opus"));
    night.add("a", 3min, usage_beat(0, 0.15));
    const core::DigestSession& facts = night.fold.sessions().at("a");
    CHECK(facts.use == core::DigestUse{495, 450'000, 0, 0});
    CHECK(facts.loops.at(0).spent == core::DigestUse{495, 450'000, 0, 0});
    REQUIRE(facts.by_model.size() == 1);
    CHECK(facts.by_model.at("opus") == facts.use);
}

TEST_CASE("digest: an answer with an estimate and a cost of the agent counts once", "[api]") {
    Night night;
    night.add("a", 1min, usage_beat(1'000, 0.4, "opus", true));
    night.add("a", 1min, usage_beat(0, 0.45));
    night.add("a", 2min, usage_beat(1'000, 0.4, "opus", true));
    CHECK(night.fold.sessions().at("a").use.cost_micros == 800'000);
    night.add("a", 2min, usage_beat(0, 0.45));
    CHECK(night.fold.sessions().at("a").use == core::DigestUse{2'000, 900'000, 0, 0});
    CHECK(night.fold.sessions().at("a").by_model.at("opus").cost_micros == 900'000);
}

TEST_CASE("digest: the cost of several models that is reported apart is that of no model",
          "[api]") {
    Night night;
    night.add("a", 1min, usage_beat(100, std::nullopt, "opus"));
    night.add("a", 1min, usage_beat(50, std::nullopt, "haiku"));
    night.add("a", 1min, usage_beat(0, 0.3));
    const core::DigestSession& facts = night.fold.sessions().at("a");
    CHECK(facts.use == core::DigestUse{150, 300'000, 0, 0});
    CHECK(facts.by_model.at("opus") == core::DigestUse{100, 0, 100, 0});
    CHECK(facts.by_model.at("") == core::DigestUse{0, 300'000, 0, 0});
}

TEST_CASE("digest: many completed sessions leave room for one that failed", "[api]") {
    Night night;
    for (std::size_t i = 0; i < core::DigestFold::kSessionsMax; ++i)
        night.add("ping-" + std::to_string(i), 1min, end_of(core::Outcome::kCompleted, ""));
    night.add("important", 2min, call(10, 500.0));
    night.add("important", 3min, end_of(core::Outcome::kFailed, "production is down"));
    CHECK(night.fold.sessions().size() == core::DigestFold::kSessionsMax);
    CHECK(night.fold.left_out() == 1);
    CHECK(night.fold.sessions().count("ping-0") == 0);
    REQUIRE(night.fold.sessions().count("important") == 1);
    CHECK(night.fold.sessions().find("important")->second.outcome == core::Outcome::kFailed);
}

TEST_CASE("digest: a loop costs what was used since the last progress, until it is over", "[api]") {
    Night night;
    night.add("a", 1min, call(100, 1.0));
    night.add("a", 2min, verdict(core::Verdict::kProgressing));
    night.add("a", 3min, call(10, 0.25));
    night.add("a", 4min, verdict(core::Verdict::kStuck, "bash fails in the same way"));
    night.add("a", 5min, call(10, 0.25));
    night.add("a", 6min, end_of(core::Outcome::kHalted, "stuck"));
    const core::DigestSession& facts = night.fold.sessions().at("a");
    REQUIRE(facts.loops.size() == 1);
    CHECK(facts.loops[0].spent.cost_micros == 500'000);
    CHECK(facts.loops[0].spent.calls == 2);
    CHECK(facts.loops[0].over == "halted");
    CHECK(words_of_loops(night).find("2 calls, 20 tokens, $0.50 since its last progress") !=
          std::string::npos);
    CHECK(facts.use.cost_micros == 1'500'000);
    CHECK(facts.outcome == core::Outcome::kHalted);
}

TEST_CASE("digest: a loop behind hours of reading costs what its own calls used", "[api]") {
    Night night;
    for (int i = 0; i < 60; ++i)
        night.add("a", 1min, call(1'000, 1.0));
    core::VerdictChanged stuck = verdict(core::Verdict::kStuck, "the same call 4 times");
    for (int i = 0; i < 4; ++i) {
        night.add("a", 2min, call(10, 0.25));
        stuck.evidence.push_back(night.newest());
    }
    night.add("a", 3min, stuck);
    const core::DigestSession& facts = night.fold.sessions().at("a");
    REQUIRE(facts.loops.size() == 1);
    CHECK(facts.loops[0].spent == core::DigestUse{40, 1'000'000, 0, 4});
    CHECK(words_of_loops(night).find("since it began") != std::string::npos);
    for (std::size_t i = 0; i < core::DigestSession::kMarksMax; ++i)
        night.add("a", 4min, call(0, 0));
    CHECK(facts.marks.size() == core::DigestSession::kMarksMax);
}

TEST_CASE("digest: a loop that the agent leaves went on, and one at the end is still there",
          "[api]") {
    Night night;
    night.add("a", 1min, verdict(core::Verdict::kStuck));
    night.add("a", 2min, verdict(core::Verdict::kProgressing));
    night.add("a", 3min, verdict(core::Verdict::kStuck));
    const auto& loops = night.fold.sessions().at("a").loops;
    REQUIRE(loops.size() == 2);
    CHECK(loops[0].over == "went on");
    CHECK(loops[1].over.empty());
}

TEST_CASE("digest: a resume has the reason of its announcement", "[api]") {
    Night night;
    night.add("a", 1min, announcement(), "keep-going-run-x-7");
    night.add("a", 1min, wait_call(false), "keep-going-run-x-8");
    CHECK(night.fold.sessions().at("a").resumed == 0);  // its wait was ended
    night.add("a", 2min, wait_call(true), "keep-going-run-x-9");
    const core::DigestSession& facts = night.fold.sessions().at("a");
    CHECK(facts.resumed == 1);
    REQUIRE(facts.resumes.size() == 1);
    CHECK(facts.resumes[0].why == "the usage limit is reached");
}

TEST_CASE("digest: an agent that a goal made go on was resumed, with the reason", "[api]") {
    Night night;
    core::Message message;
    message.role = "system";
    message.text = core::bounded_text("goes on, 1 of 5: `make test` ends with exit status 2");
    night.add("a", 1min, message, "headway:goal-1");
    const core::DigestSession& facts = night.fold.sessions().at("a");
    REQUIRE(facts.resumes.size() == 1);
    CHECK(facts.resumes[0].why == "goes on, 1 of 5: `make test` ends with exit status 2");
}

TEST_CASE("digest: an agent that writes and calls what keep-going does was not resumed", "[api]") {
    for (const char* id : {"", "run-x-7", "run-keep-going-7"}) {
        Night night;
        night.add("a", 1min, announcement(), id);
        night.add("a", 2min, wait_call(true), id);
        CHECK(night.fold.sessions().at("a").resumed == 0);
    }
    Night night;  // nor does its text become the reason of a true one
    night.add("a", 1min, announcement(), "run-x-7");
    night.add("a", 2min, wait_call(true), "keep-going-run-x-8");
    REQUIRE(night.fold.sessions().at("a").resumes.size() == 1);
    CHECK(night.fold.sessions().at("a").resumes[0].why.empty());
}

TEST_CASE("digest: a session with many loops or requests hides no other", "[api]") {
    Night night;
    api::DigestDocument digest;
    for (int i = 0; i < 100; ++i) {
        api::Need need;
        need.kind = api::NeedKind::kApproval;
        need.session = i < 99 ? "flood" : "quiet";
        digest.needs.push_back(need);
    }
    digest.needs_total = 100;
    for (const std::string session : {"a", "b", "c", "d", "e"}) {
        for (int i = 0; i < 8; ++i) {
            night.add(session, 1min, verdict(core::Verdict::kStuck));
            night.add(session, 1min, verdict(core::Verdict::kProgressing));
        }
        digest.rows.push_back(row_of(night, session));
    }
    const std::string text = api::text_of(api::digest_page(digest));
    for (const char* words :
         {"flood, and 96 more", "quiet, approval since", "e, went on, from ", "e, and 5 more"})
        CHECK_THAT(text, Catch::Contains(words));
}

TEST_CASE("digest: what Headway says is no sign of the agent", "[api]") {
    Night night;
    night.add("a", 0min, core::Heartbeat{});
    night.add("a", 10min, verdict(core::Verdict::kSilent));
    night.add("a", 30min, core::Heartbeat{});
    night.add("a", 31min, core::Heartbeat{});
    CHECK(night.fold.sessions().at("a").silence == 30min);
    CHECK(night.fold.sessions().at("a").silent_from == kNight);
}

TEST_CASE("digest: sums are by agent, by the model of each answer and by label", "[api]") {
    Night night;
    night.add("a", 1min, call(100, 2.0, "opus"));
    night.add("a", 2min, call(50, std::nullopt, "haiku"));
    night.add("b", 3min, call(70, 1.0));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a"), row_of(night, "b")};
    digest.rows[0].agent.type = "claude";
    digest.rows[1].agent.type = "codex";
    digest.rows[1].agent.model = "gpt";
    digest.rows[1].labels = {{"team", "night"}};
    const api::DigestSums agents = api::sums_by_agent(digest);
    REQUIRE(agents.size() == 2);
    CHECK(agents[0].name == "claude");
    CHECK(agents[0].use.tokens == 150);
    CHECK(agents[0].use.unpriced == 50);
    const api::DigestSums models = api::sums_by_model(digest);
    REQUIRE(models.size() == 3);
    CHECK(models[0].name == "opus");
    CHECK(models[0].use.calls == 1);
    CHECK(models[1].name == "gpt");
    CHECK(models[2].name == "haiku");
    const api::DigestSums labels = api::sums_by_label(digest);
    REQUIRE(labels.size() == 1);
    CHECK(labels[0].name == "team=night");
}

TEST_CASE("digest: a night without anything says so in each section", "[api]") {
    api::DigestDocument digest;
    digest.since = kNight;
    digest.until = kNight + 8h;
    const std::string text = api::text_of(api::digest_page(digest));
    CHECK_THAT(text, Catch::StartsWith("0 need you, 0 ended, $0.00\n"
                                       "2026-11-27 22:00 UTC to 2026-11-28 06:00 UTC\n"));
    for (const char* words : {"Nothing waits for a person.", "No session ended.",
                              "No agent was resumed.", "No session was stuck."})
        CHECK_THAT(text, Catch::Contains(words));
}

TEST_CASE("digest: sessions that failed are named also where no request waits", "[api]") {
    Night night;
    night.add("a", 1min, end_of(core::Outcome::kFailed, "the login has expired"));
    night.add("b", 1min, end_of(core::Outcome::kCompleted, ""));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a"), row_of(night, "b")};
    CHECK_THAT(api::text_of(api::digest_page(digest)),
               Catch::Contains("Nothing waits for a person, but 1 session has ended without "
                               "completing: see below."));
}

TEST_CASE("digest: what an agent wrote is text in every format", "[api]") {
    Night night;
    night.add("a", 1min,
              end_of(core::Outcome::kFailed,
                     "<script>alert(1)</script> [x](http://evil) @channel\n# head"));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a")};
    const api::DigestPage page = api::digest_page(digest);
    const std::string html = api::html_of(page);
    CHECK_THAT(html, !Catch::Contains("<script"));
    CHECK_THAT(html, Catch::Contains("&lt;script&gt;"));
    const std::string markdown = api::markdown_of(page);
    CHECK_THAT(markdown, !Catch::Contains("](http"));
    CHECK_THAT(markdown, !Catch::Contains("\n# head"));
    CHECK_THAT(api::text_of(page), !Catch::Contains("\n# head"));
}

TEST_CASE("digest: each session has its goal, on one line", "[api]") {
    Night night;
    night.add("a", 1min, verdict(core::Verdict::kStuck));
    night.add("a", 2min, wait_call(true), "keep-going-run-x-9");
    night.add("a", 3min, end_of(core::Outcome::kBudgetExhausted, "no more\n\nmoney"));
    night.add("b", 3min, core::Heartbeat{});
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a"), row_of(night, "b")};
    digest.rows[0].goal = "mend the\r\n\ttests " + std::string(200, 'x');
    digest.rows[1].goal = "write";
    digest.rows[1].open = true;
    digest.rows[1].verdict = core::Verdict::kWaiting;
    digest.rows[1].facts.silence = 1h;
    digest.needs.emplace_back();
    digest.needs[0].session = "c";
    digest.needs[0].goal = "deploy";
    digest.needs[0].kind = api::NeedKind::kApproval;
    digest.needs[0].risk = core::Risk::kHigh;
    const std::string text = api::text_of(api::digest_page(digest));
    const std::string mend = "  a (mend the tests " + std::string(62, 'x') + "…), ";
    for (const std::string& words :
         {mend + "budget exhausted at 2026-11-27 22:03 UTC, 1 call, tokens not reported: no more "
                 "money\n",
          mend + "1 time, last at ", mend + "budget exhausted, from ", std::string{"  b (write)\n"},
          std::string{"  b (write), for 60 min"},
          std::string{"  c (deploy), high-risk approval since "}})
        CHECK_THAT(text, Catch::Contains(words));
}

TEST_CASE("digest: what was decided in the night is said, also by expiry", "[api]") {
    Night night;
    const auto decide = [&](core::Decision decision, const char* by, const char* channel) {
        core::ApprovalDecided one;
        one.decision = decision;
        one.by = by;
        one.channel = channel;
        night.add("a", 1min, one);
    };
    decide(core::Decision::kReject, "Ada", "cli");
    decide(core::Decision::kApprove, "Ada", "dashboard");
    decide(core::Decision::kEdit, "Ada", "dashboard");
    decide(core::Decision::kRespond, "Ada", "api");
    decide(core::Decision::kReject, "", "expiry");
    decide(core::Decision::kApprove, "policy", "expiry");
    decide(core::Decision::kApprove, "policy", "policy");
    decide(core::Decision::kApprove, "grant:a.4", "grant");
    night.add("a", 2min, end_of(core::Outcome::kCompleted, ""));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a")};
    CHECK_THAT(
        api::text_of(api::digest_page(digest)),
        Catch::Contains("\nDecided\n  a: 2 approved, 1 rejected, 1 answered, 1 approved because "
                        "it expired, 1 rejected because it expired\n"));
    std::string json;
    api::append_digest(json, digest);
    CHECK_THAT(json, Catch::Contains("\"approved\":2,\"rejected\":1,\"answered\":1,\"expired_"
                                     "approved\":1,\"expired_rejected\":1"));
}

TEST_CASE("digest: calls without tokens did not cost nothing", "[api]") {
    Night night;
    core::ToolFinished silent;
    silent.tool = "bash";
    night.add("a", 1min, silent);
    night.add("a", 2min, end_of(core::Outcome::kCompleted, ""));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a")};
    CHECK_THAT(api::text_of(api::digest_page(digest)),
               Catch::Contains("UTC, 1 call, tokens not reported\n"));
}

TEST_CASE("digest: times within a day have no date", "[api]") {
    Night night;
    night.add("a", 30min, end_of(core::Outcome::kFailed, ""));
    api::DigestDocument digest;
    digest.since = kNight;
    digest.until = kNight + 8h;
    digest.rows = {row_of(night, "a")};
    CHECK_THAT(api::text_of(api::digest_page(digest)), Catch::Contains("failed at 22:30 UTC,"));
    digest.until = kNight + 24h + 30min;
    CHECK_THAT(api::text_of(api::digest_page(digest)),
               Catch::Contains("failed at 2026-11-27 22:30 UTC,"));
}

TEST_CASE("digest: completed sub-agents are one line, and those that failed are not hidden",
          "[api]") {
    Night night;
    api::DigestDocument digest;
    night.add("top", 1min, end_of(core::Outcome::kCompleted, ""));
    digest.rows.push_back(row_of(night, "top"));
    for (int i = 0; i < 40; ++i) {
        const std::string id = "top-" + std::to_string(i);
        night.add(id, 1min,
                  end_of(i == 7 ? core::Outcome::kFailed : core::Outcome::kCompleted, ""));
        digest.rows.push_back(row_of(night, id));
        digest.rows.back().parent = "top";
    }
    const api::DigestPage page = api::digest_page(digest);
    CHECK_THAT(page.title, Catch::Contains(", 2 ended (1 not completed), "));
    const std::vector<std::string>& lines = page.sections[1].lines;
    REQUIRE(lines.size() == 3);
    CHECK_THAT(lines[0], Catch::StartsWith("top-7, failed at "));
    CHECK_THAT(lines[1], Catch::StartsWith("top, completed at "));
    CHECK(lines[2] == "39 sub-agents completed");
}

TEST_CASE("digest: a program of `headway run` is named, not called a command", "[api]") {
    Night night;
    night.add("a", 1min, call(100, 2.0));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a")};
    digest.rows[0].agent = {"command", "claude", {}};
    CHECK(api::sums_by_agent(digest).at(0).name == "claude");
}

TEST_CASE("digest: an unknown cost is none of 0", "[api]") {
    Night night;
    night.add("a", 1min, call(100, std::nullopt));
    api::DigestDocument digest;
    digest.rows = {row_of(night, "a")};
    CHECK_THAT(api::digest_page(digest).title, Catch::Contains("cost not known"));
    std::string json;
    api::append_digest(json, digest);
    CHECK_THAT(json, Catch::Contains("\"cost_usd\":null,\"unpriced_tokens\":100"));
    night.add("a", 2min, call(1'234'567, 1.5));
    digest.rows = {row_of(night, "a")};
    CHECK_THAT(api::digest_page(digest).title, Catch::Contains("at least $1.50"));
    CHECK_THAT(api::text_of(api::digest_page(digest)), Catch::Contains("1,234,667 tokens"));
}
