// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_message.hpp"

#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "core/text/sha256.hpp"

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

constexpr std::size_t kFilesMax = 64;  // of one call; more say nothing that these do not

bool is_of_codex(const Json& input) {
    return input["call_id"].is_string() && input["turn_id"].is_string() &&
           (input.contains("command") || input.contains("changes"));
}

/// The edits that an agent shows in place of arguments.
Json diffs_of(const Json& call) {
    Json diffs = Json::array();
    for (const Json& part : call["content"]) {
        if (part["type"] != "diff") continue;
        diffs.push_back(
            {{"path", part["path"]}, {"old", part["oldText"]}, {"new", part["newText"]}});
    }
    return diffs;
}

std::optional<std::int64_t> exit_code(const Json& output) {
    for (const Json* code :
         {&output["exit_code"], &output["exitCode"], &output["metadata"]["exit"]})
        if (code->is_integer()) return code->integer();
    for (const Json& part : output["contents"])
        if (part["exitCode"].is_integer()) return part["exitCode"].integer();
    return std::nullopt;
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

std::string acp_tool(const Json& call) {
    const std::string& named = call["_meta"]["claudeCode"].text_of("toolName");
    return named.empty() ? call.text_of("kind") : named;
}

Json acp_args(const Json& call) {
    Json args = call["rawInput"];
    if (args.is_object() && is_of_codex(args)) {
        for (const std::string_view name : kOfOneCall)
            args.erase(name);
    }
    if (!args.is_null() && (!args.is_object() || !args.empty())) return args;
    Json json = Json::object();
    if (!call.text_of("title").empty()) json["title"] = call["title"];
    const std::string& path = call["locations"][std::size_t{0}].text_of("path");
    if (!path.empty()) json["path"] = path;
    if (Json diffs = diffs_of(call); !diffs.empty()) json["diffs"] = std::move(diffs);
    return json.empty() ? Json() : json;
}

std::string acp_result(const Json& call) {
    const Json& output = call["rawOutput"];
    for (const char* name : {"aggregated_output", "output", "content", "error", "message"})
        if (!output.text_of(name).empty()) return output.text_of(name);
    if (output.is_string()) return output.text();
    std::string text;
    for (const Json& part : call["content"]) {
        const std::string words =
            part["type"] == "diff" ? "changed " + part.text_of("path") : acp_text(part["content"]);
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

std::string acp_refusal(const Json& request) {
    Json outcome = {{"outcome", "cancelled"}};
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
    return dump(
        {{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", {{"outcome", std::move(outcome)}}}});
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

std::string acp_cancel(std::string_view session) {
    return dump(
        {{"jsonrpc", "2.0"}, {"method", "session/cancel"}, {"params", {{"sessionId", session}}}});
}

}  // namespace headway::cli
