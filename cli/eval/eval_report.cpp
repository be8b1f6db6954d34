// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/eval_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/eval/savings.hpp"
#include "cli/views/table.hpp"

namespace headway::cli {
namespace {

using core::Verdict;
constexpr std::array<std::string_view, 3> kPortable{"yes", "threshold", "policy"};

using JudgedSessions = std::vector<const JudgedSession*>;

bool is_apart(const Evaluation& evaluation, const std::string& source) {
    return std::find(evaluation.apart.begin(), evaluation.apart.end(), source) !=
           evaluation.apart.end();
}

/// But for the sources whose labels mean something else.
JudgedSessions everyone(const Evaluation& evaluation) {
    JudgedSessions all;
    for (const JudgedSession& session : evaluation.sessions)
        if (!is_apart(evaluation, session.label.source)) all.push_back(&session);
    return all;
}

std::map<std::string, JudgedSessions> by_source(const Evaluation& evaluation) {
    std::map<std::string, JudgedSessions> sources;
    for (const JudgedSession& session : evaluation.sessions)
        sources[session.label.source].push_back(&session);
    return sources;
}

Json json_of(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

Json json_of(const Metrics& metrics) {
    return {{"sessions", metrics.sessions},
            {"successes", metrics.successes},
            {"false_stuck", metrics.false_stuck},
            {"stuck_unknown", metrics.stuck_unknown},
            {"suspects_on_success", metrics.suspects_on_success},
            {"loops", metrics.loops},
            {"recall", json_of(metrics.recall)},
            {"recall_human", json_of(metrics.recall_human)},
            {"nudges_per_1000_calls", metrics.nudges_per_1000_calls},
            {"delay_suspect", json_of(metrics.delay_suspect)},
            {"delay_stuck", json_of(metrics.delay_stuck)},
            {"recall_5", json_of(metrics.recall_5)}};
}

// The verdict that explains most: the first `stuck`, else the first `suspect`, else the last one.
Json worst_of(const Timeline& timeline) {
    const Step* step = first_alarm(timeline, Verdict::kStuck);
    if (step == nullptr) step = first_alarm(timeline, Verdict::kSuspect);
    if (step == nullptr && !timeline.verdicts.empty()) step = &timeline.verdicts.back();
    if (step == nullptr) return {{"verdict", core::name_of(timeline.last.verdict)}, {"reason", ""}};
    const auto& change = std::get<core::VerdictChanged>(step->event.payload);
    return {{"verdict", core::name_of(change.to)},
            {"reason", change.reason},
            {"detector", change.detector},
            {"line", step->line},
            {"call", step->call}};
}

struct List {
    const char* name;
    const char* title;
    bool (*holds)(const JudgedSession& session);
};

/// Only with verdicts of people.
constexpr std::array<List, 2> kReadLists{{
    {"wrong_alarms", "Alarms that a person found wrong", is_wrong_alarm},
    {"unread_alarms", "Alarms that no person has read", is_unread_alarm},
}};

constexpr std::array<List, 4> kLists{{
    {"false_stuck", "False stucks (successes without a loop)", is_false_stuck},
    {"stuck_unknown", "Stuck successes of which the labels do not say whether they have a loop",
     is_stuck_unknown},
    {"suspects_on_success", "Suspects on success", is_suspect_on_success},
    {"missed_loops", "Missed loops", is_missed_loop},
}};

std::vector<List> lists_of(const Evaluation& evaluation) {
    std::vector<List> lists(kLists.begin(), kLists.end());
    if (evaluation.read) lists.insert(lists.end(), kReadLists.begin(), kReadLists.end());
    return lists;
}

Json members_of(const List& list, const Evaluation& evaluation) {
    Json members = Json::array();
    for (const JudgedSession& session : evaluation.sessions) {
        if (!list.holds(session)) continue;
        Json member = worst_of(session.timeline);
        member["file"] = session.label.file;
        members.push_back(std::move(member));
    }
    return members;
}

Json scenarios_json(const std::vector<Scenario>& scenarios) {
    Json groups = Json::object();
    for (const std::string_view portable : kPortable)
        groups[std::string(portable)] = {{"count", 0}, {"agree", 0}};
    Json disagreements = Json::array();
    for (const Scenario& scenario : scenarios) {
        Json& group = groups[scenario.portable];
        group["count"] = group["count"].count() + 1;
        group["agree"] = group["agree"].count() + (agrees(scenario) ? 1 : 0);
        if (agrees(scenario)) continue;
        Json one = worst_of(scenario.timeline);
        one["file"] = scenario.file;
        one["portable"] = scenario.portable;
        one["expect"] = scenario.expects_stuck ? "stuck" : "not_stuck";
        one["test"] = scenario.test;
        disagreements.push_back(std::move(one));
    }
    groups["disagreements"] = std::move(disagreements);
    return groups;
}

std::string number(double value, int decimals) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string percent(const std::optional<double>& share) {
    return share ? number(*share * 100, 1) + "%" : "-";
}

std::string calls(const std::optional<double>& median) {
    return median ? number(*median, 1) : "-";
}

std::string metrics_table(const Evaluation& evaluation, std::size_t width) {
    const std::vector<Column> columns{{"SOURCE", true}, {"RUNS"},    {"GOOD"},   {"FALSE"},
                                      {"MAYBE"},        {"SUSPECT"}, {"LOOPS"},  {"RECALL"},
                                      {"HUMAN"},        {"5+"},      {"NUDGES"}, {"DELAY"}};
    std::vector<std::vector<Cell>> rows;
    const auto add = [&rows](const std::string& source, const Metrics& m) {
        std::vector<Cell>& row = rows.emplace_back();
        for (std::string text :
             {clean_line(source), std::to_string(m.sessions), std::to_string(m.successes),
              std::to_string(m.false_stuck), std::to_string(m.stuck_unknown),
              std::to_string(m.suspects_on_success), std::to_string(m.loops), percent(m.recall),
              percent(m.recall_human), percent(m.recall_5), number(m.nudges_per_1000_calls, 2),
              calls(m.delay_suspect) + " / " + calls(m.delay_stuck)}) {
            row.push_back({std::move(text), {}});
        }
    };
    for (const auto& [source, sessions] : by_source(evaluation))
        if (!is_apart(evaluation, source)) add(source, measure(sessions));
    add("total", measure(everyone(evaluation)));
    for (const auto& [source, sessions] : by_source(evaluation))
        if (is_apart(evaluation, source)) add(source + " (apart)", measure(sessions));
    return format_table(columns, rows, width) +
           "\nGOOD      successes; FALSE: of these, without a loop and yet ever stuck; MAYBE: ever "
           "stuck, loop unknown; SUSPECT: ever suspect or stuck\n"
           "RECALL    of the loops, ever stuck; HUMAN: of those that people labelled; 5+: of five "
           "calls and more\n"
           "NUDGES    per 1,000 calls; DELAY: median of calls from a loop's start to suspect / to "
           "stuck\n";
}

std::string text_of(const Json& member) {
    std::string line = "  " + clean_line(member.text_of("file")) + ": " + member.text_of("verdict");
    if (member.contains("call")) line += " at call " + dump(member["call"]);
    const std::string& reason = member.text_of("reason");
    return reason.empty() ? line : line + ", " + clean_line(reason);
}

std::string scenarios_text(const Evaluation& evaluation, std::size_t width) {
    const Json groups = scenarios_json(evaluation.scenarios);
    std::vector<std::vector<Cell>> rows;
    for (const auto& [portable, group] : groups.members()) {
        if (!group.is_object()) continue;
        rows.push_back(
            {{clean_line(portable), {}}, {dump(group["count"]), {}}, {dump(group["agree"]), {}}});
    }
    std::string text = format_table({{"SCENARIOS"}, {"COUNT"}, {"AGREE"}}, rows, width);
    for (const Json& one : groups["disagreements"]) {
        text += text_of(one) + " (" + one.text_of("portable") + ", expected " +
                one.text_of("expect") + "): " + clean_line(one.text_of("test")) + "\n";
    }
    return text;
}

std::string alarms_text(const AlarmCounts& alarms) {
    std::string text =
        "\nALARMS    " + std::to_string(alarms.stuck) + " sessions were ever stuck; ";
    text += std::to_string(alarms.right) + " of " + std::to_string(alarms.right + alarms.wrong) +
            " that people read were right (" + percent(alarms.precision) + ")";
    return text + ", " + std::to_string(alarms.unclear) + " unclear, " +
           std::to_string(alarms.unread) + " not read\n";
}

/// Savings and losses of stopping at `stuck`, beside simpler rules.
std::string savings_text(const Evaluation& evaluation, std::size_t width) {
    const JudgedSessions sessions = everyone(evaluation);
    const std::vector<Savings> all = savings_of(sessions);
    const Savings& ours = all.front();
    if (!ours.saved && !ours.lost) return {};
    const Metrics metrics = measure(sessions);
    std::string text = "\nHEADLINE  `stuck` comes " + calls(metrics.delay_stuck) +
                       " calls after a loop's start (median); to stop there saves " +
                       percent(ours.saved) + " of the calls of failed runs and loses " +
                       percent(ours.lost) + " of those of successes\n\n";
    std::vector<std::vector<Cell>> rows;
    for (const Savings& one : all) {
        const std::string of = std::to_string(one.successes);
        rows.push_back({{one.rule, {}},
                        {one.successes == 0 ? "-" : std::to_string(one.stopped) + " of " + of, {}},
                        {percent(one.lost), {}},
                        {percent(one.saved), {}}});
    }
    return text +
           format_table({{"STOPPED WHEN", true}, {"GOOD RUNS"}, {"LOST"}, {"SAVED"}}, rows, width);
}

Json json_of(const Savings& one) {
    return {{"rule", one.rule},
            {"successes", one.successes},
            {"stopped", one.stopped},
            {"lost", json_of(one.lost)},
            {"saved", json_of(one.saved)}};
}

Json json_of(const AlarmCounts& alarms) {
    return {{"stuck", alarms.stuck},   {"right", alarms.right},
            {"wrong", alarms.wrong},   {"unclear", alarms.unclear},
            {"unread", alarms.unread}, {"precision", json_of(alarms.precision)}};
}

}  // namespace

Json eval_json(const Evaluation& evaluation, bool with_lists) {
    Json result = {{"total", json_of(measure(everyone(evaluation)))},
                   {"sources", Json::object()},
                   {"unlabelled", evaluation.unlabelled},
                   {"labels_missing", evaluation.missing.size()},
                   {"unreadable", evaluation.troubles.size()},
                   {"events_unreadable", evaluation.events_lost}};
    for (const auto& [source, sessions] : by_source(evaluation))
        result["sources"][source] = json_of(measure(sessions));
    if (evaluation.labelled) {
        result["savings"] = Json::array();
        for (const Savings& one : savings_of(everyone(evaluation)))
            result["savings"].push_back(json_of(one));
    }
    if (evaluation.read) result["alarms"] = json_of(count_alarms(evaluation.sessions));
    if (!evaluation.scenarios.empty()) result["scenarios"] = scenarios_json(evaluation.scenarios);
    if (!with_lists) return result;
    for (const List& list : lists_of(evaluation))
        result["lists"][list.name] = members_of(list, evaluation);
    return result;
}

std::string eval_text(const Evaluation& evaluation, bool with_lists, std::size_t width) {
    std::string text;
    if (!evaluation.sessions.empty()) text += metrics_table(evaluation, width);
    if (evaluation.labelled) text += savings_text(evaluation, width);
    if (evaluation.read) text += alarms_text(count_alarms(evaluation.sessions));
    if (!evaluation.scenarios.empty()) {
        if (!text.empty()) text += "\n";
        text += scenarios_text(evaluation, width);
    }
    if (!with_lists) return text;
    for (const List& list : lists_of(evaluation)) {
        const Json members = members_of(list, evaluation);
        text += "\n" + std::string(list.title) + ": " + std::to_string(members.size()) + "\n";
        for (const Json& member : members)
            text += text_of(member) + "\n";
    }
    return text;
}

}  // namespace headway::cli
