// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_doctor.hpp"

#include <algorithm>

#include "cli/agents/codex_trust.hpp"
#include "cli/agents/own_hooks.hpp"
#include "cli/agents/talk.hpp"
#include "cli/daemon.hpp"
#include "cli/http_client.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kProbePatience{5'000};
constexpr std::string_view kProbe = "{}";  // no event: every dialect answers it with {}

/// Of the daemon that is named where our hooks are.
HookWay installed_way(const AgentRow& row, const InstallPlace& place, const HookWay& way) {
    const auto path = settings_path(row, place);
    if (!path || row.layout == HookLayout::kScripts) return way;
    const auto there = read_settings(*path);
    const std::string text = there ? there->value_or("") : std::string{};
    if (row.layout != HookLayout::kPlugin) return way_of_own_hooks(row, text, way);
    HookWay found = way;
    constexpr std::string_view kBefore = "process.env.HEADWAY_URL || '";
    const std::size_t at = text.find(kBefore);
    if (at == std::string::npos) return way;
    const std::size_t begin = at + kBefore.size();
    found.url = text.substr(begin, text.find('\'', begin) - begin);
    return found;
}

class AgentDoctor {
public:
    AgentDoctor(const AgentRow& row, const InstallPlace& place, const HookWay& way)
        : row_(row), place_(place), way_(way), name_(row.name) {}

    std::vector<Finding> run() {
        const FoundAgent found = find_agent(row_, place_.environment);
        check_program(found);
        check_hooks();
        check_disabled();
        if (row_.http) check_url();
        const bool by_command =
            !row_.http || std::any_of(row_.events.begin(), row_.events.end(),
                                      [](const AgentHookEvent& event) { return event.by_command; });
        if (by_command) check_hook_program();
        if (row_.http) check_proxy();
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
            return wrong(" hooks",
                         path.string() + " has " + std::to_string(state->others) +
                             " of our entries in another form: of an older version, of another "
                             "daemon, or changed",
                         install_line() + " renews them");
        }
        const std::string missing = state->present == 0
                                        ? "none of our entries"
                                        : "no entry of ours for " + join(state->missing, ", ");
        wrong(" hooks", path.string() + " has " + missing, install_line());
    }

    void check_disabled() {
        const std::string disabled = hooks_disabled(row_, place_);
        if (disabled.empty()) return;
        wrong(" settings", disabled, "its hooks are not called while it stands there");
    }

    void check_url() {
        const bool plugin = row_.layout == HookLayout::kPlugin;
        HttpRequest request;
        request.method = "POST";
        request.url = way_.url + "/v1/hooks/" + (plugin ? "generic" : name_);
        request.body = kProbe;
        request.content_type = "application/json";
        request.timeout = kProbePatience;
        const std::string token = variable_of(place_.environment, "HEADWAY_TOKEN");
        if (!token.empty()) request.headers.push_back("Authorization: Bearer " + token);
        const HttpReply reply = HttpClient{}.send(request);
        if (reply.ok()) return good(" daemon", "answers at " + request.url);
        if (!reply.answered()) {
            return wrong(" daemon", "none answers at " + request.url + " (" + reply.error + ")",
                         "start one with `headway serve` or `headway service install`");
        }
        const bool token_wanted = reply.status == 401 || reply.status == 403;
        wrong(" daemon", request.url + " answers " + std::to_string(reply.status),
              token_wanted ? "start the agent with HEADWAY_TOKEN set to a token with the scope "
                             "report:" +
                                 name_ + "-"
                           : "is this a Headway daemon of this version?");
    }

    void check_hook_program() {
        if (way_.program.empty()) {
            return wrong(" command", "neither beside this program nor on PATH",
                         "it is part of the package");
        }
        std::vector<std::string> command{way_.program, name_, "--require"};
        if (way_.named) command.insert(command.end(), {"--url", way_.url});
        const CommandOutput answer =
            ask_command(command, place_.environment, kProbe, kProbePatience);
        if (answer.status == 0) return good(" command", way_.program + " reaches the daemon");
        constexpr int kAway = 2;
        if (answer.status == kAway) {
            return wrong(" command", way_.program + " runs, and finds no daemon",
                         "start one with `headway serve` or `headway service install`");
        }
        wrong(" command",
              way_.program + (answer.status ? " ends with " + std::to_string(*answer.status)
                                            : " does not end within 5 s"),
              "run it by hand: echo '{}' | " + join(command, " "));
    }

    /// What the daemon has seen of its hooks, where it may be asked.
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
              "Codex skips " + std::to_string(trust->untrusted) + " of our hooks, and trusts " +
                  std::to_string(trust->trusted),
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
    return AgentDoctor(row, place, asked ? way : installed_way(row, place, way)).run();
}

}  // namespace headway::cli
