// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/report/scan_view.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/table.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReasonColumns = 160;

std::string seconds_text(double seconds) {
    return human_duration(milliseconds{std::llround(seconds * 1'000)});
}

WallTime wall_time(double seconds) {
    return WallTime{milliseconds{std::llround(seconds * 1'000)}};
}

std::string number(std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

int rank_of(const CountedSession& counted) {
    const ScannedSession& session = *counted.session;
    if (counted.stuck) return 0;
    if (session.last.verdict == core::Verdict::kBlocked) return 1;
    return session.open_calls > 0 ? 2 : 3;
}

std::string short_id(const ScannedSession& session) {
    return clean_line(session.about.id).substr(0, 8);
}

std::string folder_of(const ScannedSession& session) {
    const std::string& path = session.about.project;
    const std::size_t cut = path.find_last_of('/');
    return clean_line(cut == std::string::npos ? path : path.substr(cut + 1));
}

std::string troubles_table(const ScanTotals& totals, const ScanStyle& style) {
    const auto bad = troubled_sessions(totals);
    if (bad.empty()) return "No session was stuck, blocked, cut off or refused.\n";
    std::vector<std::vector<Cell>> rows;
    for (const CountedSession* counted : bad) {
        if (rows.size() == style.rows) break;
        const ScannedSession& session = *counted->session;
        const std::string_view status = counted->stuck ? "stuck" : "blocked";
        const bool colored = style.color && rank_of(*counted) < 2;
        rows.push_back({{short_id(session), {}},
                        {session.about.agent, {}},
                        {folder_of(session), {}},
                        {local_day(wall_time(session.began)), {}},
                        {std::to_string(counted->used.calls), {}},
                        {cost_text(counted->used), {}},
                        {counted->stuck ? cost_text(counted->after_stuck) : "-", {}},
                        {crop(clean_line(trouble_of(*counted)), kReasonColumns),
                         colored ? verdict_color(status) : std::string_view{}}});
    }
    std::string text = format_table({{"SESSION"},
                                     {"AGENT"},
                                     {"PROJECT", true},
                                     {"DAY"},
                                     {"CALLS"},
                                     {"COST"},
                                     {"AFTER"},
                                     {"WHAT HAPPENED", true}},
                                    rows, style.width);
    if (bad.size() > rows.size())
        text += "... and " + std::to_string(bad.size() - rows.size()) + " more; --json lists all\n";
    return text;
}

std::string group_table(const char* title, const std::map<std::string, Totals>& groups,
                        bool by_name, const ScanStyle& style) {
    const auto sorted = sorted_groups(groups, by_name);
    const bool sessions = std::any_of(sorted.begin(), sorted.end(),
                                      [](const auto& one) { return one.second.sessions > 0; });
    std::vector<Column> columns{{title, true}, {"TOKENS"}, {"COST"}};
    if (sessions) columns.insert(columns.begin() + 1, {{"SESSIONS"}, {"CALLS"}, {"WORKED"}});
    std::vector<std::vector<Cell>> rows;
    for (const auto& [name, totals] : sorted) {
        if (rows.size() == style.rows) break;
        std::vector<Cell> row{{name.empty() ? "-" : clean_line(name), {}},
                              {count_text(static_cast<double>(totals.tokens)), {}},
                              {cost_text(totals), {}}};
        if (sessions)
            row.insert(row.begin() + 1, {{std::to_string(totals.sessions), {}},
                                         {std::to_string(totals.calls), {}},
                                         {seconds_text(totals.worked), {}}});
        rows.push_back(std::move(row));
    }
    return "\n" + format_table(columns, rows, style.width);
}

Json totals_json(const Totals& totals) {
    Json json = {{"sessions", totals.sessions}, {"sub_agents", totals.sub_agents},
                 {"calls", totals.calls},       {"failures", totals.failures},
                 {"tokens", totals.tokens},     {"unpriced_tokens", totals.unpriced},
                 {"cost_usd", totals.cost_usd}, {"worked_seconds", totals.worked}};
    return json;
}

Json groups_json(const std::map<std::string, Totals>& groups) {
    Json json = Json::object();
    for (const auto& [name, totals] : groups)
        json[name] = totals_json(totals);
    return json;
}

Json alarm_json(const ScannedAlarm& alarm) {
    return {{"call", alarm.call}, {"at", alarm.seconds}, {"reason", alarm.reason}};
}

Json session_json(const CountedSession& counted) {
    const ScannedSession& session = *counted.session;
    Json json = {{"id", session.about.id},
                 {"agent", session.about.agent},
                 {"project", session.about.project},
                 {"model", session.about.model},
                 {"version", session.about.version},
                 {"file", session.file},
                 {"began", session.began},
                 {"ended", session.ended},
                 {"verdict", std::string(core::name_of(session.last.verdict))},
                 {"reason", session.last.reason},
                 {"open_calls", session.open_calls},
                 {"refused_calls", session.refused},
                 {"broken_lines", session.broken},
                 {"used", totals_json(counted.used)}};
    if (!session.about.parent.empty()) json["parent"] = session.about.parent;
    if (session.blocked) json["blocked"] = alarm_json(*session.blocked);
    if (!session.stuck) return json;
    json["stuck"] = alarm_json(*session.stuck);
    json["after_stuck"] = {{"tokens", counted.after_stuck.tokens},
                           {"cost_usd", counted.after_stuck.cost_usd},
                           {"worked_seconds", session.worked_after_stuck}};
    return json;
}

}  // namespace

std::string cost_text(const Totals& totals) {
    if (totals.tokens == 0) return "-";
    if (totals.unpriced == totals.tokens) return "$?";
    const int decimals = totals.cost_usd < 1 ? 3 : totals.cost_usd < 1'000 ? 2 : 0;
    std::string text = "$" + fixed_text(totals.cost_usd, decimals);
    return totals.unpriced > 0 ? text + "+" : text;
}

std::string trouble_of(const CountedSession& counted) {
    const ScannedSession& session = *counted.session;
    std::string text;
    if (counted.stuck) {
        text =
            "stuck from call " + std::to_string(session.stuck->call) + ": " + session.stuck->reason;
        if (counted.after_stuck.tokens > 0)
            text += "; after that at least " + spent_text(counted.after_stuck) + ", " +
                    seconds_text(session.worked_after_stuck);
    } else if (session.last.verdict == core::Verdict::kBlocked) {
        text = "ended blocked: " + session.last.reason;
    } else if (session.open_calls > 0) {
        text = "cut off: " + number(session.open_calls, "call has", "calls have") + " no result";
    } else if (session.refused > 0) {
        text = number(session.refused, "call was", "calls were") + " refused";
    }
    return text;
}

std::string worked_text(const Totals& totals) {
    return seconds_text(totals.worked);
}

std::string day_text(double seconds) {
    const auto day = std::chrono::floor<std::chrono::days>(
        std::chrono::sys_seconds{std::chrono::seconds{static_cast<long>(seconds)}});
    const std::chrono::year_month_day date{day};
    char text[16];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    return text;
}

std::vector<const CountedSession*> troubled_sessions(const ScanTotals& totals) {
    std::vector<const CountedSession*> bad;
    for (const CountedSession& counted : totals.sessions)
        if (!trouble_of(counted).empty()) bad.push_back(&counted);
    std::stable_sort(bad.begin(), bad.end(), [](const auto* a, const auto* b) {
        const int left = rank_of(*a);
        const int right = rank_of(*b);
        if (left != right) return left < right;
        return a->after_stuck.tokens > b->after_stuck.tokens;
    });
    return bad;
}

std::vector<std::pair<std::string, Totals>> sorted_groups(
    const std::map<std::string, Totals>& groups, bool by_name) {
    std::vector<std::pair<std::string, Totals>> sorted(groups.begin(), groups.end());
    std::stable_sort(sorted.begin(), sorted.end(), [by_name](const auto& a, const auto& b) {
        if (by_name) return a.first > b.first;
        return std::pair{a.second.cost_usd, a.second.tokens} >
               std::pair{b.second.cost_usd, b.second.tokens};
    });
    return sorted;
}

std::string spent_text(const Totals& totals) {
    return count_text(static_cast<double>(totals.tokens)) + " tokens, " + cost_text(totals);
}

std::string scan_text(const ScanTotals& totals, const ScanStyle& style) {
    const Totals& all = totals.all;
    std::string text = number(all.sessions - all.sub_agents, "session", "sessions");
    if (all.sub_agents > 0) text += " and " + number(all.sub_agents, "sub-agent", "sub-agents");
    text += ", " + seconds_text(all.worked) + " of work, " + number(all.calls, "call", "calls") +
            ", " + spent_text(all) + ".\n";
    text += std::to_string(totals.stuck) + " stuck";
    if (totals.after_stuck.tokens > 0)
        text += " (at least " + spent_text(totals.after_stuck) + " after that)";
    text += ", " + std::to_string(totals.blocked) + " blocked at the end, " +
            std::to_string(totals.cut_off) + " cut off, " + std::to_string(totals.refused) +
            " with refused calls.\n\n";
    text += troubles_table(totals, style);
    text += group_table("AGENT", totals.by_agent, false, style);
    text += group_table("PROJECT", totals.by_project, false, style);
    text += group_table("MODEL", totals.by_model, false, style);
    text += group_table("WEEK OF", totals.by_week, true, style);
    return text;
}

Json scan_json(const ScanTotals& totals, const std::vector<std::string>& skipped) {
    Json sessions = Json::array();
    for (const CountedSession& counted : totals.sessions)
        sessions.push_back(session_json(counted));
    Json left = Json::array();
    for (const std::string& why : skipped)
        left.push_back(why);
    return {{"all", totals_json(totals.all)},
            {"after_stuck",
             {{"tokens", totals.after_stuck.tokens}, {"cost_usd", totals.after_stuck.cost_usd}}},
            {"stuck", totals.stuck},
            {"blocked", totals.blocked},
            {"cut_off", totals.cut_off},
            {"refused", totals.refused},
            {"by_agent", groups_json(totals.by_agent)},
            {"by_project", groups_json(totals.by_project)},
            {"by_model", groups_json(totals.by_model)},
            {"by_week", groups_json(totals.by_week)},
            {"sessions", std::move(sessions)},
            {"skipped", std::move(left)}};
}

}  // namespace headway::cli
