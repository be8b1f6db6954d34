// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/store.hpp"

namespace headway::server {

/// Which open sessions were opened by which: a parent whose children are at work waits, and is not
/// silent (detection.md L37). Holds the children that were in memory since the start; one entry
/// each. join() and leave() take constant time, whatever the size of a family. Supervisor thread
/// only.
class Families {
public:
    /// Children of one session that are looked at when it is asked whether any works, its
    /// grandchildren included: more open ones at once are looked at by turns.
    static constexpr std::size_t kLooksMax = 4096;

    /// Notes an open child; again changes nothing.
    void join(const std::string& parent, storage::SessionKey child);
    /// The child has ended or is deleted; unknown ones change nothing.
    void leave(const std::string& parent, storage::SessionKey child);
    /// The child was heard: it is looked at first.
    void hear(storage::SessionKey child);
    void clear();
    bool empty() const noexcept { return families_.empty(); }

    /// Whether it has open children.
    bool has_children(const std::string& parent) const { return families_.contains(parent); }

    /// Looks at its open children, beginning with the one that was heard last or found at work,
    /// until `works(child)` is true or `looks`, which it takes from, is used up. Whether one was
    /// found.
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
        std::size_t first = 0;  ///< where the next look begins
    };
    struct Member {
        Family* family = nullptr;  ///< stays where it is: unordered_map keeps its nodes
        std::size_t place = 0;
    };
    std::unordered_map<std::string, Family> families_;
    std::unordered_map<storage::SessionKey, Member> members_;
};

}  // namespace headway::server
