// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headway::server {

/// The places of a bounded table, by the caller that takes each. When the table is full, the caller
/// with the most gives places up to one with fewer, so that no callers keep another out, and a
/// caller without others may have all. The empty caller, who is the operator on the own socket,
/// gives up nothing. I/O thread only.
class CallerShares {
public:
    /// Connection and slot, which together identify a request.
    using Place = std::pair<std::uint64_t, std::uint64_t>;
    /// A share is large from this part of a table on.
    static constexpr std::size_t kLargePart = 8;

    /// A bound of the table.
    struct Bound {
        bool by_weight = false;  ///< of the weight of all places; otherwise of their number
        std::size_t max = 0;
    };

    /// `weight` is what the place counts for. Precondition: the place is not taken.
    void add(const std::string& caller, const Place& place, std::size_t weight = 1);
    /// Does nothing if the caller does not have the place.
    void remove(const std::string& caller, const Place& place);

    /// The weight of all places.
    std::size_t weight() const noexcept { return all_.weight; }
    /// The number of places of the caller with the most.
    std::size_t largest() const;
    /// The newest places of that caller, newest first and at most `count`, for a table of `max`
    /// places in which others than these callers have places, too. None if the share is small: it
    /// is not what fills that table.
    std::vector<Place> of_largest(std::size_t max, std::size_t count) const;

    struct Room {
        bool found = false;
        std::vector<Place> given_up;  ///< places that must go first, newest first
    };
    /// The room for another place of `caller` with `weight`. Places are given up only by the caller
    /// with the most, who keeps at least as much as `caller` then has.
    Room room_for(const std::string& caller, std::size_t weight, const Bound& bound) const;

private:
    struct Amount {
        std::size_t places = 0;
        std::size_t weight = 0;
    };
    struct Taken {
        Place place;
        std::size_t weight = 0;
    };
    struct Share {
        std::map<std::uint64_t, Taken> taken;  ///< by the order in which they were taken
        std::map<Place, std::uint64_t> numbers;
        Amount amount;
    };

    static std::size_t amount(const Amount& of, bool by_weight) {
        return by_weight ? of.weight : of.places;
    }
    const Share* largest_share(bool by_weight) const;

    std::unordered_map<std::string, Share> shares_;
    Amount all_;
    std::uint64_t taken_ = 0;  ///< number of places that were ever taken
};

}  // namespace headway::server
