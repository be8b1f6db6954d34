// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_target.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "core/base64.hpp"
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
    headway::config::WebhookEndpoint made;
    made.name = "ops";
    made.url = "https://ops.example/x?key=hidden";
    made.secret_file = secret_file;
    return made;
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
    const Made made{endpoint(file_with(dir, "whsec_" + to_base64(secret) + "\n"))};
    CHECK(made.log.empty());
    CHECK(made.target.secrets() == std::vector<std::string>{secret});
    const WebhookRule rule = made.target.rule();
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
        const Made made{wrong};
        CHECK_FALSE(made.target.problem().empty());
        CHECK(made.target.rule().problem == made.target.problem());
        REQUIRE(made.log.size() == 1);
        CHECK(made.log.front().find("webhook ops cannot be sent to: ") == 0);
        CHECK(made.log.front().find("c2hvcnQ") == std::string::npos);
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
