// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/top/top_data.hpp"
#include "cli/views/approval_view.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/table.hpp"
#include "core/events/state_machine.hpp"

namespace headway::cli {
namespace {

using namespace top;

constexpr std::size_t kNeedsLinesMax = 4;
constexpr std::size_t kFootLinesMax = 5;
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kReverse = "\x1b[7m";

std::string styled(std::string_view style, const std::string& text, bool color) {
    if (!color || style.empty()) return text;
    return std::string{style} + text + std::string{kColorReset};
}

std::string head_line(const Json& data) {
    std::string line = "headway  " + plain_text(data["overview"], "open") + " open";
    const Json& counts = data["overview"]["counts"];
    if (!counts.is_object()) return line;
    for (const auto& [status, count] : counts.members())
        line += "  " + plain_text(count) + " " + clean_line(status);
    const Json& alarms = data["overview"]["alarms"];
    if (alarms.is_unsigned() && alarms.count() > 0)
        line += "  ALARMS in " + std::to_string(alarms.count());
    return line;
}

bool is_alarm(const Json& need) {
    return plain_text(need, "kind") == "alarm";
}

std::string need_line(const Json& need, WallTime now) {
    const std::string sure = need["certain"] == false ? "perhaps " : "";
    if (is_alarm(need)) {
        return age_at(need, "since", now) + "  ALARM  " + plain_text(need, "session") + "  " +
               alarm_words(plain_text(need, "reason_code"));
    }
    return age_at(need, "since", now) + "  " + sure + plain_text(need, "kind") + "  " +
           plain_text(need, "session") + "  " + plain_text(need, "reason");
}

void add_needs(std::vector<std::string>& lines, const Json& data, WallTime now, bool color) {
    const Json::List& needs = needs_of(data);
    if (needs.empty()) {
        lines.push_back(styled(kDim, "Nothing needs you right now.", color));
        return;
    }
    const std::string total = plain_text(data["overview"], "needs_you_total");
    lines.push_back(styled(kColorBold, "Needs you (" + total + ")", color));
    for (std::size_t i = 0; i < std::min(needs.size(), kNeedsLinesMax); ++i)
        lines.push_back("  " + styled(is_alarm(needs[i]) ? kColorAlarm : std::string_view{},
                                      need_line(needs[i], now), color));
}

std::string budget_of(const Json& row) {
    const Json& budget = row["budget"];
    if (!budget.is_object()) return "-";
    const Json& pressure = budget["pressure"];
    const int percent = static_cast<int>(pressure.number());
    return std::to_string(percent) + "% " + plain_text(budget, "dimension");
}

/// Columns that are left out while no row has something for them.
struct MoreColumns {
    bool used = false;
};

MoreColumns more_columns(const Json::List& rows) {
    MoreColumns more;
    for (const Json& row : rows) {
        more.used |= !used_text(row).empty();
    }
    return more;
}

std::vector<Cell> cells_of(const Json& row, WallTime now, bool color, const MoreColumns& shown) {
    const std::string status = plain_text(row, "status");
    const Json& last = row["last_action"];
    std::string action = plain_text(last, "text");
    if (!action.empty()) action += " (" + age_at(last, "at", now) + ")";
    const bool alarm = row["alarm"].is_string();
    const std::string_view tone = alarm ? kColorAlarm : verdict_color(status);
    const Json& percent = row["estimate"]["percent"];
    const std::string done =
        percent.is_number() ? std::to_string(std::lround(percent.number())) + "%" : "-";
    std::vector<Cell> cells{
        {shown_status(status, alarm, row["needs_somebody"] == true) + until_text(row, now),
         color ? tone : std::string_view{}},
        {age_at(row, "since", now), {}},
        {plain_text(row, "id"), {}},
        {age_at(row, "last_beat_at", now), {}},
        {action, {}},
        {done, {}},
        {budget_of(row), {}},
        {plain_text(row, "goal"), {}}};
    if (shown.used) cells.insert(cells.end() - 1, {used_text(row), {}});
    return cells;
}

void add_rows(std::vector<std::string>& lines, const TopState& state, const Json& data,
              WallTime now, std::size_t width, std::size_t room, bool color) {
    const Json::List& rows = data["rows"].list();
    if (rows.empty()) {
        lines.push_back(state.filter.empty()
                            ? "No session is open. `headway run -- COMMAND` opens one."
                            : "No session holds \"" + state.filter + "\".");
        return;
    }
    const std::size_t chosen = index_of(rows, state.selected);
    const std::size_t shown = std::min(rows.size(), room > 1 ? room - 1 : 1);
    const std::size_t first =
        std::min(chosen >= shown ? chosen - shown + 1 : 0, rows.size() - shown);
    const MoreColumns more = more_columns(rows);
    std::vector<std::vector<Cell>> cells;
    for (std::size_t i = first; i < first + shown; ++i)
        cells.push_back(cells_of(rows[i], now, color && i != chosen, more));
    std::vector<Column> columns{
        {"VERDICT"},           {"SINCE"}, {"SESSION", true}, {"BEAT"},
        {"LAST ACTION", true}, {"DONE"},  {"BUDGET"},        {"GOAL", true}};
    if (more.used) columns.insert(columns.end() - 1, {"USED"});
    const std::string table = format_table(columns, cells, width > 2 ? width - 2 : width);
    std::size_t begin = 0;
    for (std::size_t i = 0; begin < table.size(); ++i) {
        const std::size_t end = table.find('\n', begin);
        const bool marked = i == chosen - first + 1;
        const std::string text = (marked ? "> " : "  ") + table.substr(begin, end - begin);
        lines.push_back(marked ? styled(kReverse, text, color) : text);
        begin = end + 1;
    }
    const Json& total = data["total"];
    const std::size_t all =
        std::max(rows.size(), total.is_unsigned() ? total.count() : std::size_t{0});
    if (all > shown)
        lines.push_back("  … " + std::to_string(all - shown) + " more; j k move, / finds them");
}

/// Text as lines of at most `width` columns, broken at blanks where there are some; no line is
/// lost.
void add_wrapped(std::vector<std::string>& lines, std::string_view text, std::size_t width) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view rest = text.substr(begin, end - begin);
        begin = end + 1;
        while (width > 8 && width_of(rest) > width) {
            std::size_t cut = cut_bytes(rest, width).size();
            const std::size_t blank = rest.rfind(' ', cut);
            if (blank != std::string_view::npos && blank > width / 2) cut = blank;
            lines.emplace_back(rest.substr(0, cut));
            rest.remove_prefix(cut);
        }
        lines.emplace_back(rest);
    }
}

/// All of what is asked for: nothing is approved unseen.
void add_asked(std::vector<std::string>& lines, const TopState& state, const Json& data,
               WallTime now, std::size_t width, std::size_t room) {
    if (!sees_it(state, data)) {
        lines.emplace_back("reading " + clean_line(state.asked.approval) + " ...");
        return;
    }
    const std::size_t begin = lines.size();
    add_wrapped(lines, approvals_text(Json::array({data["approval"]}), now, false), width);
    if (lines.size() - begin <= room) return;
    const std::size_t cut = lines.size() - begin - room + 1;
    lines.resize(lines.size() - cut);
    lines.push_back("… " + std::to_string(cut) + " more lines: `headway approvals --session " +
                    clean_line(state.asked.session) + "` shows all of it");
}

/// The states of the agent in a row: [the present one], and those that may follow it with a >.
void add_states(std::vector<std::string>& lines, const Json& session, std::size_t width) {
    constexpr std::string_view kHead = "states      ";
    core::AgentState now{};
    if (!core::parse_name(session.text_of("state"), now)) return;
    const auto& names = core::EnumNames<core::AgentState>::kNames;
    std::string line{kHead};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto state = static_cast<core::AgentState>(i);
        std::string name{names[i]};
        if (state == now) {
            name = "[" + name + "]";
        } else if (core::valid_transition(now, state)) {
            name = ">" + name;
        }
        if (line.size() + name.size() > width && line.size() > kHead.size()) {
            lines.push_back(line);
            line.assign(kHead.size(), ' ');
        }
        line += name + "  ";
    }
    lines.push_back(line);
}

void add_session(std::vector<std::string>& lines, const Json& data, WallTime now, std::size_t width,
                 bool color) {
    const std::string details = session_details(data["session"], now, color);
    for (std::string& line : lines_of(details))
        lines.push_back(std::move(line));
    add_states(lines, data["session"], width);
    lines.emplace_back();
    LineStyle style;
    style.width = width;
    style.color = color;
    for (const Json& event : data["events"])
        lines.push_back(event_line(event, style));
}

constexpr std::array<std::string_view, 10> kHelp{
    "j k, arrows   move              /     filter by text",
    "enter         open a session    esc   back",
    "n             next that needs a person",
    "a             approve what the session waits for",
    "d             deny it",
    "e             end a silent session as failed or cancelled",
    "?             this help         q     quit",
    "",
    "A verdict with `perhaps` is a guess of Headway's; the others were said or counted.",
    "The same keys work on the web page."};

std::string foot_line(const TopState& state, const Json& data) {
    if (needs_name(state, data)) {
        return "CRITICAL. Approve " + state.asked.approval + " of " + state.asked.session +
               "? Type the name of the tool, " + plain_text(data["approval"], "tool") +
               ", and press enter; esc: no   > " + clean_line(state.typed) + "_";
    }
    if (!state.asked.approval.empty()) {
        return std::string{state.asked.approve ? "Approve " : "Deny "} + state.asked.approval +
               " of " + state.asked.session +
               (sees_it(state, data) ? "?  y: yes, any other key: no" : "?  one moment");
    }
    if (!state.ending.session.empty()) {
        return "End " + state.ending.session +
               "?  f: as failed, c: as cancelled, any other key: no";
    }
    if (state.typing) return "/" + state.filter + "_   enter: keep, esc: drop";
    if (std::string trouble = plain_text(data, "trouble"); !trouble.empty()) return trouble;
    if (!state.said.empty()) return state.said;
    const std::string filter = state.filter.empty() ? "" : "  filter: " + state.filter;
    return "j k move  enter open  / filter  n next  a approve  d deny  e end  ? help  q quit" +
           filter;
}

/// At most `columns` columns of a line that may hold colours; those end with it.
std::string fitted(const std::string& line, std::size_t columns) {
    if (line.find('\x1b') == std::string::npos) return crop(line, columns);
    std::string kept;
    std::size_t used = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b') {
            const std::size_t end = line.find('m', i);
            kept += line.substr(i, end - i + 1);
            i = end;
            continue;
        }
        const bool begins = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
        if (begins && ++used > columns) break;
        kept += line[i];
    }
    return kept + std::string{kColorReset};
}

}  // namespace

std::string draw(const TopState& state, const Json& data, WallTime now, std::size_t width,
                 std::size_t height, bool color) {
    // A message is of use only with its end, which says what to do.
    std::vector<std::string> foot;
    add_wrapped(foot, foot_line(state, data), width);
    if (foot.size() > kFootLinesMax) foot.resize(kFootLinesMax);
    std::vector<std::string> lines{styled(kColorBold, head_line(data), color)};
    if (state.help) {
        lines.emplace_back();
        lines.insert(lines.end(), kHelp.begin(), kHelp.end());
    } else {
        add_needs(lines, data, now, color);
        lines.emplace_back();
        const std::size_t used =
            lines.size() + foot.size() + 2;  // a line of more rows, an empty one
        const std::size_t room = height > used ? height - used : 1;
        if (!state.asked.approval.empty()) {
            add_asked(lines, state, data, now, width, room);
        } else if (state.open && data["session"].is_object()) {
            add_session(lines, data, now, width, color);
        } else {
            add_rows(lines, state, data, now, width, room, color);
        }
    }
    const std::size_t body = height > foot.size() ? height - foot.size() : 1;
    if (lines.size() > body) lines.resize(body);
    lines.resize(body);
    for (const std::string& line : foot)
        lines.push_back(styled(kDim, line, color));
    if (lines.size() > std::max<std::size_t>(height, 2))
        lines.resize(std::max<std::size_t>(height, 2));
    std::string screen;
    for (const std::string& line : lines)
        screen += (screen.empty() && &line == &lines.front() ? "" : "\n") + fitted(line, width);
    return screen;
}

}  // namespace headway::cli
