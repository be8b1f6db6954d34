// SPDX-License-Identifier: Apache-2.0
#include "cli/views/approval_view.hpp"

#include <optional>
#include <sstream>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/session_view.hpp"
#include "core/text/visible.hpp"

namespace headway::cli {
namespace {

/// All of a member on one line: what is approved is not cut, and nothing in it is dropped.
std::string whole_text(const Json& object, std::string_view name) {
    const Json& value = object[name];
    if (value.empty()) return {};
    if (value.is_string()) return core::visible(value.text());
    const bool cut = value.size() == 4 && value["head"].is_string() && value["tail"].is_string() &&
                     value["digest"].is_string() && value["bytes"].is_integer();
    if (!cut) return dump(value);
    return core::visible(value.text_of("head")) + " … " + dump(value["bytes"]) +
           " bytes in all … " + core::visible(value.text_of("tail"));
}

/// A text that could be taken for other JSON stands in quotes.
std::string json_line(const Json& value) {
    if (value.is_null()) return {};
    if (!value.is_string() || Json::parse(value.text())) return dump(value);
    return core::visible(value.text());
}

/// "3m10s ago", "in 5.0s", or nothing.
std::string relative(const Json& object, const char* name, WallTime now) {
    const auto at = parse_time(whole_text(object, name));
    if (!at) return {};
    return *at <= now ? human_duration(now - *at) + " ago" : "in " + human_duration(*at - now);
}

/// Part of what is approved cannot be read: it looked like a secret.
std::string hidden_of(const Json& approval, bool color) {
    const Json& hidden = approval["hidden_bytes"];
    if (!hidden.is_integer() || hidden.count() == 0) return {};
    const std::string text = std::to_string(hidden.count()) +
                             " bytes of the arguments were cut out as secrets, and are approved "
                             "with the rest";
    return color ? std::string{kColorAlarm} + text + std::string{kColorReset} : text;
}

std::string unverified_of(const Json& approval) {
    if (!approval.flag_of("unverified")) return {};
    return "the call that used it did not report its arguments";
}

/// Note about an agent's own dialog, which may be answered there too.
std::string dialog_of(const Json& approval) {
    const std::string closed = whole_text(approval, "closed");
    if (closed == "not_needed") return "the budget of the day has room again";
    if (closed == "grant_ended") return "approved by a grant that has ended";
    if (closed == "taken_back") return "the call was given up before a decision";
    if (closed == "rejected") return "approved before a person rejected an equal call";
    if (whole_text(approval, "source") != "dialog") return {};
    if (closed == "answered_at_agent") return "was answered at the agent";
    if (closed == "left_to_agent") return "left to the agent's own dialog";
    if (closed == "stopped") return "the session had to stop first";
    return "the agent's own; the first answer wins";
}

}  // namespace

std::string approvals_text(const Json& approvals, WallTime now, bool color) {
    std::ostringstream out;
    for (const Json& one : approvals) {
        const std::string tool = whole_text(one, "tool");
        const std::string kind = whole_text(one, "kind");
        out << (color ? kColorBold : "") << whole_text(one, "id") << (color ? kColorReset : "")
            << "  " << whole_text(one, "status") << "  " << (tool.empty() ? kind : tool) << "\n";
        field_line(out, "session", whole_text(one, "session"));
        if (!tool.empty()) field_line(out, "kind", kind);
        field_line(out, "risk", whole_text(one, "risk"));
        field_line(out, "asks", whole_text(one, "summary"));
        field_line(out, "arguments", json_line(one["args"]));
        field_line(out, "HIDDEN", hidden_of(one, color));
        field_line(out, "options", whole_text(one, "options"));
        field_line(out, "extension", whole_text(one, "extend"));
        field_line(out, "digest", whole_text(one, "args_digest"));
        field_line(out, "dialog", dialog_of(one));
        field_line(out, "asked", relative(one, "requested_at", now));
        field_line(out, "expires", relative(one, "expires_at", now));
        const Json& decision = one["decision"];
        field_line(out, "decision", whole_text(decision, "decision"));
        field_line(out, "edited to", json_line(decision["edited_args"]));
        field_line(out, "answer", whole_text(decision, "response"));
        field_line(out, "by", whole_text(decision, "by"));
        field_line(out, "reason", whole_text(decision, "reason"));
        field_line(out, "UNVERIFIED", unverified_of(one));
    }
    return out.str();
}

std::string decision_text(const Json& approval) {
    std::string text = whole_text(approval, "id") + "  " + whole_text(approval, "status");
    const std::string by = whole_text(approval["decision"], "by");
    if (!by.empty()) text += "  by " + by;
    text += "\n";
    const std::string asks = whole_text(approval, "summary");
    const std::string& kind = approval.text_of("kind");
    const bool is_call = kind != "question" && kind != "budget_extension";
    if (approval.text_of("status") == "approved" && is_call && !asks.empty())
        text += "  `" + asks + "`; not used yet\n";
    return text;
}

std::string identical_text(const Json& decided) {
    std::string text = "and " + std::to_string(decided["also"].size()) + " identical";
    const std::uint64_t left = decided.count_of("left");
    if (left > 0) text += "; " + std::to_string(left) + " still wait: decide again";
    return text + "\n";
}

std::string answer_note(const Json& approval) {
    const Json& answer = approval["decision"]["response"];
    if (!answer.is_string()) return {};
    std::string options;
    for (const Json& option : approval["options"]) {
        if (option == answer) return {};
        options += (options.empty() ? "" : ", ") + json_line(option);
    }
    if (options.empty()) return {};
    return "the answer is none of the options (" + options + "); the agent receives it as it is\n";
}

std::string budget_text(const Json& budget) {
    if (!budget.contains("prompt")) return "no budget is set\n";
    std::ostringstream out;
    std::istringstream prompt{budget.text_of("prompt")};
    for (std::string text; std::getline(prompt, text);)
        out << clean_line(text) << "\n";
    std::string spent;
    for (const auto& [name, seconds] : budget["clocks"].members()) {
        if (!seconds.is_number() || seconds == 0) continue;
        const std::string clock = name.substr(0, name.find("_seconds"));
        spent += (spent.empty() ? "" : ", ") + clean_line(clock) + " " + dump(seconds) + "s";
    }
    if (!spent.empty()) out << "Clocks: " << spent << "\n";
    const std::string parts = token_parts_text(budget["token_parts"]);
    if (!parts.empty()) out << "Tokens: " << parts << "\n";
    const Json& estimated = budget["cost_estimated_usd"];
    if (estimated.is_number()) out << "Estimated by prices: $" << dump(estimated) << "\n";
    const std::string warning = whole_text(budget, "cost_warning");
    // The prompt has it where something was used.
    if (!warning.empty() && budget.text_of("prompt").find(warning) == std::string::npos)
        out << "WARNING: " << warning << "\n";
    return out.str();
}

std::string comparison_text(const Json& comparison) {
    std::ostringstream out;
    out << whole_text(comparison, "session") << ": " << whole_text(comparison, "summary") << "\n";
    for (const Json& kill : comparison["legacy"]["kills"]) {
        out << "  " << whole_text(kill, "timer") << " timer: " << whole_text(kill, "at")
            << ", after #" << whole_text(kill, "n") << ", then " << whole_text(kill, "verdict");
        if (kill.contains("tool")) out << ", in a call of " << whole_text(kill, "tool");
        out << "\n";
    }
    const Json& real = comparison["status_based"];
    const std::string outcome = whole_text(real, "outcome");
    out << "  by status: " << (outcome.empty() ? whole_text(real, "verdict") : outcome) << " after "
        << human_duration(std::chrono::milliseconds{real["ran_ms"].integer()}) << "\n";
    return out.str();
}

std::string timeout_totals_text(const Json& totals) {
    const auto count = [&totals](const char* name) { return totals[name].integer(); };
    if (count("sessions") == 0) {
        return "no session has ended under observed timers; see `headway compare --help`\n";
    }
    std::ostringstream out;
    out << "of " << count("sessions") << " sessions the old timers would have ended "
        << count("would_have_killed") << "; " << count("saved") << " of these completed, with "
        << human_duration(std::chrono::milliseconds{count("saved_ms")})
        << " of work that would have been lost\n";
    return out.str();
}

}  // namespace headway::cli
