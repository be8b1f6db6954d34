// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

namespace headway::cli {

/// A verb's output streams and their properties. `out` is for results, `err` for messages to the
/// person.
struct Console {
    std::ostream& out;
    std::ostream& err;
    std::map<std::string, std::string> environment;
    bool in_terminal = false;   ///< a person can answer
    bool out_terminal = false;  ///< `out` is a terminal
    bool err_terminal = false;
    bool color = false;     ///< `out` is a terminal and NO_COLOR is not set
    std::size_t width = 0;  ///< terminal columns of `out`; 0: not a terminal, do not crop
};

/// The console of this process: standard streams, environment, terminal size.
Console standard_console();

/// Prints "headway: <what>" and, on its own line, `next_step`. Returns `exit_code` so that callers
/// can return it.
int complain(const Console& console, int exit_code, std::string_view what,
             std::string_view next_step = {});

/// True if the person at the terminal answers yes.
bool confirmed(const Console& console, std::string_view question);

}  // namespace headway::cli
