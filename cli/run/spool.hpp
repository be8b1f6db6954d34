// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace headway::cli {

class Json;

/// Events waiting to be delivered, bounded: when it is full, the oldest that can be spared goes
/// (heartbeats without figures first, then messages, then anything). One thread at a time. Pure.
class Spool {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kBatchMax = 50;  // 50 messages of 10 kB stay under the body limit
    /// Half of the body limit: what is added to it is at most one event of 200 kB.
    static constexpr std::size_t kBatchBytesMax = 500'000;

    /// Gives each event an id that no other event of this spool has. `prefix` makes it unique in
    /// the session.
    explicit Spool(std::string prefix) : prefix_(std::move(prefix)) {}

    /// `hooks_tell`: see drop_told().
    void add(const std::string& type, const Json& data, bool hooks_tell = false);
    /// The same with an id that begins so, for readers who have to know who wrote it.
    void add_as(std::string_view author, const std::string& type, const Json& data);

    /// The oldest events as one report, a JSON array; they stay until confirm(), and the same come
    /// again until then.
    std::string batch();
    /// The last batch was stored, or never can be.
    void confirm();
    /// The last batch was refused: its events come one by one, so that one alone is lost. False: it
    /// was one event.
    bool narrow();
    /// The agent's hooks report the events that were added with `hooks_tell`: they are dropped,
    /// except for those on their way.
    void drop_told();
    /// Whether there is something that drop_told() would drop.
    bool has_told() const;
    /// Forgets everything; ids go on.
    void clear();

    std::size_t size() const { return events_.size(); }
    std::uint64_t dropped() const { return dropped_; }

private:
    struct Event {
        std::string type;
        std::string text;  // JSON
        bool hooks_tell;
        bool figures;  // a heartbeat that nothing makes good
    };

    void make_room();
    void put(std::string_view author, const std::string& type, const Json& data, bool hooks_tell);

    std::string prefix_;
    std::uint64_t next_ = 1;
    std::deque<Event> events_;
    std::size_t in_flight_ = 0;  // events at the front that a report on its way carries
    std::size_t alone_ = 0;      // events at the front that go one by one
    std::uint64_t dropped_ = 0;
};

}  // namespace headway::cli
