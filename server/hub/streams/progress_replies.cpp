// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/progress_replies.hpp"

#include "core/base/limits.hpp"

namespace headway::server {

Response& ProgressReplies::of(const ViewCache::Versioned& found, const api::ReadingTime& time) {
    if (kept_.empty()) kept_.resize(core::limits::kProgressTextsMax);
    Kept& kept = kept_[found.version % kept_.size()];
    if (kept.version != found.version) {
        kept.text = api::progress_text(*found.view);
        kept.version = found.version;
    }
    reply_.body.clear();
    api::append_progress(reply_.body, kept.text, *found.view, time);
    return reply_;
}

}  // namespace headway::server
