// SPDX-License-Identifier: Apache-2.0
#include "agents/codex/trust.hpp"

#include <system_error>
#include <vector>

#include "cli/agents/agent_table.hpp"
#include "cli/agents/settings/hook_command.hpp"
#include "cli/agents/talk.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kServerPatience{20'000};

/// JSON-RPC, one message per line.
class CodexServer {
public:
    CodexServer(const fs::path& program, const Environment& environment)
        : talk_({program.string(), "app-server"}, environment),
          until_(steady_now() + kServerPatience) {}

    core::Result<Json> call(const char* method, Json params) {
        const int id = ++id_;
        if (!say({{"id", id}, {"method", method}, {"params", std::move(params)}}))
            return silent(method);
        while (const auto line = talk_.line(until_)) {
            const auto message = Json::parse(*line);
            const bool reply = message && message->contains("id") && !message->contains("method") &&
                               (*message)["id"] == Json(id);
            if (!reply) continue;  // it tells of other things, too
            if (!message->contains("error")) return (*message)["result"];
            return core::Error{core::ErrorCode::kInvalidParameter,
                               "Codex answers " + std::string{method} + ": " +
                                   (*message)["error"].text_of("message"),
                               {}};
        }
        return silent(method);
    }

    bool say(const Json& message) { return talk_.say(dump(message) + "\n"); }

private:
    static core::Error silent(const char* method) {
        return {core::ErrorCode::kInvalidParameter,
                "`codex app-server` does not answer " + std::string{method},
                {}};
    }

    Talk talk_;
    SteadyTime until_;
    int id_ = 0;
};

/// Ours in this file, as Codex lists them.
core::Result<std::vector<Json>> listed(CodexServer& codex, const fs::path& hooks) {
    HEADWAY_TRY(const Json result,
                codex.call("hooks/list", {{"cwds", Json::array({fs::current_path().string()})}}));
    std::vector<Json> found;
    std::error_code none;
    for (const Json& folder : result["data"]) {
        for (const Json& hook : folder["hooks"]) {
            const bool there = fs::equivalent(hook.text_of("sourcePath"), hooks, none);
            if (there && is_hook_command(hook.text_of("command"), "codex")) found.push_back(hook);
        }
    }
    return found;
}

core::Result<> trust_all(CodexServer& codex, const std::vector<Json>& hooks) {
    Json state = Json::object();
    for (const Json& hook : hooks)
        state[hook.text_of("key")] = {{"trusted_hash", hook.text_of("currentHash")}};
    const Json edit = {
        {"keyPath", "hooks.state"}, {"mergeStrategy", "upsert"}, {"value", std::move(state)}};
    const auto done = codex.call("config/batchWrite",
                                 {{"edits", Json::array({edit})}, {"reloadUserConfig", true}});
    if (!done) return done.error();
    return {};
}

}  // namespace

core::Result<CodexTrust> codex_trust(const fs::path& program, const fs::path& hooks,
                                     const Environment& environment, bool trust) {
    CodexServer codex{program, environment};
    const Json client = {{"name", "headway"}, {"title", "Headway"}, {"version", "1"}};
    const auto begun = codex.call(
        "initialize", {{"clientInfo", client}, {"capabilities", {{"experimentalApi", true}}}});
    if (!begun) return begun.error();
    codex.say({{"method", "initialized"}});
    HEADWAY_TRY(auto found, listed(codex, hooks));
    if (trust && !found.empty()) {
        HEADWAY_CHECK(trust_all(codex, found));
        HEADWAY_TRY(found, listed(codex, hooks));
    }
    CodexTrust result;
    for (const Json& hook : found)
        ++(hook.text_of("trustStatus") == "trusted" ? result.trusted : result.untrusted);
    return result;
}

}  // namespace headway::cli
