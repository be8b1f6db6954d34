// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/loadgen/options.hpp"

// A request that is built once per connection; only the digits of {id} and {now} are written again
// for each sending.

namespace headway::bench {

class Request {
public:
    /// An HTTP request, or an XADD in mode kRedis, of `events` events.
    Request(const Options& options, unsigned connection, unsigned events);

    /// Writes the ids `first_id`, `first_id + 1`, ... (one per event) and the time; gives the bytes
    /// to send, valid until the next call.
    std::string_view stamp(std::uint64_t first_id, std::int64_t now_ns);

    unsigned events() const { return events_; }

private:
    struct Slot {
        std::size_t offset;
        unsigned event;
        bool is_time;
    };

    void append(std::string_view text, unsigned connection, unsigned event);

    std::string bytes_;
    std::vector<Slot> slots_;
    unsigned events_;
};

/// How many digits {id} and {now} have.
inline constexpr std::size_t kIdDigits = 16;
inline constexpr std::size_t kTimeDigits = 20;

}  // namespace headway::bench
