// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/store/store.hpp"

namespace headway::server {

/// The index of open child sessions by parent. It shows that a quiet parent is waiting, not silent,
/// while its children work (docs/detection.md, section 11). It has one entry for each open child
/// that has been in memory since the daemon's start. join() and leave() take constant time. Engine
/// thread only.
class Families {
public:
    /// Maximum number of children that each() visits, and of descendants that one search with any()
    /// checks; the next search continues with the remaining descendants.
    static constexpr std::size_t kLooksMax = 4096;

    /// Adds an open child, or moves it from the family of another parent, because a later opening
    /// may name a later generation of the parent. Idempotent.
    void join(const std::string& parent, storage::SessionKey child);
    /// Removes a child that has ended or is deleted; ignores unknown children.
    void leave(storage::SessionKey child);
    /// Makes any() check this child first, because it has reported.
    void hear(storage::SessionKey child);
    void clear();
    bool empty() const noexcept { return families_.empty(); }

    /// True if the session has open children.
    bool has_children(const std::string& parent) const { return families_.contains(parent); }

    /// Calls `use(child)` for at most kLooksMax open children of `parent`.
    template <class Use>
    void each(const std::string& parent, Use use) const {
        const auto found = families_.find(parent);
        if (found == families_.end()) return;
        const std::vector<storage::SessionKey>& children = found->second.children;
        for (std::size_t i = 0; i < children.size() && i < kLooksMax; ++i)
            use(children[i]);
    }

    /// True if `works(child)` is true for an open child. Begins where the previous search ended, or
    /// with a child that has reported since then. Each check decrements `looks`; at 0, the search
    /// ends.
    template <class Works>
    bool any(const std::string& parent, std::size_t& looks, Works works) {
        const auto found = families_.find(parent);
        if (found == families_.end()) return false;
        const std::size_t size = found->second.children.size();
        std::size_t place = found->second.first % size;
        for (std::size_t i = 0; i < size && looks > 0; ++i, place = (place + 1) % size) {
            --looks;
            if (!works(found->second.children[place])) continue;
            found->second.first = place;
            return true;
        }
        found->second.first = place;
        return false;
    }

private:
    struct Family {
        std::vector<storage::SessionKey> children;
        std::size_t first = 0;  ///< index at which the next any() begins
    };
    using Named = std::pair<const std::string, Family>;  // by parent
    struct Member {
        Named* family = nullptr;  ///< stable: unordered_map does not move its nodes
        std::size_t place = 0;
    };
    std::unordered_map<std::string, Family> families_;
    std::unordered_map<storage::SessionKey, Member> members_;
};

}  // namespace headway::server
