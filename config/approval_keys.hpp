// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/keys.hpp"

namespace headway::config {

/// Appends the keys of [approvals] to the table of keys.
void add_approval_keys(std::vector<Key>& table);

}  // namespace headway::config
