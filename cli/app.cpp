// SPDX-License-Identifier: Apache-2.0
#include "cli/app.hpp"

#include <exception>

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"

namespace headway::cli {

int run(int argc, char** argv, const Server& server) {
    const Console console = standard_console();
    try {
        const Parsed parsed = parse_arguments(argc, argv, console);
        if (!parsed.verb) return parsed.exit_code;
        return parsed.verb->run(console, server);
    } catch (const std::exception& error) {
        return complain(console, kExitFailed, error.what());
    }
}

}  // namespace headway::cli
