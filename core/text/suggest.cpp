// SPDX-License-Identifier: Apache-2.0
#include "core/text/suggest.hpp"

#include <algorithm>
#include <vector>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

// Optimal string alignment: Levenshtein plus swaps of neighbours, three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        above[j] = j;

    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    HEADWAY_ASSERT(above[b.size()] <= std::max(a.size(), b.size()));
    return above[b.size()];
}

// Users write "listen" for "server.listen": compare with the last part too.
std::size_t distance_to_key(std::string_view word, std::string_view key) {
    const std::size_t whole = edit_distance(word, key);
    const std::size_t dot = key.rfind('.');
    if (dot == std::string_view::npos || word.find('.') != std::string_view::npos) return whole;
    return std::min(whole, edit_distance(word, key.substr(dot + 1)));
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view name : known) {
        const std::size_t distance = distance_to_key(word, name);
        if (distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    HEADWAY_ASSERT(best_distance <= std::max<std::size_t>(1, word.size() / 3) + 1);
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
    const std::string_view name = nearest(word, known);
    if (name.empty()) return {};
    return "; did you mean `" + std::string(name) + "`?";
}

}  // namespace headway::core
