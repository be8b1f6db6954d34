// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

// Copilot CLI 1: session-state/ID/events.jsonl, each line `{"type","data","id","timestamp"}`. Calls
// of sub-agents stand among the others. A command that fails has `success` true and an exit status.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

bool copilot_matters(std::string_view line) {
    const std::string_view head = line.substr(0, 60);
    for (const std::string_view type : {"\"hook.", "\"system.message\"", "\"assistant.turn_"})
        if (head.find(type) != std::string_view::npos) return false;
    return true;
}

bool copilot_begins(JsonValue line) {
    LineMembers members;
    members.read(line);
    if (members.text_of("type") != "session.start") return false;
    const auto data = members.find("data", JsonKind::kObject);
    if (!data) return false;
    members.read(*data);
    return !members.text_of("sessionId").empty();
}

class CopilotStore final : public StoreReader {
public:
    CopilotStore() { about_.agent = "copilot"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        const auto data = line_.find("data", JsonKind::kObject);
        if (!data) return;
        data_.read(*data);
        const std::string_view type = line_.text_of("type");
        out.seconds = stored_seconds(line_.text_of("timestamp"));
        seconds_ = out.seconds;
        if (type == "session.start") read_start();
        if (type == "user.message") read_person(out);
        if (type == "assistant.message") read_assistant(out);
        if (type == "tool.execution_start") start_call(out);
        if (type == "tool.execution_complete") read_result(out);
        if (type == "session.usage_record") read_use(out);
        if (type == "session.error") read_error(out);
        if (type == "abort" && !is_below()) out.turn_ended = out.turn_cut = true;
        if (type == "session.compaction_complete") events_.compacted(out, {});
    }

    std::size_t open_calls() const override { return calls_.size(); }

private:
    void read_start() {
        if (!about_.id.empty()) return;
        about_.id = data_.text_of("sessionId");
        about_.version = data_.text_of("copilotVersion");
        about_.model = data_.text_of("selectedModel");
        if (const auto context = data_.find("context", JsonKind::kObject)) {
            part_.read(*context);
            about_.project = part_.text_of("cwd");
        }
    }

    void read_assistant(StoredLine& out) {
        events_.message(out, "assistant", data_.text_of("content"));
        // The last answer asks for no call; that of a sub-agent ends no turn of the session.
        const auto calls = data_.find("toolRequests", JsonKind::kArray);
        if (!calls || data_.find("parentToolCallId")) return;
        out.turn_ended = true;
        calls->each([&out](JsonValue) { return out.turn_ended = false; });
        out.turn_goes_on = !out.turn_ended;
    }

    void read_person(StoredLine& out) {
        const std::string_view text = data_.text_of("content");
        if (about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
        events_.message(out, "user", text);
    }

    void start_call(StoredLine& out) {
        StoredCall call;
        call.tool = data_.text_of("toolName");
        if (const auto args = data_.find("arguments")) args->append_to(call.args);
        call.seconds = seconds_;
        const std::string_view id = data_.text_of("toolCallId");
        events_.started(out, id, call);
        calls_.start(id, std::move(call));
    }

    void read_result(StoredLine& out) {
        const std::string_view id = data_.text_of("toolCallId");
        std::string text;
        for (const char* name : {"result", "error"}) {
            const auto value = data_.find(name);
            if (!value || !text.empty()) continue;
            if (value->kind() == JsonKind::kString) text = value->text();
            if (value->kind() != JsonKind::kObject) continue;
            part_.read(*value);
            text = part_.text_of(part_.find("content") ? "content" : "message");
        }
        const auto success = data_.find("success", JsonKind::kBoolean);
        double exit = 0;
        if (const auto shell = data_.find("shellExecution", JsonKind::kObject)) {
            part_.read(*shell);
            exit = part_.number_of("exitCode").value_or(0);
        }
        StoredResult result;
        // A result that does not say so is no success.
        result.ok = success && success->boolean() && exit == 0;
        const bool refused = api::hooks::says_refused(api::hooks::Refusing::kOfCopilot, text);
        if (refused) result.ok = false;
        if (!result.ok && refused) result.error_class = "denied";
        result.text = text;
        result.seconds = seconds_;
        const StoredCall call = calls_.finish(id);
        events_.finished(out, id, call, result);
    }

    void read_use(StoredLine& out) {
        const auto usage = data_.find("usage", JsonKind::kObject);
        if (!usage) return;
        part_.read(*usage);
        if (const auto model = part_.text_of("model"); !model.empty()) about_.model = model;
        const std::uint64_t cached = stored_count(part_, "cacheReadTokens");
        StoredUse use;
        use.answer = line_.text_of("id");
        use.model = about_.model;
        use.tokens = tokens_inside(stored_count(part_, "inputTokens"), cached,
                                   stored_count(part_, "cacheWriteTokens"),
                                   stored_count(part_, "outputTokens"), 0);
        if (use.tokens.sum() > 0) out.use = std::move(use);
    }

    bool is_below() const { return !line_.text_of("agentId").empty(); }

    // An error of a hook ends nothing, and one of a sub-agent no turn of the session.
    void read_error(StoredLine& out) {
        if (data_.text_of("errorType") == "hook") {
            const std::string words{data_.text_of("message")};
            return events_.message(out, "system", "a hook has failed: " + words);
        }
        ToldError error{std::string(data_.text_of("message")),
                        std::string(data_.text_of("errorType"))};
        if (error.error_class == "query") error.error_class.clear();  // says nothing of the cause
        const std::uint64_t status = stored_count(data_, "statusCode");
        if (status >= 400 && status < 600) error.status = status;
        error.ends_turn = !is_below();
        events_.error(out, error);
    }

    LineMembers line_;
    LineMembers data_;
    LineMembers part_;
    StoredEvents events_;
    StoredCalls calls_;
    std::optional<double> seconds_;
};

std::unique_ptr<StoreReader> make_copilot() {
    return std::make_unique<CopilotStore>();
}

}  // namespace

const StoreFormat kCopilotStore{"copilot", copilot_matters, copilot_begins, make_copilot};

}  // namespace headway::cli
