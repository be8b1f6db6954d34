// SPDX-License-Identifier: Apache-2.0
#include "core/outbound/webhook_groups.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace headway::core {

void SendWindow::delivered(const PeopleLimits& limits, Timestamp now) noexcept {
    // A clock that was set back does not keep a window open.
    if (began_ == kNever || now < began_ || now - began_ >= limits.window) {
        began_ = now;
        sent_ = 0;
    }
    ++sent_;
}

std::vector<std::size_t> told_together(std::span<const WaitingNotice> waiting, bool backlog) {
    HEADWAY_ASSERT(!waiting.empty());
    const auto asking = std::find_if(waiting.begin(), waiting.end(), [](const WaitingNotice& one) {
        return one.asks && !one.refused;
    });
    const auto head = backlog || asking == waiting.end() ? waiting.begin() : asking;
    std::vector<std::size_t> together;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const WaitingNotice& one = waiting[i];
        const bool is_head = &one == &*head;
        const bool may = !one.refused && !head->refused;
        const bool alike =
            !one.asks && !head->asks && !head->cause.empty() && one.cause == head->cause;
        if (is_head || (may && (backlog || alike))) together.push_back(i);
    }
    return together;
}

}  // namespace headway::core
