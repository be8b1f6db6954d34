// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_target.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "core/text/base64.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

struct Made {
    std::vector<std::string> log;
    WebhookTarget target;

    explicit Made(headway::config::WebhookEndpoint endpoint)
        : target(std::move(endpoint),
                 [this](bool, const std::string& line) { log.push_back(line); }) {}
};

headway::config::WebhookEndpoint endpoint(const std::string& secret_file) {
    headway::config::WebhookEndpoint built;
    built.name = "ops";
    built.url = "https://ops.example/x?key=hidden";
    built.secret_file = secret_file;
    return built;
}

std::string file_with(const TempDir& dir, const std::string& text) {
    const std::string file = dir.file("secret").string();
    std::ofstream{file} << text;
    return file;
}

}  // namespace

TEST_CASE("webhook target: the engine's rule contains no secrets", "[server]") {
    const TempDir dir;
    const std::string secret = std::string(32, 'k');
    const Made target{endpoint(file_with(dir, "whsec_" + to_base64(secret) + "\n"))};
    CHECK(target.log.empty());
    CHECK(target.target.secrets() == std::vector<std::string>{secret});
    const WebhookRule rule = target.target.rule();
    CHECK(rule.name == "ops");
    CHECK(rule.url == "https://ops.example/…");
    CHECK(rule.target.find("hidden") == std::string::npos);
    CHECK(rule.problem.empty());
    CHECK(rule.events.count() == default_webhook_events().size());
    CHECK(rule.verdicts.count() == default_webhook_verdicts().size());
}

TEST_CASE("webhook target: chosen events replace the default ones", "[server]") {
    const TempDir dir;
    auto chosen = endpoint(file_with(dir, "whsec_" + to_base64(std::string(32, 'k'))));
    chosen.events = {"heartbeat"};
    chosen.verdicts = {"slow", "suspect"};
    const WebhookRule rule = Made{chosen}.target.rule();
    CHECK(rule.events.count() == 1);
    CHECK(rule.events.test(static_cast<std::size_t>(EventType::kHeartbeat)));
    CHECK(rule.verdicts.count() == 2);
    auto moved = chosen;
    moved.url += "2";
    CHECK(Made{moved}.target.rule().target != rule.target);
}

TEST_CASE("webhook target: an unreadable secret is a problem, reported once and not quoted",
          "[server]") {
    const TempDir dir;
    auto variable = endpoint({});
    variable.secret_env = "HEADWAY_TEST_NO_SUCH_VARIABLE";
    for (const auto& wrong : {endpoint(dir.file("none").string()),
                              endpoint(file_with(dir, "whsec_c2hvcnQ=\n")), variable}) {
        const Made target{wrong};
        CHECK_FALSE(target.target.problem().empty());
        CHECK(target.target.rule().problem == target.target.problem());
        REQUIRE(target.log.size() == 1);
        CHECK(target.log.front().find("webhook ops cannot be sent to: ") == 0);
        CHECK(target.log.front().find("c2hvcnQ") == std::string::npos);
    }
}

TEST_CASE("webhook target: unencrypted delivery over the Internet causes a warning", "[server]") {
    const TempDir dir;
    auto plain = endpoint(file_with(dir, "whsec_" + to_base64(std::string(32, 'k'))));
    plain.url = "http://ops.example/x";
    const Made warned{plain};
    REQUIRE(warned.log.size() == 1);
    CHECK(warned.log.front().find("unencrypted") != std::string::npos);
    CHECK(warned.target.problem().empty());
    plain.allow_private_addresses = true;  // a private network
    CHECK(Made{plain}.log.empty());
}

TEST_CASE("webhook target: the secret is what its format says", "[server]") {
    const TempDir dir;
    const auto built = [&](WebhookFormat format, const std::string& text) {
        auto chosen = endpoint(file_with(dir, text));
        chosen.format = format;
        if (format == WebhookFormat::kSlack) chosen.url.clear();
        return Made{chosen};
    };
    const Made slack = built(WebhookFormat::kSlack, "https://hooks.example/T/hidden\n");
    CHECK(slack.target.problem().empty());
    CHECK(slack.target.endpoint().url == "https://hooks.example/T/hidden");
    CHECK(slack.target.rule().url == "https://hooks.example/…");
    CHECK(slack.target.rule().for_people());
    CHECK(built(WebhookFormat::kNtfy, " tk_1 \n").target.secret() == "tk_1");
    CHECK(built(WebhookFormat::kEmail, "pass word\n").target.secret() == "pass word");
    for (const auto& [format, text] : {std::pair{WebhookFormat::kSlack, "hidden"},
                                       {WebhookFormat::kSlack, "smtps://hidden"},
                                       {WebhookFormat::kNtfy, "hidden word"},
                                       {WebhookFormat::kEmail, "hidden\r\nX: y"},
                                       {WebhookFormat::kEmail, ""}}) {
        const Made wrong = built(format, text);
        CHECK(wrong.target.problem().find("in the file of webhooks.endpoints.ops.secret_file") ==
              0);
        CHECK(wrong.target.problem().find("hidden") == std::string::npos);
    }
}

TEST_CASE("webhook target: without a secret where none is needed", "[server]") {
    auto chosen = endpoint("");
    chosen.format = WebhookFormat::kNtfy;
    CHECK(Made{chosen}.target.problem().empty());
}

TEST_CASE("webhook target: other recipients are another target", "[server]") {
    auto chosen = endpoint("");
    chosen.format = WebhookFormat::kEmail;
    chosen.to = {"a@b"};
    const std::string before = Made{chosen}.target.rule().target;
    chosen.to = {"c@d"};
    CHECK(Made{chosen}.target.rule().target != before);
    chosen.format = WebhookFormat::kNtfy;
    chosen.to.clear();
    const std::string plain = Made{chosen}.target.rule().target;
    CHECK(plain == to_hex(digest_of(chosen.url)));
    chosen.topic = "t";
    CHECK(Made{chosen}.target.rule().target != plain);
}

TEST_CASE("webhook target: a command must be a program", "[server]") {
    auto chosen = endpoint("");
    chosen.url.clear();
    chosen.format = WebhookFormat::kCommand;
    chosen.argv = {"/bin/sh", "x"};
    CHECK(Made{chosen}.target.problem().empty());
    CHECK(Made{chosen}.target.rule().url == "/bin/sh");
    chosen.argv = {"/etc/passwd"};
    CHECK(Made{chosen}.target.problem() ==
          "/etc/passwd of webhooks.endpoints.ops.argv is no program that the user of the daemon "
          "may run");
}
