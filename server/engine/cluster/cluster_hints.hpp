// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "server/engine/base/command_queue.hpp"
#include "storage/store/shared_store.hpp"

namespace headway::server {

/// The thread that passes hints between daemons that share a store: it reports this daemon's
/// commits to the others, at most twenty times a second, and wakes the engine when a hint from
/// another daemon arrives.
class ClusterHints {
public:
    ClusterHints(std::unique_ptr<storage::Hints> hints, CommandQueue& queue);
    ClusterHints(const ClusterHints&) = delete;
    ClusterHints& operator=(const ClusterHints&) = delete;
    /// Ends the thread.
    ~ClusterHints();

    /// Called after a commit that the other daemons should read. Engine thread.
    void committed();
    /// True, once per hint, if another daemon may have committed. Engine thread.
    bool take() { return told_.exchange(false); }

private:
    void run();

    std::unique_ptr<storage::Hints> hints_;
    CommandQueue& queue_;
    int wake_ = -1;  ///< eventfd that wakes the thread
    std::atomic<bool> committed_{false};
    std::atomic<bool> told_{false};
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

}  // namespace headway::server
