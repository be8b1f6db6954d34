// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cli/line/verb.hpp"

namespace headway::cli {

/// The whole command line, and the verbs that a parse fills: `verbs[i]` belongs to `spec.verbs[i]`.
struct Program {
    VerbSpec spec;
    std::vector<std::unique_ptr<Verb>> verbs;
};

/// Declares every verb, in the order in which help lists them.
Program declare_program();

}  // namespace headway::cli
