// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"
#include "server/engine/commands/family_writes.hpp"
#include "server/engine/turn/engine.hpp"
#include "server/engine/turn/receivers.hpp"

// The write phase of a turn.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Tries of one turn. A wait for a lock ends after a second, and a daemon that stopped in the
/// middle of a turn holds its locks for two.
constexpr int kTriesMax = 4;

/// The reply of a write that only its own session has failed. A call that must not run unchecked is
/// refused if the session cannot be read.
void fail_one(Request& request, Reader& reader, Error error) {
    if (is_unreadable(error.code)) {
        request.write->refuse_unstored(reader, std::move(error));
    } else {
        request.write->fail(std::move(error));
    }
}

/// The factor on heartbeat intervals.
std::uint32_t load_factor(std::size_t backlog) {
    if (backlog >= core::limits::kCommandQueueMax * 3 / 4) return 4;
    return backlog >= core::limits::kCommandQueueMax / 2 ? 2 : 1;
}

}  // namespace

void Engine::write_phase(std::vector<Request>& requests, std::size_t left,
                         Publication& publication) {
    const bool ticks = policy_->ticks_due();
    const bool writes = std::any_of(requests.begin(), requests.end(), is_write);
    disk_.look_at_space(writes);
    disk_.look_at_files(writes || ticks || !receivers_.empty());
    if (const auto closed = disk_.closed()) {
        if (lost_) (void)regain();  // a refusal depends on what the sessions' rules are
        refuse(*closed, requests, publication);
        return;
    }
    if (policy_->has_lost_connection()) lost_ = true;
    if (lost_ && !regain()) {
        if (writes)
            give_up({ErrorCode::kStorageUnavailable, "the journal cannot be written", {}}, requests,
                    publication);
        return;
    }
    if (writes || ticks || !receivers_.empty()) commit_writes(requests, left, publication);
}

void Engine::commit_writes(std::vector<Request>& requests, std::size_t left,
                           Publication& publication) {
    const auto started = Clock::steady();
    const Transaction::Turn turn{clock_.now(), load_factor(requests.size() + left), listening_};
    for (const Request& request : requests) {
        if (request.write == nullptr) continue;
        // A hook's call that must not run is refused even if nothing can be stored.
        if (policy_->repeats() || request.write->delivered() || request.write->rationed())
            request.write->keep();
    }
    const auto later = hold_back(receivers_, last_receiver_);
    std::optional<Transaction> tried;
    for (int tries = 1;; ++tries) {
        tried.emplace(parts_, projections_, session_log_, turn, publication);
        const auto written = write_all(requests, *tried);
        if (written) break;
        store_.rollback();
        if (tries < kTriesMax && try_again(requests, publication)) continue;
        add_receivers(receivers_, later);
        if (policy_->repeats() && !is_storage_error(written.error().code))
            return write_singly(written.error(), requests, left, publication);
        return give_up(written.error(), requests, publication);
    }
    Transaction& transaction = *tried;
    commits_.note(std::chrono::duration_cast<std::chrono::microseconds>(Clock::steady() - started));
    policy_->settle(transaction, publication);
    disk_.set_committed();
    session_log_.commit(Clock::steady());
    judges_.commit();
    receivers_ = transaction.take_woken();
    add_receivers(receivers_, later);
    if (receivers_.empty()) days_.let_go.clear();  // all of them were looked at, and it is stored
    if (transaction.deletes()) upkeep_.hurry_deletion();
    for (Request& request : requests) {
        if (request.write != nullptr) answer(request, publication);
    }
    publish_views(transaction, publication);
}

/// Lets the writes name their sessions, before the transaction: `ends` has for each request where
/// its names end. A refused request gets its error.
Result<> Engine::name_all(std::vector<Request>& requests, Reader& reader, SessionNames& names,
                          std::vector<std::size_t>& ends) {
    ends.reserve(requests.size());
    for (Request& request : requests) {
        if (request.write != nullptr) {
            if (auto refused = request.write->fills_disk() ? disk_.no_room() : std::nullopt) {
                request.write->refuse_unstored(reader, *std::move(refused));
            } else {
                Result<> named = request.write->name(reader, names);
                if (!named && is_storage_error(named.error().code)) return named;
                if (!named) fail_one(request, reader, std::move(named).error());
            }
        }
        ends.push_back(names.size());
    }
    return {};
}

Result<> Engine::write_all(std::vector<Request>& requests, Transaction& transaction) {
    SessionNames names;
    std::vector<std::size_t> ends;
    policy_->begin_naming();
    HEADWAY_CHECK(name_all(requests, transaction.reader(), names, ends));
    HEADWAY_CHECK(policy_->begin(requests, {names, ends}, transaction));
    HEADWAY_CHECK(receive(transaction, receivers_));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < requests.size(); begin = ends[i], ++i) {
        Request& request = requests[i];
        if (request.write == nullptr || request.write->failed()) continue;  // or deferred
        HEADWAY_TRY(const bool well, policy_->may_run(request, transaction));
        if (!well) continue;
        transaction.begin(std::span{names}.subspan(begin, ends[i] - begin), request.watched);
        auto done = request.write->run(transaction);
        if (done) continue;
        if (is_storage_error(done.error().code)) return done;
        fail_one(request, transaction.reader(), std::move(done).error());
    }
    transaction.begin_own();
    HEADWAY_CHECK(policy_->tick_due(transaction));
    wake_parents(transaction);
    HEADWAY_CHECK(tell_relatives(transaction));
    policy_->store_deadlines(transaction);
    return transaction.commit();
}

void Engine::publish_views(const Transaction& transaction, Publication& publication) {
    publication.views.reserve(transaction.touched().size());
    for (Resident* resident : transaction.touched()) {
        resident->touched = false;
        resident->moved = false;
        sessions_.residents().measure(*resident);
        resident->touched_at = transaction.now();
        sessions_.residents().recount(*resident);
        policy_->schedule(*resident);
        publication.views.push_back(core::view_of(resident->session));
    }
    for (const Resident* resident : transaction.moved())
        moved_.push_back(resident->key);
}

/// Drops what the turn has decided and not committed.
void Engine::drop_turn(Publication& publication) {
    session_log_.drop();
    judges_.rollback();
    sessions_.residents().clear();
    tree_.clear();
    if (!days_.let_go.empty()) days_.day = INT64_MIN;  // their release may have been part of it
    days_.sessions.merge(days_.let_go);
    publication.views.clear();
    publication.events.clear();
    publication.tokens.reset();
    publication.decided.clear();
    publication.checked.clear();
}

/// After a conflict with a transaction of another daemon, which the database has ended by giving up
/// ours: all is read again, and the commands are as they came. False if the turn has to fail.
bool Engine::try_again(const std::vector<Request>& requests, Publication& publication) {
    if (!policy_->may_try_again()) return false;
    drop_turn(publication);
    if (!recover()) return false;
    policy_->note_retry();
    for (const Request& request : requests) {
        if (request.write != nullptr) request.write->restore();
    }
    return true;
}

/// The database refuses a value of one of these writes, and does not name the write. Each runs in a
/// transaction of its own, and the one that fails there gets the error. The turn's own work comes
/// first, alone: if the value is from there, the writes are in order and may be sent again.
void Engine::write_singly(const Error& error, std::vector<Request>& requests, std::size_t left,
                          Publication& publication) {
    const auto writes = std::count_if(requests.begin(), requests.end(), is_write);
    drop_turn(publication);
    if (writes == 0 || !recover()) return give_up(error, requests, publication);
    std::vector<Request> none;
    auto own = std::make_unique<Publication>();
    commit_writes(none, left, *own);
    announce(std::move(own));
    if (lost_)
        return give_up({ErrorCode::kStorageUnavailable, error.detail, {}}, requests, publication);
    if (writes == 1) return refuse(error, requests, publication);
    for (Request& request : requests) {
        if (!is_write(request)) continue;
        request.write->restore();
        std::vector<Request> alone;
        alone.push_back(std::move(request));
        auto published = std::make_unique<Publication>();
        write_phase(alone, left, *published);
        request = std::move(alone.front());
        announce(std::move(published));
    }
}

/// The turn was rolled back. Each of its commands gets the error; sessions are loaded again before
/// the next turn.
void Engine::give_up(const Error& error, std::vector<Request>& requests, Publication& publication) {
    if (disk_.writable()) report_(true, "commit failed: " + error.detail);
    disk_.note_failure(error);
    disk_.look_at_files(true);
    disk_.set_failed();
    commits_.note_failure();
    lost_ = true;
    drop_turn(publication);
    Error shown = error;
    if (shown.code == ErrorCode::kStorageCorrupt) shown.code = ErrorCode::kStorageUnavailable;
    const bool unknown = shown.code == ErrorCode::kStorageSyncFailed || disk_.misplaced() ||
                         policy_->outcome_unknown();
    shown.detail =
        (unknown ? "it is not known whether this was stored; send it again with the same event_id ("
                 : "nothing was stored; send it again (") +
        shown.detail + ")";
    refuse(shown, requests, publication);
}

/// Refuses all commands that write.
void Engine::refuse(const Error& error, std::vector<Request>& requests, Publication& publication) {
    Reader reader{parts_};
    for (Request& request : requests) {
        if (request.write == nullptr) continue;
        request.write->refuse_unstored(reader, error);
        answer(request, publication);
    }
}

/// Publishes the result of a write, unless it is tried again.
void Engine::answer(Request& request, Publication& publication) {
    if (retry_queue_.keep(request, parts_)) return;
    publication.replies.push_back({request.reply_to, std::move(request.write)});
}

bool Engine::regain() {
    if (!policy_->may_recover(regain_tried_at_)) return false;
    regain_tried_at_ = Clock::steady();
    sessions_.residents().clear();
    tree_.clear();
    policy_->forget();
    auto recovered = recover();
    regain_tried_at_ = recovered ? Clock::Steady::time_point{} : Clock::steady();
    if (!recovered) return false;
    lost_ = false;
    report_(false, "sessions were read again from the journal after a failed commit");
    return true;
}

}  // namespace headway::server
