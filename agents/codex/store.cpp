// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

// Codex 0.1xx: sessions/YYYY/MM/DD/rollout-*.jsonl, each line `{"timestamp","type","payload"}`. A
// fork and a sub-agent may begin with the history of their parent, which is not theirs.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

bool codex_matters(std::string_view line) {
    const std::string_view head = line.substr(0, 200);
    return head.find("\"world_state\"") == std::string_view::npos;
}

bool codex_begins(JsonValue line) {
    LineMembers members;
    members.read(line);
    return members.text_of("type") == "session_meta" &&
           members.find("payload", JsonKind::kObject).has_value();
}

/// Members that repeat a command's output, or that only the model reads.
constexpr std::array<std::string_view, 4> kCodexUnread{"aggregated_output", "formatted_output",
                                                       "encrypted_content", "base_instructions"};

/// Words that Codex puts before those of a person.
bool is_codex_word(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kOwn{
        "<environment_context", "<user_instructions", "<subagent_notification",
        "<turn_aborted",        "# AGENTS.md",        "<permissions"};
    return std::any_of(kOwn.begin(), kOwn.end(),
                       [text](std::string_view own) { return text.starts_with(own); });
}

std::optional<std::int64_t> integer_at(std::string_view text, std::string_view behind) {
    const std::size_t found = text.find(behind);
    if (found == std::string_view::npos) return std::nullopt;
    std::string_view digits = text.substr(found + behind.size());
    while (digits.starts_with(' '))
        digits.remove_prefix(1);
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return read.ec == std::errc{} ? std::optional{value} : std::nullopt;
}

/// The time in an id of version 7: its first 48 bits, in milliseconds.
std::optional<double> seconds_of_id(std::string_view id) {
    constexpr std::size_t kVersionAt = 14;
    if (id.size() != 36 || id[8] != '-' || id[kVersionAt] != '7') return std::nullopt;
    const std::string digits = std::string(id.substr(0, 8)) + std::string(id.substr(9, 4));
    std::uint64_t millis = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, millis, 16);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return static_cast<double>(millis) / 1'000;
}

/// Output of a command, without the lines that Codex puts before it: its chunk, time and status.
std::string_view output_of(std::string_view text) {
    constexpr std::size_t kFrameBytesMax = 400;
    if (!text.starts_with("Chunk ID") && !text.starts_with("Exit code")) return text;
    const std::size_t found = text.substr(0, kFrameBytesMax).find("\nOutput:\n");
    return found == std::string_view::npos ? text : text.substr(found + 9);
}

/// The status in the frame of an output; older releases wrote JSON.
std::optional<std::int64_t> status_of_output(std::string_view text) {
    constexpr std::size_t kFrameBytesMax = 400;
    const std::string_view head = text.substr(0, kFrameBytesMax);
    if (const auto code = integer_at(head, "Process exited with code")) return code;
    if (head.starts_with("Exit code:")) return integer_at(head, "Exit code:");
    if (!text.starts_with("{\"output\"")) return std::nullopt;
    const std::size_t behind = text.size() > kFrameBytesMax ? text.size() - kFrameBytesMax : 0;
    return integer_at(text.substr(behind), "\"exit_code\":");
}

class CodexStore final : public StoreReader {
public:
    CodexStore() { about_.agent = "codex"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        const auto payload = line_.find("payload", JsonKind::kObject);
        if (!payload) return;
        payload_.read(*payload);
        const std::string_view type = line_.text_of("type");
        out.seconds = stored_seconds(line_.text_of("timestamp"));
        seconds_ = out.seconds;
        if (type == "session_meta") return read_meta();
        if (type == "turn_context") return read_context();
        if (type == "event_msg") read_event(out);
        if (type == "response_item" && !copied_) read_item(out);
        if (type == "compacted" && !copied_) events_.compacted(out, {});
    }

    std::size_t open_calls() const override { return calls_.size(); }

private:
    void read_meta() {
        if (!about_.id.empty()) return;  // copied with the history of the parent
        about_.id = payload_.text_of("id");
        about_.project = payload_.text_of("cwd");
        about_.version = payload_.text_of("cli_version");
        about_.parent = payload_.text_of("parent_thread_id");
        about_.fork = about_.parent.empty();
        if (about_.fork) about_.parent = payload_.text_of("forked_from_id");
        copied_ = !about_.parent.empty();
        const auto began = stored_seconds(payload_.text_of("timestamp"));
        began_ = began ? *began : 0;
    }

    void read_context() {
        if (copied_) return;
        if (const auto model = payload_.text_of("model"); !model.empty()) about_.model = model;
        if (about_.project.empty()) about_.project = payload_.text_of("cwd");
    }

    void read_event(StoredLine& out) {
        const std::string_view kind = payload_.text_of("type");
        if (kind == "task_started") {
            // A turn that began before this session did is the parent's.
            auto at = payload_.number_of("started_at");
            if (!at) at = seconds_of_id(payload_.text_of("turn_id"));
            if (!at || *at + 1 >= began_) copied_ = false;
        }
        if (kind == "token_count") return read_tokens(out);
        if (copied_) return;
        if (kind == "item_completed") read_completed();
        if (kind == "task_complete") read_end(out);
        if (kind == "turn_aborted") out.turn_ended = out.turn_cut = true;
        if (kind == "error") add_error(payload_.text_of("message"), {}, out);
    }

    /// The use since the last count: totals grow through a session, and a fork begins with its
    /// parent's.
    void read_tokens(StoredLine& out) {
        const auto info = payload_.find("info", JsonKind::kObject);
        if (!info) return;
        part_.read(*info);
        const auto all = part_.find("total_token_usage", JsonKind::kObject);
        if (!all) return;
        part_.read(*all);
        const LineTokens now = tokens_inside(
            stored_count(part_, "input_tokens"), stored_count(part_, "cached_input_tokens"),
            stored_count(part_, "cache_write_input_tokens"), stored_count(part_, "output_tokens"),
            stored_count(part_, "reasoning_output_tokens"));
        LineTokens more;
        more.input = without(now.input, total_.input);
        more.cached = without(now.cached, total_.cached);
        more.cache_write = without(now.cache_write, total_.cache_write);
        more.output = without(now.output, total_.output);
        more.reasoning = without(now.reasoning, total_.reasoning);
        total_ = now;
        if (copied_ || more.sum() == 0) return;
        out.use = StoredUse{about_.id + ":" + std::to_string(now.sum()), about_.model, more};
    }

    void read_completed() {
        const auto item = payload_.find("item", JsonKind::kObject);
        if (!item) return;
        part_.read(*item);
        if (part_.text_of("type") != "CommandExecution") return;
        StoredCall* call = calls_.find(part_.text_of("id"));
        const auto code = part_.number_of("exit_code");
        if (call != nullptr && code) call->exit_code = static_cast<std::int64_t>(*code);
    }

    void read_end(StoredLine& out) {
        const auto error = payload_.find("error", JsonKind::kObject);
        out.turn_ended = !error;
        if (!error) return;
        part_.read(*error);
        const std::string message{part_.text_of("message")};
        std::string kind{part_.text_of("codex_error_info")};
        if (const auto about = part_.find("codex_error_info", JsonKind::kObject))
            about->each([&](JsonValue member) {
                kind = member.key();
                return false;
            });
        add_error(message, kind, out);
    }

    void add_error(std::string_view message, std::string_view kind, StoredLine& out) {
        if (message.empty()) return;
        ToldError error{std::string(message), std::string(kind)};
        error.status = status_in(message);
        error.ends_turn = true;
        events_.error(out, error);
    }

    void read_item(StoredLine& out) {
        const std::string_view kind = payload_.text_of("type");
        if (kind == "message") read_message(out);
        if (kind == "function_call" || kind == "custom_tool_call") read_call(out);
        if (kind == "local_shell_call") read_shell(out);
        if (kind == "function_call_output" || kind == "custom_tool_call_output") read_result(out);
    }

    void read_message(StoredLine& out) {
        const auto content = payload_.find("content");
        if (!content) return;
        const std::string text = text_of_parts(*content);
        const std::string_view role = payload_.text_of("role");
        if (role == "assistant") return events_.message(out, "assistant", text);
        if (role != "user" || is_codex_word(text)) return;
        if (about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
        events_.message(out, "user", text);
    }

    void read_call(StoredLine& out) {
        StoredCall call;
        call.tool = payload_.text_of("name");
        const std::string_view space = payload_.text_of("namespace");
        if (space.starts_with("mcp__")) call.tool = std::string(space) + "__" + call.tool;
        call.args = payload_.text_of("arguments");
        if (const auto input = payload_.find("input", JsonKind::kString)) {
            call.args = "{\"input\":";
            input->append_to(call.args);
            call.args += '}';
        }
        call.seconds = seconds_;
        const std::string_view id = payload_.text_of("call_id");
        events_.started(out, id, call);
        calls_.start(id, std::move(call));
    }

    void read_shell(StoredLine& out) {
        StoredCall call;
        call.tool = "shell";
        if (const auto action = payload_.find("action")) action->append_to(call.args);
        call.seconds = seconds_;
        const std::string_view id = payload_.text_of("call_id");
        events_.started(out, id, call);
        calls_.start(id, std::move(call));
    }

    void read_result(StoredLine& out) {
        const std::string_view id = payload_.text_of("call_id");
        const auto output = payload_.find("output");
        const std::string text = output ? text_of_parts(*output) : std::string{};
        StoredCall call = calls_.finish(id);
        const auto code = call.exit_code ? call.exit_code : status_of_output(text);
        const bool cut = text == "aborted" || text.starts_with("aborted by user");
        const bool refused = api::hooks::says_refused(api::hooks::Refusing::kOfCodex, text);
        StoredResult result;
        result.ok = !cut && !refused && (!code || *code == 0);
        if (!result.ok) result.error_class = refused ? "denied" : cut ? "cancelled" : "";
        result.text = output_of(text);
        result.seconds = seconds_;
        events_.finished(out, id, call, result);
    }

    LineMembers line_;
    LineMembers payload_;
    LineMembers part_;
    StoredEvents events_;
    StoredCalls calls_;
    LineTokens total_;
    std::optional<double> seconds_;
    double began_ = 0;     ///< seconds since 1970
    bool copied_ = false;  ///< the lines are the parent's
};

std::unique_ptr<StoreReader> make_codex() {
    return std::make_unique<CodexStore>();
}

}  // namespace

const StoreFormat kCodexStore{"codex",    codex_matters,      codex_begins,
                              make_codex, StoreShape::kLines, kCodexUnread};

}  // namespace headway::cli
