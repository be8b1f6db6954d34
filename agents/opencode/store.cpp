// SPDX-License-Identifier: Apache-2.0
#include "agents/opencode/store.hpp"

#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/base/text.hpp"

// opencode 1.18, Kilo 7.7: rows of one SQLite file, with JSON in their column `data`. Rows are
// written again as they change. A command that fails is `completed` and has its exit status.

namespace headway::cli {

using api::JsonKind;
using api::JsonValue;

namespace {

double milliseconds_as_seconds(double millis) {
    return millis / 1'000.0;
}

std::optional<std::uint64_t> status_of_row(const LineMembers& of, std::string_view name) {
    const std::uint64_t status = stored_count(of, name);
    return status >= 400 && status < 600 ? std::optional{status} : std::nullopt;
}

std::string copy_of(std::string_view text) {
    return std::string(cut_bytes(text, kStoredWordBytesMax));
}

}  // namespace

void OpencodeReader::message(std::string_view id, std::int64_t created, JsonValue data,
                             StoredLine& out) {
    flush_error(out);
    out.seconds = milliseconds_as_seconds(static_cast<double>(created));
    part_.read(data);
    Message about;
    about.person = part_.text_of("role") == "user";
    about.model = copy_of(part_.text_of("modelID"));
    if (!about.model.empty()) about_.model = about.model;
    if (const auto path = part_.find("path", JsonKind::kObject); path && about_.project.empty()) {
        inner_.read(*path);
        about_.project = copy_of(inner_.text_of("cwd"));
    }
    about.origin = about_.agent + ":" + about.model + ":";
    if (const auto time = part_.find("time")) time->append_to(about.origin);
    if (const auto error = part_.find("error", JsonKind::kObject)) {
        inner_.read(*error);
        ToldError told_error{{}, std::string(inner_.text_of("name"))};
        if (const auto more = inner_.find("data", JsonKind::kObject)) {
            more_.read(*more);
            told_error.message = more_.text_of("message");
            told_error.status = status_of_row(more_, "statusCode");
            if (const auto again = more_.find("isRetryable", JsonKind::kBoolean))
                told_error.retryable = again->boolean();
        }
        if (told_error.message.empty()) told_error.message = told_error.error_class;
        told_error.ends_turn = true;
        if (!told_error.message.empty()) error_ = std::move(told_error);
    }
    message_of(id) = std::move(about);
}

void OpencodeReader::part(std::string_view message, std::int64_t created, JsonValue data,
                          StoredLine& out) {
    out.seconds = milliseconds_as_seconds(static_cast<double>(created));
    Message& of = message_of(message);
    part_.read(data);
    const std::string_view type = part_.text_of("type");
    if (type == "text") read_text(of, out);
    if (type == "tool") read_call(out);
    if (type == "step-finish") read_step(of, out);
    if (type == "compaction") events_.compacted(out, {});
}

OpencodeReader::Message& OpencodeReader::message_of(std::string_view id) {
    std::string name = copy_of(id);
    const auto known = messages_.find(name);
    if (known != messages_.end()) return known->second;
    if (messages_.size() >= kMessagesMax) messages_.clear();  // parts follow their message soon
    return messages_[std::move(name)];
}

void OpencodeReader::end(StoredLine& out) {
    flush_error(out);
}

void OpencodeReader::flush_error(StoredLine& out) {
    if (error_) events_.error(out, *error_);
    error_.reset();
}

void OpencodeReader::read_text(const Message& of, StoredLine& out) {
    const auto synthetic = part_.find("synthetic", JsonKind::kBoolean);
    if (synthetic && synthetic->boolean()) return;  // words of the agent itself
    const std::string_view text = part_.text_of("text");
    if (of.person && about_.goal.empty()) about_.goal = cut_bytes(text, kStoredGoalBytesMax);
    events_.message(out, of.person ? "user" : "assistant", text);
}

void OpencodeReader::read_call(StoredLine& out) {
    const auto state = part_.find("state", JsonKind::kObject);
    if (!state) return;
    inner_.read(*state);
    const std::string_view status = inner_.text_of("status");
    if (status != "completed" && status != "error") {
        ++open_;
        return;
    }
    StoredCall call;
    call.tool = part_.text_of("tool");
    if (const auto input = inner_.find("input")) input->append_to(call.args);
    StoredResult result;
    if (const auto time = inner_.find("time", JsonKind::kObject)) {
        more_.read(*time);
        const auto start = more_.number_of("start");
        const auto end = more_.number_of("end");
        if (start) call.seconds = milliseconds_as_seconds(*start);
        if (end) result.seconds = out.seconds = milliseconds_as_seconds(*end);
    }
    bool exited = true;  // null: a signal ended the command
    if (const auto about = inner_.find("metadata", JsonKind::kObject)) {
        more_.read(*about);
        exited = !more_.find("exit") || more_.number_of("exit") == 0.0;
    }
    const bool failed = status == "error";
    result.ok = !failed && exited;
    result.text = inner_.text_of(failed ? "error" : "output");
    if (failed && api::hooks::says_refused(api::hooks::Refusing::kOfOpencode, result.text))
        result.error_class = "denied";
    if (failed && result.text.find("was interrupted") != std::string_view::npos)
        result.error_class = "cancelled";
    events_.finished(out, part_.text_of("callID"), call, result);
}

void OpencodeReader::read_step(Message& of, StoredLine& out) {
    const auto tokens = part_.find("tokens", JsonKind::kObject);
    if (!tokens) return;
    inner_.read(*tokens);
    StoredUse use;
    use.answer = of.origin + ":" + std::to_string(of.steps++);
    use.model = of.model;
    use.tokens.input = stored_count(inner_, "input");
    use.tokens.output = stored_count(inner_, "output");
    use.tokens.reasoning = stored_count(inner_, "reasoning");
    if (const auto cache = inner_.find("cache", JsonKind::kObject)) {
        more_.read(*cache);
        use.tokens.cached = stored_count(more_, "read");
        use.tokens.cache_write = stored_count(more_, "write");
    }
    if (use.tokens.sum() > 0) out.use = std::move(use);
}

}  // namespace headway::cli
