// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cli/console.hpp"
#include "cli/options.hpp"

namespace headway::cli {

/// The command line in words of the program; without a command, everything is said and `exit_code`
/// is final.
struct Parsed {
    std::optional<Command> command;
    int exit_code = 0;
};

/// Reads the command line and prints help or what is wrong with it. Changes nothing else.
Parsed parse_arguments(int argc, const char* const* argv, const Console& console);

}  // namespace headway::cli
