// SPDX-License-Identifier: Apache-2.0
#include "hook/way/options.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "hook/way/request.hpp"
#include "tests/support/daemon_urls.hpp"

using namespace headway::hook;

namespace {

std::map<std::string, std::string>& variables() {
    static std::map<std::string, std::string> all;
    return all;
}

char* known(const char* name) {
    const auto found = variables().find(name);
    return found == variables().end() ? nullptr : found->second.data();
}

}  // namespace

TEST_CASE("hook options: what is named replaces both variables", "[hook]") {
    variables() = {{"HEADWAY_HOOK_SOCKET", "/v.sock"}, {"HEADWAY_URL", "http://127.0.0.1:1"}};
    CHECK(read_options({"claude"}, known).socket == "/v.sock");
    CHECK(read_options({"claude"}, known).url == "http://127.0.0.1:1");
    const Options socket = read_options({"--socket", "/a.sock", "claude"}, known);
    CHECK(socket.socket == "/a.sock");
    CHECK(socket.url.empty());
    const Options url = read_options({"claude", "--url=http://127.0.0.1:2"}, known);
    CHECK(url.socket.empty());
    CHECK(url.url == "http://127.0.0.1:2");
    CHECK(url.mistake.empty());
}

TEST_CASE("hook options: under a run its daemon goes before the one of the settings", "[hook]") {
    using Words = std::vector<std::string_view>;
    const Words words{"claude", "--url", "http://127.0.0.1:2", "--token-file", "/t"};
    variables() = {{"HEADWAY_URL", "http://127.0.0.1:1"}};
    CHECK(read_options(words, known).url == "http://127.0.0.1:2");
    variables()["HEADWAY_RUN"] = "mark";
    // Without a token for the other daemon, the one that takes the hook keeps it.
    CHECK(read_options(words, known).url == "http://127.0.0.1:2");
    CHECK(read_options(words, known).token_file == "/t");
    variables()["HEADWAY_TOKEN"] = "t1";
    CHECK(read_options(words, known).url == "http://127.0.0.1:1");
    CHECK(read_options(words, known).token_file.empty());  // it is the other daemon's
    for (const char* same : {"http://localhost:2/", "127.0.0.1:2", "http://[::1]:2"}) {
        variables()["HEADWAY_URL"] = same;
        CHECK(read_options(words, known).url == "http://127.0.0.1:2");
        CHECK(read_options(words, known).token_file == "/t");
    }
    for (const char* wrong : {"http://", "ftp://a"}) {
        variables()["HEADWAY_URL"] = wrong;
        CHECK(read_options(words, known).url == "http://127.0.0.1:2");
    }
    variables()["HEADWAY_URL"] = "https://box:2";
    CHECK(read_options(words, known).url == "https://box:2");
    // An agent could otherwise name a daemon that allows the calls of the agents that it starts.
    const Words required{"claude", "--url", "http://127.0.0.1:2", "--require"};
    CHECK(read_options(required, known).url == "http://127.0.0.1:2");
    CHECK(read_options({"claude", "--socket", "/s"}, known).url.empty());
}

TEST_CASE("hook options: times have a unit and a range", "[hook]") {
    CHECK(read_milliseconds("15s") == 15'000);
    CHECK(read_milliseconds("500ms") == 500);
    CHECK(read_milliseconds("3600s") == 3'600'000);
    for (const char* text : {"", "15", "s", "0ms", "3601s", "-1s", "1 s", "99999999999s", "1h"})
        CHECK_FALSE(read_milliseconds(text));
}

TEST_CASE("hook places: the default sockets follow the daemon's folders", "[hook]") {
    variables() = {{"HOME", "/home/a"}};
    using Paths = std::vector<std::string>;
    CHECK(default_sockets(known) ==
          Paths{"/home/a/.local/state/headway/report.sock", "/run/headway/report.sock"});
    variables() = {{"HOME", "/home/a"},
                   {"XDG_STATE_HOME", "/x"},
                   {"XDG_RUNTIME_DIR", "/run/user/1"},
                   {"STATE_DIRECTORY", "/var/lib/headway:/b"},
                   {"RUNTIME_DIRECTORY", "/run/a:/b"}};
    CHECK(default_sockets(known) == Paths{"/var/lib/headway/report.sock", "/x/headway/report.sock",
                                          "/run/a/report.sock", "/run/user/1/headway/report.sock",
                                          "/run/headway/report.sock"});
    variables() = {{"XDG_STATE_HOME", "relative"}};
    CHECK(default_sockets(known) == Paths{"/run/headway/report.sock"});
}

TEST_CASE("hook places: a URL is numeric, or not for this program", "[hook]") {
    Place place;
    CHECK(read_url("http://127.0.0.1:7717/base//", place) == UrlKind::kNumeric);
    CHECK(place.host == "127.0.0.1");
    CHECK(place.port == 7717);
    CHECK(place.authority == "127.0.0.1:7717");
    CHECK(place.prefix == "/base");
    CHECK(read_url("http://[::1]", place = {}) == UrlKind::kNumeric);
    CHECK(place.host == "::1");
    CHECK(place.port == 80);
    CHECK(read_url("http://localhost:1", place = {}) == UrlKind::kNumeric);
    CHECK(place.host == "127.0.0.1");
    CHECK(read_url("unix:///a/headway.sock", place = {}) == UrlKind::kSocket);
    CHECK(place.socket == "/a/report.sock");
    for (const char* url : {"https://127.0.0.1", "http://a.example:80", "a.example"})
        CHECK(read_url(url, place = {}) == UrlKind::kNeedsMore);
    for (const char* url : {"", "http://", "http://127.0.0.1:", "http://127.0.0.1:65536",
                            "http://[::1]x", "unix:a.sock", "http://127.0.0.1/?a", "http://1\r\n"})
        CHECK(read_url(url, place = {}) == UrlKind::kWrong);
}

TEST_CASE("hook places: a URL is read as every client reads it", "[hook]") {
    for (const auto& [given, kind, normal] : headway::tests::daemon_urls()) {
        CAPTURE(given);
        Place place;
        const UrlKind read = read_url(given, place);
        CHECK((read == UrlKind::kWrong) == (kind == "wrong"));
        if (kind == "https") CHECK(read == UrlKind::kNeedsMore);
        if (kind == "unix") CHECK(read == UrlKind::kSocket);
        if (kind == "http") CHECK("http://" + place.authority + place.prefix == normal);
    }
}

TEST_CASE("hook request: a token goes to a URL only, and the operator's nowhere", "[hook]") {
    Options options;
    options.agent = "claude";
    Facts facts;
    facts.token = "hw_a_b";
    Place port;
    read_url("http://127.0.0.1:1", port);
    CHECK_THAT(request_head(options, port, facts, 3),
               Catch::Contains("Authorization: Bearer hw_a_b\r\n"));
    CHECK_THAT(request_head(options, at_socket("/a"), facts, 3), !Catch::Contains("Authorization"));
    CHECK_THAT(request_head(options, port, facts, 3), Catch::StartsWith("POST /v1/hooks/claude H"));
    CHECK_THAT(request_head(options, port, facts, 3), !Catch::Contains("X-Headway-Url"));
    facts.run_url = "http://127.0.0.1:9";
    CHECK_THAT(request_head(options, port, facts, 3),
               Catch::Contains("X-Headway-Url: http://127.0.0.1:9\r\n"));
    options.require = true;  // what the daemon does not understand is an error then
    CHECK_THAT(request_head(options, port, facts, 3),
               Catch::StartsWith("POST /v1/hooks/claude?require=1 H"));
    variables() = {{"HEADWAY_TOKEN", "hw_operator_x"}};
    CHECK(find_token(options, known).empty());
    variables() = {{"HEADWAY_TOKEN", "  hw_a_b \n"}};
    CHECK(find_token(options, known) == "hw_a_b");
}
