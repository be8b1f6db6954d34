// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "cli/base/text.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

// pi: agent/sessions/FOLDER/TIME_ID.jsonl. A try that failed is a message with `stopReason` error.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

bool pi_matters(std::string_view line) {
    const std::string_view head = line.substr(0, 40);
    return head.find("\"message\"") != std::string_view::npos ||
           head.find("\"session\"") != std::string_view::npos ||
           head.find("\"compaction\"") != std::string_view::npos;
}

bool pi_begins(JsonValue line) {
    LineMembers members;
    members.read(line);
    return members.text_of("type") == "session" && members.find("version") && members.find("cwd");
}

class PiStore final : public StoreReader {
public:
    PiStore() { about_.agent = "pi"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        const std::string_view type = line_.text_of("type");
        out.seconds = stored_seconds(line_.text_of("timestamp"));
        seconds_ = out.seconds;
        if (type == "session" && about_.id.empty()) {
            about_.id = line_.text_of("id");
            about_.project = line_.text_of("cwd");
        }
        if (type == "compaction") events_.compacted(out, {});
        const auto message = line_.find("message", JsonKind::kObject);
        if (type != "message" || !message) return;
        message_.read(*message);
        const std::string_view role = message_.text_of("role");
        if (role == "user") read_person(out);
        if (role == "assistant") read_assistant(out);
        if (role == "toolResult") read_result(out);
    }

    std::size_t open_calls() const override { return calls_.size(); }

private:
    void read_person(StoredLine& out) {
        const auto content = message_.find("content");
        const std::string text = content ? text_of_parts(*content) : std::string{};
        if (about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
        events_.message(out, "user", text);
    }

    void read_assistant(StoredLine& out) {
        if (message_.text_of("stopReason") == "error") {
            const std::string words{message_.text_of("errorMessage")};
            ToldError error{words.empty() ? "the model's API gave an error" : words};
            error.status = status_in(words);
            events_.error(out, error);
            return;
        }
        const std::string_view stop = message_.text_of("stopReason");
        out.turn_cut = stop == "aborted";
        out.turn_ended = stop == "stop" || out.turn_cut;
        if (const auto model = message_.text_of("model"); !model.empty()) about_.model = model;
        const auto content = message_.find("content", JsonKind::kArray);
        if (content) {
            content->each([&](JsonValue part) {
                if (part.kind() != JsonKind::kObject) return true;
                part_.read(part);
                if (part_.text_of("type") == "text")
                    events_.message(out, "assistant", part_.text_of("text"));
                if (part_.text_of("type") == "toolCall") start_call(out);
                return true;
            });
        }
        read_use(out);
    }

    void start_call(StoredLine& out) {
        StoredCall call;
        call.tool = part_.text_of("name");
        if (const auto args = part_.find("arguments")) args->append_to(call.args);
        call.seconds = seconds_;
        const std::string_view id = part_.text_of("id");
        events_.started(out, id, call);
        calls_.start(id, std::move(call));
    }

    void read_use(StoredLine& out) {
        const auto usage = message_.find("usage", JsonKind::kObject);
        if (!usage) return;
        part_.read(*usage);
        StoredUse use;
        use.answer = std::string(line_.text_of("timestamp")) + ":" +
                     std::string(line_.text_of("id"));  // as a fork copies it
        use.model = about_.model;
        use.tokens.input = stored_count(part_, "input");
        use.tokens.output = stored_count(part_, "output");
        use.tokens.cached = stored_count(part_, "cacheRead");
        use.tokens.cache_write = stored_count(part_, "cacheWrite");
        if (use.tokens.sum() > 0) out.use = std::move(use);
    }

    void read_result(StoredLine& out) {
        const auto content = message_.find("content");
        const std::string text = content ? text_of_parts(*content) : std::string{};
        const auto error = message_.find("isError", JsonKind::kBoolean);
        StoredResult result;
        result.ok = !error || !error->boolean();
        result.text = text;
        result.seconds = seconds_;
        const std::string_view id = message_.text_of("toolCallId");
        const StoredCall call = calls_.finish(id);
        events_.finished(out, id, call, result);
    }

    LineMembers line_;
    LineMembers message_;
    LineMembers part_;
    StoredEvents events_;
    StoredCalls calls_;
    std::optional<double> seconds_;
};

std::unique_ptr<StoreReader> make_pi() {
    return std::make_unique<PiStore>();
}

}  // namespace

const StoreFormat kPiStore{"pi", pi_matters, pi_begins, make_pi};

}  // namespace headway::cli
