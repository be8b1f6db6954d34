// SPDX-License-Identifier: Apache-2.0
#include "server/view_cache.hpp"

#include <iterator>
#include <utility>

#include "core/limits.hpp"

namespace headway::server {

const core::SessionView* ViewCache::find(const std::string& session) const {
    const auto entry = entries_.find(session);
    return entry == entries_.end() || !entry->second.present ? nullptr : &entry->second.view;
}

ViewCache::Versioned ViewCache::read(const std::string& session) {
    const auto entry = entries_.find(session);
    if (entry == entries_.end() || !entry->second.present) return {};
    entry->second.read = true;
    return {&entry->second.view, entry->second.version};
}

/// Of a shared store each caller asks its own question: an answer on its way may be older than what
/// the client has seen at another daemon.
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

bool ViewCache::update(core::SessionView view) {
    const auto entry = entries_.try_emplace(view.id).first;
    if (!entry->second.listed && !entry->second.read) unread_.push_back(view.id);
    entry->second.listed = true;
    entry->second.present = true;
    entry->second.version = ++versions_;
    entry->second.view = std::move(view);
    return entry->second.watchers > 0;
}

void ViewCache::forget(const std::string& session) {
    const auto entry = entries_.find(session);
    if (entry == entries_.end()) return;
    entry->second.present = false;
    if (entry->second.watchers == 0) entries_.erase(entry);
}

void ViewCache::resolve(const std::string& session, core::Result<const core::SessionView*> view) {
    if (view && *view != nullptr) {
        update(**view);
        Entry& entry = entries_.at(session);
        entry.read = true;
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
    if (--entry->second.watchers == 0 && !entry->second.present) entries_.erase(entry);
}

bool ViewCache::watched(const std::string& session) const {
    const auto entry = entries_.find(session);
    return entry != entries_.end() && entry->second.watchers > 0;
}

/// Evicts unwatched views; the next reader queries them again.
void ViewCache::trim() {
    for (; unread_.size() > core::limits::kViewsUnreadMax; unread_.pop_front()) {
        const auto entry = entries_.find(unread_.front());
        if (entry == entries_.end()) continue;
        entry->second.listed = false;  // one that is watched comes again with its next view
        if (!entry->second.read && entry->second.watchers == 0) entries_.erase(entry);
    }
    for (auto entry = entries_.begin();
         entry != entries_.end() && entries_.size() > core::limits::kViewCacheMax;) {
        entry = entry->second.watchers == 0 ? entries_.erase(entry) : std::next(entry);
    }
}

}  // namespace headway::server
