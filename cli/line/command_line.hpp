// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/base/console.hpp"
#include "cli/line/verb.hpp"

namespace headway::cli {

/// The verb of the command line, with its options; if there is no verb, all output has been
/// printed, and `exit_code` is final.
struct Parsed {
    std::unique_ptr<Verb> verb;
    int exit_code = 0;
};

/// Reads the command line. Prints help, or the mistakes in the command line. Has no other effect.
Parsed parse_arguments(int argc, const char* const* argv, const Console& console);

}  // namespace headway::cli
