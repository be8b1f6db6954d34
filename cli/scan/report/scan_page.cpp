// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/report/scan_page.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "api/text/entities.hpp"
#include "cli/base/text.hpp"
#include "cli/scan/report/scan_view.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

/// Colours and forms of web/style.css; nothing is loaded, and no script may run.
constexpr std::string_view kPageHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer"><title>Headway scan</title><style>
:root { color-scheme: light dark;
  --bg: light-dark(#f7f7f5, #0f1113); --card: light-dark(#fff, #16191c); --line: light-dark(#e3e3de, #272c31);
  --ink: light-dark(#1a1d1f, #e7e9ea); --soft: light-dark(#5a6067, #a0a8b0); --accent: light-dark(#17695a, #4fc3a1);
  --on: light-dark(#fff, #06201a); --amber: light-dark(#8a5300, #f0b04a); --red: light-dark(#bd2a22, #ff8178);
  --purple: light-dark(#6a3fc4, #b99df7);
  font: 14px/1.45 Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums }
* { box-sizing: border-box; margin: 0; padding: 0 }
body { background: var(--bg); color: var(--ink) }
header { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; min-height: 48px; padding: 6px 20px;
  background: var(--card); border-bottom: 1px solid var(--line) }
header b { font-size: 15px; font-weight: 680 }
header svg { width: 22px; background: var(--accent); border-radius: 6px; padding: 3px; fill: none; stroke: var(--on);
  stroke-width: 4; stroke-linecap: round; stroke-linejoin: round; vertical-align: -6px; margin-right: 7px }
small, th, dt, p, figcaption { color: var(--soft); font-weight: 400; font-size: 12px }
main { padding: 14px 20px 60px; max-width: 1200px; margin: auto; display: grid; gap: 22px }
h2 { font-size: 14px; font-weight: 600; margin-bottom: 8px }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(104px, 1fr)); gap: 10px }
dl div, section, figure { background: var(--card); border: 1px solid var(--line); border-radius: 9px; padding: 10px 14px; min-width: 0 }
dd { font-size: 20px; font-weight: 600; letter-spacing: -.012em }
.stuck { color: var(--red) } .blocked { color: var(--purple) } .cut, .refused { color: var(--amber) }
figure svg { display: block; width: 100%; height: auto }
figure rect { fill: var(--line); rx: 2px } figure .d { fill: var(--accent) } figure .s { fill: var(--red) }
figure text { fill: var(--soft); font-size: 8px }
ol { list-style: none } li { padding: 8px 0; border-top: 1px solid var(--line) } li:first-child { border: 0 }
li > b { font-weight: 600; margin-right: 8px } li small { overflow-wrap: anywhere } li div { overflow-wrap: anywhere }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: right; padding: 4px 10px; white-space: nowrap; border-top: 1px solid var(--line) }
tr:first-child th { border: 0 } th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal;
  overflow-wrap: anywhere; min-width: 140px }
i { display: block; height: 4px; border-radius: 2px; background: var(--accent); margin-top: 2px; min-width: 1px }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 22px }
</style></head><body>
<header><b><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M7 22l6-7 5 4 7-10"/></svg>Headway scan</b>)";

std::string as_html(std::string_view text) {
    return api::with_entities(clean_line(text));
}

std::string figure_item(std::string_view name, const std::string& value, std::string_view kind) {
    std::string item = "<div><dt>";
    item.append(name).append("</dt><dd class=\"").append(kind).append("\">");
    return item + as_html(value) + "</dd></div>";
}

std::string page_figures(const ScanTotals& totals) {
    const Totals& all = totals.all;
    std::string html = "<dl>";
    html += figure_item("sessions", std::to_string(all.sessions - all.sub_agents), "");
    if (all.sub_agents > 0) html += figure_item("sub-agents", std::to_string(all.sub_agents), "");
    html += figure_item("work", worked_text(all), "");
    html += figure_item("calls", count_text(static_cast<double>(all.calls)), "");
    html += figure_item("tokens", count_text(static_cast<double>(all.tokens)), "");
    html += figure_item("cost", cost_text(all), "");
    html += figure_item("stuck", std::to_string(totals.stuck), totals.stuck > 0 ? "stuck" : "");
    if (totals.after_stuck.tokens > 0)
        html += figure_item("spent after that, at least", cost_text(totals.after_stuck), "stuck");
    html += figure_item("blocked at the end", std::to_string(totals.blocked),
                        totals.blocked > 0 ? "blocked" : "");
    html += figure_item("cut off", std::to_string(totals.cut_off), "");
    return html + "</dl>";
}

constexpr double kDaySeconds = 86'400;
constexpr int kWeeksShown = 53;
constexpr int kSquare = 12;
constexpr int kMonthsHeight = 12;  // the line of their names
constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Below the column of each month's first Monday: its name.
std::string page_months(std::int64_t first, std::int64_t last) {
    std::string html;
    const std::int64_t end = last - 7;  // no name has room below the last column
    for (std::int64_t monday = first; monday < end; monday += 7) {
        const std::chrono::year_month_day date{
            std::chrono::sys_days{std::chrono::days{static_cast<int>(monday)}}};
        if (static_cast<unsigned>(date.day()) > 7) continue;
        html += "<text x=\"" + std::to_string((monday - first) / 7 * kSquare) + "\" y=\"" +
                std::to_string(7 * kSquare + kMonthsHeight - 3) + "\">";
        html.append(kMonths[static_cast<unsigned>(date.month()) - 1]).append("</text>");
    }
    return html;
}

/// A square a day, a column a week: how much was used, and where a session was stuck.
std::string page_year(const ScanTotals& totals, double written_at) {
    if (totals.by_day.empty()) return {};
    const auto last = static_cast<std::int64_t>(written_at / kDaySeconds);
    const std::int64_t monday = last - (last + 3) % 7;  // the first day of 1970 was a Thursday
    const std::int64_t first = monday - 7 * (kWeeksShown - 1);
    std::uint64_t most = 1;
    for (auto day = totals.by_day.lower_bound(first); day != totals.by_day.end(); ++day)
        most = std::max(most, day->second.tokens);
    std::string html = "<figure><h2>A year of work</h2><svg viewBox=\"0 0 " +
                       std::to_string(kWeeksShown * kSquare) + " " +
                       std::to_string(7 * kSquare + kMonthsHeight) +
                       "\" role=\"img\" aria-label=\"tokens of each day\">";
    for (std::int64_t day = first; day <= last; ++day) {
        const auto found = totals.by_day.find(day);
        const bool used = found != totals.by_day.end();
        const bool stuck = used && found->second.stuck > 0;
        html += "<rect x=\"" + std::to_string((day - first) / 7 * kSquare) + "\" y=\"" +
                std::to_string((day - first) % 7 * kSquare) + "\" width=\"10\" height=\"10\"";
        if (used) {
            // The eye tells shares of a small day better by their root.
            const double share =
                std::sqrt(static_cast<double>(found->second.tokens) / static_cast<double>(most));
            html += std::string(" class=\"") + (stuck ? "s" : "d") + "\" opacity=\"" +
                    fixed_text(0.25 + 0.75 * share, 2) + "\"";
        }
        html += "><title>" + day_text(static_cast<double>(day) * kDaySeconds);
        if (used) html += ": " + count_text(static_cast<double>(found->second.tokens)) + " tokens";
        if (stuck) html += ", " + std::to_string(found->second.stuck) + " stuck";
        html += "</title></rect>";
    }
    return html + page_months(first, last) +
           "</svg><figcaption>Tokens of each day, in UTC; red: a session got stuck on that "
           "day.</figcaption></figure>";
}

std::string_view kind_of(const CountedSession& counted) {
    if (counted.stuck) return "stuck";
    if (counted.session->last.verdict == core::Verdict::kBlocked) return "blocked";
    return counted.session->open_calls > 0 ? "cut" : "refused";
}

std::string page_troubles(const ScanTotals& totals, std::size_t rows) {
    const auto bad = troubled_sessions(totals);
    std::string html = "<section><h2>What went wrong</h2>";
    if (bad.empty()) html += "<p>No session was stuck, blocked, cut off or refused.</p>";
    html += "<ol>";
    for (std::size_t i = 0; i < std::min(rows, bad.size()); ++i) {
        const CountedSession& counted = *bad[i];
        const ScannedSession& session = *counted.session;
        html += "<li><b class=\"" + std::string(kind_of(counted)) + "\">" +
                std::string(kind_of(counted) == "cut" ? "cut off" : kind_of(counted)) + "</b>" +
                as_html(session.about.project) + "<div>" + as_html(trouble_of(counted)) +
                "</div><small>" + as_html(session.about.agent) + " " + as_html(session.about.id) +
                ", " + day_text(session.began) + ", " + std::to_string(counted.used.calls) +
                " calls, " + as_html(spent_text(counted.used)) + "</small></li>";
    }
    html += "</ol>";
    if (bad.size() > rows) html += "<p>... and " + std::to_string(bad.size() - rows) + " more</p>";
    return html + "</section>";
}

std::string page_groups(std::string_view title, const std::map<std::string, Totals>& groups,
                        std::size_t rows) {
    const auto sorted = sorted_groups(groups, false);
    double most = 0;
    bool sessions = false;
    for (const auto& [name, totals] : sorted) {
        most = std::max(most, static_cast<double>(totals.tokens));
        sessions = sessions || totals.sessions > 0;
    }
    std::string html = "<section><div class=\"wide\"><table><tr><th>";
    html.append(title).append(sessions ? "</th><th>sessions</th><th>calls</th><th>work" : "");
    html += "</th><th>tokens</th><th>cost</th></tr>";
    for (std::size_t i = 0; i < std::min(rows, sorted.size()); ++i) {
        const auto& [name, totals] = sorted[i];
        const double share = most > 0 ? static_cast<double>(totals.tokens) / most : 0;
        html += "<tr><td>" + (name.empty() ? "-" : as_html(name)) +
                "<i style=\"width: " + fixed_text(share * 100, 1) + "%\"></i></td>";
        if (sessions)
            html += "<td>" + std::to_string(totals.sessions) + "</td><td>" +
                    std::to_string(totals.calls) + "</td><td>" + worked_text(totals) + "</td>";
        html += "<td>" + count_text(static_cast<double>(totals.tokens)) + "</td><td>" +
                cost_text(totals) + "</td></tr>";
    }
    return html + "</table></div></section>";
}

}  // namespace

std::string scan_page(const ScanTotals& totals, double written_at, std::size_t rows) {
    std::string html{kPageHead};
    html += "<small>sessions that agents have stored on this machine, judged on " +
            day_text(written_at) + "</small></header><main>";
    html += page_figures(totals);
    html += page_year(totals, written_at);
    html += page_troubles(totals, rows);
    html += "<div class=\"two\">";
    html += page_groups("agent", totals.by_agent, rows);
    html += page_groups("model", totals.by_model, rows);
    html += "</div>";
    html += page_groups("project", totals.by_project, rows);
    html +=
        "<p>Costs are by a list of prices, without plans and discounts; + : some tokens have no "
        "price, $?: none has. Stuck and blocked are verdicts of Headway's rules.</p>";
    return html + "</main></body></html>\n";
}

}  // namespace headway::cli
