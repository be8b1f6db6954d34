// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "server/engine/commands/family_writes.hpp"
#include "storage/base/keys.hpp"

namespace headway::server {

/// Keeps at most kReceiversPerTurn keys in `receivers`, preferring keys greater than `last`, and
/// returns the keys that it removed. Sets `last` to the last key kept, so that every key gets its
/// turn. `receivers` and the result are ascending without duplicates. Changes only `receivers` and
/// `last`. Takes linear time.
std::vector<storage::SessionKey> hold_back(std::vector<storage::SessionKey>& receivers,
                                           storage::SessionKey& last);

/// Adds `more` to `receivers`; both are ascending without duplicates. Changes only `receivers`.
/// Takes linear time.
void add_receivers(std::vector<storage::SessionKey>& receivers,
                   const std::vector<storage::SessionKey>& more);

}  // namespace headway::server
