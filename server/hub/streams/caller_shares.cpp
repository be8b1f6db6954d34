// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/caller_shares.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace headway::server {

void CallerShares::add(const std::string& caller, const Place& place, std::size_t weight) {
    Share& share = shares_[caller];
    const bool added = share.places.emplace(place, weight).second;
    HEADWAY_ASSERT(added);
    share.weight += weight;
    weight_ += weight;
}

void CallerShares::remove(const std::string& caller, const Place& place) {
    const auto share = shares_.find(caller);
    if (share == shares_.end()) return;
    const auto taken = share->second.places.find(place);
    if (taken == share->second.places.end()) return;
    share->second.weight -= taken->second;
    weight_ -= taken->second;
    share->second.places.erase(taken);
    if (share->second.places.empty()) shares_.erase(share);
}

const CallerShares::Share* CallerShares::largest_share() const {
    const auto most = std::max_element(
        shares_.begin(), shares_.end(),
        [](const auto& a, const auto& b) { return a.second.weight < b.second.weight; });
    return most == shares_.end() ? nullptr : &most->second;
}

std::size_t CallerShares::largest() const {
    const Share* const share = largest_share();
    return share == nullptr ? 0 : share->weight;
}

std::optional<CallerShares::Place> CallerShares::of_largest() const {
    const Share* const share = largest_share();
    if (share == nullptr) return std::nullopt;
    return share->places.rbegin()->first;
}

std::optional<CallerShares::Place> CallerShares::given_up_to(const std::string& caller) const {
    const auto own = shares_.find(caller);
    const std::size_t weight = own == shares_.end() ? 0 : own->second.weight;
    return largest() > weight + 1 ? of_largest() : std::nullopt;
}

}  // namespace headway::server
