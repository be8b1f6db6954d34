// SPDX-License-Identifier: Apache-2.0
#include "agents/common/gemini_like.hpp"

#include <algorithm>
#include <array>

#include "api/hooks/read.hpp"
#include "api/hooks/texts/mutation.hpp"
#include "api/json/canonical_json.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::string_view kExitLabel = "\nExit Code: ";
/// Lines that may follow it; anything else is a line of the output that looks like it.
constexpr std::array<std::string_view, 4> kLaterLines{
    "Signal: ", "Background PIDs: ", "Process Group PGID: ", "</untrusted_context>"};

bool is_trailer(std::string_view line) {
    return line.empty() ||
           std::any_of(kLaterLines.begin(), kLaterLines.end(),
                       [line](std::string_view label) { return line.starts_with(label); });
}

/// True for the shell tool's answer to the model, which has ids of processes.
bool names_process(std::string_view text) {
    return text.find("Process Group PGID: ") != text.npos ||
           text.find("Background PIDs: ") != text.npos || text.find("(PID: ") != text.npos ||
           text.find(kExitLabel) != text.npos;
}

}  // namespace

std::string shown_result(JsonValue response) {
    if (response.kind() != JsonKind::kObject) return result_text(response);
    std::string shown = text_in(response, "returnDisplay");
    const auto content = member(response, "llmContent");
    std::string whole = content ? result_text(*content) : std::string{};
    if (!shown.empty() && (whole.empty() || names_process(whole))) return shown;
    if (!whole.empty()) return whole;
    return member(response, "error") ? std::string{} : result_text(response);
}

std::optional<std::uint64_t> shell_exit_code(std::string_view text) {
    const std::size_t at = text.rfind(kExitLabel);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view rest = text.substr(at);
    const auto code = number_after(rest, kExitLabel);
    for (rest.remove_prefix(1); code && !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (!is_trailer(rest.substr(0, rest.find('\n')))) return std::nullopt;
    }
    return code;
}

void read_shell_exit(std::string_view text, HookCall& call) {
    call.exit_code = shell_exit_code(text);
    if (call.exit_code.value_or(0) != 0) fail(call);
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
