// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "api/decode.hpp"
#include "core/limits.hpp"
#include "core/wait.hpp"
#include "server/dispatcher_call.hpp"

// Requests about many sessions at once.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

Error busy() {
    return {ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

Error invalid(std::string detail, std::string_view field) {
    return {ErrorCode::kInvalidParameter, std::move(detail), std::string{field}};
}

Result<core::Label> parse_label(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) return invalid("must be key:value", "label");
    return core::Label{text.substr(0, colon), text.substr(colon + 1)};
}

/// What a session is chosen by in a few words.
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
        if (!set || set->any_event) {
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

Result<> Dispatcher::sessions(Call& call) {
    constexpr std::string_view kKnown[] = {"verdict", "open", "label", "agent",  "limit",
                                           "cursor",  "view", "q",     "parent", "ids"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
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
    }
    if (!ask(call.to, std::move(list), {}, 0)) return busy();
    return {};
}

Result<> Dispatcher::overview(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (!ask(call.to, OverviewQuery{}, {}, 0)) return busy();
    return {};
}

}  // namespace headway::server
