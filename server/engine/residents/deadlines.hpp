// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The next deadline of each session, in one heap with at most one live entry (about 64 bytes) for
/// each session. Most heartbeats only postpone the deadline, so a later deadline is not put into
/// the heap: the existing entry fires early, and the session's deadline is then computed again.
class Deadlines {
public:
    /// Ensures that `key` fires at `at` or earlier. kNever is ignored.
    void schedule(storage::SessionKey key, core::Timestamp at);

    /// Removes and returns the next key that is due at `now`, if any.
    std::optional<storage::SessionKey> pop_due(core::Timestamp now);

    /// The time of the earliest entry, if any.
    std::optional<core::Timestamp> next() const;

    void clear();

private:
    using Entry = std::pair<core::Timestamp, storage::SessionKey>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
    std::unordered_map<storage::SessionKey, core::Timestamp> live_;
};

}  // namespace headway::server
