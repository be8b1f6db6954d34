// SPDX-License-Identifier: Apache-2.0
#include "core/outbound/webhook_groups.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace headway::core {

void SendWindow::delivered(const PeopleLimits& limits, Timestamp now, bool urgent) noexcept {
    // A clock that was set back does not keep a window open.
    if (began_ == kNever || now < began_ || now - began_ >= limits.window) {
        began_ = now;
        sent_ = 0;
        others_ = 0;
    }
    ++sent_;
    if (!urgent) ++others_;
}

std::vector<std::size_t> told_together(std::span<const WaitingNotice> waiting, bool backlog,
                                       bool crowded) {
    HEADWAY_ASSERT(!waiting.empty());
    const auto first = [&waiting](bool WaitingNotice::*kind) {
        return std::find_if(waiting.begin(), waiting.end(),
                            [kind](const auto& one) { return one.*kind && !one.refused; });
    };
    auto head = backlog ? waiting.begin() : first(&WaitingNotice::alarm);
    if (head == waiting.end()) head = first(&WaitingNotice::asks);
    if (head == waiting.end()) head = waiting.begin();
    std::vector<std::size_t> together;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const WaitingNotice& one = waiting[i];
        const bool is_head = &one == &*head;
        const bool may = !one.refused && !head->refused;
        const bool alike =
            !one.asks && !head->asks && !head->cause.empty() && one.cause == head->cause;
        const bool questions = crowded && one.asks && head->asks && !one.alarm && !head->alarm;
        if (is_head || (may && (backlog || alike || questions))) together.push_back(i);
    }
    return together;
}

}  // namespace headway::core
