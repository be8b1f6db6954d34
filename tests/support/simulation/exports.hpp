// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/events/event.hpp"

namespace headway::tests {

/// Numbers and verdicts.
using Verdicts = std::vector<std::pair<std::uint64_t, core::Verdict>>;

/// Those that were served.
Verdicts verdicts_of(const std::vector<core::Event>& journal);

/// Those that `headway replay` gives of the journal's export.
Verdicts judged_export(const std::string& session, const std::vector<core::Event>& journal);

}  // namespace headway::tests
