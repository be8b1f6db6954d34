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

// An agent's hook and the reply to it, in the same form for all agents. Plain values, pure.

namespace headway::api::hooks {

enum class HookKind : std::uint8_t {
    kNone,        ///< nothing to report, or only a sign of life
    kStart,       ///< the session begins, or continues after a resume
    kPrompt,      ///< a message to the agent; see Hook::synthetic
    kPre,         ///< a call is about to run, and waits for the reply
    kPost,        ///< a call has run, or failed
    kBatch,       ///< all calls of one round are over, which ends the round
    kPermission,  ///< the agent is about to ask a person about a call, and first waits for the
                  ///< reply
    kAsks,        ///< a dialog of the agent is open and waits for a person
    kIdle,        ///< the agent has waited at its prompt for a while
    kSaid,        ///< a message from the agent
    kUsage,       ///< tokens were used
    kTurn,        ///< the model is called again
    kStop,        ///< the agent's turn is over
    kError,       ///< an error, which may have ended the turn (Hook::ends_turn)
    kCompacted,   ///< the context was compacted
    kEnd,         ///< the session is over
    kSubStart,    ///< a sub-agent begins
    kSubEnd,      ///< a sub-agent is done
    kRequest,     ///< Headway is to ask a person about a call, which waits for the decision
    kQuestion,    ///< Headway is to ask a person a question, and the agent waits for the answer
    kStatus,      ///< the agent requests its status
    kAnswered,    ///< a dialog of the agent is over, and the agent continues
    kInterrupt,   ///< a person ended the turn, and with it the calls in flight
    kNote,        ///< a remark in the agent's own words; neither work nor a wait
};

/// True if the hook itself is a question to a person. A kPre or a kPermission may also be held for
/// a person's decision, but not always.
constexpr bool asks_person(HookKind kind) {
    return kind == HookKind::kRequest || kind == HookKind::kQuestion;
}

/// One call of a tool. Secrets in the texts are redacted if the document does so
/// (JsonDocument::redact_with).
struct HookCall {
    std::string tool;               ///< the agent's name for the tool
    std::optional<JsonValue> args;  ///< valid until its document parses another text
    /// For a kPermission whose dialog shows other arguments than the call has: the call's arguments
    /// as JSON, as in its kPre and kPost. Empty for all other hooks.
    std::string call_args;
    /// The agent's id for the call. If the agent gives none, call_id_of() makes an id from the
    /// call's content; such an id is the same before and after the call, but also the same for
    /// equal calls. Empty for a kPermission without an id.
    std::string call;
    std::optional<bool> ok;  ///< whether the call succeeded; empty: not reported
    /// In a kBatch: no hook reported that the call ran. If the call was announced (kPre), it did
    /// not run, since its kPost would have come; else it is unknown whether it ran.
    bool untold = false;
    std::string result;  ///< the result as text for people; structured data as compact JSON
    std::string error;   ///< the error of a failed call, whose `result` is empty
    /// `denied`, `cancelled`, `unknown_tool`, `json_parse` (the tool cannot read the arguments) or
    /// empty. In the neutral dialect: any value, as received.
    std::string error_class;
    std::optional<std::uint64_t> duration_ms;
    std::optional<std::uint64_t> exit_code;
    /// The files that the call wrote, each with the digest of the file's new content. If only the
    /// change is known, the digest is that of the change; if neither is known, the digest is empty.
    std::vector<core::Mutation> mutated;
    bool interrupted = false;  ///< a person stopped the call; error_class is then `cancelled`
};

/// How an answer of the model ended, for an agent that reports it separately from the end of its
/// turn.
struct AnswerEnd {
    std::string error_class;  ///< class of the error, if the answer was cut off or refused
    std::string words;        ///< text for people; empty for a complete answer
    bool operator==(const AnswerEnd&) const = default;
};

/// Names (session, agent_id, call and the like) have at most kHookNameBytesMax bytes and no control
/// characters; invalid names are taken as absent. Texts are not cut.
struct Hook {
    HookKind kind = HookKind::kNone;
    /// The agent's name for the event, for render(). If an agent uses two spellings, this is the
    /// one that begins with a capital letter.
    std::string event;
    std::string agent;  ///< the agent's name, in the neutral dialect; else empty
    /// In the neutral dialect: the id for the last event of this hook, or empty.
    std::string event_id;
    std::string session;   ///< the agent's id for the session; empty only for kNone
    std::string agent_id;  ///< the sub-agent's id in that session; empty: the main agent
    std::string agent_type;
    std::string parent;  ///< the sub-agent's parent, if reported
    std::string cwd;
    bool any_cwd = false;  ///< in the neutral dialect, where the agent may name any folder as `cwd`
    std::string model;
    std::string transcript_path;  ///< the sub-agent's transcript, if it has its own
    std::string agent_version;
    std::string source;  ///< in a kStart: startup, resume ...; in a kCompacted: the cause
    std::string mode;    ///< the agent's permission mode
    /// The text of a kPrompt, kSaid, kStop, kError, kAsks, kIdle, kNote or kSubEnd; the summary of
    /// a kCompacted; the reason for a kPermission, if the agent gives one.
    std::string text;
    bool synthetic = false;  ///< a kPrompt that no person wrote
    bool wake_up = false;  ///< a synthetic prompt by which a timer, a loop or background work woke
                           ///< the agent
    /// The agent itself reports who wrote the prompt, so `synthetic` is not a guess.
    bool typed = false;
    /// A kPermission sent before the agent applies its own rules, so it does not prove that a
    /// person is asked.
    bool before_rules = false;
    /// A kPermission for the agent's own dialog, which accepts a decision from Headway too.
    bool dialog = false;
    /// The sender of this hook cannot change the arguments of a call, even if the dialect can. So a
    /// call that a person has edited is refused.
    bool unedited = false;
    /// The call of a kPre, kPost, kPermission or kRequest; for a kQuestion only its id.
    HookCall call;
    /// In a kBatch: every call of the round, including calls without kPre and kPost.
    std::vector<HookCall> calls;
    std::optional<core::Usage> usage;  ///< tokens and cost since the last such report
    /// Number of the current round, if the agent counts its rounds.
    std::optional<std::uint64_t> round;
    bool silent =
        false;  ///< in a kStop or kSubEnd: the agent reports that its last message has no text
    std::vector<std::string> background;  ///< in a kStop: names of work that goes on after the turn
    /// Ids of the sub-agents in `background`, in the form of `agent_id`, if the agent reports them.
    std::vector<std::string> background_agents;
    std::vector<std::string> wake_prompts;  ///< in a kStop: prompts that will recur by themselves
    std::string outcome;  ///< in a kStop or kEnd: the outcome, if the agent reports one
    std::string reason;   ///< in a kEnd: why the session is over
    /// The reason is in the sender's own words, not from a list, so no reason is unknown.
    bool free_reason = false;
    /// In a kUsage or kNone. The caller keeps it until the end of the turn, because a turn ends in
    /// the same way as its last answer.
    std::optional<AnswerEnd> answer_end;
    /// In a kError: server_error, rate_limit ... In a kEnd: the error that ended the last turn.
    std::string error_class;
    std::optional<std::uint64_t> status;      ///< in a kError: HTTP status
    core::Timestamp retry_at = core::kNever;  ///< in a kError: when the provider accepts
                                              ///< requests again
    /// In a kError: the time until the provider accepts requests again, from the receipt of the
    /// hook.
    std::optional<std::uint64_t> retry_after_ms;
    std::optional<bool> retryable;         ///< in a kError: a retry may help, if reported
    bool ends_turn = false;                ///< in a kError: the error ended the agent's turn
    std::vector<std::string> options;      ///< in a kQuestion: answers to choose from
    std::string echo;                      ///< JSON that render() returns unchanged
    std::string echo_args;                 ///< in a kRequest: the arguments, if render() returns
                                           ///< them
    std::optional<std::uint64_t> hold_ms;  ///< longest wait of this hook
    bool wordless = false;                 ///< no text of the reply reaches the model
};

inline constexpr std::size_t kHookNameBytesMax = 256;

/// Facts about a hook that are not in its body. The program that forwarded the hook supplies them.
struct HookFacts {
    std::optional<std::uint64_t> exit_code;  ///< exit code of the call, for an agent that does not
                                             ///< report it
    std::string_view agent_version;          ///< the agent's version; must live during parse()
    /// If an error ended the turn: the retry time in the agent's own record.
    core::Timestamp retry_at = core::kNever;
    std::string_view error_class;               ///< class of that error; must live during parse()
    std::optional<std::uint64_t> error_status;  ///< HTTP status of that error
};

/// The reply that Headway wants. If several effects are set, the first of these applies: stop,
/// undecided, deny, edit, allow. If the agent takes texts for the model (Dialect::takes_context),
/// they accompany any effect except a hard stop. Texts longer than kReplyTextBytesMax are cut.
struct HookReply {
    std::string deny;        ///< why the call must not run
    std::string edit_json;   ///< an object: the call runs with these arguments instead
    std::string allow;       ///< the person or rule that allowed the call
    std::string answer;      ///< a person's answer to a kQuestion
    std::string context;     ///< text for the model
    std::string stop;        ///< why the agent should end
    bool stop_hard = false;  ///< stop at once; otherwise the agent may first give its final answer
    std::string system;      ///< text for the model about the budget; it stays the same until the
                             ///< budget changes
    std::string go_on;       ///< why the turn is not over, at a kStop
    /// The hold has ended without a decision. Then `deny` is only the text for this case; if `deny`
    /// is empty, a default text is used.
    bool undecided = false;
};

/// Maximum length of a text in a reply. Agents put longer texts into files, and the model might not
/// open these files.
inline constexpr std::size_t kReplyTextBytesMax = 2000;

}  // namespace headway::api::hooks

namespace headway::core {

/// The names of the kinds in the neutral dialect.
template <>
struct EnumNames<api::hooks::HookKind> {
    static constexpr std::array<std::string_view, 24> kNames{
        "none",     "start",  "prompt",  "pre",      "post",   "batch",    "permission", "asks",
        "idle",     "said",   "usage",   "turn",     "stop",   "error",    "compacted",  "end",
        "substart", "subend", "request", "question", "status", "answered", "interrupt",  "note"};
};

}  // namespace headway::core
