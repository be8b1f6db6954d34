// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/views/session_view.hpp"

namespace headway::cli {

class Json;

/// A decision that a person has begun to make.
struct TopDecision {
    std::string approval;
    std::string session;
    bool approve = false;
    std::string answer;  ///< answer to a question; empty: the decision is to approve or to deny
};

/// An end that a person has begun to choose for a session whose agent is gone.
struct TopEnd {
    std::string session;
    std::string outcome;  ///< failed or cancelled; empty: not chosen yet
};

/// Order of the list.
enum class TopOrder : std::uint8_t { kWorst, kNewest, kCost, kQuiet };
inline constexpr std::size_t kTopOrders = 4;

/// The person's choices so far.
struct TopState {
    std::string selected;  ///< session id, kept while rows move
    std::string filter;    ///< text that rows must contain
    TopOrder order = TopOrder::kWorst;
    bool flat = false;    ///< sub-agents are rows like others, not below their parents
    bool typing = false;  ///< keys go to the filter
    bool help = false;
    bool open = false;  ///< `selected` fills the screen
    bool quit = false;
    TopDecision asked;    ///< a decision that waits for the key y, or for the tool's name; none if
                          ///< its `approval` is empty
    TopDecision sought;   ///< a decision about a request that the caller looks up and clears, since
                          ///< it is not among the needs; none if its `session` is empty
    bool whole = true;    ///< the whole request of `asked` is on the screen: see
                          ///< shows_request_whole()
    std::string typed;    ///< the part of the tool's name, or of an answer, typed so far
    TopDecision decided;  ///< decision that the caller sends and then clears
    TopEnd ending;        ///< an end that waits for the key f or c; none if its `session` is empty
    TopEnd ended;         ///< end that the caller sends and then clears
    bool stale = false;   ///< new data is needed at once; the caller clears it
    std::string news;     ///< a line of news, such as the result of a decision
};

// The last data of the daemon is one object: "overview" (GET /v1/overview), "rows" ("sessions" of
// GET /v1/sessions?view=row), "total" (number of sessions, shown or not), "session" (the open
// session, or null), "events" (the last events of the open session, oldest first), "approval"
// (document of the approval being decided), and "trouble" (why the last request failed, or empty).

/// Handles one key: a character, or the escape sequence of an arrow key. The keys are those of the
/// web page. Changes only `state`.
void press(TopState& state, const Json& data, std::string_view key);

/// The whole screen: at most `height` lines of `width` columns, joined by line feeds. Pure.
std::string draw(const TopState& state, const Json& data, WallTime now, std::size_t width,
                 std::size_t height, bool color);

/// True if a screen of this size has room for the whole request being decided. A request that is
/// shown only in part cannot be approved. Pure.
bool shows_request_whole(const TopState& state, const Json& data, WallTime now, std::size_t width,
                         std::size_t height);

}  // namespace headway::cli
