// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/values/ping_schedule.hpp"
#include "server/engine/transaction/transaction.hpp"

// Pings: jobs that say by a URL alone that they start, end or fail.

namespace headway::server {

enum class PingKind : std::uint8_t { kStart, kSuccess, kFail, kLog };

/// The newest run of a job that does not tell its runs apart; the one to come if that has ended and
/// `next`. Only the newest is loaded.
core::Result<std::string> run_in_force(Reader& reader, const std::string& job, bool next);
/// Opens a run of the job. With a `rid` it is no newest run. Writes.
core::Result<> open_run(Transaction& transaction, const std::string& job, const std::string& run,
                        const std::string& rid);

/// The ping was taken, or said what was known.
struct Pinged {};

/// Reports one ping of a job. A run of the job is a session with one call in flight, so that no
/// time makes it silent: `<job>.<rid>` where the job tells its runs apart, else `<job>`, and
/// `<job>~2` and so on for the runs that follow. An end without a start is a run of its own.
/// Errors: kSessionEnded for a log line behind the end of the run that it names; kOverloaded when
/// too many pings of the same turn have ended runs: the same ping again is right.
struct PingCommand {
    std::string job;
    std::string rid;  ///< of the run, or empty
    PingKind kind = PingKind::kSuccess;
    std::uint32_t exit_status = 0;  ///< exit status of a kFail; 0: none was reported
    std::string text;               ///< without secrets
    /// Of the job from now on; without `every` and `cron` it has none any more.
    std::optional<core::PingSchedule> schedule = {};
    std::string target = {};              ///< set by name(): the session of the run
    std::vector<std::string> spare = {};  ///< the same: the next ones, for this turn

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<Pinged> operator()(Transaction& transaction);

private:
    core::Result<> check_schedule(Transaction& transaction, const std::string& run) const;
    core::Result<bool> keep_schedule(Transaction& transaction, const std::string& run,
                                     bool opens) const;
    core::Result<std::string> run_in_turn(Transaction& transaction) const;
};

}  // namespace headway::server
