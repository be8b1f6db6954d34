// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "storage/store/store.hpp"

namespace headway::storage {

/// Folds the events of a journal row, of which the first is number `first`. Folding asserts the
/// order, so what a database says is checked for it before. Error: kStorageCorrupt.
core::Result<> fold_row(StoredSession& stored, std::uint64_t first,
                        std::span<const core::Event> events);

}  // namespace headway::storage
