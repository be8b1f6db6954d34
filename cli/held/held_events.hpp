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
    /// The agent's hooks name a call otherwise than its lines do.
    bool other_ids = false;
    bool late = false;  ///< it was read long after it was written
};

/// Events that wait until it is known whether hooks report them, so that nothing is counted twice,
/// and nothing is lost because hooks could have told it. A call is decided by its id. Events
/// without a call (messages, tokens) go the way of the calls beside them. Bounded. Pure.
class HeldEvents {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kCallsMax = ToldCalls::kCallsMax;
    /// Hooks report a call before its result is in a line. By then they have had their time.
    static constexpr std::chrono::seconds kFinishMax{10};
    /// Two results in a row that no hook has reported show sooner that hooks are silent.
    static constexpr std::chrono::seconds kRowMax{2};
    static constexpr std::size_t kRow = 2;
    /// A call that runs while no earlier one does, or while hooks have not reported any: the hook
    /// of a call in a row may come when those before it are over.
    static constexpr std::chrono::seconds kStartMax{20};
    /// While hooks are silent. They may begin to report at any time.
    static constexpr std::chrono::seconds kSilentMax{1};
    /// Tokens that hooks have not reported, while no call runs; messages, whatever runs.
    static constexpr std::chrono::minutes kUseMax{5};
    static constexpr std::chrono::minutes kFullMax{1};
    static constexpr std::chrono::milliseconds kLookEvery{500};
    static constexpr std::chrono::milliseconds kLookSeldom{5'000};

    void add(HeldEvent event, SteadyTime now);

    /// Takes an event of the journal that others have reported at `at`.
    void note(const Json& event, SteadyTime at);
    /// Some sessions of sub-agents cannot be read: results in a row that no hook has reported show
    /// nothing.
    void see_partly() { partly_ = true; }

    /// Drops what hooks have reported, and returns what has to be reported, in order. `over`: the
    /// agent has ended, and so have its hooks. `waits`: the session is paused, or a person has to
    /// decide, so a hook of a call that begins may be late.
    std::vector<HeldEvent> take(SteadyTime now, bool over, bool waits);
    /// Puts the next look off, as if take() had been called at `now`.
    void looked(SteadyTime now);

    /// When the journal should be read; nothing: no answer is wanted.
    std::optional<SteadyTime> next_look() const { return next_look_; }
    /// True if an event has waited for longer than a hook of the same session needs.
    bool looks_further(SteadyTime now) const;

    bool empty() const { return events_.empty(); }
    std::size_t size() const { return events_.size(); }
    /// True while so many wait that no more should be read. Not for long: what decides about them
    /// may be in what is not read.
    bool is_full(SteadyTime now) const {
        return events_.size() >= kEventsMax / 2 && now - events_.front().since < kFullMax;
    }
    /// True while hooks report nothing of what happens.
    bool silent() const { return silent_; }
    /// The number of events for which there was no room.
    std::uint64_t dropped() const { return dropped_; }
    void clear();

private:
    enum class Fate : std::uint8_t { kHeld, kDropped, kReleased };
    enum class Told : std::uint8_t { kNo, kAsked, kRun, kRunElsewhere };
    struct Item {
        HeldEvent event;
        std::string call;     // id of the call; empty: it is about no call
        std::string essence;  // if other ids are to be compared
        SteadyTime since;
        SteadyTime first;          // since when no earlier call of the lines is open
        std::uint64_t number = 0;  // in the order of the lines
        bool ends = false;         // of the call
        bool uses = false;         // has `usage`
        bool asked = false;        // hooks have only asked for the call so far
        Fate fate = Fate::kHeld;
    };
    struct Open {
        std::string told;          // id in the reports of hooks; empty: it was released
        std::uint64_t number = 0;  // of its start
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
    std::map<std::string, Open> open_;  // by their ids in lines: calls without a result so far
    std::optional<SteadyTime> next_look_;
    std::chrono::milliseconds look_after_{0};
    TokenSums told_tokens_{};  // since the last decision about tokens
    bool told_words_ = false;
    bool told_calls_ = false;  // a call of the lines was among those of hooks
    bool new_pair_ = false;
    bool silent_ = false;
    bool partly_ = false;
    std::size_t row_ = 0;  // results in a row that were released
    std::uint64_t unnamed_ = 0;
    std::uint64_t added_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace headway::cli
