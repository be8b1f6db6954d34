// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/observed_events.hpp"

#include <cmath>
#include <utility>

#include "cli/base/json.hpp"
#include "cli/lines/bounded_event.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kStarted = R"({"type":"tool.started")";
constexpr std::string_view kFinished = R"({"type":"tool.finished")";

std::string observed_id(const std::string& content) {
    return std::string{kTranscriptEvent} + core::to_hex(core::digest_of(content));
}

std::uint64_t more_than(std::uint64_t now, std::uint64_t before) {
    return now > before ? now - before : 0;
}

std::string call_of(std::string_view report) {
    const std::optional<Json> parsed = Json::parse(report);
    return parsed ? (*parsed)["data"].text_of("call_id") : std::string{};
}

}  // namespace

void ObservedEvents::take(const StoredLine& line, bool sub_agent,
                          std::vector<std::string>& reports) {
    if (!is_live(line)) return note_past(line);
    begin(reports);
    for (const std::string& text : line.reports)
        add_text(text, reports);
    if (line.use) add_use(*line.use, reports);
    if (!line.turn_ended) return;
    if (sub_agent) {
        add("session.ended", {{"outcome", "completed"}, {"reason", "its turn is over"}}, reports);
    } else {
        add("state.changed", {{"state", "idle"}, {"detail", "its turn is over"}}, reports);
    }
}

void ObservedEvents::begin(std::vector<std::string>& reports) {
    if (std::exchange(begun_, true)) return;
    for (const auto& [id, text] : open_)
        reports.push_back(text);
    open_.clear();
}

bool ObservedEvents::is_live(const StoredLine& line) {
    if (line.seconds) last_ = *line.seconds;
    return last_ >= since_ || (last_ == 0 && begun_);
}

void ObservedEvents::note_past(const StoredLine& line) {
    for (const std::string& text : line.reports) {
        if (text.starts_with(kFinished)) open_.erase(call_of(text));
        if (!text.starts_with(kStarted) || open_.size() >= kOpenMax) continue;
        std::vector<std::string> texts;
        add_text(text, texts);
        if (!texts.empty()) open_[call_of(text)] = std::move(texts.front());
    }
    if (!line.use) return;
    answer_ = line.use->answer;
    used_ = line.use->tokens;
}

void ObservedEvents::add(const std::string& type, const Json& data,
                         std::vector<std::string>& reports) const {
    LineEvent event{type, data};
    bound_event(event);
    const std::string content =
        type + " " + std::to_string(std::llround(last_ * 1'000)) + " " + dump(event.data);
    const Json report{{"type", type}, {"event_id", observed_id(content)}, {"data", event.data}};
    reports.push_back(dump(report));
}

void ObservedEvents::add_text(std::string_view text, std::vector<std::string>& reports) const {
    const std::optional<Json> parsed = Json::parse(text);
    if (parsed) add(parsed->text_of("type"), (*parsed)["data"], reports);
}

/// Each line of an answer has the use so far.
void ObservedEvents::add_use(const StoredUse& use, std::vector<std::string>& reports) {
    if (use.answer != answer_) used_ = {};
    const LineTokens& now = use.tokens;
    const LineTokens more{more_than(now.input, used_.input), more_than(now.cached, used_.cached),
                          more_than(now.cache_write, used_.cache_write),
                          more_than(now.output, used_.output),
                          more_than(now.reasoning, used_.reasoning)};
    answer_ = use.answer;
    used_ = now;
    if (more.sum() == 0) return;
    Json usage = {{"input_tokens", more.input},
                  {"cached_tokens", more.cached},
                  {"cache_write_tokens", more.cache_write},
                  {"output_tokens", more.output},
                  {"reasoning_tokens", more.reasoning}};
    if (!use.model.empty()) usage["model"] = use.model;
    const Json report{
        {"type", "heartbeat"},
        {"event_id", observed_id("use " + use.answer + " " + std::to_string(now.sum()))},
        {"data", {{"usage", std::move(usage)}}}};
    reports.push_back(dump(report));
}

}  // namespace headway::cli
