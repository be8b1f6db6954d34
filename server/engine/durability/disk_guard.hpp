// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "server/engine/base/settings.hpp"
#include "server/time/clock.hpp"
#include "storage/base/disk_space.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// Decides whether data may be written. It may not if the disk is full, a sync has failed, or the
/// database files were moved or truncated.
///
/// While free space is below a watermark, reports are refused. The rest of the space is kept for
/// the commands and decisions of people, and for the deletions of retention. If SQLite itself finds
/// no space, it cannot even delete: then the ballast file is deleted, and nothing is written until
/// a probe succeeds. Reports are accepted again when the free space and the ballast are restored,
/// or when deleted rows have left as much space inside the database. Engine thread only.
class DiskGuard {
public:
    struct Effects {
        EngineReport report;
        /// Called when reports are refused, so that no agent is judged silent because of the
        /// refusal.
        std::function<void()> unheard;
        /// Publishes the figures; `fatal` is the reason why the daemon must end now, or empty.
        std::function<void(std::string fatal)> announce;
    };

    DiskGuard(storage::Store& store, Effects effects) : store_(store), on_(std::move(effects)) {}

    /// Makes this object refuse reports while less than `free_min` bytes of `space` are free.
    /// Without this call, reports are refused only when nothing can be written. `space` must
    /// outlive this object.
    void watch(storage::DiskSpace& space, std::uint64_t free_min);

    /// Checks the free space: at each call if `writes` is true, otherwise from time to time.
    void look_at_space(bool writes);
    /// Checks the files, as often as look_at_space() checks the space. A renamed database is not
    /// fatal: writes are refused until it has its name back, and its content can be saved
    /// meanwhile, since this process has it open. A truncated file is fatal.
    void look_at_files(bool writes);

    /// Why nothing can be written now, or empty.
    std::optional<core::Error> closed();
    /// Why a report is refused for lack of space, or empty.
    std::optional<core::Error> no_room();

    /// Handles a failed write. A failed sync or a truncated file is fatal, because a new process
    /// must read the files.
    void note_failure(const core::Error& error);
    /// Called when a transaction was rolled back.
    void set_failed() { failed_ = true; }
    /// Called when a commit succeeded.
    void set_committed() { failed_ = false; }
    /// Called when a probe has succeeded after the disk was full or a commit failed.
    void set_recovered();

    /// True if the last commit succeeded and the next one may succeed.
    bool writable() const noexcept { return !failed_ && !is_closed(); }
    bool full() const noexcept { return full_; }
    bool sync_failed() const noexcept { return sync_failed_; }
    bool misplaced() const noexcept { return misplaced_; }
    /// True if nothing can be written now.
    bool is_closed() const noexcept { return full_ || sync_failed_ || misplaced_; }
    bool short_of_space() const noexcept { return short_of_space_; }
    /// True if another probe of a full disk is due.
    bool may_probe() const;
    std::uint64_t free_bytes() const noexcept { return free_bytes_; }
    std::uint64_t refused() const noexcept { return refused_; }

private:
    std::uint64_t bytes_in_log() const;
    bool enough_space(std::uint64_t free, std::uint64_t wanted) const;
    std::string space_line(std::uint64_t free) const;
    void fill_up();

    storage::Store& store_;
    Effects on_;
    storage::DiskSpace* space_ = nullptr;
    std::uint64_t free_min_ = 0;
    std::uint64_t free_bytes_ = 0;  ///< free disk space at the last check
    std::uint64_t refused_ = 0;     ///< refused reports
    bool failed_ = false;           ///< the last transaction was rolled back
    bool short_of_space_ = false;
    /// SQLite found no space: nothing is written until a probe succeeds.
    bool full_ = false;
    bool inside_full_ = false;  ///< full_ is set, and there was no ballast to delete
    bool sync_failed_ = false;  ///< nothing may be written any more
    bool misplaced_ = false;    ///< nothing is written until the database has its name again
    Clock::Steady::time_point files_looked_at_{};
    Clock::Steady::time_point looked_at_{};
    Clock::Steady::time_point probe_at_{};
};

}  // namespace headway::server
