// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/ping_commands.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "api/text/plain_text.hpp"
#include "core/base/limits.hpp"
#include "core/values/policy.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/reports/generations.hpp"
#include "server/engine/reports/ping_schedules.hpp"
#include "storage/tables/idempotency_table.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kCall = "run";
constexpr std::string_view kJobType = "job";

/// Where the table of idempotency keys says which run of a job is the newest. No client can send
/// such a key.
std::string key_of(const std::string& job) {
    return "\x1fping/" + job;
}

/// The session behind `session` of the same job: `a`, `a~2`, `a~3`.
std::string next_run(const std::string& job, std::string_view session) {
    std::uint64_t number = 1;
    if (session.size() > job.size() && session.starts_with(job)) {
        const std::string_view digits = session.substr(job.size() + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    }
    return job + "~" + std::to_string(number + 1);
}

/// Runs whose pointer has expired: so many names are tried behind it.
constexpr int kNamesTried = 64;

/// Pings of one job in one turn that find a run of their own; the others have to come again.
constexpr std::size_t kRunsOfTurn = 16;
constexpr std::size_t kRunsOfOthers = 2;

core::SessionStarted about(const std::string& job, const std::string& rid) {
    core::SessionStarted about;
    about.agent.type = kJobType;
    about.agent.name = core::cut_text(job, core::limits::kStringBytesMax);
    about.labels.push_back({"adapter", "ping"});
    if (!rid.empty()) about.labels.push_back({"rid", rid});
    about.policy.trust_origin = false;  // no such report has an origin
    about.policy.heartbeat_interval_ms =
        static_cast<std::uint64_t>(core::kHeartbeatIntervalMax.count());
    return about;
}

/// Fingerprint of the newest run of a line that pings began, and no agent.
constexpr std::string_view kOfJob = "job";

/// Whether pings opened `before` and the first of its line, which no report can say: what was set
/// for one run of a job is not for the next. A session into which hooks report is an agent's.
Result<Takes> taken_from(Transaction& transaction, const std::string& job, const Resident& before) {
    HEADWAY_TRY(const auto newest, transaction.store().idempotency().find_key(key_of(job)));
    const bool of_job = newest && newest->session == before.session.id() &&
                        newest->fingerprint == kOfJob &&
                        before.session.state().about.adapters.empty();
    return of_job ? Takes::kOperators : Takes::kAll;
}

core::Event event_of(core::Payload payload) {
    core::Event event;
    event.payload = std::move(payload);
    return event;
}

core::Event started() {
    core::ToolStarted call;
    call.call_id = kCall;
    call.tool = kCall;
    return event_of(std::move(call));
}

/// The reason is at most this many bytes of the end of the job's text; all that is kept of it is in
/// the result of its call.
constexpr std::size_t kReasonBytesMax = 400;

std::string reason_of(const PingCommand& ping, std::string text) {
    if (ping.exit_status == 0) return text;
    const std::string status = "exit status " + std::to_string(ping.exit_status);
    return text.empty() ? status : status + ": " + text;
}

core::Event finished(const PingCommand& ping) {
    core::ToolFinished call;
    call.call_id = kCall;
    call.tool = kCall;
    call.ok = ping.kind == PingKind::kSuccess;
    if (!call.ok) call.error = core::ToolError{{}, core::bounded_text(reason_of(ping, ping.text))};
    return event_of(std::move(call));
}

core::Event ended(const PingCommand& ping) {
    core::SessionEnded end;
    const bool failed = ping.kind == PingKind::kFail;
    end.outcome = failed ? core::Outcome::kFailed : core::Outcome::kCompleted;
    std::string text = api::tail_of(ping.text, kReasonBytesMax);
    end.reason = core::bounded_text(reason_of(ping, std::move(text)));
    return event_of(std::move(end));
}

core::Event noted(const PingCommand& ping) {
    core::Heartbeat beat;
    beat.note = api::tail_of(ping.text, core::limits::kStringBytesMax);
    return event_of(std::move(beat));
}

core::Event unscheduled() {
    core::Heartbeat beat;
    beat.note = "the schedule of this job is off: as many other jobs have one as may have one";
    return event_of(std::move(beat));
}

std::vector<core::Event> events_of(const PingCommand& ping, bool opens) {
    std::vector<core::Event> events;
    if (opens) events.push_back(started());
    const bool ends = ping.kind == PingKind::kSuccess || ping.kind == PingKind::kFail;
    if (ends) {
        events.push_back(finished(ping));
        events.push_back(ended(ping));
    } else if (!opens || !ping.text.empty()) {
        events.push_back(noted(ping));
    }
    return events;
}

}  // namespace

Result<std::string> run_in_force(Reader& reader, const std::string& job, bool next) {
    HEADWAY_TRY(const auto newest, reader.store().idempotency().find_key(key_of(job)));
    std::string run = newest ? newest->session : job;
    if (!next || reader.is_open_in_memory(run)) return run;
    for (int tried = 0; tried < kNamesTried; ++tried) {
        std::string behind = next_run(job, run);
        HEADWAY_TRY(const bool known, reader.knows(behind));
        if (!known) break;
        run = std::move(behind);
    }
    HEADWAY_TRY(const Resident* found, reader.find(run));
    const bool ended = found != nullptr && found->session.state().ended();
    return ended ? next_run(job, run) : run;
}

Result<> open_run(Transaction& transaction, const std::string& job, const std::string& run,
                  const std::string& rid) {
    HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), run));
    Takes takes = Takes::kAll;
    if (before != nullptr) {
        HEADWAY_TRY(takes, taken_from(transaction, job, *before));
    }
    // The next run of a job that was cancelled is another one; the session of an agent is not.
    const bool of_agent = before != nullptr && takes == Takes::kAll;
    if (run == job || !rid.empty() || of_agent)
        HEADWAY_CHECK(check_turn(transaction.reader(), run));
    HEADWAY_CHECK(open_implicitly(transaction, run, about(job, rid), before, takes));
    if (!rid.empty()) return {};
    const bool of_job = before == nullptr ? run == job : takes == Takes::kOperators;
    return transaction.store().idempotency().add_key(
        key_of(job), {std::string{of_job ? kOfJob : ""}, run}, transaction.now());
}

Result<> PingCommand::name(Reader& reader, SessionNames& names) {
    spare.clear();
    if (!rid.empty()) {
        target = job + "." + rid;
    } else {
        HEADWAY_TRY(target, run_in_force(reader, job, kind != PingKind::kLog));
    }
    // The pings before it in this turn may end its run, and begin and end the next ones; so may
    // another daemon, until this one holds them.
    std::string_view last = target;
    const auto is_named = [&names](std::string_view run) {
        return std::find(names.begin(), names.end(), run) != names.end();
    };
    const std::size_t most = rid.empty() && kind != PingKind::kLog ? kRunsOfTurn : 0;
    spare.reserve(most);  // the names are views
    while (spare.size() < most && (spare.size() < kRunsOfOthers || is_named(last)))
        last = spare.emplace_back(next_run(job, last));
    HEADWAY_CHECK(name_opening(reader, names, target));
    names.insert(names.end(), spare.begin(), spare.end());
    return {};
}

Result<std::string> PingCommand::run_in_turn(Transaction& transaction) const {
    std::string run = target;
    for (const std::string& next : spare) {
        HEADWAY_TRY(const Resident* resident, transaction.find(run));
        if (resident == nullptr || !resident->session.state().ended()) break;
        run = next;
    }
    return run;
}

Result<Pinged> PingCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(const std::string run, run_in_turn(transaction));
    HEADWAY_TRY(Resident * resident, transaction.find(run));
    const bool opens = resident == nullptr;
    if (!opens && resident->session.state().ended()) {
        if (kind == PingKind::kLog) {
            return Error{ErrorCode::kSessionEnded,
                         "the run " + run + " has ended; the next one begins with /start", "id"};
        }
        // The answer to the first try was lost.
        if (!rid.empty()) return Pinged{};
        return Error{ErrorCode::kOverloaded, "nothing was stored; send it again", {}};
    }
    // Before the first write: a refused command keeps what it has written.
    if (schedule) HEADWAY_CHECK(check_schedule(transaction, run));
    if (schedule && !opens && is_supervised(resident->session.state()))
        return Error{ErrorCode::kForbidden,
                     "the session " + run +
                         " is a run that an operator started, which its command "
                         "ends; schedules are for jobs that begin by pings",
                     "id"};
    if (opens) HEADWAY_CHECK(open_run(transaction, job, run, rid));
    HEADWAY_TRY(const bool scheduled, keep_schedule(transaction, run, opens));
    ReportCommand report;
    report.session = run;
    report.batch = true;
    report.events = events_of(*this, opens);
    if (!scheduled && opens) report.events.insert(report.events.begin() + 1, unscheduled());
    HEADWAY_TRY(const Advised advised, report(transaction));
    (void)advised;
    return Pinged{!scheduled};
}

/// Refuses a schedule that is longer than it would be stored, which is as long as the job's runs.
/// Writes nothing.
Result<> PingCommand::check_schedule(Transaction& transaction, const std::string& run) const {
    if (schedule->every == core::Millis{0} && schedule->cron.empty()) return {};
    const char* const field = schedule->every > core::Millis{0} ? "every" : "cron";
    const core::Millis kept = transaction.settings().retention;
    const core::Timestamp due = missing_at({*schedule, run, transaction.now()});
    if (kept != core::Millis{0} && due - transaction.now() + kScheduleListFresh >= kept)
        return Error{ErrorCode::kInvalidParameter,
                     "is longer than ended runs are kept; storage.retention would have to be a day "
                     "longer than it",
                     field};
    return {};
}

/// A schedule counts from the last start, so a start writes it again. False: the job has none,
/// since other jobs have all places. The ping counts all the same.
Result<bool> PingCommand::keep_schedule(Transaction& transaction, const std::string& run,
                                        bool opens) const {
    storage::IdempotencyTable& table = transaction.store().idempotency();
    if (schedule && schedule->every == core::Millis{0} && schedule->cron.empty()) {
        HEADWAY_CHECK(drop_schedule(table, job, transaction.now()));
        return true;
    }
    if (!opens && !schedule) return true;
    HEADWAY_TRY(const auto known, find_schedule(table, job));
    if (!known && !schedule) return true;
    HEADWAY_TRY(const bool fits, has_room_for_schedule(table, job));
    if (!fits) return false;
    core::PingSchedule now = schedule ? *schedule : known->schedule;
    const bool starts = opens || !known;
    if (!starts) {
        now.reported = known->schedule.reported;
        now.excused = known->schedule.excused;
    } else {
        now.reported = false;
        now.excused = core::kNever;
    }
    if (!starts && known->schedule == now) return true;
    const core::Timestamp at = transaction.now();
    HEADWAY_CHECK(set_schedule(table, job, {now, run, starts ? at : known->started}, at));
    return true;
}

}  // namespace headway::server
