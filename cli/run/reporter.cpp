// SPDX-License-Identifier: Apache-2.0
#include "cli/run/reporter.hpp"

#include <sys/eventfd.h>

#include <algorithm>

#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/views/event_line.hpp"
#include "core/views/digest.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNeverReachedLinger{1'000};
constexpr milliseconds kFirstBeat{1'000};  // soon, so that a watcher sees what the command uses
constexpr milliseconds kHeartbeatMin{100};
constexpr milliseconds kHeartbeatMax{3'600'000};

constexpr const char* kStopsOfJournal = "/events?types=directive.issued&order=newest&limit=500";

Standing standing_of(const Json& session) {
    Standing standing;
    const Json& verdict = session["verdict"];
    standing.paused = session["paused_at"].is_string();
    standing.held = standing.paused || session["approvals_pending"].count() > 0 ||
                    session["approvals_below"].count() > 0 ||
                    verdict["cause"] == "person";  // perhaps in a dialog of its own
    standing.stopped = session.flag_of("cancel_requested") || session.flag_of("stopped") ||
                       session["ended_at"].is_string() ||
                       plain_text(session, "state") == "halted" ||
                       plain_text(session["budget"], "level") == "exhausted";
    if (plain_text(verdict, "status") == "stuck") standing.stuck = plain_text(verdict, "reason");
    return standing;
}

/// One about a budget is lifted with it.
bool is_stop(const Json& directive) {
    // The session's `stopped` stands for rejections, which a person may lift.
    return plain_text(directive, "kind") == "stop" && directive["budget"].is_null() &&
           !(directive["rejects"] == true);
}

bool has_directive(const Json& session, const std::string& id) {
    for (const Json& directive : session["directives"])
        if (plain_text(directive, "id") == id) return true;
    return false;
}

}  // namespace

Reporter::Reporter(Setup setup, std::shared_ptr<Reporter> after)
    : setup_(std::move(setup)),
      daemon_(setup_.url, setup_.credential),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      began_at_(steady_now()),
      after_(std::move(after)),
      own_events_("run-" + random_tag()),
      journal_(own_events_ + "-", steady_now()),
      next_beat_(steady_now() + std::min(setup_.heartbeat, kFirstBeat)),
      interval_(setup_.heartbeat),
      session_(setup_.session),
      opened_at_(setup_.opened_at),
      by_person_(setup_.by_person),
      spool_(own_events_) {
    thread_ = std::jthread([this] { work(); });
}

Reporter::~Reporter() {
    const std::lock_guard lock(mutex_);
    if (!end_) {  // left without finish(): say nothing, go at once
        end_ = std::string();
        deadline_ = steady_now();
        refused_ = true;
        spool_.clear();
        lines_.clear();
    }
    changed_.notify_all();
}

void Reporter::add(const std::string& type, const Json& data, bool hooks_tell, bool other_ids) {
    const std::lock_guard lock(mutex_);
    if (refused_) return;
    if (hooks_ && hooks_tell) {
        lines_.add({type, data, {}, other_ids}, steady_now());
        lines_changed_ = true;
    } else {
        spool_.add(type, data, hooks_tell, other_ids);
    }
    changed_.notify_all();
}

void Reporter::agent_ended() {
    const std::lock_guard lock(mutex_);
    if (refused_) return;
    lines_over_ = true;
    changed_.notify_all();
}

void Reporter::add_own(const std::string& type, const Json& data) {
    const std::lock_guard lock(mutex_);
    if (refused_) return;
    spool_.add_as(core::kKeepGoingEvent, type, data);
    changed_.notify_all();
}

std::optional<StopDirective> Reporter::stop_directive() const {
    const std::lock_guard lock(mutex_);
    return stop_;
}

bool Reporter::held() const {
    const std::lock_guard lock(mutex_);
    return held_;
}

void Reporter::look() {
    const std::lock_guard lock(mutex_);
    if (refused_) return;
    looks_ = true;
    changed_.notify_all();
}

void Reporter::rest(bool rests) {
    const std::lock_guard lock(mutex_);
    rests_ = rests;
}

Standing Reporter::standing() const {
    const std::lock_guard lock(mutex_);
    return standing_;
}

bool Reporter::settled() const {
    const std::lock_guard lock(mutex_);
    return spool_.size() == 0 && !lines_over_ && !looks_;
}

bool Reporter::refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
}

void Reporter::close(const Json& end, milliseconds linger) {
    const std::lock_guard lock(mutex_);
    if (end_) return;
    end_ = dump(end);
    all_of_linger_ = steady_now() + linger;
    deadline_ = steady_now() + (reached_ ? linger : std::min(linger, kNeverReachedLinger));
    changed_.notify_all();
}

bool Reporter::finish(const Json& end, milliseconds linger) {
    close(end, linger);
    wait();
    const std::lock_guard lock(mutex_);
    return delivered_;
}

void Reporter::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_; });
}

void Reporter::work() {
    if (after_) after_->wait();
    after_.reset();
    Backoff backoff;
    for (Step step = Step::kAgain; step != Step::kDone;) {
        step = this->step();
        if (step == Step::kAgain) backoff.reset();
        std::unique_lock lock(mutex_);
        away_ = step == Step::kRetry;
        changed_.notify_all();  // for in_force()
        if (step == Step::kIdle) {
            keep_pace();
            const SteadyTime look = lines_.next_look().value_or(next_beat_);
            lines_changed_ = false;
            changed_.wait_until(lock, std::min(next_beat_, look), [this] {
                return spool_.size() > 0 || end_ || looks_ || lines_changed_ || lines_over_;
            });
        } else if (step == Step::kRetry) {
            // A new event must not cut the pause short, only the end may.
            const bool ending = end_.has_value();
            changed_.wait_for(lock, backoff.next(),
                              [this, ending] { return end_.has_value() && !ending; });
        }
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
}

void Reporter::keep_pace() {
    if (setup_.pace) next_beat_ = std::min(next_beat_, steady_now() + setup_.pace());
}

Reporter::Step Reporter::step() {
    std::optional<std::string> end;
    bool empty = false;
    bool looks = false;
    bool over = false;
    bool hooks = false;
    {
        const std::lock_guard lock(mutex_);
        asked_in_ = turn_;
        if (refused_ && end_) return Step::kDone;
        if (refused_) {
            next_beat_ = steady_now() + kHeartbeatMax;
            return Step::kIdle;
        }
        end = end_;
        empty = spool_.size() == 0;
        looks = looks_;
        over = lines_over_ || end_.has_value();
        lines_over_ = lines_over_ && !(empty && lines_.empty());
        const auto look = lines_.next_look();
        hooks = !lines_.empty() && (over || (look && steady_now() >= *look));
    }
    if (!opened_) return open_session();
    if (looks || end) {  // before the rest is reported: it may be for another run's session
        if (const auto left = leave_another(end ? Own::kUnlessOpened : Own::kUnlessGone))
            return *left;
    }
    if (!end && steady_now() >= next_beat_) return beat();
    if (!empty) return deliver();
    if (looks && !end) return look_at_session();
    if (hooks) return look_at_hooks(over);
    return end ? end_session(*end) : Step::kIdle;
}

// Before all else, because a daemon may take long for the rest.
Reporter::Step Reporter::beat() {
    add("heartbeat", setup_.beat());
    next_beat_ = steady_now() + interval_;
    const HttpReply session = daemon_.get(session_path(session_));
    bool rests = false;
    {
        const std::lock_guard lock(mutex_);
        rests = rests_;
    }
    if (const auto left = leave_another(session, rests ? Own::kUnlessGone : Own::kUnlessOpened))
        return *left;
    const Step beat = deliver();
    if (beat == Step::kAgain) look_for_stop(session);
    return beat;
}

// An agent's hooks begin before its first line, and the daemon knows of them. Asked before each
// batch that they could tell as well, until there are some.
void Reporter::look_for_hooks() {
    {
        const std::lock_guard lock(mutex_);
        if (hooks_ || !spool_.has_told()) return;
    }
    const HttpReply reply = daemon_.get(session_path(session_));
    const std::optional<Json> session = reply.ok() ? body_json(reply) : std::nullopt;
    if (!session || !(*session)["adapter"].is_object()) return;
    const std::lock_guard lock(mutex_);
    hooks_ = true;
    for (HeldEvent& told : spool_.take_told())
        lines_.add(std::move(told), steady_now());
}

// One event of hooks shows no more than itself: they may be lost on their way, and an agent may
// send one in their name. So the journal decides about each call.
Reporter::Step Reporter::look_at_hooks(bool over) {
    const SteadyTime now = steady_now();  // what comes after it is decided next time
    bool further = over;
    {
        const std::lock_guard lock(mutex_);
        further = further || lines_.looks_further(now);
    }
    const HookJournal::Look look = journal_.read(daemon_, session_, what_hooks_tell(further));
    const std::lock_guard lock(mutex_);
    const bool late = end_ && steady_now() >= deadline_;
    if (look.outcome == HookJournal::Outcome::kRetry) return late ? Step::kDone : Step::kRetry;
    if (look.more && !late) return Step::kAgain;
    if (look.partly) lines_.see_partly();
    const bool unknown = look.outcome == HookJournal::Outcome::kRefused;
    for (const HeldEvent& event : lines_.take(now, over || unknown, held_))
        spool_.add(event.type, event.data);
    lines_.looked(steady_now());
    lines_over_ = false;
    return Step::kAgain;
}

// A stop stays in the journal, also when the agent has acknowledged it.
Reporter::Step Reporter::look_at_session() {
    const HttpReply session = daemon_.get(session_path(session_));
    const HttpReply stops = daemon_.get(session_path(session_, kStopsOfJournal));
    const bool foreign = session.foreign || stops.foreign;
    const bool again = !foreign && ((!session.ok() && worth_retrying(session)) ||
                                    (!stops.ok() && worth_retrying(stops)));
    if (again) return Step::kRetry;
    const Json about = body_json(session).value_or(Json::object());
    const Json page = body_json(stops).value_or(Json::object());
    const bool forgotten = is_unknown(session);
    const bool known = session.ok() && stops.ok() && plain_text(about, "id") == session_ &&
                       page["events"].is_array();
    const std::lock_guard lock(mutex_);
    looks_ = false;
    if (!known) {
        // Nothing shows that the agent may go on: a token has expired, the session is gone, or
        // another server has the port now.
        standing_.held = standing_.held || !forgotten;
        standing_.gone = standing_.gone || forgotten;
        standing_.stopped = standing_.stopped || forgotten;
        return Step::kAgain;
    }
    standing_ = standing_of(about);
    // Deleted meanwhile, and opened again by a report.
    if (opened_at_.empty()) opened_at_ = plain_text(about, "opened_at");
    standing_.gone = plain_text(about, "opened_at") != opened_at_;
    standing_.stopped = standing_.stopped || standing_.gone;
    for (const Json& event : page["events"])
        standing_.stopped = standing_.stopped || is_stop(event["data"]);
    return Step::kAgain;
}

// The agent may have acknowledged the stop before a reply brought it here.
void Reporter::look_for_stop(const HttpReply& reply) {
    const Json about = body_json(reply).value_or(Json::object());
    if (!reply.ok() || about["ended_at"].is_string() || !standing_of(about).stopped) return;
    set_stop_now({{}, "a person or a budget has stopped the session"});
}

// In an editor, where a person may have lifted it since, while the turn goes on. An unreadable
// document ends no session.
void Reporter::set_stop_now(StopDirective stop) {
    if (stop_directive()) return;
    const Json about = setup_.take_up ? document() : Json{};
    const bool known = plain_text(about, "id") == session_;
    if (known && !standing_of(about).stopped && !has_directive(about, stop.id)) return;
    stop.lifts = setup_.take_up && (!known || can_be_lifted(about));
    set_stop(std::move(stop));
}

Reporter::Step Reporter::deliver() {
    look_for_hooks();
    std::string report;
    bool by_person = false;
    {
        const std::lock_guard lock(mutex_);
        if (spool_.size() == 0) return Step::kAgain;
        report = spool_.batch();
        by_person = by_person_;
    }
    const HttpReply reply = daemon_.post_text(session_path(session_, "/events"), report);
    if (!reply.ok()) return failed(reply, true);
    read_advice(reply);
    const std::lock_guard lock(mutex_);
    spool_.confirm();
    if (by_person) by_person_ = false;
    return Step::kAgain;
}

void Reporter::read_advice(const HttpReply& reply) {
    const std::optional<Json> advice = body_json(reply);
    if (!advice || !advice->is_object()) return;
    if (const Json& asked = (*advice)["next_heartbeat_ms"]; asked.is_unsigned()) {
        const auto ms = std::min<std::uint64_t>(asked.count(), std::uint64_t{3'600'000});
        interval_ = std::max(milliseconds{static_cast<std::int64_t>(ms)}, kHeartbeatMin);
        next_beat_ = std::min(next_beat_, steady_now() + interval_);
    }
    bool held = (*advice)["verdict"]["cause"] == "person";
    for (const Json& directive : (*advice)["directives"])
        held = held || directive["type"] == "pause" || directive["type"] == "wait_approval";
    {
        const std::lock_guard lock(mutex_);
        held_ = held;
    }
    note_end((*advice)["verdict"], false);
    for (const Json& directive : (*advice)["directives"]) {
        if (directive["type"] != "stop") continue;
        set_stop_now({plain_text(directive, "id"), plain_text(directive, "reason")});
    }
}

}  // namespace headway::cli
