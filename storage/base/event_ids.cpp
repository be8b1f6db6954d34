// SPDX-License-Identifier: Apache-2.0
#include "storage/base/event_ids.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::storage {
namespace {

constexpr std::size_t kIndexNodeBytes = 48;  ///< of one id in the index

}  // namespace

bool EventIds::ById::operator()(std::uint32_t a, std::uint32_t b) const {
    return table->id(a) < table->id(b);
}

bool EventIds::ById::operator()(std::uint32_t a, std::string_view b) const {
    return table->id(a) < b;
}

bool EventIds::ById::operator()(std::string_view a, std::uint32_t b) const {
    return a < table->id(b);
}

std::string_view EventIds::Table::id(std::size_t place) const {
    const std::size_t begin = place == 0 ? 0 : places[place - 1].end;
    return std::string_view{text}.substr(begin, places[place].end - begin);
}

void EventIds::Table::index_all() {
    for (indexed = std::max(indexed, gone); indexed < places.size(); ++indexed)
        index.insert(static_cast<std::uint32_t>(indexed));
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
    table_->index_all();
    const auto found = table_->index.find(id);
    if (found == table_->index.end()) return std::nullopt;
    return table_->places[*found].n;
}

EventIds::Id EventIds::operator[](std::size_t place) const {
    HEADWAY_ASSERT(place < size());
    const std::size_t at = table_->gone + place;
    return {table_->id(at), table_->places[at].n};
}

std::size_t EventIds::bytes() const noexcept {
    if (!table_) return 0;
    return sizeof(Table) + table_->text.capacity() + table_->places.capacity() * sizeof(Place) +
           table_->index.size() * kIndexNodeBytes;
}

EventIds EventIds::first(std::size_t count) const {
    EventIds copy;
    for (std::size_t place = 0; place < std::min(count, size()); ++place)
        copy.add((*this)[place].id, (*this)[place].n);
    return copy;
}

void EventIds::drop_first(std::size_t count) {
    if (count >= size()) return clear();
    Table& table = *table_;
    for (const std::size_t end = table.gone + count; table.gone < end; ++table.gone) {
        // The first of two equal ids is in the index.
        const auto own = table.index.find(static_cast<std::uint32_t>(table.gone));
        if (own != table.index.end() && *own == table.gone) table.index.erase(own);
    }
    if (2 * table.gone < table.places.size()) return;
    EventIds rest;
    for (std::size_t place = 0; place < size(); ++place)
        rest.add((*this)[place].id, (*this)[place].n);
    *this = std::move(rest);
}

bool EventIds::operator==(const EventIds& other) const {
    if (size() != other.size()) return false;
    for (std::size_t place = 0; place < size(); ++place)
        if ((*this)[place] != other[place]) return false;
    return true;
}

}  // namespace headway::storage
