// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {

/// An event that an agent's hooks may report as well.
struct HeldEvent {
    std::string type;
    Json data;
    std::string report = {};  ///< the whole report as JSON text, if it was made already
    /// The agent's hooks name a call otherwise than its lines do.
    bool other_ids = false;
};

/// Events that wait until it is known whether hooks report them, so that nothing is counted twice,
/// and nothing is lost because hooks could have told it. A call is decided by its id. Events
/// without a call (messages, tokens) go the way of the calls beside them. Bounded. Pure.
class HeldEvents {
public:
    static constexpr std::size_t kEventsMax = 2'000;
    static constexpr std::size_t kCallsMax = 4'096;  ///< remembered calls of hooks
    /// Hooks report a call before its result is in a line. By then they have had their time.
    static constexpr std::chrono::seconds kFinishMax{10};
    /// Two results in a row that no hook has reported show sooner that hooks are silent.
    static constexpr std::chrono::seconds kRowMax{2};
    static constexpr std::size_t kRow = 2;
    /// A call that runs counts only while hooks have not reported any: the hook of a call in a row
    /// may come when those before it are over.
    static constexpr std::chrono::seconds kStartMax{20};
    /// While hooks are silent. They may begin to report at any time.
    static constexpr std::chrono::seconds kSilentMax{1};
    /// Tokens, while no call runs and hooks have reported no tokens at all.
    static constexpr std::chrono::minutes kUseMax{5};
    static constexpr std::chrono::milliseconds kLookEvery{500};
    static constexpr std::chrono::milliseconds kLookSeldom{5'000};

    void add(HeldEvent event, SteadyTime now);

    /// Takes an event of the journal that others have reported.
    void note(const Json& event);

    /// Drops what hooks have reported, and returns what has to be reported, in order. `over`: the
    /// agent has ended, and so have its hooks. `waits`: the session is paused, or a person has to
    /// decide, so a hook of a call that begins may be late.
    std::vector<HeldEvent> take(SteadyTime now, bool over, bool waits);

    /// When the journal should be read; nothing: no answer is wanted.
    std::optional<SteadyTime> next_look() const { return next_look_; }
    /// True if an event has waited for longer than a hook of the same session needs.
    bool looks_further(SteadyTime now) const;

    bool empty() const { return events_.empty(); }
    std::size_t size() const { return events_.size(); }
    /// True while hooks report nothing of what happens.
    bool silent() const { return silent_; }
    void clear();

private:
    enum class Fate : std::uint8_t { kHeld, kDropped, kReleased };
    struct Item {
        HeldEvent event;
        std::string call;  // id of the call; empty: it is about no call
        SteadyTime since;
        bool ends = false;  // of the call
        bool uses = false;  // has `usage`
        Fate fate = Fate::kHeld;
    };
    /// A call by its id in the reports of hooks.
    struct ToldCall {
        std::string essence;
        std::uint64_t started = 0;
        std::uint64_t finished = 0;
        std::uint64_t taken = 0;  // by calls of lines
        bool is_free() const;
    };

    bool pairs(const Item& item, SteadyTime now, bool over);
    ToldCall* free_call(const std::string& essence);
    void pair_calls(SteadyTime now, bool over);
    void judge(SteadyTime now, bool over, bool waits);
    void decide_calls(SteadyTime now, bool over, bool waits);
    void decide_others(SteadyTime now, bool over);
    void decide_uses(SteadyTime now, bool over);
    bool is_due(const Item& item, SteadyTime now, bool over, bool waits) const;
    bool runs() const;
    void make_room();

    std::deque<Item> events_;
    std::map<std::string, ToldCall> told_;
    std::deque<std::string> told_order_;  // ids of `told_`, the oldest first
    std::set<std::string> paired_;  // by their ids in lines: calls of hooks that have not ended
    std::optional<SteadyTime> next_look_;
    std::uint64_t told_tokens_ = 0;  // since the last decision about tokens
    bool told_words_ = false;
    bool told_calls_ = false;  // a call of the lines was among those of hooks
    bool new_pair_ = false;
    bool silent_ = false;
    std::size_t row_ = 0;  // results in a row that were released
    std::uint64_t unnamed_ = 0;
};

}  // namespace headway::cli
