// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/disk_guard.hpp"

#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
namespace limits = core::limits;

/// Interval of checks of the database files while nothing is written.
constexpr std::chrono::milliseconds kFilesLookEvery{250};
constexpr std::uint64_t kPageBytes = 8192;  ///< of a database; old ones have half

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

void DiskGuard::watch(storage::DiskSpace& space, std::uint64_t free_min) {
    space_ = &space;
    free_min_ = free_min;
}

/// The log needs the same space again in the database.
std::uint64_t DiskGuard::bytes_in_log() const {
    return static_cast<std::uint64_t>(store_.wal_pages()) * kPageBytes;
}

void DiskGuard::look_at_space(bool writes) {
    const auto now = Clock::steady();
    if (space_ == nullptr || (!writes && now < looked_at_ + limits::kSpaceLookEvery)) return;
    looked_at_ = now;
    auto free = space_->free_bytes();
    if (!free) return;
    free_bytes_ = *free;
    *free -= std::min(*free, bytes_in_log());
    // Hysteresis: more than the watermark that it fell below.
    const std::uint64_t wanted = short_of_space_ ? free_min_ + free_min_ / 8 : free_min_;
    // Requires the size of the ballast on top, which was just deleted to make room.
    if (!space_->reserved() && space_->reserve(std::max(wanted, space_->size())))
        on_.report(false, "the reserve on the disk is held again");
    const bool enough = enough_space(*free, wanted);
    if (short_of_space_) on_.unheard();
    if (enough != short_of_space_) return;
    short_of_space_ = !enough;
    if (enough) inside_full_ = false;
    on_.report(!enough, (enough ? "reports are taken again: " : "reports are refused: ") +
                            space_line(*free));
    on_.announce({});
}

std::string DiskGuard::space_line(std::uint64_t free) const {
    return mebibytes(free) + " are left on the disk and " + mebibytes(store_.reusable_bytes()) +
           " inside the database, storage.free_space_min is " + mebibytes(free_min_) +
           ", the reserve of " + mebibytes(space_->size()) +
           (space_->reserved() ? " is held" : " is not held");
}

/// True if there is enough space: on the disk with the ballast in place, or inside the database
/// from deleted rows, which new rows reuse.
bool DiskGuard::enough_space(std::uint64_t free, std::uint64_t wanted) const {
    if (space_->reserved() && free >= wanted) return true;
    if (inside_full_) return false;
    const std::uint64_t reusable = store_.reusable_bytes();
    return reusable > 0 && reusable >= wanted + (space_->reserved() ? 0 : space_->size());
}

void DiskGuard::look_at_files(bool writes) {
    const auto now = Clock::steady();
    if (sync_failed_ || (!writes && now < files_looked_at_ + kFilesLookEvery)) return;
    files_looked_at_ = now;
    const auto found = store_.look_at_files();
    if (!found) note_failure(found.error());
    const bool misplaced = !found && !sync_failed_;
    if (misplaced == misplaced_) return;
    misplaced_ = misplaced;
    on_.report(misplaced, misplaced
                              ? found.error().detail
                              : "the database is back under its name; reports are taken again");
    on_.announce({});
}

void DiskGuard::note_failure(const Error& error) {
    if (error.code == ErrorCode::kStorageFull) fill_up();
    if (error.code != ErrorCode::kStorageSyncFailed || sync_failed_) return;
    sync_failed_ = true;
    const bool moved = !store_.look_at_files();
    on_.announce(moved ? error.detail
                       : "the disk failed to sync (" + error.detail +
                             "); what was acknowledged is stored");
}

void DiskGuard::fill_up() {
    if (space_ == nullptr) return;
    full_ = true;
    const bool had_reserve = space_->release();
    if (had_reserve) {
        on_.report(true, "the disk is full; the reserve is given up, so that old sessions can go");
    } else {
        inside_full_ = inside_full_ || !space_->reserved();
    }
    short_of_space_ = short_of_space_ || had_reserve;
    probe_at_ = Clock::steady();
    if (!had_reserve) probe_at_ += limits::kSpaceProbeEvery;
    on_.announce({});
}

std::optional<Error> DiskGuard::closed() {
    if (sync_failed_) {
        return Error{ErrorCode::kStorageSyncFailed,
                     "the disk failed, or the database was cut; Headway is stopping",
                     {}};
    }
    if (misplaced_) {
        on_.unheard();
        return Error{ErrorCode::kStorageUnavailable,
                     "the database was deleted, renamed or replaced under the running daemon; "
                     "nothing was stored. See the log of the daemon for the way out",
                     {}};
    }
    if (!full_) return std::nullopt;
    on_.unheard();
    return Error{ErrorCode::kStorageFull,
                 "the disk is full; nothing was stored. Free some of it, and send it again",
                 {}};
}

std::optional<Error> DiskGuard::no_room() {
    if (!short_of_space_) return std::nullopt;
    ++refused_;
    on_.unheard();
    // As look_at_space() counts it, or the sentence would contradict itself.
    return Error{ErrorCode::kStorageFull,
                 "the disk has too little room; nothing was stored. Free some of it, and send it "
                 "again (" +
                     space_line(free_bytes_ - std::min(free_bytes_, bytes_in_log())) + ")",
                 {}};
}

void DiskGuard::set_recovered() {
    full_ = false;
    failed_ = false;
}

bool DiskGuard::may_probe() const {
    return !sync_failed_ && !misplaced_ && !(full_ && Clock::steady() < probe_at_);
}

}  // namespace headway::server
