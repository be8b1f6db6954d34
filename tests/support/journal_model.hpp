// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/gen.hpp"

namespace headway::tests {

/// Drives a store at random like the engine, and remembers what the store acknowledged: the
/// oracle of tests that break the disk.
class JournalModel {
public:
    explicit JournalModel(std::uint64_t seed) : gen_(seed) {}

    /// One step: reports, sessions that open and end, snapshots, checkpoints, deletions. A failed
    /// step is rolled back and changes nothing here either; but after kStorageSyncFailed it may be
    /// on the disk or not, and no further step can be taken.
    core::Result<> step(storage::SqliteStore& store, const FaultyDisk& disk);

    /// Errors of a store that was opened on the files left at `moment`, empty when there are none:
    /// it must be as after one of the commits, no earlier than the last one that was acknowledged
    /// by then, with every event of every session as it was.
    std::string faults(storage::SqliteStore& store, std::size_t moment) const;

    std::size_t commits() const { return commits_.size(); }
    /// Events that were acknowledged in all.
    std::size_t events() const;

private:
    struct Agent {
        core::Session session;
        storage::SessionKey key = 0;
        storage::Chain chain;
        storage::EventIds new_ids;
        bool dirty = true;
    };
    using Heads = std::map<std::string, std::uint64_t>;
    static constexpr std::size_t kNobodyKnows = SIZE_MAX;  ///< whether a commit was done
    struct Commit {
        std::size_t begun = 0;  ///< moments of the disk
        std::size_t done = 0;
        Heads heads;
    };
    using Agents = std::map<std::string, Agent>;
    using Journals = std::map<std::string, std::vector<core::Event>>;

    core::Result<> write(storage::SqliteStore& store, const FaultyDisk& disk);
    core::Result<> write_some(storage::SqliteStore& store, Agents& agents, Journals& journals);
    core::Result<> append(storage::SqliteStore& store, Agent& agent, Journals& journals,
                          const std::vector<core::Event>& events);
    core::Result<> save(storage::SqliteStore& store);
    core::Result<> remove(storage::SqliteStore& store, const FaultyDisk& disk);
    Heads heads() const;
    std::optional<std::string> read_heads(storage::SqliteStore& store, Heads& heads) const;

    Gen gen_;
    Agents agents_;
    Journals journals_;  ///< also of sessions that were deleted
    std::vector<Commit> commits_;
    int number_ = 0;
};

}  // namespace headway::tests
