// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "storage/store/store.hpp"

namespace headway::storage {

/// Folds the events of a journal row into `stored`; `first` is the number of the row's first event.
/// Before that, the order of the events is checked, because the database may be damaged and the
/// fold only asserts the order. Error: kStorageCorrupt.
core::Result<> fold_row(StoredSession& stored, std::uint64_t first,
                        std::span<const core::Event> events);

}  // namespace headway::storage
