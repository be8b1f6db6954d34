// SPDX-License-Identifier: Apache-2.0
#include "cli/client/credentials.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
using headway::tests::TempDir;

namespace {

constexpr const char* kLocal = "http://127.0.0.1:7717";

using Environment = std::map<std::string, std::string>;

std::string file_with(const TempDir& dir, const std::string& name, const std::string& text) {
    std::ofstream{dir.file(name)} << text;
    return dir.file(name).string();
}

/// "token", "token (found)", "" or "error: ...".
std::string found(const std::string& flag, const std::string& url, const Environment& environment) {
    const auto credential = find_credential(flag, url, environment);
    if (!credential) return "error: " + credential.error().detail;
    return credential->token + (credential->found ? " (found)" : "");
}

}  // namespace

TEST_CASE("credentials: the flag beats the variables, which beat the operator's file", "[cli]") {
    const TempDir dir;
    Environment environment{{"STATE_DIRECTORY", dir.file("").string()}};
    CHECK(found("", kLocal, environment).empty());
    file_with(dir, "operator.token", "operators\n");
    CHECK(found("", kLocal, environment) == "operators (found)");
    environment["HEADWAY_TOKEN_FILE"] = file_with(dir, "b", " from-file \r\n");
    CHECK(found("", kLocal, environment) == "from-file");
    environment["HEADWAY_TOKEN"] = "direct\n";
    CHECK(found("", kLocal, environment) == "direct");
    CHECK(found(file_with(dir, "c", "flag"), kLocal, environment) == "flag");
}

TEST_CASE("credentials: the operator's token goes to this machine only", "[cli]") {
    const TempDir dir;
    file_with(dir, "operator.token", "operators");
    const Environment environment{{"STATE_DIRECTORY", dir.file("").string()}};
    CHECK(found("", "http://example.org:7717", environment).empty());
    CHECK(found("", "https://localhost/base", environment) == "operators (found)");
    const Environment named{{"HEADWAY_TOKEN", "t"}};
    CHECK(found("", "http://example.org:7717", named) == "t");
}

TEST_CASE("credentials: what is on this machine, by its address", "[cli]") {
    for (const char* url : {"http://127.0.0.1:7717", "http://127.1.2.3", "http://localhost:1/x",
                            "https://[::1]:7717", "http://[::1]"}) {
        INFO(url);
        CHECK(is_loopback(url));
    }
    for (const char* url :
         {"http://example.org", "http://localhost.example.org", "http://128.0.0.1:1",
          "http://[::2]:1", "http://127.0.0.1.example.org", "http://127.0.0.1:1@example.org",
          "http://[::1]x", "", "http://localhost@example.org/"}) {
        INFO(url);
        CHECK_FALSE(is_loopback(url));
    }
}

TEST_CASE("credentials: a file that was named must hold a token", "[cli]") {
    const TempDir dir;
    CHECK_THAT(found("/nonexistent", kLocal, {}), Catch::StartsWith("error: --token-file: cannot"));
    for (const char* text : {"", "\n", "two words", "line\nline", "caf\xc3\xa9"}) {
        INFO(text);
        CHECK_THAT(found(file_with(dir, "a", text), kLocal, {}), Catch::StartsWith("error: "));
    }
    CHECK_THAT(found("", kLocal, {{"HEADWAY_TOKEN_FILE", "/nonexistent"}}),
               Catch::StartsWith("error: HEADWAY_TOKEN_FILE"));
    CHECK_THAT(found("", kLocal, {{"HEADWAY_TOKEN", "a b"}}), Catch::StartsWith("error: "));
    CHECK(found("", kLocal, {{"HEADWAY_TOKEN", ""}, {"HOME", dir.file("").string()}}).empty());
}

TEST_CASE("credentials: whom to trust is named by a flag or a variable, and must be there",
          "[cli]") {
    const TempDir dir;
    const std::string file = file_with(dir, "ca.pem", "x");
    CHECK(*find_ca_file("", {}) == "");
    CHECK(*find_ca_file(file, {}) == file);
    CHECK(*find_ca_file("", {{"HEADWAY_CA_FILE", file}}) == file);
    CHECK_FALSE(find_ca_file(file + ".none", {{"HEADWAY_CA_FILE", file}}).has_value());
    CHECK(find_ca_file("", {{"HEADWAY_CA_FILE", "/none"}}).error().field == "HEADWAY_CA_FILE");
}

TEST_CASE("credentials: a socket without a listener is not taken", "[cli]") {
    const TempDir dir;
    const Environment environment{{"STATE_DIRECTORY", dir.file("").string()}};
    CHECK(find_socket_url(environment).empty());
    file_with(dir, "headway.sock", "no socket");
    CHECK(find_socket_url(environment).empty());
    CHECK(find_socket_url({{"STATE_DIRECTORY", "/" + std::string(200, 'x')}}).empty());
}

TEST_CASE("credentials: over a socket no token is shown that was not named", "[cli]") {
    const TempDir dir;
    Environment environment{{"STATE_DIRECTORY", dir.file("").string()}};
    file_with(dir, "operator.token", "operators\n");
    CHECK(found("", "unix:/run/a.sock", environment).empty());
    environment["HEADWAY_TOKEN"] = "direct";
    CHECK(found("", "unix:/run/a.sock", environment) == "direct");
}
