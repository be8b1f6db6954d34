// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/events/budget_payloads.hpp"
#include "core/events/work_payloads.hpp"

// A hook of an agent and the reply to it, in one form for all agents. Plain values, pure.

namespace headway::api::hooks {

enum class HookKind : std::uint8_t {
    kNone,        ///< nothing to report; at most a sign of life
    kStart,       ///< the session begins, or goes on after a resume
    kPrompt,      ///< a message to the agent; see Hook::synthetic
    kPre,         ///< a call is about to run, and waits for the answer
    kPost,        ///< a call has run, or failed
    kBatch,       ///< all calls of one turn of the model are over; ends a round
    kPermission,  ///< the agent would ask a person about a call, and waits for the answer
    kAsks,        ///< a dialog of the agent waits for a person
    kIdle,        ///< the agent has waited at its prompt for a while
    kSaid,        ///< a message of the agent
    kUsage,       ///< tokens were used
    kTurn,        ///< the model is asked again
    kStop,        ///< the agent's turn is over
    kError,       ///< an error; Hook::ends_turn says whether the turn ended by it
    kCompacted,   ///< the context was compacted
    kEnd,         ///< the session is over
    kSubStart,    ///< a sub-agent begins
    kSubEnd,      ///< a sub-agent is done
    kRequest,     ///< a person is asked about a call, which waits for the answer
    kQuestion,    ///< a person is asked a question, and the agent waits for the answer
    kStatus,      ///< the agent asks how it stands
    kAnswered,    ///< a dialog of the agent is over: it goes on
    kInterrupt,   ///< a person ended the turn, and with it the calls in flight
    kNote,        ///< something that is neither work nor a wait, in the agent's words
};

/// A person's decision is waited for.
constexpr bool asks_person(HookKind kind) {
    return kind == HookKind::kRequest || kind == HookKind::kQuestion;
}

/// One call of a tool. Texts are without secrets if the document cuts them out
/// (JsonDocument::redact_with).
struct HookCall {
    std::string tool;               ///< the agent's name of it
    std::optional<JsonValue> args;  ///< valid until its document parses again
    /// Of a kPermission whose dialog shows other arguments than the call has: those of the call, as
    /// its kPre and kPost tell them. JSON; otherwise empty.
    std::string call_args;
    /// The agent's id of the call. If it gives none: call_id_of() the content, which is the same
    /// before and after the call, but also the same for an equal call. Empty for a kPermission
    /// without an id.
    std::string call;
    std::optional<bool> ok;  ///< empty: the agent does not say
    /// In a kBatch: nothing reports that the call ran. If it was announced, it did not run; else it
    /// is unknown whether it did.
    bool untold = false;
    std::string result;  ///< as a person would read it; structured data as compact JSON
    std::string error;   ///< of a call that failed, and then there is no result
    /// `denied`, `cancelled`, `unknown_tool`, `json_parse` (arguments that the tool cannot take) or
    /// empty; of the neutral dialect as it came.
    std::string error_class;
    std::optional<std::uint64_t> duration_ms;
    std::optional<std::uint64_t> exit_code;
    /// Files that it wrote: the digest is of the new content; of the change where only that is
    /// known; empty where neither is.
    std::vector<core::Mutation> mutated;
    bool interrupted = false;  ///< by a person; error_class is then `cancelled`
};

/// Names (session, agent_id, call and the like) have at most kHookNameBytesMax bytes and no control
/// characters; longer ones are as absent. Texts are as long as the body had them.
struct Hook {
    HookKind kind = HookKind::kNone;
    /// The agent's name of the event, for render(). Where an agent has two spellings: the one that
    /// begins with a capital letter.
    std::string event;
    std::string agent;     ///< of the neutral dialect: the agent's name, or empty
    std::string event_id;  ///< of the neutral dialect: that of its last event, or empty
    std::string session;   ///< the agent's id of the session; empty only for kNone
    std::string agent_id;  ///< of the sub-agent in that session; empty: the main agent
    std::string agent_type;
    std::string parent;  ///< what started the sub-agent, where the agent says so
    std::string cwd;
    std::string model;
    std::string transcript_path;  ///< of the sub-agent, where it has its own
    std::string agent_version;
    std::string source;  ///< of kStart: startup, resume ...; of kCompacted: what caused it
    std::string mode;    ///< the agent's mode of permissions
    /// The words of kPrompt, kSaid, kStop, kError, kAsks, kIdle, kNote and kSubEnd; the summary of
    /// kCompacted; of kPermission why the agent asks, where it says so.
    std::string text;
    bool synthetic = false;  ///< a kPrompt that no person wrote
    bool wake_up = false;  ///< such a one: a timer, a loop or work in the background woke the agent
    bool typed = false;    ///< the agent says itself who wrote the prompt
    /// A kPermission that comes before the agent's own rules: it proves no question.
    bool before_rules = false;
    /// A kPermission of the agent's own dialog, which takes a yes or no from here as well.
    bool dialog = false;
    HookCall call;  ///< of kPre, kPost, kPermission and kRequest; of kQuestion its id
    /// Of kBatch: every call of the turn, also those that had neither kPre nor kPost.
    std::vector<HookCall> calls;
    std::optional<core::Usage> usage;       ///< since the last report of use
    std::optional<std::uint64_t> round;     ///< where the agent counts its turns itself
    std::vector<std::string> background;    ///< of kStop: names of the work that goes on after it
    std::vector<std::string> wake_prompts;  ///< of kStop: prompts that will come back by themselves
    std::string outcome;                    ///< of kStop and kEnd, where the agent says it
    std::string reason;                     ///< of kEnd
    /// In a kError: server_error, rate_limit ... In a kEnd: the error that ended the last turn.
    std::string error_class;
    std::optional<std::uint64_t> status;          ///< of kError: of HTTP
    core::Timestamp retry_at = core::kNever;      ///< of kError: when requests are taken again
    std::optional<std::uint64_t> retry_after_ms;  ///< the same, from the receipt of the hook on
    std::optional<bool> retryable;                ///< of kError, where the agent says it
    bool ends_turn = false;                       ///< of kError
    std::vector<std::string> options;             ///< of kQuestion: answers to choose from
    std::string echo;                             ///< what render() gives back as it came; JSON
    std::string echo_args;                        ///< of kRequest, where render() gives them back
    std::optional<std::uint64_t> hold_ms;         ///< how long this hook may be kept waiting
    bool wordless = false;                        ///< nothing of the reply reaches the model
};

inline constexpr std::size_t kHookNameBytesMax = 256;

/// Facts about a hook besides its body, from the program that passed it on.
struct HookFacts {
    std::optional<std::uint64_t> exit_code;  ///< of the call, for an agent that does not say it
    std::string_view agent_version;          ///< has to live during parse()
    /// From the agent's own record, of a turn that ended by an error.
    core::Timestamp retry_at = core::kNever;
    std::string_view error_class;               ///< has to live during parse()
    std::optional<std::uint64_t> error_status;  ///< of HTTP
};

/// The reply that Headway wants. Where several are set, the first that applies wins: stop, deny,
/// undecided, edit or allow; texts for the model are sent along. Texts longer than
/// kReplyTextBytesMax are cut.
struct HookReply {
    std::string deny;        ///< why the call must not run
    std::string edit_json;   ///< an object: the call runs with these arguments instead
    std::string allow;       ///< who allowed the call
    std::string answer;      ///< a person's, to a kQuestion
    std::string context;     ///< for the model
    std::string stop;        ///< why the agent should come to its end
    bool stop_hard = false;  ///< at once; otherwise it is asked for its answer first
    std::string system;      ///< for the model, and the same until it changes: its budget
    std::string go_on;       ///< at a kStop: the turn is not over, and this is why
    /// The hold is over and no decision was made. `deny` may have the words for that; otherwise a
    /// default text is used.
    bool undecided = false;
};

/// Agents put longer texts into files, which the model may never open.
inline constexpr std::size_t kReplyTextBytesMax = 2000;

}  // namespace headway::api::hooks

namespace headway::core {

/// The names of the neutral dialect.
template <>
struct EnumNames<api::hooks::HookKind> {
    static constexpr std::array<std::string_view, 24> kNames{
        "none",     "start",  "prompt",  "pre",      "post",   "batch",    "permission", "asks",
        "idle",     "said",   "usage",   "turn",     "stop",   "error",    "compacted",  "end",
        "substart", "subend", "request", "question", "status", "answered", "interrupt",  "note"};
};

}  // namespace headway::core
