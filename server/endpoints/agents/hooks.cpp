// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/dialect.hpp"
#include "api/hooks/report.hpp"
#include "api/hooks/session_names.hpp"
#include "api/hooks/texts/answer_use.hpp"
#include "api/hooks/texts/errors.hpp"
#include "api/hooks/texts/goal_report.hpp"
#include "api/json/readable_json.hpp"
#include "api/text/plain_text.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"
#include "core/views/digest.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/process/descriptors.hpp"
#include "server/tokens/session_ids.hpp"

// Hooks of agents. A hook that is not understood gets `{}`, which every agent takes as "go on"; but
// a call whose hook cannot be read is refused.

namespace headway::server {
namespace {

using api::hooks::Dialect;
using api::hooks::Hook;
using api::hooks::HookKind;
using core::Error;
using core::ErrorCode;
using core::Result;

/// Agents think for minutes without a hook: that is no silence.
constexpr std::chrono::minutes kHookInterval{5};

/// The bodies that are tried after the one that came: what lies deeper is text.
constexpr std::size_t kReadableDepths[] = {32, 2};

Result<> nothing(Services& on, const ReplyTo& to) {
    Response response;
    response.body = "{}";
    on.replies.respond(to, response);
    return {};
}

/// Names that differ between an event and the neutral form.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOwnNames{
    {{"/call_id", "/call"},
     {"/summary", "/text"},
     {"/message", "/text"},
     {"/error/class", "/class"},
     {"/error/message", "/error"}}};

/// The field of the hook that the field of an event comes from.
std::string own_field(std::string_view field) {
    constexpr std::string_view kInside = "/0/data/";
    if (!field.starts_with(kInside)) return std::string{field};
    field.remove_prefix(kInside.size() - 1);
    const auto found = std::find_if(kOwnNames.begin(), kOwnNames.end(),
                                    [field](const auto& name) { return name.first == field; });
    return std::string{found == kOwnNames.end() ? field : std::string_view{found->second}};
}

std::string main_session(const std::string& given, std::string_view agent, const Hook& hook) {
    return api::valid_id(given) ? given : api::hooks::agent_session(agent, hook.session);
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
    about.policy.trust_origin = false;  // no such report has an origin
    about.policy.heartbeat_interval_ms =
        static_cast<std::uint64_t>(core::Millis{kHookInterval}.count());
    return about;
}

/// A header's value as text that can be stored: an agent whose hook is refused would go on unseen.
std::string text_of(std::string_view value, std::size_t bytes_max) {
    return std::string{core::cut_text(api::as_utf8(value), bytes_max)};
}

/// A hook and what is known of it besides its body.
struct HookReading {
    ReplyTo to;
    Principal caller;
    std::string name;   ///< of the dialect, as it is in the path
    std::string given;  ///< session in a header; empty: none
    std::string exit_code;
    std::string error_class;
    std::string error_status;
    core::Timestamp retry_at = core::kNever;
    std::string agent_version;
    bool required = false;
    std::size_t bytes = 0;
    ProcessNumbers numbers{};  ///< of the agent; valid while the handler runs
    system::FileDescriptor process;
    HookCommand command;
    Result<> read{};
    bool unread_call = false;  ///< a kPre that could not be read
};

std::vector<HookUse> uses_of(const Call& call) {
    std::vector<HookUse> uses;
    for (const auto& use : api::hooks::read_answer_uses(call.request.head.hook_usage))
        uses.push_back(
            {std::string{core::kOwnEventIds} + "usage:" + std::string{use.id}, use.at, use.usage});
    return uses;
}

HookReading reading_of(const Call& call, const Dialect& dialect) {
    HookReading reading;
    reading.to = call.to;
    reading.caller = call.caller;
    reading.name = call.target().asset;
    reading.given = call.request.head.named_session();
    reading.exit_code = call.request.head.hook_exit_code;
    reading.error_class =
        text_of(call.request.head.hook_error_class, api::hooks::kHookNameBytesMax);
    reading.error_status = call.request.head.hook_error_status;
    reading.retry_at = api::hooks::time_of_digits(call.request.head.hook_retry_at);
    reading.agent_version = text_of(call.request.head.agent_version, core::limits::kLabelBytesMax);
    reading.required = call.query.find("require") != nullptr;
    reading.bytes = call.request.body.size();
    reading.numbers = call.request.head.agent_process;
    reading.process = call.connection.take_agent_process();
    reading.command.uses = uses_of(call);
    reading.command.goal =
        api::hooks::read_goal_report(call.request.head.hook_goal, call.on.document.secrets());
    reading.command.use_clock = api::hooks::answer_clock(call.request.head.hook_usage);
    reading.command.controls = call.controls();
    reading.command.call.dialect = &dialect;
    reading.command.call.holder = call.place_holder();
    return reading;
}

std::optional<std::uint64_t> digits_of(std::string_view digits) {
    std::uint64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    const bool whole = !digits.empty() && read.ec == std::errc{} && read.ptr == end;
    return whole ? std::optional{number} : std::nullopt;
}

api::hooks::HookFacts facts_of(const HookReading& reading) {
    api::hooks::HookFacts facts;
    facts.exit_code = digits_of(reading.exit_code);
    facts.error_status = digits_of(reading.error_status);
    facts.agent_version = reading.agent_version;
    facts.error_class = reading.error_class;
    facts.retry_at = reading.retry_at;
    return facts;
}

/// True if the process of the agent came with the hook or is named by it, and is followed.
bool follow(Services& on, HookReading& reading, const std::string& session) {
    system::FileDescriptor process = std::move(reading.process);
    if (!process.open()) {
        if (on.processes.follows(session)) return true;
        process = open_process(reading.numbers, on.processes.place());
    }
    if (!process.open()) return false;
    on.processes.allow(agent_processes_that_fit(on.http.connections_max()));
    return on.processes.offer(reading.to, std::move(process));
}

/// Reads the body into the command. Without a session it says nothing.
Result<> read_body(api::JsonDocument& document, std::string_view body, HookReading& reading) {
    HEADWAY_CHECK(document.parse(body));
    HookCommand& command = reading.command;
    Hook& hook = command.call.hook;
    hook = command.call.dialect->parse(document.root(), facts_of(reading));
    if (hook.session.empty()) return {};
    HEADWAY_TRY(auto report, api::hooks::take_report(document, hook));
    command.events = std::move(report.decoded.events);
    command.whole_args = std::move(report.decoded.whole_args);
    command.call.args_digest = std::move(report.args_digest);
    command.dialog = std::move(report.dialog);
    command.untold = std::move(report.untold);
    return {};
}

/// A call whose arguments are no JSON that can be read is not one that goes unseen. A readable body
/// with a wrong value stays wrong.
Result<> read_any(api::JsonDocument& document, std::string_view body, HookReading& reading) {
    auto read = read_body(document, body, reading);
    const bool marked = api::has_readable_mark(body);
    if (!marked && (read || read.error().code != ErrorCode::kInvalidJson)) return read;
    for (const std::size_t depth : kReadableDepths) {
        const std::string readable = api::readable_json(body, depth);
        if (read_body(document, readable, reading)) return {};
    }
    return read;
}

/// Any thread.
void read_hook(api::JsonDocument& document, std::string_view body, HookReading& reading) {
    reading.read = read_any(document, body, reading);
    if (reading.read) return;
    const HookCall& call = reading.command.call;
    reading.unread_call = call.hook.session.empty() ? api::hooks::names_pre(*call.dialect, body)
                                                    : call.hook.kind == HookKind::kPre;
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

/// A call that nothing is known of might be one that a person has to allow, or stopped.
Result<> refuse_unread(Services& on, const HookReading& reading) {
    const Dialect& dialect = *reading.command.call.dialect;
    Hook hook;
    hook.kind = HookKind::kPre;
    hook.event = dialect.pre_event;
    api::hooks::HookReply reply;
    const Error& error = reading.read.error();
    const std::string field = own_field(error.field);
    reply.deny = "This call may not run, for its hook cannot be read: " +
                 (field.empty() ? "" : field + " ") + error.detail + ".";
    Response response;
    response.body = dialect.render(hook, reply);
    on.replies.respond(reading.to, response);
    return {};
}

/// "Go on", unless the caller would rather not go on than go on unseen.
Result<> not_understood(Services& on, const HookReading& reading, bool generic) {
    if (!generic && !reading.required)
        return reading.unread_call ? refuse_unread(on, reading) : nothing(on, reading.to);
    Error error = reading.read.error();
    error.field = own_field(error.field);
    return error;
}

/// Passes on what was read.
Result<> pass_on(Services& on, HookReading& reading) {
    HookCommand& command = reading.command;
    const Hook& hook = command.call.hook;
    const bool generic = reading.name == "generic";
    if (!reading.read && hook.session.empty()) return not_understood(on, reading, generic);
    const bool must = generic || reading.required;
    if (hook.session.empty() || (must && hook.kind == HookKind::kNone)) {
        const Error none{ErrorCode::kInvalidField, "is no hook that is known here", "body"};
        return must ? Result<>{none} : nothing(on, reading.to);
    }
    // Clients of the neutral form name the agent themselves.
    constexpr std::size_t kAgentBytesMax = 32;  // the session's id has to fit behind it
    const bool named = api::valid_id(hook.agent) && hook.agent.size() <= kAgentBytesMax;
    const std::string agent = named ? hook.agent : (generic ? "agent" : reading.name);
    command.session = main_session(reading.given, agent, hook);
    HEADWAY_CHECK(require_report(reading.caller, command.session));
    if (!hook.agent_id.empty()) {
        command.parent = std::exchange(command.session,
                                       api::hooks::child_session(command.session, hook.agent_id));
        HEADWAY_CHECK(require_report(reading.caller, command.session));
    }
    if (!reading.read) return not_understood(on, reading, generic);
    command.about = about_of(agent, hook);
    command.call.process = follow(on, reading, command.session);
    if (command.call.process)
        command.call.process_number = on.processes.number(reading.to, command.session);
    const std::string session = command.session;
    if (on.intake.ask(request_of(reading.to, std::move(command)), session, reading.bytes))
        return {};
    return Error{ErrorCode::kOverloaded, "nothing was stored; send it again", {}};
}

/// Reads the body beside the I/O thread.
Result<> read_long(const Call& call, HookReading&& hook_reading) {
    const auto reading = std::make_shared<HookReading>(std::move(hook_reading));
    if (!reading->process.open())  // which may be gone by the end
        reading->process = open_process(reading->numbers, call.on.processes.place());
    reading->numbers = {};
    return call.read_beside(
        [reading](api::JsonDocument& document, std::string_view body) {
            reading->bytes = body.size();
            read_hook(document, body, *reading);
            reading->command.call.hook.call.args.reset();  // it was on this document
        },
        [reading](Call& from) { return pass_on(from.on, *reading); }, true);
}

}  // namespace

Result<> endpoints::hook(Call& call) {
    const std::string& name = call.target().asset;
    const Dialect* const dialect = api::hooks::find_dialect(name);
    if (dialect == nullptr) return unknown_agent(name);
    HookReading reading = reading_of(call, *dialect);
    if (call.is_long()) return read_long(call, std::move(reading));
    read_hook(call.on.document, call.request.body, reading);
    return pass_on(call.on, reading);
}

}  // namespace headway::server
