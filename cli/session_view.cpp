// SPDX-License-Identifier: Apache-2.0
#include "cli/session_view.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/event_line.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kNameWidth = 12;

// A member of an object, or null; never throws on what another daemon might send.
const json& at(const json& object, const char* name) {
    static const json null;
    if (!object.is_object()) return null;
    const auto found = object.find(name);
    return found == object.end() ? null : *found;
}

std::string text_at(const json& object, const char* name) {
    const json& value = at(object, name);
    return value.is_null() ? std::string() : plain_text(value);
}

std::string age_at(const json& object, const char* name, WallTime now) {
    const auto time = parse_time(text_at(object, name));
    if (!time) return "-";
    return human_duration(now - *time);
}

std::string ago_at(const json& object, const char* name, WallTime now) {
    const auto time = parse_time(text_at(object, name));
    if (!time) return {};
    return local_clock(*time) + " (" + human_duration(now - *time) + " ago)";
}

std::string agent_of(const json& session) {
    const json& agent = at(session, "agent");
    std::string line;
    for (const char* name : {"type", "name", "model"}) {
        const std::string part = text_at(agent, name);
        if (!part.empty()) line += (line.empty() ? "" : " / ") + part;
    }
    return line;
}

std::string labels_of(const json& session) {
    std::string line;
    const json& labels = at(session, "labels");
    if (!labels.is_object()) return line;
    for (const auto& [name, value] : labels.items()) {
        line += (line.empty() ? "" : " ") + clean_line(name) + "=" + plain_text(value);
    }
    return line;
}

std::string in_flight_of(const json& session, WallTime now) {
    std::string line;
    const json& calls = at(session, "in_flight");
    if (!calls.is_array()) return line;
    for (const json& call : calls) {
        line += (line.empty() ? "" : ", ") + text_at(call, "tool") + " " + text_at(call, "call_id");
        line += " for " + age_at(call, "since", now);
    }
    return line;
}

std::string resources_of(const json& session) {
    const json& resources = at(session, "resources");
    if (!resources.is_object()) return {};
    return event_summary("heartbeat", {{"resources", resources}});
}

std::string alarm_of(const json& alarm, WallTime now) {
    std::string line = alarm_words(text_at(alarm, "kind"));
    const std::string tool = text_at(alarm, "tool");
    if (!tool.empty()) line += ": " + tool;
    const std::string approval = text_at(alarm, "approval_id");
    if (!approval.empty()) line += ", " + approval;
    line += ", #" + text_at(alarm, "n") + ", " + age_at(alarm, "at", now) + " ago";
    const json& times = at(alarm, "times");
    if (times.is_number_unsigned() && times > 1U) line += ", " + times.dump() + " times";
    return line;
}

std::string estimate_of(const json& session) {
    const json& estimate = at(session, "estimate");
    const json& percent = at(estimate, "percent");
    if (!percent.is_number()) return {};
    std::string line = progress_bar_text(percent.get<double>());
    if (at(estimate, "is_stuck") == true) line += ", stalled";
    const std::string source = text_at(estimate, "source");
    if (!source.empty()) line += ", says the " + source;
    const std::string reasoning = text_at(estimate, "reasoning");
    return reasoning.empty() ? line : line + ": " + reasoning;
}

std::string blockers_of(const json& session) {
    std::string line;
    const json& blockers = at(at(session, "estimate"), "blockers");
    if (!blockers.is_array()) return line;
    for (const json& blocker : blockers)
        line += (line.empty() ? "" : "; ") + plain_text(blocker);
    return line;
}

std::string colored(const std::string& text, std::string_view color) {
    if (color.empty()) return text;
    return std::string(color) + text + std::string(kColorReset);
}

void add_detail(std::string& out, const char* name, const std::string& value) {
    if (value.empty()) return;
    out += pad(name, kNameWidth) + value + "\n";
}

}  // namespace

std::string alarm_words(std::string_view kind) {
    if (kind == "executed_though_rejected") return "ran although it was rejected";
    if (kind == "executed_unapproved") return "ran without the approval that it needs";
    if (kind == "started_after_rejection") return "was started although it was rejected";
    if (kind == "never_executed") return "was approved and never ran";
    return clean_line(kind);
}

std::string progress_bar_text(double percent) {
    constexpr int kCells = 10;
    const double share = std::clamp(percent, 0.0, 100.0);
    const int full = static_cast<int>(std::lround(share * kCells / 100));
    return "[" + std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(kCells - full), '.') + "] " +
           std::to_string(std::lround(share)) + "%";
}

std::string sessions_table(const json& sessions, WallTime now, std::size_t width, bool color) {
    const std::vector<Column> columns{{"SESSION", true}, {"VERDICT"},   {"ALIVE"},
                                      {"OPENED"},        {"CHANGED"},   {"EVENTS"},
                                      {"PHASE", true},   {"GOAL", true}};
    std::vector<std::vector<Cell>> rows;
    for (const json& session : sessions) {
        const std::string verdict = text_at(at(session, "verdict"), "status");
        const bool ended = !at(session, "ended_at").is_null();
        const std::string alive = at(session, "alive") == true ? "yes" : "no";
        const json& alarms = at(session, "alarms");
        const bool alarm = alarms.is_array() && !alarms.empty();
        const std::string_view tone = alarm ? kColorAlarm : verdict_color(verdict);
        rows.push_back({{text_at(session, "id"), {}},
                        {alarm ? "ALARM " + verdict : verdict, color ? tone : std::string_view()},
                        {ended ? "-" : alive, {}},
                        {age_at(session, "opened_at", now), {}},
                        {age_at(session, "last_change_at", now), {}},
                        {text_at(session, "n"), {}},
                        {text_at(session, "phase"), {}},
                        {text_at(session, "goal"), {}}});
    }
    return format_table(columns, rows, width);
}

std::string session_details(const json& session, WallTime now, bool color) {
    const json& verdict = at(session, "verdict");
    const std::string status = text_at(verdict, "status");
    std::string line = colored(status, color ? verdict_color(status) : std::string_view());
    const std::string reason = text_at(verdict, "reason");
    if (!reason.empty()) line += " (" + reason + ")";
    if (const json& evidence = at(verdict, "evidence"); evidence.is_array() && !evidence.empty()) {
        line += ", events " + plain_text(evidence);
    }

    std::string out;
    add_detail(out, "session", text_at(session, "id"));
    if (const json& alarms = at(session, "alarms"); alarms.is_array()) {
        for (const json& alarm : alarms) {
            add_detail(out, "ALARM",
                       colored(alarm_of(alarm, now), color ? kColorAlarm : std::string_view()));
        }
    }
    add_detail(out, "verdict", line);
    add_detail(out, "estimate", estimate_of(session));
    add_detail(out, "next", text_at(at(session, "estimate"), "next_milestone"));
    add_detail(out, "blockers", blockers_of(session));
    add_detail(out, "goal", text_at(session, "goal"));
    add_detail(out, "agent", agent_of(session));
    add_detail(out, "parent", text_at(session, "parent"));
    add_detail(out, "labels", labels_of(session));
    add_detail(out, "opened", ago_at(session, "opened_at", now));
    add_detail(out, "ended", ago_at(session, "ended_at", now));
    const bool ended = !at(session, "ended_at").is_null();
    const std::string beat = ago_at(session, "last_beat_at", now);
    if (!ended) add_detail(out, "alive", at(session, "alive") == true ? "yes" : "no");
    add_detail(out, "last beat", beat);
    add_detail(
        out, "last change",
        text_at(session, "last_change").empty()
            ? ""
            : text_at(session, "last_change") + ", " + ago_at(session, "last_change_at", now));
    add_detail(out, "phase", text_at(session, "phase"));
    add_detail(out, "iteration", text_at(session, "iteration"));
    add_detail(out, "state", text_at(session, "state"));
    add_detail(out, "in flight", in_flight_of(session, now));
    add_detail(out, "resources", resources_of(session));
    add_detail(out, "events",
               text_at(session, "n") + " (" + text_at(session, "heartbeats") + " heartbeats, " +
                   text_at(session, "state_changes") + " state changes, " +
                   text_at(at(session, "tools"), "calls") + " tool calls, " +
                   text_at(at(session, "tools"), "failures") + " failed)");
    const json& directives = at(session, "directives");
    if (directives.is_array()) {
        for (const json& directive : directives) {
            add_detail(out, "directive",
                       text_at(directive, "type") + ": " + text_at(directive, "reason"));
        }
    }
    return out;
}

std::string advice_text(const json& advice) {
    const json& verdict = at(advice, "verdict");
    std::string out = text_at(advice, "session") + " event " + text_at(advice, "n") + ": " +
                      text_at(verdict, "status");
    const std::string reason = text_at(verdict, "reason");
    if (!reason.empty()) out += " (" + reason + ")";
    if (at(advice, "duplicates").is_number_integer() && advice["duplicates"] != 0) {
        out += ", known already";
    }
    out += "\n";
    const json& directives = at(advice, "directives");
    if (!directives.is_array()) return out;
    for (const json& directive : directives) {
        out += "directive " + text_at(directive, "type") + " " + text_at(directive, "id") + ": " +
               text_at(directive, "reason") + "\n";
    }
    return out;
}

}  // namespace headway::cli
