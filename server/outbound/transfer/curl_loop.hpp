// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/time/clock.hpp"
#include "system/http_call.hpp"

namespace headway::server {

/// The one thread that uses libcurl. It runs the transfers of all its users together, so that no
/// user waits for another. New users, their work and their removal come through one queue, in the
/// order of the calls.
class CurlLoop {
public:
    using Instant = Clock::Steady::time_point;
    using Work = std::function<void()>;

    /// A user of the loop. Its functions are called on the loop's thread only: begin() first, then
    /// in turns. A turn runs the user's new work, then ended() for each transfer that has ended,
    /// then finish(). No function is called from within libcurl.
    class User {
    public:
        virtual ~User() = default;
        /// `multi` is the handle for all transfers of this user.
        virtual void begin(CURLM* multi) = 0;
        /// False if the transfer belongs to another user.
        virtual bool ended(CURL* handle, CURLcode code) = 0;
        /// Ends transfers that took too long, and starts those that are due. The result is the
        /// latest time for the next turn.
        virtual Instant finish() = 0;
        /// Ends all transfers of this user. No turn follows, but work that was posted before may
        /// still run until remove() returns.
        virtual void close() = 0;
        /// Called when one of the functions above or the user's work has thrown; close() follows.
        virtual void failed(const std::string& why) = 0;
    };

    CurlLoop();
    CurlLoop(const CurlLoop&) = delete;
    CurlLoop& operator=(const CurlLoop&) = delete;
    ~CurlLoop();  ///< does the queued work, closes the remaining users, ends the thread

    /// Any thread. `user` must not move until it is removed.
    void add(User& user);
    /// Any thread except the loop's. Blocks until the user is closed and no longer called.
    /// Idempotent.
    void remove(User& user);
    /// Runs `work` on the loop's thread, exactly once. Any thread. Returns false, and does not run
    /// it, if the user was removed or has failed, or if limits::kOutboundQueueMax items wait.
    bool post(User& user, Work work);

private:
    struct Item {
        User* user;
        Work work;
    };
    void run();
    void put(Item item);
    bool take();
    void turn();
    void end_transfers();
    void close(User* user);

    system::MultiHandle multi_;
    std::vector<User*> active_;   ///< loop's thread only
    std::mutex mutex_;            ///< guards the members below
    std::vector<User*> members_;  ///< users that may post
    std::vector<Item> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server
