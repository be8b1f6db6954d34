// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::server {

/// The greatest event id of a session, ordered by length and then by bytes. Most clients use
/// ascending ids (numbers, ULIDs, UUIDv7). An id greater than this one is certainly new, so it need
/// not be looked up in the table of all ids.
class NewestId {
public:
    /// Records that the session has no event with an id yet. Before this call, nothing is known
    /// about the session's ids.
    void start() { known_ = true; }
    /// Records that the session has an event with this id.
    void note(std::string_view id) {
        if (is_new(id)) newest_ = id;
    }
    /// True if no event of the session has this id; false if unknown.
    bool is_new(std::string_view id) const {
        if (!known_) return false;
        if (id.size() != newest_.size()) return id.size() > newest_.size();
        return id > newest_;
    }

private:
    std::string newest_;
    bool known_ = false;
};

}  // namespace headway::server
