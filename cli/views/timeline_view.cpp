// SPDX-License-Identifier: Apache-2.0
#include "cli/views/timeline_view.hpp"

#include <algorithm>
#include <cmath>

#include "api/encode/encode.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kNumberWidth = 7;
constexpr std::size_t kPlaceWidth = 11;
constexpr std::size_t kTimeWidth = 9;

// The envelope that the daemon would send, so that each field an event has or gets is shown.
Json envelope_of(const core::Event& event) {
    std::string text;
    api::append_event(text, "recording", event);
    return Json::parse(text).value_or(Json());
}

Json place_of(const core::Event& event, std::size_t line, std::size_t call) {
    return {{"n", event.n}, {"line", line}, {"call", call}};
}

const std::vector<std::uint64_t>& evidence_of(const Step& step) {
    static const std::vector<std::uint64_t> kNone;
    const auto* const change = std::get_if<core::VerdictChanged>(&step.event.payload);
    return change == nullptr ? kNone : change->evidence;
}

Json why_json(const Step& step, const Timeline& timeline) {
    Json why = Json::array();
    for (const std::uint64_t n : evidence_of(step)) {
        if (n == 0 || n > timeline.journal.size()) continue;
        const JournalEntry& entry = timeline.journal[n - 1];
        const Json event = envelope_of(entry.event);
        Json one = place_of(entry.event, entry.line, entry.call);
        one["type"] = event["type"];
        one["summary"] = event_summary(event.text_of("type"), event["data"]);
        for (const char* name : {"tool", "target", "ok"}) {
            if (event["data"].contains(name)) one[name] = event["data"][name];
        }
        why.push_back(std::move(one));
    }
    return why;
}

Json step_json(const Step& step) {
    Json result = place_of(step.event, step.line, step.call);
    result["at"] = static_cast<double>(step.at.count()) / 1'000.0;
    if (std::holds_alternative<core::VerdictChanged>(step.event.payload)) {
        result.update({{"reason", ""}, {"detector", ""}, {"evidence", Json::array()}});
    }
    result.update(envelope_of(step.event)["data"]);
    return result;
}

std::string counted(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string place_text(std::uint64_t n, std::size_t line, std::size_t call) {
    return pad("#" + std::to_string(n), kNumberWidth) +
           pad("line " + std::to_string(line), kPlaceWidth) +
           pad("call " + std::to_string(call), kPlaceWidth);
}

std::string step_text(const Step& step, const TimelineStyle& style) {
    const Json event = envelope_of(step.event);
    const std::string& type = event.text_of("type");
    std::string line = "  " + place_text(step.event.n, step.line, step.call) +
                       pad("+" + human_duration(step.at), kTimeWidth);
    if (type == "directive.issued") line += "told to ";
    line += event_summary(type, event["data"]);
    if (style.width > 0) line = crop(line, style.width);
    const auto* const change = std::get_if<core::VerdictChanged>(&step.event.payload);
    const std::string_view color =
        style.color && change != nullptr ? verdict_color(core::name_of(change->to)) : "";
    return color.empty() ? line : std::string(color) + line + std::string(kColorReset);
}

// The rules that spoke, what they rest on, the tier of the event, and how sure.
std::string grounds_text(const Step& step) {
    const auto& change = std::get<core::VerdictChanged>(step.event.payload);
    std::vector<std::string> grounds;
    if (!change.detector.empty()) {
        std::string rules = "detector " + change.detector;
        for (const std::string& other : change.detectors)
            if (other != change.detector) rules += ", " + other;
        grounds.push_back(std::move(rules));
    }
    if (!change.evidence.empty()) {
        std::string numbers = "evidence";
        for (const std::uint64_t n : change.evidence)
            numbers += " #" + std::to_string(n);
        grounds.push_back(std::move(numbers));
    }
    grounds.push_back("tier " + std::string(core::name_of(change.tier)));
    if (change.confidence > 0) {
        grounds.push_back("confidence " + std::to_string(std::lround(change.confidence * 100)) +
                          " %");
    }
    return join(grounds, "; ");
}

std::string why_text(const Step& step, const Timeline& timeline, const TimelineStyle& style) {
    std::vector<std::string> lines;
    if (std::holds_alternative<core::VerdictChanged>(step.event.payload)) {
        lines.push_back("    " + grounds_text(step));
    }
    for (const Json& one : why_json(step, timeline)) {
        std::string line =
            "    " + place_text(one.count_of("n"), one.count_of("line"), one.count_of("call"));
        line += one.text_of("type");
        const std::string& summary = one.text_of("summary");
        if (!summary.empty()) line += ": " + summary;
        // A failed call is summed up by its error.
        const std::string target = plain_text(one, "target");
        if (summary.find(target) == std::string::npos) line += " (" + target + ")";
        lines.push_back(std::move(line));
    }
    std::string text;
    for (const std::string& line : lines)
        text += (style.width > 0 ? crop(line, style.width) : line) + "\n";
    return text;
}

std::vector<const Step*> in_order(const Timeline& timeline) {
    std::vector<const Step*> steps;
    for (const Step& step : timeline.verdicts)
        steps.push_back(&step);
    for (const Step& step : timeline.directives)
        steps.push_back(&step);
    std::sort(steps.begin(), steps.end(),
              [](const Step* a, const Step* b) { return a->event.n < b->event.n; });
    return steps;
}

}  // namespace

Json timeline_json(const std::string& session, const Timeline& timeline, bool why) {
    Json result = {{"session", session},          {"events", timeline.events},
                   {"calls", timeline.calls},     {"duplicates", timeline.duplicates},
                   {"refused", timeline.refused}, {"verdict", core::name_of(timeline.last.verdict)},
                   {"timeline", Json::array()},   {"directives", Json::array()}};
    for (const Step& step : timeline.verdicts) {
        Json one = step_json(step);
        if (why) one["why"] = why_json(step, timeline);
        result["timeline"].push_back(std::move(one));
    }
    for (const Step& step : timeline.directives)
        result["directives"].push_back(step_json(step));
    return result;
}

std::string timeline_text(const std::string& session, const Timeline& timeline,
                          const TimelineStyle& style) {
    std::string text = clean_line(session) + ": " + counted(timeline.events, "event") + ", " +
                       counted(timeline.calls, "call") + ", " +
                       std::string(core::name_of(timeline.last.verdict)) + "\n";
    if (timeline.duplicates > 0) {
        text += "  not judged: " + counted(timeline.duplicates, "event") +
                " with the id of an earlier one\n";
    }
    if (timeline.refused > 0) {
        text += "  not judged: " + counted(timeline.refused, "event") +
                " after the end, or of an attempt that was taken over\n";
    }
    for (const Step* const step : in_order(timeline)) {
        text += step_text(*step, style) + "\n";
        if (style.why) text += why_text(*step, timeline, style);
    }
    return text;
}

}  // namespace headway::cli
