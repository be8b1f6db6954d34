// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace headway::cli {

/// Turns a command's output into bounded evidence: the newest lines since the last report, and the
/// number of lines left out. Text that a carriage return overwrote is not shown, and escape
/// sequences are dropped. Memory is bounded, whatever is written. Pure.
class OutputLines {
public:
    static constexpr std::size_t kLinesMax = 20;
    static constexpr std::size_t kLineBytesMax = 500;

    void feed(std::string_view bytes);

    /// The text to report; the count then starts again. Nothing if no line was completed; with
    /// `all`, an unfinished last line is included.
    std::optional<std::string> take(bool all);

private:
    void complete_line();

    std::string current_;     // the beginning of the line that is being written
    bool overwrite_ = false;  // a carriage return came: the next text begins the line again
    std::deque<std::string> lines_;
    std::uint64_t left_out_ = 0;
};

}  // namespace headway::cli
