// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <iosfwd>
#include <map>
#include <mutex>
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

/// Messages of a program that must not stop while its standard error is full and not read, as by a
/// pager: those that find no room go out before the next one, or at the end. Any thread.
class Notes {
public:
    explicit Notes(const Console& console) : console_(console) {}
    /// Waits a second for room.
    ~Notes();
    Notes(const Notes&) = delete;
    Notes& operator=(const Notes&) = delete;

    /// complain(); keeps the newest 64 that find no room. Waits a tenth of a second at most.
    void say(std::string what);

private:
    void send(std::chrono::milliseconds patience);

    const Console& console_;
    std::mutex one_by_one_;
    std::deque<std::string> waiting_;
};

/// True if the person at the terminal answers yes.
bool confirmed(const Console& console, std::string_view question);

}  // namespace headway::cli
