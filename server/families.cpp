#include "server/families.hpp"

#include <algorithm>

namespace headway::server {

void Families::join(const std::string& parent, storage::SessionKey child) {
    auto& children = children_[parent];
    if (std::find(children.begin(), children.end(), child) == children.end()) {
        children.push_back(child);
    }
}

void Families::leave(const std::string& parent, storage::SessionKey child) {
    const auto family = children_.find(parent);
    if (family == children_.end()) return;
    std::erase(family->second, child);
    if (family->second.empty()) children_.erase(family);
}

const std::vector<storage::SessionKey>& Families::children_of(const std::string& parent) const {
    static const std::vector<storage::SessionKey> kNone;
    const auto family = children_.find(parent);
    return family == children_.end() ? kNone : family->second;
}

}  // namespace headway::server
