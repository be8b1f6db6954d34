// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"
#include "core/text/text.hpp"

// Gemini CLI 0.6x: tmp/NAME/chats/session-*.jsonl. A message is written again with its calls when
// they have ended. Errors, and calls that were cut off, are not stored. A command that fails has
// the status "success" and prints its exit status.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

bool gemini_matters(std::string_view line) {
    return !line.starts_with("{\"$set\"");
}

bool gemini_begins(JsonValue line) {
    LineMembers members;
    members.read(line);
    return !members.text_of("sessionId").empty() && members.find("projectHash");
}

class GeminiStore final : public StoreReader {
public:
    GeminiStore() { about_.agent = "gemini"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        out.seconds = stored_seconds(line_.text_of("timestamp"));
        if (line_.find("projectHash")) return read_head();
        const std::string_view type = line_.text_of("type");
        const bool fresh = messages_.insert(core::digest_of(line_.text_of("id")).low).second;
        if (type == "user" && fresh) read_person(out);
        if (type != "gemini") return;
        if (const auto model = line_.text_of("model"); !model.empty()) about_.model = model;
        if (fresh) {
            const auto content = line_.find("content");
            events_.message(out, "assistant", content ? text_of_parts(*content) : std::string{});
            read_use(out);
        }
        if (const auto calls = line_.find("toolCalls", JsonKind::kArray)) {
            calls->each([&](JsonValue call) {
                if (call.kind() == JsonKind::kObject) read_call(call, out);
                return true;
            });
        }
    }

    std::size_t open_calls() const override { return 0; }  // they are not stored

private:
    void read_head() {
        if (!about_.id.empty()) return;
        about_.id = line_.text_of("sessionId");
        const auto folders = line_.find("directories", JsonKind::kArray);
        if (!folders) return;
        folders->each([this](JsonValue folder) {
            if (folder.kind() == JsonKind::kString) about_.project = folder.text();
            return false;
        });
    }

    void read_person(StoredLine& out) {
        const auto content = line_.find("content");
        const std::string text = content ? text_of_parts(*content) : std::string{};
        if (text.empty() || text.starts_with("<session_context")) return;
        if (about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
        events_.message(out, "user", text);
    }

    void read_use(StoredLine& out) {
        const auto tokens = line_.find("tokens", JsonKind::kObject);
        if (!tokens) return;
        part_.read(*tokens);
        const std::uint64_t thought = stored_count(part_, "thoughts");
        StoredUse use;
        use.answer = line_.text_of("id");
        use.model = about_.model;
        use.tokens = tokens_inside(stored_count(part_, "input"), stored_count(part_, "cached"), 0,
                                   stored_count(part_, "output") + thought, thought);
        if (use.tokens.sum() > 0) out.use = std::move(use);
    }

    void read_call(JsonValue about, StoredLine& out) {
        part_.read(about);
        const std::string id{part_.text_of("id")};
        if (!part_.find("result") || !calls_.insert(core::digest_of(id).low).second) return;
        StoredCall call;
        call.tool = part_.text_of("name");
        if (const auto args = part_.find("args")) args->append_to(call.args);
        const bool success = part_.text_of("status") == "success";
        const std::string text = text_of_result(*part_.find("result"));
        StoredResult result;
        const bool refused = api::hooks::says_refused(api::hooks::Refusing::kOfGemini, text);
        result.ok = success && !refused && !says_exit_status(text);
        if (refused) result.error_class = "denied";
        result.text = text;
        events_.finished(out, id, call, result);
    }

    /// Text of `[{"functionResponse":{"response":{"output"|"error": TEXT}}}]`; JSON of anything
    /// else.
    std::string text_of_result(JsonValue result) {
        std::string text;
        const auto look = [&](JsonValue part) {
            if (part.kind() != JsonKind::kObject) return true;
            part_.read(part);
            const auto response = part_.find("functionResponse", JsonKind::kObject);
            if (!response) return true;
            part_.read(*response);
            const auto answer = part_.find("response", JsonKind::kObject);
            if (!answer) return true;
            part_.read(*answer);
            text += part_.text_of(part_.find("error") ? "error" : "output");
            return true;
        };
        if (result.kind() == JsonKind::kArray) result.each(look);
        if (text.empty()) result.append_to(text);
        return text;
    }

    LineMembers line_;
    LineMembers part_;
    StoredEvents events_;
    // Digests of ids; as many as the file has messages.
    std::unordered_set<std::uint64_t> messages_;
    std::unordered_set<std::uint64_t> calls_;
};

std::unique_ptr<StoreReader> make_gemini() {
    return std::make_unique<GeminiStore>();
}

}  // namespace

const StoreFormat kGeminiStore{"gemini", gemini_matters, gemini_begins, make_gemini};

}  // namespace headway::cli
