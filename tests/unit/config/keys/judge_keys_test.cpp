// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "config/load/load.hpp"
#include "config/load/sections.hpp"
#include "core/base/limits.hpp"

using namespace headway::config;
namespace fs = std::filesystem;

namespace {

struct JudgeLoading {
    fs::path file =
        fs::temp_directory_path() / ("headway-judge-keys-" + std::to_string(::getpid()) + ".toml");
    ~JudgeLoading() { fs::remove(file); }

    auto operator()(const std::string& text, const std::map<std::string, std::string>& flags = {},
                    const std::map<std::string, std::string>& environment = {}) {
        std::ofstream(file) << text;
        LoadRequest request;
        request.file = file;
        request.flags = flags;
        request.environment = environment;
        return load(request);
    }
};

const std::string kLocal =
    "[judge.endpoints.local]\nbase_url = \"http://127.0.0.1:8080/v1\"\nmodel = \"m\"\n";

const KeyOrigin* find(const Loaded& loaded, const std::string& key) {
    const auto found = std::find_if(loaded.keys.begin(), loaded.keys.end(),
                                    [&](const KeyOrigin& o) { return o.key == key; });
    return found == loaded.keys.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("judge keys: no judge is asked without an endpoint", "[config]") {
    const Settings settings;
    CHECK(settings.judge.endpoints.empty());
    CHECK(judge_table().values(settings).empty());
}

TEST_CASE("judge keys: a file sets the plain keys and any number of endpoints", "[config]") {
    JudgeLoading loading;
    const auto loaded = loading(
        "[judge]\non_suspect = \"off\"\naudit_rounds = 0\nestimates = \"every\"\n"
        "estimate_steps = 7\nsilence_timeout = \"90s\"\n" +
        kLocal +
        "[judge.endpoints.second_opinion-2]\nrole = \"confirm\"\nmodel = \"big\"\n"
        "base_url = \"https://llm.example/v1\"\napi_key_env = \"BIG_KEY\"\n"
        "headers = [\"X-Team: agents\", \"X-Empty:\"]\nca_file = \"/etc/ca.pem\"\n"
        "tls_verify = \"off\"\nconcurrency = 4\nprompt_usd_per_million = 2.5\n"
        "completion_usd_per_million = 10\n");
    REQUIRE(loaded.has_value());
    const JudgeSettings& judge = loaded->settings.judge;
    CHECK_FALSE(judge.on_suspect);
    CHECK(judge.audit_rounds == 0);
    CHECK(judge.estimates == "every");
    CHECK(judge.estimate_steps == 7);
    CHECK(judge.silence_timeout == milliseconds{90'000});
    JudgeEndpoint local;
    local.name = "local";
    local.base_url = "http://127.0.0.1:8080/v1";
    local.model = "m";
    JudgeEndpoint second;
    second.name = "second_opinion-2";
    second.role = "confirm";
    second.base_url = "https://llm.example/v1";
    second.model = "big";
    second.api_key_env = "BIG_KEY";
    second.headers = {"X-Team: agents", "X-Empty:"};
    second.ca_file = "/etc/ca.pem";
    second.tls_verify = false;
    second.concurrency = 4;
    second.prompt_usd_per_million = 2.5;
    second.completion_usd_per_million = 10;
    CHECK(judge.endpoints == std::vector<JudgeEndpoint>{local, second});

    const KeyOrigin* model = find(*loaded, "judge.endpoints.second_opinion-2.model");
    REQUIRE(model != nullptr);
    CHECK(model->value == "big");
    CHECK_THAT(model->origin, Catch::EndsWith(":12"));
    CHECK(find(*loaded, "judge.endpoints.local.concurrency") == nullptr);  // as by default
}

TEST_CASE("judge keys: plain keys have variables, endpoints have flags", "[config]") {
    JudgeLoading loading;
    const auto loaded = loading(kLocal, {{"judge.endpoints.local.model", "other"}},
                                {{"HEADWAY_JUDGE_CHECKS_MAX", "3"}});
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.judge.checks_max == 3);
    CHECK(loaded->settings.judge.endpoints.at(0).model == "other");
    CHECK(find(*loaded, "judge.endpoints.local.model")->origin == "flag");
}

TEST_CASE("judge keys: secrets are kept, and shown nowhere", "[config]") {
    JudgeLoading loading;
    const auto loaded = loading(
        kLocal + "api_key = \"hunter2hunter2\"\nheaders = [\"X-Auth: hunter3\", \"X-B: c\"]\n");
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.judge.endpoints.at(0).api_key == "hunter2hunter2");
    CHECK(find(*loaded, "judge.endpoints.local.api_key")->value == "(set)");
    CHECK(find(*loaded, "judge.endpoints.local.headers")->value == "X-Auth: (set),X-B: (set)");
    for (const KeyOrigin& key : loaded->keys) {
        CHECK_THAT(key.value, !Catch::Contains("hunter"));
    }

    for (const char* wrong : {"api_key = \"hunter2 hunter2\"\n", "api_key_env = \"hunter-2\"\n",
                              "headers = [\"hunter2\"]\n", "headers = [\"a hunter: 2\"]\n"}) {
        const auto refused = loading(kLocal + wrong);
        REQUIRE_FALSE(refused.has_value());
        CHECK_THAT(refused.error().detail, !Catch::Contains("hunter"));
    }
}

TEST_CASE("judge keys: mistakes are found and say what to write", "[config]") {
    struct Case {
        std::string text;
        const char* says;
    };
    const std::string table = "[judge.endpoints.local]\n";
    const std::string model = table + "model = \"m\"\n";
    const Case cases[] = {
        {"[judge]\non_suspct = \"on\"\n",
         ":2: unknown key `judge.on_suspct`; did you mean `judge.on_suspect`?"},
        {"[judge]\nestimates = \"stal\"\n", "did you mean `stall`?"},
        {"[judge]\nretries = 11\n", "is not a whole number from 0 to 10"},
        {"[judge]\nestimate_steps = 0\n", "is not a whole number from 1 to 10000"},
        {"[judge]\nsilence_timeout = \"999ms\"\n", "is out of range; use 1s to 1h"},
        {"[judge]\nendpoints = 3\n", "`judge.endpoints` holds a table for each endpoint"},
        {"[judge.endpoints]\nlocal = 3\n", "`judge.endpoints.local` is a section"},
        {table, "judge.endpoints.local is empty"},
        {model, "judge.endpoints.local has no base_url"},
        {table + "base_url = \"http://a/v1\"\n", "judge.endpoints.local has no model"},
        {kLocal + "rol = \"primary\"\n",
         ":4: unknown key `judge.endpoints.local.rol`; did you mean `role`?"},
        {kLocal + "role = \"confrm\"\n", "is not one of primary, confirm; did you mean `confirm`?"},
        {model + "base_url = \"ftp://a/v1\"\n", "does not start with http:// or https://"},
        {model + "base_url = \"https:///v1\"\n", "is not a URL such as"},
        {model + "base_url = \"http://:80/v1\"\n", "is not a URL such as"},
        {model + "base_url = \"http://a/v1?x=1\"\n", "is not a URL such as"},
        {model + "base_url = \"http://a b/v1\"\n", "is not a URL such as"},
        {model + "base_url = \"http://me:pw@a/v1\"\n", "has no place in a URL"},
        {model + "base_url = \"http://a/v1/chat/completions\"\n", "leave out /chat/completions"},
        {kLocal + "api_key = \"k\"\napi_key_env = \"K\"\n", "more than one of api_key"},
        {kLocal + "api_key_file = \"k\"\napi_key_env = \"K\"\n", "more than one of api_key"},
        {kLocal + "api_key_env = \"1K\"\n", "is not the name of an environment variable"},
        {kLocal + "headers = [\"X-Team agents\"]\n", "header 1 is not of the form"},
        {kLocal + "headers = [\"X: a\\r\\nHost: b\"]\n", "header 1 is not of the form"},
        {kLocal + "tls_verify = \"yes\"\n", "is not one of off, on"},
        {kLocal + "concurrency = 1025\n", "is not a whole number from 1 to 1024"},
        {kLocal + "concurrency = 0\n", "is not a whole number from 1 to 1024"},
        {kLocal + "prompt_usd_per_million = -1\n", "is not a price from 0 to 1000000"},
        {kLocal + "prompt_usd_per_million = nan\n", "is not a price from 0 to 1000000"},
        {"[judge.endpoints.Local]\nmodel = \"m\"\n", "an endpoint's name is of a-z, 0-9, _ and -"},
        {"[judge.endpoints.\"a.b\"]\nmodel = \"m\"\n", "an endpoint's name is of a-z"},
    };
    JudgeLoading loading;
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            const auto loaded = loading(c.text);
            REQUIRE_FALSE(loaded.has_value());
            CHECK_THAT(loaded.error().detail, Catch::Contains(c.says));
        }
    }
}

TEST_CASE("judge keys: a refused value is not called missing as well", "[config]") {
    JudgeLoading loading;
    const auto loaded = loading("[judge.endpoints.local]\nmodel = \"m\"\nbase_url = \"a\"\n");
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(loaded.error().detail, !Catch::Contains("no base_url"));
}

TEST_CASE("judge keys: endpoints are bounded", "[config]") {
    JudgeLoading loading;
    std::string text;
    for (std::size_t i = 0; i < headway::core::limits::kJudgeEndpointsMax; ++i) {
        text += "[judge.endpoints.e" + std::to_string(i) +
                "]\nbase_url = \"http://a/v1\"\nmodel = \"m\"\n";
    }
    CHECK(loading(text).has_value());
    const auto loaded = loading(text + kLocal);
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(loaded.error().detail, Catch::Contains("more than 8 endpoints"));
}
