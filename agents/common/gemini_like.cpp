// SPDX-License-Identifier: Apache-2.0
#include "agents/common/gemini_like.hpp"

#include <algorithm>
#include <array>

#include "api/hooks/read.hpp"
#include "api/hooks/texts/mutation.hpp"
#include "api/json/canonical_json.hpp"
#include "core/text/words.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::string_view kOutputLabel = "Output: ";

/// The shell tool's text for the model, from its last line up: the lines about the process behind
/// the output, each at most once and in this order.
class ShellText {
public:
    /// `shown`: the output as people see it, by which a line of it that looks like one of the tool
    /// is known.
    ShellText(std::string_view text, std::string_view shown) : rest_(core::trimmed(text)) {
        constexpr std::string_view kOpen = "<untrusted_context>";
        constexpr std::string_view kClose = "</untrusted_context>";
        if (rest_.starts_with(kOpen)) rest_.remove_prefix(kOpen.size());
        if (rest_.ends_with(kClose)) rest_.remove_suffix(kClose.size());
        rest_ = core::trimmed(rest_);
        shown_ = core::trimmed(shown);
        if (shown_ == rest_) shown_ = {};  // in the agent's debug mode: not the output alone
        begin_ = rest_;
        const std::string_view own = core::trimmed(output());
        if (begins(kOutputLabel) && !shown_.empty() && own.starts_with(shown_))
            own_lines_ = static_cast<std::size_t>(own.data() - rest_.data()) + shown_.size();
        take("Process Group PGID: ");
        take("Background PIDs: ");
        const auto signal = take("Signal: ");
        signalled_ = signal && *signal != "(none)" && *signal != "0";
        if (const auto code = take("Exit Code: ")) exit_code_ = number_after(*code, "");
    }

    std::optional<std::uint64_t> exit_code() const { return exit_code_; }
    bool signalled() const { return signalled_; }
    bool begins(std::string_view words) const { return begin_.starts_with(words); }
    /// True for the tool's own form, which a summary by a model has not.
    bool is_whole() const { return begins(kOutputLabel) || exit_code_; }
    /// The output alone; the whole text where it has another form.
    std::string_view output() const {
        return begins(kOutputLabel) ? rest_.substr(kOutputLabel.size()) : begin_;
    }

private:
    /// The last line without its label, if it has that label; then the line is taken away.
    std::optional<std::string_view> take(std::string_view label) {
        const std::size_t at = rest_.rfind('\n');
        if (at == rest_.npos || !rest_.substr(at + 1).starts_with(label)) return std::nullopt;
        if (is_of_output(at)) return std::nullopt;
        const std::string_view value = core::trimmed(rest_.substr(at + 1 + label.size()));
        rest_ = core::trimmed(rest_.substr(0, at));
        return value;
    }

    /// True if the output itself ends with the last line: and with the line before that, where
    /// people see only a part of it.
    bool is_of_output(std::size_t at) const {
        if (own_lines_ != 0) return at < own_lines_;
        const std::size_t before = core::trimmed(rest_.substr(0, at)).rfind('\n');
        std::string_view two = rest_.substr(before == rest_.npos ? 0 : before + 1);
        if (two.starts_with(kOutputLabel)) two.remove_prefix(kOutputLabel.size());
        return !shown_.empty() && shown_.ends_with(two);
    }

    std::string_view rest_;
    std::string_view shown_;
    std::string_view begin_;
    std::size_t own_lines_ = 0;  ///< where the whole output ends; 0: not known
    std::optional<std::uint64_t> exit_code_;
    bool signalled_ = false;
};

void cancel(HookCall& call) {
    fail(call);
    call.error_class = "cancelled";
    call.interrupted = true;
}

/// In place of an output that the model gets as a summary.
void read_shown_end(std::string_view shown, HookCall& call) {
    call.exit_code = number_after(shown, "Command exited with code: ");
    const bool ended = shown.starts_with("Command terminated by signal: ") ||
                       shown.starts_with("Command failed: ") ||
                       shown.starts_with("Command was automatically cancelled because it exceeded");
    if (ended || call.exit_code.value_or(0) != 0) fail(call);
    if (shown == "Command cancelled by user.") cancel(call);
}

/// The rows of a terminal, each a list of pieces of one colour.
std::string text_of_rows(JsonValue rows) {
    std::string text;
    rows.each([&text](JsonValue row) {
        if (row.kind() != JsonKind::kArray) return true;
        row.each([&text](JsonValue piece) {
            if (piece.kind() == JsonKind::kObject) text += text_in(piece, "text");
            return true;
        });
        while (text.ends_with(' '))
            text.pop_back();
        text.push_back('\n');
        return true;
    });
    return text;
}

std::string text_for_people(JsonValue response) {
    const auto rows = array_in(response, "returnDisplay");
    return rows ? text_of_rows(*rows) : text_in(response, "returnDisplay");
}

std::string model_text(JsonValue response) {
    const auto content = member(response, "llmContent");
    return content ? result_text(*content) : std::string{};
}

}  // namespace

bool is_shell(std::string_view tool) {
    return tool == "run_shell_command";
}

std::string display_text(JsonValue display) {
    if (display.kind() == JsonKind::kString) return display.redacted_text();
    const bool command =
        display.kind() == JsonKind::kObject && name_in(display, "type") == "shell_result";
    return command ? text_in(display, "text") : std::string{};
}

std::string shown_result(std::string_view tool, JsonValue response) {
    if (response.kind() != JsonKind::kObject) return result_text(response);
    const auto display = member(response, "returnDisplay");
    std::string shown = display ? display_text(*display) : std::string{};
    std::string whole = model_text(response);
    if (!shown.empty() && (whole.empty() || is_shell(tool))) return shown;
    // In Gemini's terminal `returnDisplay` is the part of the output that its window has room for.
    if (is_shell(tool)) whole = ShellText{whole, {}}.output();
    if (!whole.empty()) return whole;
    return member(response, "error") ? std::string{} : result_text(response);
}

std::optional<std::uint64_t> shell_exit_code(std::string_view text) {
    return ShellText{text, {}}.exit_code();
}

void read_shell_end(JsonValue response, HookCall& call) {
    const std::string text = model_text(response);
    const std::string shown = text_for_people(response);
    const ShellText answer{text, shown};
    call.exit_code = answer.exit_code();
    if (call.exit_code.value_or(0) != 0 || answer.signalled() ||
        answer.begins("Command was automatically cancelled because it exceeded"))
        fail(call);
    if (answer.begins("Command was cancelled by user before it could")) cancel(call);
    if (answer.begins("Command injection detected: ")) {
        fail(call);
        call.error_class = "denied";
    }
    if (call.ok.value_or(true) && !answer.is_whole())
        read_shown_end(text_in(response, "returnDisplay"), call);
}

void read_display_end(const std::optional<JsonValue>& display, HookCall& call) {
    if (!display || display->kind() != JsonKind::kObject) return;
    const std::string type = name_in(*display, "type");
    const bool gemini = flag_in(*display, "isSubagentProgress").value_or(false);
    std::string state;
    if (gemini) state = name_in(*display, "state");
    if (type == "task_execution") state = name_in(*display, "status");
    if (type == "shell_result") state = name_in(*display, "outcome");
    if (state.empty()) return;
    if (state == "cancelled") return cancel(call);
    // It goes on without the call; its result comes later.
    const bool goes_on = !gemini && (state == "background" || state == "running");
    const std::string reason = name_in(*display, "terminateReason");
    const bool reached = state == "completed" && (reason.empty() || reason == "GOAL");
    if (!goes_on && !reached) fail(call);
}

bool is_unparsed(std::string_view result) {
    return result == "[Error: Could not parse tool response]";
}

void read_no_words(Hook& hook) {
    if (hook.kind != HookKind::kStop || hook.text != "[no response text]") return;
    hook.text.clear();
    hook.silent = true;
}

void read_shown_file(std::optional<JsonValue> display, HookCall& call) {
    if (!display || display->kind() != JsonKind::kObject) return;
    const auto content = exact_in(*display, "newContent");
    std::string path = path_in(*display, "filePath");
    if (path.empty()) path = path_in(*display, "fileName");
    if (content) add_written(call.mutated, std::move(path), *content);
}

std::string_view error_class_of(std::string_view type) {
    // The second name is of Gemini CLI 0.61: a rule of its policy.
    if (type == "execution_denied" || type == "policy_violation") return "denied";
    if (type == "tool_not_registered") return "unknown_tool";
    if (type == "invalid_tool_params") return "json_parse";
    return {};
}

}  // namespace headway::api::hooks
