// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/daemon.hpp"
#include "cli/ids.hpp"
#include "cli/text.hpp"
#include "core/event.hpp"

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

// Recordings cut long texts and say so in their middle.
bool says_cut(const json& value) {
    return dump(value).find("chars cut]") != std::string::npos;
}

bool result_is_cut(const json& line) {
    const json result = has(line, "result") ? line["result"] : json("");
    if (says_cut(result)) return true;
    const bool counted = has(line, "result_len") && line["result_len"].is_number_integer();
    if (!counted || !result.is_string()) return false;
    const auto kept = static_cast<std::int64_t>(width_of(result.get_ref<const std::string&>()));
    return line["result_len"].get<std::int64_t>() > kept;
}

// A digest stands for text that we do not have. Where all of it is here, the daemon's own canonical
// form knows better what is equal.
void add_digests(const json& line, json& data) {
    if (has(line, "args") && says_cut(line["args"])) {
        copy_string(line, "args_hash", data, "args_digest");
    }
    if (!result_is_cut(line)) return;
    const char* const masked = has(line, "result_nhash") ? "result_nhash" : "result_hash";
    copy_string(line, masked, data, "result_digest");
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
    add_digests(line, data);
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

// Frameworks that know no other word for it say that they shortened their context as a phase.
bool is_compaction(const json& line) {
    if (!has(line, "phase") || !line["phase"].is_string()) return false;
    std::string name = line["phase"];
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("condensation") != std::string::npos ||
           name.find("compact") != std::string::npos;
}

json compacted(const json& line) {
    json data = json::object();
    copy_string(line, "phase", data, "trigger");
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

void add_start(Recording& recording, json& open, const json& line) {
    if (has(line, "session")) recording.session = short_text(line["session"]);
    if (has(line, "source") && !recording.session.empty()) {
        recording.session = short_text(line["source"]) + ":" + recording.session;
    }
    if (has(line, "ts") && line["ts"].is_number()) recording.opened = line["ts"].get<double>();
    json agent = json::object();
    copy_string(line, "agent", agent, "name");
    copy_string(line, "model", agent, "model");
    if (!agent.empty()) open["agent"] = std::move(agent);
    copy_as_is(line, "task", open, "goal");
    drop_nul(open);
}

void add_agent_line(Recording& recording, json& open, const json& line, const std::string& type,
                    std::size_t number) {
    if (type == "session_start") return add_start(recording, open, line);
    if (type == "meta") {
        recording.meta = dump(line);
        return;
    }
    const auto* const named = std::find_if(kMappings.begin(), kMappings.end(),
                                           [&](const Mapping& m) { return type == m.line_type; });
    if (named == kMappings.end()) {
        ++recording.skipped;
        return;
    }
    const Mapping& mapping = type == "phase" && is_compaction(line) ? kCompaction : *named;
    json data = mapping.data(line);
    drop_nul(data);  // not before: result_len counts them
    const bool numbered = has(line, "seq") && line["seq"].is_number_integer();
    const std::string id = numbered ? line["seq"].dump() : std::to_string(number);
    RecordedEvent recorded;
    recorded.line = number;
    recorded.event =
        dump({{"type", mapping.event_type}, {"event_id", id}, {"data", std::move(data)}});
    if (has(line, "ts") && line["ts"].is_number()) recorded.seconds = line["ts"].get<double>();
    recording.events.push_back(std::move(recorded));
}

bool is_kept_text(const json& value) {
    return value.is_object() && value.contains("digest") && value.contains("head") &&
           value["head"].is_string() && value.contains("tail") && value["tail"].is_string();
}

std::string joined(const json& kept) {
    return kept["head"].get<std::string>() + "\n[...]\n" + kept["tail"].get<std::string>();
}

// The daemon keeps long text as {"head","tail","bytes","digest"}; where it takes only text, play
// what was kept.
void join_kept_text(json& data, int depth = 0) {
    constexpr int kDepthMax = 4;  // of what is described; deeper there is only JSON of the agent
    for (const auto& [name, value] : data.items()) {
        if (name == "args" || name == "result") continue;  // any JSON there
        if (is_kept_text(value)) value = joined(value);
        if (value.is_object() && depth < kDepthMax) join_kept_text(value, depth + 1);
    }
}

// Two texts with one head and tail may differ between them: their digests tell.
void name_digests(json& data, const std::string& type) {
    const auto name_digest = [&data](const char* of, const char* digest) {
        if (data.contains(of) && is_kept_text(data[of]) && !data.contains(digest))
            data[digest] = data[of]["digest"];
    };
    const bool finished = type == "tool.finished";
    if (finished || type == "tool.started") name_digest("args", "args_digest");
    if (finished) name_digest("result", "result_digest");
    if (type == "message") name_digest("text", "digest");
}

std::optional<double> seconds_of(const json& line) {
    if (!has(line, "at")) return std::nullopt;
    const auto at = parse_time(short_text(line["at"]));
    if (!at) return std::nullopt;
    return static_cast<double>(at->time_since_epoch().count()) / 1'000.0;
}

/// Headway writes its own events again, and knows nothing of directives that another daemon issued
/// or of people who could answer what the agent asked then.
bool is_played(std::string_view type) {
    core::EventType known{};
    if (type == core::name_of(core::EventType::kDirectiveAcknowledged)) return false;
    if (type == core::name_of(core::EventType::kApprovalRequested)) return false;
    return !core::parse_name(type, known) || core::reportable(known);
}

void add_journal_line(Recording& recording, json& open, const json& line, const std::string& type,
                      std::size_t number) {
    json data = line["data"];
    const bool ended_itself = has(data, "automatic") && data["automatic"] == true;
    if (has(line, "session")) recording.session = short_text(line["session"]);
    if (type == "session.started") {
        recording.opened = seconds_of(line);
        for (const char* name : {"goal", "agent", "parent", "labels", "policy"}) {
            copy_as_is(data, name, open, name);
        }
        join_kept_text(open);
    }
    if (ended_itself || !is_played(type)) {
        ++recording.skipped;
        return;
    }
    name_digests(data, type);
    join_kept_text(data);
    const std::string id =
        has(line, "event_id") ? short_text(line["event_id"]) : "n" + line["n"].dump();
    RecordedEvent recorded;
    recorded.line = number;
    recorded.seconds = seconds_of(line);
    json event = {{"type", type}, {"event_id", id}, {"data", std::move(data)}};
    copy_integer(line, "attempt", event, "attempt");
    recorded.event = dump(event);
    recording.events.push_back(std::move(recorded));
}

/// Two sessions in one file would be played as one that never was. `of` is what the lines before
/// are of.
std::optional<core::Error> other_session(std::string& of, const json& line, std::size_t number) {
    if (!has(line, "session")) return std::nullopt;
    const std::string session = short_text(line["session"]);
    if (of.empty()) of = session;
    if (session == of) return std::nullopt;
    return core::Error{core::ErrorCode::kInvalidJson,
                       std::to_string(number) + ": it is of session " + session +
                           ", and the lines before of " + of +
                           "; each session needs a file of its own",
                       {}};
}

std::string gap_at(const json& line, std::size_t lines, std::size_t whole, std::size_t number) {
    const std::string before =
        lines == 0 ? "it begins" : "line " + std::to_string(number) + " goes on";
    return before + " with event " + short_text(line["n"]) + " where " + std::to_string(whole + 1) +
           " is due";
}

}  // namespace

core::Result<Recording> read_recording_file(const std::string& file) {
    const auto unread = [&](const char* why) {
        return core::Error{core::ErrorCode::kBadRequest, file + ": " + why, {}};
    };
    std::error_code ec;
    if (std::filesystem::is_directory(file, ec))
        return unread("is a folder; name its files, as in FOLDER/*.jsonl");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return unread("cannot be read");
    core::Result<Recording> recording = read_recording(stream);
    if (!recording) {
        const core::Error error = std::move(recording).error();
        return core::Error{error.code, file + ":" + error.detail, error.field};
    }
    if (recording->lines == 0) return unread("is empty");
    return recording;
}

core::Result<Recording> read_recording(std::istream& lines) {
    Recording recording;
    json open = json::object();
    std::size_t journal_lines = 0;
    bool other_lines = false;
    std::string of;  // whose lines they are
    std::string text;
    for (std::size_t number = 1; std::getline(lines, text); ++number) {
        if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
        json line = json::parse(text, nullptr, false);
        if (!line.is_object() || !has(line, "type") || !line["type"].is_string()) {
            return core::Error{core::ErrorCode::kInvalidJson,
                               std::to_string(number) + ": expected a JSON object with a \"type\"",
                               {}};
        }
        ++recording.lines;
        if (line["type"] == "session_start" || has(line, "n")) {
            if (const auto other = other_session(of, line, number)) return *other;
        }
        const std::string type = line["type"];
        const bool journal = has(line, "n") && has(line, "data") && line["data"].is_object();
        if (journal) {
            drop_nul(line);
            const bool next = line["n"] == recording.journal.size() + 1;
            if (next && recording.journal.size() == journal_lines) {
                recording.journal.push_back({text, number});
            } else if (recording.gap.empty()) {
                recording.gap = gap_at(line, journal_lines, recording.journal.size(), number);
            }
            ++journal_lines;
            add_journal_line(recording, open, line, type, number);
        } else {
            add_agent_line(recording, open, line, type, number);
            other_lines = true;
        }
    }
    if (other_lines || recording.journal.size() != journal_lines) recording.journal.clear();
    recording.open = dump(open);
    return recording;
}

std::string recorded_id(const std::string& suggested, const std::string& file) {
    const std::string stem = std::filesystem::path(file).stem().string();
    return session_id_of(suggested.empty() ? stem : suggested);
}

}  // namespace headway::cli
