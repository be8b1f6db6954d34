// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/doctor/agent_doctor.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "agents/codex/trust.hpp"
#include "cli/agents/doctor/hook_probe.hpp"
#include "cli/agents/install/hook_barriers.hpp"
#include "cli/agents/install/own_hooks.hpp"
#include "cli/agents/settings/hook_command.hpp"
#include "cli/agents/talk.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/client/http_client.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kProbePatience{5'000};
constexpr std::string_view kProbe = "{}";  // no event: the dialects of agents answer it with {}

std::string text_of_file(const fs::path& path) {
    const auto there = read_settings(path);
    return there ? there->value_or("") : std::string{};
}

/// The line of a script of ours that runs headway-hook; empty: it is none of ours.
std::string command_in_script(const std::string& script) {
    const std::size_t at = script.find("\nexec ");
    if (!is_own_file(script) || at == std::string::npos) return {};
    return script.substr(at + 1, script.find('\n', at + 1) - at - 1);
}

/// As the scripts of ours in a folder reach the daemon.
HookWay way_of_scripts(const AgentRow& row, const fs::path& folder, HookWay way) {
    for (const AgentHookEvent& event : row.events) {
        const std::string command = command_in_script(text_of_file(folder / event.name));
        if (command.empty()) continue;
        const std::string url = url_in_command(command);
        way.named = !url.empty();
        way.url = url.empty() ? std::string{kDefaultUrl} : url;
        break;
    }
    return way;
}

/// The way to the daemon that Headway's hooks name.
HookWay installed_way(const AgentRow& row, const InstallPlace& place, const HookWay& way) {
    const auto path = settings_path(row, place);
    if (!path) return way;
    if (row.layout == HookLayout::kScripts) return way_of_scripts(row, *path, way);
    const std::string text = text_of_file(*path);
    if (row.layout != HookLayout::kPlugin) return way_of_own_hooks(row, text, way);
    HookWay found = way;
    constexpr std::string_view kBefore = "process.env.HEADWAY_URL || '";
    const std::size_t at = text.find(kBefore);
    if (at == std::string::npos) return way;
    const std::size_t begin = at + kBefore.size();
    found.url = text.substr(begin, text.find('\'', begin) - begin);
    return found;
}

/// The programs that Headway's hooks run, as they stand in the settings.
std::set<std::string> installed_programs(const AgentRow& row, const fs::path& path) {
    std::set<std::string> programs;
    if (row.layout == HookLayout::kScripts) {
        for (const AgentHookEvent& event : row.events) {
            const std::string command = command_in_script(text_of_file(path / event.name));
            if (!command.empty()) programs.insert(program_in_command(command));
        }
        return programs;
    }
    const auto settings = SettingsText::parse(text_of_file(path));
    if (!settings) return programs;
    for (const OwnHook& own : own_hooks(row, *settings)) {
        for (const char* name : {"command", "bash"}) {
            const std::string command = settings->string_of(settings->member(own.hook, name));
            if (!command.empty()) programs.insert(program_in_command(command));
        }
    }
    return programs;
}

class AgentDoctor {
public:
    AgentDoctor(const AgentRow& row, const InstallPlace& place, const HookWay& way)
        : row_(row), place_(place), way_(way), name_(row.name) {}

    std::vector<Finding> run() {
        const FoundAgent found = find_agent(row_, place_.environment);
        check_program(found);
        check_hooks();
        check_barriers();
        const bool by_request = row_.http && !way_.commands;
        const bool taken = by_request && check_url();
        const bool by_command = !by_request || std::any_of(row_.events.begin(), row_.events.end(),
                                                           [](const AgentHookEvent& event) {
                                                               return event.by_command;
                                                           });
        const bool reaches = by_command && check_installed_programs() && check_hook_program();
        if (taken || reaches) check_daemon();
        if (by_request) check_proxy();
        if (row_.name == "codex" && !found.program.empty()) check_trust(found.program);
        check_sessions();
        return std::move(findings_);
    }

private:
    void good(const char* about, std::string detail) {
        findings_.push_back({name_ + about, true, std::move(detail), {}});
    }
    void wrong(const char* about, std::string detail, std::string fix) {
        findings_.push_back({name_ + about, false, std::move(detail), std::move(fix)});
    }
    std::string install_line() const { return "`headway install " + name_ + "`"; }

    void check_program(const FoundAgent& found) {
        if (found.program.empty()) {
            return wrong("", std::string{row_.title} + " is not on PATH",
                         "install it, or mend PATH");
        }
        const std::string version = found.version.empty() ? "an unknown version" : found.version;
        if (is_too_old(row_, found.version)) {
            return wrong("",
                         found.program.string() + ", " + version + ", is older than " +
                             std::string{row_.tested_from} + ", the oldest whose hooks were tested",
                         "update " + std::string{row_.title});
        }
        if (is_too_new(row_, found.version)) {
            return wrong("",
                         found.program.string() + ", " + version + ", does not load this plugin",
                         "start it by `headway run`, which reads its lines");
        }
        const std::string note = is_tested(row_, found.version)
                                     ? std::string{}
                                     : ", which is not among the versions that were tested";
        good("", found.program.string() + ", " + version + note);
    }

    void check_hooks() {
        const auto path = settings_path(row_, place_);
        if (!path) return wrong(" hooks", path.error().detail, "set HOME");
        switch (row_.layout) {
            case HookLayout::kGroups:
            case HookLayout::kFlat:
                return check_settings(*path);
            case HookLayout::kScripts:
                for (const AgentHookEvent& event : row_.events)
                    if (!check_file(*path / event.name, hook_script(row_, way_))) return;
                return good(" hooks", path->string());
            case HookLayout::kPlugin:
                if (check_file(*path, plugin_text(row_, way_))) good(" hooks", path->string());
        }
    }

    /// Says what is wrong with a file of ours, if anything is.
    bool check_file(const fs::path& path, const std::string& wanted) {
        const auto there = read_settings(path);
        if (!there) {
            wrong(" hooks", there.error().detail, "make it readable");
        } else if (!*there) {
            wrong(" hooks", path.string() + " is missing", install_line());
        } else if (!is_own_file(**there)) {
            wrong(" hooks", path.string() + " is not of Headway", "call `headway-hook` from it");
        } else if (**there != wanted) {
            wrong(" hooks",
                  path.string() + " is of another version or for another daemon, or was changed",
                  install_line());
        } else {
            return true;
        }
        return false;
    }

    void check_settings(const fs::path& path) {
        const auto there = read_settings(path);
        if (!there) return wrong(" hooks", there.error().detail, "make it readable");
        const std::string text = there->value_or("");
        const auto state = own_hooks_state(row_, text, hook_entries(row_, way_));
        if (!state) {
            return wrong(" hooks", path.string() + ": " + state.error().detail,
                         "mend it; the agent cannot read it either");
        }
        if (state->missing.empty() && state->others == 0) {
            return good(" hooks", path.string() + ", " + std::to_string(state->present) +
                                      " entries as they shall be");
        }
        if (state->others > 0) {
            return wrong(
                " hooks",
                path.string() + " has " + std::to_string(state->others) +
                    " of Headway's entries in another form: of an older version, of another "
                    "daemon, or changed",
                install_line() + " renews them");
        }
        const std::string missing = state->present == 0
                                        ? "none of Headway's entries"
                                        : "no entry of Headway for " + join(state->missing, ", ");
        wrong(" hooks", path.string() + " has " + missing, install_line());
    }

    std::string calls_none(std::string why, std::string_view of_which) const {
        why += ": ";
        why += row_.title;
        why += " calls none ";
        return why += of_which;
    }

    void check_barriers() {
        const HookBarriers barriers = find_hook_barriers(row_, place_, way_);
        for (const std::string& why : barriers.all) {
            wrong(" settings", calls_none(why, "of Headway's hooks"),
                  "its hooks are not called while it is there");
        }
        for (const std::string& why : barriers.http) {
            if (way_.commands) {
                good(" settings", why + "; the hooks are commands, which it lets through");
            } else {
                wrong(" settings", calls_none(why, "of the HTTP hooks, so no call is seen or held"),
                      install_line() + " writes commands in their place; or add it to that list");
            }
        }
        for (const std::string& note : barriers.notes)
            good(" settings", note);
    }

    HookProbe probe() const {
        const bool plugin = row_.layout == HookLayout::kPlugin;
        const bool by_command = !row_.http || way_.commands;
        return {name_, plugin ? "generic" : name_, way_.url,
                token_of_hooks(place_.environment, by_command)};
    }

    bool check_url() {
        findings_.push_back(judge_probe(probe(), send_probe(probe())));
        return findings_.back().ok;
    }

    void check_daemon() {
        if (auto finding = examine_daemon(probe())) findings_.push_back(*std::move(finding));
    }

    bool check_installed_programs() {
        const auto path = settings_path(row_, place_);
        if (!path) return true;
        for (const std::string& program : installed_programs(row_, *path)) {
            const bool by_path = program.find('/') == std::string::npos;
            const bool runs = by_path ? find_program(program, place_.environment).has_value()
                                      : ::access(program.c_str(), X_OK) == 0;
            if (runs) continue;
            wrong(" command", program + ", which the hooks call, is not there or cannot be run",
                  install_line() + " writes where it is");
            return false;
        }
        return true;
    }

    /// It prints what the daemon answers, and nothing without one.
    bool check_hook_program() {
        if (way_.program.empty()) {
            wrong(" command", "neither next to this program nor on PATH",
                  "it is part of the package");
            return false;
        }
        std::vector<std::string> command{way_.program, name_};
        if (way_.named) command.insert(command.end(), {"--url", way_.url});
        const CommandOutput answer =
            ask_command(command, place_.environment, kProbe, kProbePatience);
        if (answer.status == 0 && answer.out.starts_with('{')) {
            good(" command", way_.program + " reaches the daemon");
            return true;
        }
        if (answer.status == 0) {
            say_why_away();
        } else {
            wrong(" command",
                  way_.program + (answer.status ? " ends with " + std::to_string(*answer.status)
                                                : " does not end within 5 s"),
                  "run it by hand: echo '{}' | " + join(command, " "));
        }
        return false;
    }

    /// A program that was not answered says nothing, so the daemon is asked by its URL.
    void say_why_away() {
        const Finding daemon = judge_probe(probe(), send_probe(probe()));
        const std::string runs = way_.program + " runs, and is not answered";
        if (daemon.ok) {
            return wrong(" command", runs + ", though a daemon " + daemon.detail,
                         "look at HEADWAY_HOOK_SOCKET, HEADWAY_URL and HEADWAY_TOKEN_FILE");
        }
        wrong(" command", runs + ": " + daemon.detail, daemon.fix);
    }

    /// Findings of the daemon about its hooks, where it may be asked.
    void check_sessions() {
        HttpRequest request;
        request.url = way_.url + "/v1/sessions?open=true&view=row&limit=200&agent=" + name_;
        request.timeout = kProbePatience;
        const std::string token = variable_of(place_.environment, "HEADWAY_TOKEN");
        if (!token.empty()) request.headers.push_back("Authorization: Bearer " + token);
        const HttpReply reply = HttpClient{}.send(request);
        const std::optional<Json> body = body_json(reply);
        if (!reply.ok() || !body) return;
        std::size_t arriving = 0;
        for (const Json& session : (*body)["sessions"]) {
            const Json& adapter = session["adapter"];
            if (!adapter.is_object()) continue;
            if (adapter["channel"].text() == "ok") {
                ++arriving;
                continue;
            }
            const std::string id = clean_line(session.text_of("id"));
            wrong(" session",
                  "the hooks of " + id + " are " + clean_line(adapter.text_of("channel")),
                  "`headway show " + id +
                      "` says since when; start the agent again if its settings "
                      "have changed");
        }
        if (arriving > 0)
            good(" sessions", "the hooks of " + std::to_string(arriving) + " open ones arrive");
    }

    void check_proxy() {
        const std::string proxy = proxy_in_the_way(place_.environment);
        if (proxy.empty()) return;
        wrong(" proxy", proxy + " is set, and NO_PROXY does not name 127.0.0.1",
              "set NO_PROXY=127.0.0.1,localhost: hooks that go to a proxy are lost without a word");
    }

    void check_trust(const fs::path& program) {
        const auto path = settings_path(row_, place_);
        if (!path) return;
        const auto trust = codex_trust(program, *path, place_.environment, false);
        if (!trust) return wrong(" trust", trust.error().detail, "does `codex app-server` run?");
        if (trust->untrusted == 0 && trust->trusted > 0)
            return good(" trust", "Codex trusts " + std::to_string(trust->trusted) + " hooks");
        wrong(" trust",
              "Codex skips " + std::to_string(trust->untrusted) +
                  " of Headway's hooks, and trusts " + std::to_string(trust->trusted),
              "`headway install codex --trust`, or trust them in Codex");
    }

    const AgentRow& row_;
    const InstallPlace& place_;
    HookWay way_;
    std::string name_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> examine_agent(const AgentRow& row, const InstallPlace& place,
                                   const HookWay& way, bool asked) {
    HookWay used = installed_way(row, place, way);
    if (asked) {
        const bool commands = used.commands;
        used = way;
        used.commands = commands;
    }
    return AgentDoctor(row, place, used).run();
}

}  // namespace headway::cli
