// SPDX-License-Identifier: Apache-2.0
#include "server/access/auth_failures.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr std::uint32_t kDoublingsMax = 16;  // far beyond the longest pause

core::Millis pause_after(std::uint32_t failures) {
    const std::uint32_t doublings =
        std::min(failures - limits::kAuthFailuresFree - 1, kDoublingsMax);
    return std::min<core::Millis>(limits::kAuthPauseBase * (1U << doublings),
                                  limits::kAuthPauseMax);
}

}  // namespace

AuthFailures::Entry& AuthFailures::entry_of(const Address& address, core::Timestamp now) {
    if (const auto known = by_address_.find(address); known != by_address_.end()) {
        Entry& entry = *known->second;
        if (now - entry.last >= limits::kAuthForget) entry.failures = 0;
        entries_.splice(entries_.begin(), entries_, known->second);
        return entry;
    }
    if (entries_.size() >= limits::kAuthAddressesMax) {
        by_address_.erase(entries_.back().address);
        entries_.pop_back();
    }
    Entry& entry = entries_.emplace_front();
    entry.address = address;
    entry.until = now;
    by_address_.emplace(address, entries_.begin());
    return entry;
}

AuthFailures::Outcome AuthFailures::note(const Peer& peer, core::Timestamp now) {
    Address address = peer.address;
    if (!net::ip::address_v6{address}.is_v4_mapped()) {
        std::fill(address.begin() + 8, address.end(), std::uint8_t{0});
    }
    Entry& entry = entry_of(address, now);
    entry.last = now;
    if (now < entry.until) return {entry.until - now, false};
    if (++entry.failures <= limits::kAuthFailuresFree) return {};
    entry.until = now + pause_after(entry.failures);
    return {core::Millis{0}, entry.failures == limits::kAuthFailuresFree + 1};
}

}  // namespace headway::server
