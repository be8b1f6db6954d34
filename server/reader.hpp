// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/encode.hpp"
#include "server/messages.hpp"

// Queries that take more than a moment are answered in slices, so that whoever reports waits for
// one slice and not for an answer.

namespace headway::server {

/// How long one slice should take, as far as it can be told before.
inline constexpr std::chrono::microseconds kReaderSlice{1'000};

/// A list on its way, from the newest session down.
struct ListScan {
    bool begun = false;
    bool found = false;                     ///< all of its sessions; what is left is to show them
    storage::SessionKey below = 0;          ///< what is not looked at yet
    storage::SessionKey width = 64;         ///< keys of the next slice
    std::vector<storage::SessionKey> keys;  ///< of the page, and one more if there are more
    std::uint64_t total = 0;
    std::size_t shown = 0;
    std::string body = "{\"sessions\":[";
};

/// A page of a journal on its way.
struct JournalScan {
    bool begun = false;
    api::JournalPage page;
    std::uint64_t low = 0;  ///< what is left: events low + 1 to high
    std::uint64_t high = 0;
    std::uint64_t width = 100;  ///< events of the next slice
    std::size_t looked_at = 0;
    std::uint64_t shown = 0;
    std::string body;
};

/// A page of the inbox on its way.
struct InboxScan {
    bool begun = false;
    std::vector<storage::StoredApproval> rows;
    std::size_t looked_at = 0;
    std::string body = "{\"approvals\":[";
};

/// Who asked, and how far the answer is.
struct Reader {
    Request request;
    ListScan list = {};
    JournalScan journal = {};
    InboxScan inbox = {};
};

}  // namespace headway::server
