// SPDX-License-Identifier: Apache-2.0
#include "cli/line/help_text.hpp"

#include <algorithm>
#include <vector>

#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kWrappedByHand = 60;  // a shorter line ends because it is meant to
constexpr std::size_t kExampleIndent = 4;

bool is_words(std::string_view line) {
    return !line.empty() && line.front() != ' ' && !line.starts_with("Usage:");
}

// Where a description begins: behind the last gap of two blanks that leaves it some room.
std::size_t hanging_indent(std::string_view line, std::size_t columns) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.substr(0, columns * 2 / 3).rfind("  ");
    if (gap != std::string_view::npos && gap >= first) return gap + 2;
    return first == 2 ? kExampleIndent : first;
}

// The last blank up to `room`, else the first one behind it. A shell would pass on a line break in
// quotes, so a `command` is not cut there.
std::size_t cut_of(std::string_view line, std::size_t room, bool command) {
    std::size_t cut = std::string_view::npos;
    char quote = '\0';
    for (std::size_t i = line.find_first_not_of(' '); i < line.size(); ++i) {
        if (i > room && cut != std::string_view::npos) break;
        const char c = line[i];
        if (quote == '\0' && c == ' ') cut = i;
        if (!command || (c != '"' && c != '\'')) continue;
        if (quote == '\0') {
            quote = c;
        } else if (quote == c) {
            quote = '\0';
        }
    }
    return cut;
}

void wrap(std::string_view line, std::size_t columns, bool example, std::string& out) {
    const std::size_t indent = hanging_indent(line, columns);
    const bool command = example && indent == kExampleIndent;  // without a remark behind it
    const std::string_view mark = command ? " \\" : "";
    std::size_t before = 0;  // blanks put before what is left of the line
    while (before + width_of(line) > columns) {
        const std::size_t cut =
            cut_of(line, columns - std::min(before + mark.size(), columns), command);
        if (cut == std::string_view::npos) break;
        out.append(before, ' ').append(line.substr(0, line.find_last_not_of(' ', cut) + 1));
        out.append(mark) += '\n';
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
    bool example = false;
    const auto flush = [&] {
        if (!paragraph.empty()) wrap(paragraph, columns, false, out);
        paragraph.clear();
    };
    for (const std::string& line : lines_of(help)) {
        if (!is_words(line)) {
            flush();
            example = example && !line.empty();
            if (line.empty() && out.ends_with("\n\n")) continue;
            wrap(line, columns, example, out);
            continue;
        }
        example = line == "Example:" || line == "Examples:";
        if (last < kWrappedByHand) flush();
        paragraph += (paragraph.empty() ? "" : " ") + line;
        last = width_of(line);
    }
    flush();
    return out;
}

}  // namespace headway::cli
