// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/top/top_data.hpp"
#include "cli/top/top_order.hpp"
#include "cli/views/approval_view.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/table.hpp"
#include "core/events/state_machine.hpp"

namespace headway::cli {
namespace {

using namespace top;

constexpr std::size_t kNeedsLinesMax = 6;
constexpr std::size_t kWide = 100;  // columns from which there is room for what an agent does
constexpr std::size_t kWidest = 130;
constexpr std::size_t kNarrowId = 13;
constexpr std::size_t kNarrowVerdict = 12;
constexpr std::size_t kGoalLeast = 21;  // 20 characters and the mark of the cut
constexpr std::size_t kDepthShown = 4;
constexpr std::size_t kFootLinesMax = 5;
constexpr std::size_t kWrapLeast = 8;  // on narrower terminals lines are cut
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kReverse = "\x1b[7m";

std::string styled(std::string_view style, const std::string& text, bool color) {
    if (!color || style.empty()) return text;
    return std::string{style} + text + std::string{kColorReset};
}

/// Alarms and what is bad come first: a narrow terminal cuts the end.
std::string head_line(const Json& data) {
    static constexpr std::array<std::string_view, 9> kOrder{"stuck",    "blocked",   "silent",
                                                            "suspect",  "slow",      "waiting",
                                                            "starting", "exploring", "progressing"};
    std::string line = "headway";
    const Json& overview = data["overview"];
    if (overview["alarms"].is_unsigned() && overview["alarms"].count() > 0)
        line += "  ALARMS in " + std::to_string(overview["alarms"].count());
    line += "  " + plain_text(overview, "open") + " open";
    const Json& counts = overview["counts"];
    if (!counts.is_object()) return line;
    for (const std::string_view status : kOrder) {
        const std::string count = plain_text(counts, status);
        if (!count.empty()) line += "  " + count + " " + std::string{status};
    }
    return line;
}

bool is_alarm(const Json& need) {
    return plain_text(need, "kind") == "alarm";
}

/// Reason of the group. An agent chooses the words of its own request: they stand for no other one.
std::string reason_of(const NeedGroup& group) {
    const Json& need = *group.first;
    if (is_alarm(need)) return alarm_words(plain_text(need, "reason_code"));
    const std::string kind = plain_text(need, "kind");
    const bool asks = kind == "approval" || kind == "question";
    return asks && !group.same_reason ? "different requests: headway approvals"
                                      : plain_text(need, "reason");
}

std::string need_line(const NeedGroup& group, WallTime now) {
    const Json& need = *group.first;
    const std::string sure = need["certain"] == false ? "perhaps " : "";
    const bool alarm = is_alarm(need);
    const std::string many = group.count > 1 ? std::to_string(group.count) + " " : "";
    const std::string more =
        group.count > 1 ? " and " + std::to_string(group.count - 1) + " more" : "";
    return age_at(need, "since", now) + "  " + many +
           (alarm ? std::string{"ALARM"} : sure + group.cause) + "  " +
           plain_text(need, "session") + more + "  " + reason_of(group);
}

void add_needs(std::vector<std::string>& lines, const Json& data, WallTime now, bool color) {
    const Json::List& needs = needs_of(data);
    if (needs.empty()) {
        lines.push_back(styled(kDim, "Nothing needs you right now.", color));
        return;
    }
    lines.push_back(styled(kColorBold, "Needs you (" + needs_total(data) + ")", color));
    const std::vector<NeedGroup> groups = groups_of(needs);
    for (std::size_t i = 0; i < std::min(groups.size(), kNeedsLinesMax); ++i) {
        const bool alarm = is_alarm(*groups[i].first);
        lines.push_back("  " + styled(alarm ? kColorAlarm : std::string_view{},
                                      need_line(groups[i], now), color));
    }
}

std::string budget_of(const Json& row) {
    const Json& budget = row["budget"];
    if (!budget.is_object()) return "-";
    const Json& pressure = budget["pressure"];
    const int percent = static_cast<int>(pressure.number());
    return std::to_string(percent) + "% " + plain_text(budget, "dimension");
}

/// Columns that are left out where no row has something for them, or there is no room.
struct TopColumns {
    bool cost = false;
    std::size_t width = 0;

    bool wide() const { return width >= kWide; }
    bool widest() const { return width >= kWidest; }
};

TopColumns columns_for(const std::vector<Placed>& rows, std::size_t width) {
    TopColumns columns;
    columns.width = width;
    for (const Placed& placed : rows) {
        columns.cost |= !cost_text((*placed.row)["used"]).empty() || placed.cost > 0;
    }
    return columns;
}

std::vector<Column> heads_of(const TopColumns& shown) {
    std::vector<Column> columns{{"VERDICT"}, {"SINCE"}, {"GOAL", true, kGoalLeast}, {"PULSE"}};
    if (shown.cost) columns.push_back({"COST"});
    if (shown.wide()) columns.push_back({"LAST ACTION", true});
    if (shown.widest()) columns.push_back({"BEAT"});
    if (shown.wide()) {
        columns.push_back({"DONE"});
        columns.push_back({"BUDGET"});
    }
    columns.push_back({"SESSION", true});
    return columns;
}

/// Figures of a parent, with all below it.
std::string cost_cell(const Placed& placed) {
    if (placed.below == 0) return cost_text((*placed.row)["used"]);
    const std::string text = cost_text({{"cost_usd", placed.cost},
                                        {"cost_estimated_usd", placed.estimated},
                                        {"unpriced_tokens", placed.unpriced}});
    return text.empty() ? text : "Σ " + text;
}

std::vector<Cell> cells_of(const Placed& placed, WallTime now, bool color,
                           const TopColumns& shown) {
    const Json& row = *placed.row;
    const std::string status = plain_text(row, "status");
    const Json& last = row["last_action"];
    std::string action = plain_text(last, "text");
    if (!action.empty()) action += " (" + age_at(last, "at", now) + ")";
    // A run of --keep-going that waits; its last call says less.
    const std::string phase = plain_text(row, "phase");
    if (status == "waiting" && phase.starts_with("waiting until")) action = phase;
    const bool alarm = row["alarm"].is_string();
    const std::string_view tone = alarm ? kColorAlarm : verdict_color(status);
    const Json& percent = row["estimate"]["percent"];
    std::string verdict =
        shown_status(status, alarm, row["needs_somebody"] == true) + until_text(row, now);
    if (!shown.wide()) verdict = crop(verdict, kNarrowVerdict);
    std::string goal = std::string(2 * std::min(placed.depth, kDepthShown), ' ') +
                       (plain_text(row, "goal").empty() ? "-" : plain_text(row, "goal"));
    if (placed.below > 0) goal = "+" + std::to_string(placed.below) + " " + goal;
    const std::string id = plain_text(row, "id");
    std::vector<Cell> cells{{std::move(verdict), color ? tone : std::string_view{}},
                            {age_at(row, "since", now), {}},
                            {std::move(goal), {}},
                            {pulse_of(row, shown.widest() ? 16
                                           : shown.wide() ? 8
                                                          : 6),
                             {}}};
    if (shown.cost) cells.push_back({cost_cell(placed), {}});
    if (shown.wide()) cells.push_back({action, {}});
    if (shown.widest()) cells.push_back({age_at(row, "last_beat_at", now), {}});
    if (shown.wide()) {
        cells.push_back(
            {percent.is_number() ? std::to_string(std::lround(percent.number())) + "%" : "-", {}});
        cells.push_back({budget_of(row), {}});
    }
    cells.push_back({shown.wide() ? id : crop(id, kNarrowId), {}});
    return cells;
}

void add_rows(std::vector<std::string>& lines, const TopState& state, const Json& data,
              WallTime now, std::size_t width, std::size_t room, bool color) {
    const std::vector<Placed> rows = placed(data, state);
    if (rows.empty()) {
        lines.push_back(state.filter.empty()
                            ? "No session is open. `headway run -- COMMAND` opens one."
                            : "No session holds \"" + state.filter + "\".");
        return;
    }
    const std::size_t chosen = place_of(rows, state.selected);
    const std::size_t shown = std::min(rows.size(), room > 1 ? room - 1 : 1);
    const std::size_t first =
        std::min(chosen >= shown ? chosen - shown + 1 : 0, rows.size() - shown);
    const TopColumns columns = columns_for(rows, width);
    std::vector<std::vector<Cell>> cells;
    for (std::size_t i = first; i < first + shown; ++i)
        cells.push_back(cells_of(rows[i], now, color && i != chosen, columns));
    const std::string table = format_table(heads_of(columns), cells, width > 2 ? width - 2 : width);
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

/// Text as lines of at most `width` bytes, which no terminal shows wider, broken at blanks where
/// there are some; no line is lost.
void add_wrapped(std::vector<std::string>& lines, std::string_view text, std::size_t width) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view rest = text.substr(begin, end - begin);
        begin = end + 1;
        while (width > kWrapLeast && rest.size() > width) {
            std::size_t cut = cut_bytes(rest, width).size();
            const std::size_t blank = rest.rfind(' ', cut);
            if (blank != std::string_view::npos && blank > width / 2) cut = blank;
            lines.emplace_back(rest.substr(0, cut));
            rest.remove_prefix(cut);
        }
        lines.emplace_back(rest);
    }
}

/// All of what is asked for: nothing is approved unseen. False if there is no room for it.
bool add_asked(std::vector<std::string>& lines, const TopState& state, const Json& data,
               WallTime now, std::size_t width, std::size_t room) {
    if (!sees_it(state, data)) {
        lines.emplace_back("reading " + clean_line(state.asked.approval) + " ...");
        return true;
    }
    const std::size_t begin = lines.size();
    add_wrapped(lines, approvals_text(Json::array({data["approval"]}), now, false), width);
    if (lines.size() - begin <= room) return width > kWrapLeast;
    const std::size_t cut = lines.size() - begin - room + 1;
    lines.resize(lines.size() - cut);
    lines.push_back("… " + std::to_string(cut) + " more lines: `headway approvals --session " +
                    clean_line(state.asked.session) + "` shows all of it");
    return false;
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
            name.insert(0, "[").append("]");
        } else if (core::valid_transition(now, state)) {
            name.insert(0, ">");
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

constexpr std::array<std::string_view, 13> kHelp{
    "j k, arrows   move              /     filter by text",
    "enter         open a session    esc   back",
    "n             next that needs a person",
    "o             order: worst, newest, dearest, longest without anything new",
    "t             sub-agents below their parents, or every session by itself",
    "a             approve what the session waits for, or answer its question",
    "d             deny it",
    "e             end a silent session as failed or cancelled",
    "?             this help         q     quit",
    "",
    "PULSE: a cell per round, high where a file or a test changed; ×9: nine with nothing new.",
    "A verdict with `perhaps` is inferred; the others were reported or counted.",
    "The same keys work on the web page."};

std::string foot_line(const TopState& state, const Json& data) {
    if (!state.asked.approval.empty()) return asked_line(state, data);
    if (!state.ending.session.empty()) {
        return "End " + state.ending.session +
               "?  f: as failed, c: as cancelled, any other key: no";
    }
    if (state.typing) return "/" + state.filter + "_   enter: keep, esc: drop";
    if (std::string trouble = plain_text(data, "trouble"); !trouble.empty()) return trouble;
    if (!state.news.empty()) return state.news;
    const std::string filter = state.filter.empty() ? "" : "  filter: " + state.filter;
    return "j k move  enter open  / filter  n next  a approve  d deny  e end  o order  ? help" +
           filter;
}

/// At most `columns` columns of a line that may hold colours; those end with it.
std::string fitted(const std::string& line, std::size_t columns) {
    if (line.find('\x1b') == std::string::npos) return crop(line, columns);
    std::string kept;
    for (std::string_view rest = line; !rest.empty();) {
        const bool color = rest.front() == '\x1b';
        const std::size_t end =
            color ? std::min(rest.find('m'), rest.size() - 1) + 1 : rest.find('\x1b');
        const std::string_view part = rest.substr(0, end);
        const std::string_view shown = color ? part : within(part, columns);
        kept += shown;
        if (shown.size() < part.size()) break;
        if (!color) columns -= width_of(shown);
        rest.remove_prefix(part.size());
    }
    return kept + std::string{kColorReset};
}

}  // namespace

namespace {

/// The screen, and whether all of the request is on it.
std::pair<std::string, bool> drawn(const TopState& state, const Json& data, WallTime now,
                                   std::size_t width, std::size_t height, bool color) {
    std::pair<std::string, bool> made{{}, true};
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
            made.second = add_asked(lines, state, data, now, width, room);
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
    for (const std::string& line : lines)
        made.first += (&line == &lines.front() ? "" : "\n") + fitted(line, width);
    return made;
}

}  // namespace

std::string draw(const TopState& state, const Json& data, WallTime now, std::size_t width,
                 std::size_t height, bool color) {
    return drawn(state, data, now, width, height, color).first;
}

bool shows_request_whole(const TopState& state, const Json& data, WallTime now, std::size_t width,
                         std::size_t height) {
    TopState shown = state;
    shown.whole = true;  // the line at the foot that asks
    return drawn(shown, data, now, width, height, false).second;
}

}  // namespace headway::cli
