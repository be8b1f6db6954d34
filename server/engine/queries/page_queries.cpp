// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/queries/queries.hpp"
#include "server/engine/transaction/costs.hpp"

// Pages: lists of sessions, journals, the inbox.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Events per read of a journal: about a millisecond, fewer if they are long. Not too few, because
/// each read decodes a whole row again, which may be a whole report.
constexpr std::uint64_t kJournalSlice = 100;
constexpr std::uint64_t kJournalSliceMin = 50;
/// Arguments may be long: a larger page of the inbox ends early.
constexpr std::size_t kInboxBytes = 1U << 20;

}  // namespace

/// Finds its sessions first, then encodes them.
Result<std::optional<TextPage>> ListQuery::operator()(Reader& reader) {
    std::optional<TextPage> done;
    if (!scan.found) {
        HEADWAY_CHECK(find_some(reader));
        return done;
    }
    HEADWAY_CHECK(show_some(reader));
    if (scan.shown < std::min(scan.keys.size(), limit)) return done;
    TextPage& page = done.emplace();
    page.body = std::move(scan.body);
    if (page.body.back() == ',') page.body.pop_back();
    page.body += "],\"next\":";
    const bool more = scan.keys.size() > limit;
    // A number either way: with a zero in front for the place among the recorded ones.
    const char* const quote = limit > scan.live ? "\"0" : "\"";
    page.body += more ? quote + std::to_string(scan.keys[limit - 1]) + "\"" : "null";
    page.body += ",\"total\":" + std::to_string(scan.total) + "}";
    return done;
}

Result<> ListQuery::find_some(Reader& reader) {
    if (storage::is_indexed(filter)) return find_in_index(reader);
    if (!scan.begun) {
        HEADWAY_TRY(scan.below, reader.store().index().sessions_end());
        scan.begun = true;
    }
    const auto started = Clock::steady();
    const storage::SessionKey from = std::max<storage::SessionKey>(scan.below - scan.width, 0);
    storage::SessionFilter part = filter;
    part.recorded = scan.past;
    HEADWAY_TRY(const auto keys, reader.store().index().list_range(part, from, scan.below));
    scan.total += keys.size();
    for (const storage::SessionKey key : keys) {
        const bool behind = scan.past == past ? key < before : scan.past;
        if (!behind || scan.keys.size() > limit) continue;
        scan.keys.push_back(key);
        if (!scan.past) ++scan.live;
    }
    // Keys may be dense or sparse, and rows cached or not.
    const auto took = Clock::steady() - started;
    if (took < kReaderSlice / 2) scan.width *= 2;
    if (took > kReaderSlice) scan.width = std::max<storage::SessionKey>(scan.width / 2, 1);
    scan.below = from;
    if (from > 0) return {};
    storage::SessionFilter recorded;
    recorded.recorded = true;
    HEADWAY_TRY(const auto any, reader.store().index().list(recorded, INT64_MAX, 1));
    scan.found = scan.past || any.empty();
    scan.past = true;
    scan.begun = false;
    return {};
}

Result<> ListQuery::find_in_index(Reader& reader) {
    storage::SessionIndex& index = reader.store().index();
    storage::SessionFilter part = filter;
    if (!past) {
        part.recorded = false;
        HEADWAY_TRY(scan.keys, index.list(part, before, limit + 1));
        scan.live = scan.keys.size();
    }
    if (scan.keys.size() <= limit && !filter.open.value_or(false)) {  // none of them is open
        part.recorded = true;
        HEADWAY_TRY(const auto more,
                    index.list(part, past ? before : INT64_MAX, limit + 1 - scan.keys.size()));
        scan.keys.insert(scan.keys.end(), more.begin(), more.end());
    }
    HEADWAY_TRY(scan.total, index.count(filter));
    scan.found = true;
    return {};
}

/// Sessions that are not in memory are read from disk.
Result<> ListQuery::show_some(Reader& reader) {
    const auto started = Clock::steady();
    const std::size_t count = std::min(scan.keys.size(), limit);
    while (scan.shown < count && Clock::steady() - started < kReaderSlice) {
        const std::size_t size_before = scan.body.size();
        const storage::SessionKey key = scan.keys[scan.shown++];
        const auto read = reader.with(key, [&](const core::Session& session) {
            const auto adapter = adapter_with_cost(reader, key, session);
            const api::Adapter* hooks = adapter ? &*adapter : nullptr;
            if (rows) {
                api::append_row(scan.body, session, reader.time(), hooks);
            } else {
                api::append_session(scan.body, session, reader.time(), nullptr, {}, hooks,
                                    cost_warning(reader, session, adapter));
            }
        });
        // Retention may have removed it since it was found.
        const bool gone = !read && read.error().code == core::ErrorCode::kUnknownSession;
        if (gone && scan.total > 0) --scan.total;
        if (!read && !gone) return read.error();
        if (scan.body.size() != size_before) scan.body.push_back(',');
    }
    return {};
}

Result<std::optional<TextPage>> JournalQuery::operator()(Reader& reader) {
    std::optional<TextPage> done;
    HEADWAY_TRY(const Resident* resident, reader.require(session));
    if (!scan.begun) {
        scan.begun = true;
        scan.page.head = resident->session.state().n;
        scan.low = std::min(after, scan.page.head);
        scan.high = std::max(scan.low, std::min(before - 1, scan.page.head));
    }
    if (scan.low < scan.high && scan.shown < limit) HEADWAY_CHECK(read_some(reader, *resident));
    const bool complete = scan.low >= scan.high || scan.shown >= limit ||
                          scan.looked_at >= core::limits::kJournalScanMax;
    if (complete) done = page();
    return done;
}

Result<> JournalQuery::read_some(Reader& reader, const Resident& resident) {
    const auto started = Clock::steady();
    // With a filter by type, a page scans a bounded number of events and may be short.
    const std::uint64_t wanted = types.none() ? limit - scan.shown : kJournalSlice;
    const std::uint64_t count = std::min(
        {wanted, scan.width, scan.high - scan.low, core::limits::kJournalScanMax - scan.looked_at});
    HEADWAY_TRY(auto events,
                reader.store().read_session(resident.key, resident.chain,
                                            newest_first ? scan.high - count : scan.low, count));
    if (newest_first) std::reverse(events.begin(), events.end());
    scan.looked_at += count;
    for (const core::Event& event : events) {
        if (scan.shown == limit) break;
        (newest_first ? scan.high : scan.low) = newest_first ? event.n - 1 : event.n;
        const auto type = static_cast<std::size_t>(core::type_of(event.payload));
        if (types.none() || types.test(type)) show(event);
    }
    const auto took = Clock::steady() - started;
    if (took > kReaderSlice) scan.width = std::max(scan.width / 2, kJournalSliceMin);
    if (took < kReaderSlice / 2) scan.width = std::min(scan.width * 2, kJournalSlice);
    return {};
}

/// Adds an event to the page.
void JournalQuery::show(const core::Event& event) {
    if (!lines) scan.body += scan.shown == 0 ? api::kJournalBegin : ",";
    api::append_event(scan.body, session, event, {fingerprints, fingerprint_key});
    if (lines) scan.body.push_back('\n');
    ++scan.shown;
}

TextPage JournalQuery::page() {
    api::JournalPage& state = scan.page;
    state.more = scan.low < scan.high;
    state.next = newest_first ? scan.high + 1 : scan.low;
    TextPage text_page;
    text_page.body = std::move(scan.body);
    text_page.lines = lines;
    if (!lines) {
        if (text_page.body.empty()) text_page.body = api::kJournalBegin;
        api::append_journal_end(text_page.body, state);
        return text_page;
    }
    text_page.headers = "X-Head: " + std::to_string(state.head) +
                        "\r\nX-More: " + (state.more ? "true" : "false") + "\r\n";
    if (state.more) text_page.headers += "X-Next: " + std::to_string(state.next) + "\r\n";
    return text_page;
}

Result<> InboxQuery::begin(Reader& reader) {
    scan.begun = true;
    if (!session.empty()) {
        HEADWAY_TRY(const auto key, reader.store().find(session));
        if (!key)
            return Error{ErrorCode::kUnknownSession, "no session '" + session + "'", "session"};
        page.session = *key;
    }
    HEADWAY_TRY(scan.rows, reader.store().approvals().list_approvals(page));
    return {};
}

/// Adds an approval to the page; leaves out a damaged one, and one that retention has deleted
/// meanwhile.
Result<> InboxQuery::show(Reader& reader, const storage::StoredApproval& row) {
    const Result<api::ApprovalDocument> document = approval_document(reader, row);
    if (document) {
        if (scan.body.back() != '[') scan.body.push_back(',');
        api::append_approval(scan.body, *document);
        return {};
    }
    const Error& error = document.error();
    if (error.code == ErrorCode::kUnknownSession) return {};
    if (!is_unreadable(error.code)) return error;
    reader.say_damaged(row.session, error.detail);
    return {};
}

/// Each row may need a session that is not in memory.
Result<std::optional<TextPage>> InboxQuery::operator()(Reader& reader) {
    std::optional<TextPage> done;
    const auto started = Clock::steady();
    if (!scan.begun) HEADWAY_CHECK(begin(reader));
    const auto more = [&] {
        return scan.looked_at < scan.rows.size() && scan.body.size() < kInboxBytes;
    };
    while (more() && Clock::steady() - started < kReaderSlice)
        HEADWAY_CHECK(show(reader, scan.rows[scan.looked_at++]));
    if (more()) return done;
    const bool next = scan.looked_at < scan.rows.size() || scan.rows.size() == page.limit;
    scan.body += "],\"pending\":" + std::to_string(reader.stats().approvals.pending) + ",\"next\":";
    scan.body +=
        next ? "\"" + std::to_string(scan.rows[scan.looked_at - 1].cursor) + "\"}" : "null}";
    done = TextPage{std::move(scan.body)};
    return done;
}

}  // namespace headway::server
