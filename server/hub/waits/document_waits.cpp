// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/document_waits.hpp"

#include <vector>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

/// Retry interval after a full queue.
constexpr core::Millis kAgain{100};

template <class Map, class Key>
void erase_one(Map& map, const Key& key, const typename Map::mapped_type& value) {
    const auto [from, to] = map.equal_range(key);
    for (auto at = from; at != to; ++at) {
        if (at->second != value) continue;
        map.erase(at);
        return;
    }
}

}  // namespace

core::Result<> DocumentWaits::add(const ReplyTo& to, std::string id, core::Timestamp deadline) {
    if (waits_.size() >= core::limits::kWaitersMax) {
        return core::Error{core::ErrorCode::kOverloaded, "too many are waiting; try again", {}};
    }
    const Place place{to.connection, to.slot};
    by_id_.emplace(id, place);
    deadlines_.emplace(deadline, place);
    waits_.emplace(place, Wait{std::move(id), deadline});
    return {};
}

bool DocumentWaits::keeps_waiting(const ReplyTo& to, bool pending, const std::string& id) {
    const auto wait = waits_.find({to.connection, to.slot});
    if (wait == waits_.end()) return false;
    wait->second.asked = false;
    if (!pending || wait->second.last) {
        remove(wait);
        return false;
    }
    if (id.empty() || id == wait->second.id) return true;
    erase_one(by_id_, wait->second.id, wait->first);
    by_id_.emplace(id, wait->first);
    wait->second.id = id;
    return true;
}

void DocumentWaits::answered(const ReplyTo& to) {
    const auto wait = waits_.find({to.connection, to.slot});
    if (wait != waits_.end()) remove(wait);
}

void DocumentWaits::notify(const std::string& id) {
    const auto [from, to] = by_id_.equal_range(id);
    std::vector<Place> places;
    for (auto at = from; at != to; ++at)
        places.push_back(at->second);
    for (const Place& place : places)
        finish(place, waits_.at(place));
}

void DocumentWaits::look_again() {
    for (auto& [place, wait] : waits_) {
        if (!wait.asked) wait.asked = ask_({place.first, place.second}, wait.id);
    }
}

void DocumentWaits::drop_connection(std::uint64_t connection) {
    auto wait = waits_.lower_bound({connection, 0});
    while (wait != waits_.end() && wait->first.first == connection) {
        const auto gone = wait++;
        remove(gone);
    }
}

void DocumentWaits::expire(core::Timestamp now) {
    std::vector<Place> due;
    for (const auto& [deadline, place] : deadlines_) {
        if (now != core::kNever && deadline > now) break;
        due.push_back(place);
    }
    for (const Place& place : due) {
        Wait& wait = waits_.at(place);
        erase_one(deadlines_, wait.deadline, place);
        wait.deadline = core::kNever;
        finish(place, wait);
        // The queue was full: try again soon.
        if (wait.last || now == core::kNever) continue;
        wait.deadline = now + kAgain;
        deadlines_.emplace(wait.deadline, place);
    }
}

core::Timestamp DocumentWaits::next_deadline() const {
    return deadlines_.empty() ? core::kNever : deadlines_.begin()->first;
}

/// Queries the document that will be the answer. A query in flight suffices: its document is newer
/// than the change.
void DocumentWaits::finish(const Place& place, Wait& wait) {
    if (!wait.asked) wait.asked = ask_({place.first, place.second}, wait.id);
    wait.last = wait.asked;
}

void DocumentWaits::remove(std::map<Place, Wait>::iterator wait) {
    erase_one(by_id_, wait->second.id, wait->first);
    if (wait->second.deadline != core::kNever) {
        erase_one(deadlines_, wait->second.deadline, wait->first);
    }
    waits_.erase(wait);
}

}  // namespace headway::server
