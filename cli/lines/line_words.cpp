// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/line_words.hpp"

#include <array>

namespace headway::cli {

void add_started(AgentLine& line, const Json& call_id, std::string_view tool, const Json& args) {
    Json data = {{"call_id", call_id}, {"tool", tool}};
    if (!args.is_null()) data["args"] = args;
    line.events.push_back({"tool.started", std::move(data)});
}

void add_succeeded(AgentLine& line, const Json& call_id, const Json& result) {
    line.events.push_back(
        {"tool.finished", {{"call_id", call_id}, {"ok", true}, {"result", result}}});
}

void add_failed(AgentLine& line, const Json& call_id, std::string_view error_class,
                std::string_view message) {
    Json error = {{"message", message}};
    if (!error_class.empty()) error["class"] = error_class;
    line.events.push_back(
        {"tool.finished", {{"call_id", call_id}, {"ok", false}, {"error", std::move(error)}}});
}

void add_message(AgentLine& line, std::string_view role, std::string_view text) {
    if (text.empty()) return;
    // A line is the agent's word, and only a person's own message answers a suspicion.
    if (role == "user") role = "system";
    line.events.push_back({"message", {{"role", role}, {"text", text}}});
}

void add_error(AgentLine& line, std::string_view message, bool retryable) {
    line.events.push_back({"error.reported", {{"message", message}, {"retryable", retryable}}});
}

void add_beginning(AgentLine& line, std::string_view agent, std::string_view session,
                   std::string_view model) {
    std::string detail{agent};
    if (!model.empty()) detail += ", model " + std::string(model);
    line.began = session;
    line.model = model;
    line.events.push_back(
        {"state.changed", {{"state", "processing_prompt"}, {"detail", std::move(detail)}}});
}

std::string text_of_content(const Json& content) {
    if (content.is_string()) return content.text();
    if (content.is_null()) return {};
    if (!content.is_array()) return dump(content);
    std::string text;
    for (const Json& part : content) {
        if (!text.empty()) text += '\n';
        text += part["text"].is_string() ? part.text_of("text") : dump(part);
    }
    return text;
}

std::string text_of_error(const Json& error) {
    if (error.is_string() || error.is_null()) return error.text();
    if (!error.text_of("message").empty()) return error.text_of("message");
    if (!error["data"].text_of("message").empty()) return error["data"].text_of("message");
    if (!error.text_of("name").empty()) return error.text_of("name");
    return dump(error);
}

std::span<const LineFormat* const> line_formats() {
    static constexpr std::array<const LineFormat*, 7> kFormats{
        &kClaudeLines, &kCodexLines,   &kGeminiLines, &kOpencodeLines,
        &kCursorLines, &kCopilotLines, &kPiLines};
    return kFormats;
}

}  // namespace headway::cli
