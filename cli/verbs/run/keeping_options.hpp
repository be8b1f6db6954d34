// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cli/line/verb.hpp"
#include "cli/verbs/run/run.hpp"

// The options of `headway run --keep-going`.

namespace headway::cli {

void declare_keeping(Arguments& arguments, RunOptions& options);

/// The fault in these options; nothing if they are good.
std::optional<Mistake> keeping_fault(const RunOptions& options);

}  // namespace headway::cli
