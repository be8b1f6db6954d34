// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "api/decode/decode.hpp"
#include "api/text/timestamp.hpp"
#include "config/values/duration.hpp"
#include "core/base/limits.hpp"
#include "core/views/wait.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/engine/queries/digest_query.hpp"
#include "server/engine/queries/verdict_hour.hpp"
#include "server/http/message/gate.hpp"
#include "server/tokens/session_ids.hpp"

// Reading sessions: one, many, the journal of one.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

Result<EventTypes> parse_types(std::string_view list) {
    EventTypes types;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t comma = std::min(list.find(',', from), list.size());
        const std::string_view name = list.substr(from, comma - from);
        from = comma + 1;
        core::EventType type{};
        if (!core::parse_name(name, type)) {
            return Error{ErrorCode::kInvalidParameter,
                         "must be a comma list of event types, such as tool.finished,message",
                         "types"};
        }
        types.set(static_cast<std::size_t>(type));
    }
    return types;
}

Error invalid(std::string detail, std::string_view field) {
    return {ErrorCode::kInvalidParameter, std::move(detail), std::string{field}};
}

Result<core::Label> parse_label(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) return invalid("must be key:value", "label");
    return core::Label{text.substr(0, colon), text.substr(colon + 1)};
}

/// Parses the filters of lists of sessions.
Result<> parse_words(const api::Query& query, storage::SessionFilter& filter) {
    if (const std::string* text = query.find("q")) {
        if (text->size() > limits::kSearchBytesMax) {
            return invalid("at most " + std::to_string(limits::kSearchBytesMax) + " bytes", "q");
        }
        filter.text = *text;
    }
    if (const std::string* agent = query.find("agent")) filter.agent_type = *agent;
    if (const std::string* label = query.find("label")) {
        HEADWAY_TRY(filter.label, parse_label(*label));
    }
    if (const std::string* parent = query.find("parent")) {
        if (!api::valid_id(*parent)) return invalid("must be the id of a session", "parent");
        filter.parent = *parent;
    }
    if (const std::string* ids = query.find("ids")) {
        HEADWAY_TRY(filter.ids, parse_ids(*ids, "ids", limits::kListPageMax));
    }
    return {};
}

Result<storage::SessionFilter> parse_filter(const api::Query& query) {
    storage::SessionFilter filter;
    HEADWAY_CHECK(parse_words(query, filter));
    if (const std::string* verdicts = query.find("verdict")) {
        const auto set = core::parse_until(*verdicts);
        if (!set || set->any_event || (set->needs_somebody && set->verdicts.none())) {
            return invalid("must be verdicts (such as stuck,silent), settled or ended", "verdict");
        }
        for (std::size_t i = 0; i < core::kVerdictCount; ++i) {
            if (set->verdicts.test(i)) filter.verdicts.push_back(static_cast<core::Verdict>(i));
        }
    }
    if (const std::string* open = query.find("open")) {
        if (*open != "true" && *open != "false") return invalid("must be true or false", "open");
        filter.open = *open == "true";
    }
    return filter;
}

}  // namespace

Result<> endpoints::show_session(Call& call) {
    return call.read(SessionQuery{call.session()}, call.session());
}

Result<> endpoints::compare_timers(Call& call) {
    return call.read(ComparisonQuery{call.session()}, call.session());
}

Result<> endpoints::journal(Call& call) {
    const api::Query& query = call.query;
    JournalQuery journal;
    journal.session = call.session();
    journal.lines = is_media_type(call.request.head.accept, "application/x-ndjson");
    if (const std::string* after = query.find("after")) {
        HEADWAY_TRY(journal.after, api::parse_number(*after, "after", 0, INT64_MAX / 2));
    }
    if (const std::string* before = query.find("before")) {
        HEADWAY_TRY(journal.before, api::parse_number(*before, "before", 1, INT64_MAX / 2));
    }
    if (const std::string* order = query.find("order")) {
        if (*order != "oldest" && *order != "newest") {
            return Error{ErrorCode::kInvalidParameter, "must be oldest or newest", "order"};
        }
        journal.newest_first = *order == "newest";
    }
    if (const std::string* prints = query.find("prints")) {
        if (*prints != "true" && *prints != "false") {
            return Error{ErrorCode::kInvalidParameter, "must be true or false", "prints"};
        }
        journal.fingerprints = *prints == "true";
        if (journal.fingerprints) journal.fingerprint_key = call.on.access.fingerprint_key();
    }
    if (const std::string* types = query.find("types")) {
        HEADWAY_TRY(journal.types, parse_types(*types));
    }
    if (const std::string* limit = query.find("limit")) {
        HEADWAY_TRY(journal.limit, api::parse_number(*limit, "limit", 1, limits::kJournalPageMax));
    }
    return call.read(std::move(journal), call.session());
}

Result<> endpoints::list_sessions(Call& call) {
    const api::Query& query = call.query;
    ListQuery list;
    HEADWAY_TRY(list.filter, parse_filter(query));
    if (const std::string* view = query.find("view")) {
        if (*view != "row" && *view != "document")
            return invalid("must be row or document", "view");
        list.rows = *view == "row";
    }
    if (const std::string* limit = query.find("limit")) {
        HEADWAY_TRY(list.limit, api::parse_number(*limit, "limit", 1, limits::kListPageMax));
    }
    if (const std::string* cursor = query.find("cursor")) {
        HEADWAY_TRY(const auto before, api::parse_number(*cursor, "cursor", 0, INT64_MAX));
        list.before = static_cast<storage::SessionKey>(before);
        list.past = cursor->front() == '0';
    }
    return call.read(std::move(list));
}

Result<> endpoints::overview(Call& call) {
    OverviewQuery overview;
    if (const std::string* minutes = call.query.find("minutes")) {
        HEADWAY_TRY(overview.minutes,
                    api::parse_number(*minutes, "minutes", 1, VerdictHour::kMinutesMax));
    }
    return call.read(overview);
}

Result<> endpoints::digest(Call& call) {
    DigestQuery digest;
    digest.span = limits::kDigestSpan;
    if (const std::string* since = call.query.find("since")) {
        if (!api::parse_timestamp(*since, digest.since)) {
            const auto span = config::parse_duration(*since);
            if (!span || *span < std::chrono::seconds{1} || *span > limits::kDigestSpanMax)
                return invalid(
                    "must be how long ago, from 1s to 31d, such as 8h, or a time such as "
                    "2026-11-28T00:00:00Z",
                    "since");
            digest.span = *span;
        }
        if (digest.since != core::kNever && digest.since > call.on.clock.now())
            return invalid("must not be in the future", "since");
    }
    if (const std::string* format = call.query.find("format")) {
        const auto known = api::parse_digest_format(*format);
        if (!known) return invalid("must be json, text, markdown or html", "format");
        digest.format = *known;
    }
    return call.read(std::move(digest));
}

}  // namespace headway::server
