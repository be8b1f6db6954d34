// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/observe/observed_events.hpp"
#include "cli/scan/scan_file.hpp"

namespace headway::cli {

/// A stored session that grows. Between two reads, no descriptor is open, and the position is
/// remembered. A file that was truncated or rewritten is read again from its beginning.
class ObservedFile {
public:
    /// `since`: as in ObservedEvents.
    ObservedFile(StoreFile file, double since);

    /// Reads on until `reports` has `reports_max` reports, or to the end of the last whole line.
    /// Error: kBadRequest, with the reason why the file cannot be read.
    core::Result<> read(std::size_t reports_max, std::vector<std::string>& reports);
    /// True if the last read() came to the end.
    bool at_end() const { return at_end_; }
    /// True if the file may have something to read: its inode in `now` is new, or its size in `now`
    /// is not `offset_`.
    bool is_behind(const StoreFile& now) const {
        return now.bytes != offset_ || now.inode != inode_;
    }
    /// Makes the next read() begin at the start of the file. Lines from before the new `since` are
    /// the past.
    void start_over(double since);
    void start_over() { start_over(since_); }

    const StoredAbout& about() const { return reader_->about(); }
    /// about(), with the file's name as the id where its lines have none.
    StoredAbout named_about() const;
    bool is_sub_agent() const { return !about().parent.empty() && !about().fork; }
    const StoreFile& file() const { return file_; }
    /// When the file was created, in nanoseconds since 1970; 0: the file system does not record
    /// this.
    std::int64_t born() const { return born_; }

private:
    StoreFile file_;
    std::int64_t born_;
    double since_;
    std::unique_ptr<StoreReader> reader_;
    ObservedEvents events_;
    std::uint64_t offset_ = 0;  ///< end of the last line that was read
    std::string before_;  ///< the bytes before `offset_`; if the file has other bytes there now, it
                          ///< was rewritten
    std::uint64_t inode_ = 0;
    bool at_end_ = false;
};

}  // namespace headway::cli
