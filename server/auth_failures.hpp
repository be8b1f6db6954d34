// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "core/time.hpp"
#include "server/peer.hpp"

namespace headway::server {

/// Who keeps showing tokens that do not count, by address: after limits::kAuthFailuresFree of them
/// an address is asked to pause, each time twice as long. Only failures are ever told here: whoever
/// shows the right token never waits, so a broken agent cannot lock out the operator who shares its
/// address. Addresses of IPv6 count by their /64, which is what one machine has. Bounded by
/// limits::kAuthAddressesMax. I/O thread only.
class AuthFailures {
public:
    struct Outcome {
        core::Millis pause{0};  ///< what is left of a pause that was asked for before; 0: none was
        bool first = false;     ///< the address has just been asked for its first pause
    };
    /// Another token that does not count. A failure within a pause does not make it longer.
    Outcome note(const Peer& peer, core::Timestamp now);
    std::size_t size() const noexcept { return entries_.size(); }

private:
    using Address = std::array<std::uint8_t, 16>;
    struct Entry {
        Address address{};
        std::uint32_t failures = 0;
        core::Timestamp last;
        core::Timestamp until;
    };
    Entry& entry_of(const Address& address, core::Timestamp now);

    std::list<Entry> entries_;  ///< that failed last first
    std::map<Address, std::list<Entry>::iterator> by_address_;
};

}  // namespace headway::server
