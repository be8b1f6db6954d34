// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// A full disk, a failed sync, and database files that were moved or truncated.
//
// Below the watermark reports are refused, so that people can still control and decide, and
// retention can still delete. If SQLite itself finds no space, it cannot even delete: then the
// ballast is deleted, and nothing is written until a probe succeeds. Reports are accepted again
// when the space and the ballast are back, or when deleted rows left as much inside the database.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
namespace limits = core::limits;

/// Interval of checks of the database files while nothing is written.
constexpr std::chrono::milliseconds kFilesLookEvery{250};
constexpr std::uint64_t kPageBytes = 8192;  ///< of a database; old ones have half

/// True for commands of agents, which fill a disk.
bool fills_disk(const Command& command) {
    return std::holds_alternative<ReportCommand>(command) ||
           std::holds_alternative<OpenCommand>(command) ||
           std::holds_alternative<AskCommand>(command) ||
           std::holds_alternative<CheckCommand>(command);
}

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

void Supervisor::watch_space(storage::DiskSpace& space, std::uint64_t free_min) {
    space_ = &space;
    free_min_ = free_min;
}

/// Checks the space before each write and periodically.
void Supervisor::look_at_space(bool writes) {
    const auto now = Clock::steady();
    if (space_ == nullptr || (!writes && now < looked_at_ + limits::kSpaceLookEvery)) return;
    looked_at_ = now;
    auto free = space_->free_bytes();
    if (!free) return;
    stats_.free_bytes = *free;
    // The WAL needs the same space again in the database.
    *free -= std::min(*free, static_cast<std::uint64_t>(store_.wal_pages()) * kPageBytes);
    // Hysteresis: more than the watermark that it fell below.
    const std::uint64_t wanted = stats_.short_of_space ? free_min_ + free_min_ / 8 : free_min_;
    // Requires the size of the ballast on top, which was just deleted to make room.
    if (!space_->reserved() && space_->reserve(std::max(wanted, space_->size())))
        report_(false, "the reserve on the disk is held again");
    const bool enough = enough_space(*free, wanted);
    if (stats_.short_of_space) watch_.begin_anew(clock_.now());  // not every report is heard
    if (enough != stats_.short_of_space) return;
    stats_.short_of_space = !enough;
    if (enough) inside_full_ = false;
    report_(!enough,
            (enough ? "reports are taken again: " : "reports are refused: ") + space_line(*free));
    announce();
}

std::string Supervisor::space_line(std::uint64_t free) const {
    return mebibytes(free) + " are left on the disk and " + mebibytes(store_.reusable_bytes()) +
           " inside the database, storage.free_space_min is " + mebibytes(free_min_) +
           ", the reserve of " + mebibytes(space_->size()) +
           (space_->reserved() ? " is held" : " is not held");
}

/// True if there is enough space: on the disk with the ballast in place, or inside the database
/// from deleted rows, which new rows reuse.
bool Supervisor::enough_space(std::uint64_t free, std::uint64_t wanted) const {
    if (space_->reserved() && free >= wanted) return true;
    if (inside_full_) return false;
    const std::uint64_t reusable = store_.reusable_bytes();
    return reusable > 0 && reusable >= wanted + (space_->reserved() ? 0 : space_->size());
}

/// Checks the files before each write and periodically. A renamed database may come back, and its
/// content can be saved while this process has it open: the daemon goes on and refuses writes. A
/// truncated one is fatal.
void Supervisor::look_at_files(bool writes) {
    const auto now = Clock::steady();
    if (sync_failed_ || (!writes && now < files_looked_at_ + kFilesLookEvery)) return;
    files_looked_at_ = now;
    const auto found = store_.look_at_files();
    if (!found) note_failure(found.error());
    const bool misplaced = !found && !sync_failed_;
    if (misplaced == misplaced_) return;
    misplaced_ = misplaced;
    stats_.writable = !misplaced && !full_ && !lost_;
    report_(misplaced, misplaced ? found.error().detail
                                 : "the database is back under its name; reports are taken again");
    announce();
}

/// Handles the consequences of a failed write.
void Supervisor::note_failure(const Error& error) {
    if (error.code == ErrorCode::kStorageFull) fill_up();
    if (error.code != ErrorCode::kStorageSyncFailed || sync_failed_) return;
    sync_failed_ = true;  // or a truncated file: in both cases a new process must read the files
    stats_.writable = false;
    auto publication = std::make_unique<Publication>();
    publication->stats = stats_;
    const bool moved = !store_.look_at_files();
    publication->fatal =
        moved ? error.detail
              : "the disk failed to sync (" + error.detail + "); what was acknowledged is stored";
    publish_(std::move(publication));
}

void Supervisor::fill_up() {
    if (space_ == nullptr) return;
    full_ = true;
    stats_.writable = false;
    const bool had_reserve = space_->release();
    if (had_reserve) {
        report_(true, "the disk is full; the reserve is given up, so that old sessions can go");
    } else {
        inside_full_ = inside_full_ || !space_->reserved();
    }
    stats_.short_of_space = stats_.short_of_space || had_reserve;
    probe_at_ = Clock::steady();
    if (!had_reserve) probe_at_ += limits::kSpaceProbeEvery;
    announce();
}

/// Why nothing can be written now, or empty.
std::optional<Error> Supervisor::closed_disk() {
    if (sync_failed_) {
        return Error{ErrorCode::kStorageSyncFailed,
                     "the disk failed, or the database was cut; Headway is stopping",
                     {}};
    }
    if (misplaced_) {
        watch_.begin_anew(clock_.now());
        return Error{ErrorCode::kStorageUnavailable,
                     "the database was deleted, renamed or replaced under the running daemon; "
                     "nothing was stored. The log of the daemon says what to do",
                     {}};
    }
    if (!full_) return std::nullopt;
    watch_.begin_anew(clock_.now());
    return Error{ErrorCode::kStorageFull,
                 "the disk is full; nothing was stored. Free some of it, and send it again",
                 {}};
}

/// Why this command is refused for lack of space, or empty.
std::optional<Error> Supervisor::no_room(const Command& command) {
    if (!stats_.short_of_space || !fills_disk(command)) return std::nullopt;
    ++stats_.refused_full;
    watch_.begin_anew(clock_.now());  // no agent turns silent because its report was refused
    // As look_at_space() counts it, or the sentence would contradict itself.
    const std::uint64_t in_log = static_cast<std::uint64_t>(store_.wal_pages()) * kPageBytes;
    return Error{ErrorCode::kStorageFull,
                 "the disk has too little room; nothing was stored. Free some of it, and send it "
                 "again (" +
                     space_line(stats_.free_bytes - std::min(stats_.free_bytes, in_log)) + ")",
                 {}};
}

}  // namespace headway::server
