// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/run/reporter.hpp"
#include "cli/views/event_line.hpp"

// Reporter: refused reports, and the end of its session.

namespace headway::cli {
namespace {

/// An agent that ends more of them than this works on without a watch, and the warning says so.
constexpr int kGenerationsMost = 20;

std::string refusal(const Problem& problem, const std::string& session) {
    if (problem.code != "session_ended") {
        return "a report was refused: " + problem.detail +
               (problem.field.empty() ? "" : " " + problem.field);
    }
    return "session " + session +
           " has ended, so this command is not supervised any more; another run needs another "
           "--session, or none";
}

bool is_ended_by_person(const Json& session) {
    return plain_text(session, "end_code") == "ended_by_person";
}

/// A person or a budget had stopped the session before it ended.
bool was_stopped(const Json& session) {
    return session.flag_of("cancel_requested") || session.flag_of("stopped") ||
           plain_text(session["budget"], "level") == "exhausted";
}

}  // namespace

// No answer or "not now": try again. A session that is over: stop. Anything else is a batch that no
// retry can mend.
Reporter::Step Reporter::failed(const HttpReply& reply, bool drop_batch) {
    const bool other = is_of_another_program(reply);
    const bool retry = other || worth_retrying(reply);
    const Problem problem = problem_of(reply);
    const bool ended = problem.code == "session_ended";
    if (ended) {
        const HttpReply session = daemon_.get(session_path(session_));
        if (!session.ok() && worth_retrying(session)) return retry_later();
        if (const auto step = goes_on(body_json(session).value_or(Json::object()))) return *step;
    }
    if (!warned_ && retry && !out_of_time()) {
        setup_.warn(reply.answered() ? "the daemon takes no reports now (" + problem.detail + ")"
                                     : "no daemon answers at " + setup_.url +
                                           "; the command runs, reports wait for it");
    }
    // Each refused event is another; a token that is refused does not become valid.
    const bool of_event = reply.status == 400 || reply.status == 413;
    const bool known = !of_event && refused_with_ == problem.code;
    if (!retry && !known) setup_.warn(refusal(problem, session_));
    if (!retry) refused_with_ = problem.code;
    warned_ = true;
    if (other) hold();  // nothing shows that the agent may go on
    if (retry) return retry_later();
    const std::lock_guard lock(mutex_);
    if (drop_batch && reply.status != 404 && !ended) {
        if (!spool_.narrow()) spool_.confirm();
        return Step::kAgain;
    }
    refused_ = true;
    looks_ = false;
    lines_over_ = false;
    lines_.clear();
    spool_.clear();
    return end_ ? Step::kDone : Step::kIdle;
}

Reporter::Step Reporter::retry_later() {
    const std::lock_guard lock(mutex_);
    return end_ && steady_now() >= deadline_ ? Step::kDone : Step::kRetry;
}

void Reporter::hold() {
    const std::lock_guard lock(mutex_);
    standing_.held = true;
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
    const std::string next = setup_.session + "~" + std::to_string(generation_ + 1);
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
    session_ = next;
    opened_at_.clear();
    return Step::kAgain;
}

std::optional<Reporter::Step> Reporter::stop(const char* why) {
    const std::lock_guard lock(mutex_);
    if (!stop_) stop_ = StopDirective{{}, why};
    ::eventfd_write(wake_.get(), 1);
    return std::nullopt;
}

void Reporter::note_end(const Json& verdict, bool by_person) {
    const std::string status = plain_text(verdict, "status");
    const bool failed = by_person && status == "failed";
    if (status != "halted" && status != "cancelled" && !failed) return;
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = StopDirective{{}, status + ": " + plain_text(verdict, "reason")};
    ::eventfd_write(wake_.get(), 1);
}

}  // namespace headway::cli
