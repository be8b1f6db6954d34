// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/store/store_migration.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/version.hpp"
#include "server/daemon/store/postgres_loader.hpp"
#include "server/time/clock.hpp"
#include "server/tokens/session_id.hpp"
#include "storage/base/generations.hpp"
#include "storage/codec/codec.hpp"
#include "storage/files/log_check.hpp"
#include "storage/files/table_copy.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/store/shared_store.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using storage::Cursor;
using storage::ImportedRow;
using storage::ImportedSession;
using storage::SessionKey;

/// Events of one transaction: a few megabytes.
constexpr std::size_t kBatchEvents = 4'000;
/// Sessions that are written at once.
constexpr std::size_t kBatchSessions = 1'000;
/// Sessions that are folded at once, of which the whole journal is in memory; and their events.
constexpr std::size_t kFoldSessions = 256;
constexpr std::uint64_t kFoldEvents = 20'000;

core::Millis since(Clock::Steady::time_point begin) {
    return std::chrono::duration_cast<core::Millis>(Clock::steady() - begin);
}

/// The work of copy_store().
class StoreCopy {
public:
    StoreCopy(storage::Store& from, storage::Store& to, const MigrationProgress& progress)
        : from_(from), to_(to), import_(to.shared()->imports()), progress_(progress) {}

    Result<Migrated> run() {
        const auto begin = Clock::steady();
        HEADWAY_TRY(const storage::Recovery recovered, from_.recover());
        for (const storage::StoredSession& stored : recovered.sessions)
            behind_.emplace(stored.key, &stored);
        HEADWAY_CHECK(import_.start());
        say("copying events", 0, 0);  // from here on the copy is a part of one
        HEADWAY_CHECK(read_names());
        HEADWAY_CHECK(copy_events());
        HEADWAY_CHECK(copy_sessions());
        say("copying tables", 0, 0);
        HEADWAY_CHECK(import_.add_tables(*from_.tables()));
        done_.copying = since(begin);
        const auto copied = Clock::steady();
        HEADWAY_CHECK(check_counts());
        HEADWAY_CHECK(check_sessions());
        HEADWAY_CHECK(import_.finish({from_.head(), last_at_}));
        done_.checking = since(copied);
        return done_;
    }

private:
    void say(std::string_view step, std::uint64_t done, std::uint64_t total) const {
        if (progress_) progress_(step, done, total);
    }

    Result<> read_names() {
        HEADWAY_TRY(auto named, storage::named_sessions(*from_.tables()));
        sessions_.reserve(named.size());
        for (storage::NamedSession& session : named) {
            places_.emplace(session.name, sessions_.size());
            ImportedSession& copy = sessions_.emplace_back();
            copy.key = session.key;
            copy.name = std::move(session.name);
            copy.opened_at = session.opened_at;
        }
        return {};
    }

    /// In the order of the stream. A row of the copy has events of one session and of one time, as
    /// one command appends them.
    Result<> copy_events() {
        const Cursor head = from_.head();
        for (Cursor after = 0;;) {
            HEADWAY_TRY(storage::StreamPage page, from_.read_stream(after, kBatchEvents));
            std::vector<ImportedRow> rows;
            for (storage::StreamEvent& read : page.events)
                HEADWAY_CHECK(add_event(std::move(read), rows));
            if (!rows.empty()) HEADWAY_CHECK(import_.add_rows(rows));
            after = page.through;
            say("copying events", static_cast<std::uint64_t>(after),
                static_cast<std::uint64_t>(head));
            if (page.end) return {};
        }
    }

    Result<> add_event(storage::StreamEvent read, std::vector<ImportedRow>& rows) {
        const auto place = places_.find(read.session);
        if (place == places_.end()) return unequal(read.session, "has events and no row");
        ImportedSession& session = sessions_[place->second];
        if (read.event.n != session.n + 1) {
            return unequal(read.session, "has no event " + std::to_string(session.n + 1));
        }
        session.n = read.event.n;
        session.last_at = read.event.at;
        last_at_ = last_at_ == core::kNever ? read.event.at : std::max(last_at_, read.event.at);
        if (storage::starts_retention(read.event.payload)) session.ended_at = read.event.at;
        ++done_.events;
        const bool same =
            !rows.empty() && rows.back().session == session.key &&
            rows.back().events.back().at == read.event.at &&
            rows.back().cursor + static_cast<Cursor>(rows.back().events.size()) == read.cursor;
        if (!same) rows.push_back({read.cursor, session.key, {}});
        rows.back().events.push_back(std::move(read.event));
        return {};
    }

    /// A session without events is unknown to everyone.
    Result<> copy_sessions() {
        const auto empty = [](const ImportedSession& session) { return session.n == 0; };
        sessions_.erase(std::remove_if(sessions_.begin(), sessions_.end(), empty), sessions_.end());
        places_.clear();
        done_.sessions = sessions_.size();
        std::span<const ImportedSession> left{sessions_};
        while (!left.empty()) {
            const std::size_t count = std::min(left.size(), kBatchSessions);
            HEADWAY_CHECK(import_.add_sessions(left.first(count)));
            left = left.subspan(count);
        }
        return {};
    }

    Result<> check_counts() {
        const std::pair<const char*, std::uint64_t*> found[] = {
            {"SELECT count(*) FROM approval", &done_.approvals},
            {"SELECT count(*) FROM token", &done_.tokens},
            {"SELECT count(*) FROM webhook_message", &done_.webhook_messages},
        };
        for (const auto& [query, number] : found) {
            HEADWAY_TRY(const std::int64_t count, to_.tables()->query_integer(query));
            *number = static_cast<std::uint64_t>(count);
        }
        HEADWAY_CHECK(check_count("SELECT CAST(coalesce(sum(count),0) AS BIGINT) FROM journal",
                                  done_.events, "events"));
        HEADWAY_CHECK(check_count("SELECT CAST(coalesce(sum(count),0) AS BIGINT) FROM stream",
                                  done_.events, "positions"));
        return check_count("SELECT count(*) FROM session", done_.sessions, "sessions");
    }

    Result<> check_count(const char* query, std::uint64_t read, const char* what) {
        HEADWAY_TRY(const std::int64_t written, to_.tables()->query_integer(query));
        if (static_cast<std::uint64_t>(written) == read) return {};
        return Error{ErrorCode::kStorageCorrupt,
                     "the copy has " + std::to_string(written) + " " + what + " instead of " +
                         std::to_string(read),
                     {}};
    }

    /// Folds each session from the copied journal alone, compares it with the state of the source,
    /// and keeps it as its snapshot: with that its event ids are in their table.
    Result<> check_sessions() {
        std::vector<SessionKey> keys;
        std::uint64_t events = 0;
        std::uint64_t checked = 0;
        for (std::size_t at = 0; at < sessions_.size(); ++at) {
            keys.push_back(sessions_[at].key);
            events += sessions_[at].n;
            const bool last = at + 1 == sessions_.size();
            if (!last && keys.size() < kFoldSessions && events < kFoldEvents) continue;
            HEADWAY_CHECK(check_some(keys));
            checked += keys.size();
            say("checking sessions", checked, sessions_.size());
            keys.clear();
            events = 0;
        }
        return {};
    }

    Result<> check_some(const std::vector<SessionKey>& keys) {
        HEADWAY_TRY(const auto copies, to_.shared()->load_all(keys));
        if (copies.size() != keys.size()) {
            return Error{ErrorCode::kStorageCorrupt,
                         "the copy has " + std::to_string(copies.size()) + " of " +
                             std::to_string(keys.size()) + " sessions",
                         {}};
        }
        HEADWAY_CHECK(to_.begin());
        auto saved = save_equal(copies);
        if (saved) saved = to_.commit();
        if (!saved) to_.rollback();
        return saved;
    }

    Result<> save_equal(const std::vector<storage::StoredSession>& copies) {
        for (const storage::StoredSession& copy : copies) {
            HEADWAY_CHECK(compare(copy));
            if (!copy.session.state().ended()) ++done_.open_sessions;
            HEADWAY_CHECK(to_.save(copy.key, copy.session, copy.chain, copy.new_ids));
        }
        return {};
    }

    Result<> compare(const storage::StoredSession& copy) {
        const auto known = behind_.find(copy.key);
        if (known != behind_.end()) return compare(known->second->session, copy.session);
        HEADWAY_TRY(const storage::StoredSession stored, from_.load(copy.key));
        return compare(stored.session, copy.session);
    }

    static Result<> compare(const core::Session& source, const core::Session& copy) {
        if (source.id() != copy.id()) return unequal(source.id(), "has another id in the copy");
        if (storage::encode_state(source.state()) == storage::encode_state(copy.state())) return {};
        return unequal(source.id(), "has another state in the copy");
    }

    static Error unequal(const std::string& session, const std::string& what) {
        return {
            ErrorCode::kStorageCorrupt,
            "the session " + session + " " + what + "; look at the source with `headway doctor`",
            {}};
    }

    storage::Store& from_;
    storage::Store& to_;
    storage::Import& import_;
    const MigrationProgress& progress_;
    std::unordered_map<SessionKey, const storage::StoredSession*> behind_;  ///< their snapshots
    std::vector<ImportedSession> sessions_;                                 ///< by key
    std::unordered_map<std::string, std::size_t> places_;
    core::Timestamp last_at_ = core::kNever;
    Migrated done_;
};

}  // namespace

Result<Migrated> copy_store(storage::Store& from, storage::Store& to,
                            const MigrationProgress& progress) {
    HEADWAY_ASSERT(from.tables() != nullptr && to.tables() != nullptr && to.shared() != nullptr);
    return StoreCopy{from, to, progress}.run();
}

Result<Migrated> migrate_store(const MigrationRequest& request) {
    std::error_code ec;
    if (!std::filesystem::is_regular_file(request.database, ec)) {
        return Error{ErrorCode::kStorageUnavailable,
                     "there is no database " + request.database.string(),
                     {}};
    }
    // First what is quickly wrong.
    storage::PostgresOpening opening;
    opening.url = request.store;
    opening.id = new_session_id(Clock::wall());
    opening.name = "headway migrate";
    opening.version = core::version().version;
    opening.answer_timeout = request.answer_timeout;
    opening.imports = true;
    HEADWAY_TRY(auto to, open_postgres(opening));
    HEADWAY_CHECK(storage::check_log_has_database(request.database));
    HEADWAY_TRY(const auto damage, storage::keep_log_if_damaged(request.database));
    if (damage) {
        return Error{ErrorCode::kStorageCorrupt,
                     "the log of " + request.database.string() +
                         " is damaged; start its daemon once, which reports the loss",
                     {}};
    }
    HEADWAY_TRY(auto from, storage::SqliteStore::open(request.database));
    return copy_store(*from, *to, request.progress);
}

}  // namespace headway::server
