// SPDX-License-Identifier: Apache-2.0
#include "storage/event_ids.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/assert.hpp"
#include "core/text.hpp"

namespace headway::storage {
namespace {

constexpr std::size_t kSlotsMin = 16;

std::size_t slot_of(std::string_view id, std::size_t slots) {
    return static_cast<std::size_t>(core::digest_of(id).low) & (slots - 1);
}

}  // namespace

std::string_view EventIds::Table::id(std::size_t place) const {
    const std::size_t begin = place == 0 ? 0 : places[place - 1].end;
    return std::string_view{text}.substr(begin, places[place].end - begin);
}

void EventIds::Table::enter(std::size_t place) {
    const std::string_view own = id(place);
    std::size_t at = slot_of(own, slots.size());
    while (slots[at] != 0 && id(slots[at] - 1) != own)
        at = (at + 1) & (slots.size() - 1);
    if (slots[at] == 0) slots[at] = static_cast<std::uint32_t>(place + 1);
}

void EventIds::Table::index_all() {
    if (slots.size() < 2 * places.size()) {
        slots.assign(std::max(kSlotsMin, std::bit_ceil(4 * places.size())), 0);
        indexed = 0;
    }
    for (; indexed < places.size(); ++indexed)
        enter(indexed);
}

void EventIds::add(std::string_view id, std::uint64_t n) {
    HEADWAY_ASSERT(!id.empty());
    if (!table_) table_ = std::make_unique<Table>();
    HEADWAY_ASSERT(table_->places.size() < std::numeric_limits<std::uint32_t>::max());
    table_->text.append(id);
    table_->places.push_back({table_->text.size(), n});
}

std::optional<std::uint64_t> EventIds::find(std::string_view id) const {
    if (!table_) return std::nullopt;
    Table& table = *table_;
    table.index_all();
    std::size_t at = slot_of(id, table.slots.size());
    for (; table.slots[at] != 0; at = (at + 1) & (table.slots.size() - 1)) {
        const std::size_t place = table.slots[at] - 1;
        if (table.id(place) == id) return table.places[place].n;
    }
    return std::nullopt;
}

EventIds::Id EventIds::operator[](std::size_t place) const {
    HEADWAY_ASSERT(place < size());
    return {table_->id(place), table_->places[place].n};
}

std::size_t EventIds::bytes() const noexcept {
    if (!table_) return 0;
    return sizeof(Table) + table_->text.capacity() + table_->places.capacity() * sizeof(Place) +
           table_->slots.capacity() * sizeof(std::uint32_t);
}

EventIds EventIds::first(std::size_t count) const {
    EventIds copy;
    for (std::size_t place = 0; place < std::min(count, size()); ++place)
        copy.add(table_->id(place), table_->places[place].n);
    return copy;
}

void EventIds::drop_first(std::size_t count) {
    if (count >= size()) return clear();
    EventIds rest;
    for (std::size_t place = count; place < size(); ++place)
        rest.add(table_->id(place), table_->places[place].n);
    *this = std::move(rest);
}

bool EventIds::operator==(const EventIds& other) const {
    if (size() != other.size()) return false;
    for (std::size_t place = 0; place < size(); ++place)
        if ((*this)[place] != other[place]) return false;
    return true;
}

}  // namespace headway::storage
