// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/line_words.hpp"
#include "cli/records/recorded_event.hpp"
#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

// Cline 3: data/sessions/ID/ID.messages.json, one document that is rewritten each time: a head,
// and messages in an array. ID.json beside it has the folder and the model.

namespace headway::cli {
namespace {

using api::JsonKind;
using api::JsonValue;

/// The words of a person without the element that the agent puts around them.
std::string_view inside_of_element(std::string_view text) {
    if (!text.starts_with("<user_input")) return text;
    const std::size_t begin = text.find('>');
    const std::size_t end = text.rfind("</user_input>");
    if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin)
        return text;
    return text.substr(begin + 1, end - begin - 1);
}

class ClineStore final : public StoreReader {
public:
    ClineStore() { about_.agent = "cline"; }

    void take(JsonValue line, StoredLine& out) override {
        line_.read(line);
        if (!line_.find("role")) return read_head();
        const auto at = line_.number_of("ts");
        if (at) out.seconds = *at / 1'000.0;
        seconds_ = out.seconds;
        const auto content = line_.find("content");
        if (!content) return;
        if (is_error()) return read_error(*content, out);
        const bool person = line_.text_of("role") == "user";
        if (content->kind() == JsonKind::kString) add_words(person, content->text(), out);
        if (content->kind() == JsonKind::kArray) {
            content->each([&](JsonValue part) {
                if (part.kind() == JsonKind::kObject) read_part(part, person, out);
                return true;
            });
        }
        read_use(out);
    }

    std::size_t open_calls() const override { return calls_.size(); }

private:
    /// Reads the head of the messages, and of the file beside them.
    void read_head() {
        take_word(about_.id, line_.text_of("sessionId"));
        take_word(about_.id, line_.text_of("session_id"));
        take_word(about_.project, line_.text_of("cwd"));
        take_word(about_.model, line_.text_of("model"));
        take_word(about_.parent, line_.text_of("parent_session_id"));
        if (const auto origin = line_.find("origin", JsonKind::kObject)) {
            part_.read(*origin);
            take_word(about_.version, part_.text_of("version"));
        }
    }

    bool is_error() {
        const auto about = line_.find("metadata", JsonKind::kObject);
        if (!about) return false;
        part_.read(*about);
        return part_.text_of("displayRole") == "error";
    }

    void read_error(JsonValue content, StoredLine& out) {
        ToldError error{text_of_parts(content)};
        error.status = status_in(error.message);
        error.ends_turn = true;
        if (!error.message.empty()) events_.error(out, error);
    }

    void add_words(bool person, std::string_view text, StoredLine& out) {
        const std::string_view words = person ? inside_of_element(text) : text;
        if (person && about_.goal.empty()) about_.goal = cut_bytes(words, kStoredGoalBytesMax);
        events_.message(out, person ? "user" : "assistant", words);
    }

    void read_part(JsonValue part, bool person, StoredLine& out) {
        part_.read(part);
        const std::string_view type = part_.text_of("type");
        if (type == "text") add_words(person, part_.text_of("text"), out);
        if (type == "tool_use") {
            StoredCall call;
            call.tool = part_.text_of("name");
            if (const auto input = part_.find("input")) input->append_to(call.args);
            call.seconds = seconds_;
            calls_.start(part_.text_of("id"), std::move(call));
        }
        if (type == "tool_result") read_result(out);
    }

    void read_result(StoredLine& out) {
        const std::string id{part_.text_of("tool_use_id")};
        const auto wrong = part_.find("is_error", JsonKind::kBoolean);
        bool failed = wrong && wrong->boolean();
        std::string text;
        if (const auto content = part_.find("content")) {
            text = text_of_parts(*content);
            if (content->kind() == JsonKind::kArray)
                failed = add_outcomes(*content, text) || failed;
        }
        StoredResult result;
        const bool refused = api::hooks::says_refused(api::hooks::Refusing::kOfCline, text);
        const bool cut = text.find("Command was aborted") != std::string::npos;
        result.ok = !failed && !refused;
        if (!result.ok) result.error_class = refused ? "denied" : cut ? "cancelled" : "";
        result.text = text;
        result.seconds = seconds_;
        const StoredCall call = calls_.finish(id);
        events_.finished(out, id, call, result);
    }

    /// Adds the outcomes of `[{"query","result","error","success"}]`, one per command; true if one
    /// of them failed.
    bool add_outcomes(JsonValue content, std::string& text) {
        bool failed = false;
        content.each([&](JsonValue outcome) {
            if (outcome.kind() != JsonKind::kObject) return true;
            part_.read(outcome);
            const auto success = part_.find("success", JsonKind::kBoolean);
            failed = failed || (success && !success->boolean());
            const std::string_view printed = part_.text_of("result");
            const std::string_view wording = printed.empty() ? part_.text_of("error") : printed;
            if (!wording.empty()) text.append(text.empty() ? "" : "\n").append(wording);
            return true;
        });
        return failed;
    }

    void read_use(StoredLine& out) {
        const auto metrics = line_.find("metrics", JsonKind::kObject);
        const std::string_view id = line_.text_of("id");
        if (!metrics || id.empty()) return;
        part_.read(*metrics);
        StoredUse use;
        use.tokens.input = stored_count(part_, "inputTokens");
        use.tokens.output = stored_count(part_, "outputTokens");
        use.tokens.cached = stored_count(part_, "cacheReadTokens");
        use.tokens.cache_write = stored_count(part_, "cacheWriteTokens");
        use.answer = id;
        if (const auto model = line_.find("modelInfo", JsonKind::kObject)) {
            part_.read(*model);
            if (const auto name = part_.text_of("id"); !name.empty())
                about_.model = cut_bytes(name, kStoredWordBytesMax);
        }
        use.model = about_.model;
        if (use.tokens.sum() > 0) out.use = std::move(use);
    }

    LineMembers line_;
    LineMembers part_;
    StoredEvents events_;
    StoredCalls calls_;
    std::optional<double> seconds_;
};

std::unique_ptr<StoreReader> make_cline() {
    return std::make_unique<ClineStore>();
}

/// Its name says what the file is.
bool cline_begins(JsonValue) {
    return false;
}

}  // namespace

const StoreFormat kClineStore{"cline", nullptr, cline_begins, make_cline, StoreShape::kMessages};

}  // namespace headway::cli
