// SPDX-License-Identifier: Apache-2.0
#include "server/engine/transaction/transaction.hpp"

#include <algorithm>
#include <limits>

#include "core/base/assert.hpp"

namespace headway::server {

using core::Result;

Transaction::Transaction(EngineContext& parts, std::span<Projection* const> projections,
                         SessionLog& session_log, const Turn& turn, Publication& publication)
    : parts_(parts),
      projections_(projections),
      session_log_(session_log),
      reader_(parts),
      turn_(turn),
      publication_(publication),
      stats_(parts.stats) {
    begin_own();
}

void Transaction::begin(std::span<const std::string_view> sessions, bool watched) {
    names_ = sessions;
    own_ = false;
    context_ = {};
    context_.now = turn_.now;
    context_.watch = parts_.watch;
    context_.watched = watched;
    context_.load = turn_.load;
    context_.approvals = &settings().approvals;
    context_.bounds = &settings().budget.bounds;
    context_.fan_out = &settings().fan_out;
    context_.judge = &settings().judge;
}

void Transaction::begin_own() {
    own_ = true;
    context_ = {};
    context_.now = turn_.now;
    context_.watch = parts_.watch;
    context_.approvals = &settings().approvals;
    context_.bounds = &settings().budget.bounds;
    context_.fan_out = &settings().fan_out;
}

core::Context Transaction::opening_context(bool controls) const {
    core::Context bound = context_;
    bound.floor = controls ? nullptr : &settings().floor;
    return bound;
}

bool Transaction::children_work(const Resident& resident) {
    if (parts_.cluster != nullptr && parts_.cluster->children_work(resident.key)) return true;
    return tree().children_work(resident.session, sessions().residents(), context_.now,
                                context_.watch);
}

Result<bool> Transaction::has_open_child(const Resident& resident) {
    if (children_work(resident)) return true;
    // Each level, since one in between may have ended.
    constexpr std::size_t kLooksMost = 32;
    constexpr auto kNewest = std::numeric_limits<storage::SessionKey>::max();
    std::vector<std::string> parents{resident.session.id()};
    for (std::size_t next = 0; next < parents.size(); ++next) {
        storage::SessionFilter filter;
        filter.parent = parents[next];
        filter.open = true;
        HEADWAY_TRY(const auto open, store().index().list(filter, kNewest, 1));
        if (!open.empty()) return true;
        filter.open = false;
        HEADWAY_TRY(const auto ended, store().index().list(filter, kNewest, kLooksMost));
        for (const storage::SessionKey child : ended) {
            if (parents.size() == kLooksMost) break;
            HEADWAY_CHECK(reader_.with(child, [&parents](const core::Session& session) {
                parents.push_back(session.id());
            }));
        }
    }
    return false;
}

bool Transaction::may_change(std::string_view session) const {
    return own_ || std::find(names_.begin(), names_.end(), session) != names_.end();
}

Result<> Transaction::append(Resident& resident, std::vector<core::Event>& events) {
    if (events.empty()) return {};
    HEADWAY_ASSERT(may_change(resident.session.id()) && holds(resident.key));
    HEADWAY_ASSERT(events.back().n == resident.session.state().n);
    HEADWAY_TRY(storage::Cursor cursor, store().append(resident.key, resident.chain, events));
    parts_.sessions.residents().mark_dirty(resident, cursor);
    HEADWAY_ASSERT(resident.dirty_from != 0 && resident.dirty_from <= cursor);
    touch(resident);
    if (!resident.moved) moved_.push_back(&resident);
    resident.moved = true;
    if (!resident.news) news_.push_back(&resident);
    resident.news = true;
    for (const core::Event& event : events) {
        if (event.event_id.empty()) continue;
        resident.new_ids.add(event.event_id, event.n);
        resident.newest_id.note(event.event_id);
    }
    stats_.events += events.size();
    const Appended appended{resident, events, cursor, stats_, publication_};
    const bool recorded = resident.session.state().about.recorded;
    for (Projection* projection : projections_) {
        if (!recorded || projection->takes_recorded()) HEADWAY_CHECK(projection->apply(appended));
    }
    if (recorded) return {};  // neither counters, the log nor live streams are about the past
    HEADWAY_CHECK(note_day(*this, resident, events));
    for (core::Event& event : events) {
        count(stats_, event);
        session_log_.note(resident.session.id(), event, resident.session.state());
        if (turn_.listening)
            publication_.events.push_back({cursor, resident.session.id(), std::move(event)});
        ++cursor;
    }
    return {};
}

void Transaction::touch(Resident& resident) {
    if (resident.touched) return;
    resident.touched = true;
    touched_.push_back(&resident);
}

Result<> Transaction::tell(storage::SessionKey other, core::Payload payload) {
    core::Event event;
    event.at = now();
    event.payload = std::move(payload);
    wake(other);
    return store().inbox().post(other, event);
}

std::vector<storage::SessionKey> Transaction::take_woken() {
    std::sort(woken_.begin(), woken_.end());
    woken_.erase(std::unique(woken_.begin(), woken_.end()), woken_.end());
    return std::exchange(woken_, {});
}

std::vector<Resident*> Transaction::take_news() {
    for (Resident* resident : news_)
        resident->news = false;
    return std::exchange(news_, {});
}

Result<> Transaction::commit() {
    if (tokens_changed_) {
        HEADWAY_TRY(publication_.tokens, store().token_table().tokens());
    }
    HEADWAY_CHECK(store().commit());
    parts_.stats = stats_;
    return {};
}

}  // namespace headway::server
