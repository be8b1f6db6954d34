// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/held/held_events.hpp"

namespace headway::cli {

/// Events that wait to be delivered. Their number is bounded: if the spool is full, the oldest
/// heartbeat without usage is dropped, else the oldest message. If there is neither, two heartbeats
/// with usage are added up into one. If this is impossible too, the oldest event without usage is
/// dropped, and at last the oldest event. Events in a report on its way stay. One thread at a time.
/// Pure.
class Spool {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kBatchMax = 50;  // 50 messages of 10 kB stay under the body limit
    /// Maximum size of a report of several events: about half of the body limit.
    static constexpr std::size_t kBatchBytesMax = 500'000;

    /// Gives each event an id that no other event of this spool has. `prefix` makes these ids
    /// unique in the session.
    explicit Spool(std::string prefix) : prefix_(std::move(prefix)) {}

    /// `hooks_tell`: see take_told(). `other_ids`: as of HeldEvent.
    void add(const std::string& type, const Json& data, bool hooks_tell = false,
             bool other_ids = false);
    /// add() with an id that begins with `author`, for readers who must know the author.
    void add_as(std::string_view author, const std::string& type, const Json& data);

    /// The oldest events as one report, a JSON array. They stay until confirm() or narrow(), and
    /// until then further calls return the same events.
    std::string batch();
    /// Called when the last batch was stored, or can never be stored.
    void confirm();
    /// Called when the last batch was refused: its events now come one by one, so that only the
    /// invalid ones are lost. False if the batch was a single event.
    bool narrow();
    /// Called when the agent has hooks, which may report the events that were added with
    /// `hooks_tell`: takes these events out, except those that are being sent or come one by one.
    std::vector<HeldEvent> take_told();
    /// True if an event that was added with `hooks_tell` waits.
    bool has_told() const;
    /// True if an event about this call waits.
    bool names_call(const std::string& call_id) const;
    /// Called when the session has ended and the events go to its next generation: drops the ends
    /// of calls that began before all events here. They are of the ended session, and could be
    /// taken for the end of an equal call that waits for a person.
    void drop_ends_of_earlier_calls();
    /// Drops all events; the numbering of the ids continues.
    void clear();

    std::size_t size() const { return events_.size(); }
    /// Number of events dropped because the spool was full.
    std::uint64_t dropped() const { return dropped_; }

private:
    struct Event {
        std::string type;
        std::string text;  // JSON
        bool hooks_tell;
        bool other_ids;
        bool figures;  // has `usage`, which no later heartbeat repeats
    };

    void make_room();
    bool merge_figures();
    void put(std::string_view author, const std::string& type, const Json& data, bool hooks_tell,
             bool other_ids);

    std::string prefix_;
    std::uint64_t next_ = 1;
    std::deque<Event> events_;
    std::size_t in_flight_ = 0;  // events at the front that are in a report on its way
    std::size_t alone_ = 0;      // events at the front to be sent one by one
    std::uint64_t dropped_ = 0;
};

}  // namespace headway::cli
