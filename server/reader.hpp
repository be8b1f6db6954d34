// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/encode.hpp"
#include "server/messages.hpp"

// State of long queries. They are answered in slices, so that a report waits for one slice at most
// and not for a whole answer.

namespace headway::server {

/// The intended duration of one slice.
inline constexpr std::chrono::microseconds kReaderSlice{1'000};

/// A list in progress, from the newest session down.
struct ListScan {
    bool begun = false;
    bool found = false;                     ///< all of its sessions are found; only output is left
    storage::SessionKey below = 0;          ///< keys below are not searched yet
    storage::SessionKey width = 64;         ///< keys of the next slice
    std::vector<storage::SessionKey> keys;  ///< of the page, and one more if more follow
    std::uint64_t total = 0;
    std::size_t shown = 0;
    std::string body = "{\"sessions\":[";
};

/// A page of a journal in progress.
struct JournalScan {
    bool begun = false;
    api::JournalPage page;
    std::uint64_t low = 0;  ///< rest: events low + 1 to high
    std::uint64_t high = 0;
    std::uint64_t width = 100;  ///< events of the next slice
    std::size_t looked_at = 0;
    std::uint64_t shown = 0;
    std::string body;
};

/// A page of the inbox in progress.
struct InboxScan {
    bool begun = false;
    std::vector<storage::StoredApproval> rows;
    std::size_t looked_at = 0;
    std::string body = "{\"approvals\":[";
};

/// A query with the state of its answer.
struct Reader {
    Request request;
    ListScan list = {};
    JournalScan journal = {};
    InboxScan inbox = {};
};

}  // namespace headway::server
