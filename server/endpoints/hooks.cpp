// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/answer_use.hpp"
#include "api/hooks/dialect.hpp"
#include "api/hooks/readable.hpp"
#include "api/hooks/report.hpp"
#include "core/limits.hpp"
#include "server/descriptors.hpp"
#include "server/endpoints/call.hpp"
#include "server/endpoints/handlers.hpp"
#include "server/endpoints/session_ids.hpp"

// Hooks of agents. What is not understood is answered `{}`, which every agent takes as "go on".

namespace headway::server {
namespace {

using api::hooks::Dialect;
using api::hooks::Hook;
using core::Error;
using core::ErrorCode;
using core::Result;

/// Agents think for minutes without a hook: that is no silence.
constexpr std::chrono::minutes kHookInterval{5};

/// The bodies that are tried after the one that came: what lies deeper is text.
constexpr std::size_t kReadableDepths[] = {32, 2};

Result<> nothing(const Call& call) {
    Response response;
    response.body = "{}";
    call.respond(response);
    return {};
}

/// What an event calls otherwise than the neutral form does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOwnNames{
    {{"/call_id", "/call"},
     {"/summary", "/text"},
     {"/message", "/text"},
     {"/error/class", "/class"},
     {"/error/message", "/error"}}};

/// The field of the hook that the field of an event comes from.
std::string own_field(std::string field) {
    constexpr std::string_view kInside = "/0/data/";
    if (!field.starts_with(kInside)) return field;
    field.erase(0, kInside.size() - 1);
    const auto found = std::find_if(kOwnNames.begin(), kOwnNames.end(),
                                    [&field](const auto& name) { return name.first == field; });
    if (found != kOwnNames.end()) field = found->second;
    return field;
}

/// "Go on", unless the caller would rather not go on than go on unseen.
Result<> not_understood(const Call& call, bool generic, Error error) {
    if (!generic && call.query.find("require") == nullptr) return nothing(call);
    error.field = own_field(std::move(error.field));
    return error;
}

std::string main_session(const Call& call, std::string_view agent, const Hook& hook) {
    const std::string_view given = call.request.head.hook_session;
    return api::valid_id(given) ? std::string{given} : agent_session(agent, hook.session);
}

void add_label(core::SessionStarted& about, std::string key, std::string_view value) {
    // The end of a path says more than its beginning.
    value.remove_prefix(value.size() - std::min(value.size(), core::limits::kLabelBytesMax));
    while (!value.empty() && (static_cast<unsigned char>(value.front()) & 0xC0U) == 0x80U)
        value.remove_prefix(1);
    if (!value.empty()) about.labels.push_back({std::move(key), std::string{value}});
}

core::SessionStarted about_of(std::string_view agent, const Hook& hook) {
    core::SessionStarted about;
    about.agent.type =
        agent_type(hook.agent_id.empty() || hook.agent_type.empty() ? agent : hook.agent_type);
    about.agent.name = agent;
    about.agent.model = hook.model;
    add_label(about, "adapter", agent);
    add_label(about, "workspace", hook.cwd);
    add_label(about, "agent_version", hook.agent_version);
    about.policy.heartbeat_interval_ms =
        static_cast<std::uint64_t>(core::Millis{kHookInterval}.count());
    return about;
}

api::hooks::HookFacts facts_of(const Call& call) {
    api::hooks::HookFacts facts;
    const std::string_view code = call.request.head.hook_exit_code;
    std::uint64_t number = 0;
    const auto read = std::from_chars(code.data(), code.data() + code.size(), number);
    if (!code.empty() && read.ec == std::errc{} && read.ptr == code.data() + code.size())
        facts.exit_code = number;
    facts.agent_version = call.request.head.agent_version.substr(0, core::limits::kLabelBytesMax);
    return facts;
}

std::vector<HookUse> uses_of(const Call& call) {
    std::vector<HookUse> uses;
    for (const auto& use : api::hooks::read_answer_uses(call.request.head.hook_usage))
        uses.push_back({"usage:" + std::string{use.id}, use.at, use.usage});
    return uses;
}

/// True if the process of the agent came with the hook or is named by it, and is followed.
bool follow(const Call& call, const std::string& session) {
    OwnedDescriptor process = call.connection.take_agent_process();
    if (!process.open()) {
        if (call.on.processes.follows(session)) return true;
        process = open_process(call.request.head.agent_process, call.on.processes.place());
    }
    if (!process.open()) return false;
    call.on.processes.allow(agent_processes_that_fit(call.on.http.connections_max()));
    return call.on.processes.offer(call.to, std::move(process));
}

/// What the body says, in `command`. Without a session it says nothing.
Result<> read_body(const Call& call, std::string_view body, HookCommand& command) {
    HEADWAY_CHECK(call.on.tape.parse(body));
    Hook& hook = command.call.hook;
    hook = command.call.dialect->parse(call.on.tape.root(), facts_of(call));
    if (hook.session.empty()) return {};
    HEADWAY_TRY(auto report, api::hooks::take_report(call.on.tape, hook));
    command.events = std::move(report.decoded.events);
    command.whole_args = std::move(report.decoded.whole_args);
    command.call.args_digest = std::move(report.args_digest);
    return {};
}

/// A call whose arguments are no JSON that can be read is not one that goes unseen. What can be
/// read and is wrong stays wrong.
Result<> read_hook(const Call& call, HookCommand& command) {
    auto read = read_body(call, call.request.body, command);
    if (read || read.error().code != ErrorCode::kInvalidJson) return read;
    for (const std::size_t depth : kReadableDepths) {
        const std::string readable = api::hooks::readable_json(call.request.body, depth);
        if (read_body(call, readable, command)) return {};
    }
    return read;
}

Error unknown_agent(std::string_view name) {
    std::string names;
    for (const Dialect* dialect : api::hooks::all_dialects())
        names += (names.empty() ? "" : ", ") + std::string{dialect->name};
    return {ErrorCode::kUnknownRoute,
            "'" + std::string{name.substr(0, 64)} +
                "' is no agent whose hooks are known; these are: " + names,
            "agent"};
}

}  // namespace

Result<> endpoints::hook(Call& call) {
    const std::string& name = call.target().asset;
    const Dialect* const dialect = api::hooks::find_dialect(name);
    if (dialect == nullptr) return unknown_agent(name);
    const bool generic = dialect->name == "generic";
    HookCommand command;
    command.call.dialect = dialect;
    const Hook& hook = command.call.hook;
    auto read = read_hook(call, command);
    if (!read && hook.session.empty())
        return not_understood(call, generic, std::move(read).error());
    const bool required = call.query.find("require") != nullptr;
    if (hook.session.empty() || (required && hook.kind == api::hooks::HookKind::kNone)) {
        const Error none{ErrorCode::kInvalidField, "is no hook that is known here", "body"};
        return required ? Result<>{none} : nothing(call);
    }
    // Clients of the neutral form name the agent themselves.
    constexpr std::size_t kAgentBytesMax = 32;  // the session's id has to fit behind it
    const bool named = api::valid_id(hook.agent) && hook.agent.size() <= kAgentBytesMax;
    const std::string agent = named ? hook.agent : (generic ? "agent" : name);
    command.session = main_session(call, agent, hook);
    HEADWAY_CHECK(require_report(call.caller, command.session));
    if (!hook.agent_id.empty()) {
        command.parent =
            std::exchange(command.session, child_session(command.session, hook.agent_id));
        HEADWAY_CHECK(require_report(call.caller, command.session));
    }
    if (!read) return not_understood(call, generic, std::move(read).error());
    command.about = about_of(agent, hook);
    command.call.process = follow(call, command.session);
    command.uses = uses_of(call);
    const std::string session = command.session;
    return call.write(std::move(command), session);
}

}  // namespace headway::server
