// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "storage/store/store.hpp"

namespace headway::storage {

/// Folds the events of a journal row; `first` is the number of its first event. First checks the
/// order, which folding asserts, since the database may be damaged. Error: kStorageCorrupt.
core::Result<> fold_row(StoredSession& stored, std::uint64_t first,
                        std::span<const core::Event> events);

}  // namespace headway::storage
