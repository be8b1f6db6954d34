// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.hpp"

#include <filesystem>
#include <fstream>

#include "cli/daemon.hpp"
#include "cli/ids.hpp"
#include "cli/json.hpp"
#include "cli/recorded_line.hpp"
#include "cli/text.hpp"
#include "core/event.hpp"

namespace headway::cli {
namespace {

void add_start(Recording& recording, Json& open, const Json& line) {
    if (has(line, "session")) recording.session = short_text(line["session"]);
    if (has(line, "source") && !recording.session.empty()) {
        recording.session = short_text(line["source"]) + ":" + recording.session;
    }
    if (has(line, "ts") && line["ts"].is_number()) recording.opened = line["ts"].number();
    Json agent = Json::object();
    copy_string(line, "agent", agent, "name");
    copy_string(line, "model", agent, "model");
    if (!agent.empty()) open["agent"] = std::move(agent);
    copy_as_is(line, "task", open, "goal");
    drop_nul(open);
}

void add_agent_line(Recording& recording, Json& open, const Json& line, const std::string& type,
                    std::size_t number) {
    if (type == "session_start") return add_start(recording, open, line);
    if (type == "meta") {
        recording.meta = dump(line);
        return;
    }
    std::optional<AgentEvent> event = event_of(type, line);
    if (!event) {
        ++recording.skipped;
        return;
    }
    const bool numbered = has(line, "seq") && line["seq"].is_integer();
    const std::string id = numbered ? dump(line["seq"]) : std::to_string(number);
    RecordedEvent recorded;
    recorded.line = number;
    recorded.event =
        dump({{"type", event->type}, {"event_id", id}, {"data", std::move(event->data)}});
    if (has(line, "ts") && line["ts"].is_number()) recorded.seconds = line["ts"].number();
    recording.events.push_back(std::move(recorded));
}

bool is_kept_text(const Json& value) {
    return value.is_object() && value.contains("digest") && value.contains("head") &&
           value["head"].is_string() && value.contains("tail") && value["tail"].is_string();
}

std::string joined(const Json& kept) {
    return kept.text_of("head") + "\n[...]\n" + kept.text_of("tail");
}

// The daemon keeps long text as {"head","tail","bytes","digest"}; where it takes only text, play
// what was kept.
void join_kept_text(Json& data, int depth = 0) {
    constexpr int kDepthMax = 4;  // of what is described; deeper there is only JSON of the agent
    for (auto& [name, value] : data.members()) {
        if (name == "args" || name == "result") continue;  // any JSON there
        if (is_kept_text(value)) value = joined(value);
        if (value.is_object() && depth < kDepthMax) join_kept_text(value, depth + 1);
    }
}

// Two texts with one head and tail may differ between them: their digests tell.
void name_digests(Json& data, const std::string& type) {
    const auto name_digest = [&data](const char* of, const char* digest) {
        if (data.contains(of) && is_kept_text(data[of]) && !data.contains(digest))
            data[digest] = data[of]["digest"];
    };
    const bool finished = type == "tool.finished";
    if (finished || type == "tool.started") name_digest("args", "args_digest");
    if (finished) name_digest("result", "result_digest");
    if (type == "message") name_digest("text", "digest");
}

std::optional<double> seconds_of(const Json& line) {
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

void add_journal_line(Recording& recording, Json& open, const Json& line, const std::string& type,
                      std::size_t number) {
    Json data = line["data"];
    const bool ended_itself = data.flag_of("automatic");
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
        has(line, "event_id") ? short_text(line["event_id"]) : "n" + dump(line["n"]);
    RecordedEvent recorded;
    recorded.line = number;
    recorded.seconds = seconds_of(line);
    Json event = {{"type", type}, {"event_id", id}, {"data", std::move(data)}};
    copy_integer(line, "attempt", event, "attempt");
    recorded.event = dump(event);
    recording.events.push_back(std::move(recorded));
}

/// An element of the body of POST /v1/sessions/{id}/events.
bool is_report(const Json& line) {
    core::EventType type{};
    return has(line, "data") && line["data"].is_object() && !has(line, "n") &&
           core::parse_name(line.text_of("type"), type) && core::reportable(type);
}

void add_report(Recording& recording, Json line, std::size_t number) {
    drop_nul(line);
    RecordedEvent recorded;
    recorded.line = number;
    Json event = {{"type", line["type"]}, {"data", std::move(line["data"])}};
    event["event_id"] =
        has(line, "event_id") ? short_text(line["event_id"]) : std::to_string(number);
    recorded.event = dump(event);
    recording.events.push_back(std::move(recorded));
}

/// Two sessions in one file would be played as one that never was. `of` is what the lines before
/// are of.
std::optional<core::Error> other_session(std::string& of, const Json& line, std::size_t number) {
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

std::string gap_at(const Json& line, std::size_t lines, std::size_t whole, std::size_t number) {
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
    const bool known = recording->skipped < recording->lines || !recording->journal.empty();
    if (recording->events.empty() && !known)
        return unread("none of its lines is one of a recording or an export");
    return recording;
}

core::Result<Recording> read_recording(std::istream& lines) {
    Recording recording;
    Json open = Json::object();
    std::size_t journal_lines = 0;
    bool other_lines = false;
    std::string of;  // whose lines they are
    std::string text;
    for (std::size_t number = 1; std::getline(lines, text); ++number) {
        if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
        Json parsed = Json::parse(text).value_or(Json());
        const Json& line = parsed;
        if (line.is_object() && line.flag_of("ack")) {
            ++recording.lines;
            recording.events.push_back({{}, std::nullopt, number, true});
            other_lines = true;
            continue;
        }
        if (!line.is_object() || !has(line, "type") || !line["type"].is_string()) {
            return core::Error{core::ErrorCode::kInvalidJson,
                               std::to_string(number) + ": expected a JSON object with a \"type\"",
                               {}};
        }
        ++recording.lines;
        if (line["type"] == "session_start" || has(line, "n")) {
            if (const auto other = other_session(of, line, number)) return *other;
        }
        const std::string& type = line.text_of("type");
        const bool journal = has(line, "n") && has(line, "data") && line["data"].is_object();
        if (journal) {
            drop_nul(parsed);
            const bool next = line["n"] == recording.journal.size() + 1;
            if (next && recording.journal.size() == journal_lines) {
                recording.journal.push_back({text, number});
            } else if (recording.gap.empty()) {
                recording.gap = gap_at(line, journal_lines, recording.journal.size(), number);
            }
            ++journal_lines;
            add_journal_line(recording, open, line, type, number);
        } else {
            if (is_report(line)) {
                add_report(recording, line, number);
            } else {
                add_agent_line(recording, open, line, type, number);
            }
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
