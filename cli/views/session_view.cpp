// SPDX-License-Identifier: Apache-2.0
#include "cli/views/session_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/expectation_view.hpp"
#include "cli/views/table.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kNameWidth = 12;

std::string ago_at(const Json& object, const char* name, WallTime now) {
    const auto time = parse_time(plain_text(object, name));
    if (!time) return {};
    return local_clock(*time) + " (" + human_duration(now - *time) + " ago)";
}

std::string agent_of(const Json& session) {
    const Json& agent = session["agent"];
    std::string line;
    for (const char* name : {"type", "name", "model"}) {
        const std::string part = plain_text(agent, name);
        if (!part.empty()) line += (line.empty() ? "" : " / ") + part;
    }
    return line;
}

/// "claude 2.1.330, newest 3s ago", and what is wrong with them.
std::string hooks_of(const Json& session, WallTime now) {
    const Json& adapter = session["adapter"];
    if (session["recorded"].is_boolean()) return "none; recorded from its stored session";
    if (!adapter.is_object())
        return plain_text(session["labels"], "adapter") == "transcript"
                   ? "none; observed by its stored session, and nothing reaches the agent"
                   : "";
    std::string line = plain_text(adapter, "name");
    const std::string version = plain_text(adapter, "agent_version");
    if (!version.empty()) line += " " + version;
    line += ", newest " + ago_at(adapter, "last_hook_at", now);
    const std::string channel = plain_text(adapter, "channel");
    if (channel == "mute") line += "; MUTE: none come, although the agent should be at work";
    if (channel == "degraded") {
        line += "; DEGRADED: no hook arrives for";
        for (const Json& name : adapter["missing"])
            line += " " + clean_line(name.text());
    }
    return line;
}

std::string labels_of(const Json& session) {
    std::string line;
    const Json& labels = session["labels"];
    if (!labels.is_object()) return line;
    for (const auto& [name, value] : labels.members()) {
        line += (line.empty() ? "" : " ") + clean_line(name) + "=" + plain_text(value);
    }
    return line;
}

std::string in_flight_of(const Json& session, WallTime now) {
    std::string line;
    const Json& calls = session["in_flight"];
    if (!calls.is_array()) return line;
    for (const Json& call : calls) {
        line += (line.empty() ? "" : ", ") + plain_text(call, "tool") + " " +
                plain_text(call, "call_id");
        line += " for " + age_at(call, "since", now);
        const std::string expected = expected_of_call(call, now);
        if (!expected.empty()) line += " (" + expected + ")";
    }
    return line;
}

std::string resources_of(const Json& session) {
    const Json& resources = session["resources"];
    if (!resources.is_object()) return {};
    return event_summary("heartbeat", {{"resources", resources}});
}

/// "8 of 10 steps, 120 of 600 s, $1.20 of $2.00, wrap_up": each limit with what is used of it.
std::string budget_line(const Json& session) {
    const Json& budget = session["budget"];
    if (!budget.is_object()) return {};
    std::string line;
    const auto add = [&](const char* used, const char* limit, const auto& text, const char* unit) {
        if (!budget[limit].is_number()) return;
        const std::string spent = budget[used].is_number() ? text(budget[used].number()) : "?";
        line += (line.empty() ? "" : ", ") + spent + " of " + text(budget[limit].number()) + unit;
    };
    const auto count = [](double value) { return count_text(value); };
    const auto money = [](double value) { return "$" + fixed_text(value, 2); };
    add("steps_completed", "max_steps", count, " steps");
    add("elapsed_seconds", "timeout_seconds", count, " s");
    add("tokens_used", "max_tokens", count, " tokens");
    add("cost_used_usd", "max_cost_usd", money, "");
    return line.empty() ? line : line + ", " + plain_text(budget, "level");
}

/// How far the cost is known; nothing if it is, as the agent said it.
std::string cost_doubt_of(const Json& session) {
    const std::string warning = plain_text(session["budget"], "cost_warning");
    if (!warning.empty()) return "WARNING: " + warning;
    const Json& used = session["used"];
    const double unpriced = used["unpriced_tokens"].number();
    std::string text;
    if (const double estimated = used["cost_estimated_usd"].number(); estimated > 0)
        text = "$" + fixed_text(estimated, estimated < 1 ? 3 : 2) + " of it estimated by prices";
    if (unpriced > 0)
        text += (text.empty() ? "" : ", ") + ("not known of " + count_text(unpriced) + " tokens");
    return text;
}

std::string alarm_of(const Json& alarm, WallTime now) {
    std::string line = alarm_words(plain_text(alarm, "kind"));
    const std::string tool = plain_text(alarm, "tool");
    if (!tool.empty()) line += ": " + tool;
    const std::string detail = plain_text(alarm, "detail");
    if (!detail.empty()) line += ": " + detail;
    const std::string approval = plain_text(alarm, "approval_id");
    if (!approval.empty()) line += ", " + approval;
    line += ", #" + plain_text(alarm, "n") + ", " + age_at(alarm, "at", now) + " ago";
    const Json& times = alarm["times"];
    if (times.is_unsigned() && times.count() > 1)
        line += ", " + std::to_string(times.count()) + " times";
    return line;
}

/// "3 open, 12 in all, 2 generations, 1.2M $0.40".
std::string fan_out_of(const Json& session) {
    const Json& below = session["fan_out"];
    if (!below.is_object()) return {};
    std::string line =
        plain_text(below, "at_once") + " open, " + plain_text(below, "in_all") + " in all";
    if (below["depth"].count() > 1) line += ", " + plain_text(below, "depth") + " generations";
    const std::string used = used_text({{"used", below}});
    return used.empty() ? line : line + ", " + used;
}

std::string estimate_of(const Json& session) {
    const Json& estimate = session["estimate"];
    const Json& percent = estimate["percent"];
    if (!percent.is_number()) return {};
    std::string line = progress_bar_text(percent.number());
    if (estimate["is_stuck"] == true) line += ", stalled";
    const std::string source = plain_text(estimate, "source");
    if (!source.empty()) line += ", says the " + source;
    const std::string reasoning = plain_text(estimate, "reasoning");
    return reasoning.empty() ? line : line + ": " + reasoning;
}

std::string blockers_of(const Json& session) {
    std::string line;
    const Json& blockers = session["estimate"]["blockers"];
    if (!blockers.is_array()) return line;
    for (const Json& blocker : blockers)
        line += (line.empty() ? "" : "; ") + plain_text(blocker);
    return line;
}

std::string colored(const std::string& text, std::string_view color) {
    if (color.empty()) return text;
    return std::string(color) + text + std::string(kColorReset);
}

void add_detail(std::string& out, const char* name, const std::string& value) {
    if (value.empty()) return;
    out += pad(name, kNameWidth) + value + "\n";
}

}  // namespace

std::string alarm_words(std::string_view kind) {
    if (kind == "executed_though_rejected") return "ran although it was rejected";
    if (kind == "executed_unapproved") return "ran without the approval that it needs";
    if (kind == "started_after_rejection") return "was started although it was rejected";
    if (kind == "approved_but_refused")
        return "was approved here and refused by the agent's own rules";
    if (kind == "never_executed") return "was approved and never ran";
    if (kind == "fan_out") return "has too many sub-agents";
    return clean_line(kind);
}

std::string used_text(const Json& session) {
    const Json& used = session["used"];
    const double tokens = used["tokens"].number();
    std::string text;
    if (tokens > 0) text = count_text(tokens);
    const std::string cost = cost_text(used);
    return text.empty() || cost.empty() ? text + cost : text + " " + cost;
}

std::string cost_text(const Json& used) {
    const Json& cost = used["cost_usd"];
    // Null is a cost that is not known; nothing is said of it where nothing was used.
    if (cost.is_null() && used.contains("cost_usd") && used["tokens"].number() > 0) return "$?";
    if (!(cost.number() > 0)) return {};
    const std::string estimated = used["cost_estimated_usd"].number() > 0 ? "~" : "";
    const std::string more = used["unpriced_tokens"].number() > 0 ? "+" : "";
    return estimated + "$" + fixed_text(cost.number(), cost.number() < 1 ? 3 : 2) + more;
}

std::string token_parts_text(const Json& parts) {
    std::string text;
    for (const char* name : {"input", "cached", "cache_write", "output", "reasoning"}) {
        const double count = parts[name].number();
        if (count > 0)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + count_text(count);
    }
    return text;
}

std::string progress_bar_text(double percent) {
    constexpr int kCells = 10;
    const double share = std::clamp(percent, 0.0, 100.0);
    const int full = static_cast<int>(std::lround(share * kCells / 100));
    return "[" + std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(kCells - full), '.') + "] " +
           std::to_string(std::lround(share)) + "%";
}

std::string sessions_table(const Json& sessions, WallTime now, std::size_t width, bool color,
                           const std::function<std::size_t(const std::string&)>& behind) {
    std::vector<Column> columns{{"SESSION", true}, {"VERDICT"}, {"ALIVE"},       {"OPENED"},
                                {"CHANGED"},       {"EVENTS"},  {"PHASE", true}, {"GOAL", true}};
    const bool used = std::any_of(sessions.begin(), sessions.end(),
                                  [](const Json& one) { return !used_text(one).empty(); });
    if (used) columns.insert(columns.begin() + 6, {"USED"});
    std::vector<std::vector<Cell>> rows;
    for (const Json& session : sessions) {
        const std::string verdict = plain_text(session["verdict"], "status");
        const bool ended = !session["ended_at"].is_null();
        const std::string alive = session["alive"] == true ? "yes" : "no";
        const Json& alarms = session["alarms"];
        const bool alarm = alarms.is_array() && !alarms.empty();
        const std::string_view tone = alarm ? kColorAlarm : verdict_color(verdict);
        std::string name = plain_text(session, "id");
        const std::size_t runs = behind ? behind(name) : 0;
        if (runs > 0) name += " (" + std::to_string(runs + 1) + " runs)";
        rows.push_back(
            {{std::move(name), {}},
             {shown_status(verdict, alarm, session["verdict"]["needs_somebody"] == true) +
                  until_text(session["verdict"], now),
              color ? tone : std::string_view()},
             {ended                         ? "-"
              : session["recorded"] == true ? "recorded"
                                            : alive,
              {}},
             {age_at(session, "opened_at", now), {}},
             {age_at(session, "last_change_at", now), {}},
             {plain_text(session, "n"), {}},
             {plain_text(session, "phase"), {}},
             {plain_text(session, "goal"), {}}});
        if (used) rows.back().insert(rows.back().begin() + 6, {used_text(session), {}});
    }
    return format_table(columns, rows, width);
}

std::string session_details(const Json& session, WallTime now, bool color) {
    const Json& verdict = session["verdict"];
    const std::string status = plain_text(verdict, "status");
    std::string line = colored(
        shown_status(status, false, verdict["needs_somebody"] == true) + until_text(verdict, now),
        color ? verdict_color(status) : std::string_view());
    const std::string reason = plain_text(verdict, "reason");
    if (!reason.empty()) line += " (" + reason + ")";
    if (const Json& evidence = verdict["evidence"]; evidence.is_array() && !evidence.empty()) {
        line += ", events " + plain_text(evidence);
    }

    std::string out;
    add_detail(out, "session", plain_text(session, "id"));
    if (const Json& alarms = session["alarms"]; alarms.is_array()) {
        for (const Json& alarm : alarms) {
            add_detail(out, "ALARM",
                       colored(alarm_of(alarm, now), color ? kColorAlarm : std::string_view()));
        }
    }
    add_detail(out, "verdict", line);
    add_detail(out, "estimate", estimate_of(session));
    add_detail(out, "next", plain_text(session["estimate"], "next_milestone"));
    add_detail(out, "blockers", blockers_of(session));
    add_detail(out, "goal", plain_text(session, "goal"));
    add_detail(out, "agent", agent_of(session));
    add_detail(out, "hooks", hooks_of(session, now));
    add_detail(out, "used", used_text(session));
    add_detail(out, "budget", budget_line(session));
    add_detail(out, "sub-agents", fan_out_of(session));
    add_detail(out, "tokens", token_parts_text(session["used"]["token_parts"]));
    add_detail(out, "cost", cost_doubt_of(session));
    add_detail(out, "parent", plain_text(session, "parent"));
    add_detail(out, "labels", labels_of(session));
    add_detail(out, "opened", ago_at(session, "opened_at", now));
    add_detail(out, "ended", ago_at(session, "ended_at", now));
    const bool ended = !session["ended_at"].is_null();
    const std::string beat = ago_at(session, "last_beat_at", now);
    if (!ended && session["recorded"] != true)
        add_detail(out, "alive", session["alive"] == true ? "yes" : "no");
    add_detail(out, "last beat", beat);
    add_detail(
        out, "last change",
        plain_text(session, "last_change").empty()
            ? ""
            : plain_text(session, "last_change") + ", " + ago_at(session, "last_change_at", now));
    add_detail(out, "phase", plain_text(session, "phase"));
    add_detail(out, "iteration", plain_text(session, "iteration"));
    add_detail(out, "state", plain_text(session, "state"));
    add_detail(out, "in flight", in_flight_of(session, now));
    add_detail(out, "resources", resources_of(session));
    add_detail(out, "events",
               plain_text(session, "n") + " (" + plain_text(session, "heartbeats") +
                   " heartbeats, " + plain_text(session, "state_changes") + " state changes, " +
                   plain_text(session["tools"], "calls") + " tool calls, " +
                   plain_text(session["tools"], "failures") + " failed)");
    const Json& directives = session["directives"];
    if (directives.is_array()) {
        for (const Json& directive : directives) {
            add_detail(out, "directive",
                       plain_text(directive, "type") + ": " + plain_text(directive, "reason"));
        }
    }
    return out;
}

std::string advice_text(const Json& advice) {
    const Json& verdict = advice["verdict"];
    std::string out = plain_text(advice, "session") + " event " + plain_text(advice, "n") + ": " +
                      plain_text(verdict, "status");
    const std::string reason = plain_text(verdict, "reason");
    if (!reason.empty()) out += " (" + reason + ")";
    if (const Json& known = advice["duplicates"]; known.is_integer() && known != 0) {
        out += ", known already";
    }
    out += "\n";
    const Json& directives = advice["directives"];
    if (!directives.is_array()) return out;
    for (const Json& directive : directives) {
        out += "directive " + plain_text(directive, "type") + " " + plain_text(directive, "id") +
               ": " + plain_text(directive, "reason") + "\n";
    }
    return out;
}

}  // namespace headway::cli
