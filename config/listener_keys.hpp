// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/keys.hpp"

// Where the daemon listens, and how others get there: the first keys of [server].

namespace headway::config {

/// Appends them to the table of keys.
void add_listener_keys(std::vector<Key>& table);

}  // namespace headway::config
