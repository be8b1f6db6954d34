// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_uses.hpp"

#include <algorithm>
#include <utility>

#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/reports/generations.hpp"

namespace headway::server {
namespace {

using core::Result;

/// The sessions whose record this one's may repeat: its parent, and what it resumes.
Result<std::vector<const Resident*>> relatives_of(Transaction& transaction,
                                                  const HookCommand& command) {
    std::vector<const Resident*> relatives;
    if (!command.parent.empty()) {
        HEADWAY_TRY(const std::string parent,
                    in_force(transaction.reader(), command.parent, Begins::kNever));
        HEADWAY_TRY(const Resident* found, transaction.find(parent));
        if (found != nullptr) relatives.push_back(found);
    }
    HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), command.target));
    if (before != nullptr) relatives.push_back(before);
    return relatives;
}

class Counting {
public:
    Counting(Transaction& transaction, Resident& resident, const HookCommand& command)
        : transaction_(transaction),
          resident_(resident),
          family_(command.parent.empty() ? command.session : command.parent),
          own_(core::digest_of(command.target).low),
          clock_(command.use_clock == core::kNever ? command.uses.back().at : command.use_clock) {}

    Result<> start(const HookCommand& command) {
        HEADWAY_TRY(relatives_, relatives_of(transaction_, command));
        return {};
    }

    /// An earlier session, by its time.
    bool is_before(const HookUse& use) const {
        if (resident_.hooks->fresh) return false;
        const core::Millis age = transaction_.now() - resident_.session.state().opened_at;
        return clock_ - use.at > age;
    }

    /// Whether a relative has counted it.
    Result<bool> is_anothers(const HookUse& use) {
        const auto owner = transaction_.answers().owner(family_, use.event_id);
        if (owner) return *owner != own_;
        for (const Resident* relative : relatives_) {
            HEADWAY_TRY(const std::uint64_t n, number_of_id(transaction_, *relative, use.event_id));
            if (n != 0) return true;
        }
        return false;
    }

    core::Event count(HookUse&& use) {
        resident_.hooks.change().last_use = core::digest_of(use.event_id).low;
        transaction_.answers().note(family_, use.event_id, own_);
        core::Event event;
        event.event_id = std::move(use.event_id);
        core::Heartbeat beat;
        beat.usage = std::move(use.usage);
        event.payload = std::move(beat);
        return event;
    }

private:
    Transaction& transaction_;
    Resident& resident_;
    const std::string family_;
    const std::uint64_t own_;
    const core::Timestamp clock_;
    std::vector<const Resident*> relatives_;
};

}  // namespace

Result<UsesTaken> take_uses(Transaction& transaction, Resident& resident, HookCommand& command) {
    UsesTaken taken;
    auto& uses = command.uses;
    const std::uint64_t last = resident.hooks->last_use;
    const auto known = std::find_if(uses.begin(), uses.end(), [last](const HookUse& use) {
        return core::digest_of(use.event_id).low == last;
    });
    const bool overlaps = known != uses.end();
    if (overlaps) uses.erase(uses.begin(), known + 1);
    if (uses.empty()) return taken;
    Counting counting{transaction, resident, command};
    HEADWAY_CHECK(counting.start(command));
    for (std::size_t i = 0; i < uses.size(); ++i) {
        HookUse& use = uses[i];
        if (counting.is_before(use)) continue;
        HEADWAY_TRY(const bool anothers, counting.is_anothers(use));
        if (anothers) continue;
        if (i == 0 && !overlaps) {
            HEADWAY_TRY(const std::uint64_t n, number_of_id(transaction, resident, use.event_id));
            taken.more = n == 0;
        }
        taken.events.push_back(counting.count(std::move(use)));
    }
    return taken;
}

}  // namespace headway::server
