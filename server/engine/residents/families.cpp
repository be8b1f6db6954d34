// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/families.hpp"

namespace headway::server {

void Families::join(const std::string& parent, storage::SessionKey child) {
    if (members_.contains(child)) return;
    Family& family = families_[parent];
    members_[child] = {&family, family.children.size()};
    family.children.push_back(child);
}

void Families::leave(const std::string& parent, storage::SessionKey child) {
    const auto member = members_.find(child);
    if (member == members_.end()) return;
    auto& [family, place] = member->second;
    // The last child takes its place.
    family->children[place] = family->children.back();
    members_[family->children[place]].place = place;
    family->children.pop_back();
    const bool last = family->children.empty();
    members_.erase(child);
    if (last) families_.erase(parent);
}

void Families::hear(storage::SessionKey child) {
    const auto member = members_.find(child);
    if (member != members_.end()) member->second.family->first = member->second.place;
}

void Families::clear() {
    members_.clear();
    families_.clear();
}

}  // namespace headway::server
