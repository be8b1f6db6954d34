// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/caller_shares.hpp"

#include "core/base/assert.hpp"

namespace headway::server {

void CallerShares::add(const std::string& caller, const Place& place, std::size_t weight) {
    Share& share = shares_[caller];
    const bool added = share.numbers.emplace(place, ++taken_).second;
    HEADWAY_ASSERT(added);
    share.taken.emplace(taken_, Taken{place, weight});
    for (Amount* const amount : {&share.amount, &all_}) {
        ++amount->places;
        amount->weight += weight;
    }
}

void CallerShares::remove(const std::string& caller, const Place& place) {
    const auto share = shares_.find(caller);
    if (share == shares_.end()) return;
    const auto number = share->second.numbers.find(place);
    if (number == share->second.numbers.end()) return;
    const auto taken = share->second.taken.find(number->second);
    for (Amount* const amount : {&share->second.amount, &all_}) {
        --amount->places;
        amount->weight -= taken->second.weight;
    }
    share->second.taken.erase(taken);
    share->second.numbers.erase(number);
    if (share->second.numbers.empty()) shares_.erase(share);
}

const CallerShares::Share* CallerShares::largest_share(bool by_weight) const {
    const Share* most = nullptr;
    for (const auto& [caller, share] : shares_) {
        if (caller.empty()) continue;
        if (most == nullptr || amount(share.amount, by_weight) > amount(most->amount, by_weight))
            most = &share;
    }
    return most;
}

std::size_t CallerShares::largest() const {
    const Share* const share = largest_share(false);
    return share == nullptr ? 0 : share->amount.places;
}

std::vector<CallerShares::Place> CallerShares::of_largest(std::size_t max,
                                                          std::size_t count) const {
    const Share* const share = largest_share(false);
    std::vector<Place> newest;
    if (share == nullptr || share->amount.places * kLargePart < max) return newest;
    for (auto taken = share->taken.rbegin(); taken != share->taken.rend() && newest.size() < count;
         ++taken)
        newest.push_back(taken->second.place);
    return newest;
}

CallerShares::Room CallerShares::room_for(const std::string& caller, std::size_t weight,
                                          const Bound& bound) const {
    const std::size_t more = bound.by_weight ? weight : 1;
    const std::size_t all = amount(all_, bound.by_weight) + more;
    if (all <= bound.max) return {true, {}};
    const Share* const most = largest_share(bound.by_weight);
    if (most == nullptr) return {};
    const std::size_t has = amount(most->amount, bound.by_weight);
    const auto own = shares_.find(caller);
    const std::size_t wanted =
        more + (own == shares_.end() ? 0 : amount(own->second.amount, bound.by_weight));
    Room room;
    std::size_t freed = 0;
    for (auto taken = most->taken.rbegin(); taken != most->taken.rend() && all - freed > bound.max;
         ++taken) {
        freed += bound.by_weight ? taken->second.weight : 1;
        room.given_up.push_back(taken->second.place);
    }
    // The sum of `freed` and `wanted` is at most what `most` has.
    room.found = all - freed <= bound.max && has - freed >= wanted;
    if (!room.found) room.given_up.clear();
    return room;
}

}  // namespace headway::server
