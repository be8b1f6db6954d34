// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/limits.hpp"
#include "core/text/base64.hpp"
#include "server/outbound/judge/judge_transfer.hpp"
#include "server/outbound/transfer/curl_loop.hpp"
#include "server/outbound/webhooks/webhook_transfer.hpp"
#include "tests/support/listener.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// Behaviour of the server of an outbound request, byte by byte, against the transfers of libcurl.
// The tests check only the result of a transfer.

using namespace headway::server;
using namespace headway::tests;
using headway::core::JudgeOutcome;
namespace limits = headway::core::limits;

namespace {

struct FreeMulti {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};

/// A multi handle, driven turn by turn, and the far end of the one transfer in it.
struct Bench {
    Listener listener;
    std::unique_ptr<CURLM, FreeMulti> multi;
    std::optional<Wire> far;
    std::optional<CURLcode> code;

    Bench() { multi.reset(curl_multi_init()); }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(listener.port()); }

    /// Until `done` holds or the transfer has ended.
    void drive(const std::function<bool()>& done) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (!code && !done()) {
            REQUIRE(std::chrono::steady_clock::now() < until);
            int running = 0;
            curl_multi_perform(multi.get(), &running);
            int left = 0;
            while (const CURLMsg* const message = curl_multi_info_read(multi.get(), &left))
                code = message->data.result;
            if (!far) far = listener.accept();
            if (!code) curl_multi_poll(multi.get(), nullptr, 0, 1, nullptr);
        }
    }
    /// Until the whole request is there.
    void await_request() {
        drive([this] {
            return far && far->read().find("\r\n\r\n") != std::string::npos &&
                   far->received().back() == '}';
        });
        REQUIRE(far);
    }
    CURLcode await_end() {
        drive([] { return false; });
        return *code;
    }
};

headway::config::WebhookEndpoint webhook(const std::string& url, const std::string& secret_file) {
    headway::config::WebhookEndpoint endpoint;
    endpoint.name = "ops";
    endpoint.url = url;
    endpoint.secret_file = secret_file;
    endpoint.allow_private_addresses = true;
    endpoint.timeout = std::chrono::milliseconds{300};
    return endpoint;
}

struct Webhook {
    TempDir dir;
    Bench bench;
    WebhookTarget target;
    std::optional<WebhookTransfer> transfer;

    Webhook() : target(webhook(bench.url(), secret()), [](bool, const std::string&) {}) {
        REQUIRE(target.problem().empty());
        WebhookJob job;
        job.id = "msg_1";
        job.body = R"({"type":"test"})";
        job.at = headway::core::Timestamp{headway::core::Millis{1'700'000'000'000}};
        transfer.emplace(bench.multi.get(), target, std::move(job), "");
    }
    std::string secret() {
        const std::string file = dir.file("secret").string();
        std::ofstream{file} << "whsec_" << headway::core::to_base64(std::string(32, 'k'));
        std::filesystem::permissions(file, std::filesystem::perms::owner_read);
        return file;
    }
    WebhookResult end() { return transfer->ended(bench.await_end()); }
};

struct Judge {
    Bench bench;
    JudgeTarget target;
    std::optional<JudgeTransfer> transfer;

    Judge() : target(endpoint(bench.url() + "/v1"), [](bool, const std::string&) {}) {
        JudgeJob job;
        job.system = "You judge.";
        job.user = "What now?";
        transfer.emplace(bench.multi.get(), target, job,
                         JudgeTransfer::Patience{std::chrono::seconds{5}, std::chrono::seconds{5}});
    }
    static headway::config::JudgeEndpoint endpoint(const std::string& url) {
        headway::config::JudgeEndpoint built;
        built.name = "judge";
        built.base_url = url;
        built.model = "m";
        return built;
    }
    TryEnd end() { return transfer->ended(bench.await_end()); }
};

const std::string kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

std::string part(const std::string& text) {
    return "data: {\"choices\":[{\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
}

}  // namespace

TEST_CASE("transfers: a receiver that takes the message", "[server][webhooks]") {
    Webhook webhook;
    webhook.bench.await_request();
    CHECK(webhook.bench.far->received().find("webhook-id: msg_1\r\n") != std::string::npos);
    const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for (const char byte : reply) {
        webhook.bench.far->send({&byte, 1});
        int running = 0;
        curl_multi_perform(webhook.bench.multi.get(), &running);
    }
    CHECK((webhook.end().outcome == WebhookOutcome::kDelivered));
}

TEST_CASE("transfers: a receiver that leaves at any byte of its reply", "[server][webhooks]") {
    const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello";
    for (std::size_t cut = 0; cut <= reply.size(); cut += 4) {
        for (const bool rst : {false, true}) {
            Webhook webhook;
            webhook.bench.await_request();
            webhook.bench.far->send(reply.substr(0, cut));
            // Bytes that libcurl has not read yet are lost with a reset.
            int running = 0;
            curl_multi_perform(webhook.bench.multi.get(), &running);
            if (rst) {
                webhook.bench.far->reset();
            } else {
                webhook.bench.far->close();
            }
            const WebhookResult result = webhook.end();
            const bool has_status = result.status == 200;
            CHECK((result.outcome ==
                   (has_status ? WebhookOutcome::kDelivered : WebhookOutcome::kAway)));
            CHECK(result.reason.empty() == has_status);
        }
    }
}

TEST_CASE("transfers: a receiver that stalls times out", "[server][webhooks]") {
    for (const char* start : {"", "HTTP/1.1 200", "HTTP/1.1 100 Continue\r\n\r\n"}) {
        Webhook webhook;
        webhook.bench.await_request();
        webhook.bench.far->send(start);
        const WebhookResult result = webhook.end();
        CHECK((result.outcome == WebhookOutcome::kAway));
        CHECK_THAT(result.reason, Catch::Contains("no answer in time"));
    }
}

TEST_CASE("transfers: a reply without end is not read without limit", "[server][webhooks]") {
    Webhook webhook;
    webhook.bench.await_request();
    webhook.bench.far->send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    const std::string block(16'384, 'x');
    std::size_t sent = 0;
    webhook.bench.drive([&] {
        sent += webhook.bench.far->send(block);
        return false;
    });
    CHECK((webhook.end().outcome == WebhookOutcome::kDelivered));
    CHECK(sent < 100 * limits::kWebhookReplyBytesMax);
}

TEST_CASE("transfers: a transfer that is destroyed on its way leaves its multi handle usable",
          "[server][webhooks][judge]") {
    Webhook webhook;
    webhook.bench.await_request();
    webhook.transfer.reset();
    int running = 1;
    curl_multi_perform(webhook.bench.multi.get(), &running);
    CHECK(running == 0);
    Judge judge;
    judge.bench.await_request();
    judge.bench.far->send(kStream + part("A"));
    judge.transfer.reset();
    curl_multi_perform(judge.bench.multi.get(), &running);
    CHECK(running == 0);
}

TEST_CASE("transfers: a judge that answers in single bytes", "[server][judge]") {
    Judge judge;
    judge.bench.await_request();
    const std::string reply = kStream + part("A) it ") + part("works") + "data: [DONE]\n\n";
    for (const char byte : reply) {
        judge.bench.far->send({&byte, 1});
        int running = 0;
        curl_multi_perform(judge.bench.multi.get(), &running);
    }
    judge.bench.far->close();
    const TryEnd end = judge.end();
    CHECK((end.outcome == JudgeOutcome::kAnswered));
    CHECK(judge.transfer->stream().text() == "A) it works");
    CHECK(judge.transfer->first_token());
}

TEST_CASE("transfers: a judge's status is the one behind 100 Continue", "[server][judge]") {
    for (const bool good : {true, false}) {
        Judge judge;
        judge.bench.await_request();
        judge.bench.far->send("HTTP/1.1 100 Continue\r\n\r\n");
        judge.bench.far->send(good ? kStream + part("A) it works") + "data: [DONE]\n\n"
                                   : "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                                     R"({"error":{"message":"no such model"}})");
        judge.bench.far->close();
        const TryEnd end = judge.end();
        CHECK((end.outcome == (good ? JudgeOutcome::kAnswered : JudgeOutcome::kRefused)));
        CHECK(judge.transfer->stream().text() == (good ? "A) it works" : ""));
        CHECK(end.error == (good ? "" : "judge: HTTP 400: no such model"));
    }
}

TEST_CASE("transfers: a judge whose connection dies at any byte", "[server][judge]") {
    const std::string reply = kStream + part("A) it ") + part("works");
    for (std::size_t cut = 0; cut <= reply.size(); cut += 9) {
        for (const bool rst : {false, true}) {
            Judge judge;
            judge.bench.await_request();
            judge.bench.far->send(reply.substr(0, cut));
            int running = 0;
            curl_multi_perform(judge.bench.multi.get(), &running);
            if (rst) {
                judge.bench.far->reset();
            } else {
                judge.bench.far->close();
            }
            const TryEnd end = judge.end();
            CHECK((end.outcome == JudgeOutcome::kBroken));
            CHECK_FALSE(end.error.empty());
            CHECK_FALSE(end.may_retry);
        }
    }
}

TEST_CASE("transfers: an answer without end is oversized, no answer is silence",
          "[server][judge]") {
    Judge endless;
    endless.bench.await_request();
    endless.bench.far->send(kStream);
    std::string block;
    for (int i = 0; i < 200; ++i)
        block += part("no end ");
    endless.bench.drive([&] {
        endless.bench.far->send(block);
        return false;
    });
    CHECK((endless.end().outcome == JudgeOutcome::kOversized));

    Judge silent;
    silent.bench.await_request();
    CHECK(silent.transfer->silent_at() > Clock::steady());
    CHECK((silent.transfer->fell_silent().outcome == JudgeOutcome::kBroken));
}

TEST_CASE("transfers: a port without a listener", "[server][judge][webhooks]") {
    Judge judge;
    judge.bench.listener.close();
    const TryEnd end = judge.end();
    CHECK((end.outcome == JudgeOutcome::kUnreachable));
    CHECK(end.may_retry);
    Webhook webhook;
    webhook.bench.listener.close();
    CHECK((webhook.end().outcome == WebhookOutcome::kAway));
}
