// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/view_cache.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {

using core::limits::kViewCacheMax;

const core::SessionView* ViewCache::find(const std::string& session) const {
    const auto entry = entries_.find(session);
    return entry == entries_.end() || !entry->second.present ? nullptr : &entry->second.view;
}

ViewCache::Versioned ViewCache::read(const std::string& session) {
    const auto entry = entries_.find(session);
    if (entry == entries_.end() || !entry->second.present) return {};
    entry->second.read = true;
    unlist(entry->second);
    return {&entry->second.view, entry->second.version};
}

/// With a shared store each caller asks its own question: an answer on its way may be older than
/// the state that the client has seen at another daemon.
void ViewCache::get(const std::string& session, Callback callback) {
    if (const core::SessionView* view = find_newest(session)) {
        callback(view);
        return;
    }
    auto [waiting, fresh] = asked_.try_emplace(session);
    waiting->second.push_back(std::move(callback));
    if (!fresh && !shared_) return;
    if (ask_(session)) return;
    const Callback refused = std::move(waiting->second.back());
    waiting->second.pop_back();
    if (waiting->second.empty()) asked_.erase(waiting);
    refused(
        core::Error{core::ErrorCode::kOverloaded, "too many requests are waiting; try again", {}});
}

const core::SessionView* ViewCache::update(core::SessionView view) {
    Entry& entry = entries_.try_emplace(view.id).first->second;
    if (!entry.listed && !entry.read) list(entry);
    entry.present = true;
    entry.version = ++versions_;
    entry.view = std::move(view);
    return entry.watchers > 0 ? &entry.view : nullptr;
}

void ViewCache::list(Entry& entry) {
    entry.listed = true;
    entry.before = newest_unread_;
    (newest_unread_ != nullptr ? newest_unread_->after : oldest_unread_) = &entry;
    newest_unread_ = &entry;
    ++unread_;
}

void ViewCache::unlist(Entry& entry) {
    if (!entry.listed) return;
    (entry.before != nullptr ? entry.before->after : oldest_unread_) = entry.after;
    (entry.after != nullptr ? entry.after->before : newest_unread_) = entry.before;
    entry.before = nullptr;
    entry.after = nullptr;
    entry.listed = false;
    --unread_;
}

ViewCache::Entries::iterator ViewCache::erase(Entries::iterator entry) {
    unlist(entry->second);
    return entries_.erase(entry);
}

void ViewCache::forget(const std::string& session) {
    const auto entry = entries_.find(session);
    if (entry == entries_.end()) return;
    entry->second.present = false;
    if (entry->second.watchers == 0) erase(entry);
}

void ViewCache::resolve(const std::string& session, core::Result<const core::SessionView*> view) {
    if (view && *view != nullptr) {
        update(**view);
        Entry& entry = entries_.at(session);
        entry.read = true;
        unlist(entry);
        view = &entry.view;
    }
    const auto waiting = asked_.find(session);
    if (waiting == asked_.end()) return;
    std::vector<Callback> callbacks;
    if (shared_ && waiting->second.size() > 1) {  // one answer for each question, in their order
        callbacks.push_back(std::move(waiting->second.front()));
        waiting->second.erase(waiting->second.begin());
    } else {
        callbacks = std::move(waiting->second);
        asked_.erase(waiting);
    }
    for (const Callback& callback : callbacks)
        callback(view);
}

void ViewCache::watch(const std::string& session) {
    ++entries_[session].watchers;
}

void ViewCache::unwatch(const std::string& session) {
    const auto entry = entries_.find(session);
    if (entry == entries_.end()) return;
    if (--entry->second.watchers == 0 && !entry->second.present) erase(entry);
}

bool ViewCache::watched(const std::string& session) const {
    const auto entry = entries_.find(session);
    return entry != entries_.end() && entry->second.watchers > 0;
}

/// Evicts unwatched views; the next reader queries them again.
void ViewCache::trim() {
    while (unread_ > core::limits::kViewsUnreadMax) {
        Entry& entry = *oldest_unread_;
        unlist(entry);  // one that is watched comes again with its next view
        if (entry.watchers > 0) continue;
        const auto at = entries_.find(entry.view.id);
        HEADWAY_ASSERT(at != entries_.end());
        entries_.erase(at);
    }
    // By a hand that goes round, as those that are watched would be passed each time.
    const std::size_t excess = entries_.size() - std::min(entries_.size(), kViewCacheMax);
    for (std::size_t looks = 8 * excess; looks > 0 && entries_.size() > kViewCacheMax; --looks) {
        hand_ = hand_ + 1 < entries_.bucket_count() ? hand_ + 1 : 0;
        for (auto at = entries_.begin(hand_); at != entries_.end(hand_);) {
            const std::string& session = (at++)->first;
            const auto entry = entries_.find(session);
            if (entry->second.watchers == 0 && entries_.size() > kViewCacheMax) erase(entry);
        }
    }
}

}  // namespace headway::server
