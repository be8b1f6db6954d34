// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "api/encode/encode.hpp"
#include "server/http/message/response.hpp"
#include "server/hub/streams/view_cache.hpp"

namespace headway::server {

/// The replies with the progress of sessions that are read more often than they change: the text of
/// a view is written once, and what depends on the time of reading is put in. I/O thread only.
class ProgressReplies {
public:
    /// The reply with the progress of `found`, which has a view, as of `time`; valid until the next
    /// call.
    Response& of(const ViewCache::Versioned& found, const api::ReadingTime& time);

private:
    struct Kept {
        std::uint64_t version = 0;  ///< of the view; 0: of none
        api::ProgressText text;
    };
    std::vector<Kept> kept_;  ///< by version; an older one gives way to a newer
    Response reply_;          ///< reused, so that its body need not grow
};

}  // namespace headway::server
