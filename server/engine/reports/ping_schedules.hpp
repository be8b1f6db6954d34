// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/values/ping_schedule.hpp"
#include "server/engine/base/task.hpp"
#include "server/engine/reports/ping_commands.hpp"
#include "storage/tables/idempotency_table.hpp"

// Schedules of pinging jobs, stored as idempotency keys with names that no client can send. Each
// start of a job writes its schedule again, so that retention keeps the schedule as long as it
// keeps the job's runs.

namespace headway::server {

struct ScheduledJob {
    core::PingSchedule schedule;
    std::string run;  ///< the session of the last start
    core::Timestamp started = core::kNever;
};

inline constexpr std::size_t kPingSchedulesMax = 200;
/// Age at which the list of schedules is written again, so that retention does not delete the list
/// as an old key.
inline constexpr std::chrono::hours kScheduleListFresh{24};

core::Result<std::optional<ScheduledJob>> find_schedule(storage::IdempotencyTable& table,
                                                        const std::string& job);
/// False if kPingSchedulesMax other jobs have a schedule and wait for a start.
core::Result<bool> has_room_for_schedule(storage::IdempotencyTable& table, const std::string& job);
/// Writes the schedule of the job. Precondition: has_room_for_schedule().
core::Result<> set_schedule(storage::IdempotencyTable& table, const std::string& job,
                            const ScheduledJob& scheduled, core::Timestamp now);
/// Deletes the schedule of the job.
core::Result<> drop_schedule(storage::IdempotencyTable& table, const std::string& job,
                             core::Timestamp now);
/// Time by which the job must have started again, including the grace period; kNever: no such time.
core::Timestamp missing_at(const ScheduledJob& job);

/// Handles a job that has not started in time: ends its open run as failed; if no run is open,
/// opens a run and ends it as failed. Does nothing if the job has started meanwhile.
class MissedPing final : public WriteTask {
public:
    /// `began`: the start of this daemon; `heard`: the time since which pings can arrive
    /// without a pause. A job has at least one grace period from the later of the two, even if it
    /// was overdue earlier. Each suspend starts the period again; further restarts of the daemon do
    /// not.
    MissedPing(std::string job, core::Timestamp began, core::Timestamp heard)
        : job_(std::move(job)), began_(began), heard_(heard) {}

    core::Result<> name(Reader& reader, SessionNames& names) override;
    core::Result<bool> is_well_named(Reader&) const override { return true; }
    void report_ids(ReportedIds&) const override {}
    core::Result<> run(Transaction& transaction) override;
    bool fills_disk() const override { return true; }
    void refuse_unstored(Reader&, core::Error error) override { fail(std::move(error)); }
    bool rationed() const override { return false; }
    void arrive(EngineContext&) override {}
    bool delivered() const override { return false; }
    void wait(EngineContext&) override {}
    void keep() override {}
    void restore() override { error_.reset(); }
    void answer(Answers&, const ReplyTo&) override {}  // nothing to reply to: the engine made this
                                                       // task

private:
    const std::string job_;
    const core::Timestamp began_;
    const core::Timestamp heard_;
    std::string target_;  ///< the session to end; set by name()
};

/// Checks the schedules, a few at each call. Engine thread only.
class MissedPings {
public:
    /// The daemon starts. Further calls, after a failure of the store, change nothing.
    void begin(core::Timestamp now) {
        if (began_ == core::kNever) began_ = now;
    }
    /// Checks the next few schedules and returns the overdue jobs. Precondition: begin().
    core::Result<std::vector<std::unique_ptr<MissedPing>>> look(Reader& reader);

private:
    /// Jobs still to be checked in this round; the last one is checked next.
    std::vector<std::string> jobs_;
    core::Timestamp began_ = core::kNever;
};

}  // namespace headway::server
