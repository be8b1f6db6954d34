// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/result.hpp"
#include "core/session_state.hpp"

// Events and snapshots as bytes, as storage/FORMAT.md lays them down. Pure.

namespace headway::storage {

/// Appends the row of consecutive events (their `n` is not written; the row has the first) to
/// `out`.
void encode_events(std::span<const core::Event> events, std::string& out);

/// Whether texts are looked at: one that is no UTF-8 was damaged on the disk, and no JSON could be
/// made of it.
enum class Texts : std::uint8_t { kTaken, kChecked };

/// Numbers them from `first_n`. Error: kStorageCorrupt.
core::Result<std::vector<core::Event>> decode_events(std::string_view bytes, std::uint64_t first_n,
                                                     Texts texts = Texts::kTaken);

/// How many events the row holds. Error: kStorageCorrupt.
core::Result<std::uint64_t> count_events(std::string_view bytes);

std::string encode_state(const core::SessionState& state);

/// Error: kStorageCorrupt, also for a snapshot of another core::kSnapshotVersion; the caller then
/// replays the journal.
core::Result<core::SessionState> decode_state(std::string_view bytes);

std::string encode_approval(const core::Approval& approval);

/// Error: kStorageCorrupt.
core::Result<core::Approval> decode_approval(std::string_view bytes);

}  // namespace headway::storage
