// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/ping_schedules.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/text/text.hpp"
#include "core/values/cause.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/time/local_day.hpp"

namespace headway::server {
namespace {

using core::Result;
using storage::IdempotencyTable;

constexpr std::string_view kAllSchedules = "\x1fping-schedules";
/// Schedules that are read in one look: about 100 us.
constexpr std::size_t kSchedulesLookedAt = 10;

std::string schedule_key(const std::string& job) {
    return "\x1fping-schedule/" + job;
}

std::vector<std::string> lines_of_list(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.emplace_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

Result<std::vector<std::string>> scheduled_jobs(IdempotencyTable& table) {
    HEADWAY_TRY(const auto list, table.find_key(kAllSchedules));
    return list ? lines_of_list(list->fingerprint) : std::vector<std::string>{};
}

Result<> write_list(IdempotencyTable& table, const std::vector<std::string>& jobs,
                    core::Timestamp now) {
    std::string text;
    for (const std::string& job : jobs)
        text += job + "\n";
    return table.add_key(kAllSchedules, {text, "-"}, now);
}

core::SessionEnded missed_end(const ScheduledJob& job, bool open) {
    core::SessionEnded end;
    end.outcome = core::Outcome::kFailed;
    end.automatic = true;
    end.code = core::kMissing;
    const core::Timestamp due = missing_at(job);
    core::PingSchedule schedule = job.schedule;
    schedule.excused = core::kNever;
    end.reason = core::bounded_text(
        std::string{open ? "it has not ended, and has not started again" : "it has not started"} +
        " by " + core::minute_text(due) + " (" + core::print_schedule(schedule) +
        "; last start at " + core::minute_text(job.started) + ")");
    return end;
}

}  // namespace

Result<std::optional<ScheduledJob>> find_schedule(IdempotencyTable& table, const std::string& job) {
    std::optional<ScheduledJob> found;
    HEADWAY_TRY(const auto key, table.find_key(schedule_key(job)));
    const auto schedule = key ? core::read_schedule(key->fingerprint) : std::nullopt;
    if (schedule) found = ScheduledJob{*schedule, key->session, key->at};
    return found;
}

/// The jobs of the list that have not been reported as missing since their last start. A start of
/// another one adds it again.
Result<std::vector<std::string>> waiting_jobs(IdempotencyTable& table,
                                              std::vector<std::string> jobs) {
    std::vector<std::string> waiting;
    for (std::string& job : jobs) {
        HEADWAY_TRY(const auto found, find_schedule(table, job));
        if (found && !found->schedule.reported) waiting.push_back(std::move(job));
    }
    return waiting;
}

Result<bool> has_room_for_schedule(IdempotencyTable& table, const std::string& job) {
    HEADWAY_TRY(std::vector<std::string> jobs, scheduled_jobs(table));
    if (jobs.size() < kPingSchedulesMax || std::find(jobs.begin(), jobs.end(), job) != jobs.end())
        return true;
    HEADWAY_TRY(const auto waiting, waiting_jobs(table, std::move(jobs)));
    return waiting.size() < kPingSchedulesMax;
}

Result<> set_schedule(IdempotencyTable& table, const std::string& job,
                      const ScheduledJob& scheduled, core::Timestamp now) {
    HEADWAY_TRY(const auto list, table.find_key(kAllSchedules));
    std::vector<std::string> jobs =
        list ? lines_of_list(list->fingerprint) : std::vector<std::string>{};
    const bool known = std::find(jobs.begin(), jobs.end(), job) != jobs.end();
    if (!known && jobs.size() >= kPingSchedulesMax) {
        HEADWAY_TRY(jobs, waiting_jobs(table, std::move(jobs)));
    }
    if (!known) jobs.push_back(job);
    if (!known || now - list->at > kScheduleListFresh) HEADWAY_CHECK(write_list(table, jobs, now));
    return table.add_key(schedule_key(job),
                         {core::print_schedule(scheduled.schedule), scheduled.run},
                         scheduled.started);
}

Result<> drop_schedule(IdempotencyTable& table, const std::string& job, core::Timestamp now) {
    HEADWAY_TRY(std::vector<std::string> jobs, scheduled_jobs(table));
    if (std::erase(jobs, job) == 0) return {};
    HEADWAY_CHECK(write_list(table, jobs, now));
    return table.add_key(schedule_key(job), {"off", "-"}, now);
}

core::Timestamp missing_at(const ScheduledJob& job) {
    const core::Timestamp due = core::next_start(job.schedule, job.started, local_offset);
    return due == core::kNever ? due : due + job.schedule.grace;
}

Result<> MissedPing::name(Reader& reader, SessionNames& names) {
    target_.clear();
    HEADWAY_TRY(const auto found, find_schedule(reader.store().idempotency(), job_));
    if (!found) return {};
    target_ = found->run;
    HEADWAY_TRY(const Resident* resident, reader.find(target_));
    if (resident == nullptr || resident->session.state().ended()) {
        HEADWAY_TRY(target_, run_in_force(reader, job_, true));
        return name_opening(reader, names, target_);
    }
    names.push_back(target_);
    return {};
}

Result<> MissedPing::run(Transaction& transaction) {
    IdempotencyTable& table = transaction.store().idempotency();
    HEADWAY_TRY(auto found, find_schedule(table, job_));
    if (!found || found->schedule.reported || target_.empty()) return {};
    const core::Timestamp due = missing_at(*found);
    if (due == core::kNever || due > transaction.now()) return {};
    core::Timestamp& excused = found->schedule.excused;
    // Again after each suspend: a laptop may wake for seconds in between. After a restart only
    // once: a daemon that crashes again and again would never report anything.
    const core::Timestamp graced = std::max(began_, heard_) + found->schedule.grace;
    const bool again = heard_ > began_ && graced > excused;
    if (graced > transaction.now() && (excused == core::kNever || again)) {
        excused = graced;
        return set_schedule(table, job_, *found, transaction.now());
    }
    if (excused != core::kNever && excused > transaction.now()) return {};
    HEADWAY_TRY(Resident * resident, transaction.find(target_));
    const bool open = resident != nullptr && !resident->session.state().ended();
    if (resident != nullptr && !open) return {};             // it began meanwhile: at the next look
    if (open && is_supervised(resident->session.state())) {  // its command ends it
        found->schedule.reported = true;
        return set_schedule(table, job_, *found, transaction.now());
    }
    if (!open) {
        HEADWAY_CHECK(open_run(transaction, job_, target_, {}));
        HEADWAY_TRY(resident, transaction.find(target_));
    }
    std::vector<core::Event> reported(1);
    reported.front().payload = missed_end(*found, open);
    HEADWAY_CHECK(resident->session.admit(reported));
    std::vector<core::Event>& events = transaction.events();
    resident->session.report(reported, transaction.context(), events);
    HEADWAY_CHECK(transaction.append(*resident, events));
    found->schedule.reported = true;
    return set_schedule(table, job_, {found->schedule, target_, transaction.now()},
                        transaction.now());
}

Result<std::vector<std::unique_ptr<MissedPing>>> MissedPings::look(Reader& reader) {
    IdempotencyTable& table = reader.store().idempotency();
    std::vector<std::unique_ptr<MissedPing>> due;
    if (jobs_.empty()) {
        HEADWAY_TRY(jobs_, scheduled_jobs(table));
    }
    for (std::size_t i = 0; i < kSchedulesLookedAt && !jobs_.empty(); ++i) {
        std::string job = std::move(jobs_.back());
        jobs_.pop_back();
        HEADWAY_TRY(const auto found, find_schedule(table, job));
        if (!found || found->schedule.reported) continue;
        const core::Timestamp at = missing_at(*found);
        const core::Timestamp excused = found->schedule.excused;
        const bool waits = excused != core::kNever && excused > reader.now();
        if (at == core::kNever || at > reader.now() || waits) continue;
        // After a suspend, or while reports were refused, pings can arrive only since then.
        const core::Timestamp heard = reader.time().watch.since(found->schedule.grace);
        due.push_back(std::make_unique<MissedPing>(std::move(job), began_, heard));
    }
    return due;
}

}  // namespace headway::server
