// SPDX-License-Identifier: Apache-2.0
#include "core/values/watch.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/values/policy.hpp"

namespace headway::core {
namespace {

/// Older gaps affect no session's silence.
constexpr Millis kGapKept = 2 * kHeartbeatIntervalMax;

static_assert(Watch::kGapsMax >= 2 && Watch::kGapCounted > Millis{0});

}  // namespace

void Watch::begin_anew(Timestamp now) noexcept {
    since_ = now;
    count_ = 0;
}

void Watch::note_gap(Timestamp from, Timestamp to) noexcept {
    if (count_ > 0 && from < gaps_[count_ - 1].to) {
        gaps_[count_ - 1].to = std::max(gaps_[count_ - 1].to, to);
        return;
    }
    if (count_ == kGapsMax) {
        const auto known = gaps();
        const bool old = known.front().to + kGapKept < to;
        const auto least =
            std::min_element(known.begin(), known.end(),
                             [](const Gap& a, const Gap& b) { return a.length() < b.length(); });
        forget(old ? 0 : static_cast<std::size_t>(least - known.begin()));
    }
    HEADWAY_ASSERT(count_ < kGapsMax);
    gaps_[count_++] = {from, to};
}

void Watch::forget(std::size_t place) noexcept {
    HEADWAY_ASSERT(place < count_ && count_ <= kGapsMax);
    std::copy(gaps_.begin() + place + 1, gaps_.begin() + count_, gaps_.begin() + place);
    --count_;
}

Timestamp Watch::since(Millis asked) const noexcept {
    const auto known = gaps();
    const auto last = std::find_if(known.rbegin(), known.rend(),
                                   [&](const Gap& gap) { return gap.length() * 4 >= asked; });
    return last == known.rend() ? since_ : last->to;
}

Millis Watch::unheard_after(Timestamp at) const noexcept {
    Millis unheard = std::max(since_ - at, Millis{0});
    for (const Gap& gap : gaps()) {
        if (gap.to > at && gap.length() >= kGapCounted) unheard += gap.to - std::max(gap.from, at);
    }
    return unheard;
}

}  // namespace headway::core
