// SPDX-License-Identifier: Apache-2.0
#include "cli/views/event_line.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/views/check_view.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kTypeWidth = 22;        // directive.acknowledged
constexpr std::size_t kNarrowTypeWidth = 18;  // approval.requested
constexpr std::size_t kNarrow = 100;          // a terminal of fewer columns
constexpr std::size_t kPartBytesMax = 600;    // more never fits a line

// Agents may report up to 2^63, which as a double is more than an integer can hold.
std::chrono::milliseconds duration_at(const Json& data, const char* name) {
    constexpr double kMsMax = 9e15;
    const double ms = std::clamp(data[name].number(), 0.0, kMsMax);
    return std::chrono::milliseconds{static_cast<std::int64_t>(ms)};
}

void add(std::string& line, const std::string& part, std::string_view separator = ", ") {
    if (part.empty()) return;
    if (!line.empty()) line += separator;
    line += part;
}

std::string labelled(const Json& data, const char* name) {
    const std::string value = plain_text(data, name);
    return value.empty() ? value : std::string(name) + " " + value;
}

// The one argument that says most, so that "command" does not stand in braces.
std::string arguments(const Json& data) {
    const Json& args = data["args"];
    if (args.is_null()) return plain_text(data, "target");
    for (const char* name : {"command", "cmd", "file_path", "path", "query", "url", "pattern"}) {
        if (args.contains(name)) return plain_text(args, name);
    }
    const Json& argv = args["argv"];
    if (!argv.is_array()) return plain_text(args);
    std::string words;
    for (const Json& word : argv)
        add(words, plain_text(word), " ");
    return words;
}

std::string of_heartbeat(const Json& data) {
    std::string line = labelled(data, "phase");
    add(line, labelled(data, "iteration"));
    if (const Json& used = data["resources"]; used.is_object()) {
        add(line, "cpu " + human_duration(duration_at(used, "cpu_ms")));
        add(line, "rss " + human_bytes(used["rss_bytes"].number()));
        const double disk = used["disk_bytes"].number();
        if (disk > 0) add(line, "disk " + human_bytes(disk));
    }
    add(line, plain_text(data, "note"));
    return line;
}

std::string of_tool_started(const Json& data) {
    std::string line = plain_text(data, "tool");
    add(line, arguments(data), ": ");
    return line;
}

std::string of_tool_finished(const Json& data) {
    std::string line = plain_text(data, "tool");
    const bool failed = data["ok"] == false;
    line += failed ? " FAILED" : " ok";
    if (data.contains("duration_ms"))
        line += " " + human_duration(duration_at(data, "duration_ms"));
    if (const Json* const error = data.find("error"); failed && error != nullptr) {
        add(line, error->is_object() ? plain_text(*error, "message") : plain_text(*error), ": ");
    } else {
        add(line, arguments(data), ": ");
    }
    return line;
}

std::string of_started(const Json& data) {
    std::string line = plain_text(data, "goal");
    const Json& agent = data["agent"];
    if (!agent.is_object()) return line;
    std::string who;
    for (const char* name : {"type", "name", "model"})
        add(who, plain_text(agent, name), " ");
    if (who.empty()) return line;
    return (line.empty() ? "" : line + " ") + "(" + who + ")";
}

// The last one of several lines is the best sign of where things are.
std::string of_message(const Json& data) {
    std::string line = plain_text(data, "role");
    const Json& text = data["text"];
    if (!text.is_string()) {
        add(line, plain_text(data, "text"), ": ");
        return line;
    }
    std::string_view all = text.text();
    while (all.ends_with('\n'))
        all.remove_suffix(1);
    const auto others = std::count(all.begin(), all.end(), '\n');
    if (others > 0) all.remove_prefix(all.rfind('\n') + 1);
    add(line, clean_line(cut_bytes(all, kPartBytesMax)), ": ");
    return others > 0 ? line + " (+" + std::to_string(others) + " lines)" : line;
}

std::string of_verdict(const Json& data) {
    std::string line = plain_text(data, "from") + " -> " + plain_text(data, "to");
    add(line, plain_text(data, "reason"), ": ");
    return line;
}

std::string of_test(const Json& data) {
    std::string line;
    for (const char* name : {"passed", "failed", "errors"}) {
        const std::string count = plain_text(data, name);
        if (!count.empty()) add(line, count + " " + name);
    }
    add(line, plain_text(data, "command"), ": ");
    return line;
}

std::string of_progress(const Json& data) {
    std::string line = plain_text(data, "percent") + " %";
    if (plain_text(data, "source") == "judge") {
        line += data.flag_of("fallback") ? " (no answer of a judge)"
                                         : " (judge " + plain_text(data, "judge") + ")";
    }
    add(line, plain_text(data, "reasoning"), ": ");
    return line;
}

std::string of_outcome(const Json& data) {
    std::string line = plain_text(data, "outcome");
    add(line, plain_text(data, "reason"), ": ");
    return line;
}

std::string of_directive(const Json& data) {
    std::string line = plain_text(data, "kind");
    add(line, plain_text(data, "reason"), ": ");
    return line;
}

std::string of_approval_requested(const Json& data) {
    std::string line = plain_text(data, data.contains("tool") ? "tool" : "kind");
    const std::string args = arguments(data);
    add(line, args.empty() || args == "{}" ? plain_text(data, "summary") : args, ": ");
    const std::string risk = plain_text(data, "risk");
    return risk.empty() || risk == "unknown" ? line : line + " (" + risk + " risk)";
}

std::string of_approval_decided(const Json& data) {
    std::string line = plain_text(data, "decision");
    if (const std::string by = plain_text(data, "by"); !by.empty()) line += " by " + by;
    if (plain_text(data, "scope") == "session") line += ", for the session";
    if (const std::string until = plain_text(data, "until"); !until.empty())
        line += ", until " + until;
    const std::string answer = plain_text(data, "response");
    add(line, answer.empty() ? plain_text(data, "reason") : answer, ": ");
    return line;
}

std::string of_check_requested(const Json& data) {
    std::string why = plain_text(data, "cause");
    if (const std::string by = plain_text(data, "by"); why == "asked" && !by.empty())
        why = "by " + by;
    return why.empty() ? "judge asked" : "judge asked (" + why + ")";
}

std::string of_check_completed(const Json& data) {
    const std::string answer = plain_text(data, "answer");
    if (answer.empty()) {
        std::string line = "judge: no answer, " + plain_text(data, "outcome");
        add(line, plain_text(data, "error"), ": ");
        return line;
    }
    const std::string letter = letter_of_answer(answer);
    std::string line = "judge: " + (letter.empty() ? answer : letter + " " + answer);
    add(line, plain_text(data, "confidence"));
    add(line, plain_text(data, "reason"), ": ");
    const std::string events = event_numbers(data["evidence"]);
    add(line, events.empty() ? events : "(" + events + ")", " ");
    return line;
}

// Everything else: the values in order, named where a word alone would not say what it is.
std::string of_any(const Json& data) {
    if (data.contains("text")) return plain_text(data, "text");
    std::string line;
    for (const auto& [name, value] : data.members()) {
        if (value.is_null() || value.empty()) continue;
        const bool telling = name == "name" || name == "goal" || name == "state" ||
                             name == "reason" || name == "message" || name == "assessment";
        add(line, telling ? plain_text(value) : name + " " + plain_text(value));
    }
    return line;
}

struct Summary {
    std::string_view type;
    std::string (*of)(const Json& data);
};

constexpr std::array<Summary, 14> kSummaries{{
    {"session.started", of_started},
    {"heartbeat", of_heartbeat},
    {"tool.started", of_tool_started},
    {"tool.finished", of_tool_finished},
    {"message", of_message},
    {"verdict.changed", of_verdict},
    {"test.result", of_test},
    {"progress.estimated", of_progress},
    {"session.ended", of_outcome},
    {"directive.issued", of_directive},
    {"approval.requested", of_approval_requested},
    {"approval.decided", of_approval_decided},
    {"check.requested", of_check_requested},
    {"check.completed", of_check_completed},
}};

}  // namespace

std::string plain_text(const Json& value) {
    if (value.is_string()) {
        return clean_line(cut_bytes(value.text(), kPartBytesMax));
    }
    const bool kept = value["head"].is_string() && value.contains("digest");
    if (kept) return plain_text(value["head"]);
    return clean_line(cut_bytes(dump(value), kPartBytesMax));
}

std::string plain_text(const Json& object, std::string_view name) {
    const Json& value = object[name];
    return value.is_null() ? std::string() : plain_text(value);
}

std::string event_summary(std::string_view type, const Json& data) {
    if (!data.is_object()) return {};
    for (const Summary& summary : kSummaries) {
        if (summary.type == type) return summary.of(data);
    }
    return of_any(data);
}

std::string shown_status(std::string_view status, bool alarm, bool needs_somebody) {
    if (alarm) return "ALARM " + std::string{status};
    const bool says_so = status == "blocked";
    return std::string{status} + (needs_somebody && !says_so ? ", needs you" : "");
}

std::string until_text(const Json& verdict, WallTime now) {
    const auto at = parse_time(plain_text(verdict, "retry_at"));
    if (!at || *at <= now) return {};
    const std::string day = local_day(*at);
    const bool today = day == local_day(now);
    return ", until " + (today ? std::string{} : day + " ") + local_clock(*at).substr(0, 5);
}

std::string age_at(const Json& object, const char* name, WallTime now) {
    const auto time = parse_time(plain_text(object, name));
    return time ? human_duration(std::max(now - *time, WallTime::duration::zero())) : "-";
}

std::string_view verdict_color(std::string_view status) {
    if (status == "completed" || status == "progressing") return "\x1b[32m";
    if (status == "failed" || status == "stuck" || status == "halted") return "\x1b[1;31m";
    if (status == "suspect" || status == "silent" || status == "cancelled") return "\x1b[33m";
    if (status == "blocked" || status == "waiting") return "\x1b[1;35m";
    return "";
}

std::string event_line(const Json& event, const LineStyle& style) {
    if (!event.is_object()) return plain_text(event);
    const std::string type = plain_text(event, "type");
    const auto at = parse_time(plain_text(event, "at"));
    std::string line = at ? local_clock(*at) : "        ";
    line += "  ";
    if (style.session_width > 0) {
        line += pad(crop(plain_text(event, "session"), style.session_width), style.session_width);
        line += "  ";
    }
    const bool narrow = style.width > 0 && style.width < kNarrow;
    const std::size_t types = narrow ? kNarrowTypeWidth : kTypeWidth;
    line += pad(crop(type, types), types) + "  ";
    const Json& data = event["data"];
    line += event_summary(type, data);
    while (line.ends_with(' '))
        line.pop_back();
    if (style.width > 0) line = crop(line, style.width);

    const bool verdict = type == "verdict.changed" && data.is_object();
    const std::string_view color =
        verdict && style.color ? verdict_color(plain_text(data, "to")) : std::string_view();
    if (color.empty()) return line;
    return std::string(color) + line + std::string(kColorReset);
}

}  // namespace headway::cli
