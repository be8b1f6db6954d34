#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headway::cli {

/// Events waiting to be delivered, bounded: when it is full, the oldest that can be spared goes
/// (heartbeats first, then messages). One thread at a time. Pure.
class Spool {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kBatchMax = 50;  // 50 messages of 10 kB stay under the body limit

    /// Gives the event an id that no other event of this spool has. `prefix` makes it unique in the
    /// session.
    explicit Spool(std::string prefix) : prefix_(std::move(prefix)) {}

    void add(const std::string& type, nlohmann::json data);

    /// The oldest events as one report; they stay until confirm(). Empty when there are none.
    nlohmann::json batch();
    /// The last batch was stored, or never can be.
    void confirm();

    /// Forgets everything; ids go on.
    void clear();

    std::size_t size() const { return events_.size(); }
    std::uint64_t dropped() const { return dropped_; }

private:
    void make_room();

    std::string prefix_;
    std::uint64_t next_ = 1;
    std::deque<nlohmann::json> events_;
    std::size_t in_flight_ = 0;  // events at the front that a report on its way carries
    std::uint64_t dropped_ = 0;
};

}  // namespace headway::cli
