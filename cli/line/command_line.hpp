// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/base/console.hpp"
#include "cli/line/verb.hpp"

namespace headway::cli {

/// The verb that was asked for, with its options; without one, everything is said and `exit_code`
/// is final.
struct Parsed {
    std::unique_ptr<Verb> verb;
    int exit_code = 0;
};

/// Reads the command line and prints help or what is wrong with it. Changes nothing else.
Parsed parse_arguments(int argc, const char* const* argv, const Console& console);

}  // namespace headway::cli
