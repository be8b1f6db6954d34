// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/clock.hpp"

namespace headway::server {

/// The one thread that uses libcurl. It drives the transfers of all its users together, so that
/// none waits for another.
class CurlLoop {
public:
    using Instant = Clock::Steady::time_point;

    /// Called on the loop's thread only, in turns: start(), ended() for each transfer that has
    /// ended, finish(). All its transfers are on the handle that start() gets.
    class User {
    public:
        virtual ~User() = default;
        /// Takes new work and starts what is due.
        virtual void start(CURLM* multi) = 0;
        /// False when the transfer belongs to another user.
        virtual bool ended(CURL* handle, CURLcode code) = 0;
        /// Ends transfers that took too long and starts others in their place. Returns the time of
        /// the next turn at the latest.
        virtual Instant finish() = 0;
        /// Ends all its transfers; no turn follows.
        virtual void close() = 0;
        /// One of the above threw; close() follows.
        virtual void failed(const std::string& why) = 0;
    };

    CurlLoop();
    CurlLoop(const CurlLoop&) = delete;
    CurlLoop& operator=(const CurlLoop&) = delete;
    ~CurlLoop();  ///< closes the remaining users and ends the thread

    /// Any thread. The user must not move until it is removed.
    void add(User& user);
    /// Any thread but the loop's. Returns when the user is closed and not called any more.
    /// Idempotent.
    void remove(User& user);
    /// Any thread: a user has something to start.
    void wake();

private:
    struct FreeMulti {
        void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
    };

    void run();
    bool take();
    void turn();
    void end_transfers();
    void close(User* user);

    std::unique_ptr<CURLM, FreeMulti> multi_;
    std::vector<User*> active_;  ///< loop's thread only
    std::mutex mutex_;           ///< guards what follows
    std::condition_variable gone_;
    std::vector<User*> members_;  ///< added and not closed
    std::vector<User*> coming_;
    std::vector<User*> going_;
    bool stopping_ = false;
    std::thread thread_;
};

/// Initializes libcurl once per process. There is no cleanup, because another user of libcurl may
/// outlive the last loop.
void need_curl();

}  // namespace headway::server
