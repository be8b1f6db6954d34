// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>

#include <algorithm>

#include "cli/base/clock.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/run/reporter.hpp"
#include "cli/views/event_line.hpp"

// Reporter: the opening of its session, and the generations in which that goes on.

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

/// An agent's first call comes later: until then, what is in the journal is of other runs.
constexpr milliseconds kBeforeCalls{1'000};

constexpr milliseconds kHookLookTimeout{10'000};  // of a request for what hooks report
constexpr milliseconds kLastLook{100};            // after the deadline

/// An agent that ends more of them than this works on without a watch, and the warning says so.
constexpr int kGenerationsMost = 20;

bool is_ended_by_person(const Json& session) {
    return plain_text(session, "end_code") == "ended_by_person";
}

/// A person or a budget had stopped the session before it ended.
bool was_stopped(const Json& session) {
    return session.flag_of("cancel_requested") || session.flag_of("stopped") ||
           plain_text(session["budget"], "level") == "exhausted";
}

}  // namespace

bool can_be_lifted(const Json& session) {
    return session.flag_of("stopped") && !session.flag_of("cancel_requested");
}

bool is_unknown(const HttpReply& reply) {
    return reply.status == 404 && problem_of(reply).code == "unknown_session";
}

/// A run knows when its session was opened. Another session of that name, or one that would be
/// opened now, gets no report and no end: the run's own was deleted, or a backup of the daemon's
/// database was restored.
std::optional<Reporter::Step> Reporter::leave_another(const HttpReply& reply, Own own) {
    if (opened_at_.empty()) return std::nullopt;
    const Json about = body_json(reply).value_or(Json::object());
    const std::string at = plain_text(about, "opened_at");
    // One that this run's reports have opened since has no agent.
    const bool other = own == Own::kSame || plain_text(about["agent"], "type") == "command";
    const bool none = is_unknown(reply) && own != Own::kUnlessOpened;
    if (!none && (!reply.ok() || at == opened_at_ || !other)) return std::nullopt;
    setup_.warn(none ? "this daemon has no session " + session_ + " any more"
                     : "session " + session_ + " of this daemon is another one, opened at " + at +
                           "; it is left alone");
    {
        const std::lock_guard lock(mutex_);
        standing_.stopped = standing_.gone = true;
    }
    return refuse();
}

std::optional<Reporter::Step> Reporter::leave_another(Own own) {
    if (opened_at_.empty()) return std::nullopt;
    const HttpReply reply = daemon_.get(session_path(session_));
    if (!reply.ok() && worth_retrying(reply)) return failed(reply, false);
    return leave_another(reply, own);
}

Reporter::Step Reporter::open_session() {
    if (const std::optional<Step> left = leave_another(Own::kSame)) return *left;
    const HttpReply reply = daemon_.put_text(session_path(session_), setup_.open);
    // 409: another client opened it first, with other fields. It is the same session.
    if (!reply.ok() && reply.status != 409) return failed(reply, false);
    Json about = body_json(reply).value_or(Json::object());
    const bool exists = plain_text(about, "code") == "session_exists";
    if (exists && setup_.take_up)
        about = document();
    else if (exists)
        setup_.warn("another client has opened the session " + session_ +
                    "; it keeps its goal, labels and budget, and does not get those of this run");
    const bool ended = about["ended_at"].is_string();
    if (ended && setup_.take_up) {
        const std::optional<Step> next = take_up();
        return next ? *next : refuse();
    }
    began_ = reply.ok() && !ended;
    const bool early = steady_now() - began_at_ < kBeforeCalls;
    if (reply.status != 201 && early) journal_.skip(daemon_, session_, kBeforeCalls);
    const std::lock_guard lock(mutex_);
    opened_ = true;
    if (opened_at_.empty() && reply.ok()) opened_at_ = plain_text(about, "opened_at");
    reached_ = true;
    // A command may be over before a slow daemon has answered at all.
    if (end_) deadline_ = std::max(deadline_, all_of_linger_);
    return Step::kAgain;
}

// An agent that ends its own session does not leave the watch: its next generation is opened, by no
// more than the agent itself may. A person's end or stop stands, and stops the command.
std::optional<Reporter::Step> Reporter::goes_on(const Json& ended) {
    bool over = false;
    {
        // The rest of what an agent did just before it ended is no less true.
        const std::lock_guard lock(mutex_);
        const bool rest = spool_.size() > 0 || !lines_.empty();
        over = end_.has_value();
        if (over && (!rest || steady_now() >= deadline_)) return std::nullopt;
    }
    const std::string status = plain_text(ended["verdict"], "status");
    const bool own = (status == "completed" || status == "failed") && !is_ended_by_person(ended);
    if (own && was_stopped(ended)) return stop("stopped: its session had been stopped");
    note_end(ended["verdict"], is_ended_by_person(ended));
    if (!own || !began_ || !setup_.goes_on || generation_ >= kGenerationsMost) return std::nullopt;
    const std::string next = next_generation(session_);
    const HttpReply reply = daemon_.put_text(session_path(next), setup_.open);
    if (!reply.ok() && worth_retrying(reply)) return retry_later();
    if (reply.status == 403) return stop("stopped: its session may not go on");
    if (!reply.ok() && reply.status != 409) return std::nullopt;
    ++generation_;
    (void)journal_.read(daemon_, session_, what_hooks_tell(true));  // once more, and the last time
    setup_.warn("session " + session_ +
                (over ? " has ended before its command; what the command did since is in "
                      : " has ended before its command, which goes on as ") +
                next);
    const std::lock_guard lock(mutex_);
    opened_at_ = plain_text(body_json(reply).value_or(Json::object()), "opened_at");
    session_ = next;
    return Step::kAgain;
}

HookJournal::With Reporter::what_hooks_tell(bool children) {
    HookJournal::With with;
    with.children = children;
    with.note = [this](const HookJournal::Told& told) {
        const std::lock_guard lock(mutex_);
        lines_.note(told.event, told.at);
    };
    with.left = [this] { return time_left(); };
    return with;
}

milliseconds Reporter::time_left() const {
    const std::lock_guard lock(mutex_);
    if (!end_) return kHookLookTimeout;
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - steady_now());
    return std::clamp(left, kLastLook, kHookLookTimeout);
}

Reporter::Opening Reporter::opening() const {
    const std::lock_guard lock(mutex_);
    return {session_, opened_at_};
}

bool Reporter::begin_turn() {
    const std::lock_guard lock(mutex_);
    if (refused_ || end_) return false;
    by_person_ = true;
    ++turn_;
    if (!stop_) return true;
    stop_.reset();  // of the turn before; one that holds is seen again
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
    return true;
}

std::string Reporter::in_force(milliseconds most) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(
        lock, most, [this] { return (opened_ && !by_person_) || refused_ || away_ || finished_; });
    return session_;
}

bool Reporter::in_touch() const {
    const std::lock_guard lock(mutex_);
    return opened_ && !away_;
}

bool Reporter::has_told(const std::string& call_id) const {
    const std::lock_guard lock(mutex_);
    return opened_ && !spool_.names_call(call_id);
}

bool Reporter::caught_up(milliseconds most) const {
    std::unique_lock lock(mutex_);
    const auto all = [this] { return opened_ && !by_person_ && spool_.size() == 0; };
    changed_.wait_for(lock, most, [&] { return all() || refused_ || away_ || finished_; });
    return all();
}

// An opening without a word changes nothing of a session that exists, and needs no right to read.
Json Reporter::document() {
    return body_json(daemon_.put_text(session_path(session_), "{}")).value_or(Json::object());
}

// The daemon knows the generations, and decides who may begin another.
std::optional<Reporter::Step> Reporter::take_up() {
    bool by_person = false;
    {
        const std::lock_guard lock(mutex_);
        if (!setup_.take_up || (end_ && opened_)) return std::nullopt;
        by_person = by_person_;
    }
    const HttpReply reply = daemon_.post_text("/v1/hooks/generic", setup_.take_up(by_person));
    if (is_of_another_program(reply) || (!reply.ok() && worth_retrying(reply)))
        return retry_later();
    const auto named = reply.headers.find("x-headway-session");
    const bool next = reply.ok() && named != reply.headers.end() && named->second != session_;
    const std::lock_guard lock(mutex_);
    if (!next && by_person_ && !by_person) return Step::kAgain;  // a prompt has come meanwhile
    if (!next) return std::nullopt;
    session_ = named->second;
    spool_.drop_ends_of_earlier_calls();
    opened_at_.clear();
    opened_ = false;
    return Step::kAgain;
}

}  // namespace headway::cli
