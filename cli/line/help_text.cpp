// SPDX-License-Identifier: Apache-2.0
#include "cli/line/help_text.hpp"

#include <algorithm>
#include <vector>

#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kWrappedByHand = 60;  // a shorter line ends because it is meant to

bool is_words(std::string_view line) {
    return !line.empty() && line.front() != ' ' && !line.starts_with("Usage:");
}

// Where a description begins: behind the last gap of two blanks that leaves it some room.
std::size_t hanging_indent(std::string_view line, std::size_t columns) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.substr(0, columns * 2 / 3).rfind("  ");
    if (gap != std::string_view::npos && gap >= first) return gap + 2;
    return first == 2 ? 4 : first;
}

void wrap(std::string_view line, std::size_t columns, std::string& out) {
    const std::size_t indent = hanging_indent(line, columns);
    std::size_t before = 0;  // blanks put before what is left of the line
    while (before + width_of(line) > columns) {
        const std::size_t room = columns - std::min(before, columns);
        const std::size_t words = line.find_first_not_of(' ');
        std::size_t cut = line.rfind(' ', room);
        if (cut == std::string_view::npos || cut < words) cut = line.find(' ', words);
        if (cut == std::string_view::npos) break;
        out.append(before, ' ').append(line.substr(0, line.find_last_not_of(' ', cut) + 1));
        out += '\n';
        line.remove_prefix(std::min(line.find_first_not_of(' ', cut), line.size()));
        before = indent;
    }
    out.append(before, ' ').append(line);
    out += '\n';
}

}  // namespace

std::string wrap_help(std::string_view help, std::size_t columns) {
    std::string out;
    std::string paragraph;
    std::size_t last = 0;  // columns of the line that the paragraph ends with
    const auto flush = [&] {
        if (!paragraph.empty()) wrap(paragraph, columns, out);
        paragraph.clear();
    };
    for (const std::string& line : lines_of(help)) {
        if (!is_words(line)) {
            flush();
            wrap(line, columns, out);
            continue;
        }
        if (last < kWrappedByHand) flush();
        paragraph += (paragraph.empty() ? "" : " ") + line;
        last = width_of(line);
    }
    flush();
    return out;
}

}  // namespace headway::cli
