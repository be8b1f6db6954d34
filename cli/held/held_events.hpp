// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/held/told_calls.hpp"
#include "cli/held/use_sums.hpp"

namespace headway::cli {

/// An event that an agent's hooks may report as well.
struct HeldEvent {
    std::string type;
    Json data;
    std::string report = {};  ///< the whole report as JSON text, if it was made already
    /// The agent's hooks and its lines have different ids for one call.
    bool other_ids = false;
    bool late = false;  ///< it was read long after it was written
};

/// Holds events until it is known whether the agent's hooks have reported them too, so that no
/// event is counted twice and none is lost. A call is decided by its id. Events without a call
/// (messages, tokens) are decided together with the calls next to them. Bounded. Pure.
class HeldEvents {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kCallsMax = ToldCalls::kCallsMax;
    /// How long the result of a call is held. Hooks report a call before its result is in a line,
    /// so a report that comes later is not expected.
    static constexpr std::chrono::seconds kFinishMax{10};
    /// Age at which consecutive results that no hook has reported show that hooks are silent; kRow
    /// of them are needed.
    static constexpr std::chrono::seconds kRowMax{2};
    static constexpr std::size_t kRow = 2;
    /// How long the start of a call is held. Once hooks have reported a call, this time counts only
    /// while no earlier call is open, because the hook of a queued call may come when the calls
    /// before it are over.
    static constexpr std::chrono::seconds kStartMax{20};
    /// How long an event is held while hooks are silent, since they may begin to report at any
    /// time.
    static constexpr std::chrono::seconds kSilentMax{1};
    /// How long tokens that hooks have not reported are held while no call runs. Also how long
    /// messages are held, even while calls run.
    static constexpr std::chrono::minutes kUseMax{5};
    static constexpr std::chrono::minutes kFullMax{1};
    static constexpr std::chrono::milliseconds kLookEvery{500};
    static constexpr std::chrono::milliseconds kLookSeldom{5'000};

    void add(HeldEvent event, SteadyTime now);

    /// Takes an event of the journal that another reporter added at `at`.
    void note(const Json& event, SteadyTime at);
    /// Called when some sessions of sub-agents cannot be read. Results that no hook has reported
    /// then prove nothing.
    void see_partly() { partly_ = true; }

    /// Drops the events that hooks have reported, and returns those that must be reported, in
    /// order. `over`: the agent has ended, so no further hook comes. `waits`: the session is paused
    /// or waits for a person's decision, so the hook of a new call may be late.
    std::vector<HeldEvent> take(SteadyTime now, bool over, bool waits);
    /// Postpones next_look(), as if take() had been called at `now`.
    void looked(SteadyTime now);

    /// When the journal should be read next; nothing: no event is held.
    std::optional<SteadyTime> next_look() const { return next_look_; }
    /// True if a call has waited for longer than a hook of the same session needs, so that the
    /// sessions of sub-agents must be read too.
    bool looks_further(SteadyTime now) const;

    bool empty() const { return events_.empty(); }
    std::size_t size() const { return events_.size(); }
    /// True while so many events are held that no further lines should be read; at most for
    /// kFullMax, because the unread lines may decide about the held events.
    bool is_full(SteadyTime now) const {
        return events_.size() >= kEventsMax / 2 && now - events_.front().since < kFullMax;
    }
    /// True while hooks do not report the calls in the lines.
    bool silent() const { return silent_; }
    /// The number of events for which there was no room.
    std::uint64_t dropped() const { return dropped_; }
    void clear();

private:
    enum class Fate : std::uint8_t { kHeld, kDropped, kReleased };
    enum class Told : std::uint8_t { kNo, kAsked, kRun, kRunElsewhere };
    struct Item {
        HeldEvent event;
        std::string call;     // id of the call; empty: the event is about no call
        std::string essence;  // essence_of() the call, if its hooks use other ids
        SteadyTime since;
        SteadyTime first;          // since this time, no earlier call of the lines has been open
        std::uint64_t number = 0;  // position in the order of the lines
        bool ends = false;         // the event is the end of the call
        bool uses = false;         // the event has `usage`
        bool asked = false;        // hooks have only requested approval of the call so far
        Fate fate = Fate::kHeld;
    };
    struct Open {
        std::string told;  // the call's id in the reports of hooks; empty: its start was released
        std::uint64_t number = 0;  // Item::number of its start
    };

    Told find_told(const Item& item, SteadyTime now, bool over);
    std::optional<std::string> take_told(const Item& item, SteadyTime now, bool over);
    void pair_calls(SteadyTime now, bool over);
    void pair(Item& item, SteadyTime now, bool over);
    void drop_starts();
    void find_first(SteadyTime now, bool waits);
    void judge(SteadyTime now, bool over, bool waits);
    void decide_calls(SteadyTime now, bool over, bool waits);
    void release(Item& item);
    void decide_others(SteadyTime now, bool over);
    void decide_uses(SteadyTime now, bool over);
    void release_uses();
    bool is_due(const Item& item, SteadyTime now, bool over, bool waits) const;
    bool runs() const;
    void make_room();
    bool merge_uses();

    std::deque<Item> events_;
    ToldCalls told_;
    std::map<std::string, Open> open_;  // calls without a result so far, by their ids in lines
    std::optional<SteadyTime> next_look_;
    std::chrono::milliseconds look_after_{0};
    TokenSums told_tokens_{};  // tokens of hooks since the last decision
    bool told_words_ = false;
    bool told_calls_ = false;  // hooks have reported a call of the lines
    bool new_pair_ = false;
    bool silent_ = false;
    bool partly_ = false;
    std::size_t row_ = 0;  // released results since the last one that hooks had reported
    std::uint64_t unnamed_ = 0;
    std::uint64_t added_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace headway::cli
