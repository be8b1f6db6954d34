// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/keep_going/resume_plan.hpp"
#include "core/base/result.hpp"
#include "system/file_descriptor.hpp"

// The record of a `headway run --keep-going`: a file runs/SESSION.json in the state directory, by
// which `headway keep-going continue` goes on if the run was killed or the machine went down. It
// has no variable of the environment, no token and no address of a daemon. Any program of the user
// can write it, so each field is checked.

namespace headway::cli {

/// A folder, with the identity that it had when it was recorded.
struct RecordedFolder {
    std::string path;      ///< absolute
    std::string identity;  ///< device and inode; empty: there was none
    std::string lasting;   ///< file system and inode, as a device may change its number at a boot
    bool operator==(const RecordedFolder&) const = default;
};

/// The folder with the identity that it has now.
RecordedFolder recorded_folder(const std::string& path);
/// True if the path names the same folder as when it was recorded. `same_boot`: the machine has not
/// been started since; false: RecordedFolder::lasting may match instead.
bool is_same_folder(const RecordedFolder& folder, bool same_boot);

/// A process of a boot of the machine; a PID alone may be reused.
struct RecordedProcess {
    std::int64_t pid = 0;  ///< 0: none
    std::string began;     ///< process_began()
    std::string boot;      ///< id of the boot
    bool operator==(const RecordedProcess&) const = default;
};

/// The process that has this PID now.
RecordedProcess recorded_process(std::int64_t pid);
/// True if just this process runs; a zombie does not run.
bool is_running(const RecordedProcess& process);
/// True if the machine has not been started since the process was recorded.
bool is_of_this_boot(const RecordedProcess& process);
/// True if the file was changed after the machine started.
bool changed_since_boot(const std::string& path);

/// The wait before the next start.
struct RecordedWait {
    ResumeStep step;
    std::uint64_t stored = 0;  ///< bytes of the stored conversation when the wait began
    bool operator==(const RecordedWait& other) const;
};

enum class RunPhase : std::uint8_t { kRunning, kWaiting, kChecking };

/// The options and the state of one run.
struct RunRecord {
    std::string session;     ///< id under which it began
    std::string mark;        ///< beginning of HEADWAY_RUN of its processes; random, because
                             ///< another daemon may have a session of the same name
    std::string generation;  ///< id of the session that is open
    std::string opened_at;   ///< time of the opening of that session; empty: unknown
    std::vector<std::string> argv;
    RecordedFolder begins_in;
    RecordedFolder works_in;
    RecordedFolder checks_in;
    // Options.
    std::string goal;
    std::vector<std::string> labels;
    ResumeRules rules;
    std::chrono::milliseconds check_most{0};
    std::chrono::milliseconds stay_most{0};
    std::chrono::milliseconds interval{0};  ///< of heartbeats; 0: the daemon's
    std::chrono::milliseconds linger{0};
    std::string check;
    std::string check_dir;
    std::string resume_command;
    std::string resume_text;
    bool quiet = false;
    // State.
    WallTime began{};
    RunPhase phase = RunPhase::kRunning;
    std::string agent;         ///< the agent's own name for itself; empty: not known yet
    std::string conversation;  ///< empty: not known yet
    ResumeCounts counts;
    std::uint64_t starts = 0;  ///< number of starts of the agent
    std::uint64_t checks = 0;
    bool probed = false;  ///< as in KeepGoing
    RecordedWait wait;    ///< if it is waiting
    RecordedProcess run;
    RecordedProcess child;  ///< the agent that was started last
    bool operator==(const RunRecord&) const = default;

    /// No run of the agent begins after this time.
    WallTime latest() const { return began + rules.until; }
};

/// JSON text. Pure.
std::string print_record(const RunRecord& record);
/// The inverse of print_record(). Error: kInvalidField, with the field that is wrong;
/// kInvalidParameter for a version that this program does not know. Pure.
core::Result<RunRecord> read_record(std::string_view text);

/// The record of one run, which one process holds for as long as it keeps the agent going.
class RecordFile {
public:
    /// Holds none: write() and remove() do nothing.
    RecordFile() = default;
    /// Error: kSessionOpen if another process holds it; kInternal if it cannot be held, or the
    /// folder could be written by other users.
    static core::Result<RecordFile> hold(const std::string& state_folder,
                                         const std::string& session);

    bool held() const { return lock_.open(); }
    /// Replaces the file in one step, on the disk too. Error: kInternal; the file is as before.
    core::Result<> write(const RunRecord& record);
    /// The record as it is on the disk now. Errors: kUnknownSession if there is none; those of
    /// read_record(); kInternal for a file that is not this user's alone.
    core::Result<RunRecord> read() const;
    /// Removes the record from the disk. This object then holds none.
    void remove();
    /// Leaves the record on the disk, so that another process can hold it. This object then holds
    /// none.
    void leave();

private:
    std::string path_;
    system::FileDescriptor lock_;
    std::string last_;  ///< text that was written last
};

/// A file of a record, and its content, or why it cannot be read.
struct FoundRecord {
    std::string file;
    core::Result<RunRecord> record;
};

/// Maximum number of records that records_in() returns.
inline constexpr std::size_t kRecordsMost = 1'000;

/// The records in the state directory, by name, at most kRecordsMost of them.
std::vector<FoundRecord> records_in(const std::string& state_folder);
/// The run of this session, or of its open generation, whose process runs and waits. Error:
/// kUnknownSession if there is none.
core::Result<RunRecord> waiting_run(const std::string& state_folder, const std::string& session);
/// Asks a run to end its wait. Error: kInternal if the file cannot be written.
core::Result<> ask_to_start(const std::string& state_folder, const RunRecord& run);
/// True if ask_to_start() was called for this session since the last call of take_start().
bool take_start(const std::string& state_folder, const std::string& session);
/// Path of the file in which a continued run prints, beside its record.
std::string record_log(const std::string& state_folder, const std::string& session);

}  // namespace headway::cli
