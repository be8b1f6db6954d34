// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/check_documents.hpp"

#include <utility>

namespace headway::server {

using core::Result;

namespace {

Result<api::CheckDocument> read_document(storage::Store& store,
                                         const storage::StoredCheck& stored) {
    api::CheckDocument document;
    document.session = stored.session_id;
    document.asked.check_id = stored.id;
    HEADWAY_TRY(auto asked, store.read_stream(stored.asked - 1, 1));
    if (!asked.events.empty()) {
        core::Event& event = asked.events.front().event;
        document.asked_n = event.n;
        document.asked_at = event.at;
        if (auto* payload = std::get_if<core::CheckRequested>(&event.payload))
            document.asked = std::move(*payload);
    }
    if (stored.done == 0) return document;
    HEADWAY_TRY(auto done, store.read_stream(stored.done - 1, 1));
    core::CheckCompleted& answer = document.done.emplace();
    answer.outcome = core::JudgeOutcome::kCancelled;
    answer.error = "the session ended first";
    if (done.events.empty()) return document;
    core::Event& event = done.events.front().event;
    document.done_n = event.n;
    document.done_at = event.at;
    if (auto* completed = std::get_if<core::CheckCompleted>(&event.payload))
        answer = std::move(*completed);
    return document;
}

}  // namespace

Result<api::CheckDocument> check_document(storage::Store& store,
                                          const storage::StoredCheck& stored) {
    auto document = read_document(store, stored);
    if (document || document.error().code != core::ErrorCode::kStorageCorrupt) return document;
    return core::Error{core::ErrorCode::kInternal,
                       "check '" + stored.id + "' of session '" + stored.session_id +
                           "' is damaged on the disk (" + document.error().detail + "); " +
                           way_out_of_damage(store),
                       {}};
}

}  // namespace headway::server
