// SPDX-License-Identifier: Apache-2.0
#include "cli/approval_view.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/text.hpp"

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kReset = "\x1b[0m";

std::string text_of(const json& object, const char* name) {
    if (!object.contains(name) || object[name].empty()) return {};  // null too
    const json& value = object[name];
    if (value.is_string()) return clean_line(value.get<std::string>());
    if (value.is_object() && value.contains("head"))
        return clean_line(value.value("head", std::string{})) + " …";
    return clean_line(value.dump());
}

/// "3m10s ago", "in 5.0s", or nothing.
std::string relative(const json& object, const char* name, WallTime now) {
    const auto at = parse_time(text_of(object, name));
    if (!at) return {};
    return *at <= now ? human_duration(now - *at) + " ago" : "in " + human_duration(*at - now);
}

void line(std::ostringstream& out, std::string_view name, const std::string& value) {
    if (!value.empty()) out << "  " << pad(name, 10) << value << "\n";
}

/// Part of what is approved that nobody can read: it looked like a secret.
std::string hidden_of(const json& approval, bool color) {
    const auto hidden = approval.find("hidden_bytes");
    if (hidden == approval.end() || !hidden->is_number_integer() || *hidden <= 0) return {};
    const std::string text = hidden->dump() +
                             " bytes of the arguments were cut out as secrets: they are not shown, "
                             "and approved with the rest";
    return color ? std::string{kRed} + text + std::string{kReset} : text;
}

std::string unverified_of(const json& approval) {
    const auto unverified = approval.find("unverified");
    if (unverified == approval.end() || *unverified != true) return {};
    return "the call that used it did not say with which arguments it ran";
}

json decision_of(const json& approval) {
    const json decision = approval.value("decision", json());
    return decision.is_object() ? decision : json::object();
}

}  // namespace

std::string approvals_text(const json& approvals, WallTime now, bool color) {
    std::ostringstream out;
    for (const json& one : approvals) {
        const std::string tool = text_of(one, "tool");
        const std::string kind = text_of(one, "kind");
        out << (color ? kBold : "") << text_of(one, "id") << (color ? kReset : "") << "  "
            << text_of(one, "status") << "  " << (tool.empty() ? kind : tool) << "\n";
        line(out, "session", text_of(one, "session"));
        if (!tool.empty()) line(out, "kind", kind);
        line(out, "risk", text_of(one, "risk"));
        line(out, "asks", text_of(one, "summary"));
        line(out, "arguments", text_of(one, "args"));
        line(out, "HIDDEN", hidden_of(one, color));
        line(out, "options", text_of(one, "options"));
        line(out, "extension", text_of(one, "extend"));
        line(out, "digest", text_of(one, "args_digest"));
        line(out, "asked", relative(one, "requested_at", now));
        line(out, "expires", relative(one, "expires_at", now));
        const json decision = decision_of(one);
        line(out, "decision", text_of(decision, "decision"));
        line(out, "by", text_of(decision, "by"));
        line(out, "reason", text_of(decision, "reason"));
        line(out, "UNVERIFIED", unverified_of(one));
    }
    return out.str();
}

std::string decision_text(const json& approval) {
    std::string text = text_of(approval, "id") + "  " + text_of(approval, "status");
    const std::string by = text_of(decision_of(approval), "by");
    if (!by.empty()) text += "  by " + by;
    return text + "\n";
}

std::string budget_text(const json& budget) {
    if (budget.is_null() || !budget.contains("prompt")) return "no budget is set\n";
    std::ostringstream out;
    std::istringstream prompt{budget.value("prompt", std::string{})};
    for (std::string text; std::getline(prompt, text);)
        out << clean_line(text) << "\n";
    const json clocks = budget.value("clocks", json::object());
    std::string spent;
    for (const auto& [name, seconds] : clocks.items()) {
        if (!seconds.is_number() || seconds == 0) continue;
        const std::string clock = name.substr(0, name.find("_seconds"));
        spent += (spent.empty() ? "" : ", ") + clean_line(clock) + " " + seconds.dump() + "s";
    }
    if (!spent.empty()) out << "Clocks: " << spent << "\n";
    return out.str();
}

std::string comparison_text(const json& comparison) {
    std::ostringstream out;
    out << text_of(comparison, "session") << ": " << text_of(comparison, "summary") << "\n";
    const json legacy = comparison.value("legacy", json::object());
    for (const json& kill : legacy.value("kills", json::array())) {
        out << "  " << text_of(kill, "timer") << " timer: " << text_of(kill, "at") << ", after #"
            << text_of(kill, "n") << ", then " << text_of(kill, "verdict");
        if (kill.contains("tool")) out << ", in a call of " << text_of(kill, "tool");
        out << "\n";
    }
    const json real = comparison.value("status_based", json::object());
    const std::string outcome = text_of(real, "outcome");
    out << "  by status: " << (outcome.empty() ? text_of(real, "verdict") : outcome) << " after "
        << human_duration(std::chrono::milliseconds{real.value("ran_ms", 0LL)}) << "\n";
    return out.str();
}

std::string timeout_totals_text(const json& totals) {
    const auto count = [&totals](const char* name) { return totals.value(name, 0LL); };
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
