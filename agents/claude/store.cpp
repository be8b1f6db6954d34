// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

// Claude Code 2: projects/FOLDER/SESSION.jsonl, and a file for each sub-agent below it. Lines of an
// answer have one id and the same use of tokens.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

/// Where a line says what it is, in the order in which the agent writes its members.
constexpr std::size_t kHeadBytes = 512;

bool holds(std::string_view head, std::string_view text) {
    return head.find(text) != std::string_view::npos;
}

bool claude_matters(std::string_view line) {
    const std::string_view start = line.substr(0, 40);
    if (start.starts_with("{\"type\":\"") || start.starts_with("{\"type\": \"")) {
        for (const std::string_view type : {"\"user\"", "\"assistant\"", "\"system\""})
            if (holds(start, type)) return true;
        return false;
    }
    const std::string_view head = line.substr(0, kHeadBytes);
    const std::size_t attached = head.find("\"attachment\":");
    // Behind the message it is an argument of a call.
    return attached == std::string_view::npos || holds(head.substr(0, attached), "\"message\":");
}

bool claude_begins(JsonValue line) {
    LineMembers members;
    members.read(line);
    return !members.text_of("sessionId").empty() && !members.text_of("type").empty();
}

/// The result of a call once more, as an object.
constexpr std::array<std::string_view, 1> kClaudeUnread{"toolUseResult"};

bool flag_of(const LineMembers& of, std::string_view name) {
    const auto value = of.find(name, JsonKind::kBoolean);
    return value && value->boolean();
}

constexpr std::string_view kInterrupted = "[Request interrupted";

/// Words that the agent puts into the conversation in the place of a person.
bool is_own_word(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kOwn{
        "<task-notification", "<system-reminder",           "<local-command-",
        "<command-name>",     "Caveat: The messages below", kInterrupted};
    return std::any_of(kOwn.begin(), kOwn.end(),
                       [text](std::string_view own) { return text.starts_with(own); });
}

std::string_view class_of_claude(std::string_view error) {
    using api::hooks::Refusing;
    if (api::hooks::says_refused(Refusing::kOfClaude, error)) return "denied";
    if (holds(error.substr(0, 200), "No such tool available")) return "unknown_tool";
    if (holds(error.substr(0, 200), "InputValidationError")) return "json_parse";
    return {};
}

class ClaudeStore final : public StoreReader {
public:
    ClaudeStore() { about_.agent = "claude"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        const std::string_view type = line_.text_of("type");
        note_about();
        out.seconds = stored_seconds(line_.text_of("timestamp"));
        seconds_ = out.seconds;
        message_ = {};
        if (const auto message = line_.find("message", JsonKind::kObject)) message_.read(*message);
        if (type == "assistant") read_assistant(out);
        if (type == "user") read_user(out);
        if (type == "system") read_system(out);
    }

    std::size_t open_calls() const override { return calls_.size(); }

private:
    void note_about() {
        if (about_.id.empty()) {
            const std::string_view agent = line_.text_of("agentId");
            about_.id = agent.empty() ? line_.text_of("sessionId") : agent;
            if (!agent.empty()) about_.parent = line_.text_of("sessionId");
        }
        if (about_.project.empty()) about_.project = line_.text_of("cwd");
        if (const auto version = line_.text_of("version"); !version.empty())
            about_.version = version;
    }

    void read_assistant(StoredLine& out) {
        const auto content = message_.find("content");
        if (!content) return;
        if (flag_of(line_, "isApiErrorMessage")) return read_error(*content, out);
        const std::string_view model = message_.text_of("model");
        if (model.empty() || model == "<synthetic>") return;  // words of the agent itself
        about_.model = model;
        const std::string_view stop = message_.text_of("stop_reason");
        out.turn_cut = stop == "refusal";
        out.turn_goes_on = stop == "tool_use";
        out.turn_ended = stop == "end_turn" || stop == "stop_sequence" || out.turn_cut;
        content->each([&](JsonValue part) {
            read_part(part, out);
            return true;
        });
        read_use(out);
    }

    void read_part(JsonValue part, StoredLine& out) {
        if (part.kind() != JsonKind::kObject) return;
        part_.read(part);
        if (part_.text_of("type") == "text")
            events_.message(out, "assistant", part_.text_of("text"));
        if (part_.text_of("type") != "tool_use") return;
        StoredCall call;
        call.tool = part_.text_of("name");
        if (const auto input = part_.find("input")) input->append_to(call.args);
        call.seconds = seconds_;
        const std::string_view id = part_.text_of("id");
        events_.started(out, id, call);
        calls_.start(id, std::move(call));
    }

    void read_use(StoredLine& out) {
        const auto usage = message_.find("usage", JsonKind::kObject);
        if (!usage || message_.text_of("id").empty()) return;
        part_.read(*usage);
        StoredUse use;
        use.answer = message_.text_of("id");
        use.model = message_.text_of("model");
        use.tokens.input = stored_count(part_, "input_tokens");
        use.tokens.output = stored_count(part_, "output_tokens");
        use.tokens.cached = stored_count(part_, "cache_read_input_tokens");
        use.tokens.cache_write = stored_count(part_, "cache_creation_input_tokens");
        out.use = std::move(use);
    }

    /// The agent's own words where an answer of the model should stand.
    void read_error(JsonValue content, StoredLine& out) {
        ToldError error{text_of_parts(content), std::string(line_.text_of("error"))};
        if (error.message.empty()) error.message = error.error_class;
        const std::uint64_t status = stored_count(line_, "apiErrorStatus");
        if (status >= 400 && status < 600) error.status = status;
        if (line_.text_of("apiError") == "usage_limit_reached" || line_.find("quotaLimits"))
            error.error_class = "usage_limit";
        error.ends_turn = true;
        events_.error(out, error);
    }

    void read_user(StoredLine& out) {
        const auto content = message_.find("content");
        if (!content) return;
        const bool own = flag_of(line_, "isMeta") || flag_of(line_, "isCompactSummary");
        if (content->kind() == JsonKind::kString) {
            if (!own) add_person(content->text(), out);
            return;
        }
        if (content->kind() != JsonKind::kArray) return;
        content->each([&](JsonValue part) {
            if (part.kind() != JsonKind::kObject) return true;
            part_.read(part);
            const std::string_view type = part_.text_of("type");
            if (type == "tool_result") read_result(out);
            if (type == "text" && !own) add_person(part_.text_of("text"), out);
            return true;
        });
    }

    void add_person(std::string_view text, StoredLine& out) {
        if (text.starts_with(kInterrupted)) out.turn_ended = out.turn_cut = true;
        if (is_own_word(text) || line_.find("origin")) return;
        if (about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
        events_.message(out, "user", text);
    }

    void read_result(StoredLine& out) {
        const std::string_view id = part_.text_of("tool_use_id");
        const auto content = part_.find("content");
        const std::string text = content ? text_of_parts(*content) : std::string{};
        StoredResult result;
        result.ok = !flag_of(part_, "is_error");
        result.text = text;
        result.seconds = seconds_;
        // Told at a resume of a call that was cut off: its outcome is not known.
        const bool cut = text.starts_with("[Tool call interrupted");
        if (cut) result.ok = false;
        if (!result.ok) result.error_class = cut ? "cancelled" : class_of_claude(text);
        const StoredCall call = calls_.finish(id);
        events_.finished(out, id, call, result);
    }

    void read_system(StoredLine& out) {
        const std::string_view kind = line_.text_of("subtype");
        if (kind == "compact_boundary") events_.compacted(out, {});
        if (kind != "api_error") return;
        const auto failure = line_.find("error", JsonKind::kObject);
        ToldError error{"the model's API is tried again"};
        if (failure) {
            part_.read(*failure);
            if (!part_.text_of("formatted").empty()) error.message = part_.text_of("formatted");
            const std::uint64_t status = stored_count(part_, "status");
            if (status >= 400 && status < 600) error.status = status;
        }
        error.retryable = true;
        events_.error(out, error);
    }

    LineMembers line_;
    LineMembers message_;
    LineMembers part_;
    StoredEvents events_;
    StoredCalls calls_;
    std::optional<double> seconds_;
};

std::unique_ptr<StoreReader> make_claude() {
    return std::make_unique<ClaudeStore>();
}

}  // namespace

const StoreFormat kClaudeStore{"claude",    claude_matters,     claude_begins,
                               make_claude, StoreShape::kLines, kClaudeUnread};

}  // namespace headway::cli
