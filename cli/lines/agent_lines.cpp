// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/agent_lines.hpp"

#include <algorithm>
#include <utility>

#include "cli/lines/bounded_event.hpp"
#include "cli/lines/line_words.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kOnceMax = 8;
/// The part of a line that is too long in which its call is named.
constexpr std::size_t kLineHeadBytes = 4'096;
constexpr std::string_view kResultOf = R"("tool_use_id":")";
constexpr std::string_view kImage = R"("type":"image")";
constexpr std::size_t kEndingBytesMax = 200;  // some words
constexpr std::string_view kOwnCall = "run";  // the call_id of the command itself

/// The tools by which Claude Code ends work in the background.
bool is_stop_of_work(std::string_view tool) {
    return tool == "TaskStop" || tool == "KillShell" || tool == "KillBash";
}

bool hooks_tell_error(const LineFormat& format, const Json& error) {
    return format.hooks_tell_errors && !error.contains("retry_at") &&
           error["class"] != "usage_limit";
}

}  // namespace

void AgentLines::feed(std::string_view bytes, OutputLines& rest) {
    while (!bytes.empty()) {
        // Text that cannot be an agent's line is not held back until its end: it may be a prompt.
        if (at_start_) ordinary_ = bytes.front() != '{';
        at_start_ = false;
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        if (!ordinary_ && line_.size() + part.size() > kLineBytesMax) {
            skips_ = take_long_result();
            if (!skips_) rest.feed(line_);
            line_ = {};
            ordinary_ = true;
        }
        if (ordinary_) {
            if (!skips_) rest.feed(part);
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
    if (!facts_.result && !facts_.ends.empty()) take_result({});
    tell_owed();
}

void AgentLines::tick() {
    told_ = told_calls_ = 0;
    tell_owed();
    if (left_out_ == 0) return;
    const std::string text = "[" + std::to_string(std::exchange(left_out_, 0)) +
                             " events of the agent's lines left out]";
    tell({"message", {{"role", "system"}, {"text", text}}}, true);
}

void AgentLines::end_line(OutputLines& rest) {
    at_start_ = true;
    if (std::exchange(skips_, false)) return;
    if (ordinary_ || !read_line()) {
        rest.feed(line_);
        rest.feed("\n");
    }
    line_.clear();
}

/// Takes the beginning of a line that is too long as the result of an open call, as of one that
/// reads an image: else the call never ends. False: it is no such line.
bool AgentLines::take_long_result() {
    const std::string_view head = std::string_view(line_).substr(0, kLineHeadBytes);
    const std::size_t at = head.find(kResultOf);
    if (format_ == nullptr || at == head.npos) return false;
    std::string_view id = head.substr(at + kResultOf.size());
    id = id.substr(0, id.find('"'));
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [id](const OpenCall& call) { return call.id == id; });
    if (open == open_.end()) return false;
    if (head.find(kImage) == head.npos) {  // nothing shows how it ended
        open_.erase(open);
        return false;
    }
    LineEvent event{"tool.finished",
                    {{"call_id", id},
                     {"ok", true},
                     {"result", line_.substr(at + kResultOf.size() + id.size())}}};
    bound_event(event);
    if (!complete_call(event)) return false;
    note(event, false);
    tell(std::move(event), true);
    return true;
}

bool AgentLines::read_line() {
    const std::optional<Json> line = Json::parse(line_);
    if (!line || !line->is_object()) return false;
    const auto formats = line_formats();
    for (const bool known : {true, false}) {
        for (std::size_t i = 0; i < formats.size(); ++i) {
            if (begun_[i] != known || (!known && !formats[i]->begins(*line))) continue;
            std::optional<AgentLine> agent_line = formats[i]->read(*line);
            if (!agent_line) continue;
            begun_[i] = found_ = true;
            take(std::move(*agent_line), *formats[i]);
            return true;
        }
    }
    return false;
}

void AgentLines::take(AgentLine line, const LineFormat& format) {
    if (line.piece.empty()) {
        end_message();
    } else if (piece_.size() < kLineTextBytesMax) {
        piece_ += line.piece;
    }
    if (!line.conversation.empty()) session_ = bounded_text(line.conversation, 200);
    const bool begins = !line.began.empty() && line.began != session_;
    if (begins) {
        session_ = bounded_text(line.began, 200);
        meter_ = {};
    }
    if (begins || line.begins_run) {
        facts_ = {};
        failed_.clear();
        last_message_.clear();
    }
    if (first_session_.empty()) first_session_ = session_;
    if (!line.agent.empty() || format_ != &format || facts_.agent.empty())
        facts_.agent = line.agent.empty() ? format.name : line.agent;
    format_ = &format;
    if (begins && before_) meter_.start_from(before_(facts_.agent, session_, line.version));
    if (line.begins_turn) {
        facts_.result.reset();
        facts_.missing.clear();
        facts_.missed = 0;
    }
    if (!line.notice.empty()) facts_.note_notice(line.notice);
    const bool known = std::find(folders_.begin(), folders_.end(), line.folder) != folders_.end();
    if (!line.folder.empty() && !known && folders_.size() < kFoldersMax)
        folders_.push_back(line.folder);
    take_background(line);
    if (!line.model.empty()) model_ = bounded_text(line.model, 200);
    if (!line.once.empty() && once_.size() < kOnceMax &&
        std::find(once_.begin(), once_.end(), line.once) == once_.end()) {
        once_.push_back(line.once);
        add_message(line, "system", line.once);
    }
    std::string lane = bounded_text(line.lane, 100);
    if (session_ != first_session_) lane += "@" + session_;  // a script may start several agents
    for (LineEvent& event : line.events) {
        bound_event(event);
        if (!complete_call(event)) continue;
        if (!lane.empty() && event.type == "tool.finished") event.data["lane"] = lane;
        const bool error = event.type == "error.reported";
        // An error of a sub-agent says nothing about the end.
        if (error && !line.below && !take_error(event)) continue;
        note(event, line.below);
        const bool hooks_tell = !error || hooks_tell_error(format, event.data);
        tell(std::move(event), hooks_tell);
    }
    if (line.use) tell_use(*line.use, format.hooks_tell_use);
    if (line.end) facts_.note_end(std::move(*line.end));
    if (line.result) take_result(std::move(*line.result));
}

/// Work that the agent itself has stopped was not cut off, and neither was what the agent still
/// answers for. A command is no work whose end counts: servers are left running, and end with it.
void AgentLines::take_background(const AgentLine& line) {
    Background begins{{}, line.goes_on, line.of_agent.value_or(false)};
    for (const std::string& name : line.background_ended) {
        if (!line.of_agent && is_call_of_agent(name)) begins.of_agent = true;
        const bool by_agent = std::find(ended_by_agent_.begin(), ended_by_agent_.end(), name) !=
                              ended_by_agent_.end();
        std::size_t lost = 0;
        std::erase_if(background_, [&](const Background& work) {
            if (work.name != name) return false;
            begins.goes_on = begins.goes_on || work.goes_on;
            if (!line.of_agent) begins.of_agent = begins.of_agent || work.of_agent;
            if (work.goes_on && work.of_agent && line.cut_off && !by_agent) ++lost;
            return true;
        });
        facts_.cut_off += std::min<std::size_t>(lost, 1);
    }
    for (const std::string& name : line.background_began) {
        begins.name = name;
        begin_background(begins);
    }
    facts_.goes_on = facts_.agents_go_on = 0;
    for (const Background& work : background_) {
        facts_.goes_on += work.goes_on;
        facts_.agents_go_on += work.goes_on && work.of_agent;
    }
}

void AgentLines::begin_background(const Background& work) {
    if (background_.size() < kOpenCallsMax)
        background_.push_back({bounded_text(work.name, 200), work.goes_on, work.of_agent});
}

bool AgentLines::is_call_of_agent(const std::string& call_id) const {
    const auto open = std::find_if(open_.begin(), open_.end(), [&call_id](const OpenCall& call) {
        return !call_id.empty() && call.id == call_id;
    });
    return open != open_.end() && starts_agent(open->about.text_of("tool"));
}

void AgentLines::take_result(LineResult result) {
    if (result.text.empty()) result.text = last_message_;
    facts_.settle(result);
    if (result.ok && result.asks && !open_.empty()) {
        result.ok = false;
        result.text = "its last answer asks for a call that it did not make";
    }
    result.text = bounded_text(result.text);
    result.ending = core::shortened(result.ending, kEndingBytesMax);
    // Agents list all calls that were refused, also those that they found a way around.
    for (const RefusedCall& call : result.refused) {
        const bool last = !facts_.changed ||
                          std::find(failed_.begin(), failed_.end(), call.call_id) != failed_.end();
        facts_.note_refused(call.tool, !last);
    }
    // It was tried again, and that went well.
    if (result.ok && facts_.error && facts_.error->flag_of("retryable") &&
        !facts_.error->flag_of("ends_turn"))
        facts_.error.reset();
    facts_.result = std::move(result);
}

void AgentLines::note_background(const Json& call) {
    const Json& args = call["args"];
    if (args.flag_of("run_in_background"))
        begin_background({call.text_of("call_id"), true, starts_agent(call.text_of("tool"))});
    for (const char* name : {"task_id", "shell_id", "bash_id"}) {
        if (!is_stop_of_work(call.text_of("tool")) || args.text_of(name).empty()) continue;
        if (ended_by_agent_.size() == kOpenCallsMax) ended_by_agent_.pop_front();
        ended_by_agent_.push_back(args.text_of(name));
    }
}

void AgentLines::note(const LineEvent& event, bool below) {
    const Json& data = event.data;
    const bool message = event.type == "message" && data["role"] == "assistant" && !below;
    if (message) last_message_ = data.text_of("text");
    const bool answers = (message && has_words(last_message_)) || event.type == "compacted";
    if (answers || event.type == "tool.started") {
        facts_.answered = true;
        if (!below) facts_.note_answer();
    }
    if (event.type == "tool.started") note_background(data);
    if (event.type != "tool.finished") return;
    facts_.answered = true;
    if (data["error"]["class"] == "denied") facts_.note_refused(data.text_of("tool"));
    if (data["error"]["class"] == "unknown_tool") facts_.note_missing(data.text_of("tool"));
    if (data.flag_of("ok")) {
        facts_.succeeded = true;
        facts_.missing.clear();
    }
    if (!data.flag_of("ok")) {
        if (failed_.size() == kOpenCallsMax) failed_.pop_front();
        failed_.push_back(data.text_of("call_id"));
    } else if (changes(data)) {
        facts_.changed = true;
        facts_.refused.clear();
        failed_.clear();
    }
}

/// False for an error that was reported before: an agent may report it in two lines.
bool AgentLines::take_error(LineEvent& event) {
    Json& data = event.data;
    const bool ends = data.flag_of("ends_turn");
    if (data.text_of("class") == kPromptBlocked && facts_.answered) return false;  // a later hook
    if (facts_.error) {
        const Json& before = *facts_.error;
        if (before.flag_of("ends_turn") && before["message"] == data["message"]) {
            if (!take_details(before, data)) return false;
            facts_.error = data;
            return true;
        }
        if (ends) take_over_limit(before, data);
    }
    if (complete_) complete_(event, facts_.agent, session_);
    if (facts_.error) keep_later_reset(*facts_.error, data);
    facts_.error = data;
    return true;
}

void AgentLines::add_error(LineEvent error) {
    bound_event(error);
    if (take_error(error)) tell(std::move(error), false);
}

void AgentLines::look_again() {
    if (!facts_.error || !facts_.error->flag_of("ends_turn") || !complete_) return;
    LineEvent again{"error.reported", *facts_.error};
    complete_(again, facts_.agent, session_);
    if (again.data == *facts_.error) return;
    facts_.error = again.data;
    tell(std::move(again), false);
}

void AgentLines::tell_use(const LineUse& use, bool hooks_tell) {
    const std::optional<LineUse> used = meter_.add(use);
    if (!used) return;
    LineUse line_use = *used;
    if (line_use.model.empty()) line_use.model = model_;
    const bool apart = use.hooks_tell_tokens && used->cost_usd;
    if (apart) line_use.cost_usd.reset();
    tell({"heartbeat", {{"usage", usage_json(line_use)}}}, hooks_tell || use.hooks_tell_tokens);
    if (apart) tell({"heartbeat", {{"usage", {{"cost_usd", *used->cost_usd}}}}}, false);
}

// Most lines that tell of a result name the call only by its id. False: it is no call that may be
// reported.
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
    if (!started && format_->correct != nullptr) format_->correct(data);
    if (!started) return true;
    if (open_.size() == kOpenCallsMax) open_.pop_front();
    open_.push_back({id, data});
    return true;
}

void AgentLines::end_message() {
    if (piece_.empty()) return;
    LineEvent message{"message", {{"role", "assistant"}, {"text", std::exchange(piece_, {})}}};
    bound_event(message);
    note(message, false);
    tell(std::move(message), true);
}

// A flood of messages must not hide calls, and no flood what was used.
void AgentLines::tell(LineEvent event, bool hooks_tell) {
    const bool call = event.type.starts_with("tool.") || event.type == "error.reported";
    std::size_t& told = call ? told_calls_ : told_;
    if (++told <= kEventsPerSecondMax) return tell_(event, hooks_tell);
    if (event.data.contains("usage")) return owe(event.data["usage"], hooks_tell);
    ++left_out_;
}

void AgentLines::owe(const Json& usage, bool hooks_tell) {
    const auto same = [&](const Owed& owed) {
        return owed.hooks_tell == hooks_tell &&
               (owed_.size() >= kOwedMax || owed.usage["model"] == usage["model"]);
    };
    const auto owed = std::find_if(owed_.begin(), owed_.end(), same);
    if (owed == owed_.end()) return owed_.push_back({usage, hooks_tell});
    for (const auto& [name, value] : usage.members()) {
        if (!value.is_number()) continue;
        Json& sum = owed->usage[name];
        if (value.is_unsigned()) {
            sum = sum.count() + value.count();
        } else {
            sum = sum.number() + value.number();
        }
    }
}

void AgentLines::tell_owed() {
    for (Owed& owed : std::exchange(owed_, {}))
        tell_({"heartbeat", {{"usage", std::move(owed.usage)}}}, owed.hooks_tell);
}

}  // namespace headway::cli
