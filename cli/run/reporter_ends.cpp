// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>

#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/run/reporter.hpp"
#include "cli/views/event_line.hpp"

// Reporter: refused reports, and the end of its session.

namespace headway::cli {
namespace {

std::string refusal(const Problem& problem, const std::string& session, bool takes_up) {
    if (problem.code != "session_ended") {
        return "a report was refused: " + problem.detail +
               (problem.field.empty() ? "" : " " + problem.field);
    }
    if (takes_up) {
        return "session " + session +
               " has ended; calls that ask for permission are refused until the next prompt";
    }
    return "session " + session +
           " has ended, so this command is not supervised any more; another run needs another "
           "--session, or none";
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
        if (const auto step = take_up()) return *step;
        const HttpReply session = daemon_.get(session_path(session_));
        if (!session.ok() && worth_retrying(session)) return retry_later();
        if (turn_has_begun()) return Step::kAgain;
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
    if (!retry && !known) setup_.warn(refusal(problem, session_, bool{setup_.take_up}));
    if (!retry) refused_with_ = problem.code;
    warned_ = true;
    if (other) hold();  // nothing shows that the agent may go on
    if (retry) return retry_later();
    if (drop_batch && reply.status != 404 && !ended) {
        const std::lock_guard lock(mutex_);
        if (!spool_.narrow()) spool_.confirm();
        return Step::kAgain;
    }
    if (reply.status == 401) {
        const std::lock_guard lock(mutex_);
        denied_ = true;
    }
    return refuse();
}

Reporter::Step Reporter::end_session(const std::string& end) {
    // The session's own end, though the token may be the operator's.
    daemon_.set_headers({"X-Headway-Session: " + session_});
    const HttpReply reply = daemon_.post_text(session_path(session_, "/end"), end);
    daemon_.set_headers({});
    if (!reply.ok()) return failed(reply, false);
    const std::lock_guard lock(mutex_);
    delivered_ = spool_.dropped() + lines_.dropped() == 0;
    return Step::kDone;
}

bool Reporter::out_of_time() const {
    const std::lock_guard lock(mutex_);
    return end_ && steady_now() >= deadline_;
}

bool Reporter::denied() const {
    const std::lock_guard lock(mutex_);
    return denied_;
}

Reporter::Step Reporter::refuse() {
    const std::lock_guard lock(mutex_);
    if (turn_ != asked_in_) return Step::kAgain;  // its reports may go on in the next generation
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

std::optional<Reporter::Step> Reporter::stop(const char* why) {
    set_stop({{}, why});
    return std::nullopt;
}

// A request that began before the prompt says nothing of its turn: a person may have lifted the
// stop between the two. One that holds is seen again with the next reply.
void Reporter::set_stop(StopDirective stop) {
    const std::lock_guard lock(mutex_);
    if (stop_ || turn_ != asked_in_) return;
    stop_ = std::move(stop);
    ::eventfd_write(wake_.get(), 1);
}

bool Reporter::turn_has_begun() const {
    const std::lock_guard lock(mutex_);
    return turn_ != asked_in_;
}

void Reporter::note_end(const Json& verdict, bool by_person) {
    const std::string status = plain_text(verdict, "status");
    // In an editor nothing else ends a turn whose session a person has ended.
    const bool stands = by_person && (status == "failed" || setup_.take_up);
    if (status != "halted" && status != "cancelled" && !stands) return;
    set_stop({{}, status + ": " + plain_text(verdict, "reason")});
}

}  // namespace headway::cli
