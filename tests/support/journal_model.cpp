// SPDX-License-Identifier: Apache-2.0
#include "tests/support/journal_model.hpp"

#include <utility>

#include "tests/support/make.hpp"

namespace headway::tests {

using core::Event;
using core::Result;
using storage::SqliteStore;

std::size_t JournalModel::events() const {
    std::size_t count = 0;
    for (const auto& [id, journal] : journals_)
        count += journal.size();
    return count;
}

JournalModel::Heads JournalModel::heads() const {
    Heads heads;
    for (const auto& [id, agent] : agents_)
        heads[id] = agent.session.state().n;
    return heads;
}

Result<> JournalModel::step(SqliteStore& store, const FaultyDisk& disk) {
    const std::uint64_t dice = gen_.below(20);
    if (dice < 2) return store.checkpoint(1);
    if (dice < 4) return save(store);
    if (dice < 5) return remove(store, disk);
    return write(store, disk);
}

Result<> JournalModel::write(SqliteStore& store, const FaultyDisk& disk) {
    Agents agents = agents_;
    Journals journals = journals_;
    const std::size_t begun = disk.moment();
    const int number = number_;
    auto done = store.begin();
    if (done) done = write_some(store, agents, journals);
    if (done && gen_.chance(12)) {  // a report was refused
        store.rollback();
        number_ = number;
        return {};
    }
    if (done) done = store.commit();
    const bool unknown = !done && done.error().code == core::ErrorCode::kStorageSyncFailed;
    if (!done) store.rollback();
    if (!done && !unknown) {
        number_ = number;
        return done;
    }
    agents_ = std::move(agents);
    journals_ = std::move(journals);
    commits_.push_back({begun, unknown ? kNobodyKnows : disk.moment(), heads()});
    return done;
}

Result<> JournalModel::write_some(SqliteStore& store, Agents& agents, Journals& journals) {
    for (std::uint64_t reports = 1 + gen_.below(4); reports > 0; --reports) {
        const bool opens = agents.size() < 2 || gen_.chance(8);
        std::vector<Event> out;
        if (opens) {
            const std::string id = "agent-" + std::to_string(++number_);
            Agent agent{core::Session{id}, 0, {}, {}, true};
            HEADWAY_TRY(agent.key, store.create(id, at(0)));
            agent.session.open({}, {}, context(0), out);
            HEADWAY_CHECK(append(store, agent, journals, out));
            agents.emplace(id, std::move(agent));
            continue;
        }
        auto chosen = agents.begin();
        std::advance(chosen, static_cast<std::ptrdiff_t>(gen_.index(agents.size())));
        Agent& agent = chosen->second;
        if (agent.session.state().ended()) continue;
        std::vector<Event> events;
        for (std::uint64_t i = 1 + gen_.below(6); i > 0; --i) {
            core::Message message;
            message.role = "assistant";
            message.text = core::bounded_text(gen_.utf8(gen_.chance(6) ? 3000 : 40));
            events.push_back(with_id(event(std::move(message)), "e" + std::to_string(++number_)));
        }
        if (gen_.chance(10)) events.push_back(ended(core::Outcome::kCompleted));
        agent.session.report(events, context(10), out);
        HEADWAY_CHECK(append(store, agent, journals, out));
    }
    return {};
}

Result<> JournalModel::append(SqliteStore& store, Agent& agent, Journals& journals,
                              const std::vector<Event>& events) {
    HEADWAY_TRY(const storage::Cursor cursor, store.append(agent.key, agent.chain, events));
    static_cast<void>(cursor);
    for (const Event& one : events) {
        if (!one.event_id.empty()) agent.new_ids.add(one.event_id, one.n);
    }
    auto& journal = journals[agent.session.id()];
    journal.insert(journal.end(), events.begin(), events.end());
    agent.dirty = true;
    return {};
}

/// Saves all changed sessions, as before a clean stop.
Result<> JournalModel::save(SqliteStore& store) {
    auto done = store.begin();
    for (const auto& [id, agent] : agents_) {
        if (done && agent.dirty)
            done = store.save(agent.key, agent.session, agent.chain, agent.new_ids);
    }
    if (done) done = store.set_snapshot_cursor(store.head());
    if (done) done = store.commit();
    if (!done) {
        store.rollback();
        return done;
    }
    for (auto& [id, agent] : agents_) {
        agent.dirty = false;
        agent.new_ids.clear();
    }
    return {};
}

Result<> JournalModel::remove(SqliteStore& store, const FaultyDisk& disk) {
    const std::size_t begun = disk.moment();
    auto step = store.delete_some(at(1'000'000));
    if (!step && step.error().code == core::ErrorCode::kStorageSyncFailed) {
        for (const auto& [id, agent] : agents_) {  // which one it was is not said
            if (!agent.session.state().ended()) continue;
            Heads without = heads();
            without.erase(id);
            commits_.push_back({begun, kNobodyKnows, std::move(without)});
        }
    }
    if (!step) return std::move(step).error();
    if (!step->doomed) return {};
    agents_.erase(step->doomed_id);
    commits_.push_back({begun, disk.moment(), heads()});
    return {};
}

/// How far each session has come in the store, whose events must be those that were written.
std::optional<std::string> JournalModel::read_heads(SqliteStore& store, Heads& heads) const {
    auto recovery = store.recover();
    if (!recovery) return "recovery: " + recovery.error().detail;
    std::map<storage::SessionKey, const storage::StoredSession*> recovered;
    for (const storage::StoredSession& stored : recovery->sessions)
        recovered[stored.key] = &stored;
    for (const auto& [id, journal] : journals_) {
        const auto key = store.find(id);
        if (!key) return "find: " + key.error().detail;
        if (!*key) continue;
        std::uint64_t n = 0;
        storage::Chain chain;
        if (const auto here = recovered.find(**key); here != recovered.end()) {
            n = here->second->session.state().n;
            chain = here->second->chain;
        } else {
            const auto stored = store.load(**key);
            if (!stored) return "load: " + stored.error().detail;
            n = stored->session.state().n;
            chain = stored->chain;
        }
        const auto events = store.read_session(**key, chain, 0, 1'000'000);
        if (!events) return "journal of " + id + ": " + events.error().detail;
        if (n == 0 && events->empty()) return id + " has no events";
        if (events->size() != n) return id + " has gaps";
        if (n > journal.size()) return id + " has events that were not written";
        for (std::size_t i = 0; i < events->size(); ++i) {
            if ((*events)[i] != journal[i]) return id + " differs at " + std::to_string(i + 1);
        }
        heads[id] = n;
    }
    return std::nullopt;
}

std::string JournalModel::faults(SqliteStore& store, std::size_t moment) const {
    Heads found;
    if (auto wrong = read_heads(store, found)) return *wrong;
    std::size_t acknowledged = 0;  // that many commits
    std::size_t begun = 0;
    for (const Commit& commit : commits_) {
        if (commit.done <= moment) ++acknowledged;
        if (commit.begun < moment || commit.done <= moment) ++begun;
    }
    for (std::size_t i = acknowledged; i <= begun; ++i) {
        if (found == (i == 0 ? Heads{} : commits_[i - 1].heads)) return {};
    }
    return "it is as after none of the commits " + std::to_string(acknowledged) + " to " +
           std::to_string(begun);
}

}  // namespace headway::tests
