// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "server/engine/commands/family_writes.hpp"
#include "storage/base/keys.hpp"

namespace headway::server {

/// Leaves at most kReceiversPerTurn in `receivers`, those behind `last` first, and returns the
/// others. `last` is then the last one that is left, so that each comes in its turn. Both are
/// ascending without duplicates. Pure; linear.
std::vector<storage::SessionKey> hold_back(std::vector<storage::SessionKey>& receivers,
                                           storage::SessionKey& last);

/// Adds `more`; both are ascending without duplicates. Pure; linear.
void add_receivers(std::vector<storage::SessionKey>& receivers,
                   const std::vector<storage::SessionKey>& more);

}  // namespace headway::server
