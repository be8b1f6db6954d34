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

/// Records which caller has which places of a bounded table. When the table is full, the caller
/// with the most places gives some up for a caller with fewer places. Thus no caller can exclude
/// another, and a single caller may have all places. The caller with an empty name is the operator
/// on the Unix socket; it gives up nothing. I/O thread only.
class CallerShares {
public:
    /// Connection and slot, which together identify a request.
    using Place = std::pair<std::uint64_t, std::uint64_t>;
    /// A share is large if it has at least this part of a table: one place in eight.
    static constexpr std::size_t kLargePart = 8;

    /// A bound of the table.
    struct Bound {
        bool by_weight = false;  ///< `max` limits the weight of all places; otherwise their number
        std::size_t max = 0;
    };

    /// Precondition: the place is not taken. `weight` matters for a Bound by weight only.
    void add(const std::string& caller, const Place& place, std::size_t weight = 1);
    /// Does nothing if the caller does not have the place.
    void remove(const std::string& caller, const Place& place);

    /// The weight of all places.
    std::size_t weight() const noexcept { return all_.weight; }
    /// The number of places of the caller with the most places.
    std::size_t largest() const;
    /// The newest places of the caller with the most places, newest first, at most `count`. Used
    /// when a larger table of `max` places, such as the connections, is full. Empty unless the
    /// caller has at least 1/kLargePart of `max` places: a smaller share is not the reason why that
    /// table is full.
    std::vector<Place> of_largest(std::size_t max, std::size_t count) const;

    struct Room {
        bool found = false;
        std::vector<Place> given_up;  ///< places that must be given up before, the newest first
    };
    /// Finds room for another place of `caller` with `weight`. Only the caller with the largest
    /// share gives up places, and it keeps at least as large a share as `caller` then has.
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
        std::map<std::uint64_t, Taken> taken;  ///< keys: the order in which the places were taken
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
