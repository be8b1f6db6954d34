// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/families.hpp"

namespace headway::server {

void Families::join(const std::string& parent, storage::SessionKey child) {
    const auto member = members_.find(child);
    if (member != members_.end()) {
        if (member->second.family->first == parent) return;
        leave(child);
    }
    Named& family = *families_.try_emplace(parent).first;
    members_[child] = {&family, family.second.children.size()};
    family.second.children.push_back(child);
}

void Families::leave(storage::SessionKey child) {
    const auto member = members_.find(child);
    if (member == members_.end()) return;
    const auto [family, place] = member->second;
    std::vector<storage::SessionKey>& children = family->second.children;
    // The last child takes its place.
    children[place] = children.back();
    members_[children[place]].place = place;
    children.pop_back();
    members_.erase(child);
    if (children.empty()) families_.erase(family->first);
}

void Families::hear(storage::SessionKey child) {
    const auto member = members_.find(child);
    if (member != members_.end()) member->second.family->second.first = member->second.place;
}

void Families::clear() {
    members_.clear();
    families_.clear();
}

}  // namespace headway::server
