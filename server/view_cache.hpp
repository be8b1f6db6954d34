// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "core/view.hpp"

namespace headway::server {

/// The published views of sessions: what readers are answered from without asking the supervisor. A
/// view that is not here is asked for once; from then on every publication keeps it current. I/O
/// thread only.
class ViewCache {
public:
    /// Sends a ViewQuery; false when the queue is full.
    using Ask = std::function<bool(const std::string& session)>;
    /// The view, null for a session that does not exist, or why it cannot be told.
    using Callback = std::function<void(core::Result<const core::SessionView*>)>;

    explicit ViewCache(Ask ask) : ask_(std::move(ask)) {}

    /// The view if it is here; valid until the next publication.
    const core::SessionView* find(const std::string& session) const;
    /// Calls back at once, or when the supervisor has answered.
    void get(const std::string& session, Callback callback);

    /// A commit touched the session. True when somebody watches it.
    bool update(core::SessionView view);
    /// The session was deleted.
    void forget(const std::string& session);
    /// The supervisor answered; null = unknown session.
    void resolve(const std::string& session, core::Result<const core::SessionView*> view);

    /// A waiter or stream cares about the session from now on: its view stays here and its agent is
    /// asked to beat sooner.
    void watch(const std::string& session);
    void unwatch(const std::string& session);
    bool watched(const std::string& session) const;

    /// Back within limits::kViewCacheMax; after the replies of a publication, which rest on its
    /// views.
    void trim();
    std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        bool present = false;
        std::uint32_t watchers = 0;
        core::SessionView view;
    };

    Ask ask_;
    std::unordered_map<std::string, Entry> entries_;
    std::unordered_map<std::string, std::vector<Callback>> asked_;
};

}  // namespace headway::server
