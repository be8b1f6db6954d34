// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "server/http/message/reply_to.hpp"
#include "server/hub/streams/caller_shares.hpp"

namespace headway::server {

/// A table of waiting replies, each with an entry of the table's owner. A reply can be found by its
/// place, its connection, the subjects that it waits for, and the time when it is due. An operation
/// takes logarithmic time in the number of replies for each reply or subject that the operation
/// lists or changes. I/O thread only.
template <class Entry>
class WaitTable {
public:
    /// Connection and slot, which together identify a request.
    using Place = CallerShares::Place;
    /// Maximum number of subjects of all replies. It must be far below the number of cached views,
    /// because the views of subjects are not evicted.
    static constexpr std::size_t kSubjectsMax = 4 * core::limits::kWaitersMax;

    static Place place_of(const ReplyTo& to) { return {to.connection, to.slot}; }
    static ReplyTo reply_to(const Place& place) { return {place.first, place.second}; }

    std::size_t size() const noexcept { return rows_.size(); }
    bool full() const noexcept { return rows_.size() >= core::limits::kWaitersMax; }
    const CallerShares& shares() const noexcept { return shares_; }
    /// Makes room for a reply to `caller` that waits for `subjects` subjects. If the table is full,
    /// the caller with the largest share gives up replies (CallerShares): `give_up(place, error)`
    /// sends the error and removes the reply. Error: kOverloaded; no reply is then given up.
    template <class GiveUp>
    core::Result<> make_room(const std::string& caller, std::size_t subjects, GiveUp give_up) {
        core::Error busy{core::ErrorCode::kOverloaded, "too many are waiting; try again", {}};
        const std::size_t weight = weight_of(subjects);
        const auto rows = shares_.room_for(caller, weight, {false, core::limits::kWaitersMax});
        const auto watched = shares_.room_for(caller, weight, {true, kSubjectsMax});
        if (!rows.found || !watched.found) return busy;
        std::set<Place> given_up{rows.given_up.begin(), rows.given_up.end()};
        given_up.insert(watched.given_up.begin(), watched.given_up.end());
        for (const Place& place : given_up)
            give_up(place, busy);
        return {};
    }

    /// The entry of the reply at `place`; null if no reply waits there.
    Entry* find(const Place& place) {
        const auto row = rows_.find(place);
        return row == rows_.end() ? nullptr : &row->second.entry;
    }
    /// Precondition: a reply waits at `place`.
    Entry& at(const Place& place) { return row_of(place).entry; }

    /// `caller` gets the reply. Precondition: no reply waits at `place`.
    Entry& add(const Place& place, std::vector<std::string> subjects, Entry entry,
               const std::string& caller = {}) {
        const auto [row, added] = rows_.try_emplace(place, Row{std::move(entry), {}, caller});
        HEADWAY_ASSERT(added);
        shares_.add(caller, place, weight_of(subjects.size()));
        wait_for(place, std::move(subjects));
        return row->second.entry;
    }
    /// Replaces the subjects of the reply. Precondition: a reply waits at `place`.
    void wait_for(const Place& place, std::vector<std::string> subjects) {
        Row& row = row_of(place);
        forget_subjects(place, row);
        row.subjects = std::move(subjects);
        for (const std::string& subject : row.subjects)
            by_subject_[subject].insert(place);
    }
    /// Sets when the reply is due; kNever: never. Precondition: a reply waits at `place`.
    void look_at(const Place& place, core::Timestamp at) {
        Row& row = row_of(place);
        by_time_.erase({row.look_at, place});
        row.look_at = at;
        if (at != core::kNever) by_time_.emplace(at, place);
    }
    core::Timestamp next_look_at(const Place& place) { return row_of(place).look_at; }
    void remove(const Place& place) {
        const auto row = rows_.find(place);
        if (row == rows_.end()) return;
        forget_subjects(place, row->second);
        by_time_.erase({row->second.look_at, place});
        shares_.remove(row->second.caller, place);
        rows_.erase(row);
    }

    /// The places of the replies that wait for a subject, in order. The list is a copy, so replies
    /// may be removed while iterating over it.
    std::vector<Place> waiting_for(std::string_view subject) const {
        const auto places = by_subject_.find(subject);
        if (places == by_subject_.end()) return {};
        return {places->second.begin(), places->second.end()};
    }
    std::vector<Place> of_connection(std::uint64_t connection) const {
        std::vector<Place> places;
        for (auto row = rows_.lower_bound({connection, 0});
             row != rows_.end() && row->first.first == connection; ++row)
            places.push_back(row->first);
        return places;
    }
    std::vector<Place> all() const {
        std::vector<Place> places;
        for (const auto& [place, row] : rows_)
            places.push_back(place);
        return places;
    }
    /// Replies that are due at `now`, the earliest first; with kNever, all replies that have a due
    /// time.
    std::vector<Place> due(core::Timestamp now) const {
        std::vector<Place> places;
        for (const auto& [at, place] : by_time_) {
            if (now != core::kNever && at > now) break;
            places.push_back(place);
        }
        return places;
    }
    /// When the next reply is due; kNever if no reply has a due time.
    core::Timestamp next_due() const {
        return by_time_.empty() ? core::kNever : by_time_.begin()->first;
    }

private:
    struct Row {
        Entry entry;
        std::vector<std::string> subjects;
        std::string caller;
        core::Timestamp look_at = core::kNever;
    };

    static std::size_t weight_of(std::size_t subjects) {
        return std::max<std::size_t>(subjects, 1);
    }
    Row& row_of(const Place& place) {
        const auto row = rows_.find(place);
        HEADWAY_ASSERT(row != rows_.end());
        return row->second;
    }
    void forget_subjects(const Place& place, const Row& row) {
        for (const std::string& subject : row.subjects) {
            const auto places = by_subject_.find(subject);
            if (places == by_subject_.end()) continue;  // the subject was named twice
            places->second.erase(place);
            if (places->second.empty()) by_subject_.erase(places);
        }
    }

    std::map<Place, Row> rows_;
    CallerShares shares_;
    std::map<std::string, std::set<Place>, std::less<>> by_subject_;
    std::set<std::pair<core::Timestamp, Place>> by_time_;
};

}  // namespace headway::server
