// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace headway::server {

/// The places of a bounded table, by the caller that takes each. When the table is full, the caller
/// with the most gives a place up to one with fewer, so that no caller keeps the others out, and a
/// caller without others may have all. I/O thread only.
class CallerShares {
public:
    /// Connection and slot, which together identify a request.
    using Place = std::pair<std::uint64_t, std::uint64_t>;

    /// `weight` is what the place counts for. Precondition: the place is not taken.
    void add(const std::string& caller, const Place& place, std::size_t weight = 1);
    /// Does nothing if the caller does not have the place.
    void remove(const std::string& caller, const Place& place);

    /// The weight of all places.
    std::size_t weight() const noexcept { return weight_; }
    /// The weight of the places of the caller with the most.
    std::size_t largest() const;
    /// The newest place of that caller; nothing if no place is taken.
    std::optional<Place> of_largest() const;
    /// The same, if `caller` has fewer even with one place more.
    std::optional<Place> given_up_to(const std::string& caller) const;

private:
    struct Share {
        std::map<Place, std::size_t> places;
        std::size_t weight = 0;
    };

    const Share* largest_share() const;

    std::unordered_map<std::string, Share> shares_;
    std::size_t weight_ = 0;
};

}  // namespace headway::server
