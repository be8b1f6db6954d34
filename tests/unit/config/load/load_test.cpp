// SPDX-License-Identifier: Apache-2.0
#include "config/load/load.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "config/load/keys.hpp"
#include "config/load/policy_keys.hpp"

using namespace headway::config;
namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, gone afterwards.
class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "headway-load-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return path_ / name;
    }
    fs::path path() const { return path_; }

private:
    fs::path path_;
};

const KeyOrigin& origin_of(const Loaded& loaded, const std::string& key) {
    const auto found = std::find_if(loaded.keys.begin(), loaded.keys.end(),
                                    [&](const KeyOrigin& o) { return o.key == key; });
    REQUIRE(found != loaded.keys.end());
    return *found;
}

}  // namespace

TEST_CASE("load: a mistake names a value without the control characters in it", "[config]") {
    const Folder folder;
    const fs::path file =
        folder.write("h.toml", "[policy]\nprofile = \"\\u001b[31m\\u0000\\nX\"\n");
    const auto loaded = load({file, {}, {}});
    REQUIRE_FALSE(loaded);
    const std::string& detail = loaded.error().detail;
    CHECK(detail.find("\"\\u{1b}[31m\\u{0}\\u{a}X\" is not one of") != detail.npos);
    CHECK(std::none_of(detail.begin(), detail.end(), [](char c) { return c >= 0 && c < ' '; }));
}

TEST_CASE("load: without any source the defaults stand", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("empty.toml", "");
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.server.listen == "127.0.0.1:7717");
    CHECK(origin_of(*loaded, "server.listen").origin == "default");
    CHECK(std::is_sorted(loaded->keys.begin(), loaded->keys.end(),
                         [](const auto& a, const auto& b) { return a.key < b.key; }));
}

TEST_CASE("load: flags beat the environment, which beats the file", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml",
                                "[policy]\nheartbeat_limit = 7\nheartbeat_interval = \"1s\"\n"
                                "[log]\nlevel = \"debug\"\n");
    request.environment = {{"HEADWAY_POLICY_HEARTBEAT_LIMIT", "8"}, {"HEADWAY_LOG_LEVEL", "warn"}};
    request.flags = {{"policy.heartbeat_limit", "9"}};
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.policy.heartbeat_limit == 9);
    CHECK(loaded->settings.log.level == "warn");
    CHECK(loaded->settings.policy.heartbeat_interval == std::chrono::seconds{1});
    CHECK(loaded->file == request.file);
    CHECK(origin_of(*loaded, "policy.heartbeat_limit").origin == "flag");
    CHECK(origin_of(*loaded, "log.level").origin == "env HEADWAY_LOG_LEVEL");
    CHECK(origin_of(*loaded, "policy.heartbeat_interval").origin ==
          "file " + request.file->string() + ":3");
    CHECK(origin_of(*loaded, "policy.heartbeat_interval").value == "1s");
}

TEST_CASE("load: a _FILE variable names a file that holds the value", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml", "");
    request.environment["HEADWAY_LOG_LEVEL_FILE"] = folder.write("level", "error\n").string();
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.log.level == "error");

    request.environment["HEADWAY_LOG_LEVEL"] = "info";
    CHECK_THAT(load(request).error().detail, Catch::Contains("set together with"));

    request.environment = {{"HEADWAY_LOG_LEVEL_FILE", (folder.path() / "absent").string()}};
    CHECK_THAT(load(request).error().detail, Catch::Contains("cannot read"));
}

TEST_CASE("load: a key that is gone is refused and said to be gone", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml", "[policy]\nrisk = \"on\"\n");
    request.environment = {{"HEADWAY_POLICY_RISK", "on"}};
    const auto loaded = load(request);
    REQUIRE_FALSE(loaded.has_value());
    const std::string& detail = loaded.error().detail;
    CHECK_THAT(detail, Catch::Contains(":2: unknown key `policy.risk`; the learned risk is gone"));
    CHECK_THAT(detail, Catch::Contains("HEADWAY_POLICY_RISK: unknown variable; the learned risk"));
}

TEST_CASE("load: all mistakes are reported at once, with place and suggestion", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml",
                                "[server]\n"
                                "lisen = \"127.0.0.1:1\"\n"
                                "connections_max = \"many\"\n"
                                "idle_timeout = 75\n"
                                "[polcy]\n"
                                "profile = \"strict\"\n"
                                "[log]\n"
                                "level = 3\n");
    const std::string file = request.file->string();
    request.environment = {{"HEADWAY_SERVER_LISTN", "x"}, {"HEADWAY_URL", "http://x"}};
    request.flags = {{"log.formt", "json"}, {"server.listen", "example.org:80"}};
    const auto loaded = load(request);
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().code == headway::core::ErrorCode::kInvalidConfig);
    const std::string& detail = loaded.error().detail;
    CHECK_THAT(detail, Catch::Contains(file + ":2: unknown key `server.lisen`; did you mean "
                                              "`server.listen`?"));
    CHECK_THAT(detail, Catch::Contains(file + ":3: server.connections_max: expected a whole"));
    CHECK_THAT(detail, Catch::Contains(file + ":4: server.idle_timeout: \"75\" has no unit"));
    CHECK_THAT(detail, Catch::Contains(file + ":5: unknown section `polcy`; did you mean "
                                              "`policy`?"));
    CHECK_THAT(detail, Catch::Contains(file + ":8: log.level: expected a string"));
    CHECK_THAT(detail, Catch::Contains("env HEADWAY_SERVER_LISTN: unknown variable; did you mean "
                                       "`HEADWAY_SERVER_LISTEN`?"));
    CHECK_THAT(detail, Catch::Contains("flag: unknown key `log.formt`; did you mean "
                                       "`log.format`?"));
    CHECK_THAT(detail, Catch::Contains("flag: server.listen: \"example.org:80\" has no numeric"));
    CHECK(std::count(detail.begin(), detail.end(), '\n') == 7);
}

TEST_CASE("load: an item of a list in a file may hold commas", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml",
                                "[policy]\nignore_tools = [\"log, all\"]\n"
                                "[policy.floor]\nignore_tools = [\"a,b\", \"c\"]\n"
                                "[approvals]\nrequire_tools = [\"deploy prod\", \"rm[1]\"]\n"
                                "[redaction]\nsecret_names = [\"pin,old\", \"otp\"]\n"
                                "[judge.endpoints.local]\nmodel = \"m\"\n"
                                "base_url = \"http://a/v1\"\n"
                                "headers = [\"Accept: text/html, text/plain\"]\n");
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());
    const Settings& settings = loaded->settings;
    using List = std::vector<std::string>;
    REQUIRE(settings.policy.tools.size() == 1);
    CHECK(settings.policy.tools.front().tool == "log, all");
    CHECK(settings.policy_floor.ignore_tools == List{"a,b", "c"});
    CHECK(settings.approvals.require_tools == List{"deploy prod", "rm[1]"});
    CHECK(settings.redaction.secret_names == List{"pin,old", "otp"});
    CHECK(settings.judge.endpoints.at(0).headers == List{"Accept: text/html, text/plain"});
    CHECK(origin_of(*loaded, "redaction.secret_names").value == R"(pin\,old,otp)");
    CHECK(origin_of(*loaded, "redaction.secret_names").toml == R"(["pin,old", "otp"])");

    request.file = folder.write("hosts.toml", "[server]\nallowed_hosts = [\"a,b\"]\n");
    CHECK_THAT(load(request).error().detail, Catch::Contains("\"a,b\" is not a host"));
}

TEST_CASE("load: a list of tools in one item would protect none of them", "[config]") {
    const Folder folder;
    LoadRequest request;
    for (const char* key : {"require_tools", "approve_on_expiry"}) {
        request.file = folder.write("headway.toml",
                                    std::string("[approvals]\n") + key + " = [\"deploy,rm\"]\n");
        const auto loaded = load(request);
        REQUIRE_FALSE(loaded.has_value());
        CHECK_THAT(loaded.error().detail, Catch::Contains("one name an item"));
    }
}

TEST_CASE("load: no list of tools takes a pattern, which would cover no tool", "[config]") {
    const Folder folder;
    LoadRequest request;
    const auto detail = [&](const std::string& item) {
        request.file =
            folder.write("headway.toml", "[approvals]\nrequire_tools = [\"" + item + "\"]\n");
        const auto loaded = load(request);
        return loaded ? std::string{} : loaded.error().detail;
    };
    for (const char* wrong : {"Bash|Write", "!Bash", "/Bash/", "Bash=*", "class:edit;class:shell"})
        CHECK_THAT(detail(wrong), Catch::Contains("is no name of a tool"));
    for (const char* wrong : {"kind:shell", "clas:edit", "class=shell"})
        CHECK_THAT(detail(wrong), Catch::Contains("class"));
    CHECK_THAT(detail("Bash(rm:*)"), Catch::Contains("headway.toml:2") &&
                                         Catch::Contains("\"Bash\"") &&
                                         Catch::Contains("class:shell"));
    CHECK_THAT(detail("mcp__git__*"), Catch::Contains("class:mcp"));
    CHECK_THAT(detail(""), Catch::Contains("an empty name covers no tool"));
    for (const char* wrong : {"*", "Bash*", "Bash(git push)", "mcp__*", "**", " "})
        CHECK_FALSE(detail(wrong).empty());
    for (const char* name : {"mcp__a.b__c/d", "a:b c", " deploy ", "run (now)", "rm[1]", "f()x"})
        CHECK(detail(name).empty());
    request.file.reset();
    for (const Key& key : keys()) {
        if (key.range != "tool names") continue;
        CAPTURE(key.name);
        request.flags = {{key.name, "Bash*"}};
        CHECK_FALSE(load(request).has_value());
    }
    request.flags = {{"policy.tool_time_limits", "Bash*=1m"}};
    CHECK_FALSE(load(request).has_value());
}

TEST_CASE("load: no list of tools takes a class that is none", "[config]") {
    const Folder folder;
    LoadRequest request;
    std::size_t lists = 0;
    for (const Key& key : keys()) {
        if (key.range != "tool names") continue;
        ++lists;
        CAPTURE(key.name);
        for (const char* wrong : {"class:shel", "CLASS:edit", " Class:shell"}) {
            request.flags = {{key.name, std::string{"Bash,"} + wrong}};
            const auto loaded = load(request);
            REQUIRE_FALSE(loaded.has_value());
            CHECK_THAT(loaded.error().detail, Catch::Contains(key.name));
            CHECK_THAT(loaded.error().detail, Catch::Contains("known are class:shell, class:edit"));
        }
        request.flags = {{key.name, "Bash,class:shell"}};
        CHECK(load(request).has_value());
    }
    CHECK(lists == 5);
}

TEST_CASE("load: a pause without a number is a mistake, not one try fewer", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml", "[webhooks]\nretry = [\"0s\", \"\"]\n");
    CHECK_FALSE(load(request).has_value());
    request.file = folder.write("headway.toml", "[webhooks]\nretry = \"0s,,5s\"\n");
    CHECK_FALSE(load(request).has_value());
}

TEST_CASE("load: a name that TOML does not take bare is shown in quotes", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml",
                                "[budget.agents.\"Data Analyst\"]\nmax_steps = 5\n"
                                "[budget.agents.\"a\\nserver.listen = 1\"]\nmax_steps = 6\n");
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());
    std::string shown;
    for (const KeyOrigin& key : loaded->keys) {
        if (key.key.starts_with("budget.agents.")) shown += key.toml_key + " = " + key.toml + "\n";
    }
    CHECK_THAT(shown, Catch::Contains("budget.agents.\"data analyst\".", Catch::CaseSensitive::No));
    CHECK(std::count(shown.begin(), shown.end(), '\n') == 2);
    request.file = folder.write("again.toml", shown);
    const auto again = load(request);
    REQUIRE(again.has_value());
    std::string shown_again;
    for (const KeyOrigin& key : again->keys) {
        if (key.key.starts_with("budget.agents."))
            shown_again += key.toml_key + " = " + key.toml + "\n";
    }
    CHECK(shown_again == shown);
}

TEST_CASE("load: what is shown is a file, and a set of flags, with the same settings", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write(
        "headway.toml",
        "[policy]\nignore_tools = [\"log, all\", \"say \\\"hi\\\"\"]\nmin_confidence = 0.1234567\n"
        "detectors = [\"cycle=1/2\", \"stagnation=off\"]\n"
        "[storage]\nstate_dir = \"a,b\\\\c\\td\"\n"
        "[redaction]\nsecret_names = [\"pin,old\", \"a\\\\b\\\\,c\\\\\", \"otp\"]\n"
        "[budget.agents.plan]\nmax_steps = 60\nmax_cost_usd = 2.5\n"
        "[judge.endpoints.local]\nmodel = \"m, n\"\nbase_url = \"http://a/v1\"\n"
        "[webhooks.endpoints.ops]\nurl = \"https://ops.example\"\nsecret_env = \"S\"\n"
        "events = [\"session.ended\", \"verdict.changed\"]\ntimeout = \"3s\"\n");
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());

    std::string text;
    LoadRequest flags;
    flags.file = folder.write("empty.toml", "");
    for (const KeyOrigin& key : loaded->keys) {
        text += key.key + " = " + key.toml + "\n";
        flags.flags[key.key] = key.value;
    }
    LoadRequest file;
    file.file = folder.write("shown.toml", text);
    for (const LoadRequest& again : {file, flags}) {
        const auto same = load(again);
        REQUIRE(same.has_value());
        REQUIRE(same->keys.size() == loaded->keys.size());
        for (std::size_t i = 0; i < same->keys.size(); ++i) {
            CHECK(same->keys[i].key == loaded->keys[i].key);
            CHECK(same->keys[i].toml == loaded->keys[i].toml);
        }
    }
}

TEST_CASE("load: an address that others can reach is refused in mode local", "[config]") {
    LoadRequest request;
    request.file = {};
    request.flags = {{"server.listen", "0.0.0.0:7717"}};
    const auto loaded = load(request);
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(loaded.error().detail, Catch::Contains("can be reached from other machines"));
    request.flags["access.mode"] = "token";
    request.flags["server.insecure_bind"] = "on";
    CHECK(load(request).has_value());
}

TEST_CASE("load: a file that is not TOML is refused with its line", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file = folder.write("headway.toml", "[server]\nlisten = \n");
    CHECK_THAT(load(request).error().detail, Catch::Contains("headway.toml:2: "));
    request.file = folder.path();
    CHECK_THAT(load(request).error().detail, Catch::Contains("is a folder"));
    request.file = folder.path() / "absent.toml";
    CHECK_THAT(load(request).error().detail, Catch::Contains("there is no such file"));
}

TEST_CASE("load: HEADWAY_CONFIG and the XDG folder name the file", "[config]") {
    const Folder folder;
    fs::create_directories(folder.path() / "headway");
    const fs::path file = folder.write("headway/headway.toml", "[log]\nlevel = \"trace\"\n");
    LoadRequest request;
    request.environment = {{"HEADWAY_CONFIG", file.string()}};
    auto loaded = load(request);
    REQUIRE(loaded.has_value());
    CHECK(loaded->settings.log.level == "trace");

    request.environment = {{"XDG_CONFIG_HOME", folder.path().string()}};
    loaded = load(request);
    REQUIRE(loaded.has_value());
    CHECK(loaded->file == file);
}

TEST_CASE("load: variables of clients are no settings", "[config]") {
    LoadRequest request;
    for (const char* name :
         {"HEADWAY_URL", "HEADWAY_TOKEN", "HEADWAY_TOKEN_FILE", "HEADWAY_SESSION", "HEADWAY_RUN",
          "HEADWAY_CA_FILE", "HEADWAY_HOOK_SOCKET"})
        request.environment[name] = "x";
    CHECK(load(request).has_value());
}

TEST_CASE("load: the sockets are below the state directory, unless they say where", "[config]") {
    Settings settings;
    std::map<std::string, std::string> environment{{"HOME", "/home/a"}};
    CHECK(operator_socket(settings, environment) == "/home/a/.local/state/headway/headway.sock");
    CHECK(report_socket(settings, environment) == "/home/a/.local/state/headway/report.sock");
    settings.server.socket = "/run/a.sock";
    settings.server.report_socket = "/run/b.sock";
    CHECK(operator_socket(settings, environment) == "/run/a.sock");
    CHECK(report_socket(settings, environment) == "/run/b.sock");
    settings.server.socket.clear();
    settings.server.report_socket.clear();
    CHECK(operator_socket(settings, environment).empty());
    CHECK(report_socket(settings, environment).empty());
}

TEST_CASE("load: the report socket of a service is where other users can enter", "[config]") {
    Settings settings;
    const std::map<std::string, std::string> environment{
        {"STATE_DIRECTORY", "/var/lib/headway"}, {"RUNTIME_DIRECTORY", "/run/headway:/run/b"}};
    CHECK(report_socket(settings, environment) == "/run/headway/report.sock");
    CHECK(operator_socket(settings, environment) == "/var/lib/headway/headway.sock");
    settings.server.report_socket = "/srv/report.sock";
    CHECK(report_socket(settings, environment) == "/srv/report.sock");
}

TEST_CASE("load: the state directory follows settings, systemd, XDG and home", "[config]") {
    StorageSettings settings;
    std::map<std::string, std::string> environment{{"HOME", "/home/a"}};
    CHECK(state_directory(settings, environment) == "/home/a/.local/state/headway");
    environment["XDG_STATE_HOME"] = "relative";
    CHECK(state_directory(settings, environment) == "/home/a/.local/state/headway");
    environment["XDG_STATE_HOME"] = "/x";
    CHECK(state_directory(settings, environment) == "/x/headway");
    environment["STATE_DIRECTORY"] = "/var/lib/headway:/var/lib/other";
    CHECK(state_directory(settings, environment) == "/var/lib/headway");
    settings.state_dir = "~/state";
    CHECK(state_directory(settings, environment) == "/home/a/state");
    settings.state_dir = "/elsewhere";
    CHECK(state_directory(settings, environment) == "/elsewhere");
    CHECK(state_directory({}, {}) == "/var/lib/headway");
    settings.state_dir = "relative/state";
    CHECK(state_directory(settings, environment) ==
          std::filesystem::current_path() / "relative/state");
}

TEST_CASE("load: a preset fills what nothing else says, wherever it stands", "[config]") {
    const Folder folder;
    LoadRequest request;
    request.file =
        folder.write("headway.toml", "[policy]\nmax_iterations = 7\npreset = \"first-designs\"\n");
    request.flags = {{"policy.max_tool_failures", "9"}};
    const auto loaded = load(request);
    REQUIRE(loaded.has_value());
    const headway::core::Policy& policy = loaded->settings.policy;
    CHECK(policy.max_iterations == 7);
    CHECK(policy.max_tool_failures == 9);
    CHECK(policy.max_parse_failures == 3);
    CHECK(policy.profile == headway::core::Profile::kStrict);
    CHECK(policy.detectors.size() == 7);
    CHECK(origin_of(*loaded, "policy.max_parse_failures").origin == "preset first-designs");
    CHECK(origin_of(*loaded, "policy.max_tool_failures").origin == "flag");
}

TEST_CASE("load: every value of a preset is one that its key takes", "[config]") {
    for (const PresetValue& value : preset_values("first-designs")) {
        INFO(value.key);
        const Key* key = find_key(value.key);
        REQUIRE(key != nullptr);
        Settings settings;
        CHECK(key->assign(settings, value.text).has_value());
        CHECK(key->print(settings).text() == value.text);
    }
    CHECK(preset_values("none").empty());
}

TEST_CASE("load: thresholds of detectors name what is wrong with them", "[config]") {
    const Key& key = *find_key("policy.detectors");
    const std::pair<const char*, const char*> cases[] = {
        {"exact_repet=3/4", "did you mean"},
        {"exact_repeat", "exact_repeat=SUSPECT/STUCK"},
        {"exact_repeat=3", "exact_repeat=off"},
        {"exact_repeat=a/4", "whole number"},
        {"cycle=1/2,cycle=off", "stands there twice"}};
    for (const auto& [text, says] : cases) {
        INFO(text);
        Settings settings;
        const auto done = key.assign(settings, text);
        REQUIRE_FALSE(done.has_value());
        CHECK(done.error().detail.find(says) != std::string::npos);
    }
}

TEST_CASE("load: the first design's variable is understood or refused", "[config]") {
    for (const auto& [said, ok] : {std::pair{"true", true}, std::pair{"YES", true},
                                   std::pair{"off", true}, std::pair{"maybe", false}}) {
        INFO(said);
        LoadRequest request;
        const Folder folder;
        request.file = folder.write("empty.toml", "");
        request.environment = {{"AUTONOMOUS_STATUS_BASED_TIMEOUT", said}};
        CHECK(load(request).has_value() == ok);
    }
}

TEST_CASE("load: a store is PostgreSQL by its URL, whose password is shown nowhere", "[config]") {
    CHECK(without_password("postgresql://u:secret@h:1/d?sslmode=require") ==
          "postgresql://u:***@h:1/d?sslmode=require");
    CHECK(without_password("postgres://h/d?user=u&password=secret&x=1") ==
          "postgres://h/d?user=u&password=***&x=1");
    CHECK(without_password("postgresql://h/d") == "postgresql://h/d");
    CHECK(without_password("") == "");
    LoadRequest request;
    request.flags["storage.store"] = "mysql://u:secret@h/d";
    const auto refused = load(request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.find("postgresql://") != std::string::npos);
    CHECK(refused.error().detail.find("secret") == std::string::npos);
    request.flags["storage.store"] = "postgresql://u:secret@h/d";
    const auto loaded = load(request);
    REQUIRE(loaded);
    CHECK(loaded->settings.storage.store == "postgresql://u:secret@h/d");
}

TEST_CASE("load: [keep_going] is read from the user's own file alone", "[config]") {
    const Folder folder;
    fs::create_directories(folder.path() / "headway");
    folder.write("headway/headway.toml",
                 "[keep_going]\nenabled = true\nmax_resumes = 3\nuntil = \"2h\"\n"
                 "[server]\nlisten = \"no address\"\n");
    const fs::path named = folder.write("named.toml", "[keep_going]\nmargin = \"5m\"\n");
    const std::string xdg = folder.path().string();
    const auto own = load_keep_going({{"XDG_CONFIG_HOME", xdg}});
    REQUIRE(own);
    CHECK(own->enabled);
    CHECK(own->max_resumes == 3);
    CHECK(own->until == std::chrono::hours{2});
    CHECK(own->margin == std::chrono::minutes{1});
    const auto other = load_keep_going({{"XDG_CONFIG_HOME", xdg}, {"HEADWAY_CONFIG", named}});
    REQUIRE(other);
    CHECK_FALSE(other->enabled);
    CHECK(other->margin == std::chrono::minutes{5});
    const auto variable =
        load_keep_going({{"XDG_CONFIG_HOME", xdg}, {"HEADWAY_KEEP_GOING_ENABLED", "off"}});
    REQUIRE(variable);
    CHECK_FALSE(variable->enabled);
    CHECK_FALSE(load_keep_going({{"HEADWAY_CONFIG", "headway.toml"}}));
    CHECK_FALSE(load_keep_going({{"HEADWAY_CONFIG", xdg + "/none.toml"}}));
    const auto none = load_keep_going({{"XDG_CONFIG_HOME", xdg + "/none"}});
    CHECK((none && !none->enabled));
}

TEST_CASE("load: [keep_going] has the ranges of the options of run", "[config]") {
    const Folder folder;
    for (const char* line : {"max_resumes = 0", "max_resumes = 51", "until = \"999ms\"",
                             "margin = \"99ms\"", "margin = \"2h\"", "enabled = 1", "more = 1"}) {
        CAPTURE(line);
        const fs::path file = folder.write("h.toml", std::string{"[keep_going]\n"} + line + "\n");
        const auto loaded = load_keep_going({{"HEADWAY_CONFIG", file}});
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().detail.find("h.toml:2") != std::string::npos);
    }
}
