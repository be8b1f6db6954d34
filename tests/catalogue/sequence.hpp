// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "core/events/event.hpp"
#include "core/policies/run_files.hpp"
#include "core/session/session.hpp"
#include "core/values/verdict.hpp"

// Behaviours of agents as their hooks report them: JSON text that passes the daemon's decoder into
// a session, with the verdict after every event.

namespace headway::tests::catalogue {

/// Reports of an agent's hooks about a call.
enum class Hook : std::uint8_t {
    kFinished,  ///< the finish of a call
    kStarted,   ///< also its start
    kDigests,   ///< the finish of a call, with its model turn and the digests of changed files
    kTalking,   ///< calls from their start, a heartbeat and a message before each turn
};

/// A text as a JSON string.
std::string quoted(std::string_view text);

/// One call of a tool and its outcome.
class Call {
public:
    Call(std::string tool, std::string args) : tool_(std::move(tool)), args_(std::move(args)) {}

    Call& result(std::string_view text);  ///< success with this text
    Call& answers(std::string json);      ///< success with this JSON value
    /// Failure; `error_class` only if the client reports one.
    Call& fails(std::string_view message, std::string_view error_class = {});
    /// A path and its content after the call; the content stands for its digest.
    Call& mutates(std::string_view path, std::string_view content);
    Call& id(std::string call_id);
    Call& from(std::string_view origin);

private:
    friend class Agent;
    std::string finished(std::string_view call_id, Hook hook, std::uint64_t round) const;

    std::string tool_;
    std::string args_;
    std::string outcome_;  ///< members of the event
    std::string mutated_;
    std::string id_;
    std::string origin_;
};

/// Any tool with its arguments as JSON.
Call call(std::string tool, std::string args);

Call bash(std::string_view command);
Call read_file(std::string_view path);
Call read_lines(std::string_view path, int first, int last);
/// Replaces one text by another; the new text stands for the file's content.
Call edit(std::string_view path, std::string_view old_text, std::string_view new_text);
Call write_file(std::string_view path, std::string_view content);
Call grep(std::string_view pattern);
Call job_status(int job);

/// A verdict and the event from which it held.
struct Moment {
    std::uint64_t n = 0;
    core::Verdict verdict = core::Verdict::kStarting;
};

/// An agent under supervision. Each call takes a few seconds; between events the session is ticked
/// at its deadlines, as in the daemon.
class Agent {
public:
    explicit Agent(Hook hook = Hook::kFinished, std::string_view policy = "{}");

    Agent& does(const Call& one);                         ///< one call in its own model turn
    Agent& does_at_once(const std::vector<Call>& calls);  ///< one model turn with all of them
    Agent& starts(const Call& one);                       ///< without finishing
    Agent& ends(const Call& one);                         ///< the call that started last
    Agent& says(std::string_view text);
    Agent& hears(std::string_view text);  ///< a user message
    Agent& beats(std::string_view data = "{}");
    Agent& reports(std::string_view type, std::string_view data);
    Agent& acknowledges();  ///< all its directives
    Agent& passes(std::chrono::milliseconds time);
    Agent& children_work(bool now);
    /// From here on its files belong to a run, as in the daemon.
    Agent& in_run(core::RunFiles& files, std::string name);

    core::Verdict verdict() const { return session_.state().judgement->verdict; }
    bool ever(core::Verdict verdict) const;
    std::size_t count(core::Verdict verdict) const;
    bool was_told(core::DirectiveKind kind) const;
    const core::SessionState& state() const { return session_.state(); }
    const std::vector<Moment>& history() const { return history_; }
    std::string trace() const;  ///< verdict changes, for a failing test

private:
    void announce(const Call& one, const std::string& call_id);
    std::string next_id(const Call& one);
    void keep();

    Hook hook_;
    api::JsonDocument document_;
    core::Session session_{"catalogue"};
    core::Context context_;
    std::vector<core::Event> out_;
    std::vector<core::Event> journal_;
    std::vector<Moment> history_;
    core::RunFiles* run_ = nullptr;
    std::string name_;
    std::string open_id_;
    std::uint64_t calls_ = 0;
    std::uint64_t round_ = 0;
};

}  // namespace headway::tests::catalogue
