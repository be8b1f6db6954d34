// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_message.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/acp/messages/acp_deed.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/lines/line_words.hpp"
#include "cli/lines/recorded_line.hpp"
#include "core/base/limits.hpp"
#include "core/text/sha256.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

// Members of Codex's raw input that no two calls share. Other agents' tools may have arguments of
// these names.
constexpr std::array<std::string_view, 9> kOfOneCall{"call_id",
                                                     "turn_id",
                                                     "process_id",
                                                     "started_at_ms",
                                                     "completed_at_ms",
                                                     "source",
                                                     "parsed_cmd",
                                                     "proposed_execpolicy_amendment",
                                                     "available_decisions"};

constexpr std::size_t kReasonBytesMax = 64;
constexpr std::size_t kFilesMax = 64;  // of one call; more say nothing that these do not

bool is_of_codex(const Json& input) {
    return input["call_id"].is_string() && input["turn_id"].is_string() &&
           (input.contains("command") || input.contains("changes"));
}

/// True if a part of this value, or a member's name, is just this text.
bool tells(const Json& value, const std::string& text) {
    if (value.is_string()) return value.text() == text;
    const auto tells_it = [&text](const Json& part) { return tells(part, text); };
    return std::any_of(value.begin(), value.end(), tells_it) ||
           std::any_of(value.members().begin(), value.members().end(), [&](const auto& part) {
               return part.first == text || tells(part.second, text);
           });
}

/// The edits that an agent shows, beside arguments only those that the arguments do not tell.
Json diffs_of(const Json& call, const Json& args) {
    // Codex sends whole files with its patch, which is shown.
    const bool patch =
        args.is_object() && args["changes"].is_object() && is_of_codex(call["rawInput"]);
    Json diffs = Json::array();
    for (const Json& part : call["content"]) {
        if (part["type"] != "diff") continue;
        const std::string& before = part.text_of("oldText");
        const bool known = !args.is_null() && tells(args, part.text_of("path")) &&
                           tells(args, part.text_of("newText")) &&
                           (before.empty() || tells(args, before));
        if (known) continue;
        if (patch) {
            const std::string both = dump(Json{{"old", part["oldText"]}, {"new", part["newText"]}});
            diffs.push_back({{"path", part["path"]}, {"digest", core::sha256_hex(both)}});
            continue;
        }
        diffs.push_back(
            {{"path", part["path"]}, {"old", part["oldText"]}, {"new", part["newText"]}});
    }
    return diffs;
}

/// The texts that are shown, and blocks of other types as they are.
std::string texts_of(const Json& call) {
    std::string text;
    for (const Json& part : call["content"]) {
        if (part["type"] == "diff" || part["type"] == "terminal") continue;
        const Json& block = part["content"];
        const std::string words = block["type"] == "text" ? block.text_of("text") : dump(block);
        if (!text.empty() && !words.empty()) text += '\n';
        text += words;
    }
    return text;
}

void add_paths(const Json& call, Json& args) {
    Json paths = Json::array();
    for (const Json& place : call["locations"])
        if (!place.text_of("path").empty()) paths.push_back(place["path"]);
    if (paths.size() == 1) args["path"] = std::as_const(paths)[std::size_t{0}];
    if (paths.size() > 1) args["paths"] = std::move(paths);
}

std::optional<std::int64_t> exit_code(const Json& output) {
    for (const Json* code :
         {&output["exit_code"], &output["exitCode"], &output["metadata"]["exit"]})
        if (code->is_integer()) return code->integer();
    for (const Json& part : output["contents"])
        if (part["exitCode"].is_integer()) return part["exitCode"].integer();
    return std::nullopt;
}

std::string answer_to(const Json& id, Json outcome) {
    return dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", {{"outcome", std::move(outcome)}}}});
}

/// The text of a part; of a picture or a sound a mark, since each is another answer.
std::string shown_part(const Json& part) {
    const Json& content = part["content"];
    if (part["type"] == "diff") return "changed " + part.text_of("path");
    if (!content.contains("data")) return acp_text(content);
    return "[" + content.text_of("type") + " " + core::mark_of(content.text_of("data")) + "]";
}

}  // namespace

std::string acp_agent_name(std::string_view name) {
    constexpr std::size_t kBytesMax = 32;
    std::string plain{name.substr(name.rfind('/') + 1).substr(0, kBytesMax)};
    for (char& c : plain) {
        const auto byte = static_cast<unsigned char>(c);
        c = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
    }
    return plain;
}

std::string acp_label(std::string_view text) {
    std::string line = on_one_line(text);
    std::erase(line, '\0');
    std::string_view end = line;
    if (end.size() > core::limits::kLabelBytesMax)
        end.remove_prefix(end.size() - core::limits::kLabelBytesMax);
    while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0U) == 0x80U)
        end.remove_prefix(1);
    return std::string{end};
}

void acp_add_label(Json& labels, const char* name, std::string_view text) {
    std::string label = acp_label(text);
    if (!label.empty()) labels[name] = std::move(label);
}

std::string acp_call_id(const Json& call) {
    Json id = call["toolCallId"];
    drop_nul(id);
    return std::string{cut_bytes(id.text(), kAcpNameBytesMax)};
}

LineEvent acp_asked_event(const char* type, Json data) {
    Json args = data["args"];
    const bool whole = dump(args).size() <= core::limits::kApprovalArgsBytesMax;
    LineEvent asked{type, std::move(data)};
    bound_event(asked);
    if (!whole || args.is_null()) return asked;
    asked.data["args"] = std::move(args);
    asked.data.erase("args_digest");
    return asked;
}

Json acp_described(Json start, const std::string& remarks) {
    if (!remarks.empty()) start["description"] = remarks;
    return start;
}

const std::string& acp_tool_name(const Json& call) {
    return call["_meta"]["claudeCode"].text_of("toolName");
}

bool acp_has_input(const Json& call) {
    const Json& input = call["rawInput"];
    return input.is_string() ? !input.text().empty() : !input.empty();
}

std::string acp_tool(const Json& call) {
    const std::string& named = acp_tool_name(call);
    return named.empty() ? call.text_of("kind") : named;
}

Json acp_args(const Json& call) {
    Json args = acp_has_input(call) ? call["rawInput"] : Json();
    if (args.is_object() && is_of_codex(args)) {
        for (const std::string_view name : kOfOneCall)
            args.erase(name);
    }
    if (args.is_object() && args.empty()) args = Json();
    Json diffs = diffs_of(call, args);
    if (!args.is_null()) {
        if (diffs.empty()) return args;
        if (!args.is_object() || args.contains("diffs"))
            return {{"input", std::move(args)}, {"diffs", std::move(diffs)}};
        args["diffs"] = std::move(diffs);
        return args;
    }
    Json json = Json::object();
    if (!call.text_of("title").empty()) json["title"] = call["title"];
    add_paths(call, json);
    if (!diffs.empty()) json["diffs"] = std::move(diffs);
    if (std::string texts = texts_of(call); !texts.empty()) json["text"] = std::move(texts);
    return json.empty() ? Json() : json;
}

std::string acp_remarks(const Json& call) {
    if (!acp_has_input(call)) return {};
    const std::string texts = texts_of(call);
    const std::string& title = call.text_of("title");
    return title + (title.empty() || texts.empty() ? "" : "\n") + texts;
}

std::string acp_result(const Json& call) {
    const Json& output = call["rawOutput"];
    for (const char* name : {"aggregated_output", "output", "content", "error", "message"})
        if (!output.text_of(name).empty()) return output.text_of(name);
    if (output.is_string()) return output.text();
    std::string text;
    for (const Json& part : call["content"]) {
        const std::string words = shown_part(part);
        if (!text.empty() && !words.empty()) text += '\n';
        text += words;
    }
    return text.empty() && output.is_object() ? dump(output) : text;
}

bool acp_succeeded(const Json& call) {
    return call["status"] != "failed" && exit_code(call["rawOutput"]).value_or(0) == 0;
}

Json acp_mutated(const Json& call) {
    Json mutated = Json::array();
    for (const Json& part : call["content"]) {
        const bool diff = part["type"] == "diff" && !part.text_of("path").empty();
        if (!diff || mutated.size() == kFilesMax) continue;
        mutated.push_back({{"path", part["path"]},
                           {"digest", "sha256:" + core::sha256_hex(part.text_of("newText"))}});
    }
    return mutated;
}

// Gemini CLI tells it in a place of its own.
LineUse acp_use(const Json& result) {
    const Json& quota = result["_meta"]["quota"]["token_count"];
    const Json& usage = result["usage"];
    LineUse use;
    use.tokens = {usage.count_of("inputTokens"), usage.count_of("cachedReadTokens"),
                  usage.count_of("cachedWriteTokens"), usage.count_of("outputTokens"),
                  usage.count_of("thoughtTokens")};
    const LineTokens apart = use.tokens;
    // The total is the sum of all parts, or what was cached and thought lies inside the others.
    if (usage.contains("totalTokens") && usage.count_of("totalTokens") < apart.sum())
        use.tokens = tokens_inside(apart.input, apart.cached, apart.cache_write, apart.output,
                                   apart.reasoning);
    use.tokens.input += quota.count_of("input_tokens");
    use.tokens.output += quota.count_of("output_tokens");
    return use;
}

Json acp_turn_error(const Json& reply) {
    const Json& error = reply["error"];
    Json data = {{"ends_turn", true}};
    if (!error.is_null()) {
        const std::string code = dump(error["code"]);
        std::string words = error.text_of("message");
        const Json& more = error["data"];
        const std::string& details = more.is_string()                  ? more.text()
                                     : more.text_of("details").empty() ? more.text_of("message")
                                                                       : more.text_of("details");
        if (!details.empty() && details != words) words += (words.empty() ? "" : ": ") + details;
        if (words.empty()) words = "the agent answered the prompt with the error " + code;
        data["message"] = words;
        // A login is missing: the protocol's own code. Words that say more are heeded, too.
        if (code == "-32000") data["status"] = 401;
        return data;
    }
    const std::string& reason = reply["result"].text_of("stopReason");
    if (reason == "end_turn" || reason == "cancelled") return {};
    data["message"] = "the turn ended: " + (reason.empty() ? "no reason was sent" : reason);
    if (!reason.empty()) data["class"] = std::string{cut_bytes(reason, kReasonBytesMax)};
    return data;
}

std::string acp_text(const Json& content) {
    if (content.is_object()) return content.text_of("text");
    std::string text;
    for (const Json& block : content) {
        if (block.text_of("text").empty()) continue;
        if (!text.empty()) text += '\n';
        text += block.text_of("text");
    }
    return text;
}

std::string acp_id(const Json& id) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    const double number = id.number();
    const bool whole = id.is_number() && std::abs(number) < kExact && std::trunc(number) == number;
    return whole ? std::to_string(static_cast<std::int64_t>(number)) : dump(id);
}

std::string acp_refusal(const Json& request) {
    if (acp_is_deed(request.text_of("method"))) return acp_not_done(request["id"]);
    Json outcome;
    std::set<std::string_view> seen;  // of options with one id the first counts, and it may allow
    bool once = false;
    for (const Json& option : request["params"]["options"]) {
        const Json& id = option["optionId"];
        if (!id.is_string() || !seen.insert(id.text()).second) continue;
        const std::string& kind = option.text_of("kind");
        if (kind != "reject_once" && (once || kind != "reject_always")) continue;
        once = kind == "reject_once";
        outcome = {{"outcome", "selected"}, {"optionId", id}};
    }
    return outcome.is_null() ? acp_cancelled(request["id"])
                             : answer_to(request["id"], std::move(outcome));
}

std::string acp_cancelled(const Json& id) {
    return answer_to(id, {{"outcome", "cancelled"}});
}

Json acp_unread(const Json& id) {
    constexpr int kInternalError = -32603;
    return {{"jsonrpc", "2.0"},
            {"id", id},
            {"error",
             {{"code", kInternalError}, {"message", "Headway cannot read the agent's reply."}}}};
}

bool acp_allows(const Json& options, const Json& reply) {
    const Json& outcome = reply["result"]["outcome"];
    if (outcome["outcome"] != "selected") return false;
    for (const Json& option : options) {
        if (option["optionId"] == outcome["optionId"])
            return !option.text_of("kind").starts_with("reject");
    }
    return true;  // an option that nothing is known of
}

bool acp_selects(const Json& message) {
    if (message.is_array()) return std::any_of(message.begin(), message.end(), acp_selects);
    return message["result"]["outcome"]["outcome"] == "selected";
}

std::string acp_cancel(std::string_view session) {
    return dump(
        {{"jsonrpc", "2.0"}, {"method", "session/cancel"}, {"params", {{"sessionId", session}}}});
}

}  // namespace headway::cli
