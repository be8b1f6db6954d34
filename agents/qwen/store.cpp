// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

// Qwen Code 0.24: projects/FOLDER/chats/ID.jsonl. Tokens and errors of the model's API stand in
// lines of its telemetry.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

bool qwen_matters(std::string_view line) {
    return line.substr(0, 600).find("\"attribution_snapshot\"") == std::string_view::npos;
}

bool qwen_begins(JsonValue line) {
    LineMembers members;
    members.read(line);
    return !members.text_of("sessionId").empty() && members.find("provenance");
}

class QwenStore final : public StoreReader {
public:
    QwenStore() { about_.agent = "qwen"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        const std::string_view type = line_.text_of("type");
        if (about_.id.empty()) about_.id = line_.text_of("sessionId");
        if (about_.project.empty()) about_.project = line_.text_of("cwd");
        if (const auto version = line_.text_of("version"); !version.empty())
            about_.version = version;
        if (const auto model = line_.text_of("model"); !model.empty()) about_.model = model;
        out.seconds = stored_seconds(line_.text_of("timestamp"));
        seconds_ = out.seconds;
        if (type == "system") return read_system(out);
        const auto message = line_.find("message", JsonKind::kObject);
        if (!message) return;
        part_.read(*message);
        const auto parts = part_.find("parts", JsonKind::kArray);
        if (!parts) return;
        asks_ = false;
        parts->each([&](JsonValue part) {
            if (part.kind() == JsonKind::kObject) read_part(type, part, out);
            return true;
        });
        out.turn_ended = type == "assistant" && !asks_;
    }

    std::size_t open_calls() const override { return calls_.size(); }

private:
    void read_part(std::string_view type, JsonValue part, StoredLine& out) {
        part_.read(part);
        if (const auto call = part_.find("functionCall", JsonKind::kObject)) {
            asks_ = true;
            return start_call(*call, out);
        }
        if (const auto response = part_.find("functionResponse", JsonKind::kObject))
            return read_result(*response, out);
        const auto thought = part_.find("thought", JsonKind::kBoolean);
        if (thought && thought->boolean()) return;
        const std::string_view text = part_.text_of("text");
        if (type == "assistant") events_.message(out, "assistant", text);
        if (type != "user" || line_.text_of("provenance") != "real_user") return;
        if (about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
        events_.message(out, "user", text);
    }

    void start_call(JsonValue about, StoredLine& out) {
        part_.read(about);
        StoredCall call;
        call.tool = part_.text_of("name");
        if (const auto args = part_.find("args")) args->append_to(call.args);
        call.seconds = seconds_;
        const std::string_view id = part_.text_of("id");
        events_.started(out, id, call);
        calls_.start(id, std::move(call));
    }

    void read_result(JsonValue about, StoredLine& out) {
        part_.read(about);
        const std::string id{part_.text_of("id")};
        std::string text;
        bool failed = false;
        if (const auto response = part_.find("response", JsonKind::kObject)) {
            part_.read(*response);
            failed = part_.find("error").has_value();
            text = part_.text_of(failed ? "error" : "output");
        }
        StoredResult result;
        const bool refused = api::hooks::says_refused(api::hooks::Refusing::kOfQwen, text);
        result.ok = !failed && !refused && !says_exit_status(text);
        if (refused) result.error_class = "denied";
        result.text = text;
        result.seconds = seconds_;
        const StoredCall call = calls_.finish(id);
        events_.finished(out, id, call, result);
    }

    void read_system(StoredLine& out) {
        const auto payload = line_.find("systemPayload", JsonKind::kObject);
        if (line_.text_of("subtype") == "chat_compression") events_.compacted(out, {});
        if (!payload) return;
        part_.read(*payload);
        const auto event = part_.find("uiEvent", JsonKind::kObject);
        if (!event) return;
        part_.read(*event);
        const std::string_view name = part_.text_of("event.name");
        if (name == "qwen-code.api_response") read_use(out);
        if (name != "qwen-code.api_error") return;
        ToldError error{std::string(part_.text_of("error_message"))};
        const std::uint64_t status = stored_count(part_, "status_code");
        if (status >= 400 && status < 600) error.status = status;
        events_.error(out, error);
    }

    void read_use(StoredLine& out) {
        const std::uint64_t thought = stored_count(part_, "thoughts_token_count");
        StoredUse use;
        // Some servers number their answers, others name none.
        use.answer = about_.id + ":" + std::string(line_.text_of("timestamp")) + ":" +
                     std::string(part_.text_of("response_id"));
        use.model = part_.text_of("model");
        use.tokens = tokens_inside(stored_count(part_, "input_token_count"),
                                   stored_count(part_, "cached_content_token_count"), 0,
                                   stored_count(part_, "output_token_count") + thought, thought);
        if (use.tokens.sum() > 0) out.use = std::move(use);
    }

    LineMembers line_;
    LineMembers part_;
    StoredEvents events_;
    StoredCalls calls_;
    bool asks_ = false;  ///< the message has a call
    std::optional<double> seconds_;
};

std::unique_ptr<StoreReader> make_qwen() {
    return std::make_unique<QwenStore>();
}

}  // namespace

const StoreFormat kQwenStore{"qwen", qwen_matters, qwen_begins, make_qwen};

}  // namespace headway::cli
