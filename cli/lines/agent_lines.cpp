// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/agent_lines.hpp"

#include <algorithm>
#include <utility>

#include "cli/lines/bounded_event.hpp"
#include "cli/lines/line_words.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kOwnCall = "run";  // the call_id of the command itself

}  // namespace

void AgentLines::feed(std::string_view bytes, OutputLines& rest) {
    while (!bytes.empty()) {
        // Text that cannot be an agent's line is not held back until its end: it may be a prompt.
        if (at_start_) ordinary_ = bytes.front() != '{';
        at_start_ = false;
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        if (!ordinary_ && line_.size() + part.size() > kLineBytesMax) {
            rest.feed(line_);
            line_ = {};
            ordinary_ = true;
        }
        if (ordinary_) {
            rest.feed(part);
        } else {
            line_ += part;
        }
        if (end == std::string_view::npos) return;
        end_line(rest);
        bytes.remove_prefix(end + 1);
    }
}

void AgentLines::finish(OutputLines& rest) {
    if (!at_start_ && !ordinary_) end_line(rest);
    end_message();
}

void AgentLines::tick() {
    told_ = 0;
    if (left_out_ == 0) return;
    const std::string text = "[" + std::to_string(std::exchange(left_out_, 0)) +
                             " events of the agent's lines left out]";
    tell({"message", {{"role", "system"}, {"text", text}}}, true);
}

void AgentLines::end_line(OutputLines& rest) {
    at_start_ = true;
    if (ordinary_ || !read_line()) {
        rest.feed(line_);
        rest.feed("\n");
    }
    line_.clear();
}

bool AgentLines::read_line() {
    const std::optional<Json> line = Json::parse(line_);
    if (!line || !line->is_object()) return false;
    const auto formats = line_formats();
    for (const bool known : {true, false}) {
        for (std::size_t i = 0; i < formats.size(); ++i) {
            if (begun_[i] != known || (!known && !formats[i]->begins(*line))) continue;
            std::optional<AgentLine> said = formats[i]->read(*line);
            if (!said) continue;
            begun_[i] = found_ = true;
            take(std::move(*said), formats[i]->hooks_tell_use);
            return true;
        }
    }
    return false;
}

void AgentLines::take(AgentLine line, bool hooks_tell_use) {
    if (line.piece.empty()) {
        end_message();
    } else if (piece_.size() < kLineTextBytesMax) {
        piece_ += line.piece;
    }
    if (!line.began.empty() && line.began != session_) {
        session_ = bounded_text(line.began, 200);
        meter_ = {};
    }
    if (!line.model.empty()) model_ = bounded_text(line.model, 200);
    for (LineEvent& event : line.events) {
        bound_event(event);
        if (!complete_call(event)) continue;
        if (event.data.text_of("role") == "assistant") last_message_ = event.data.text_of("text");
        tell(std::move(event), true);
    }
    if (line.use) tell_use(*line.use, hooks_tell_use);
    if (!line.result) return;
    result_ = std::move(line.result);
    if (result_->text.empty()) result_->text = last_message_;
    result_->text = bounded_text(result_->text);
}

void AgentLines::tell_use(const LineUse& use, bool hooks_tell) {
    const std::optional<LineUse> used = meter_.add(use);
    if (!used) return;
    Json usage = {{"input_tokens", used->input_tokens}, {"output_tokens", used->output_tokens}};
    const bool apart = use.hooks_tell_tokens && used->cost_usd;
    if (used->cost_usd && !apart) usage["cost_usd"] = *used->cost_usd;
    tell({"heartbeat", {{"usage", std::move(usage)}}}, hooks_tell || use.hooks_tell_tokens);
    if (apart) tell({"heartbeat", {{"usage", {{"cost_usd", *used->cost_usd}}}}}, false);
}

// Most lines that tell of a result name the call only by its id. False: it is no call that may be
// told.
bool AgentLines::complete_call(LineEvent& event) {
    const bool started = event.type == "tool.started";
    if (!started && event.type != "tool.finished") return true;
    Json& data = event.data;
    const std::string id = data.text_of("call_id");
    if (id == kOwnCall || (started && id.empty())) return false;
    if (id.empty()) data.erase("call_id");
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [&id](const OpenCall& call) { return call.id == id; });
    if (open != open_.end()) {
        if (!started) {
            Json known = std::move(open->about);
            known.update(data);
            data = std::move(known);
        }
        open_.erase(open);
    }
    if (data.text_of("tool").empty()) data["tool"] = "unknown";
    if (!started) return true;
    if (open_.size() == kOpenCallsMax) open_.pop_front();
    open_.push_back({id, data});
    return true;
}

void AgentLines::end_message() {
    if (piece_.empty()) return;
    LineEvent message{"message", {{"role", "assistant"}, {"text", std::exchange(piece_, {})}}};
    bound_event(message);
    last_message_ = message.data.text_of("text");
    tell(std::move(message), true);
}

void AgentLines::tell(LineEvent event, bool hooks_tell) {
    if (++told_ > kEventsPerSecondMax) {
        ++left_out_;
        return;
    }
    tell_(event, hooks_tell);
}

}  // namespace headway::cli
