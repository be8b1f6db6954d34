// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/views/view.hpp"
#include "server/engine/cluster/cluster.hpp"

// Commits of other daemons, in the order of the feed.

namespace headway::server {
namespace {

using core::ErrorCode;
using core::Result;

/// Rows of the feed in one go: a daemon that was away for long follows in steps.
constexpr std::size_t kFeedPage = 1'000;
/// And events in them, since a row has up to a thousand: some ten megabytes at most are read at
/// once.
constexpr std::size_t kFeedEvents = 10'000;

/// How many of the rows hold at most kFeedEvents events; at least one.
std::size_t rows_of_one_step(std::span<const storage::FeedRow> rows) {
    std::size_t events = rows.front().count;
    std::size_t step = 1;
    while (step < rows.size() && (events += rows[step].count) <= kFeedEvents)
        ++step;
    return step;
}

}  // namespace

/// Reads the events of other daemons, up to position `last`, for the streams. They end where an
/// event cannot be read, so that none of them has a gap: their clients resume at a daemon that can,
/// or learn why not.
Result<> Cluster::read_events(storage::Cursor last, Publication& publication) {
    std::vector<storage::StreamEvent> events;
    bool end = false;
    for (storage::Cursor at = published_; at < last && !end;) {
        const auto left = static_cast<std::size_t>(last - at);  // more, where some are deleted
        auto page = tables_.read_stream(at, std::min(left, kFeedEvents));
        if (!page) {
            const ErrorCode code = page.error().code;
            if (code != ErrorCode::kStorageTooNew && code != ErrorCode::kStorageCorrupt)
                return std::move(page).error();
            publication.streams_end = std::move(page).error().detail;
            return {};
        }
        at = page->through;
        end = page->end;
        for (storage::StreamEvent& event : page->events) {
            if (event.cursor <= last) events.push_back(std::move(event));
        }
    }
    std::move(events.begin(), events.end(), std::back_inserter(publication.events));
    return {};
}

Result<> Cluster::follow(bool listening, Publication& publication) {
    followed_at_ = Clock::steady();
    behind_ = false;
    if (std::exchange(went_back_, false))
        publication.streams_end = "the database that took over has lost events; connect again";
    HEADWAY_TRY(std::vector<storage::FeedRow> rows, store_.read_feed(published_, kFeedPage));
    if (rows.empty()) return {};
    const std::size_t step = rows_of_one_step(rows);
    behind_ = rows.size() == kFeedPage || step < rows.size();
    rows.resize(step);
    const storage::Cursor last =
        rows.back().cursor + static_cast<storage::Cursor>(rows.back().count) - 1;
    if (listening) HEADWAY_CHECK(read_events(last, publication));
    std::unordered_map<std::string_view, storage::KnownSession> newest;
    for (const storage::FeedRow& row : rows) {
        if (!row.session.name.empty()) newest[row.session.name] = row.session;
    }
    std::vector<storage::KnownSession> known;
    for (auto& [name, session] : newest) {
        const Resident* resident = sessions_.residents().find(name);
        if (resident == nullptr) {
            publication.changed.push_back(session.name);
        } else if (resident->key != session.key || resident->session.state().n < session.n) {
            known.push_back(session);
        } else {  // a write or a read had caught up with it; those who wait learn of it here
            publication.views.push_back(core::view_of(resident->session));
        }
    }
    HEADWAY_CHECK(catch_up(known, false, &publication));
    for (const storage::KnownSession& one : known) {
        if (sessions_.residents().find(std::string_view{one.name}) == nullptr)
            publication.changed.push_back(one.name);
    }
    say_replaced(publication);
    publication.followed = true;
    published_ = last;
    store_.set_head(last);
    return {};
}

}  // namespace headway::server
