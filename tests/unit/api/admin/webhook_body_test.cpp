// SPDX-License-Identifier: Apache-2.0
#include "api/admin/webhook_body.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;
using headway::api::webhook_body;
using Document = nlohmann::json;

namespace {

/// A session about which everything is said, and an approval that it asks for.
struct Told {
    Session session{"s-1"};
    std::vector<Event> events;

    explicit Told(SessionStarted about = described()) {
        session.open(std::move(about), {}, context(0), events);
    }
    static SessionStarted described() {
        SessionStarted about;
        about.goal = bounded_text("mend the tests");
        about.agent.type = "coder";
        about.labels = {{"team", "a"}};
        about.parent = "boss";
        return about;
    }
    Event asks(std::string args) {
        ApprovalRequested asked;
        asked.tool = "bash";
        asked.args.text = std::move(args);
        asked.args_digest = "sha256:x";
        asked.summary = bounded_text("run it");
        Event one_event = event(std::move(asked));
        one_event.n = 12;
        one_event.at = at(5);
        return one_event;
    }
};

}  // namespace

TEST_CASE("webhook body: type, time and data, with what a person asks first", "[api]") {
    Told advice;
    const Document body =
        Document::parse(webhook_body(advice.session, advice.asks(R"({"c":"ls"})")));
    CHECK(body["type"] == "approval.requested");
    CHECK(body["timestamp"] == "2023-11-14T22:13:20.005Z");
    CHECK(body.size() == 3);
    const Document& data = body["data"];
    CHECK(data["session"] == "s-1");
    CHECK(data["n"] == 12);
    CHECK(data["approval"] == "s-1.a12");
    CHECK(data["verdict"] == "starting");
    CHECK(data["agent"] == "coder");
    CHECK(data["goal"] == "mend the tests");
    CHECK(data["labels"] == Document{{"team", "a"}});
    CHECK(data["parent"] == "boss");
    CHECK(data["event"]["args"] == Document{{"c", "ls"}});
    CHECK_FALSE(data.contains("truncated"));
    CHECK_FALSE(data["event"].contains("question"));  // internal
}

TEST_CASE("webhook body: whatever is in an event, it stays below the bound and says so", "[api]") {
    const std::string long_args = "{\"c\":\"" + std::string(60'000, 'x') + "\"}";
    SECTION("arguments are left out, their digest and the summary stay") {
        Told advice;
        const std::string text = webhook_body(advice.session, advice.asks(long_args));
        CHECK(text.size() < limits::kWebhookBodyBytesMax);
        const Document data = Document::parse(text)["data"];
        CHECK(data["truncated"] == true);
        CHECK_FALSE(data["event"].contains("args"));
        CHECK(data["event"]["args_digest"] == "sha256:x");
        CHECK(data["event"]["summary"] == "run it");
    }
    SECTION("all of the event, when it is no approval") {
        Told known;
        PlanUpdated plan;
        for (std::size_t i = 0; i < limits::kListItemsMax; ++i)
            plan.steps.push_back({std::string(500, 'p'), {}});
        const std::string text = webhook_body(known.session, event(std::move(plan)));
        CHECK(text.size() < limits::kWebhookBodyBytesMax);
        const Document data = Document::parse(text)["data"];
        CHECK(data["truncated"] == true);
        CHECK(data["goal"] == "mend the tests");
        CHECK_FALSE(data.contains("event"));
    }
    SECTION("and what a session says of itself, when every byte of it has to be escaped") {
        SessionStarted about = Told::described();
        about.labels.clear();
        for (std::size_t i = 0; i < limits::kLabelsMax; ++i)
            about.labels.push_back({"key" + std::to_string(i), std::string(500, '\x01')});
        about.goal = bounded_text(std::string(4000, '\x02'));
        Told told{std::move(about)};
        const std::string text = webhook_body(told.session, told.asks(long_args));
        CHECK(text.size() < limits::kWebhookBodyBytesMax);
        const Document data = Document::parse(text)["data"];
        CHECK(data["truncated"] == true);
        CHECK(data["approval"] == "s-1.a12");
        CHECK_FALSE(data.contains("labels"));
    }
}

TEST_CASE("webhook body: a test says what it is", "[api]") {
    const Document body = Document::parse(headway::api::webhook_test_body("ops", at(0)));
    CHECK(body["type"] == "webhook.test");
    CHECK(body["data"]["endpoint"] == "ops");
    CHECK(body["timestamp"] == "2023-11-14T22:13:20.000Z");
}
