// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

struct Column {
    std::string title;
    bool flexible = false;  ///< may be cropped if the table is too wide; the widest column is
                            ///< cropped first
    std::size_t least = 8;  ///< a flexible column is never cropped below this width
};

struct Cell {
    std::string text;        ///< without control characters
    std::string_view color;  ///< escape sequence or empty; must outlive the call
};

/// A table with a head, each line ending in a line feed, at most `width` columns wide (0: nothing
/// is cropped). Every row has one cell per column. Pure.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<Cell>>& rows, std::size_t width);

}  // namespace headway::cli
