// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Parts of the check of a snapshot (core/state/validity.hpp). A struct with further rules checks
// these itself. Pure.

namespace headway::core::sound {

/// True if `first` to `last` is a range of events in a session whose last event is `newest`.
constexpr bool in_order(std::uint64_t first, std::uint64_t last, std::uint64_t newest) {
    return first <= last && last <= newest;
}

template <class T>
bool in_order(const T& seen, std::uint64_t newest) {
    return in_order(seen.first_n, seen.last_n, newest);
}

template <class List>
bool fits(const List& list, std::size_t most) {
    return list.size() <= most;
}

template <class T, class Holds>
bool each(const std::vector<T>& items, std::size_t most, Holds holds) {
    return items.size() <= most && std::all_of(items.begin(), items.end(), holds);
}

/// True if the entries are in the order of their events, without duplicates.
template <class T>
bool by_event(const std::vector<T>& items, std::uint64_t newest) {
    const auto falls = [](const T& a, const T& b) { return a.n >= b.n; };
    return std::adjacent_find(items.begin(), items.end(), falls) == items.end() &&
           (items.empty() || items.back().n <= newest);
}

}  // namespace headway::core::sound
