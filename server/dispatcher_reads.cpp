// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "api/decode.hpp"
#include "api/sse.hpp"
#include "core/limits.hpp"
#include "server/dispatcher_call.hpp"
#include "server/gate.hpp"

// Requests that read, wait or follow.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

constexpr std::int64_t kWaitDefaultMs = 55'000;  // below the 60 s of common proxies

Error busy() {
    return {ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

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

/// What single and several waits share.
Result<> parse_wait(const api::Query& query, core::Timestamp now, Wait& wait) {
    const std::string* until = query.find("until");
    HEADWAY_TRY(wait.what.until, core::parse_until(until != nullptr ? *until : "settled"));
    if (const std::string* mode = query.find("mode")) {
        if (*mode != "now" && *mode != "ever") {
            return Error{ErrorCode::kInvalidParameter, "must be now or ever", "mode"};
        }
        wait.what.mode = *mode == "ever" ? core::WaitMode::kEver : core::WaitMode::kNow;
    }
    if (const std::string* missing = query.find("missing")) {
        if (*missing != "wait" && *missing != "error") {
            return Error{ErrorCode::kInvalidParameter, "must be wait or error", "missing"};
        }
        wait.missing_ok = *missing == "wait";
    }
    if (const std::string* after = query.find("after")) {
        HEADWAY_TRY(wait.what.after, api::parse_number(*after, "after", 0, INT64_MAX));
    }
    if (const std::string* duration = query.find("silent_for")) {
        HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*duration, "silent_for"));
        wait.what.silent_for = core::Millis{ms};
    }
    if (const std::string* duration = query.find("open_within")) {
        HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*duration, "open_within"));
        if (query.find("missing") != nullptr && !wait.missing_ok) {
            return Error{ErrorCode::kInvalidParameter, "goes with missing=wait, not with error",
                         "open_within"};
        }
        wait.missing_ok = true;
        if (ms > 0) wait.open_by = now + core::Millis{ms};
    }
    std::int64_t ms = kWaitDefaultMs;
    if (const std::string* duration = query.find("wait")) {
        HEADWAY_TRY(ms, api::parse_duration_ms(*duration, "wait"));
        if (core::Millis{ms} > limits::kWaitMax) {
            return Error{ErrorCode::kInvalidParameter, "at most 10m; wait again after that",
                         "wait"};
        }
    }
    wait.deadline = now + core::Millis{ms};
    return {};
}

}  // namespace

core::Result<std::vector<std::string>> parse_ids(const std::string& list, std::string_view field,
                                                 std::size_t count_max) {
    std::vector<std::string> ids;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t comma = std::min(list.find(',', from), list.size());
        std::string id = list.substr(from, comma - from);
        from = comma + 1;
        if (!api::valid_id(id)) {
            return Error{ErrorCode::kInvalidId, "must be a comma list of session ids",
                         std::string{field}};
        }
        // The same id twice is one session.
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
    }
    if (ids.size() > count_max) {
        return Error{ErrorCode::kInvalidParameter,
                     "names more than " + std::to_string(count_max) + " sessions",
                     std::string{field}};
    }
    return ids;
}

Result<> Dispatcher::session(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (!ask(call.to, SessionQuery{call.session()}, call.session(), 0)) return busy();
    return {};
}

Result<> Dispatcher::comparison(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (!ask(call.to, ComparisonQuery{call.session()}, call.session(), 0)) return busy();
    return {};
}

Result<> Dispatcher::journal(Call& call) {
    constexpr std::string_view kKnown[] = {"after", "limit", "types", "before", "order", "prints"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
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
        journal.prints = *prints == "true";
    }
    if (const std::string* types = query.find("types")) {
        HEADWAY_TRY(journal.types, parse_types(*types));
    }
    if (const std::string* limit = query.find("limit")) {
        HEADWAY_TRY(journal.limit, api::parse_number(*limit, "limit", 1, limits::kJournalPageMax));
    }
    if (!ask(call.to, std::move(journal), call.session(), 0)) return busy();
    return {};
}

Result<> Dispatcher::wait(Call& call) {
    constexpr std::string_view kKnown[] = {"until",   "after",      "mode",       "wait",
                                           "missing", "silent_for", "open_within"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    Wait wait;
    wait.reply_to = call.to;
    wait.sessions.push_back(call.session());
    HEADWAY_CHECK(parse_wait(query, clock_.now(), wait));
    if (draining_) wait.deadline = clock_.now();
    HEADWAY_CHECK(waiters_.add(std::move(wait)));
    arm_wait_timer();
    return {};
}

Result<> Dispatcher::wait_several(Call& call) {
    constexpr std::string_view kKnown[] = {"any",  "all",     "until",      "after",      "mode",
                                           "wait", "missing", "silent_for", "open_within"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const std::string* any = query.find("any");
    const std::string* all = query.find("all");
    if ((any == nullptr) == (all == nullptr)) {
        return Error{ErrorCode::kInvalidParameter, "give any=a,b or all=a,b", "any"};
    }
    Wait wait;
    wait.reply_to = call.to;
    wait.several = true;
    wait.all = all != nullptr;
    HEADWAY_TRY(wait.sessions, parse_ids(wait.all ? *all : *any, wait.all ? "all" : "any",
                                         limits::kWaitSessionsMax));
    for (const std::string& session : wait.sessions) {
        HEADWAY_CHECK(require_read(*call.caller, session));
    }
    HEADWAY_CHECK(parse_wait(query, clock_.now(), wait));
    if (draining_) wait.deadline = clock_.now();
    HEADWAY_CHECK(waiters_.add(std::move(wait)));
    arm_wait_timer();
    return {};
}

Result<> Dispatcher::stream(Call& call, StreamKind kind) {
    constexpr std::string_view kKnown[] = {"last_event_id"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    if (draining_) return Error{ErrorCode::kDraining, "the daemon is going down; reconnect", {}};
    std::optional<std::int64_t> after;
    if (!call.request.head.last_event_id.empty()) {
        HEADWAY_TRY(after, api::parse_position(call.request.head.last_event_id, "Last-Event-ID"));
    } else if (const std::string* id = query.find("last_event_id")) {
        HEADWAY_TRY(after, api::parse_position(*id, "last_event_id"));
    }
    if (kind == StreamKind::kProgress) after.reset();  // a document, not a history
    return streams_.open(call.connection, call.to.slot, kind, call.session(), after,
                         access_.stays_as(*call.caller, call.request.head));
}

void Dispatcher::answer_from_view(Call& call, const std::string& session, Encode encode) {
    const auto reply = [this, encode](const core::SessionView& view) {
        Response response;
        encode(response.body, view, reading_time());
        return response;
    };
    if (const core::SessionView* view = views_.find(session)) {
        call.connection.respond(call.to.slot, reply(*view));
        return;
    }
    views_.get(session, [this, to = call.to, path = call.path(),
                         reply](core::Result<const core::SessionView*> view) {
        if (view && *view != nullptr) {
            respond(to, reply(**view));
        } else if (view) {
            respond(to,
                    problem_response({ErrorCode::kUnknownSession, "no such session", "id"}, path));
        } else {
            respond(to, problem_response(view.error(), path));
        }
    });
}

Result<> Dispatcher::progress(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    answer_from_view(call, call.session(), api::append_progress);
    return {};
}

Result<> Dispatcher::chat_status(Call& call) {
    constexpr std::string_view kKnown[] = {"sessionId"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const std::string* id = query.find("sessionId");
    if (id == nullptr || !api::valid_id(*id)) {
        return Error{ErrorCode::kInvalidParameter, "give the session as ?sessionId=", "sessionId"};
    }
    HEADWAY_CHECK(require_read(*call.caller, *id));
    answer_from_view(call, *id,
                     [](std::string& out, const core::SessionView& view, const api::ReadingTime&) {
                         api::append_chat_status(out, view);
                     });
    return {};
}

Result<> Dispatcher::ready(Call& call) {
    constexpr std::string_view kKnown[] = {"verbose"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const bool room = queue_.size() < limits::kCommandQueueMax;
    const bool disk = !supervisor_.short_of_space;
    const bool ready = supervisor_.writable && disk && !draining_ && room;
    Response response;
    response.status = ready ? 200 : 503;
    if (!ready) response.headers = "Retry-After: 1\r\n";
    response.body = std::string{"{\"status\":\""} + (ready ? "ready" : "not ready") + "\"";
    if (query.find("verbose") != nullptr) {
        const auto check = [](bool good) { return good ? "\"ok\"" : "\"failed\""; };
        response.body += std::string{",\"checks\":{\"writer\":"} + check(supervisor_.writable) +
                         ",\"disk\":" + check(disk) + ",\"draining\":" + check(!draining_) +
                         ",\"queue\":" + check(room) + "}";
    }
    response.body += "}";
    call.connection.respond(call.to.slot, response);
    return {};
}

Result<> Dispatcher::metrics(Call& call) {
    MetricsInput input{http_.stats(), supervisor_, routes_};
    input.held = streams_.held();
    input.refused_access = access_.refused();
    input.access_failures = access_.failures();
    input.access_paused = access_.paused();
    input.failing_addresses = access_.failing_addresses();
    input.connections_max = http_.connections_max();
    input.queue = queue_.size();
    input.streams = streams_.size();
    input.waiters = waiters_.size();
    input.views = views_.size();
    input.frames_sent = streams_.frames_sent();
    input.lagged = streams_.lagged();
    JudgeStats judge;
    if (judge_stats_) {
        judge = judge_stats_();
        input.judge = &judge;
    }
    Response response;
    response.content_type = "text/plain; version=0.0.4";
    response.body = metrics_text(input);
    call.connection.respond(call.to.slot, response);
    return {};
}

}  // namespace headway::server
