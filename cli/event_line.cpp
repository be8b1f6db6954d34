// SPDX-License-Identifier: Apache-2.0
#include "cli/event_line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/check_view.hpp"
#include "cli/daemon.hpp"
#include "cli/text.hpp"

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kTypeWidth = 22;        // directive.acknowledged
constexpr std::size_t kNarrowTypeWidth = 18;  // approval.requested
constexpr std::size_t kNarrow = 100;          // a terminal of fewer columns
constexpr std::size_t kPartBytesMax = 600;    // more never fits a line

std::string text_at(const json& data, const char* name) {
    const auto found = data.find(name);
    if (found == data.end() || found->is_null()) return {};
    return plain_text(*found);
}

double number_at(const json& data, const char* name) {
    const auto found = data.find(name);
    return found != data.end() && found->is_number() ? found->get<double>() : 0.0;
}

// Agents may report up to 2^63, which as a double is more than an integer can hold.
std::chrono::milliseconds duration_at(const json& data, const char* name) {
    constexpr double kMsMax = 9e15;
    const double ms = std::clamp(number_at(data, name), 0.0, kMsMax);
    return std::chrono::milliseconds{static_cast<std::int64_t>(ms)};
}

void add(std::string& line, const std::string& part, std::string_view separator = ", ") {
    if (part.empty()) return;
    if (!line.empty()) line += separator;
    line += part;
}

std::string labelled(const json& data, const char* name) {
    const std::string value = text_at(data, name);
    return value.empty() ? value : std::string(name) + " " + value;
}

// The one argument that says most, so that "command" does not stand in braces.
std::string arguments(const json& data) {
    const auto args = data.find("args");
    if (args == data.end() || args->is_null()) return text_at(data, "target");
    for (const char* name : {"command", "cmd", "file_path", "path", "query", "url", "pattern"}) {
        if (args->is_object() && args->contains(name)) return text_at(*args, name);
    }
    const auto argv = args->is_object() ? args->find("argv") : args->end();
    if (argv == args->end() || !argv->is_array()) return plain_text(*args);
    std::string words;
    for (const json& word : *argv)
        add(words, plain_text(word), " ");
    return words;
}

std::string of_heartbeat(const json& data) {
    std::string line = labelled(data, "phase");
    add(line, labelled(data, "iteration"));
    if (const auto found = data.find("resources"); found != data.end() && found->is_object()) {
        add(line, "cpu " + human_duration(duration_at(*found, "cpu_ms")));
        add(line, "rss " + human_bytes(number_at(*found, "rss_bytes")));
        const double disk = number_at(*found, "disk_bytes");
        if (disk > 0) add(line, "disk " + human_bytes(disk));
    }
    add(line, text_at(data, "note"));
    return line;
}

std::string of_tool_started(const json& data) {
    std::string line = text_at(data, "tool");
    add(line, arguments(data), ": ");
    return line;
}

std::string of_tool_finished(const json& data) {
    std::string line = text_at(data, "tool");
    const auto ok = data.find("ok");
    const bool failed = ok != data.end() && *ok == false;
    line += failed ? " FAILED" : " ok";
    if (data.contains("duration_ms"))
        line += " " + human_duration(duration_at(data, "duration_ms"));
    if (const auto error = data.find("error"); failed && error != data.end()) {
        add(line, error->is_object() ? text_at(*error, "message") : plain_text(*error), ": ");
    } else {
        add(line, arguments(data), ": ");
    }
    return line;
}

std::string of_started(const json& data) {
    std::string line = text_at(data, "goal");
    const auto agent = data.find("agent");
    if (agent == data.end() || !agent->is_object()) return line;
    std::string who;
    for (const char* name : {"type", "name", "model"})
        add(who, text_at(*agent, name), " ");
    if (who.empty()) return line;
    return (line.empty() ? "" : line + " ") + "(" + who + ")";
}

// Of several lines the last one says most about where things are.
std::string of_message(const json& data) {
    std::string line = text_at(data, "role");
    const auto text = data.find("text");
    if (text == data.end() || !text->is_string()) {
        add(line, text_at(data, "text"), ": ");
        return line;
    }
    std::string_view all = text->get_ref<const std::string&>();
    while (all.ends_with('\n'))
        all.remove_suffix(1);
    const auto others = std::count(all.begin(), all.end(), '\n');
    if (others > 0) all.remove_prefix(all.rfind('\n') + 1);
    add(line, clean_line(cut_bytes(all, kPartBytesMax)), ": ");
    return others > 0 ? line + " (+" + std::to_string(others) + " lines)" : line;
}

std::string of_verdict(const json& data) {
    std::string line = text_at(data, "from") + " -> " + text_at(data, "to");
    add(line, text_at(data, "reason"), ": ");
    return line;
}

std::string of_test(const json& data) {
    std::string line;
    for (const char* name : {"passed", "failed", "errors"}) {
        const std::string count = text_at(data, name);
        if (!count.empty()) add(line, count + " " + name);
    }
    add(line, text_at(data, "command"), ": ");
    return line;
}

std::string of_progress(const json& data) {
    std::string line = text_at(data, "percent") + " %";
    if (text_at(data, "source") == "judge") {
        line += data.value("fallback", false) ? " (no answer of a judge)"
                                              : " (judge " + text_at(data, "judge") + ")";
    }
    add(line, text_at(data, "reasoning"), ": ");
    return line;
}

std::string of_outcome(const json& data) {
    std::string line = text_at(data, "outcome");
    add(line, text_at(data, "reason"), ": ");
    return line;
}

std::string of_directive(const json& data) {
    std::string line = text_at(data, "kind");
    add(line, text_at(data, "reason"), ": ");
    return line;
}

std::string of_approval_requested(const json& data) {
    std::string line = text_at(data, data.contains("tool") ? "tool" : "kind");
    const std::string args = arguments(data);
    add(line, args.empty() || args == "{}" ? text_at(data, "summary") : args, ": ");
    const std::string risk = text_at(data, "risk");
    return risk.empty() || risk == "unknown" ? line : line + " (" + risk + " risk)";
}

std::string of_approval_decided(const json& data) {
    std::string line = text_at(data, "decision");
    if (const std::string by = text_at(data, "by"); !by.empty()) line += " by " + by;
    if (text_at(data, "scope") == "session") line += ", for the session";
    if (const std::string until = text_at(data, "until"); !until.empty())
        line += ", until " + until;
    const std::string answer = text_at(data, "response");
    add(line, answer.empty() ? text_at(data, "reason") : answer, ": ");
    return line;
}

std::string of_check_requested(const json& data) {
    std::string why = text_at(data, "cause");
    if (const std::string by = text_at(data, "by"); why == "asked" && !by.empty()) why = "by " + by;
    return why.empty() ? "judge asked" : "judge asked (" + why + ")";
}

std::string of_check_completed(const json& data) {
    const std::string answer = text_at(data, "answer");
    if (answer.empty()) {
        std::string line = "judge: no answer, " + text_at(data, "outcome");
        add(line, text_at(data, "error"), ": ");
        return line;
    }
    const std::string letter = letter_of_answer(answer);
    std::string line = "judge: " + (letter.empty() ? answer : letter + " " + answer);
    add(line, text_at(data, "confidence"));
    add(line, text_at(data, "reason"), ": ");
    const std::string events = event_numbers(data.value("evidence", json()));
    add(line, events.empty() ? events : "(" + events + ")", " ");
    return line;
}

// Everything else: the values in order, named where a word alone would not say what it is.
std::string of_any(const json& data) {
    if (data.contains("text")) return text_at(data, "text");
    std::string line;
    for (const auto& [name, value] : data.items()) {
        if (value.is_null() || value.empty()) continue;
        const bool telling = name == "name" || name == "goal" || name == "state" ||
                             name == "reason" || name == "message" || name == "assessment";
        add(line, telling ? plain_text(value) : name + " " + plain_text(value));
    }
    return line;
}

struct Summary {
    std::string_view type;
    std::string (*of)(const json& data);
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

std::string plain_text(const json& value) {
    if (value.is_string()) {
        return clean_line(cut_bytes(value.get_ref<const std::string&>(), kPartBytesMax));
    }
    const bool kept = value.is_object() && value.contains("head") && value["head"].is_string() &&
                      value.contains("digest");
    if (kept) return plain_text(value["head"]);
    return clean_line(cut_bytes(dump(value), kPartBytesMax));
}

std::string event_summary(std::string_view type, const json& data) {
    if (!data.is_object()) return {};
    for (const Summary& summary : kSummaries) {
        if (summary.type == type) return summary.of(data);
    }
    return of_any(data);
}

std::string_view verdict_color(std::string_view status) {
    if (status == "completed" || status == "progressing") return "\x1b[32m";
    if (status == "failed" || status == "stuck" || status == "halted") return "\x1b[1;31m";
    if (status == "suspect" || status == "silent" || status == "cancelled") return "\x1b[33m";
    if (status == "blocked" || status == "waiting") return "\x1b[1;35m";
    return "";
}

std::string event_line(const json& event, const LineStyle& style) {
    if (!event.is_object()) return plain_text(event);
    const std::string type = text_at(event, "type");
    const auto at = parse_time(text_at(event, "at"));
    std::string line = at ? local_clock(*at) : "        ";
    line += "  ";
    if (style.session_width > 0) {
        line += pad(crop(text_at(event, "session"), style.session_width), style.session_width);
        line += "  ";
    }
    const bool narrow = style.width > 0 && style.width < kNarrow;
    const std::size_t types = narrow ? kNarrowTypeWidth : kTypeWidth;
    line += pad(crop(type, types), types) + "  ";
    const auto data = event.find("data");
    if (data != event.end()) line += event_summary(type, *data);
    while (line.ends_with(' '))
        line.pop_back();
    if (style.width > 0) line = crop(line, style.width);

    const bool verdict = type == "verdict.changed" && data != event.end() && data->is_object();
    const std::string_view color =
        verdict && style.color ? verdict_color(text_at(*data, "to")) : std::string_view();
    if (color.empty()) return line;
    return std::string(color) + line + std::string(kColorReset);
}

}  // namespace headway::cli
