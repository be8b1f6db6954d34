// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines/agent_line.hpp"

namespace headway::cli {

/// Finds errors that Gemini CLI and Qwen Code write on standard error only:
/// "Attempt 5 failed: WHY. Retrying after 33741ms...". WHY may have several lines. Other text is
/// ignored. Memory is bounded. Pure.
class RetryNotes {
public:
    static constexpr std::size_t kLineBytesMax = 4'096;
    static constexpr std::size_t kNoteBytesMax = 2'048;
    static constexpr std::size_t kNoteLinesMax = 64;

    /// The errors that these bytes complete.
    std::vector<LineEvent> feed(std::string_view bytes);

private:
    void end_line(std::vector<LineEvent>& errors);

    std::string line_;
    std::string note_;  // text from "Attempt" on; empty: none has begun
    std::size_t lines_ = 0;
};

/// True for Claude Code's words that it ends with work in the background, which it stops: a server,
/// perhaps, for all that they say. Pure.
bool says_end_of_rest(std::string_view lines);

/// The error that the last lines of standard error name, as data of an `error.reported` that ends
/// the turn: the last error, by the line that names its cause if one does, else the last line. An
/// error before it was survived. `of_others`: the agent reports its own errors by lines, so that
/// another process may have written these: no cause that needs a person is taken from them. Null if
/// there is no error. Pure.
Json error_at_end(std::string_view lines, bool of_others = false);

}  // namespace headway::cli
