// SPDX-License-Identifier: Apache-2.0
#include "cli/records/recorded_event.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "cli/base/text.hpp"
#include "cli/lines/recorded_line.hpp"

namespace headway::cli {
namespace {

using api::DocumentWriter;
using api::JsonKind;
using api::JsonValue;

bool is_integer(JsonValue value) {
    return value.kind() == JsonKind::kUnsigned || value.kind() == JsonKind::kNegative;
}

bool is_number(JsonValue value) {
    return is_integer(value) || value.kind() == JsonKind::kNumber;
}

void write_short(DocumentWriter& data, std::string_view name, JsonValue value) {
    if (value.kind() != JsonKind::kString) return data.text(name, short_text(value));
    data.text(name, cut_bytes(value.text(), kShortTextBytesMax));
}

// Copy a member if it is there, the last two if it is an integer or a number.

void copy_short(const LineMembers& line, std::string_view from, DocumentWriter& data,
                std::string_view to) {
    if (const auto value = line.find(from)) write_short(data, to, *value);
}

void copy_whole(const LineMembers& line, std::string_view name, DocumentWriter& data) {
    if (const auto value = line.find(name)) data.copy(name, *value);
}

void copy_whole_number(const LineMembers& line, std::string_view from, DocumentWriter& data,
                       std::string_view to) {
    if (const auto value = line.find(from); value && is_integer(*value)) data.copy(to, *value);
}

bool says_cut_text(std::string_view text) {
    return text.find("chars cut]") != std::string_view::npos;
}

// Recordings cut long texts and say so in their middle.
bool says_cut_value(JsonValue value) {
    if (value.kind() == JsonKind::kString) return says_cut_text(value.text());
    if (value.kind() != JsonKind::kArray && value.kind() != JsonKind::kObject) return false;
    return !value.each(
        [](JsonValue child) { return !says_cut_text(child.key()) && !says_cut_value(child); });
}

bool recorded_result_is_cut(const LineMembers& line) {
    const auto result = line.find("result");
    if (result && says_cut_value(*result)) return true;
    const auto length = line.find("result_len");
    if (!length || !is_integer(*length)) return false;
    if (result && result->kind() != JsonKind::kString) return false;
    const std::string_view text = result ? result->text() : std::string_view{};
    const auto kept = std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // characters of UTF-8
    });
    return length->number() > static_cast<double>(kept);
}

// A digest stands for text that we do not have. Where all of it is here, the daemon's own canonical
// form knows better what is equal.
void write_digests(const LineMembers& line, DocumentWriter& data) {
    if (const auto args = line.find("args"); args && says_cut_value(*args))
        copy_short(line, "args_hash", data, "args_digest");
    if (!recorded_result_is_cut(line)) return;
    const char* const masked = line.find("result_nhash") ? "result_nhash" : "result_hash";
    copy_short(line, masked, data, "result_digest");
}

void write_tool_finished(const LineMembers& line, DocumentWriter& data) {
    if (const auto tool = line.find("tool")) {
        write_short(data, "tool", *tool);
    } else {
        data.text("tool", "unknown");
    }
    copy_whole(line, "args", data);
    copy_short(line, "target", data, "target");
    if (const auto ok = line.find("ok", JsonKind::kBoolean)) data.boolean("ok", ok->boolean());
    if (const auto error = line.find("error")) {
        data.begin_object("error");
        data.text("class", "error");
        write_short(data, "message", *error);
        data.end_object();
    }
    copy_whole(line, "result", data);
    write_digests(line, data);
    if (const auto duration = line.number_of("duration")) {
        const double ms = *duration * 1'000.0;
        if (ms >= 0 && ms < 9e15)
            data.count("duration_ms", static_cast<std::uint64_t>(std::llround(ms)));
    }
    copy_whole_number(line, "round", data, "round");
    copy_short(line, "origin", data, "origin");
}

void write_message(const LineMembers& line, DocumentWriter& data) {
    copy_short(line, "role", data, "role");
    if (const auto text = line.find("text")) {
        std::string json;
        const bool is_text = text->kind() == JsonKind::kString;
        if (!is_text) text->append_to(json);
        data.text("text", is_text ? text->text() : std::string_view{json});
    }
    copy_short(line, "text_hash", data, "digest");
}

void write_test_result(const LineMembers& line, DocumentWriter& data) {
    for (const char* name : {"passed", "failed", "errors"})
        copy_whole_number(line, name, data, name);
    if (line.find("failures", JsonKind::kArray)) copy_whole(line, "failures", data);
    copy_short(line, "command", data, "command");
}

void write_phase_started(const LineMembers& line, DocumentWriter& data) {
    const auto phase = line.find("phase");
    const auto name = phase ? phase : line.find("name");
    if (name) {
        write_short(data, "name", *name);
    } else {
        data.text("name", "unnamed");
    }
    copy_whole_number(line, "number", data, "number");
}

// Frameworks that know no other word for it say that they shortened their context as a phase.
bool says_compaction(const LineMembers& line) {
    std::string name{line.text_of("phase")};
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("condensation") != std::string::npos ||
           name.find("compact") != std::string::npos;
}

void write_compacted(const LineMembers& line, DocumentWriter& data) {
    copy_short(line, "phase", data, "trigger");
}

void write_progress_estimated(const LineMembers& line, DocumentWriter& data) {
    const bool percent = line.number_of("percent").has_value();
    const char* const text = percent ? "percent" : "progress";
    if (line.number_of(text)) {
        data.copy("percent", *line.find(text));
    } else {
        data.count("percent", 0);
    }
    copy_whole(line, "reasoning", data);
    copy_short(line, "next_milestone", data, "next_milestone");
    copy_whole(line, "blockers", data);
}

void write_heartbeat(const LineMembers& line, DocumentWriter& data) {
    copy_short(line, "phase", data, "phase");
    copy_short(line, "note", data, "note");
    copy_whole_number(line, "iteration", data, "iteration");
    copy_whole(line, "in_flight", data);
}

void write_session_ended(const LineMembers& line, DocumentWriter& data) {
    const bool success = line.text_of("outcome") == "success";
    data.text("outcome", success ? "completed" : "failed");
    copy_short(line, "exit_status", data, "reason");
}

struct LineMapping {
    const char* line_type;
    const char* event_type;
    void (*write)(const LineMembers& line, DocumentWriter& data);
};

constexpr LineMapping kCompactedLine{"phase", "compacted", write_compacted};
constexpr std::array<LineMapping, 7> kLineMappings{{
    {"tool_call", "tool.finished", write_tool_finished},
    {"message", "message", write_message},
    {"test_result", "test.result", write_test_result},
    {"phase", "phase.started", write_phase_started},
    {"progress", "progress.estimated", write_progress_estimated},
    {"heartbeat", "heartbeat", write_heartbeat},
    {"end", "session.ended", write_session_ended},
}};

}  // namespace

void LineMembers::read(JsonValue object) {
    members_.clear();
    object.each([this](JsonValue member) {
        if (member.kind() != JsonKind::kNull) members_.push_back({member.key(), member});
        return members_.size() < kMax;
    });
}

std::optional<JsonValue> LineMembers::find(std::string_view name) const {
    for (const Member& member : members_)
        if (member.name == name) return member.value;
    return std::nullopt;
}

std::optional<JsonValue> LineMembers::find(std::string_view name, JsonKind kind) const {
    const auto found = find(name);
    return found && found->kind() == kind ? found : std::nullopt;
}

std::string_view LineMembers::text_of(std::string_view name) const {
    const auto found = find(name, JsonKind::kString);
    return found ? found->text() : std::string_view{};
}

std::optional<double> LineMembers::number_of(std::string_view name) const {
    const auto found = find(name);
    if (!found || !is_number(*found)) return std::nullopt;
    return found->number();
}

std::string short_text(JsonValue value) {
    if (value.kind() == JsonKind::kString)
        return std::string(cut_bytes(value.text(), kShortTextBytesMax));
    std::string json;
    value.append_to(json);
    return std::string(cut_bytes(json, kShortTextBytesMax));
}

bool is_agents_event(std::string_view line_type) {
    return std::any_of(kLineMappings.begin(), kLineMappings.end(),
                       [&](const LineMapping& m) { return line_type == m.line_type; });
}

std::optional<core::Result<>> write_event(const LineMembers& line, std::string_view id,
                                          api::JsonDocument& to) {
    const std::string_view type = line.text_of("type");
    const auto* const named =
        std::find_if(kLineMappings.begin(), kLineMappings.end(),
                     [&](const LineMapping& m) { return type == m.line_type; });
    if (named == kLineMappings.end()) return std::nullopt;
    const bool compaction = type == kCompactedLine.line_type && says_compaction(line);
    const LineMapping& mapping = compaction ? kCompactedLine : *named;
    DocumentWriter event(to);
    event.text("type", mapping.event_type);
    event.text("event_id", id);
    event.begin_object("data");
    mapping.write(line, event);
    event.end_object();
    return event.finish();
}

}  // namespace headway::cli
