// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headway::server {

/// A round-robin queue over sessions, FIFO within each session, so that a session with many items
/// does not delay the others. The caller bounds its size. Pure.
template <class T>
class FairQueue {
public:
    /// Appends to the session's items; a new session is served last.
    void push_back(const std::string& session, T item) {
        lane_of(session)->items.push_back(std::move(item));
        ++size_;
    }
    /// Puts an item before the session's other items, for a retry.
    void push_front(const std::string& session, T item) {
        lane_of(session)->items.push_front(std::move(item));
        ++size_;
    }

    /// Removes and returns the next item; its session is then served last. Nothing if the queue is
    /// empty.
    std::optional<T> pop() {
        if (lanes_.empty()) return std::nullopt;
        const auto lane = lanes_.begin();
        std::optional<T> item{std::move(lane->items.front())};
        lane->items.pop_front();
        --size_;
        if (lane->items.empty()) {
            by_session_.erase(lane->session);
            lanes_.erase(lane);
        } else {
            lanes_.splice(lanes_.end(), lanes_, lane);
        }
        return item;
    }

    /// Removes and returns all items of a session, in order.
    std::vector<T> take(const std::string& session) {
        std::vector<T> taken;
        const auto found = by_session_.find(session);
        if (found == by_session_.end()) return taken;
        for (T& item : found->second->items)
            taken.push_back(std::move(item));
        lanes_.erase(found->second);
        by_session_.erase(found);
        size_ -= taken.size();
        return taken;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

private:
    struct Lane {
        std::string session;
        std::deque<T> items;
    };
    using Lanes = std::list<Lane>;

    typename Lanes::iterator lane_of(const std::string& session) {
        const auto [found, fresh] = by_session_.try_emplace(session);
        if (fresh) found->second = lanes_.insert(lanes_.end(), Lane{session, {}});
        return found->second;
    }

    Lanes lanes_;  ///< in the order of service; no lane is empty
    std::unordered_map<std::string, typename Lanes::iterator> by_session_;
    std::size_t size_ = 0;
};

}  // namespace headway::server
