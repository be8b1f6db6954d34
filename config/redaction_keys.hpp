// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/keys.hpp"

namespace headway::config {

/// Appends the keys of [redaction] to the table of keys.
void add_redaction_keys(std::vector<Key>& table);

}  // namespace headway::config
