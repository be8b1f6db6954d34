// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_signature.hpp"

#include <catch2/catch.hpp>

#include "core/text/base64.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

const std::string kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

}  // namespace

TEST_CASE("webhook signature: the example of the reference libraries", "[server]") {
    const auto secrets = parse_webhook_secrets(kSecret);
    require_ok(secrets);
    CHECK(webhook_signature(*secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1'614'265'330,
                            R"({"test": 2432232314})") ==
          "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST_CASE("webhook signature: while a secret is replaced both sign", "[server]") {
    const std::string other = "whsec_" + to_base64(std::string(32, 'k'));
    const auto both =
        parse_webhook_secrets("# the new one\n" + other + "\n\n  " + kSecret + "\r\n");
    require_ok(both);
    REQUIRE(both->size() == 2);
    const std::string header = webhook_signature(*both, "m", 1, "{}");
    CHECK(header == webhook_signature(parse_webhook_secrets(other).value(), "m", 1, "{}") + " " +
                        webhook_signature(parse_webhook_secrets(kSecret).value(), "m", 1, "{}"));
    CHECK(parse_webhook_secrets(other + " " + kSecret).value() == *both);  // of a variable
}

TEST_CASE("webhook signature: id, time and body all count", "[server]") {
    const auto secrets = parse_webhook_secrets(kSecret).value();
    const std::string header = webhook_signature(secrets, "m", 1, "{}");
    CHECK(header != webhook_signature(secrets, "n", 1, "{}"));
    CHECK(header != webhook_signature(secrets, "m", 2, "{}"));
    CHECK(header != webhook_signature(secrets, "m", 1, "{ }"));
}

TEST_CASE("webhook signature: an invalid secret is refused without being quoted", "[server]") {
    const std::string good = "whsec_" + to_base64(std::string(24, 'k'));
    require_ok(parse_webhook_secrets(good));
    require_ok(parse_webhook_secrets("whsec_" + to_base64(std::string(64, 'k'))));
    for (const std::string& text :
         {std::string{}, std::string{"\n# nothing\n"},
          std::string{"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, std::string{"whsec_not base64"},
          "whsec_" + to_base64(std::string(23, 'k')), "whsec_" + to_base64(std::string(65, 'k')),
          good + "\n" + good + "\n" + good + "\n" + good + "\n" + good}) {
        const auto refused = parse_webhook_secrets(text);
        CHECK(code_of(refused) == ErrorCode::kInvalidConfig);
        CHECK(refused.error().detail.find("MfKQ") == std::string::npos);
        CHECK(refused.error().detail.find("kkkk") == std::string::npos);
    }
}
