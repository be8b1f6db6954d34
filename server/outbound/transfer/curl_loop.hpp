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

/// The one thread that uses libcurl. It drives the transfers of all its users together, so that
/// none waits for another. All that comes in, comes by one queue in the order of the calls: users,
/// their work, their removal.
class CurlLoop {
public:
    using Instant = Clock::Steady::time_point;
    using Work = std::function<void()>;

    /// Called on the loop's thread only: begin(), then turns, which are its new work, ended() for
    /// each transfer that has ended, and finish(). None is called from inside of libcurl.
    class User {
    public:
        virtual ~User() = default;
        /// All its transfers are on this handle.
        virtual void begin(CURLM* multi) = 0;
        /// False when the transfer belongs to another user.
        virtual bool ended(CURL* handle, CURLcode code) = 0;
        /// Ends transfers that took too long and starts what is due. Returns the time of the next
        /// turn at the latest.
        virtual Instant finish() = 0;
        /// Ends all its transfers; no turn follows, but work may that was posted before.
        virtual void close() = 0;
        /// One of the above or its work threw; close() follows.
        virtual void failed(const std::string& why) = 0;
    };

    CurlLoop();
    CurlLoop(const CurlLoop&) = delete;
    CurlLoop& operator=(const CurlLoop&) = delete;
    ~CurlLoop();  ///< does the work that is queued, closes the remaining users, ends the thread

    /// Any thread. The user must not move until it is removed.
    void add(User& user);
    /// Any thread but the loop's. Returns when the user is closed and not called any more.
    /// Idempotent.
    void remove(User& user);
    /// Any thread: `work` runs on the loop's thread, exactly once. False, and it does not run: the
    /// user is removed or failed, or limits::kOutboundQueueMax wait.
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
    std::mutex mutex_;            ///< guards what follows
    std::vector<User*> members_;  ///< those that may post
    std::vector<Item> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server
