// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/observed_events.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "api/hooks/session_names.hpp"
#include "api/text/timestamp.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/bounded_event.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kStarted = R"({"type":"tool.started")";
constexpr std::string_view kFinished = R"({"type":"tool.finished")";

std::string observed_id(const std::string& content) {
    return std::string{kTranscriptEvent} + core::to_hex(core::digest_of(content));
}

/// The end of a path says more than its beginning.
std::string label_of(const std::string& text) {
    constexpr std::size_t kLabelBytes = 128;
    std::size_t from = text.size() - std::min(text.size(), kLabelBytes);
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U)
        ++from;
    return text.substr(from);
}

std::uint64_t more_than(std::uint64_t now, std::uint64_t before) {
    return now > before ? now - before : 0;
}

std::string call_of(std::string_view report) {
    const std::optional<Json> parsed = Json::parse(report);
    return parsed ? (*parsed)["data"].text_of("call_id") : std::string{};
}

}  // namespace

ObservedNames names_of(const StoredAbout& about) {
    ObservedNames names{api::hooks::agent_session(about.agent, about.id), {}};
    if (about.parent.empty() || about.fork) return names;
    names.parent = api::hooks::agent_session(about.agent, about.parent);
    names.session = api::hooks::child_session(names.parent, about.id);
    return names;
}

Json opening_of(const StoredAbout& about, const std::string& parent) {
    Json labels = {{"adapter", kTranscriptAdapter}};
    if (!about.project.empty()) labels["workspace"] = label_of(about.project);
    if (!about.version.empty()) labels["agent_version"] = label_of(about.version);
    Json agent = {{"type", about.agent}, {"name", about.agent}};
    if (!about.model.empty()) agent["model"] = std::string(cut_bytes(about.model, 128));
    Json body = {{"agent", std::move(agent)}, {"labels", std::move(labels)}};
    if (!about.goal.empty()) body["goal"] = about.goal;
    if (!parent.empty()) body["parent"] = parent;
    return body;
}

std::string time_text(double seconds) {
    const std::chrono::milliseconds since{std::llround(seconds * 1'000.0)};
    return api::timestamp_text(core::Timestamp{since});
}

void ObservedEvents::take(const StoredLine& line, bool sub_agent,
                          std::vector<std::string>& reports) {
    if (!is_live(line)) return note_past(line);
    begin(reports);
    for (const std::string& text : line.reports)
        add_text(text, reports);
    if (line.use) add_use(*line.use, reports);
    if (!line.turn_ended) return;
    if (sub_agent) {
        const char* const outcome = line.turn_cut ? "cancelled" : "completed";
        const char* const reason = line.turn_cut ? "its turn was cut short" : "its turn is over";
        add("session.ended", {{"outcome", outcome}, {"reason", reason}}, reports);
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
    put({{"type", type}, {"event_id", observed_id(content)}, {"data", event.data}}, reports);
}

void ObservedEvents::put(Json report, std::vector<std::string>& reports) const {
    if (times_ == ReportTimes::kOfLines && last_ > 0) report["at"] = time_text(last_);
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
    put({{"type", "heartbeat"},
         {"event_id", observed_id("use " + use.answer + " " + std::to_string(now.sum()))},
         {"data", {{"usage", std::move(usage)}}}},
        reports);
}

}  // namespace headway::cli
