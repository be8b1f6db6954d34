// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_request.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "core/text/base64.hpp"
#include "tests/support/make.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::WebhookFormat;

namespace {

struct Sent {
    TempDir dir;
    headway::config::WebhookEndpoint endpoint;

    explicit Sent(WebhookFormat format) {
        endpoint.name = "ops";
        endpoint.format = format;
        endpoint.url = "https://x.example";
        endpoint.topic = "alerts";
        endpoint.from = "h@example.org";
        endpoint.to = {"ana@example.com"};
        if (format == WebhookFormat::kCommand) endpoint.argv = {"/bin/sh"};
    }
    void secret(const std::string& text) {
        endpoint.secret_file = dir.file("secret").string();
        std::ofstream{endpoint.secret_file} << text;
    }
    WebhookRequest of(const WebhookJob& job) const {
        const WebhookTarget target{endpoint, [](bool, const std::string&) {}};
        REQUIRE(target.problem().empty());
        return request_for(target, job, "https://h.example");
    }
};

WebhookPart part(const std::string& id, const std::string& session) {
    WebhookPart built;
    built.row = 1;
    built.id = id;
    built.type = "session.ended";
    built.session = session;
    built.n = 3;
    built.body = R"({"type":"session.ended","data":{"event":{"outcome":"failed"}}})";
    return built;
}

WebhookJob job_about(std::size_t others) {
    WebhookJob job;
    static_cast<WebhookPart&>(job) = part("msg_0", "s0");
    job.at = at(0);
    for (std::size_t i = 1; i <= others; ++i)
        job.others.push_back(part("msg_" + std::to_string(i), "s" + std::to_string(i)));
    return job;
}

}  // namespace

TEST_CASE("webhook request: the standard one is the stored body, signed", "[server]") {
    Sent sent{WebhookFormat::kStandard};
    sent.secret("whsec_" + headway::core::to_base64(std::string(32, 'k')));
    const WebhookRequest request = sent.of(job_about(0));
    CHECK(request.body == job_about(0).body);
    REQUIRE(request.headers.size() == 3);
    CHECK(request.headers[0] == "webhook-id: msg_0");
    CHECK(request.headers[1] == "webhook-timestamp: 1700000000");
    CHECK(request.headers[2].starts_with("webhook-signature: v1,"));
}

TEST_CASE("webhook request: each format is its own", "[server]") {
    CHECK(Sent{WebhookFormat::kSlack}
              .of(job_about(0))
              .body.starts_with(R"({"text":"s0 has ended: failed")"));
    CHECK(Sent{WebhookFormat::kDiscord}
              .of(job_about(0))
              .body.starts_with(R"({"content":"**s0 has ended\\: failed**)"));
    CHECK(
        Sent{WebhookFormat::kEmail}.of(job_about(0)).body.find("Message-ID: <msg_0@example.org>") !=
        std::string::npos);
    CHECK(
        Sent{WebhookFormat::kCommand}
            .of(job_about(0))
            .body.starts_with(
                R"({"type":"session.ended","data":{"event":{"outcome":"failed"}},"notice":{"id":"msg_0")"));
    Sent ntfy{WebhookFormat::kNtfy};
    CHECK(ntfy.of(job_about(0)).headers.empty());
    ntfy.secret("tk_1\n");
    CHECK(ntfy.of(job_about(0)).headers == std::vector<std::string>{"Authorization: Bearer tk_1"});
    CHECK(ntfy.of(job_about(0)).body.starts_with(R"({"topic":"alerts",)"));
    Sent telegram{WebhookFormat::kTelegram};
    telegram.endpoint.chat = "123";
    telegram.secret("42:secret-token\n");
    CHECK(telegram.of(job_about(0)).headers.empty());
    CHECK(telegram.of(job_about(0)).body.starts_with(R"({"chat_id":"123",)"));
    CHECK(telegram.of(job_about(0)).body.find("secret-token") == std::string::npos);
}

TEST_CASE("webhook request: the token of a bot is part of its URL, and no URL is shown with it",
          "[server]") {
    Sent telegram{WebhookFormat::kTelegram};
    telegram.endpoint.url = "";
    telegram.secret("42:secret-token\n");
    const WebhookTarget target{telegram.endpoint, [](bool, const std::string&) {}};
    CHECK(target.endpoint().url == "https://api.telegram.org/bot42:secret-token/sendMessage");
    CHECK(target.rule().url == "https://api.telegram.org/…");
    telegram.secret("no token");
    const WebhookTarget bad{telegram.endpoint, [](bool, const std::string&) {}};
    CHECK(bad.problem().find("there is no token of a bot") != std::string::npos);
    CHECK(bad.problem().find("no token of a bot such") != std::string::npos);
}

TEST_CASE("webhook request: the same events together have the same id again", "[server]") {
    const auto id_of = [](const WebhookJob& job) {
        const std::string mail = Sent{WebhookFormat::kEmail}.of(job).body;
        const std::size_t begin = mail.find("Message-ID: <");
        return mail.substr(begin, mail.find('@', begin) - begin);
    };
    const std::string two = id_of(job_about(1));
    CHECK(two == id_of(job_about(1)));
    CHECK(two != id_of(job_about(0)));
    CHECK(two != id_of(job_about(2)));
}

TEST_CASE("webhook request: what had to wait is counted", "[server]") {
    WebhookJob job = job_about(2);
    CHECK(Sent{WebhookFormat::kNtfy}.of(job).body.find(
              R"("title":"3 sessions have ended: failed")") != std::string::npos);
    job.backlog = true;
    CHECK(Sent{WebhookFormat::kNtfy}.of(job).body.find(R"("title":"3 more: 3 ended")") !=
          std::string::npos);
}
