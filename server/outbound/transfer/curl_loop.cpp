// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/curl_loop.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <future>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "server/process/signals_blocked.hpp"

namespace headway::server {
namespace {

using std::chrono::milliseconds;

/// Upper bound of a wait; a spurious wake-up is cheap.
constexpr milliseconds kIdleTurn{60'000};

/// A tenth of the share of a thread with 0, when there is not enough for both.
constexpr int kNice = 10;

bool contains(const std::vector<CurlLoop::User*>& users, const CurlLoop::User* user) {
    return std::find(users.begin(), users.end(), user) != users.end();
}

/// False when the call threw, in practice for lack of memory.
template <class Call>
bool attempt(CurlLoop::User& user, const Call& call) {
    try {
        call();
        return true;
    } catch (const std::exception& failure) {
        user.failed(failure.what());
        return false;
    }
}

}  // namespace

CurlLoop::CurlLoop() : multi_(system::make_multi()) {
    const SignalsBlocked blocked;
    thread_ = std::thread{[this] { run(); }};
}

CurlLoop::~CurlLoop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    curl_multi_wakeup(multi_.get());
    thread_.join();
}

void CurlLoop::add(User& user) {
    const std::lock_guard lock{mutex_};
    members_.push_back(&user);
    put({&user, [this, &user] {
             active_.push_back(&user);
             user.begin(multi_.get());
         }});
}

void CurlLoop::remove(User& user) {
    // Shared, because set_value() may still be at work when the waiting thread goes on.
    const auto gone = std::make_shared<std::promise<void>>();
    {
        const std::lock_guard lock{mutex_};
        put({&user, [this, &user, gone] {
                 close(&user);
                 gone->set_value();
             }});
        std::erase(members_, &user);
    }
    gone->get_future().wait();
}

bool CurlLoop::post(User& user, Work work) {
    const std::lock_guard lock{mutex_};
    if (stopping_ || !contains(members_, &user) || queue_.size() >= core::limits::kOutboundQueueMax)
        return false;
    put({&user, std::move(work)});
    return true;
}

/// The caller holds the mutex. The thread was woken already for what waits.
void CurlLoop::put(Item item) {
    queue_.push_back(std::move(item));
    if (queue_.size() == 1) curl_multi_wakeup(multi_.get());
}

void CurlLoop::run() {
    // A handshake takes milliseconds of CPU, and agents do not wait for one: on a full core the
    // threads of I/O and engine go first. Linux has a nice value for each thread. Where a sandbox
    // forbids the call, they share.
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
    while (take())
        turn();
    while (!active_.empty())
        close(active_.back());
}

/// False when the loop must end.
bool CurlLoop::take() {
    std::vector<Item> items;
    bool stopping = false;
    {
        const std::lock_guard lock{mutex_};
        items.swap(queue_);
        stopping = stopping_;
    }
    for (const Item& item : items) {
        if (!attempt(*item.user, item.work)) close(item.user);
    }
    return !stopping;
}

void CurlLoop::turn() {
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    end_transfers();
    Instant next = Clock::steady() + kIdleTurn;
    for (std::size_t at = 0; at < active_.size();) {
        User* const user = active_[at];
        if (attempt(*user, [&] { next = std::min(next, user->finish()); })) {
            ++at;
        } else {
            close(user);
        }
    }
    const auto left = time_source::longest_wait(next - Clock::steady());
    const auto wait = std::chrono::ceil<milliseconds>(left).count();
    // Also returns for libcurl's own timers, for transfers that were just added, and on put().
    curl_multi_poll(multi_.get(), nullptr, 0,
                    static_cast<int>(std::max<milliseconds::rep>(0, wait)), nullptr);
}

void CurlLoop::end_transfers() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL* const handle = message->easy_handle;
        const CURLcode code = message->data.result;  // the message is freed with the transfer
        bool found = false;
        bool closed = false;
        for (std::size_t at = 0; at < active_.size() && !found;) {
            User* const user = active_[at];
            if (attempt(*user, [&] { found = user->ended(handle, code); })) {
                ++at;
                continue;
            }
            close(user);
            closed = true;  // its transfers are gone, maybe with this one: the others are asked
        }
        HEADWAY_ASSERT(found || closed);
    }
}

void CurlLoop::close(User* user) {
    {
        const std::lock_guard lock{mutex_};
        std::erase(members_, user);
    }
    if (std::erase(active_, user) > 0) user->close();
}

}  // namespace headway::server
