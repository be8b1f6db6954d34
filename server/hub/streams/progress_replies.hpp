// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "api/encode/encode.hpp"
#include "server/http/message/response.hpp"
#include "server/hub/streams/view_cache.hpp"

namespace headway::server {

/// Makes the replies with the progress of sessions. Progress is read more often than it changes, so
/// the text of a view is written once; for each reply, only the values that depend on the time of
/// reading are inserted. I/O thread only.
class ProgressReplies {
public:
    /// The reply with the progress of `found`, which must have a view, at `time`; valid until the
    /// next call.
    Response& of(const ViewCache::Versioned& found, const api::ReadingTime& time);

private:
    struct Kept {
        std::uint64_t version = 0;  ///< the view's version; 0: no view
        api::ProgressText text;
    };
    std::vector<Kept>
        kept_;  ///< each at the index `version % size`, where a newer text replaces an older one
    Response reply_;  ///< reused, so that its body need not be reallocated
};

}  // namespace headway::server
