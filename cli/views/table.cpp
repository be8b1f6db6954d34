// SPDX-License-Identifier: Apache-2.0
#include "cli/views/table.hpp"

#include <algorithm>

#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kGap = 2;

std::size_t total(const std::vector<std::size_t>& widths) {
    std::size_t sum = widths.empty() ? 0 : kGap * (widths.size() - 1);
    for (const std::size_t width : widths)
        sum += width;
    return sum;
}

// Takes columns away from the widest flexible column until the table fits or nothing more can go.
void shrink(std::vector<std::size_t>& widths, const std::vector<Column>& columns,
            std::size_t width) {
    while (total(widths) > width) {
        std::size_t widest = columns.size();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const bool can = columns[i].flexible && widths[i] > columns[i].least;
            if (can && (widest == columns.size() || widths[i] > widths[widest])) widest = i;
        }
        if (widest == columns.size()) return;
        --widths[widest];
    }
}

void add_line(std::string& out, const std::vector<Cell>& cells,
              const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string text = crop(cells[i].text, widths[i]);
        const bool last = i + 1 == cells.size();
        const std::string padded = last ? text : pad(text, widths[i] + kGap);
        if (cells[i].color.empty()) {
            line += padded;
        } else {
            line += std::string(cells[i].color) + text + std::string(kColorReset);
            line += padded.substr(text.size());
        }
    }
    while (line.ends_with(' '))
        line.pop_back();
    out += line + "\n";
}

}  // namespace

std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<Cell>>& rows, std::size_t width) {
    std::vector<std::size_t> widths;
    std::vector<Cell> head;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::size_t needed = width_of(columns[i].title);
        for (const std::vector<Cell>& row : rows) {
            needed = std::max(needed, width_of(row[i].text));
        }
        widths.push_back(needed);
        head.push_back({columns[i].title, {}});
    }
    if (width > 0) shrink(widths, columns, width);

    std::string out;
    add_line(out, head, widths);
    for (const std::vector<Cell>& row : rows)
        add_line(out, row, widths);
    return out;
}

}  // namespace headway::cli
