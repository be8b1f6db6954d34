// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/deadlines.hpp"

namespace headway::server {

void Deadlines::schedule(storage::SessionKey key, core::Timestamp at) {
    if (at == core::kNever) return;
    auto [entry, fresh] = live_.try_emplace(key, at);
    if (!fresh) {
        if (entry->second <= at) return;
        entry->second = at;
    }
    heap_.emplace(at, key);
}

std::optional<storage::SessionKey> Deadlines::pop_due(core::Timestamp now) {
    while (!heap_.empty() && heap_.top().first <= now) {
        const auto [at, key] = heap_.top();
        heap_.pop();
        const auto entry = live_.find(key);
        if (entry == live_.end() || entry->second != at) continue;  // superseded by an earlier one
        live_.erase(entry);
        return key;
    }
    return std::nullopt;
}

std::optional<core::Timestamp> Deadlines::next() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.top().first;
}

void Deadlines::clear() {
    heap_ = {};
    live_.clear();
}

}  // namespace headway::server
