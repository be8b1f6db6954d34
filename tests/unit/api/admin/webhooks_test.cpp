// SPDX-License-Identifier: Apache-2.0
#include "api/admin/webhooks.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::api;
using namespace headway::tests;
using Document = nlohmann::json;

TEST_CASE("webhooks: an endpoint as JSON; what never was is null", "[api]") {
    WebhookDocument webhook;
    webhook.name = "ops";
    webhook.url = "https://ops.example/x";
    webhook.state = "active";
    webhook.events = {"session.ended"};
    webhook.pending = 3;
    webhook.succeeded_at = at(0);
    std::string out;
    append_webhooks(out, std::span{&webhook, 1});
    const Document shown = Document::parse(out)["webhooks"][0];
    CHECK(shown["name"] == "ops");
    CHECK(shown["events"] == Document{"session.ended"});
    CHECK(shown["pending"] == 3);
    CHECK(shown["last_success_at"] == "2023-11-14T22:13:20.000Z");
    CHECK(shown["last_failure_at"].is_null());
    CHECK(shown["next_try_at"].is_null());
    CHECK_FALSE(shown.contains("problem"));
    CHECK_FALSE(shown.contains("last_failure"));
}

TEST_CASE("webhooks: a page of deliveries names where the next begins", "[api]") {
    DeliveryDocument delivery;
    delivery.cursor = 41;
    delivery.id = "msg_1";
    delivery.dead_at = at(0);
    delivery.reason = "HTTP 500";
    std::string out;
    append_deliveries(out, std::span{&delivery, 1}, true);
    const Document page = Document::parse(out);
    CHECK(page["next"] == "41");
    CHECK(page["deliveries"][0]["reason"] == "HTTP 500");
    CHECK(page["deliveries"][0]["next_try_at"].is_null());
    out.clear();
    append_deliveries(out, {}, false);
    CHECK(Document::parse(out) == Document{{"deliveries", Document::array()}, {"next", nullptr}});
}

TEST_CASE("webhooks: what is sent again is named, or is all", "[api]") {
    JsonDocument document;
    CHECK(decode_replay(document, R"({"ids":["a","b"]})").value().ids ==
          std::vector<std::string>{"a", "b"});
    CHECK(decode_replay(document, R"({"all":true})").value().ids.empty());
    for (const char* body :
         {"", "{}", R"({"all":false})", R"({"ids":[]})", R"({"all":true,"ids":["a"]})"}) {
        const auto refused = decode_replay(document, body);
        CHECK(code_of(refused) == ErrorCode::kMissingField);
        CHECK(refused.error().detail.find("\"all\":true") != std::string::npos);
    }
    CHECK(code_of(decode_replay(document, R"({"al":true})")) == ErrorCode::kUnknownField);
    std::string many = R"({"ids":["x")";
    for (std::size_t i = 0; i < limits::kWebhookReplayIdsMax; ++i)
        many += R"(,"x")";
    CHECK(code_of(decode_replay(document, many + "]}")) == ErrorCode::kInvalidField);
}
