// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/client/daemon.hpp"
#include "cli/held/held_events.hpp"
#include "cli/held/hook_journal.hpp"
#include "cli/observe/copied_reports.hpp"
#include "cli/observe/observed_file.hpp"
#include "cli/observe/store_watch.hpp"

namespace headway::cli {

/// True if a process that this user started with `headway run` works in this folder. The work of
/// such a process is already reported, in the session of `headway run`.
bool is_supervised_in(const std::string& folder);

/// Follows stored sessions as they grow and reports them to a daemon. Files are read only as fast
/// as the daemon takes reports, so that few reports are in memory. One thread.
class Observer {
public:
    struct Setup {
        std::vector<std::string> agents;
        std::map<std::string, std::string> environment;
        /// A file whose last change is older than this is not followed.
        std::chrono::milliseconds recent;
        std::chrono::milliseconds rescan;             ///< time between looks at all files
        std::function<void(const std::string&)> say;  ///< a line for people
    };

    Observer(Setup setup, Daemon& daemon);

    /// Runs until `stop`, a descriptor, becomes readable.
    void run(int stop);

private:
    enum class Step : std::uint8_t { kDone, kMore, kRetry };
    enum class Standing : std::uint8_t {
        kUnknown,
        kOurs,  ///< no other client reports into the session, except for the agent's hooks
        kLeft,  ///< other clients report into the session, or the session has ended
    };
    struct Observed {
        ObservedFile file;
        std::string session{};
        std::string parent{};  ///< the parent's session; empty: none
        Standing standing = Standing::kUnknown;
        std::vector<std::string> reports{};  ///< pending reports, JSON text
        bool in_copy = true;                 ///< see CopiedReports::drop()
        bool changed = true;
        bool looked = false;     ///< it has been checked whether the session was observed before
        bool hooked = false;     ///< the agent's hooks report too, so only events that they do not
                                 ///< report are sent
        bool stands_in = false;  ///< a line for people has reported that hooks are silent
        HeldEvents held{};
        bool catches_up = false;  ///< reads again the lines that were written while another
                                  ///< observer followed the file
        /// While it catches up: event_id of the newest report from this file that the daemon has.
        /// Another observer has sent the earlier reports, or treated their lines as the past.
        std::string newest{};
        HookJournal journal{std::string(kTranscriptEvent), SteadyTime::min()};
        std::vector<std::string> due{};  ///< reports of `held` that hooks have not made
    };

    void look_at_all();
    void take_changes(const StoreWatch::Seen& seen);
    /// The observed files, oldest first, because a fork copies an older file.
    std::vector<Observed*> by_age() {
        std::vector<Observed*> files;
        for (auto& [path, one] : files_)
            files.push_back(&one);
        std::stable_sort(files.begin(), files.end(), [](const Observed* a, const Observed* b) {
            return a->file.born() < b->file.born();
        });
        return files;
    }
    Step advance(Observed& one);
    Step take_reports(Observed& one);
    Step deliver(Observed& one, std::vector<std::string>& reports);
    void begin_hooked(Observed& one);
    Step look_at_hooks(Observed& one);
    static bool is_due(const Observed& one);
    SteadyTime next_due(SteadyTime latest) const;
    Step find_standing(Observed& one);
    Step open_session(Observed& one);
    Step is_refused(Observed& one, const HttpReply& reply, std::size_t sent,
                    std::vector<std::string>& reports);
    Json newest_events(const std::string& session);
    static void skip_known(Observed& one);
    Step leave(Observed& one, const std::string& why);
    static void name(Observed& one);

    const Setup setup_;
    Daemon& daemon_;
    StoreWatch watch_;
    CopiedReports copied_;
    std::map<std::string, Observed> files_;  ///< observed files by path
    bool all_watched_ = true;
    double since_ = 0;  ///< start of the observation, in seconds since 1970
    SteadyTime began_;
};

}  // namespace headway::cli
