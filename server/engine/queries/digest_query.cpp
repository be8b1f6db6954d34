// SPDX-License-Identifier: Apache-2.0
#include "server/engine/queries/digest_query.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::Result;

/// Events per read: about a quarter of a slice.
constexpr std::size_t kDigestStep = 64;
/// Sessions that are looked up in one step.
constexpr std::size_t kNamesStep = 16;
constexpr std::size_t kOpenMax = 500;

Result<bool> is_recorded(Reader& reader, const std::string& session) {
    HEADWAY_TRY(const auto key, reader.store().find(session));
    bool recorded = false;
    if (!key) return recorded;
    const auto read = reader.with(
        *key, [&recorded](const core::Session& one) { recorded = one.state().about.recorded; });
    if (!read && read.error().code != core::ErrorCode::kUnknownSession) return read.error();
    return recorded;
}

}  // namespace

Result<std::optional<api::DigestDocument>> DigestReading::step(Reader& reader) {
    const auto started = Clock::steady();
    while (at_ != At::kDone && Clock::steady() - started < kReaderSlice)
        HEADWAY_CHECK(advance(reader));
    std::optional<api::DigestDocument> done;
    if (at_ == At::kDone) done = std::move(digest_);
    return done;
}

Result<> DigestReading::advance(Reader& reader) {
    switch (at_) {
        case At::kBegin:
            begin(reader);
            return {};
        case At::kPlace:
            return place(reader);
        case At::kRead:
            return read_some(reader);
        case At::kNames:
            return find_names(reader);
        case At::kOpen:
            return find_open(reader);
        case At::kRows:
            return shown_ < keys_.size() ? add_row(reader) : finish(reader);
        case At::kDone:
            break;
    }
    return {};
}

void DigestReading::begin(Reader& reader) {
    digest_.since = since;
    digest_.until = reader.now();
    head_ = reader.store().head();
    const auto most = static_cast<storage::Cursor>(core::limits::kDigestEventsMax);
    cut_ = head_ - std::max<storage::Cursor>(reader.store().oldest() - 1, 0) > most;
    // Events of other sessions are still there before one that was deleted.
    low_ = std::max<storage::Cursor>(head_ - most, 0);
    high_ = head_;
    at_ = At::kPlace;
}

/// Halves the part of the journal in which the first event since then lies.
Result<> DigestReading::place(Reader& reader) {
    if (low_ >= high_) {
        at_ = At::kRead;
        return {};
    }
    const storage::Cursor middle = low_ + (high_ - low_) / 2;
    HEADWAY_TRY(const storage::StreamPage page, reader.store().read_stream(middle, 1));
    const bool none = page.events.empty();
    if (none && !page.end && page.through < high_ && page.through > middle) {
        low_ = page.through;
        return {};
    }
    bool older = !none && page.events.front().event.at < since;
    // A recorded event may stand behind newer ones.
    if (older) {
        HEADWAY_TRY(const bool recorded, is_recorded(reader, page.events.front().session));
        older = !recorded;
    }
    if (older) {
        low_ = page.events.front().cursor;
        cut_ = false;
    } else {
        high_ = middle;
    }
    return {};
}

Result<> DigestReading::read_some(Reader& reader) {
    HEADWAY_TRY(const storage::StreamPage page, reader.store().read_stream(low_, kDigestStep));
    for (const storage::StreamEvent& one : page.events) {
        if (one.cursor > head_) break;
        if (is_of_past(one)) continue;
        if (one.event.at < since) continue;  // the clock was set
        if (std::exchange(cut_, false)) {
            digest_.partial = true;
            digest_.since = one.event.at;
        }
        fold_.add(one.session, one.event);
    }
    const bool over = page.end || page.through >= head_ || page.through <= low_;
    low_ = page.through;
    if (over) at_ = At::kNames;
    return {};
}

/// True for an event of a recorded session. One whose opening stands before the events that are
/// read is found only by add_row().
bool DigestReading::is_of_past(const storage::StreamEvent& one) {
    const auto* const opening = std::get_if<core::SessionStarted>(&one.event.payload);
    if (opening != nullptr && opening->recorded) recorded_.insert(one.session);
    return recorded_.contains(one.session);
}

/// The sessions of the events, some at a time.
Result<> DigestReading::find_names(Reader& reader) {
    auto next = fold_.sessions().upper_bound(named_);
    for (std::size_t i = 0; i < kNamesStep && next != fold_.sessions().end(); ++i, ++next) {
        HEADWAY_TRY(const auto key, reader.store().find(next->first));
        if (key) keys_.push_back(*key);
        named_ = next->first;
    }
    if (next == fold_.sessions().end()) at_ = At::kOpen;
    return {};
}

/// Open sessions, also those without an event, some at a time.
Result<> DigestReading::find_open(Reader& reader) {
    storage::SessionFilter open;
    open.open = true;
    const std::size_t most = std::min(kNamesStep, kOpenMax - open_found_);
    HEADWAY_TRY(const auto more, reader.store().index().list(open, open_before_, most));
    keys_.insert(keys_.end(), more.begin(), more.end());
    open_found_ += more.size();
    if (!more.empty()) open_before_ = more.back();
    if (more.size() == most && open_found_ < kOpenMax) return {};
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    at_ = At::kRows;
    return {};
}

Result<> DigestReading::add_row(Reader& reader) {
    const auto read = reader.with(keys_[shown_++], [&](const core::Session& session) {
        if (session.state().about.recorded) return;
        const auto found = fold_.sessions().find(session.id());
        const core::DigestSession none;
        const bool silent = found == fold_.sessions().end();
        digest_.rows.push_back(
            api::digest_row(session, silent ? none : found->second, digest_.until));
    });
    // Retention may have removed it meanwhile.
    const bool gone = !read && read.error().code == core::ErrorCode::kUnknownSession;
    return gone ? Result<>{} : read;
}

Result<> DigestReading::finish(Reader& reader) {
    std::sort(digest_.rows.begin(), digest_.rows.end(),
              [](const api::DigestRow& a, const api::DigestRow& b) { return a.id < b.id; });
    HEADWAY_TRY(digest_.needs, needs_of(reader));
    HEADWAY_TRY(digest_.needs_total, count_needs(reader));
    digest_.partial = digest_.partial || fold_.left_out() > 0;
    at_ = At::kDone;
    return {};
}

Result<std::optional<TextPage>> DigestQuery::operator()(Reader& reader) {
    if (reading.since == core::kNever)
        reading.since = since == core::kNever ? reader.now() - span : since;
    HEADWAY_TRY(const auto digest, reading.step(reader));
    std::optional<TextPage> done;
    if (!digest) return done;
    TextPage& page = done.emplace();
    switch (format) {
        case api::DigestFormat::kJson:
            api::append_digest(page.body, *digest);
            break;
        case api::DigestFormat::kText:
            page.body = api::text_of(api::digest_page(*digest));
            page.content_type = "text/plain; charset=utf-8";
            break;
        case api::DigestFormat::kMarkdown:
            page.body = api::markdown_of(api::digest_page(*digest));
            page.content_type = "text/markdown; charset=utf-8";
            break;
        case api::DigestFormat::kHtml:
            page.body = api::html_of(api::digest_page(*digest));
            page.content_type = "text/html; charset=utf-8";
            // The page has no script, and its styles are in it, as in a mail.
            page.headers =
                "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";
            break;
    }
    return done;
}

}  // namespace headway::server
