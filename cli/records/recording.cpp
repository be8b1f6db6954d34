// SPDX-License-Identifier: Apache-2.0
#include "cli/records/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "api/decode/decode.hpp"
#include "api/records/decode_journal.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/lines/recorded_line.hpp"
#include "cli/records/file_stream.hpp"
#include "cli/records/recorded_event.hpp"

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

/// The event of an export's line as a report of it; nothing: it is not played. The session's
/// opening goes to `recording` and `open`.
std::optional<Json> replayed_event(Recording& recording, Json& open, const Json& line) {
    Json data = line["data"];
    const std::string& type = line.text_of("type");
    const bool ended_itself = data.flag_of("automatic");
    if (type == "session.started") {
        recording.opened = seconds_of(line);
        for (const char* name : {"goal", "agent", "parent", "labels", "policy"}) {
            copy_as_is(data, name, open, name);
        }
        join_kept_text(open);
    }
    if (ended_itself || !is_played(type)) return std::nullopt;
    name_digests(data, type);
    join_kept_text(data);
    const std::string id =
        has(line, "event_id") ? short_text(line["event_id"]) : "n" + dump(line["n"]);
    Json event = {{"type", type}, {"event_id", id}, {"data", std::move(data)}};
    copy_integer(line, "attempt", event, "attempt");
    return event;
}

core::Error bad_line(std::size_t number, const std::string& why) {
    return {core::ErrorCode::kInvalidJson, std::to_string(number) + ": " + why, {}};
}

/// Takes the lines of one recording, one after the other.
class RecordingReader {
public:
    explicit RecordingReader(ReadFor use) : use_(use) {}

    core::Result<> take(std::string_view text, std::size_t number) {
        if (text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
        if (auto parsed = document_.parse(text); !parsed) {
            // A line that a daemon refuses may still be JSON: keys that occur twice, many levels.
            const Json value = Json::parse(text).value_or(Json());
            if (!value.is_object()) return no_object(number);
            if (!document_.parse(dump(value)))
                return take_refused(text, value, parsed.error(), number);
        }
        if (document_.root().kind() != api::JsonKind::kObject) return no_object(number);
        line_.read(document_.root());
        const auto ack = line_.find("ack", api::JsonKind::kBoolean);
        if (ack && ack->boolean()) {
            acknowledge(number);
            return {};
        }
        const auto type = line_.find("type", api::JsonKind::kString);
        if (!type) return no_object(number);
        ++recording_.lines;
        if (type->text() == "session_start" || line_.find("n"))
            HEADWAY_CHECK(check_session(number));
        if (line_.find("n") && line_.find("data", api::JsonKind::kObject))
            return take_stored(text, number);
        other_lines_ = true;
        if (is_report(type->text())) return take_report(number);
        return take_agents_line(text, type->text(), number);
    }

    /// An export that is not whole after all: its events are needed as reports.
    bool misread() const { return use_ == ReadFor::kJudge && stored_lines_ > 0 && !whole_export(); }

    Recording finish() {
        recording_.whole_export = whole_export();
        recording_.open = dump(open_);
        return std::move(recording_);
    }

private:
    static core::Error no_object(std::size_t number) {
        return bad_line(number, "expected a JSON object with a \"type\"");
    }

    bool whole_export() const {
        return stored_lines_ > 0 && stored_lines_ == whole_ && !other_lines_;
    }

    void acknowledge(std::size_t number) {
        ++recording_.lines;
        RecordedEvent& recorded = recording_.events.emplace_back();
        recorded.line = number;
        recorded.acknowledges = true;
        other_lines_ = true;
    }

    /// JSON, but nothing that a daemon takes. Only a line that stands for an event has to be.
    core::Result<> take_refused(std::string_view text, const Json& value, const core::Error& why,
                                std::size_t number) {
        if (value.flag_of("ack")) {
            acknowledge(number);
            return {};
        }
        if (!value["type"].is_string()) return no_object(number);
        ++recording_.lines;
        other_lines_ = true;
        const std::string& type = value.text_of("type");
        core::EventType known{};
        if (type == "meta") {
            recording_.meta = text;
        } else if (type == "session_start") {
            add_start(recording_, open_, value);
        } else if (is_agents_event(type) || core::parse_name(type, known)) {
            return keep(why, std::nullopt, number);
        } else {
            ++recording_.skipped;
        }
        return {};
    }

    /// Two sessions in one file would be played as one that never was.
    core::Result<> check_session(std::size_t number) {
        const auto named = line_.find("session");
        if (!named) return {};
        const std::string session = short_text(*named);
        if (of_.empty()) of_ = session;
        if (session == of_) return {};
        return bad_line(number, "it is of session " + session + ", and the lines before of " + of_ +
                                    "; each session needs a file of its own");
    }

    core::Result<> take_stored(std::string_view text, std::size_t number) {
        const api::JsonValue n = *line_.find("n");
        const bool next =
            n.kind() == api::JsonKind::kUnsigned && n.unsigned_integer() == whole_ + 1;
        if (next && whole_ == stored_lines_) {
            ++whole_;
        } else if (recording_.gap.empty()) {
            const std::string before =
                stored_lines_ == 0 ? "it begins" : "line " + std::to_string(number) + " goes on";
            recording_.gap = before + " with event " + short_text(n) + " where " +
                             std::to_string(whole_ + 1) + " is due";
        }
        ++stored_lines_;
        if (const auto session = line_.find("session")) recording_.session = short_text(*session);
        if (use_ == ReadFor::kJudge) {
            recording_.journal.push_back({api::decode_stored_event_of(document_), number});
            return {};
        }
        Json line = Json::parse(text).value_or(Json());
        drop_nul(line);
        const auto event = replayed_event(recording_, open_, line);
        if (!event) {
            ++recording_.skipped;
            return {};
        }
        return keep(event_document_.parse(dump(*event)), seconds_of(line), number);
    }

    /// An element of the body of POST /v1/sessions/{id}/events.
    bool is_report(std::string_view type) const {
        core::EventType known{};
        return line_.find("data", api::JsonKind::kObject) && !line_.find("n") &&
               core::parse_name(type, known) && core::reportable(known);
    }

    core::Result<> take_report(std::size_t number) {
        const auto id = line_.find("event_id");
        api::DocumentWriter event(event_document_);
        event.copy("type", *line_.find("type"));
        event.text("event_id", id ? short_text(*id) : std::to_string(number));
        event.copy("data", *line_.find("data"));
        return keep(event.finish(), std::nullopt, number);
    }

    core::Result<> take_agents_line(std::string_view text, std::string_view type,
                                    std::size_t number) {
        if (type == "session_start") {
            add_start(recording_, open_, Json::parse(text).value_or(Json()));
            return {};
        }
        if (type == "meta") {
            recording_.meta = text;
            return {};
        }
        const auto seq = line_.find("seq");
        const bool numbered = seq && (seq->kind() == api::JsonKind::kUnsigned ||
                                      seq->kind() == api::JsonKind::kNegative);
        const std::string id = numbered ? short_text(*seq) : std::to_string(number);
        const auto written = write_event(line_, id, event_document_);
        if (written) return keep(*written, line_.number_of("ts"), number);
        ++recording_.skipped;
        return {};
    }

    /// The event on the second document, if it could be `written`.
    core::Result<> keep(const core::Result<>& written, std::optional<double> seconds,
                        std::size_t number) {
        if (!written && use_ == ReadFor::kPlay) return bad_line(number, written.error().detail);
        RecordedEvent& recorded = recording_.events.emplace_back();
        recorded.line = number;
        recorded.seconds = seconds;
        if (!written) {
            recorded.event = written.error();
        } else if (use_ == ReadFor::kPlay) {
            event_document_.root().append_to(recorded.text);
        } else {
            recorded.event = api::decode_event_of(event_document_);
        }
        return {};
    }

    ReadFor use_;
    Recording recording_;
    Json open_ = Json::object();
    std::string of_;  ///< whose lines they are
    std::size_t stored_lines_ = 0;
    std::size_t whole_ = 0;  ///< of them from the first on without a gap
    bool other_lines_ = false;
    api::JsonDocument document_;        ///< the line
    api::JsonDocument event_document_;  ///< what it stands for
    LineMembers line_;
};

std::string whole_text(std::istream& lines) {
    constexpr std::size_t kPieceBytes = 16 * 1024;  // as long as most
    std::string text;
    std::size_t read = 0;
    do {
        text.resize(read + std::max(kPieceBytes, read));
        lines.read(text.data() + read, static_cast<std::streamsize>(text.size() - read));
        read += static_cast<std::size_t>(lines.gcount());
    } while (lines);
    text.resize(read);
    return text;
}

core::Result<> read_lines(RecordingReader& reader, std::string_view text) {
    for (std::size_t number = 1; !text.empty() && !reader.misread(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        HEADWAY_CHECK(reader.take(line, number));
    }
    return {};
}

}  // namespace

core::Result<Recording> read_recording_file(const std::string& file, ReadFor use) {
    FileStream stream(file);
    return read_recording_file(stream, file, use);
}

core::Result<Recording> read_recording_file(FileStream& stream, const std::string& file,
                                            ReadFor use) {
    const auto unread = [&](const std::string& why) {
        return core::Error{core::ErrorCode::kBadRequest, file + ": " + why, {}};
    };
    if (stream.why() == "is a folder")
        return unread("is a folder; name its files, as in FOLDER/*.jsonl");
    if (!stream) return unread(stream.why());
    core::Result<Recording> recording = read_recording(stream, use);
    if (stream.bad()) return unread("cannot be read");
    if (!recording) {
        const core::Error error = std::move(recording).error();
        return core::Error{error.code, file + ":" + error.detail, error.field};
    }
    if (recording->lines == 0) return unread("is empty");
    const bool known = recording->skipped < recording->lines || recording->whole_export;
    if (recording->events.empty() && !known)
        return unread("none of its lines is one of a recording or an export");
    return recording;
}

core::Result<Recording> read_recording(std::istream& lines, ReadFor use) {
    const std::string text = whole_text(lines);
    RecordingReader reader(use);
    HEADWAY_CHECK(read_lines(reader, text));
    if (!reader.misread()) return reader.finish();
    RecordingReader again(ReadFor::kJudgeAgain);
    HEADWAY_CHECK(read_lines(again, text));
    return again.finish();
}

std::string recorded_id(const std::string& suggested, const std::string& file) {
    const std::string stem = std::filesystem::path(file).stem().string();
    return session_id_of(suggested.empty() ? stem : suggested);
}

}  // namespace headway::cli
