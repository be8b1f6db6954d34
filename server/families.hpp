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
/// each. Supervisor thread only.
class Families {
public:
    /// Notes an open child; again changes nothing.
    void join(const std::string& parent, storage::SessionKey child);
    /// The child has ended or is deleted; unknown ones change nothing.
    void leave(const std::string& parent, storage::SessionKey child);
    void clear() { children_.clear(); }
    bool empty() const noexcept { return children_.empty(); }

    /// Its open children, valid until the next change.
    const std::vector<storage::SessionKey>& children_of(const std::string& parent) const;

private:
    std::unordered_map<std::string, std::vector<storage::SessionKey>> children_;
};

}  // namespace headway::server
