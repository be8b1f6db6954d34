// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/api/hooks/hook_text.hpp"

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"

namespace headway::tests {
namespace {

/// Lines of one hook or call.
class Lines {
public:
    explicit Lines(std::string& out, std::string indent = {})
        : out_(out), indent_(std::move(indent)) {}

    void name(const char* name, const std::string& value) {
        if (!value.empty()) line(name, value);
    }
    void text(const char* name, const std::string& value) {
        if (value.empty()) return;
        std::string json;
        api::append_json_string(json, value);
        line(name, json);
    }
    void flag(const char* name, bool value) {
        if (value) line(name, "yes");
    }
    void number(const char* name, const std::optional<std::uint64_t>& value) {
        if (value) line(name, std::to_string(*value));
    }
    void line(const char* name, const std::string& value) {
        out_.append(indent_).append(name).append(": ").append(value).push_back('\n');
    }

private:
    std::string& out_;
    std::string indent_;
};

void add_call(std::string& out, const api::hooks::HookCall& call) {
    out += "call\n";
    Lines lines{out, "  "};
    lines.name("tool", call.tool);
    if (call.args) {
        std::string json;
        call.args->append_redacted_to(json);
        lines.line("args", json);
    }
    lines.name("args of the call", call.call_args);
    lines.name("id", call.call);
    if (call.ok) lines.line("ok", *call.ok ? "yes" : "no");
    lines.text("result", call.result);
    lines.text("error", call.error);
    lines.name("class", call.error_class);
    lines.number("duration ms", call.duration_ms);
    lines.number("exit code", call.exit_code);
    for (const core::Mutation& mutation : call.mutated) {
        lines.line("wrote", mutation.path + " " + mutation.digest);
    }
    lines.flag("interrupted", call.interrupted);
    lines.flag("untold", call.untold);
}

}  // namespace

std::string hook_text(const api::hooks::Hook& hook) {
    std::string out;
    Lines lines{out};
    lines.line("kind", std::string{core::name_of(hook.kind)});
    lines.name("event", hook.event);
    lines.name("session", hook.session);
    lines.name("agent", hook.agent_id);
    lines.name("agent type", hook.agent_type);
    lines.name("parent", hook.parent);
    lines.name("cwd", hook.cwd);
    lines.name("model", hook.model);
    lines.name("transcript", hook.transcript_path);
    lines.name("version", hook.agent_version);
    lines.name("source", hook.source);
    lines.name("mode", hook.mode);
    lines.text("text", hook.text);
    lines.flag("synthetic", hook.synthetic);
    lines.flag("dialog", hook.dialog);
    lines.number("round", hook.round);
    lines.flag("wake up", hook.wake_up);
    lines.flag("before rules", hook.before_rules);
    for (const std::string& name : hook.background)
        lines.text("background", name);
    lines.name("outcome", hook.outcome);
    lines.name("reason", hook.reason);
    lines.name("class", hook.error_class);
    lines.number("status", hook.status);
    lines.number("retry after ms", hook.retry_after_ms);
    lines.flag("ends turn", hook.ends_turn);
    lines.number("hold ms", hook.hold_ms);
    lines.flag("wordless", hook.wordless);
    if (hook.usage) {
        lines.number("input tokens", hook.usage->input_tokens);
        lines.number("output tokens", hook.usage->output_tokens);
        if (hook.usage->cached_tokens > 0) lines.number("cached", hook.usage->cached_tokens);
        if (hook.usage->cache_write_tokens > 0)
            lines.number("cache write", hook.usage->cache_write_tokens);
        if (hook.usage->reasoning_tokens > 0)
            lines.number("reasoning", hook.usage->reasoning_tokens);
        if (hook.usage->cost_usd) lines.line("cost", std::to_string(*hook.usage->cost_usd));
    }
    if (!hook.call.tool.empty()) add_call(out, hook.call);
    for (const api::hooks::HookCall& call : hook.calls)
        add_call(out, call);
    return out;
}

}  // namespace headway::tests
