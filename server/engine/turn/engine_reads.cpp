// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/limits.hpp"
#include "server/engine/turn/engine.hpp"

// The read phase of a turn.

namespace headway::server {
namespace {

using namespace std::chrono_literals;

/// Time of reads in a turn while no request waits.
constexpr auto kReadsTurn = 20ms;
/// The minimum of the same while a request waits. Reads get as long as the last commit took, so
/// that both progress, also on a slow disk. A fast disk commits in 0.3 ms: with 2 ms for reads a
/// daemon took 3,000 reports a second with a p99 of 0.2 to 0.5 s beside readers, with this of 3 ms.
constexpr auto kReadsShare = 800us;

/// Reads that may be begun at a time: each of them may hold a page.
constexpr std::size_t kReadsBegun = 8;

/// Counts the slice of the first read, which is not complete. One that has had kReadsTurn lets the
/// next ones go first, so that a long query does not hold up short ones.
void take_turns(std::deque<Request>& reads, Clock::Steady::duration& had,
                Clock::Steady::duration slice) {
    had += slice;
    if (had < kReadsTurn) return;
    had = {};
    const auto begun = static_cast<std::ptrdiff_t>(std::min(reads.size(), kReadsBegun));
    std::rotate(reads.begin(), reads.begin() + 1, reads.begin() + begun);
}

/// Drops the queries of closed connections, so that they do not delay others.
void drop_reads(std::deque<Request>& reads, std::vector<std::uint64_t> connections) {
    if (connections.empty() || reads.empty()) return;
    std::sort(connections.begin(), connections.end());
    std::erase_if(reads, [&connections](const Request& request) {
        return !request.read->shared() && std::binary_search(connections.begin(), connections.end(),
                                                             request.reply_to.connection);
    });
}

}  // namespace

void Engine::take_reads(std::vector<Request>& requests) {
    for (Request& request : requests) {
        if (request.read != nullptr) reads_.push_back(std::move(request));
    }
    drop_reads(reads_, queue_.take_forgotten());
    queue_.hold(reads_.size());
}

/// Answers queries in slices, a few at a time, for a limited time per turn: thousands of readers
/// must neither delay reports nor hold all their pages in memory. While requests wait, readers get
/// a share of the time, so that they progress too. Answers are published in small parts, which the
/// I/O thread handles between other work.
void Engine::answer_reads() {
    if (reads_.empty()) return;
    const auto started = Clock::steady();
    auto handed_over = started;
    std::size_t bytes = 0;
    auto publication = std::make_unique<Publication>();
    const auto hand_over = [&] {
        handed_over = Clock::steady();
        if (publication->replies.empty()) return;
        announce(std::exchange(publication, std::make_unique<Publication>()));
    };
    const auto share =
        std::clamp<std::chrono::microseconds>(commits_.last(), kReadsShare, kReadsTurn);
    const auto may_go_on = [&] {
        const auto most = queue_.has_waiting() ? share : kReadsTurn;
        return !reads_.empty() && bytes < core::limits::kPublicationBytesMax &&
               Clock::steady() - started < most;
    };
    do {
        // With one core for both threads, lets the I/O thread send and receive between two slices.
        std::this_thread::yield();
        Request& request = reads_.front();
        const auto began = Clock::steady();
        if (!read_some(request)) {
            take_turns(reads_, front_read_, Clock::steady() - began);
            continue;
        }
        front_read_ = {};
        bytes += request.read->bytes();
        publication->replies.push_back({request.reply_to, std::move(request.read)});
        reads_.pop_front();
        queue_.hold(reads_.size());
        if (Clock::steady() - handed_over >= kReadsShare) hand_over();
    } while (may_go_on());
    queue_.hold(reads_.size());
    hand_over();
}

bool Engine::read_some(Request& request) {
    core::Result<bool> done =
        lost_ && !regain()
            ? core::Result<bool>{core::Error{
                  core::ErrorCode::kStorageUnavailable, "the journal cannot be read", {}}}
            : [&] {
                  Reader reader{parts_};
                  return request.read->read(reader);
              }();
    if (done) return *done;
    request.read->fail(std::move(done).error());
    return true;
}

}  // namespace headway::server
