#include "cli/recording.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/daemon.hpp"
#include "cli/text.hpp"

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kStringBytesMax = 512;  // "string" of API.md

// NUL is refused by the daemon, and recordings of shells hold some.
void drop_nul(json& value) {
    if (value.is_string()) {
        auto& text = value.get_ref<std::string&>();
        std::erase(text, '\0');
    } else if (value.is_structured()) {
        for (json& child : value)
            drop_nul(child);
    }
}

bool has(const json& line, const char* name) {
    const auto found = line.find(name);
    return found != line.end() && !found->is_null();
}

std::string short_text(const json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    return std::string(cut_bytes(text, kStringBytesMax));
}

void copy_string(const json& line, const char* from, json& data, const char* to) {
    if (has(line, from)) data[to] = short_text(line[from]);
}

void copy_as_is(const json& line, const char* from, json& data, const char* to) {
    if (has(line, from)) data[to] = line[from];
}

void copy_integer(const json& line, const char* from, json& data, const char* to) {
    if (has(line, from) && line[from].is_number_integer()) data[to] = line[from];
}

void copy_number(const json& line, const char* from, json& data, const char* to) {
    if (has(line, from) && line[from].is_number()) data[to] = line[from];
}

json tool_finished(const json& line) {
    json data = json::object();
    data["tool"] = has(line, "tool") ? short_text(line["tool"]) : "unknown";
    copy_as_is(line, "args", data, "args");
    copy_string(line, "target", data, "target");
    if (has(line, "ok") && line["ok"].is_boolean()) data["ok"] = line["ok"];
    if (has(line, "error")) {
        data["error"] = {{"class", "error"}, {"message", short_text(line["error"])}};
    }
    copy_as_is(line, "result", data, "result");
    copy_string(line, "args_hash", data, "args_digest");
    copy_string(line, "result_hash", data, "result_digest");
    if (has(line, "duration") && line["duration"].is_number()) {
        const double ms = line["duration"].get<double>() * 1'000.0;
        if (ms >= 0 && ms < 9e15) data["duration_ms"] = std::llround(ms);
    }
    copy_integer(line, "round", data, "round");
    copy_string(line, "origin", data, "origin");
    return data;
}

json message(const json& line) {
    json data = json::object();
    copy_string(line, "role", data, "role");
    if (has(line, "text")) {
        data["text"] = line["text"].is_string() ? line["text"] : json(line["text"].dump());
    }
    copy_string(line, "text_hash", data, "digest");
    return data;
}

json test_result(const json& line) {
    json data = json::object();
    for (const char* name : {"passed", "failed", "errors"})
        copy_integer(line, name, data, name);
    if (has(line, "failures") && line["failures"].is_array()) data["failures"] = line["failures"];
    copy_string(line, "command", data, "command");
    return data;
}

json phase_started(const json& line) {
    json data = json::object();
    const char* const name = has(line, "phase") ? "phase" : "name";
    data["name"] = has(line, name) ? short_text(line[name]) : "unnamed";
    copy_integer(line, "number", data, "number");
    return data;
}

json progress_estimated(const json& line) {
    json data = json::object();
    data["percent"] = 0;
    copy_number(line, "progress", data, "percent");
    copy_number(line, "percent", data, "percent");
    copy_as_is(line, "reasoning", data, "reasoning");
    copy_string(line, "next_milestone", data, "next_milestone");
    copy_as_is(line, "blockers", data, "blockers");
    return data;
}

json heartbeat(const json& line) {
    json data = json::object();
    copy_string(line, "phase", data, "phase");
    copy_string(line, "note", data, "note");
    copy_integer(line, "iteration", data, "iteration");
    copy_as_is(line, "in_flight", data, "in_flight");
    return data;
}

json session_ended(const json& line) {
    const bool success = has(line, "outcome") && line["outcome"] == "success";
    json data = {{"outcome", success ? "completed" : "failed"}};
    copy_string(line, "exit_status", data, "reason");
    return data;
}

struct Mapping {
    const char* line_type;
    const char* event_type;
    json (*data)(const json& line);
};

constexpr std::array<Mapping, 7> kMappings{{
    {"tool_call", "tool.finished", tool_finished},
    {"message", "message", message},
    {"test_result", "test.result", test_result},
    {"phase", "phase.started", phase_started},
    {"progress", "progress.estimated", progress_estimated},
    {"heartbeat", "heartbeat", heartbeat},
    {"end", "session.ended", session_ended},
}};

void add_agent_line(Recording& recording, json& open, const json& line, const std::string& type,
                    std::size_t number) {
    if (type == "session_start") {
        if (has(line, "session")) recording.session = short_text(line["session"]);
        if (has(line, "source") && !recording.session.empty()) {
            recording.session = short_text(line["source"]) + ":" + recording.session;
        }
        json agent = json::object();
        copy_string(line, "agent", agent, "name");
        copy_string(line, "model", agent, "model");
        if (!agent.empty()) open["agent"] = std::move(agent);
        copy_as_is(line, "task", open, "goal");
        return;
    }
    for (const Mapping& mapping : kMappings) {
        if (type != mapping.line_type) continue;
        const bool numbered = has(line, "seq") && line["seq"].is_number_integer();
        const std::string id = numbered ? line["seq"].dump() : std::to_string(number);
        RecordedEvent recorded;
        recorded.event =
            dump({{"type", mapping.event_type}, {"event_id", id}, {"data", mapping.data(line)}});
        if (has(line, "ts") && line["ts"].is_number()) recorded.seconds = line["ts"].get<double>();
        recording.events.push_back(std::move(recorded));
        return;
    }
    ++recording.skipped;
}

bool is_kept_text(const json& value) {
    return value.is_object() && value.contains("digest") && value.contains("head") &&
           value["head"].is_string() && value.contains("tail") && value["tail"].is_string();
}

// The daemon keeps long text as {"head","tail","bytes","digest"}; where it takes only text, play
// what was kept.
void join_kept_text(json& data) {
    for (const auto& [name, value] : data.items()) {
        if (name == "args" || name == "result" || !is_kept_text(value)) continue;  // any JSON there
        value = value["head"].get<std::string>() + "\n[...]\n" + value["tail"].get<std::string>();
    }
}

void add_journal_line(Recording& recording, json& open, const json& line, const std::string& type) {
    static constexpr std::array<std::string_view, 5> kNotPlayed{
        "session.started", "session.cancel_requested", "directive.issued",
        "directive.acknowledged",  // of directives that this daemon did not issue
        "verdict.changed"};
    json data = line["data"];
    if (has(line, "session")) recording.session = short_text(line["session"]);
    if (type == "session.started") {
        for (const char* name : {"goal", "agent", "parent", "labels", "policy"}) {
            copy_as_is(data, name, open, name);
        }
        join_kept_text(open);
    }
    for (const std::string_view name : kNotPlayed) {
        if (type != name) continue;
        ++recording.skipped;
        return;
    }
    join_kept_text(data);
    const std::string id =
        has(line, "event_id") ? short_text(line["event_id"]) : "n" + line["n"].dump();
    RecordedEvent recorded;
    json event = {{"type", type}, {"event_id", id}, {"data", std::move(data)}};
    copy_integer(line, "attempt", event, "attempt");
    recorded.event = dump(event);
    if (has(line, "at")) {
        if (const auto at = parse_time(short_text(line["at"]))) {
            recorded.seconds = static_cast<double>(at->time_since_epoch().count()) / 1'000.0;
        }
    }
    recording.events.push_back(std::move(recorded));
}

}  // namespace

core::Result<Recording> read_recording(std::istream& lines) {
    Recording recording;
    json open = json::object();
    std::string text;
    for (std::size_t number = 1; std::getline(lines, text); ++number) {
        if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
        json line = json::parse(text, nullptr, false);
        if (!line.is_object() || !has(line, "type") || !line["type"].is_string()) {
            return core::Error{
                core::ErrorCode::kInvalidJson,
                "line " + std::to_string(number) + ": expected a JSON object with a \"type\"",
                {}};
        }
        drop_nul(line);
        const std::string type = line["type"];
        const bool journal = has(line, "n") && has(line, "data") && line["data"].is_object();
        if (journal) {
            add_journal_line(recording, open, line, type);
        } else {
            add_agent_line(recording, open, line, type, number);
        }
    }
    recording.open = dump(open);
    return recording;
}

}  // namespace headway::cli
