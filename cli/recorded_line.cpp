// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "cli/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kStringBytesMax = 512;  // "string" of API.md

}  // namespace

// NUL is refused by the daemon, and recordings of shells hold some.
void drop_nul(Json& value) {
    if (value.text().find('\0') != std::string::npos) {
        std::string text = value.text();
        std::erase(text, '\0');
        value = std::move(text);
    } else if (value.is_array()) {
        for (Json& element : value.list())
            drop_nul(element);
    } else if (value.is_object()) {
        for (auto& [name, member] : value.members())
            drop_nul(member);
    }
}

bool has(const Json& line, const char* name) {
    return !line[name].is_null();
}

std::string short_text(const Json& value) {
    const std::string text = value.is_string() ? value.text() : dump(value);
    return std::string(cut_bytes(text, kStringBytesMax));
}

void copy_string(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from)) data[to] = short_text(line[from]);
}

void copy_as_is(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from)) data[to] = line[from];
}

void copy_integer(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from) && line[from].is_integer()) data[to] = line[from];
}

namespace {

void copy_number(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from) && line[from].is_number()) data[to] = line[from];
}

bool says_cut(std::string_view text) {
    return text.find("chars cut]") != std::string_view::npos;
}

// Recordings cut long texts and say so in their middle.
bool says_cut(const Json& value) {
    const auto element_says = [](const Json& element) { return says_cut(element); };
    const auto member_says = [](const auto& member) {
        return says_cut(std::string_view(member.first)) || says_cut(member.second);
    };
    return says_cut(std::string_view(value.text())) ||
           std::any_of(value.begin(), value.end(), element_says) ||
           std::any_of(value.members().begin(), value.members().end(), member_says);
}

bool result_is_cut(const Json& line) {
    const Json& result = line["result"];
    if (says_cut(result)) return true;
    const bool counted = has(line, "result_len") && line["result_len"].is_integer();
    if (!counted || !(result.is_string() || result.is_null())) return false;
    const auto kept = static_cast<std::int64_t>(width_of(result.text()));
    return line["result_len"].integer() > kept;
}

// A digest stands for text that we do not have. Where all of it is here, the daemon's own canonical
// form knows better what is equal.
void add_digests(const Json& line, Json& data) {
    if (has(line, "args") && says_cut(line["args"])) {
        copy_string(line, "args_hash", data, "args_digest");
    }
    if (!result_is_cut(line)) return;
    const char* const masked = has(line, "result_nhash") ? "result_nhash" : "result_hash";
    copy_string(line, masked, data, "result_digest");
}

Json tool_finished(const Json& line) {
    Json data = Json::object();
    data["tool"] = has(line, "tool") ? short_text(line["tool"]) : "unknown";
    copy_as_is(line, "args", data, "args");
    copy_string(line, "target", data, "target");
    if (has(line, "ok") && line["ok"].is_boolean()) data["ok"] = line["ok"];
    if (has(line, "error")) {
        data["error"] = {{"class", "error"}, {"message", short_text(line["error"])}};
    }
    copy_as_is(line, "result", data, "result");
    add_digests(line, data);
    if (has(line, "duration") && line["duration"].is_number()) {
        const double ms = line["duration"].number() * 1'000.0;
        if (ms >= 0 && ms < 9e15) data["duration_ms"] = std::llround(ms);
    }
    copy_integer(line, "round", data, "round");
    copy_string(line, "origin", data, "origin");
    return data;
}

Json message(const Json& line) {
    Json data = Json::object();
    copy_string(line, "role", data, "role");
    if (has(line, "text")) {
        data["text"] = line["text"].is_string() ? line["text"] : Json(dump(line["text"]));
    }
    copy_string(line, "text_hash", data, "digest");
    return data;
}

Json test_result(const Json& line) {
    Json data = Json::object();
    for (const char* name : {"passed", "failed", "errors"})
        copy_integer(line, name, data, name);
    if (has(line, "failures") && line["failures"].is_array()) data["failures"] = line["failures"];
    copy_string(line, "command", data, "command");
    return data;
}

Json phase_started(const Json& line) {
    Json data = Json::object();
    const char* const name = has(line, "phase") ? "phase" : "name";
    data["name"] = has(line, name) ? short_text(line[name]) : "unnamed";
    copy_integer(line, "number", data, "number");
    return data;
}

// Frameworks that know no other word for it say that they shortened their context as a phase.
bool is_compaction(const Json& line) {
    if (!has(line, "phase") || !line["phase"].is_string()) return false;
    std::string name = line.text_of("phase");
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("condensation") != std::string::npos ||
           name.find("compact") != std::string::npos;
}

Json compacted(const Json& line) {
    Json data = Json::object();
    copy_string(line, "phase", data, "trigger");
    return data;
}

Json progress_estimated(const Json& line) {
    Json data = Json::object();
    data["percent"] = 0;
    copy_number(line, "progress", data, "percent");
    copy_number(line, "percent", data, "percent");
    copy_as_is(line, "reasoning", data, "reasoning");
    copy_string(line, "next_milestone", data, "next_milestone");
    copy_as_is(line, "blockers", data, "blockers");
    return data;
}

Json heartbeat(const Json& line) {
    Json data = Json::object();
    copy_string(line, "phase", data, "phase");
    copy_string(line, "note", data, "note");
    copy_integer(line, "iteration", data, "iteration");
    copy_as_is(line, "in_flight", data, "in_flight");
    return data;
}

Json session_ended(const Json& line) {
    const bool success = has(line, "outcome") && line["outcome"] == "success";
    Json data = {{"outcome", success ? "completed" : "failed"}};
    copy_string(line, "exit_status", data, "reason");
    return data;
}

struct Mapping {
    const char* line_type;
    const char* event_type;
    Json (*data)(const Json& line);
};

constexpr Mapping kCompaction{"phase", "compacted", compacted};
constexpr std::array<Mapping, 7> kMappings{{
    {"tool_call", "tool.finished", tool_finished},
    {"message", "message", message},
    {"test_result", "test.result", test_result},
    {"phase", "phase.started", phase_started},
    {"progress", "progress.estimated", progress_estimated},
    {"heartbeat", "heartbeat", heartbeat},
    {"end", "session.ended", session_ended},
}};

}  // namespace

std::optional<AgentEvent> event_of(const std::string& type, const Json& line) {
    const auto* const named = std::find_if(kMappings.begin(), kMappings.end(),
                                           [&](const Mapping& m) { return type == m.line_type; });
    if (named == kMappings.end()) return std::nullopt;
    const Mapping& mapping = type == "phase" && is_compaction(line) ? kCompaction : *named;
    AgentEvent event{mapping.event_type, mapping.data(line)};
    drop_nul(event.data);  // not before: result_len counts them
    return event;
}

}  // namespace headway::cli
