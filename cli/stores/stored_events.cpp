// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/stored_events.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "api/decode/decode.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/recorded_line.hpp"

namespace headway::cli {

using api::DocumentWriter;
using api::JsonKind;
using api::JsonValue;

namespace {

std::size_t bytes_of(std::string_view id, const StoredCall& call) {
    return id.size() + call.tool.size() + call.args.size();
}

}  // namespace

void StoredCalls::start(std::string_view id, StoredCall call) {
    if (const auto again = calls_.find(id); again != calls_.end()) take_out(again);
    const std::size_t more = bytes_of(id, call);
    while (!calls_.empty() && (calls_.size() >= kMax || bytes_ + more > kBytesMax))
        take_out(calls_.begin());
    bytes_ += more;
    calls_.emplace(std::string(id), std::move(call));
}

StoredCall* StoredCalls::find(std::string_view id) {
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : &found->second;
}

StoredCall StoredCalls::finish(std::string_view id) {
    const auto found = calls_.find(id);
    return found == calls_.end() ? StoredCall{} : take_out(found);
}

StoredCall StoredCalls::take_out(std::map<std::string, StoredCall, std::less<>>::iterator at) {
    bytes_ -= bytes_of(at->first, at->second);
    StoredCall call = std::move(at->second);
    calls_.erase(at);
    return call;
}

void StoredCalls::clear() {
    calls_.clear();
    bytes_ = 0;
}

void StoredEvents::keep(StoredLine& out, core::Result<> written) {
    if (!written) return;
    auto event = api::decode_event_of(event_);
    if (!event) return;
    if (!out.live) return out.events.push_back(*std::move(event));
    event_.root().append_to(out.reports.emplace_back());
}

void StoredEvents::started(StoredLine& out, std::string_view call_id, const StoredCall& call) {
    if (!out.live || call_id.empty()) return;
    const bool args = !call.args.empty() && args_.parse(call.args).has_value();
    DocumentWriter event(event_);
    event.text("type", "tool.started");
    event.begin_object("data");
    event.text("tool", call.tool.empty() ? "unknown" : call.tool);
    event.text("call_id", cut_bytes(call_id, kShortTextBytesMax));
    if (args) event.copy("args", args_.root());
    event.end_object();
    keep(out, event.finish());
}

void StoredEvents::message(StoredLine& out, std::string_view role, std::string_view text) {
    if (text.empty()) return;
    DocumentWriter event(event_);
    event.text("type", "message");
    event.begin_object("data");
    event.text("role", role);
    event.text("text", text);
    event.end_object();
    keep(out, event.finish());
}

void StoredEvents::finished(StoredLine& out, std::string_view call_id, const StoredCall& call,
                            const StoredResult& result) {
    const bool args = !call.args.empty() && args_.parse(call.args).has_value();
    DocumentWriter event(event_);
    event.text("type", "tool.finished");
    event.begin_object("data");
    event.text("tool", call.tool.empty() ? "unknown" : call.tool);
    event.text("call_id", cut_bytes(call_id, kShortTextBytesMax));
    if (args) event.copy("args", args_.root());
    event.boolean("ok", result.ok);
    if (result.ok) {
        event.text("result", result.text);
    } else {
        event.begin_object("error");
        if (!result.error_class.empty()) event.text("class", result.error_class);
        event.text("message", result.text);
        event.end_object();
    }
    if (call.seconds && result.seconds && *result.seconds >= *call.seconds) {
        const double ms = (*result.seconds - *call.seconds) * 1'000.0;
        if (ms < 9e15) event.count("duration_ms", static_cast<std::uint64_t>(std::llround(ms)));
    }
    event.end_object();
    keep(out, event.finish());
}

void StoredEvents::error(StoredLine& out, const ToldError& error) {
    DocumentWriter event(event_);
    event.text("type", "error.reported");
    event.begin_object("data");
    if (!error.error_class.empty())
        event.text("class", cut_bytes(error.error_class, kShortTextBytesMax));
    event.text("message", error.message);
    if (error.status) event.count("status", *error.status);
    if (error.retryable) event.boolean("retryable", *error.retryable);
    if (error.ends_turn) event.boolean("ends_turn", true);
    event.end_object();
    keep(out, event.finish());
}

void StoredEvents::compacted(StoredLine& out, std::string_view trigger) {
    DocumentWriter event(event_);
    event.text("type", "compacted");
    event.begin_object("data");
    if (!trigger.empty()) event.text("trigger", cut_bytes(trigger, kShortTextBytesMax));
    event.end_object();
    keep(out, event.finish());
}

std::optional<double> stored_seconds(std::string_view text) {
    const auto at = parse_time(text);
    if (!at) return std::nullopt;
    return static_cast<double>(at->time_since_epoch().count()) / 1'000.0;
}

std::uint64_t stored_count(const LineMembers& of, std::string_view name) {
    const auto value = of.find(name, JsonKind::kUnsigned);
    return value ? value->unsigned_integer() : 0;
}

bool says_exit_status(std::string_view text) {
    constexpr std::string_view kName = "Exit Code: ";
    const std::size_t found = text.rfind(kName);
    if (found == std::string_view::npos) return false;
    int code = 0;
    const std::string_view digits = text.substr(found + kName.size());
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code);
    return read.ec == std::errc{} && code != 0;
}

std::string text_of_parts(JsonValue content) {
    if (content.kind() == JsonKind::kString) return std::string(content.text());
    std::string text;
    if (content.kind() != JsonKind::kArray) return text;
    content.each([&](JsonValue part) {
        if (part.kind() != JsonKind::kObject) return true;
        part.each([&](JsonValue member) {
            if (member.key() != "text" || member.kind() != JsonKind::kString) return true;
            text.append(text.empty() ? "" : "\n").append(member.text());
            return false;
        });
        return true;
    });
    return text;
}

}  // namespace headway::cli
