// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/lines/recorded_line.hpp"
#include "core/calls/tool_class.hpp"

// The words of one call, from its announcements and its requests for permission.

namespace headway::cli {
namespace {

/// Smaller for tools that may do more harm.
std::size_t rank(std::string_view tool) {
    constexpr std::array<std::string_view, 6> kClasses{"class:shell", "class:edit",  "class:mcp",
                                                       "class:web",   "class:agent", "class:read"};
    const auto* const place =
        std::find(kClasses.begin(), kClasses.end(), core::class_of_tool(tool));
    return static_cast<std::size_t>(place - kClasses.begin());
}

/// Agents send an empty raw input for one that is not there yet, and where they do not repeat it.
void add(Json& words, const Json& more) {
    Json kept = std::as_const(words)["rawInput"];
    const bool keeps = acp_has_input(words) && !acp_has_input(more);
    words.update(more);
    if (keeps) words["rawInput"] = std::move(kept);
}

/// All members of both; where a member has two values, each side by itself.
Json joined(const Json& announced, const Json& asked) {
    if (announced.is_null() || announced == asked) return asked;
    if (asked.is_null()) return announced;
    Json both = announced;
    bool differ = !announced.is_object() || !asked.is_object();
    for (const auto& [name, value] : asked.members()) {
        if (differ) break;
        const Json* const other = announced.find(name);
        differ = other != nullptr && *other != value;
        both[name] = value;
    }
    if (differ) return {{"announced", announced}, {"asked", asked}};
    return both;
}

bool says_nothing(std::string_view tool) {
    return tool.empty() || tool == "other";
}

/// True if `kind` puts the call in a class that `tool` does not.
bool adds_class(std::string_view kind, const std::string& tool) {
    const std::string_view of = core::class_of_tool(kind);
    if (of.empty() || core::rule_covers(of, tool)) return false;
    // Files are searched as well as the web; a name tells which.
    return kind != "search" || core::class_of_tool(tool) != "class:read";
}

}  // namespace

// Content is an announcement only before the call runs: what comes then is output, except edits.
void AcpWords::announce(const Json& update) {
    // A later kind does not take the call out of the class of an earlier one.
    const std::string& kind = update.text_of("kind");
    if (rank(kind) < rank(worst_kind_)) worst_kind_ = kind;
    const std::string& status = update.text_of("status");
    const bool over = status == "completed" || status == "failed";
    const bool begins = update.text_of("sessionUpdate") != "tool_call_update" && !over;
    if (begins || status == "pending" || !update.contains("content")) return add(update_, update);
    Json kept = Json::array();
    for (const Json& part : update["content"])
        if (!over && part["type"] == "diff") kept.push_back(part);
    Json words = update;
    words.erase("content");
    if (!kept.empty()) {
        for (const Json& part : std::as_const(update_)["content"])
            if (part["type"] != "diff") kept.push_back(part);
        words["content"] = std::move(kept);
    }
    add(update_, words);
}

void AcpWords::ask(const Json& call, bool again, std::uint64_t question) {
    if (again || question_ == 0) question_ = question;
    if (again && acp_has_input(call))
        update_ = {{"kind", std::as_const(update_)["kind"]},
                   {"_meta", std::as_const(update_)["_meta"]}};
    Json asked = acp_args(call);
    if (acp_has_input(call)) {
        input_ = asked;
    } else if (!input_.is_null()) {
        asked = joined(input_, asked);
    }
    if (!asked.is_null()) asked_ = std::move(asked);
    add(call_, call);
    announced_ = announced();
}

std::string AcpWords::remarks() const {
    constexpr std::size_t kBytesMax = 2'000;
    const std::string announced = acp_remarks(update_);
    std::string words = acp_remarks(call_);
    if (words.empty()) {
        words = announced;
    } else if (!announced.empty() && announced != words) {
        words += "\n" + announced;
    }
    return words.empty() ? words : bounded_text("The agent says: " + words, kBytesMax);
}

Json AcpWords::announced() const {
    return acp_args(update_);
}

bool AcpWords::tools_differ() const {
    const auto differ = [](const std::string& announced, const std::string& asked) {
        return !says_nothing(announced) && !says_nothing(asked) && announced != asked;
    };
    return differ(update_.text_of("kind"), call_.text_of("kind")) ||
           differ(acp_tool_name(update_), acp_tool_name(call_));
}

std::string AcpWords::main_tool() const {
    const std::string announced = acp_tool(update_);
    const std::string asked = acp_tool(call_);
    if (says_nothing(announced)) return asked.empty() ? announced : asked;
    // Claude Code names the tool in the announcement alone.
    if (!tools_differ()) return acp_tool_name(call_).empty() ? announced : asked;
    return rank(announced) < rank(asked) ? announced : asked;
}

/// A call is in the classes of its kind and of its name, of the announcement and of the request.
std::string AcpWords::tool() const {
    constexpr std::size_t kMainBytesMax = 90;
    constexpr std::size_t kMoreBytesMax = 30;
    std::string tool = main_tool();
    std::string more;
    const auto shown = [&] {
        std::string text = tool;
        if (!more.empty()) text.append(" (").append(more).append(")");
        return text;
    };
    for (const std::string* const name :
         {&acp_tool_name(call_), &acp_tool_name(update_), &call_.text_of("kind"),
          &update_.text_of("kind"), &worst_kind_}) {
        if (!adds_class(*name, shown())) continue;
        if (more.empty()) tool = cut_bytes(tool, kMainBytesMax);
        more += (more.empty() ? "" : ", ") + std::string{cut_bytes(*name, kMoreBytesMax)};
    }
    return shown();
}

// The same bounds for what is asked and what is reported, or an approval would not be found again.
Json AcpWords::about(const std::string& call_id) const {
    Json tool = this->tool();
    drop_nul(tool);
    if (tool.text().empty()) tool = "other";
    Json args = announced();
    if (tools_differ()) {
        args = {{"announced", {{"tool", acp_tool(update_)}, {"args", std::move(args)}}},
                {"asked", {{"tool", acp_tool(call_)}, {"args", asked_}}}};
    } else {
        args = joined(args, asked_);
    }
    if (args.is_null() && question_ != 0) args = {{"shown", "nothing"}, {"question", question_}};
    Json data = {{"call_id", call_id}, {"tool", std::move(tool)}};
    if (!args.is_null()) data["args"] = std::move(args);
    return data;
}

bool AcpWords::outgrew(const std::string& tool) const {
    return adds_class(worst_kind_, tool);
}

bool AcpWords::contradicted() const {
    Json now = announced();
    // Edits that an agent shows once they are made are worded in another way.
    if (acp_has_input(update_) && now.is_object()) now.erase("diffs");
    if (now == announced_ || now == asked_) return false;
    if (!now.is_object()) return true;
    bool shared = false;
    for (const auto& [name, value] : now.members()) {
        const Json* const before = announced_.find(name);
        const Json* const asked = asked_.find(name);
        if (before == nullptr && asked == nullptr) continue;
        const bool same =
            (before != nullptr && *before == value) || (asked != nullptr && *asked == value);
        if (!same) return true;
        shared = true;
    }
    return !shared;
}

}  // namespace headway::cli
