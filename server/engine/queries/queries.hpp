// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/encode/system/encode_overview.hpp"
#include "api/encode/system/encode_system.hpp"
#include "core/events/event.hpp"
#include "server/engine/commands/approval_commands.hpp"
#include "server/engine/transaction/reader.hpp"

// Queries, which are answered from committed state. Long queries encode their text on the engine's
// thread, because encoding a whole page of documents would block the I/O thread. They run in
// slices, so that they do not block the engine either.

namespace headway::server {

/// One session.
struct SessionQuery {
    std::string session;

    core::Result<SessionDocument> operator()(Reader& reader) const;
};

/// A session that is to be compared with plain timeouts, and the time of the query.
struct SessionCompared {
    core::Session session;
    core::Timestamp now;
};
struct ComparisonQuery {
    std::string session;

    core::Result<std::variant<SessionCompared, api::TimeoutTotals>> operator()(
        Reader& reader) const;
};

/// The view of a session, for readers whose cache does not have it.
struct ViewShown {
    std::string session;
    std::unique_ptr<core::SessionView> view;  ///< null: unknown session
};
struct ViewQuery {
    std::string session;

    static constexpr bool kShared = true;
    core::Result<ViewShown> operator()(Reader& reader) const;
    /// Sends the error to all requests that wait for the view.
    void refuse(Answers& on, const core::Error& error) const { on.view(session, error); }
};

/// The next page for a stream that is catching up; without `after`, only the current position.
struct StreamQuery {
    std::string session;  ///< id of the session; empty = all sessions
    std::optional<std::int64_t> after;

    void arrive(Reader& reader);
    std::int64_t position() const { return session.empty() ? after.value_or(0) : 0; }
    core::Result<StreamReply> operator()(Reader& reader) const;
};

struct BudgetDocument {
    core::Session session;
    api::ReadingTime time;
    core::BudgetPrediction prediction;
    /// Text for the budget prompt: the usual calls of similar sessions; or empty.
    std::string usual_calls;
    std::string cost_warning = {};
};
struct BudgetQuery {
    std::string session;

    core::Result<BudgetDocument> operator()(Reader& reader) const;
};

/// Resources used by ended sessions, by agent type and outcome.
struct BudgetAnalytics {
    std::vector<core::UseSummary> summaries;
    std::uint64_t sessions = 0;
    bool more = false;
};
struct BudgetAnalyticsQuery {
    std::optional<std::string> agent;

    core::Result<BudgetAnalytics> operator()(Reader& reader) const;
};

/// The approval that a client has requested. The reply to the client may wait until the approval is
/// decided.
struct ApprovalPolled {
    api::ApprovalDocument document;
};
struct ApprovalQuery {
    std::string session;
    std::uint64_t n = 0;
    ApprovalAlias alias = {};

    core::Result<ApprovalPolled> operator()(Reader& reader) const;
};

/// The state of all sessions.
struct OverviewQuery {
    std::size_t minutes = 0;  ///< number of past minutes for which counts are returned

    core::Result<api::Overview> operator()(Reader& reader) const;
};

/// At most limits::kNeedsShownMax of the matters that wait for people: first alarms, then approvals
/// and sessions together, sorted by urgency and then by age. Alarms take at most half of the places
/// if approvals and sessions need the other half.
core::Result<std::vector<api::Need>> needs_of(const Reader& reader);
core::Result<std::uint64_t> count_needs(const Reader& reader);

/// The daemon's own state; the engine completes a copy of `report`.
struct SystemQuery {
    std::shared_ptr<const api::SystemReport> report;

    core::Result<api::SystemReport> operator()(Reader& reader) const;
};

/// A page as text.
struct TextPage {
    std::string body;
    std::string headers = {};
    bool lines = false;  ///< the text is NDJSON
    std::string_view content_type = "application/json";
};
inline std::size_t size_of(const TextPage& page) {
    return page.body.size();
}
std::size_t size_of(const StreamReply& page);
std::size_t size_of(const SessionDocument& shown);
std::size_t size_of(const SessionCompared& compared);
std::size_t size_of(const BudgetDocument& budget);
std::size_t size_of(const ApprovalPolled& polled);

/// A page of sessions, newest first. Recorded sessions follow all others, because they are older
/// than their keys suggest.
struct ListQuery {
    storage::SessionFilter filter;
    bool rows = false;  ///< the page has rows of a table instead of documents
    std::size_t limit = 50;
    storage::SessionKey before = INT64_MAX;
    bool past = false;  ///< `before` is the key of a recorded session

    /// Progress of the query.
    struct Scan {
        bool begun = false;
        bool found = false;  ///< all sessions of the page are found; only their output remains
        storage::SessionKey below = 0;   ///< the keys below this one have not been searched yet
        storage::SessionKey width = 64;  ///< number of keys in the next slice
        /// The page's keys, and one more if more sessions follow.
        std::vector<storage::SessionKey> keys;
        /// Number of keys in `keys` that belong to live sessions; the other keys belong to recorded
        /// sessions.
        std::size_t live = 0;
        bool past = false;  ///< the search has come to the recorded sessions
        std::uint64_t total = 0;
        std::size_t shown = 0;
        std::string body = "{\"sessions\":[";
    } scan = {};

    core::Result<std::optional<TextPage>> operator()(Reader& reader);

private:
    core::Result<> find_some(Reader& reader);
    core::Result<> find_in_index(Reader& reader);
    core::Result<> show_some(Reader& reader);
};

/// A set of event types.
using EventTypes = std::bitset<core::EnumNames<core::EventType>::kNames.size()>;

/// A page of a journal.
struct JournalQuery {
    std::string session;
    std::uint64_t after = 0;
    std::size_t limit = 100;
    bool lines = false;  ///< the text is NDJSON
    std::uint64_t before = UINT64_MAX;
    bool newest_first = false;
    bool fingerprints = false;
    EventTypes types = {};             ///< types to list; empty = all types
    std::string fingerprint_key = {};  ///< see api::Fingerprints::key

    struct Scan {
        bool begun = false;
        api::JournalPage page;
        std::uint64_t low = 0;  ///< events low + 1 to high are still to be read
        std::uint64_t high = 0;
        std::uint64_t width = 100;  ///< number of events in the next slice
        std::size_t looked_at = 0;
        std::uint64_t shown = 0;
        std::string body;
    } scan = {};

    core::Result<std::optional<TextPage>> operator()(Reader& reader);

private:
    core::Result<> read_some(Reader& reader, const Resident& resident);
    void show(const core::Event& event);
    TextPage page();
};

/// A page of the inbox.
struct InboxQuery {
    storage::ApprovalPage page;
    std::string session;  ///< session of the approvals; empty: all sessions

    struct Scan {
        bool begun = false;
        std::vector<storage::StoredApproval> rows;
        std::size_t looked_at = 0;
        std::string body = "{\"approvals\":[";
    } scan = {};

    core::Result<std::optional<TextPage>> operator()(Reader& reader);

private:
    core::Result<> begin(Reader& reader);
    core::Result<> show(Reader& reader, const storage::StoredApproval& row);
};

}  // namespace headway::server
