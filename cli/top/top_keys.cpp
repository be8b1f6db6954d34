// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "cli/base/text.hpp"
#include "cli/top/top_data.hpp"
#include "cli/top/top_order.hpp"
#include "cli/views/event_line.hpp"

// Actions of the keys of `headway top`.

namespace headway::cli {
namespace {

using namespace top;

constexpr std::size_t kFilterBytesMax = 100;
constexpr std::size_t kNameBytesMax = 4096;  // as long as the name of a tool may be

void move(TopState& state, const Json& data, std::ptrdiff_t by) {
    const std::vector<Placed> rows = placed(data, state);
    if (rows.empty()) return;
    const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
    const auto now = static_cast<std::ptrdiff_t>(place_of(rows, state.selected));
    const auto next = std::clamp<std::ptrdiff_t>(now + by, 0, last);
    state.selected = plain_text(*rows[static_cast<std::size_t>(next)].row, "id");
}

/// The next way to sort.
void turn_order(TopState& state) {
    static constexpr std::array<std::string_view, kTopOrders> kNames{
        "the worst first", "the newest first", "the dearest first",
        "the longest without anything new first"};
    const std::size_t next = (static_cast<std::size_t>(state.order) + 1) % kTopOrders;
    state.order = static_cast<TopOrder>(next);
    state.news = kNames[next];
}

/// The next session that needs a person, behind the selected one in the list of them.
void next_needed(TopState& state, const Json& data) {
    const Json::List& needs = needs_of(data);
    if (needs.empty()) {
        state.news = "nothing needs you";
        return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < needs.size(); ++i)
        if (plain_text(needs[i], "session") == state.selected) next = (i + 1) % needs.size();
    state.selected = plain_text(needs[next], "session");
    state.stale = state.open;
}

void ask(TopState& state, const Json& data, bool approve) {
    for (const Json& need : needs_of(data)) {
        const std::string approval = plain_text(need, "approval");
        if (approval.empty() || plain_text(need, "session") != state.selected) continue;
        state.asked = {approval, state.selected, approve, {}};
        state.typed.clear();
        return;
    }
    const Json* const row = row_of(data, state.selected);
    if (row != nullptr && row->count_of("approvals_pending") > 0) {
        state.sought = {"", state.selected, approve, {}};
        return;
    }
    state.news = state.selected.empty() ? "no session is selected"
                                        : state.selected + " waits for no approval";
}

/// Only an agent that is gone is ended from here: one that works is asked to stop.
void ask_end(TopState& state, const Json& data) {
    const Json* const row = row_of(data, state.selected);
    if (row == nullptr) {
        state.news = "no session is selected";
    } else if (plain_text(*row, "status") != "silent") {
        state.news = state.selected + " is not silent; `headway cancel " + state.selected +
                     "` asks its agent to stop";
    } else {
        state.ending = {state.selected, {}};
    }
}

/// Takes the last character off, also one of several bytes.
void erase_last(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
        text.pop_back();
    if (!text.empty()) text.pop_back();
}

void type_filter(TopState& state, std::string_view key) {
    if (key == "\r" || key == "\n") {
        state.typing = false;
    } else if (key == "\x1b") {
        state.typing = false;
        state.filter.clear();
    } else if (key == "\x7f" || key == "\b") {
        erase_last(state.filter);
    } else if (key.size() == 1 && key[0] >= ' ' && state.filter.size() < kFilterBytesMax) {
        state.filter += key;
    }
    state.stale = true;
}

/// The typed text is complete: it approves a critical call by the name of its tool, and nothing
/// shorter does; or it answers a question.
void enter_typed(TopState& state, const Json& data) {
    const bool answers = needs_words(state, data);
    if (answers && state.typed.find_first_not_of(' ') == std::string::npos) {
        state.news = "not answered: the answer has no words";
    } else if (answers || state.typed == plain_text(data["approval"], "tool")) {
        state.decided = state.asked;
        if (answers) state.decided.answer = state.typed;
    } else {
        state.news = "not approved: \"" + clean_line(state.typed) + "\" is not its name";
    }
    state.asked = {};
}

void type_words(TopState& state, const Json& data, std::string_view key) {
    if (key == "\r" || key == "\n") {
        enter_typed(state, data);
    } else if (key == "\x1b") {
        state.asked = {};
    } else if (key == "\x7f" || key == "\b") {
        erase_last(state.typed);
    } else if (key.size() == 1 && static_cast<unsigned char>(key[0]) >= ' ' &&
               state.typed.size() < kNameBytesMax) {
        state.typed += key;
    }
    if (state.asked.approval.empty()) state.typed.clear();
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

}  // namespace

void press(TopState& state, const Json& data, std::string_view key) {
    state.news.clear();
    const bool types =
        state.typing || !state.asked.approval.empty() || !state.ending.session.empty();
    if (key == "\x03" || (key == "q" && !types)) {
        state.quit = true;
    } else if (state.asked.approve && !state.asked.approval.empty() && !state.whole) {
        state.asked = {};
        state.typed.clear();
    } else if (needs_name(state, data) || needs_words(state, data)) {
        type_words(state, data, key);
    } else if (!state.asked.approval.empty()) {
        if (key == "y" && !sees_it(state, data)) return;
        if (key == "y") state.decided = state.asked;
        state.asked = {};
    } else if (!state.ending.session.empty()) {
        if (key == "f") state.ended = {state.ending.session, "failed"};
        if (key == "c") state.ended = {state.ending.session, "cancelled"};
        state.ending = {};
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
    } else if (key == "o") {
        turn_order(state);
    } else if (key == "t") {
        state.flat = !state.flat;
        state.news = state.flat ? "every session by itself" : "sub-agents below their parents";
    } else if (key == "a" || key == "d") {
        if (state.selected.empty()) move(state, data, 0);
        ask(state, data, key == "a");
    } else if (key == "e") {
        if (state.selected.empty()) move(state, data, 0);
        ask_end(state, data);
    }
}

}  // namespace headway::cli
