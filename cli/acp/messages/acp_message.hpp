// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/base/json.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/use_meter.hpp"

// Messages of the Agent Client Protocol: JSON-RPC 2.0, one message per line. Pure.

namespace headway::cli {

constexpr std::size_t kAcpNameBytesMax = 200;

/// The name of a program or a package in a form that ids may contain: its last part, at most 32
/// letters.
std::string acp_agent_name(std::string_view name);

/// As much as a label may have of the end, which of a path says more than its beginning.
std::string acp_label(std::string_view text);

/// Adds a label unless it is empty: the daemon opens no session with an empty one.
void acp_add_label(Json& labels, const char* name, std::string_view text);

/// The id of a call as events have it; empty: there is none.
std::string acp_call_id(const Json& call);

/// An event about a call. Arguments that a person is asked about are reported whole, as far as one
/// may be asked at all: larger ones are cut, and their digest refuses the question.
LineEvent acp_asked_event(const char* type, Json data);

/// The data of a call's start, with remarks for a person who may be asked about it.
Json acp_described(Json start, const std::string& remarks);

/// The tool of a call: the agent's own name for it if sent, else the kind of the call (`execute`,
/// `edit`, `read` ...). Empty: neither was sent.
std::string acp_tool(const Json& call);

/// The agent's own name for the tool; empty if not sent.
const std::string& acp_tool_name(const Json& call);

/// True if the call has a raw input that says something.
bool acp_has_input(const Json& call);

/// The arguments: the raw input, Codex's without members that differ between equal calls, with the
/// edits that it does not tell. If there is no raw input: title, paths, edits and texts that are
/// shown. Null if none of these was sent.
Json acp_args(const Json& call);

/// Title and texts of a call that has a raw input, of which they are no part: models word them.
std::string acp_remarks(const Json& call);

/// Result or error, as text.
std::string acp_result(const Json& call);

/// True if a finished call succeeded, according to its status and, if sent, its exit code.
bool acp_succeeded(const Json& call);

/// Files that the call wrote, from its diffs: `[{"path","digest"}]`.
Json acp_mutated(const Json& call);

/// Use of one turn, of the reply to its prompt.
LineUse acp_use(const Json& result);

/// The data of the error that ended the turn, of the reply to its prompt; null if the turn ended as
/// it should, or was cancelled.
Json acp_turn_error(const Json& reply);

/// The text of the blocks of a prompt or a message.
std::string acp_text(const Json& content);

/// The id of a request as text, the same for equal numbers in any form.
std::string acp_id(const Json& id);

/// The reply by which an agent learns that the call must not run.
std::string acp_refusal(const Json& request);

/// The reply to the request with this id after the end of its turn.
std::string acp_cancelled(const Json& id);

/// The reply that the editor gets in the place of one of its agent that cannot be read.
Json acp_unread(const Json& id);

/// True if an editor's `reply` lets the call run. `options` are those of the request for
/// permission.
bool acp_allows(const Json& options, const Json& reply);

/// True if the message, or a message of this batch, is a reply that selects an option.
bool acp_selects(const Json& message);

/// The message that ends a session's turn: a line without its line end.
std::string acp_cancel(std::string_view session);

/// The words of one call: those that announce it, and those that ask for its permission. Where they
/// differ, both are shown, since either may be what runs; the emptier ones replace nothing. Pure.
class AcpWords {
public:
    /// Takes a `tool_call` or a `tool_call_update`.
    void announce(const Json& update);
    /// Takes the call of a request for permission. It counts with what the agent asked before only
    /// where it has no arguments of its own. `again`: the agent has its answer to what was
    /// announced and asked before, so that arguments of its own stand alone. `question`: a number
    /// that no other request has. It is the argument of a call that shows nothing, so that no
    /// decision about it is one about another.
    void ask(const Json& call, bool again = false, std::uint64_t question = 0);

    /// Headway's description of the call: `call_id`, `tool` and, if any were sent, `args`. Names
    /// and kinds that add a class follow the tool's name: `Read (execute)`.
    Json about(const std::string& call_id) const;
    /// The agent's words beside the arguments; no decision is bound to them.
    std::string remarks() const;
    /// The arguments in the announcement.
    Json announced() const;
    /// True if the announcement has other values now than both had at the last request for
    /// permission. Honest agents name more or fewer members later.
    bool contradicted() const;
    /// True if a kind that was announced is in a class of tools that `tool` is not in.
    bool outgrew(const std::string& tool) const;

private:
    std::string tool() const;
    std::string main_tool() const;
    bool tools_differ() const;

    Json update_ = Json::object();  // all members of the announcement, with their newest values
    Json call_ = Json::object();    // the same of the requests for permission
    Json input_;                    // the last arguments of a request that has a raw input
    Json asked_;                    // arguments of the last request
    Json announced_;                // arguments of the announcement at that request
    std::string worst_kind_;        // of all announcements, the kind that may do the most harm
    std::uint64_t question_ = 0;
};

}  // namespace headway::cli
