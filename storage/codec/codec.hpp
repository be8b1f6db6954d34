// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/budgets/expectations.hpp"
#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

// Binary encoding of events and snapshots (storage/FORMAT.md). Functions change only arguments.

namespace headway::storage {

/// Encodes consecutive events as one row, and appends the row to `out`. The numbers Event::n are
/// not encoded, because a column of the row has the first number.
void encode_events(std::span<const core::Event> events, std::string& out);

/// Decodes a row and numbers its events from `first_n` on. Error: kStorageCorrupt.
core::Result<std::vector<core::Event>> decode_events(std::string_view bytes, std::uint64_t first_n);

/// True if the row begins with a version that this program does not know.
bool is_newer_row(std::string_view bytes);

/// Number of events in the row. Error: kStorageCorrupt.
core::Result<std::uint64_t> count_events(std::string_view bytes);

std::string encode_state(const core::SessionState& state);

/// Error: kStorageCorrupt, also if the snapshot has another core::kSnapshotVersion. After an error,
/// the caller replays the journal.
core::Result<core::SessionState> decode_state(std::string_view bytes);

std::string encode_approval(const core::Approval& approval);

/// Error: kStorageCorrupt.
core::Result<core::Approval> decode_approval(std::string_view bytes);

std::string encode_use_sketches(const core::UseSketches& sketches);
std::string encode_sketch(const core::Sketch& sketch);

/// Error: kStorageCorrupt. The caller must check the sketches with is_valid().
core::Result<core::UseSketches> decode_use_sketches(std::string_view bytes);
core::Result<core::Sketch> decode_sketch(std::string_view bytes);

}  // namespace headway::storage
