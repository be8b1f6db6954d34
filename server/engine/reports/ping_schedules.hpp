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

// Schedules of jobs that ping, kept among the idempotency keys under names that no client can send.
// A start of the job writes its own again, so that it lives as long as its runs.

namespace headway::server {

struct ScheduledJob {
    core::PingSchedule schedule;
    std::string run;  ///< the session of the last start
    core::Timestamp started = core::kNever;
};

inline constexpr std::size_t kPingSchedulesMax = 200;
/// The list is written again this often, for retention deletes what is old.
inline constexpr std::chrono::hours kScheduleListFresh{24};

core::Result<std::optional<ScheduledJob>> find_schedule(storage::IdempotencyTable& table,
                                                        const std::string& job);
/// False when kPingSchedulesMax other jobs wait for a start by their schedules.
core::Result<bool> has_room_for_schedule(storage::IdempotencyTable& table, const std::string& job);
/// Writes the schedule of the job, which has room for it.
core::Result<> set_schedule(storage::IdempotencyTable& table, const std::string& job,
                            const ScheduledJob& scheduled, core::Timestamp now);
/// Writes.
core::Result<> drop_schedule(storage::IdempotencyTable& table, const std::string& job,
                             core::Timestamp now);
/// By when it has to have started again, with its grace; kNever: by no time.
core::Timestamp missing_at(const ScheduledJob& job);

/// A job has not started by its time: its open run, or one that is made for that, ends as failed.
/// Does nothing when it has started meanwhile.
class MissedPing final : public WriteTask {
public:
    /// `attended`: since when pings can come. One grace from there on is given for each start that
    /// is due, however often the daemon begins.
    MissedPing(std::string job, core::Timestamp attended)
        : job_(std::move(job)), attended_(attended) {}

    core::Result<> name(Reader& reader, SessionNames& names) override;
    core::Result<bool> is_well_named(Reader&) const override { return true; }
    void report_ids(ReportedIds&) const override {}
    core::Result<> run(Transaction& transaction) override;
    bool fills_disk() const override { return true; }
    bool rationed() const override { return false; }
    void arrive(EngineContext&) override {}
    bool delivered() const override { return false; }
    void wait(EngineContext&) override {}
    void keep() override {}
    void restore() override { error_.reset(); }
    void answer(Answers&, const ReplyTo&) override {}  // the engine asked

private:
    const std::string job_;
    const core::Timestamp attended_;
    std::string target_;  ///< the session that it ends; set by name()
};

/// Looks through the schedules, some at each call. Engine thread only.
class MissedPings {
public:
    /// The jobs that are due among the next ones.
    core::Result<std::vector<std::unique_ptr<MissedPing>>> look(Reader& reader);

private:
    std::vector<std::string> jobs_;  ///< of this round; the rest of it at the end
    core::Timestamp began_ = core::kNever;
};

}  // namespace headway::server
