// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/values/ping_schedule.hpp"
#include "server/engine/transaction/transaction.hpp"

// Pings: requests to a URL, by which jobs report that they start, end or fail.

namespace headway::server {

enum class PingKind : std::uint8_t { kStart, kSuccess, kFail, kLog };

/// Returns the newest run of a job whose pings have no `rid`; or the run after it, if `next` is
/// true and the newest run has ended. Loads only the newest run.
core::Result<std::string> run_in_force(Reader& reader, const std::string& job, bool next);
/// Opens a run of the job. A run with a `rid` is not recorded as the job's newest run.
core::Result<> open_run(Transaction& transaction, const std::string& job, const std::string& run,
                        const std::string& rid);

/// The result of a ping that was accepted or contained nothing new.
struct Pinged {
    bool unscheduled = false;  ///< there was no room for the job's schedule
};

/// Reports one ping of a job. A run of the job is a session. The session has one call in flight, so
/// that it never becomes silent. The session's id is `<job>.<rid>` if the ping has a `rid`; else it
/// is `<job>`, and `<job>~2` and so on for later runs. An end without a start becomes a separate
/// run. Errors: kSessionEnded for a log line that names a run that has ended; kOverloaded if too
/// many pings in one engine turn ended a run; the client should then repeat the ping.
struct PingCommand {
    std::string job;
    std::string rid;  ///< id of the run, or empty
    PingKind kind = PingKind::kSuccess;
    std::uint32_t exit_status = 0;  ///< exit status of a kFail; 0: not reported
    std::string text;               ///< text of the ping, without secrets
    /// The new schedule of the job. If it has neither `every` nor `cron`, the job's schedule is
    /// removed.
    std::optional<core::PingSchedule> schedule = {};
    std::string target = {};              ///< set by name(): the session of the run
    std::vector<std::string> spare = {};  ///< set by name(): the ids of the next runs, for use in
                                          ///< this turn

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
