// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/settings/text_diff.hpp"

#include <algorithm>
#include <vector>

#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kDiffersMax = 2'000;
constexpr std::size_t kColumnsMax = 300;

struct DiffLine {
    char sign;
    std::string_view text;
};

std::vector<std::string_view> whole_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

using Lines = std::vector<std::string_view>;

/// How far one comes on each diagonal with `d` differences (Myers, 1986); empty: too many.
std::vector<std::vector<std::size_t>> furthest(const Lines& a, const Lines& b) {
    std::vector<std::vector<std::size_t>> steps;
    const std::size_t most = std::min(kDiffersMax, a.size() + b.size());
    std::vector<std::size_t> reach(2 * most + 3, 0);
    for (std::size_t d = 0; d <= most; ++d) {
        for (std::size_t i = 0; i <= 2 * d; i += 2) {
            const std::size_t k = most + 1 + i - d;  // the diagonal, moved to be positive
            const bool down = i == 0 || (i != 2 * d && reach[k - 1] < reach[k + 1]);
            std::size_t x = down ? reach[k + 1] : reach[k - 1] + 1;
            std::size_t y = x + most + 1 - k;
            while (x < a.size() && y < b.size() && a[x] == b[y]) {
                ++x;
                ++y;
            }
            reach[k] = x;
            if (x >= a.size() && y >= b.size()) {
                steps.emplace_back(reach.begin() + static_cast<std::ptrdiff_t>(most - d),
                                   reach.begin() + static_cast<std::ptrdiff_t>(most + d + 3));
                return steps;
            }
        }
        steps.emplace_back(reach.begin() + static_cast<std::ptrdiff_t>(most - d),
                           reach.begin() + static_cast<std::ptrdiff_t>(most + d + 3));
    }
    return {};
}

/// The lines of both, from the last to the first.
std::vector<DiffLine> walk_back(const Lines& a, const Lines& b,
                                const std::vector<std::vector<std::size_t>>& steps) {
    std::vector<DiffLine> lines;
    auto x = static_cast<std::ptrdiff_t>(a.size());
    auto y = static_cast<std::ptrdiff_t>(b.size());
    for (auto d = static_cast<std::ptrdiff_t>(steps.size()) - 1; d >= 0 && (x > 0 || y > 0); --d) {
        std::ptrdiff_t from_x = 0;
        std::ptrdiff_t from_y = 0;
        if (d > 0) {
            const auto& reach = steps[static_cast<std::size_t>(d) - 1];
            const auto at = [&](std::ptrdiff_t k) {  // it holds the diagonals -d to d
                return static_cast<std::ptrdiff_t>(reach[static_cast<std::size_t>(k + d)]);
            };
            const std::ptrdiff_t k = x - y;
            const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
            const std::ptrdiff_t before = down ? k + 1 : k - 1;
            from_x = at(before);
            from_y = from_x - before;
        }
        while (x > from_x && y > from_y) {
            lines.push_back({' ', a[static_cast<std::size_t>(--x)]});
            --y;
        }
        if (d == 0) break;
        if (x > from_x) lines.push_back({'-', a[static_cast<std::size_t>(--x)]});
        if (y > from_y) lines.push_back({'+', b[static_cast<std::size_t>(--y)]});
    }
    return lines;
}

std::string shown_line(const DiffLine& line) {
    std::string out;
    std::string text{line.text};
    const bool whole = text.ends_with('\n');
    if (whole) text.pop_back();
    const bool carriage = text.ends_with('\r');
    if (carriage) text.pop_back();
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    std::string margin;  // clean_line() would make one space of it
    for (const char c : text.substr(0, start))
        margin += c == '\t' ? "    " : " ";
    out = line.sign + margin + crop(clean_line(text.substr(start)), kColumnsMax) + "\n";
    if (!whole) out += "\\ no line end at the end of the file\n";
    return out;
}

std::string range(std::size_t start, std::size_t count) {
    return std::to_string(count == 0 ? start : start + 1) + "," + std::to_string(count);
}

/// Lines of the diff from `begin` to before `end`, which begin behind so many of each text.
std::string hunk(const std::vector<DiffLine>& lines, std::size_t begin, std::size_t end,
                 std::size_t before, std::size_t after) {
    std::string body;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
        body += shown_line(lines[i]);
        old_count += lines[i].sign != '+';
        new_count += lines[i].sign != '-';
    }
    return "@@ -" + range(before, old_count) + " +" + range(after, new_count) + " @@\n" + body;
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
    if (before == after) return {};
    const std::string title = "--- " + clean_line(name) + "\n+++ " + clean_line(name) + "\n";
    const Lines a = whole_lines(before);
    const Lines b = whole_lines(after);
    const auto steps = furthest(a, b);
    if (steps.empty()) return title + "more than 2,000 lines differ\n";
    std::vector<DiffLine> lines = walk_back(a, b, steps);
    std::reverse(lines.begin(), lines.end());
    std::string out = title;
    std::size_t old_at = 0;  // lines of each text before `i`
    std::size_t new_at = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].sign == ' ') {
            ++old_at;
            ++new_at;
            continue;
        }
        const std::size_t lead = std::min({kContext, old_at, new_at});
        std::size_t end = i + 1;
        for (std::size_t j = i; j < lines.size() && j <= end + 2 * kContext; ++j)
            if (lines[j].sign != ' ') end = j + 1;
        const std::size_t last = std::min(end + kContext, lines.size());
        out += hunk(lines, i - lead, last, old_at - lead, new_at - lead);
        for (; i < last; ++i) {
            old_at += lines[i].sign != '+';
            new_at += lines[i].sign != '-';
        }
        --i;
    }
    return out;
}

}  // namespace headway::cli
