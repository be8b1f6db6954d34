// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.hpp"
#include "core/views/view.hpp"

namespace headway::server {

/// The published views of sessions, so that they can be read without the engine. A missing view is
/// queried once; from then on, every publication updates it. A view that no client reads is kept
/// only while it is among the newest such views. I/O thread only.
class ViewCache {
public:
    /// Sends a ViewQuery; false when the queue is full.
    using Ask = std::function<bool(const std::string& session)>;
    /// Receives the view, null for an unknown session, or an error.
    using Callback = std::function<void(core::Result<const core::SessionView*>)>;

    explicit ViewCache(Ask ask) : ask_(std::move(ask)) {}
    ViewCache(const ViewCache&) = delete;
    ViewCache& operator=(const ViewCache&) = delete;
    /// Called if other daemons also change sessions: then only the engine knows the newest view.
    void share() { shared_ = true; }

    /// A view and its version, a number that no other view has had.
    struct Versioned {
        const core::SessionView* view = nullptr;
        std::uint64_t version = 0;
    };

    /// The cached view or null; valid until the next publication.
    const core::SessionView* find(const std::string& session) const;
    /// The cached view, for a client. It stays cached, because the client will read it again.
    Versioned read(const std::string& session);
    /// Like read(), but null if other daemons may have changed the session.
    Versioned read_newest(const std::string& session) {
        return shared_ ? Versioned{} : read(session);
    }
    const core::SessionView* find_newest(const std::string& session) {
        return read_newest(session).view;
    }
    /// Calls back with the newest view, at once or when the engine answers.
    void get(const std::string& session, Callback callback);

    /// Takes the view of a session that a commit touched. Returns the cached view if the session is
    /// watched, else null.
    const core::SessionView* update(core::SessionView view);
    /// Drops the view of a deleted session.
    void forget(const std::string& session);
    /// Takes the engine's answer to a ViewQuery; null = unknown session.
    void resolve(const std::string& session, core::Result<const core::SessionView*> view);

    /// Called when a waiter or stream watches the session: the session's view stays cached, and its
    /// agent gets a shorter heartbeat interval.
    void watch(const std::string& session);
    void unwatch(const std::string& session);
    bool watched(const std::string& session) const;

    /// Shrinks the cache to limits::kViewsUnreadMax and kViewCacheMax. To be called after the
    /// replies of a publication, because they use the views.
    void trim();
    std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        bool present = false;
        bool read = false;    ///< a client requested the view
        bool listed = false;  ///< is in the list of unread views
        std::uint32_t watchers = 0;
        std::uint64_t version = 0;
        Entry* before = nullptr;  ///< neighbours in the list of unread views
        Entry* after = nullptr;
        core::SessionView view;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    void list(Entry& entry);
    void unlist(Entry& entry);
    Entries::iterator erase(Entries::iterator entry);

    Ask ask_;
    bool shared_ = false;
    std::uint64_t versions_ = 0;  ///< versions assigned so far
    Entries entries_;
    std::unordered_map<std::string, std::vector<Callback>> asked_;
    /// The entries whose view no client has requested, oldest first. The list is linked through the
    /// entries, whose addresses are stable.
    Entry* oldest_unread_ = nullptr;
    Entry* newest_unread_ = nullptr;
    std::size_t unread_ = 0;
    std::size_t hand_ = 0;  ///< bucket at which trim() looked last
};

}  // namespace headway::server
