// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace headway::cli {

class Json;

/// Events waiting to be delivered, bounded: when it is full, the oldest that can be spared goes
/// (heartbeats first, then messages). One thread at a time. Pure.
class Spool {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kBatchMax = 50;  // 50 messages of 10 kB stay under the body limit

    /// Gives each event an id that no other event of this spool has. `prefix` makes it unique in
    /// the session.
    explicit Spool(std::string prefix) : prefix_(std::move(prefix)) {}

    void add(const std::string& type, const Json& data);

    /// The oldest events as one report, a JSON array; they stay until confirm(), and the same come
    /// again until then.
    std::string batch();
    /// The last batch was stored, or never can be.
    void confirm();
    /// Forgets everything; ids go on.
    void clear();

    std::size_t size() const { return events_.size(); }
    std::uint64_t dropped() const { return dropped_; }

private:
    struct Event {
        std::string type;
        std::string text;  // JSON
    };

    void make_room();

    std::string prefix_;
    std::uint64_t next_ = 1;
    std::deque<Event> events_;
    std::size_t in_flight_ = 0;  // events at the front that a report on its way carries
    std::uint64_t dropped_ = 0;
};

}  // namespace headway::cli
