#include "cli/top_view.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/event_line.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kNeedsLinesMax = 4;
constexpr std::size_t kFilterBytesMax = 100;
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kReverse = "\x1b[7m";

const json& at(const json& object, const char* name) {
    static const json null;
    if (!object.is_object()) return null;
    const auto found = object.find(name);
    return found == object.end() ? null : *found;
}

const json& list_at(const json& object, const char* name) {
    static const json none = json::array();
    const json& list = at(object, name);
    return list.is_array() ? list : none;
}

std::string text_at(const json& object, const char* name) {
    const json& value = at(object, name);
    return value.is_null() ? std::string{} : plain_text(value);
}

std::string age_at(const json& object, const char* name, WallTime now) {
    const auto time = parse_time(text_at(object, name));
    return time ? human_duration(std::max(now - *time, WallTime::duration::zero())) : "-";
}

std::string styled(std::string_view style, const std::string& text, bool color) {
    if (!color || style.empty()) return text;
    return std::string{style} + text + std::string{kColorReset};
}

std::size_t index_of(const json& rows, const std::string& id) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (text_at(rows[i], "id") == id) return i;
    return 0;
}

void move(TopState& state, const json& data, std::ptrdiff_t by) {
    const json& rows = list_at(data, "rows");
    if (rows.empty()) return;
    const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
    const auto now = static_cast<std::ptrdiff_t>(index_of(rows, state.selected));
    const auto next = std::clamp<std::ptrdiff_t>(now + by, 0, last);
    state.selected = text_at(rows[static_cast<std::size_t>(next)], "id");
}

const json& needs_of(const json& data) {
    return list_at(at(data, "overview"), "needs_you");
}

/// The next session that needs somebody, behind the selected one in the list of them.
void next_needed(TopState& state, const json& data) {
    const json& needs = needs_of(data);
    if (needs.empty()) {
        state.said = "nothing needs you";
        return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < needs.size(); ++i)
        if (text_at(needs[i], "session") == state.selected) next = (i + 1) % needs.size();
    state.selected = text_at(needs[next], "session");
    state.stale = state.open;
}

void ask(TopState& state, const json& data, bool approve) {
    for (const json& need : needs_of(data)) {
        const std::string approval = text_at(need, "approval");
        if (approval.empty() || text_at(need, "session") != state.selected) continue;
        state.asked = {approval, state.selected, approve};
        return;
    }
    state.said = state.selected.empty() ? "no session is selected"
                                        : state.selected + " waits for no approval";
}

void type_filter(TopState& state, std::string_view key) {
    if (key == "\r" || key == "\n") {
        state.typing = false;
    } else if (key == "\x1b") {
        state.typing = false;
        state.filter.clear();
    } else if (key == "\x7f" || key == "\b") {
        if (!state.filter.empty()) state.filter.pop_back();
    } else if (key.size() == 1 && key[0] >= ' ' && state.filter.size() < kFilterBytesMax) {
        state.filter += key;
    }
    state.stale = true;
}

/// Back, one step at a time.
void go_back(TopState& state) {
    if (state.help) {
        state.help = false;
    } else if (state.open) {
        state.open = false;
    } else if (!state.filter.empty()) {
        state.filter.clear();
        state.stale = true;
    }
}

std::string head_line(const json& data) {
    std::string line = "headway  " + text_at(at(data, "overview"), "open") + " open";
    const json& counts = at(at(data, "overview"), "counts");
    if (!counts.is_object()) return line;
    for (const auto& [status, count] : counts.items())
        line += "  " + plain_text(count) + " " + clean_line(status);
    return line;
}

std::string need_line(const json& need, WallTime now) {
    const std::string sure = at(need, "certain") == false ? "perhaps " : "";
    return age_at(need, "since", now) + "  " + sure + text_at(need, "kind") + "  " +
           text_at(need, "session") + "  " + text_at(need, "reason");
}

void add_needs(std::vector<std::string>& lines, const json& data, WallTime now, bool color) {
    const json& needs = needs_of(data);
    if (needs.empty()) {
        lines.push_back(styled(kDim, "Nothing needs you right now.", color));
        return;
    }
    const std::string total = text_at(at(data, "overview"), "needs_you_total");
    lines.push_back(styled(kBold, "Needs you (" + total + ")", color));
    for (std::size_t i = 0; i < std::min(needs.size(), kNeedsLinesMax); ++i)
        lines.push_back("  " + need_line(needs[i], now));
}

std::string budget_of(const json& row) {
    const json& budget = at(row, "budget");
    if (!budget.is_object()) return "-";
    const json& pressure = at(budget, "pressure");
    const int percent = pressure.is_number() ? static_cast<int>(pressure.get<double>()) : 0;
    return std::to_string(percent) + "% " + text_at(budget, "dimension");
}

std::vector<Cell> cells_of(const json& row, WallTime now, bool color) {
    const std::string status = text_at(row, "status");
    const json& last = at(row, "last_action");
    std::string action = text_at(last, "text");
    if (!action.empty()) action += " (" + age_at(last, "at", now) + ")";
    return {{status, color ? verdict_color(status) : std::string_view{}},
            {age_at(row, "since", now), {}},
            {text_at(row, "id"), {}},
            {age_at(row, "last_beat_at", now), {}},
            {action, {}},
            {budget_of(row), {}},
            {text_at(row, "goal"), {}}};
}

void add_rows(std::vector<std::string>& lines, const TopState& state, const json& data,
              WallTime now, std::size_t width, std::size_t room, bool color) {
    const json& rows = list_at(data, "rows");
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
    std::vector<std::vector<Cell>> cells;
    for (std::size_t i = first; i < first + shown; ++i)
        cells.push_back(cells_of(rows[i], now, color && i != chosen));
    const std::vector<Column> columns{
        {"VERDICT"},           {"SINCE"},  {"SESSION", true}, {"BEAT"},
        {"LAST ACTION", true}, {"BUDGET"}, {"GOAL", true}};
    const std::string table = format_table(columns, cells, width > 2 ? width - 2 : width);
    std::size_t begin = 0;
    for (std::size_t i = 0; begin < table.size(); ++i) {
        const std::size_t end = table.find('\n', begin);
        const bool marked = i == chosen - first + 1;
        const std::string text = (marked ? "> " : "  ") + table.substr(begin, end - begin);
        lines.push_back(marked ? styled(kReverse, text, color) : text);
        begin = end + 1;
    }
    const json& total = at(data, "total");
    if (total.is_number_unsigned() && total.get<std::size_t>() > rows.size()) {
        lines.push_back("  … " + std::to_string(total.get<std::size_t>() - rows.size()) +
                        " more; / finds them");
    }
}

void add_session(std::vector<std::string>& lines, const json& data, WallTime now, std::size_t width,
                 bool color) {
    const std::string details = session_details(at(data, "session"), now, color);
    for (std::size_t begin = 0; begin < details.size();) {
        const std::size_t end = details.find('\n', begin);
        lines.push_back(details.substr(begin, end - begin));
        begin = end + 1;
    }
    lines.emplace_back();
    LineStyle style;
    style.width = width;
    style.color = color;
    for (const json& event : list_at(data, "events"))
        lines.push_back(event_line(event, style));
}

constexpr std::array<std::string_view, 9> kHelp{
    "j k, arrows   move              /     filter by text",
    "enter         open a session    esc   back",
    "n             next that needs somebody",
    "a             approve what the session waits for",
    "d             deny it",
    "?             this help         q     quit",
    "",
    "A verdict with `perhaps` is a guess of Headway's; the others were said or counted.",
    "The same keys work on the web page."};

std::string foot_line(const TopState& state, const json& data) {
    if (!state.asked.approval.empty()) {
        return std::string{state.asked.approve ? "Approve " : "Deny "} + state.asked.approval +
               " of " + state.asked.session + "?  y: yes, any other key: no";
    }
    if (state.typing) return "/" + state.filter + "_   enter: keep, esc: drop";
    if (std::string trouble = text_at(data, "trouble"); !trouble.empty()) return trouble;
    if (!state.said.empty()) return state.said;
    const std::string filter = state.filter.empty() ? "" : "  filter: " + state.filter;
    return "j k move  enter open  / filter  n next  a approve  d deny  ? help  q quit" + filter;
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

void press(TopState& state, const json& data, std::string_view key) {
    state.said.clear();
    const bool types = state.typing || !state.asked.approval.empty();
    if (key == "\x03" || (key == "q" && !types)) {
        state.quit = true;
    } else if (!state.asked.approval.empty()) {
        if (key == "y") state.decided = state.asked;
        state.asked = {};
    } else if (state.typing) {
        type_filter(state, key);
    } else if (key == "j" || key == "\x1b[B") {
        move(state, data, 1);
        state.stale = state.open;
    } else if (key == "k" || key == "\x1b[A") {
        move(state, data, -1);
        state.stale = state.open;
    } else if (key == "\r" || key == "\n") {
        if (state.selected.empty()) move(state, data, 0);
        state.open = state.stale = !state.selected.empty();
    } else if (key == "\x1b") {
        go_back(state);
    } else if (key == "/") {
        state.typing = true;
        state.open = false;
    } else if (key == "?") {
        state.help = !state.help;
    } else if (key == "n") {
        next_needed(state, data);
    } else if (key == "a" || key == "d") {
        if (state.selected.empty()) move(state, data, 0);
        ask(state, data, key == "a");
    }
}

std::string draw(const TopState& state, const json& data, WallTime now, std::size_t width,
                 std::size_t height, bool color) {
    std::vector<std::string> lines{styled(kBold, head_line(data), color)};
    if (state.help) {
        lines.emplace_back();
        lines.insert(lines.end(), kHelp.begin(), kHelp.end());
    } else {
        add_needs(lines, data, now, color);
        lines.emplace_back();
        const std::size_t used = lines.size() + 3;  // a line of more rows, an empty one, the foot
        if (state.open && at(data, "session").is_object()) {
            add_session(lines, data, now, width, color);
        } else {
            add_rows(lines, state, data, now, width, height > used ? height - used : 1, color);
        }
    }
    const std::size_t body = height > 1 ? height - 1 : 1;
    if (lines.size() > body) lines.resize(body);
    lines.resize(body);
    lines.push_back(styled(kDim, foot_line(state, data), color));
    std::string screen;
    for (const std::string& line : lines)
        screen += (screen.empty() && &line == &lines.front() ? "" : "\n") + fitted(line, width);
    return screen;
}

}  // namespace headway::cli
