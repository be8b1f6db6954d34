// SPDX-License-Identifier: Apache-2.0
#include "server/engine/cluster/cluster_hints.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace headway::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kTellEvery = 50ms;
constexpr core::Millis kLookEvery = 1s;

}  // namespace

ClusterHints::ClusterHints(std::unique_ptr<storage::Hints> hints, CommandQueue& queue)
    : hints_(std::move(hints)),
      queue_(queue),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

ClusterHints::~ClusterHints() {
    ends_ = true;
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
    thread_.join();
    ::close(wake_);
}

void ClusterHints::committed() {
    if (committed_.exchange(true)) return;  // a hint will follow
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
}

void ClusterHints::run() {
    ::pthread_setname_np(::pthread_self(), "hints");
    while (!ends_) {
        if (hints_->wait(wake_, kLookEvery)) {
            told_ = true;
            queue_.poke();
        }
        std::uint64_t count = 0;
        (void)!::read(wake_, &count, sizeof count);
        if (ends_ || !committed_.exchange(false)) continue;
        hints_->tell();
        // The next hint is for what is committed meanwhile.
        std::this_thread::sleep_for(kTellEvery);
    }
}

}  // namespace headway::server
