// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/resident_set.hpp"

#include <algorithm>
#include <string>

#include "core/base/assert.hpp"
#include "core/base/footprint.hpp"

namespace headway::server {
namespace {

/// Events of a session between two measurements: few at first, when each adds most of what it has,
/// and many later, since a measurement walks its whole state.
constexpr std::uint64_t kMeasureEvery = 32;
/// A resident's own size, its entries in lists and tables, and the overhead of the heap.
constexpr std::size_t kPlainBytes = sizeof(Resident) - sizeof(core::SessionState) + 640;

std::size_t heap_of(const core::LazyOptional<HookMemory>& hooks) {
    if (!hooks.has_value()) return 0;
    std::size_t bytes =
        core::heap_block(sizeof(HookMemory)) +
        core::heap_block(hooks->finished_calls.capacity() * sizeof(std::uint64_t)) +
        core::heap_block(hooks->finished_inputs.capacity() * sizeof(std::uint64_t)) +
        core::heap_block(hooks->held_calls.capacity() * sizeof(std::uint64_t)) +
        core::heap_block(hooks->left_calls.capacity() * sizeof(std::uint64_t)) +
        core::heap_block(hooks->wake_prompts.capacity() * sizeof(PromptFingerprint)) +
        core::heap_block(hooks->announced_calls.capacity() *
                         sizeof(std::pair<std::uint64_t, std::string>));
    for (const auto& [digest, id] : hooks->announced_calls)
        bytes += core::owned_bytes(id);
    bytes += core::heap_block(hooks->agents_left.capacity() * sizeof(std::string));
    for (const std::string& session : hooks->agents_left)
        bytes += core::owned_bytes(session);
    return bytes;
}

std::size_t heap_of(
    const core::LazyOptional<std::vector<std::pair<std::string, std::uint32_t>>>& deliveries) {
    using Delivery = std::pair<std::string, std::uint32_t>;
    if (!deliveries.has_value()) return 0;
    std::size_t bytes = core::heap_block(sizeof(std::vector<Delivery>)) +
                        core::heap_block(deliveries->capacity() * sizeof(Delivery));
    for (const auto& [directive, times] : *deliveries)
        bytes += core::owned_bytes(directive);
    return bytes;
}

std::size_t heap_of(const core::LazyOptional<std::vector<std::uint64_t>>& ids) {
    if (!ids.has_value()) return 0;
    return core::heap_block(sizeof(std::vector<std::uint64_t>)) +
           core::heap_block(ids->capacity() * sizeof(std::uint64_t));
}

std::size_t heap_of(const core::LazyOptional<FamilyMemory>& family) {
    if (!family.has_value()) return 0;
    return core::heap_block(sizeof(FamilyMemory)) +
           core::heap_block(family->opened_by.capacity() * sizeof(std::uint64_t)) +
           core::heap_block(family->changed_below.capacity() * sizeof(std::uint64_t));
}

}  // namespace

Resident* ResidentSet::find(std::string_view id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &*found->second;
}

Resident* ResidentSet::find(storage::SessionKey key) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &*found->second;
}

core::Result<Resident*> ResidentSet::add(storage::StoredSession stored) {
    if (by_id_.contains(stored.session.id()) || by_key_.contains(stored.key)) {
        return core::Error{core::ErrorCode::kStorageCorrupt,
                           "session '" + stored.session.id() + "' is stored twice",
                           {}};
    }
    order_.emplace_front(std::move(stored));
    const auto at = order_.begin();
    by_id_.emplace(at->session.id(), at);
    by_key_.emplace(at->key, at);
    weigh(*at);
    HEADWAY_ASSERT(by_id_.size() == order_.size() && by_key_.size() == order_.size());
    recount(*at);
    return &*at;
}

void ResidentSet::recount(Resident& resident) {
    const core::SessionState& state = resident.session.state();
    if (resident.counted) --levels_[static_cast<std::size_t>(*resident.counted)];
    resident.counted.reset();
    if (state.ended() || !state.budget.limited()) return;
    resident.counted = state.budget.level;
    ++levels_[static_cast<std::size_t>(*resident.counted)];
}

void ResidentSet::mark_dirty(Resident& resident, storage::Cursor cursor) {
    if (resident.dirty_from != 0) return;
    resident.dirty_from = cursor;
    resident.dirty_place = dirty_.insert(dirty_.end(), &resident);
}

void ResidentSet::mark_clean(Resident& resident) {
    if (resident.dirty_from == 0) return;
    resident.dirty_from = 0;
    resident.new_ids.clear();
    dirty_.erase(resident.dirty_place);
}

void ResidentSet::measure(Resident& resident) {
    const std::uint64_t n = resident.session.state().n;
    const std::uint64_t every =
        std::clamp<std::uint64_t>(resident.measured_n / 2, 1, kMeasureEvery);
    if (resident.measured_n == 0 || n >= resident.measured_n + every) weigh(resident);
}

void ResidentSet::weigh(Resident& resident) {
    const core::SessionState& state = resident.session.state();
    bytes_ -= resident.bytes;
    resident.bytes =
        kPlainBytes + core::footprint(state) + resident.new_ids.bytes() + resident.calls->bytes() +
        heap_of(resident.hooks) + heap_of(resident.deliveries) + heap_of(resident.family) +
        heap_of(resident.telemetry_left_out) + core::owned_bytes(resident.session.id());
    resident.measured_n = state.n;
    bytes_ += resident.bytes;
}

Resident* ResidentSet::oldest_dirty() {
    return dirty_.empty() ? nullptr : dirty_.front();
}

Resident* ResidentSet::least_recent() {
    return order_.empty() ? nullptr : &order_.back();
}

std::vector<Resident*> ResidentSet::beyond(std::size_t others, std::size_t bytes,
                                           std::size_t most) {
    std::vector<Resident*> found;
    std::size_t left = bytes_;
    for (auto at = order_.rbegin(); at != order_.rend() && found.size() < most; ++at) {
        if (order_.size() - found.size() <= others && left <= bytes) break;
        left -= at->bytes;
        found.push_back(&*at);
    }
    return found;
}

void ResidentSet::put_last(Resident& resident) {
    order_.splice(order_.end(), order_, by_key_.at(resident.key));
}

void ResidentSet::put_first(Resident& resident) {
    order_.splice(order_.begin(), order_, by_key_.at(resident.key));
}

void ResidentSet::evict(Resident& resident) {
    HEADWAY_ASSERT(resident.dirty_from == 0);
    if (resident.counted) --levels_[static_cast<std::size_t>(*resident.counted)];
    const auto at = by_key_.find(resident.key);
    by_id_.erase(resident.session.id());
    const auto place = at->second;
    bytes_ -= resident.bytes;
    by_key_.erase(at);
    order_.erase(place);
    HEADWAY_ASSERT(by_id_.size() == order_.size() && by_key_.size() == order_.size());
}

void ResidentSet::clear() {
    by_id_.clear();
    by_key_.clear();
    dirty_.clear();
    order_.clear();
    levels_ = {};
    bytes_ = 0;
}

namespace {

bool names_call(const std::vector<std::uint64_t>& calls, const std::string& call_id) {
    const std::uint64_t id = core::digest_of(core::kept_call_id(call_id)).low;
    return std::find(calls.begin(), calls.end(), id) != calls.end();
}

}  // namespace

bool is_held(const Resident& resident, const std::string& call_id) {
    return names_call(resident.hooks->held_calls, call_id);
}

bool was_held(const Resident& resident, const core::OpenCall& call) {
    if (is_held(resident, call.call_id)) return true;
    const auto& requests = resident.session.state().approvals.requests;
    const std::string id = core::kept_call_id(call.call_id);
    const auto asked = std::find_if(requests.rbegin(), requests.rend(),
                                    [&id](const core::Approval& one) { return one.call_id == id; });
    return asked != requests.rend() && (asked->pending() || asked->open()) && !asked->taken();
}

bool may_be_held(const Resident& resident, const core::OpenCall& call, bool shared) {
    if (is_held(resident, call.call_id))
        return !names_call(resident.hooks->left_calls, call.call_id);
    return shared && was_held(resident, call);
}

bool holds_hook(const Resident& resident) {
    const auto& open = resident.session.state().open_calls;
    return std::any_of(open.begin(), open.end(), [&resident](const core::OpenCall& call) {
        return may_be_held(resident, call, false);
    });
}

void note_left(Resident& resident, const std::string& call_id) {
    if (!is_held(resident, call_id) || names_call(resident.hooks->left_calls, call_id)) return;
    resident.hooks.change().left_calls.push_back(core::digest_of(core::kept_call_id(call_id)).low);
}

}  // namespace headway::server
