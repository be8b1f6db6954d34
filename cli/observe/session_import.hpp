// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/daemon.hpp"
#include "cli/observe/recorded_parts.hpp"
#include "cli/scan/scan_file.hpp"
#include "cli/scan/scanned_session.hpp"

namespace headway::cli {

/// A session whose file has changed within this time may still run.
inline constexpr double kMayRunSeconds = 15 * 60;

/// A stored session and its file.
struct StoredSession {
    const ScannedSession* session = nullptr;
    const StoreFile* file = nullptr;
};

/// Sorts sessions so that a history lists them in the order of their beginnings, and parents before
/// their sub-agents. Changes only `sessions`.
void sort_for_history(std::vector<StoredSession>& sessions);

/// True if the session may still run at `now`, in seconds since 1970. Pure.
bool may_run(const StoredSession& stored, double now);

/// Adds stored sessions to the history of a daemon. Sessions that the daemon knows stay as they
/// are. One thread.
class SessionImport {
public:
    struct Setup {
        bool dry_run = false;  ///< adds nothing; the result shows the sessions that would be added
        double now = 0;        ///< seconds since 1970
        std::function<bool()> stop;
        std::function<void()> step;  ///< called after each session
    };
    struct Result {
        std::size_t added = 0;
        std::size_t events = 0;  ///< events in the sessions added
        std::size_t cut = 0;     ///< sessions added that have more than kRecordedEventsMax events
        std::size_t known = 0;   ///< sessions that the daemon already had
        std::map<std::string, std::size_t> left_out;  ///< number of sessions left out, by reason
        bool stopped = false;
        std::optional<HttpReply> failure;  ///< the reply that ended the import
    };

    SessionImport(Setup setup, Daemon& daemon) : setup_(std::move(setup)), daemon_(daemon) {}

    /// Imports the sessions. Ends early when `stop` returns true between two sessions, and at a
    /// failure. `sessions` must be sorted by sort_for_history().
    Result run(const std::vector<StoredSession>& sessions);

private:
    enum class Has : std::uint8_t { kNothing, kAll, kPart };

    void take(const StoredSession& stored);
    void try_to_begin(RecordedParts& parts);
    std::optional<Has> look(const std::string& session);
    bool send(const std::string& session, const std::string& part);
    std::nullopt_t fail_with_stranger(HttpReply&& reply);
    void leave_out(const std::string& why) { ++result_.left_out[why]; }
    template <class Request>
    HttpReply persist(const Request& request);

    const Setup setup_;
    Daemon& daemon_;
    Result result_;
    std::string refused_;  ///< why the daemon does not take this session
    bool was_known_ = false;
};

}  // namespace headway::cli
