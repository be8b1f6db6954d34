// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/commands/command_sender.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/limits.hpp"
#include "server/process/signals_blocked.hpp"

namespace headway::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kIdle{60'000};

}  // namespace

CommandSender::CommandSender(std::vector<WebhookTarget> targets, Deliver deliver, Report report)
    : targets_(std::move(targets)),
      deliver_(std::move(deliver)),
      report_(std::move(report)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_.open()) throw std::system_error(errno, std::generic_category(), "no eventfd");
    const SignalsBlocked blocked;
    thread_ = std::thread{[this] { run(); }};
}

CommandSender::~CommandSender() {
    stop();
}

const WebhookTarget* CommandSender::find(const std::string& name) const {
    const auto found =
        std::find_if(targets_.begin(), targets_.end(),
                     [&](const WebhookTarget& target) { return target.endpoint().name == name; });
    return found == targets_.end() ? nullptr : &*found;
}

bool CommandSender::submit(WebhookJob job) {
    const WebhookTarget* const target = find(job.endpoint);
    if (target == nullptr || !target->problem().empty()) return false;
    {
        const std::lock_guard lock{mutex_};
        if (stopping_ || queue_.size() >= core::limits::kOutboundQueueMax) return false;
        queue_.push_back(std::move(job));
    }
    wake();
    return true;
}

void CommandSender::stop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake();
    if (thread_.joinable()) thread_.join();
}

void CommandSender::wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof one) == 0);  // full is awake
}

void CommandSender::run() {
    while (take()) {
        wait();
        turn();
    }
    for (const CommandRun& one : active_)
        deliver(one.cancelled());
    active_.clear();
}

/// Starts what was submitted; false at the end, after what was accepted has its result.
bool CommandSender::take() {
    std::vector<WebhookJob> jobs;
    bool stopping = false;
    {
        const std::lock_guard lock{mutex_};
        jobs.swap(queue_);
        stopping = stopping_;
    }
    for (WebhookJob& job : jobs) {
        if (stopping) {
            WebhookResult unsent;
            unsent.job = std::move(job);
            drop_bodies(unsent.job);
            deliver(std::move(unsent));
        } else {
            start(std::move(job));
        }
    }
    return !stopping;
}

void CommandSender::start(WebhookJob job) {
    WebhookResult unsent;
    unsent.job = job;
    drop_bodies(unsent.job);
    try {
        active_.emplace_back(*find(job.endpoint), std::move(job), link_);
    } catch (const std::exception& failure) {
        unsent.outcome = WebhookOutcome::kAway;
        unsent.reason = failure.what();
        deliver(std::move(unsent));
    }
}

void CommandSender::wait() {
    std::vector<pollfd> polls{{wake_.get(), POLLIN, 0}};
    auto until = Clock::steady() + kIdle;
    for (const CommandRun& one : active_) {
        one.wait_on(polls);
        until = std::min(until, one.next_turn());
    }
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::steady());
    const auto timeout = std::clamp(left, milliseconds{0}, kIdle);
    ::poll(polls.data(), polls.size(), static_cast<int>(timeout.count()));
    std::uint64_t count = 0;
    static_cast<void>(::read(wake_.get(), &count, sizeof count) == 0);
}

void CommandSender::turn() {
    for (auto one = active_.begin(); one != active_.end();) {
        if (!one->turn()) {
            ++one;
            continue;
        }
        WebhookResult result = one->result();
        one = active_.erase(one);
        deliver(std::move(result));
    }
}

void CommandSender::deliver(WebhookResult result) {
    try {
        deliver_(std::move(result));
    } catch (const std::exception& failure) {
        report_(true, std::string{"webhooks: a result was not taken: "} + failure.what());
    }
}

}  // namespace headway::server
