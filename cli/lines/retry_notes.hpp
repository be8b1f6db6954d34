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

/// True if Claude Code reports that it ends and stops its background work. The report does not show
/// whether that work was only a server. Pure.
bool says_end_of_rest(std::string_view lines);

/// The last error in the last lines of standard error, as data of an `error.reported` that ends the
/// turn. Its message is the line that shows the cause of the error, else the line that names the
/// error; if no line names an error, the last line. Earlier errors did not end the agent.
/// `of_others`: the agent reports its own errors in its lines, so another process may have written
/// this text; then an error whose cause needs a person is ignored. Null if there is no error. Pure.
Json error_at_end(std::string_view lines, bool of_others = false);

}  // namespace headway::cli
