// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_deed.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/text.hpp"
#include "core/calls/tool_class.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kCreates = "terminal/create";
constexpr std::string_view kWrite = "fs/write_text_file";
constexpr std::size_t kTerminalsMax = 64;

/// The word as a shell reads it.
std::string deed_word(const std::string& word) {
    constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

/// `-c`, `-lc` and the like, behind which a shell has its commands.
bool runs_next(std::string_view word) {
    return word.size() >= 2 && word.front() == '-' && word[1] != '-' && word.back() == 'c';
}

/// A shell by its name or in a folder of the system; a program elsewhere may have the same name.
bool is_shell(std::string_view program) {
    for (const std::string_view folder : {"/bin/", "/usr/bin/", "/usr/local/bin/"}) {
        if (!program.starts_with(folder)) continue;
        program.remove_prefix(folder.size());
        break;
    }
    constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "ksh", "zsh"};
    return std::find(kShells.begin(), kShells.end(), program) != kShells.end();
}

/// Blanks inside may be of a text in quotes, and a line's end begins another command.
std::string trimmed(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
    line.remove_prefix(begin);
    return std::string{line.substr(0, line.find_last_not_of(kBlanks) + 1)};
}

/// The forms of a list of words, the one that a shell would read first.
std::vector<std::string> forms_of(const std::vector<std::string>& words) {
    std::vector<std::string> shell;
    shell.reserve(words.size());
    for (const std::string& word : words)
        shell.push_back(shell.empty() && words.size() == 1 ? word : deed_word(word));
    std::vector<std::string> forms{join(shell, " ")};
    if (words.size() == 3 && is_shell(words[0]) && runs_next(words[1]))
        forms.push_back(trimmed(words[2]));
    return forms;
}

std::vector<std::string> words_of_list(const Json& list) {
    std::vector<std::string> texts;
    for (const Json& text : list)
        texts.push_back(text.text());
    return texts;
}

AcpDeed run_of(const Json& params) {
    std::vector<std::string> words = words_of_list(params["args"]);
    words.insert(words.begin(), params.text_of("command"));
    AcpDeed deed;
    deed.commands = forms_of(words);
    // Some agents send the whole line as the command, with its quotes.
    Json input = {{"command", deed.commands.front()}};
    for (const char* name : {"cwd", "env"})
        if (!params[name].empty()) input[name] = params[name];
    deed.call = {{"kind", "execute"}, {"rawInput", std::move(input)}};
    deed.commands.front() = trimmed(deed.commands.front());
    return deed;
}

AcpDeed write_of(const Json& params) {
    AcpDeed deed;
    deed.path = params.text_of("path");
    deed.content = params.text_of("content");
    Json input = {{"path", params["path"]}, {"content", params["content"]}};
    deed.call = {{"kind", "edit"}, {"rawInput", std::move(input)}};
    return deed;
}

/// A title counts only where it is all that a person was shown.
bool runs(const Json& call, const AcpDeed& deed) {
    const Json& input = call["rawInput"];
    std::vector<std::string> lines;
    for (const char* name : {"command", "cmd"}) {
        if (input[name].is_array()) lines = forms_of(words_of_list(input[name]));
        if (input[name].is_string()) lines.push_back(trimmed(input.text_of(name)));
    }
    if (!acp_has_input(call)) {
        std::string title = trimmed(call.text_of("title"));
        if (title.size() > 2 && title.front() == '`' && title.back() == '`')
            title = title.substr(1, title.size() - 2);
        lines.push_back(std::move(title));
    }
    return std::any_of(lines.begin(), lines.end(), [&deed](const std::string& line) {
        return !line.empty() &&
               std::find(deed.commands.begin(), deed.commands.end(), line) != deed.commands.end();
    });
}

bool writes(const Json& call, const AcpDeed& deed, const std::string& folder) {
    namespace fs = std::filesystem;
    const auto is_path = [&](const std::string& path) {
        if (path.empty()) return false;
        return (fs::path{folder} / path).lexically_normal() ==
               fs::path{deed.path}.lexically_normal();
    };
    const Json& input = call["rawInput"];
    // An edit announces a part of the new text; a new file, or a member for the content, all of it.
    if (input["content"].is_string() && input.text_of("content") != deed.content) return false;
    for (const Json& part : call["content"]) {
        if (part["type"] != "diff" || !is_path(part.text_of("path"))) continue;
        const std::string& text = part.text_of("newText");
        const bool whole = !part["oldText"].is_string();
        const bool same = whole ? deed.content == text : deed.content.find(text) != text.npos;
        if (!same) return false;
    }
    for (const char* name :
         {"path", "file_path", "filePath", "abs_path", "absolute_path", "notebook_path"})
        if (is_path(input.text_of(name))) return true;
    for (const auto& [path, change] : input["changes"].members())
        if (is_path(path)) return true;
    for (const char* list : {"locations", "content"})
        for (const Json& part : call[list])
            if (is_path(part.text_of("path"))) return true;
    return false;
}

}  // namespace

bool acp_is_deed(std::string_view method) {
    return method == kCreates || method == kWrite;
}

bool acp_has_deed(const Json& message) {
    return acp_is_deed(message.text_of("method")) ||
           std::any_of(message.begin(), message.end(),
                       [](const Json& each) { return acp_is_deed(each.text_of("method")); });
}

std::optional<AcpDeed> acp_deed(const Json& message) {
    const std::string& method = message.text_of("method");
    if (!acp_is_deed(method) || !message.contains("id")) return std::nullopt;
    return method == kCreates ? run_of(message["params"]) : write_of(message["params"]);
}

bool acp_announces(const Json& call, std::string_view tool, const AcpDeed& deed,
                   const std::string& folder) {
    if (!deed.commands.empty()) return core::rule_covers("class:shell", tool) && runs(call, deed);
    return core::rule_covers("class:edit", tool) && writes(call, deed, folder);
}

std::string acp_not_done(const Json& id, const char* why) {
    return dump({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", -32000}, {"message", why}}}});
}

void AcpDeeds::expect(Open open) {
    std::erase_if(open_, [&open](const Open& other) { return other.id == open.id; });
    if (open_.size() == kOpenMax) open_.pop_front();
    open_.push_back(std::move(open));
}

void AcpDeeds::begin(const Json& request, const std::string& call_id) {
    expect({acp_id(request["id"]),
            request.text_of("method"),
            {},
            {request["params"].text_of("sessionId"), call_id}});
}

std::optional<AcpDeeds::End> AcpDeeds::from_agent(const Json& message) {
    const std::string& method = message.text_of("method");
    if (!method.starts_with("terminal/") || method == kCreates) return std::nullopt;
    const std::string& terminal = message["params"].text_of("terminalId");
    const auto found = terminals_.find(terminal);
    if (found == terminals_.end()) return std::nullopt;
    if (method != "terminal/release") {
        expect({acp_id(message["id"]), method, terminal, {}});
        return std::nullopt;
    }
    const Call call = std::move(found->second);
    terminals_.erase(found);
    return End{call.session,
               {{"toolCallId", call.id}, {"status", "completed"}, {"rawOutput", call.output}}};
}

std::optional<AcpDeeds::End> AcpDeeds::from_editor(const Json& reply) {
    const std::string id = acp_id(reply["id"]);
    const auto found =
        std::find_if(open_.begin(), open_.end(), [&id](const Open& open) { return open.id == id; });
    if (found == open_.end()) return std::nullopt;
    const Open open = std::move(*found);
    open_.erase(found);
    const Json& error = reply["error"];
    if (error.is_null()) return ended(open, reply["result"]);
    if (open.call.id.empty()) return std::nullopt;
    Json output = {{"error", error["message"]}};
    return End{
        open.call.session,
        {{"toolCallId", open.call.id}, {"status", "failed"}, {"rawOutput", std::move(output)}}};
}

/// The output may be asked for after the exit, so that only its release ends a command.
std::optional<AcpDeeds::End> AcpDeeds::ended(const Open& open, const Json& result) {
    if (open.method == kWrite)
        return End{open.call.session, {{"toolCallId", open.call.id}, {"status", "completed"}}};
    if (open.method == kCreates) {
        const std::string& terminal = result.text_of("terminalId");
        if (terminals_.size() >= kTerminalsMax) terminals_.erase(terminals_.begin());
        if (!terminal.empty()) terminals_[terminal] = open.call;
        return std::nullopt;
    }
    const auto found = terminals_.find(open.terminal);
    if (found == terminals_.end()) return std::nullopt;
    Json& output = found->second.output;
    if (result["output"].is_string()) output["output"] = result["output"];
    const Json& exit = result.contains("exitStatus") ? result["exitStatus"] : result;
    if (exit["exitCode"].is_integer()) output["exit_code"] = exit["exitCode"];
    if (exit["signal"].is_string()) {
        output["signal"] = exit["signal"];
        output["exit_code"] = 128;
    }
    return std::nullopt;
}

}  // namespace headway::cli
