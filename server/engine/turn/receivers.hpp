// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "server/engine/commands/family_writes.hpp"
#include "storage/base/keys.hpp"

namespace headway::server {

/// Leaves at most kReceiversPerTurn keys in `receivers`, and returns the keys that it removed. Keys
/// greater than `last` are kept first. If keys were removed, `last` becomes the last key kept, so
/// that every key gets its turn. `receivers` and the result are ascending without duplicates.
/// Changes only `receivers` and `last`. Takes linear time.
std::vector<storage::SessionKey> hold_back(std::vector<storage::SessionKey>& receivers,
                                           storage::SessionKey& last);

/// Adds `more` to `receivers`; both are ascending without duplicates. Changes only `receivers`.
/// Takes linear time.
void add_receivers(std::vector<storage::SessionKey>& receivers,
                   const std::vector<storage::SessionKey>& more);

}  // namespace headway::server
