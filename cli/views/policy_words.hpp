// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/line/arguments.hpp"

namespace headway::cli {

/// Adds the option --policy of `replay` and `eval`. policy_of() reads `words`.
inline Argument declare_policy(Arguments& arguments, std::vector<std::string>& words) {
    return arguments
        .option("--policy", words,
                "balanced, strict, or one setting of a session's policy; repeatable")
        .type("PROFILE|KEY=VALUE");
}

}  // namespace headway::cli
