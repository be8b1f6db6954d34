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

/// The one thread that touches libcurl while it is shared: it drives the transfers of all its users
/// together, so that none of them waits for another.
class CurlLoop {
public:
    using Instant = Clock::Steady::time_point;

    /// Called on the loop's thread only, in turns: start(), ended() for each transfer that has
    /// ended, finish(). Its transfers are on the handle that start() was given, and nowhere else.
    class User {
    public:
        virtual ~User() = default;
        /// Takes what came, and starts what is due.
        virtual void start(CURLM* multi) = 0;
        /// False when the transfer is not one of its own.
        virtual bool ended(CURL* handle, CURLcode code) = 0;
        /// Ends what has taken too long, starts others in the place of what has ended. When it
        /// wants its next turn, whatever happens.
        virtual Instant finish() = 0;
        /// Ends all its transfers; it has no further turn.
        virtual void close() = 0;
        /// One of the above threw; close() follows.
        virtual void failed(const std::string& why) = 0;
    };

    CurlLoop();
    CurlLoop(const CurlLoop&) = delete;
    CurlLoop& operator=(const CurlLoop&) = delete;
    ~CurlLoop();  ///< closes those that are left, and ends the thread

    /// Any thread. The user stays where it is until it is removed.
    void add(User& user);
    /// Any thread but the loop's. Returns when the user is closed and not called any more. Once
    /// more does nothing.
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

/// libcurl's own globals, once in a process and never given back: another user of libcurl may still
/// need them when the last loop is gone.
void need_curl();

}  // namespace headway::server
