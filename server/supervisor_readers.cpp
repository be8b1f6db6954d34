// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Read-only queries, answered in slices so that they do not delay commits.

namespace headway::server {
namespace {

using namespace std::chrono_literals;

/// Time of readers in a turn while no request waits.
constexpr auto kReadersTurn = 20ms;
/// The minimum of the same while a request waits. Readers get as long as the last commit took, so
/// that both progress, also on a slow disk.
constexpr auto kReadersShare = 2ms;
/// Events per read of a journal: about a millisecond, fewer if they are long. Not too few, because
/// each read decodes a whole row again, which may be a whole report.
constexpr std::uint64_t kJournalSlice = 100;
constexpr std::uint64_t kJournalSliceMin = 50;

/// Approximate size of a reader's answer.
std::size_t size_of(const core::Result<Answer>& what) {
    if (!what) return 0;
    if (const auto* body = std::get_if<BodyReply>(&*what)) return body->body.size();
    const auto* page = std::get_if<StreamReply>(&*what);
    return page == nullptr ? 0 : page->events.size() * core::limits::kTextWholeBytesMax;
}

core::Result<Answer> answer_of(const ListQuery& query, ListScan& scan) {
    BodyReply reply;
    reply.body = std::move(scan.body);
    if (reply.body.back() == ',') reply.body.pop_back();
    reply.body += "],\"next\":";
    const bool more = scan.keys.size() > query.limit;
    reply.body += more ? "\"" + std::to_string(scan.keys[query.limit - 1]) + "\"" : "null";
    reply.body += ",\"total\":" + std::to_string(scan.total) + "}";
    return Answer{std::move(reply)};
}

core::Result<Answer> answer_of(InboxScan& scan) {
    BodyReply reply;
    reply.body = std::move(scan.body);
    return Answer{std::move(reply)};
}

core::Result<Answer> answer_of(const JournalQuery& query, JournalScan& scan) {
    api::JournalPage& page = scan.page;
    page.more = scan.low < scan.high;
    page.next = query.newest_first ? scan.high + 1 : scan.low;
    BodyReply reply;
    reply.body = std::move(scan.body);
    if (!query.lines) {
        if (reply.body.empty()) reply.body = api::kJournalBegin;
        api::append_journal_end(reply.body, page);
        return Answer{std::move(reply)};
    }
    reply.lines = true;
    reply.headers = "X-Head: " + std::to_string(page.head) +
                    "\r\nX-More: " + (page.more ? "true" : "false") + "\r\n";
    if (page.more) reply.headers += "X-Next: " + std::to_string(page.next) + "\r\n";
    return Answer{std::move(reply)};
}

/// Adds an event to the page.
void show(const JournalQuery& query, const core::Event& event, JournalScan& scan) {
    if (!query.lines) scan.body += scan.shown == 0 ? api::kJournalBegin : ",";
    api::append_event(scan.body, query.session, event, query.prints);
    if (query.lines) scan.body.push_back('\n');
    ++scan.shown;
}

/// Drops the queries of closed connections, so that they do not delay others.
void drop_readers(std::deque<Reader>& readers, std::vector<std::uint64_t> connections) {
    if (connections.empty() || readers.empty()) return;
    std::sort(connections.begin(), connections.end());
    std::erase_if(readers, [&connections](const Reader& reader) {
        // A view is queried for no connection, and others may wait for it.
        if (std::holds_alternative<ViewQuery>(reader.request.command)) return false;
        return std::binary_search(connections.begin(), connections.end(),
                                  reader.request.reply_to.connection);
    });
}

/// The newest time of a ring of limits::kCommitTimesMax, which note_commit() fills.
std::chrono::microseconds last_commit(const std::vector<std::uint32_t>& times,
                                      std::uint64_t commits) {
    if (times.empty()) return {};
    const bool full = times.size() == core::limits::kCommitTimesMax;
    return std::chrono::microseconds{full ? times[commits % times.size()] : times.back()};
}

}  // namespace

/// Sets the start of streams without a position to the state before this turn's writes. Readers are
/// answered after these writes, but a reporter may have waited for its stream to be open, so the
/// stream must include that report.
void Supervisor::place_streams(std::vector<Request>& requests) {
    if (lost_) return;
    for (Request& request : requests) {
        auto* const query = std::get_if<StreamQuery>(&request.command);
        if (query == nullptr || query->after) continue;
        if (query->session.empty()) {
            query->after = store_.head();
            continue;
        }
        const auto resident = require_resident(query->session);
        if (resident) {
            query->after = static_cast<std::int64_t>((*resident)->session.state().n);
        } else if (resident.error().code == core::ErrorCode::kUnknownSession) {
            query->after = 0;  // opened in this turn, or still unknown afterwards
        }
    }
}

void Supervisor::take_readers(std::vector<Request>& requests, Turn& turn) {
    for (Request& request : requests) {
        if (const auto* backup = std::get_if<BackupCommand>(&request.command)) {
            start_backup(request, *backup);  // answered at its end
            continue;
        }
        if (const auto* test = std::get_if<WebhookTestCommand>(&request.command)) {
            if (auto started = start_test(request, *test); !started)
                turn.publication->replies.push_back({request.reply_to, started.error()});
            continue;  // otherwise answered at its end
        }
        if (is_query(request.command)) readers_.push_back({std::move(request)});
    }
    drop_readers(readers_, queue_.take_forgotten());
    queue_.hold(readers_.size());
}

/// Answers queries one after the other in slices, for a limited time per turn: thousands of readers
/// must neither delay reports nor hold all their pages in memory. While requests wait, readers get
/// a share of the time, so that they progress too. Answers are published in small parts, which the
/// I/O thread handles between other work.
void Supervisor::answer_readers() {
    if (readers_.empty()) return;
    const auto started = Clock::steady();
    auto handed_over = started;
    std::size_t bytes = 0;
    auto publication = std::make_unique<Publication>();
    const auto hand_over = [&] {
        handed_over = Clock::steady();
        if (publication->replies.empty()) return;
        publication->stats = stats_;
        publish_(std::exchange(publication, std::make_unique<Publication>()));
    };
    const auto share = std::clamp<std::chrono::microseconds>(
        last_commit(commit_times_, stats_.commits), kReadersShare, kReadersTurn);
    const auto may_go_on = [&] {
        const auto most = queue_.has_waiting() ? share : kReadersTurn;
        return !readers_.empty() && bytes < core::limits::kPublicationBytesMax &&
               Clock::steady() - started < most;
    };
    do {
        // With one core for both threads, lets the I/O thread send and receive between two slices.
        std::this_thread::yield();
        Reader& reader = readers_.front();
        auto what = answer_some(reader);
        if (!what) continue;
        bytes += size_of(*what);
        publication->replies.push_back({reader.request.reply_to, *std::move(what)});
        readers_.pop_front();
        queue_.hold(readers_.size());
        if (Clock::steady() - handed_over >= kReadersShare) hand_over();
    } while (may_go_on());
    queue_.hold(readers_.size());
    hand_over();
}

std::optional<core::Result<Answer>> Supervisor::answer_some(Reader& reader) {
    const Command& command = reader.request.command;
    const auto* const list = std::get_if<ListQuery>(&command);
    const auto* const journal = std::get_if<JournalQuery>(&command);
    const auto* const inbox = std::get_if<InboxQuery>(&command);
    if (list == nullptr && journal == nullptr && inbox == nullptr) return answer_query(command);
    if (lost_ && !regain()) {
        return core::Error{core::ErrorCode::kStorageUnavailable, "the journal cannot be read", {}};
    }
    const auto done = list != nullptr    ? list_some(*list, reader.list)
                      : inbox != nullptr ? inbox_some(*inbox, reader.inbox)
                                         : read_some(*journal, reader.journal);
    if (!done) return done.error();
    if (!*done) return std::nullopt;
    if (inbox != nullptr) return answer_of(reader.inbox);
    return list != nullptr ? answer_of(*list, reader.list) : answer_of(*journal, reader.journal);
}

core::Result<Answer> Supervisor::answer_query(const Command& command) {
    const auto read = [this]<class C>(const C& query) -> core::Result<Answer> {
        if constexpr (kReads<C>) {
            return answer(query);
        } else {
            return core::Error{core::ErrorCode::kInternal, "it reads nothing", {}};
        }
    };
    core::Result<Answer> what =
        lost_ && !regain()
            ? core::Result<Answer>{core::Error{
                  core::ErrorCode::kStorageUnavailable, "the journal cannot be read", {}}}
            : std::visit(read, command);
    const auto* const view = std::get_if<ViewQuery>(&command);
    if (what || view == nullptr) return what;
    // No request belongs to it: the error goes to all that wait for the view.
    ViewReply failed;
    failed.session = view->session;
    failed.error = what.error();
    return Answer{std::move(failed)};
}

/// A slice of a list: finds its sessions first, then encodes them.
core::Result<bool> Supervisor::list_some(const ListQuery& query, ListScan& scan) {
    if (!scan.found) {
        HEADWAY_CHECK(find_some(query, scan));
        return false;
    }
    HEADWAY_CHECK(show_some(query, scan));
    return scan.shown == std::min(scan.keys.size(), query.limit);
}

core::Result<> Supervisor::find_some(const ListQuery& query, ListScan& scan) {
    if (storage::is_indexed(query.filter)) {
        HEADWAY_TRY(scan.keys, store_.list(query.filter, query.before, query.limit + 1));
        HEADWAY_TRY(scan.total, store_.count(query.filter));
        scan.found = true;
        return {};
    }
    if (!scan.begun) {
        HEADWAY_TRY(scan.below, store_.sessions_end());
        scan.begun = true;
    }
    const auto started = Clock::steady();
    const storage::SessionKey from = std::max<storage::SessionKey>(scan.below - scan.width, 0);
    HEADWAY_TRY(const auto keys, store_.list_range(query.filter, from, scan.below));
    scan.total += keys.size();
    for (const storage::SessionKey key : keys) {
        if (key < query.before && scan.keys.size() <= query.limit) scan.keys.push_back(key);
    }
    // Keys may be dense or sparse, and rows cached or not.
    const auto took = Clock::steady() - started;
    if (took < kReaderSlice / 2) scan.width *= 2;
    if (took > kReaderSlice) scan.width = std::max<storage::SessionKey>(scan.width / 2, 1);
    scan.below = from;
    scan.found = from == 0;
    return {};
}

core::Result<bool> Supervisor::read_some(const JournalQuery& query, JournalScan& scan) {
    HEADWAY_TRY(Resident * resident, require_resident(query.session));
    if (!scan.begun) {
        scan.begun = true;
        scan.page.head = resident->session.state().n;
        scan.low = std::min(query.after, scan.page.head);
        scan.high = std::max(scan.low, std::min(query.before - 1, scan.page.head));
    }
    if (scan.low < scan.high && scan.shown < query.limit) {
        const auto started = Clock::steady();
        // With a filter by type, a page scans a bounded number of events and may be short.
        const std::uint64_t wanted = query.types.none() ? query.limit - scan.shown : kJournalSlice;
        const std::uint64_t count = std::min({wanted, scan.width, scan.high - scan.low,
                                              core::limits::kJournalScanMax - scan.looked_at});
        HEADWAY_TRY(auto events,
                    store_.read_session(resident->key, resident->chain,
                                        query.newest_first ? scan.high - count : scan.low, count));
        if (query.newest_first) std::reverse(events.begin(), events.end());
        scan.looked_at += count;
        for (const core::Event& event : events) {
            if (scan.shown == query.limit) break;
            (query.newest_first ? scan.high : scan.low) =
                query.newest_first ? event.n - 1 : event.n;
            const auto type = static_cast<std::size_t>(core::type_of(event.payload));
            if (query.types.none() || query.types.test(type)) show(query, event, scan);
        }
        const auto took = Clock::steady() - started;
        if (took > kReaderSlice) scan.width = std::max(scan.width / 2, kJournalSliceMin);
        if (took < kReaderSlice / 2) scan.width = std::min(scan.width * 2, kJournalSlice);
    }
    return scan.low >= scan.high || scan.shown >= query.limit ||
           scan.looked_at >= core::limits::kJournalScanMax;
}

}  // namespace headway::server
