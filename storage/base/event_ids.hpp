// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headway::storage {

/// The event ids of one session, each with its event number, in the order in which they were added.
/// Adding an id only appends a copy, since most ids are never looked up (most clients use ascending
/// ids, and an id above the greatest one is new). An empty list is a null pointer. Not thread-safe.
class EventIds {
public:
    struct Id {
        std::string_view id;  ///< valid until the next change
        std::uint64_t n = 0;

        bool operator==(const Id&) const = default;
    };

    EventIds() = default;
    EventIds(EventIds&&) noexcept = default;
    EventIds& operator=(EventIds&&) noexcept = default;
    EventIds(const EventIds& other)
        : table_(other.table_ ? std::make_unique<Table>(*other.table_) : nullptr) {}
    EventIds& operator=(const EventIds& other) { return *this = EventIds{other}; }
    EventIds(std::initializer_list<Id> ids) {
        for (const Id& one : ids)
            add(one.id, one.n);
    }

    /// `id` must not be empty. If an id is added twice, its first number is used.
    void add(std::string_view id, std::uint64_t n);
    /// The event number of an id. The first find() after a change indexes the ids added since the
    /// last find().
    std::optional<std::uint64_t> find(std::string_view id) const;
    Id operator[](std::size_t place) const;
    std::size_t size() const noexcept { return table_ ? table_->places.size() - table_->gone : 0; }
    bool empty() const noexcept { return size() == 0; }
    /// Approximate memory, not counting the object itself.
    std::size_t bytes() const noexcept;

    /// A copy with the first `count` ids, or with all if there are fewer.
    EventIds first(std::size_t count) const;
    /// Removes the first `count` ids, or all if there are fewer. Amortized, this costs no more than
    /// adding them.
    void drop_first(std::size_t count);
    /// Removes all ids and frees the memory.
    void clear() noexcept { table_.reset(); }

    bool operator==(const EventIds& other) const;

private:
    struct Place {
        /// End of the id in `text`; the id begins at the end of the previous id.
        std::size_t end = 0;
        std::uint64_t n = 0;
    };
    struct Table;
    /// Orders places by their ids. This is not a hash table, because agents choose the ids and
    /// could make them collide.
    struct ById {
        using is_transparent = void;
        const Table* table;

        bool operator()(std::uint32_t a, std::uint32_t b) const;
        bool operator()(std::uint32_t a, std::string_view b) const;
        bool operator()(std::string_view a, std::uint32_t b) const;
    };
    struct Table {
        std::string text;  ///< all ids
        std::vector<Place> places;
        std::size_t gone = 0;  ///< number of dropped places at the front
        std::set<std::uint32_t, ById> index{ById{this}};
        /// Number of places at the front that are in the index or were dropped.
        std::size_t indexed = 0;

        Table() = default;
        Table(const Table& other) : text(other.text), places(other.places), gone(other.gone) {}
        Table& operator=(const Table&) = delete;
        ~Table() = default;

        std::string_view id(std::size_t place) const;
        void index_all();
    };
    std::unique_ptr<Table> table_;
};

}  // namespace headway::storage
