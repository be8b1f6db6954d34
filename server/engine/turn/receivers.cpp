// SPDX-License-Identifier: Apache-2.0
#include "server/engine/turn/receivers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headway::server {

using Keys = std::vector<storage::SessionKey>;

Keys hold_back(Keys& receivers, storage::SessionKey& last) {
    if (receivers.size() <= kReceiversPerTurn) return {};
    const auto next = std::upper_bound(receivers.begin(), receivers.end(), last);
    const auto behind = static_cast<std::size_t>(receivers.end() - next);
    std::rotate(receivers.begin(), next, receivers.end());
    last = receivers[kReceiversPerTurn - 1];
    Keys later(receivers.begin() + kReceiversPerTurn, receivers.end());
    receivers.resize(kReceiversPerTurn);
    const auto seam = [behind](Keys& keys, std::size_t skipped) {
        const std::size_t place = std::min(behind - std::min(behind, skipped), keys.size());
        std::inplace_merge(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(place),
                           keys.end());
    };
    seam(receivers, 0);
    seam(later, kReceiversPerTurn);
    return later;
}

void add_receivers(Keys& receivers, const Keys& more) {
    if (more.empty()) return;
    Keys both;
    both.reserve(receivers.size() + more.size());
    std::set_union(receivers.begin(), receivers.end(), more.begin(), more.end(),
                   std::back_inserter(both));
    receivers = std::move(both);
}

}  // namespace headway::server
