// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_deed.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>
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

/// Values that are no texts as well: an editor may take them for words.
std::vector<std::string> words_of(const Json& command, const Json& args) {
    std::vector<std::string> words;
    const auto add = [&words](const Json& word) {
        words.push_back(word.is_string() ? word.text() : dump(word));
    };
    for (const Json* const part : {&command, &args}) {
        if (!part->is_array() && !part->is_null()) add(*part);
        for (const Json& word : *part)
            add(word);
    }
    return words;
}

using Names = std::span<const std::string_view>;

// Members of arguments, as agents call them.
constexpr std::array<std::string_view, 7> kPaths{
    "path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "notebook_path"};
constexpr std::array<std::string_view, 8> kOfWrites{"content",     "old_string", "new_string",
                                                    "oldString",   "newString",  "diffs",
                                                    "replace_all", "replaceAll"};
constexpr std::array<std::string_view, 5> kOfCommands{"command", "cmd", "args", "run_in_background",
                                                      "is_background"};
constexpr std::array<std::string_view, 11> kOfAll{"title",       "text",   "path", "paths",
                                                  "description", "reason", "cwd",  "workdir",
                                                  "directory",   "env",    "diff"};
// A number may be a place in a file, and a `false` may keep a part of it. Those of these names say
// nothing about what is run or written.
constexpr std::array<std::string_view, 5> kHarmless{
    "timeout", "timeout_ms", "expected_replacements", "run_in_background", "is_background"};

// Members of the parameters of deeds, as the protocol has them.
constexpr std::array<std::string_view, 9> kOfDeeds{
    "sessionId", "_meta", "command", "args", "cwd", "env", "outputByteLimit", "path", "content"};

// Before each value that is read as another one (readable_json.hpp).
constexpr std::string_view kReadMark = "\xEF\xB7\x90";

bool has(Names names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The members that tell the editor how to do it; of other names than `known`: more.
Json input_of(const Json& params, Names beside, Names known, bool& more) {
    Json input = Json::object();
    for (const auto& [name, value] : params.members()) {
        if (value.empty() || has(beside, name)) continue;
        more = more || !has(known, name);
        input[name] = value;
    }
    return input;
}

AcpDeed run_of(const Json& params) {
    constexpr std::array<std::string_view, 5> kBeside{"command", "args", "outputByteLimit",
                                                      "sessionId", "_meta"};
    constexpr std::array<std::string_view, 2> kKnown{"cwd", "env"};
    AcpDeed deed;
    deed.commands = forms_of(words_of(params["command"], params["args"]));
    Json input = input_of(params, kBeside, kKnown, deed.more);
    // Some agents send the whole line as the command, with its quotes.
    input["command"] = deed.commands.front();
    deed.call = {{"kind", "execute"}, {"rawInput", std::move(input)}};
    deed.commands.front() = trimmed(deed.commands.front());
    return deed;
}

/// Without `.` and the like, which lead nowhere else.
std::string normal_path(const std::filesystem::path& path) {
    return path.lexically_normal().string();
}

/// A way up may lead elsewhere: a folder in front of it may be a link. Nothing tells where a
/// relative path begins for the editor.
bool is_certain(const std::filesystem::path& path) {
    return path.is_absolute() && std::find(path.begin(), path.end(), "..") == path.end();
}

AcpDeed write_of(const Json& params) {
    constexpr std::array<std::string_view, 2> kBeside{"sessionId", "_meta"};
    constexpr std::array<std::string_view, 2> kKnown{"path", "content"};
    AcpDeed deed;
    const std::string& path = params.text_of("path");
    if (params["content"].is_string() && is_certain(path)) deed.path = normal_path(path);
    deed.content = params.text_of("content");
    deed.call = {{"kind", "edit"}, {"rawInput", input_of(params, kBeside, kKnown, deed.more)}};
    return deed;
}

/// True if there is a member of another name that may tell how the others are meant.
bool tells_more(const Json& args, Names names, Names others = {}) {
    return std::any_of(args.members().begin(), args.members().end(), [&](const auto& member) {
        const auto& [name, value] = member;
        const bool empty = value.is_string() ? value.text().empty() : value.empty();
        const bool plain = (value.is_number() || value == false) && has(kHarmless, name);
        return !empty && !plain && !has(names, name) && !has(others, name) && !has(kOfAll, name);
    });
}

/// A title counts only where there is no command beside it.
bool runs(const Json& args, const AcpDeed& deed) {
    if (tells_more(args, kOfCommands)) return false;
    const bool both = args.contains("command") && args.contains("cmd");
    const bool titled = !args.contains("command") && !args.contains("cmd");
    const Json& command = args[titled ? "title" : args.contains("cmd") ? "cmd" : "command"];
    const Json& more = args["args"];
    if (both || (!more.is_null() && (titled || !command.is_string() || !more.is_array())))
        return false;
    std::vector<std::string> lines = forms_of(words_of(command, more));
    std::string& line = lines.front();
    line = trimmed(line);
    if (titled && line.size() > 2 && line.front() == '`' && line.back() == '`')
        line = line.substr(1, line.size() - 2);
    return std::any_of(lines.begin(), lines.end(), [&deed](const std::string& each) {
        return !each.empty() &&
               std::find(deed.commands.begin(), deed.commands.end(), each) != deed.commands.end();
    });
}

bool is_file(const std::string& path, const AcpDeed& deed, const std::string& folder) {
    return !path.empty() && !deed.path.empty() &&
           normal_path(std::filesystem::path{folder} / path) == deed.path;
}

/// True if `made` is the text with `before` replaced by `after`, at its only place or at `all`.
bool is_edited(std::string_view text, std::string_view before, std::string_view after,
               std::string_view made, bool all) {
    std::size_t places = 0;
    for (;; ++places) {
        const void* const found = ::memmem(text.data(), text.size(), before.data(), before.size());
        if (found == nullptr) return places > 0 && text == made;
        const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        if ((places > 0 && !all) || text.substr(0, at) != made.substr(0, at)) return false;
        made.remove_prefix(at);
        if (!made.starts_with(after)) return false;
        made.remove_prefix(after.size());
        text.remove_prefix(at + before.size());
    }
}

/// An edit of a text that is not known may come with any other text.
bool makes(const Json& before, const Json& after, const Json& args, const AcpDeed& deed,
           const AcpFileNow& file) {
    if (!after.is_string() || !(before.is_string() || before.is_null())) return false;
    if (args["content"].is_string()) return after.text() == deed.content;
    if (!file) return false;
    if (before.text().empty())
        return after.text() == deed.content && (file().missing || file().text == std::string{});
    const bool all = args.flag_of("replace_all") || args.flag_of("replaceAll");
    const std::optional<std::string>& text = file().text;
    return text && is_edited(*text, before.text(), after.text(), deed.content, all);
}

bool writes(const Json& args, const AcpDeed& deed, const std::string& folder,
            const AcpFileNow& file) {
    if (tells_more(args, kPaths, kOfWrites)) return false;
    bool named = false;
    for (const std::string_view name : kPaths) {
        if (!args.contains(name)) continue;
        named = is_file(args.text_of(name), deed, folder);
        if (!named) return false;
    }
    bool shown = args["content"].is_string();
    if (shown && args.text_of("content") != deed.content) return false;
    for (const auto& [before, after] :
         {std::pair{"old_string", "new_string"}, std::pair{"oldString", "newString"}}) {
        if (!args.contains(before) && !args.contains(after)) continue;
        shown = args[before].is_string() && makes(args[before], args[after], args, deed, file);
        if (!shown) return false;
    }
    bool diff = false;
    for (const Json& part : args["diffs"]) {
        if (!is_file(part.text_of("path"), deed, folder)) continue;
        const bool another = std::exchange(diff, true);
        if (another || !makes(part["old"], part["new"], args, deed, file)) return false;
    }
    return diff || (named && shown);
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

bool acp_covers(const Json& shown, const AcpDeed& deed, const std::string& folder,
                const AcpFileNow& file) {
    const std::string& tool = shown.text_of("tool");
    const Json& args = shown["args"];
    if (deed.more) return false;
    if (!deed.commands.empty()) return core::rule_covers("class:shell", tool) && runs(args, deed);
    return core::rule_covers("class:edit", tool) && writes(args, deed, folder, file);
}

bool acp_names_file(const Json& call, std::string_view tool, const AcpDeed& deed,
                    const std::string& folder) {
    if (!core::rule_covers("class:edit", tool)) return false;
    const auto is_this = [&](const std::string& path) { return is_file(path, deed, folder); };
    const Json& input = call["rawInput"];
    const auto& changes = input["changes"].members();
    bool names = std::any_of(changes.begin(), changes.end(),
                             [&](const auto& change) { return is_this(change.first); });
    for (const std::string_view name : kPaths)
        names = names || is_this(input.text_of(name));
    for (const char* list : {"locations", "content"})
        for (const Json& part : call[list])
            names = names || is_this(part.text_of("path"));
    return names;
}

std::string acp_deed_line(const Json& message) {
    Json params = Json::object();
    for (const auto& [name, value] : message["params"].members())
        if (!value.empty() || has(kOfDeeds, name)) params[name] = value;
    Json line = {{"params", std::move(params)}};
    for (const char* name : {"jsonrpc", "id", "method"})
        if (const Json* const value = message.find(name)) line[name] = *value;
    return dump(line);
}

bool acp_is_exact(const Json& message) {
    const auto has_mark = [](const std::string& text) { return text.find(kReadMark) != text.npos; };
    const auto& members = message.members();
    return !has_mark(message.text()) && std::all_of(message.begin(), message.end(), acp_is_exact) &&
           std::all_of(members.begin(), members.end(), [&has_mark](const auto& member) {
               return !has_mark(member.first) && acp_is_exact(member.second);
           });
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
