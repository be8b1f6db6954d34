// SPDX-License-Identifier: Apache-2.0
#include "api/otlp/said.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "api/decode/decode.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/otlp/said_parts.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"

namespace headway::api::otlp {
namespace {

/// An agent whose hooks are known too. Its sessions have the same ids by both ways.
struct KnownAgent {
    std::string_view service;  ///< how its service.name begins
    std::string_view agent;
    std::string_view events;  ///< how the names of its own records begin
};
constexpr std::array<KnownAgent, 4> kKnownAgents{{
    {"claude-code", "claude", "claude_code."},
    {"codex", "codex", "codex."},
    {"gemini-cli", "gemini", "gemini_cli."},
    {"qwen-code", "qwen", "qwen-code."},
}};

const KnownAgent* known_agent(std::string_view service) {
    for (const KnownAgent& known : kKnownAgents) {
        if (service.starts_with(known.service)) return &known;
    }
    return nullptr;
}

std::string session_of(const Record& record, const Source& source, bool& own_name) {
    const std::string_view given = first_of(record.attributes, {"headway.session"});
    const std::string_view own =
        given.empty() ? value_of(source.attributes, "headway.session") : given;
    own_name = !own.empty();
    if (own_name) return std::string{own};
    constexpr std::array<std::string_view, 5> kNames{"gen_ai.conversation.id", "session.id",
                                                     "conversation.id", "langfuse.session.id",
                                                     "traceloop.association.properties.session_id"};
    std::string_view found = first_of(record.attributes, kNames);
    if (found.empty()) found = first_of(source.attributes, kNames);
    return std::string{found};
}

/// Some servers number their calls and answers, so that an id alone says little. A refused call
/// may be in two records: its decision, and its result. The same answer may be in a log record and
/// in several spans, with the same figures.
std::string key_of(const Record& record, const Said& item, Signal signal) {
    const std::string span = record.trace_id + " " + record.span_id;
    const bool traces = signal == Signal::kTraces;
    const std::string call{first_of(record.attributes, kCallIds)};
    if (!call.empty() && item.call.denied) return "call " + call;
    if (!call.empty())
        return "call " + call + " " + (traces ? span : std::to_string(record.ended_ns));
    const std::string response{first_of(record.attributes, {"gen_ai.response.id", "response_id"})};
    if (!response.empty()) return "response " + response + " " + figures_of(record.attributes);
    if (traces) return "span " + span;
    std::string all = "log " + std::to_string(record.ended_ns) + " " + record.name + record.body;
    for (const Attribute& attribute : record.attributes)
        all.append(1, '\n').append(attribute.key).append(1, '=').append(attribute.value);
    return all;
}

std::string sub_agent_of(const Record& record) {
    // Those of Codex are conversations of their own.
    return std::string{first_of(record.attributes, {"subagent_name", "agent.name"})};
}

/// The name of the event without the agent's prefix; empty for what others have said already.
std::string_view event_of(const Record& record, const KnownAgent* known) {
    std::string_view name = value_of(record.attributes, "event.name");
    if (name.empty()) name = record.name;
    if (name.empty()) name = record.body;
    if (known == nullptr) return name;
    // Gemini says everything twice, and the second time in these words.
    if (name.starts_with("gen_ai.")) return {};
    if (name.starts_with(known->events)) name.remove_prefix(known->events.size());
    return name;
}

void read_log(const Record& record, std::string_view event, const KnownAgent* known, Said& item) {
    const Attributes& attributes = record.attributes;
    if (event == "user_prompt") {
        item.kind = SaidKind::kPrompt;
        item.text = value_of(attributes, "prompt");
        if (item.text == "<REDACTED>") item.text.clear();
    } else if (event == "tool_result" || event == "tool_call") {
        read_call(record, item);
        const bool codex = known != nullptr && known->agent == "codex";
        if (codex && !item.call.ok)
            item.call.denied = hooks::says_refused(hooks::Refusing::kOfCodex, item.call.error);
    } else if (event == "tool_decision") {
        const std::string_view decision = value_of(attributes, "decision");
        if (decision != "reject" && decision != "denied" && decision != "abort") return;
        read_call(record, item);
        item.call.ok = false;
        item.call.denied = true;
    } else if (event == "api_error") {
        item.kind = SaidKind::kError;
        item.text = first_of(attributes, {"error", "error_message", "error.message"});
        read_error(attributes, item);
    } else if (event == "api_request" && read_error(attributes, item)) {
        item.kind = SaidKind::kError;  // of Codex, whose failed requests are requests, too
        item.text = first_of(attributes, {"error.message", "error_message", "error"});
    } else if (event == "session.end") {
        item.kind = SaidKind::kTurnEnd;
    } else if (read_usage(attributes, item)) {
        item.kind = SaidKind::kUsage;
    }
}

enum class SpanKind : std::uint8_t { kOther, kTool, kModel, kAgent };

SpanKind kind_of(const Attributes& attributes) {
    const std::string_view operation = value_of(attributes, "gen_ai.operation.name");
    if (operation == "execute_tool") return SpanKind::kTool;
    if (operation == "chat" || operation == "text_completion" || operation == "generate_content")
        return SpanKind::kModel;
    if (operation == "invoke_agent" || operation == "invoke_workflow") return SpanKind::kAgent;
    if (!operation.empty()) return SpanKind::kOther;
    const std::string_view kind =
        first_of(attributes, {"openinference.span.kind", "traceloop.span.kind", "span.type"});
    if (kind == "TOOL" || kind == "tool") return SpanKind::kTool;
    if (kind == "LLM" || kind == "llm_request") return SpanKind::kModel;
    if (kind == "AGENT" || kind == "CHAIN" || kind == "agent" || kind == "workflow")
        return SpanKind::kAgent;
    if (!kind.empty()) return SpanKind::kOther;
    if (!value_of(attributes, "ai.toolCall.name").empty()) return SpanKind::kTool;
    const bool model = !value_of(attributes, "gen_ai.request.model").empty() ||
                       !value_of(attributes, "llm.request.type").empty();
    return model ? SpanKind::kModel : SpanKind::kOther;
}

void read_span(const Record& record, bool by_trace, Said& item) {
    const std::string_view type = error_type(record.attributes);
    const bool failed = record.failed || !type.empty();
    const std::string_view error = record.error.empty() ? type : std::string_view{record.error};
    switch (kind_of(record.attributes)) {
        case SpanKind::kTool:
            return read_call(record, item);
        case SpanKind::kModel:
            if (read_usage(record.attributes, item)) item.kind = SaidKind::kUsage;
            if (!failed) return;
            item.kind = SaidKind::kError;
            item.text = error;
            read_error(record.attributes, item);
            return;
        case SpanKind::kAgent:
            // Its use is the sum of what is inside of it, which was said before.
            if (!record.parent_id.empty()) return;
            item.kind = by_trace ? SaidKind::kRunEnd : SaidKind::kTurnEnd;
            item.failed = failed;
            item.text = error;
            return;
        case SpanKind::kOther:
            return;
    }
}

/// It has attributes that only calls of models and tools have.
bool names_model(const Record& record) {
    return std::any_of(record.attributes.begin(), record.attributes.end(), [](const auto& one) {
        return one.key.starts_with("gen_ai.") || one.key.starts_with("llm.");
    });
}

std::optional<Said> read_record(const Record& record, const Source& source, Signal signal) {
    const std::string_view service = value_of(source.attributes, "service.name");
    const KnownAgent* const known = known_agent(service);
    Said item;
    item.session = session_of(record, source, item.own_name);
    const bool traces = signal == Signal::kTraces;
    const bool by_trace =
        item.session.empty() && traces && kind_of(record.attributes) != SpanKind::kOther;
    if (by_trace) item.session = record.trace_id;
    if (item.session.empty()) return std::nullopt;
    item.agent = known != nullptr ? std::string{known->agent} : id_part(service);
    item.agent_version = value_of(source.attributes, "service.version");
    item.model = first_of(record.attributes, {"gen_ai.response.model", "gen_ai.request.model",
                                              "model", "llm.model_name"});
    item.usage.model = core::cut_text(item.model, core::limits::kStringBytesMax);
    item.sub_agent = sub_agent_of(record);
    item.at_ns = record.ended_ns;
    if (traces) {
        read_span(record, by_trace, item);
    } else {
        const std::string_view event = event_of(record, known);
        if (event.empty()) return std::nullopt;
        // Other services have errors and prompts too, and name the sessions of browsers.
        if (known == nullptr && !item.own_name && !names_model(record)) return std::nullopt;
        read_log(record, event, known, item);
    }
    item.by_trace = by_trace;
    // Other services name sessions too, those of browsers for example.
    const bool silent = item.kind == SaidKind::kAlive && !item.beyond;
    if (silent && known == nullptr && !item.own_name) return std::nullopt;
    if (item.kind != SaidKind::kAlive) {
        item.key = "otlp-" + core::to_hex(core::digest_of(key_of(record, item, signal)));
        if (item.kind == SaidKind::kUsage) item.key += "-use";
    }
    return item;
}

}  // namespace

std::vector<Said> understand(const Export& received, Signal signal) {
    std::vector<Said> all;
    for (const Source& source : received.sources) {
        for (const Record& record : source.records) {
            if (auto entry = read_record(record, source, signal)) all.push_back(*std::move(entry));
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Said& a, const Said& b) { return a.at_ns < b.at_ns; });
    return all;
}

}  // namespace headway::api::otlp
