// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "config/load/keys.hpp"
#include "config/load/load.hpp"
#include "config/load/sections.hpp"
#include "core/base/limits.hpp"

using namespace headway::config;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct WebhookLoading {
    fs::path file = fs::temp_directory_path() /
                    ("headway-webhook-keys-" + std::to_string(::getpid()) + ".toml");
    ~WebhookLoading() { fs::remove(file); }

    auto operator()(const std::string& text, const std::map<std::string, std::string>& flags = {}) {
        std::ofstream(file) << text;
        LoadRequest request;
        request.file = file;
        request.flags = flags;
        return load(request);
    }
};

const std::string kOps =
    "[webhooks.endpoints.ops]\nurl = \"https://ops.example/headway?key=1\"\n"
    "secret_file = \"/etc/ops.secret\"\n";

}  // namespace

TEST_CASE("webhook keys: no message is sent without an endpoint", "[config]") {
    const Settings settings;
    CHECK(settings.webhooks.endpoints.empty());
    CHECK(webhook_table().values(settings).empty());
    CHECK(settings.webhooks.retry.size() == 10);
    CHECK(find_key("webhooks.retry")->print(settings).text() ==
          "0s,5s,5m,30m,2h,5h,10h,14h,20h,1d");
}

TEST_CASE("webhook keys: a file sets the schedule and any number of endpoints", "[config]") {
    WebhookLoading loading;
    const auto loaded = loading(
        "[webhooks]\nretry = [\"0s\", \"10s\"]\n" + kOps +
        "[webhooks.endpoints.night-2]\nurl = \"http://10.0.0.5:8080\"\nsecret_env = \"NIGHT\"\n"
        "events = [\"session.ended\", \"verdict.changed\"]\nverdicts = [\"stuck\"]\n"
        "allow_private_addresses = \"on\"\nca_file = \"/etc/ca.pem\"\ntimeout = \"3s\"\n"
        "connect_timeout = \"1s\"\n");
    REQUIRE(loaded.has_value());
    const WebhookSettings& webhooks = loaded->settings.webhooks;
    CHECK(webhooks.retry == std::vector<milliseconds>{0s, 10s});
    REQUIRE(webhooks.endpoints.size() == 2);
    const auto night = std::find_if(webhooks.endpoints.begin(), webhooks.endpoints.end(),
                                    [](const WebhookEndpoint& e) { return e.name == "night-2"; });
    REQUIRE(night != webhooks.endpoints.end());
    WebhookEndpoint expected;
    expected.name = "night-2";
    expected.url = "http://10.0.0.5:8080";
    expected.secret_env = "NIGHT";
    expected.events = {"session.ended", "verdict.changed"};
    expected.verdicts = {"stuck"};
    expected.allow_private_addresses = true;
    expected.ca_file = "/etc/ca.pem";
    expected.timeout = 3s;
    expected.connect_timeout = 1s;
    CHECK(*night == expected);
    const auto shown = std::find_if(
        loaded->keys.begin(), loaded->keys.end(),
        [](const KeyOrigin& origin) { return origin.key == "webhooks.endpoints.night-2.events"; });
    REQUIRE(shown != loaded->keys.end());
    CHECK(shown->value == "session.ended,verdict.changed");
    CHECK(shown->origin.find("headway-webhook-keys") != std::string::npos);
}

TEST_CASE("webhook keys: a flag changes one value of an endpoint", "[config]") {
    WebhookLoading loading;
    const auto loaded = loading(kOps, {{"webhooks.endpoints.ops.timeout", "2s"}});
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.webhooks.endpoints.front().timeout == 2s);
}

TEST_CASE("webhook keys: every mistake says what to do", "[config]") {
    const std::tuple<std::string, std::string> cases[] = {
        {"url = \"ftp://x\"", "does not start with http:// or https://"},
        {"url = \"https://me:pw@x\"", "a name or password has no place in a URL"},
        {"url = \"https://\"", "is not a URL such as"},
        {"url = \"https://x/ y\"", "is not a URL such as"},
        {"url = \"https://x#f\"", "is not a URL such as"},
        {"events = [\"session.end\"]", "is no type of event; did you mean `session.ended`?"},
        {"events = []", "is empty; leave it out for the default"},
        {"events = \"session.ended\"", "expected a list of strings"},
        {"verdicts = [\"stukc\"]", "is no verdict; did you mean `stuck`?"},
        {"allow_private_addresses = \"yes\"", "is not one of on, off"},
        {"timeout = \"1h\"", "is out of range; use 100ms to 1m"},
        {"timeout = 5", "timeout"},
        {"secret_file = \"whsec_aaaa\"", "is the secret itself; write it to a file"},
        {"secret_env = \"whsec_aaaa\"", "is not the name of an environment variable"},
        {"secret = \"x\"", "unknown key `webhooks.endpoints.bad.secret`"},
    };
    WebhookLoading loading;
    for (const auto& [line, expected] : cases) {
        DYNAMIC_SECTION(line) {
            const auto loaded = loading("[webhooks.endpoints.bad]\n" + line + "\n");
            REQUIRE_FALSE(loaded.has_value());
            CHECK(loaded.error().detail.find(expected) != std::string::npos);
            CHECK(loaded.error().detail.find("pw") == std::string::npos);
            CHECK(loaded.error().detail.find("whsec_aaaa") == std::string::npos);
        }
    }
}

TEST_CASE("webhook keys: what is missing is said, and where", "[config]") {
    WebhookLoading loading;
    const auto detail = [&](const std::string& text) {
        const auto loaded = loading(text);
        REQUIRE_FALSE(loaded.has_value());
        return loaded.error().detail;
    };
    CHECK(detail("[webhooks.endpoints.ops]\nsecret_env = \"S\"\n") ==
          "webhooks.endpoints.ops has no url");
    CHECK(detail("[webhooks.endpoints.ops]\nurl = \"https://x\"\n") ==
          "webhooks.endpoints.ops has no secret_file and no secret_env; `headway webhooks secret` "
          "makes a secret");
    CHECK(detail(kOps + "secret_env = \"S\"\n") ==
          "webhooks.endpoints.ops has both of secret_file and secret_env");
    CHECK(detail("[webhooks.endpoints.ops]\n").find("webhooks.endpoints.ops is empty") !=
          std::string::npos);
    CHECK(detail("[webhooks]\nretry = []\n").find("must be 1 to 20 durations") !=
          std::string::npos);
    CHECK(detail("[webhooks]\nretry = [\"soon\"]\n").find("webhooks.retry") != std::string::npos);
    CHECK(detail("[webhooks.endpoints.Ops]\nurl = \"https://x\"\n")
              .find("an endpoint's name is of a-z") != std::string::npos);
    std::string many;
    for (std::size_t i = 0; i <= headway::core::limits::kWebhookEndpointsMax; ++i) {
        const std::string name = "[webhooks.endpoints.e" + std::to_string(i);
        many += name + "]\nurl = \"https://x\"\nsecret_env = \"S\"\n";
    }
    CHECK(detail(many).find("more than 8 endpoints") != std::string::npos);
}

TEST_CASE("webhook keys: the daemon itself is no receiver", "[config]") {
    WebhookLoading loading;
    const auto refused = [&](const std::string& url, const std::string& listen) {
        const auto loaded = loading("[webhooks.endpoints.ops]\nurl = \"" + url +
                                        "\"\nsecret_env = \"S\"\n"
                                        "[access]\nmode = \"token\"\n"
                                        "[server]\ninsecure_bind = \"on\"\n",
                                    {{"server.listen", listen}});
        if (loaded) return false;
        CHECK_THAT(loaded.error().detail,
                   Catch::StartsWith("webhooks.endpoints.ops has the url of this daemon itself "
                                     "(server.listen is \"" +
                                     listen + "\")"));
        return true;
    };
    for (const char* host : {"127.0.0.1", "localhost", "LocalHost", "localhost.", "a.localhost",
                             "127.1", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]"}) {
        CAPTURE(host);
        const std::string url = std::string{"http://"} + host;
        for (const char* listen : {"127.0.0.1:7717", "[::1]:7717", "0.0.0.0:7717", "[::]:7717"})
            CHECK(refused(url + ":7717/ping/x", listen));
        CHECK_FALSE(refused(url + ":7718/ping/x", "127.0.0.1:7717"));
        CHECK_FALSE(refused(url + ":7717/ping/x", "127.0.0.1:0"));
        CHECK_FALSE(refused(url + ":7717", "192.168.1.5:7717"));
    }
    CHECK(refused("http://127.0.0.1", "127.0.0.1:80"));
    CHECK(refused("https://localhost?x:1", "127.0.0.1:443"));
    CHECK(refused("https://192.168.1.5:7717/x", "192.168.1.5:7717"));
    CHECK(refused("http://[2001:db8:0::5]:7717/x", "[2001:db8::5]:7717"));
    CHECK_FALSE(refused("http://[2001:db8::6]:7717/x", "[2001:db8::5]:7717"));
    CHECK_FALSE(refused("http://192.168.1.6:7717", "0.0.0.0:7717"));
    CHECK_FALSE(refused("http://ops.example:7717", "127.0.0.1:7717"));
    CHECK_FALSE(refused("http://[::1", "127.0.0.1:80"));
    CHECK_FALSE(refused("http://localhost:99999", "127.0.0.1:7717"));
}

TEST_CASE("webhook keys: every format has its keys", "[config]") {
    WebhookLoading loading;
    const auto loaded = loading(
        "[webhooks]\nlink = \"https://headway.example/\"\n"
        "[webhooks.endpoints.a]\nformat = \"slack\"\nurl = \"https://hooks.slack.com/services/T\"\n"
        "messages_max = 5\nwindow = \"1h\"\ngather = \"0s\"\n"
        "[webhooks.endpoints.b]\nformat = \"discord\"\nsecret_env = \"HOOK\"\n"
        "[webhooks.endpoints.c]\nformat = \"ntfy\"\nurl = \"https://ntfy.sh\"\ntopic = \"t-1\"\n"
        "[webhooks.endpoints.d]\nformat = \"email\"\nurl = \"smtps://mail.example\"\n"
        "from = \"h@example.org\"\nto = [\"a@b\", \"c@d\"]\nuser = \"u\"\nsecret_env = \"P\"\n"
        "[webhooks.endpoints.e]\nformat = \"command\"\nargv = [\"/bin/notify\", \"a, b\"]\n"
        "[webhooks.endpoints.f]\nformat = \"telegram\"\nchat = \"-1001\"\nsecret_env = \"B\"\n");
    REQUIRE(loaded.has_value());
    const WebhookSettings& webhooks = loaded->settings.webhooks;
    CHECK(webhooks.link == "https://headway.example");
    REQUIRE(webhooks.endpoints.size() == 6);
    const auto named = [&](const std::string& name) {
        return *std::find_if(webhooks.endpoints.begin(), webhooks.endpoints.end(),
                             [&](const WebhookEndpoint& e) { return e.name == name; });
    };
    CHECK(named("a").format == headway::core::WebhookFormat::kSlack);
    CHECK(named("a").messages_max == 5);
    CHECK(named("a").window == 1h);
    CHECK(named("a").gather == 0s);
    CHECK(named("b").messages_max == 20);
    CHECK(named("c").topic == "t-1");
    CHECK(named("d").to == std::vector<std::string>{"a@b", "c@d"});
    CHECK(named("d").tls);
    CHECK(named("f").chat == "-1001");
    CHECK(named("e").argv == std::vector<std::string>{"/bin/notify", "a, b"});
}

TEST_CASE("webhook keys: a mistake in a format names the key and the fix", "[config]") {
    const std::string mail =
        "format = \"email\"\nurl = \"smtp://m\"\nfrom = \"h@e\"\nto = [\"a@b\"]\n";
    const std::string ntfy = "format = \"ntfy\"\nurl = \"https://n\"\ntopic = \"t\"\n";
    const std::tuple<std::string, std::string> cases[] = {
        {"format = \"slak\"",
         "is not one of standard, slack, discord, ntfy, email, command, telegram"},
        {"format = \"slack\"", "has no url"},
        {"format = \"slack\"\nurl = \"https://x\"\nsecret_env = \"S\"",
         "the secret of this format is the url itself"},
        {"format = \"slack\"\nurl = \"smtps://x\"", "which needs format = \"email\""},
        {"format = \"ntfy\"\nurl = \"https://n\"", "has no topic; topic = "},
        {"format = \"ntfy\"\nurl = \"https://n/t\"\ntopic = \"t\"", "the topic, which is a key of"},
        {"topic = \"a b\"", "is no topic: 1 to 64"},
        {"format = \"telegram\"\nsecret_env = \"S\"", "has no chat; chat = "},
        {"format = \"telegram\"\nchat = \"1\"", "the secret is the token of the bot"},
        {"format = \"telegram\"\nchat = \"ana\"", "is no chat: its number"},
        {"format = \"telegram\"\nchat = \"-\"", "is no chat: its number"},
        {"format = \"telegram\"\nchat = \"1\"\nsecret_env = \"S\"\nurl = \"https://t/bot1:x\"",
         "the bot's token belongs into the file"},
        {ntfy + "chat = \"1\"", "has chat, which needs format = \"telegram\""},
        {"format = \"email\"\nurl = \"https://m\"", "that is none of a mail server"},
        {"format = \"email\"\nurl = \"smtps://m\"", "has no from; from = "},
        {"format = \"email\"\nurl = \"smtps://m\"", "has no to; to = "},
        {"from = \"a@b\\nBcc: c@d\"", "is no address such as"},
        {"from = \"Ana <a@b>\"", "is no address such as"},
        {"to = []", "must be 1 to 16 addresses"},
        {mail + "user = \"u\"", "has a user and no password"},
        {mail + "secret_env = \"S\"", "has a password and no user"},
        {mail + "user = \"u\"\nsecret_env = \"S\"\ntls = \"off\"", "would send its password"},
        {"format = \"email\"\nurl = \"smtps://m\"\ntls = \"off\"", "leave one of them out"},
        {"url = \"smtps://me:pw@m\"", "set its user and secret_file"},
        {"format = \"command\"", "has no argv; argv = "},
        {"argv = [\"notify\"]", "is not a program by its full path"},
        {"argv = []", "must be 1 to 16 words"},
        {"format = \"command\"\nargv = [\"/x\"]\nurl = \"https://x\"",
         "has no url, secret or ca_file"},
        {ntfy + "argv = [\"/x\"]", "has argv, which needs format = \"command\""},
        {ntfy + "from = \"a@b\"", "has from, which needs format = \"email\""},
        {"url = \"https://x\"\nsecret_env = \"S\"\nwindow = \"5m\"", "programs get every message"},
        {"messages_max = 0", "messages_max"},
        {"window = \"5s\"", "is out of range; use 1m to 1d"},
        {"gather = \"2m\"", "is out of range; use 0s to 1m"},
    };
    WebhookLoading loading;
    for (const auto& [lines, expected] : cases) {
        DYNAMIC_SECTION(lines) {
            const auto loaded = loading("[webhooks.endpoints.bad]\n" + lines + "\n");
            REQUIRE_FALSE(loaded.has_value());
            CAPTURE(loaded.error().detail);
            CHECK(loaded.error().detail.find(expected) != std::string::npos);
            CHECK(loaded.error().detail.find("pw") == std::string::npos);
        }
    }
    for (const char* link : {"headway.example", "ftp://x", "https://", "https://x/#/",
                             "https://u@x", "https://x?a=b", "https://x/|y", "https://x/ y"}) {
        DYNAMIC_SECTION(link) {
            const auto loaded = loading("[webhooks]\nlink = \"" + std::string{link} + "\"\n");
            REQUIRE_FALSE(loaded.has_value());
            CHECK(loaded.error().detail.find("is not where a dashboard is") != std::string::npos);
        }
    }
}
