// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "core/base/time.hpp"
#include "server/http/sockets/peer.hpp"

namespace headway::server {

/// Failed authentications by client address. After limits::kAuthFailuresFree failures, an address
/// must pause after each further failure; each pause is twice as long as the one before, up to
/// limits::kAuthPauseMax. A valid token never has to wait, so a broken agent cannot lock out an
/// operator with the same address. IPv6 addresses are grouped by /64, the range of one machine.
/// Bounded by limits::kAuthAddressesMax. I/O thread only.
class AuthFailures {
public:
    struct Outcome {
        core::Millis pause{0};  ///< rest of a pause that began earlier; 0 if there is none
        bool first = false;     ///< this failure begins the first pause of the address
    };
    /// Records a failed authentication. A failure within a pause does not extend it.
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

    std::list<Entry> entries_;  ///< most recent failure first
    std::map<Address, std::list<Entry>::iterator> by_address_;
};

}  // namespace headway::server
