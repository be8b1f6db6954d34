// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/gen.hpp"

struct sqlite3_vfs;

namespace headway::tests {

/// A disk in memory, as a file system layer of SQLite, that can break and lose power.
///
/// The fault model: what was synced stays. Any part of the writes to a file since its last sync may
/// be on the disk after a power loss, in any order, down to single sectors of 512 bytes. Folders
/// are journalled: of what was created and deleted since the folder's last sync the first so many
/// changes are there. As with SQLite's own layer for Unix, the first sync of a log syncs the folder
/// too.
class FaultyDisk {
public:
    enum class Operation : std::uint8_t { kOpen, kRead, kWrite, kSync, kTruncate, kDelete, kCount };

    FaultyDisk();
    ~FaultyDisk();
    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;

    /// Its name in SqliteStore::open().
    const std::string& name() const { return name_; }

    /// The `nth` operation of this kind from now, from 1, fails with this code of SQLite; with
    /// `lasting` all that follow too. A failed write is half written. Data that a failed sync
    /// should have brought to the disk can still be read, and never gets there.
    void fail(Operation operation, std::uint64_t nth, int code, bool lasting = false);
    void mend() { fault_.reset(); }
    bool struck() const { return struck_; }
    /// How many there were so far.
    std::uint64_t count(Operation operation) const {
        return counts_[static_cast<std::size_t>(operation)];
    }
    /// From now on a sync says that it was done, and does nothing.
    void lie_about_syncs() { lying_ = true; }

    /// The number of changes so far: a moment at which the power may be cut.
    std::size_t moment() const { return log_.size(); }
    using Files = std::map<std::string, std::string>;
    /// Content of the disk when the power was cut at `moment`, by the chances of `gen`.
    Files after_power_loss(std::size_t moment, Gen& gen) const;
    /// As the programs see it now.
    Files files() const;
    /// A new disk with these files on it, synced.
    void fill(const Files& files);

private:
    friend struct DiskCalls;  ///< what SQLite calls
    using Inode = std::size_t;

    struct Change {
        enum class Kind : std::uint8_t {
            kCreate,
            kWrite,
            kTruncate,
            kSync,
            kLost,
            kDelete,
            kSyncFolder
        };
        Kind kind{};
        Inode inode = 0;
        std::uint64_t at = 0;  ///< offset of a write, size after a truncate
        std::string data;      ///< of a write; the path of a create or delete
    };
    struct Fault {
        Operation operation{};
        std::uint64_t left = 0;
        int code = 0;
        bool lasting = false;
    };
    struct Durable;

    /// The code that this operation fails with, or 0.
    int strikes(Operation operation);
    std::optional<Inode> find(const std::string& path) const;
    Inode create(const std::string& path);
    void apply(const Change& change, Durable& durable) const;

    std::string name_;
    std::unique_ptr<sqlite3_vfs> vfs_;
    std::vector<std::string> contents_;  ///< by inode
    std::map<std::string, Inode> folder_;
    std::vector<Change> log_;
    std::array<std::uint64_t, static_cast<std::size_t>(Operation::kCount)> counts_{};
    std::optional<Fault> fault_;
    bool struck_ = false;
    bool lying_ = false;
};

}  // namespace headway::tests
