// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/routing/dispatcher.hpp"

#include <utility>

#include "api/encode/encode.hpp"
#include "core/base/limits.hpp"
#include "server/endpoints/routing/engine_settings.hpp"
#include "server/hub/streams/reading_time.hpp"

namespace headway::server {

Dispatcher::Dispatcher(net::io_context& io, const config::ServerSettings& settings,
                       const Clock& clock, CommandQueue& queue, Warn warn)
    : clock_(clock),
      warn_(std::move(warn)),
      access_(clock),
      views_(
          [this](const std::string& id) { return intake_.ask(request_of({}, ViewQuery{id}), id); }),
      streams_(
          views_, [this](std::uint64_t id) { return http_.find(id); },
          [this](std::uint64_t id, StreamQuery query) {
              const std::string session = query.session;
              return intake_.ask(request_of({id, 0}, std::move(query)), session);
          },
          [this] { return reading_time(clock_); }),
      http_(io, settings, *this),
      intake_(io, queue, views_, streams_),
      replies_(io, http_),
      polls_(io, clock, views_, intake_, replies_),
      holds_(
          [this](std::uint64_t id) { return http_.find(id); },
          [this](const ReplyTo& to, HookAgainCommand again) {
              const std::string session = again.session;
              return intake_.ask(request_of(to, std::move(again)), session);
          },
          [this](const ReplyTo& to, const Response& response) { replies_.respond(to, response); },
          [this](HookLeftCommand left) {
              const std::string session = left.session;
              intake_.deliver(request_of({}, std::move(left)), session, 0);
          }),
      processes_(io,
                 [this](const std::string& session) {
                     intake_.deliver(request_of({}, AgentGoneCommand{session}), session, 0);
                 }),
      backups_(io, replies_),
      bodies_(io),
      services_{clock_,     access_,  views_,    streams_, http_,  replies_,  intake_, polls_,
                processes_, backups_, document_, bodies_,  state_, progress_, warn_} {
    state_.started_at = clock.now();
    state_.requests.resize(route_table().size());
    document_.redact_with(secrets_.get());
    bodies_.redact_with(secrets_);
}

Dispatcher::~Dispatcher() = default;

core::Result<> Dispatcher::admit(const Target& target, const RequestHead& head, const Peer& peer) {
    const auto caller = access_.check(target, head, peer);
    if (const std::string alarm = access_.take_alarm(); !alarm.empty()) warn_(alarm);
    HEADWAY_CHECK(caller);
    return {};
}

void Dispatcher::handle(HttpConnection& connection, std::uint64_t slot,
                        const HttpRequest& request) {
    const Endpoint& endpoint = *request.target.endpoint;
    ++state_.requests[index_of(endpoint)];
    if (endpoint.deprecation != nullptr) note_deprecated(endpoint);
    const auto served = serve(connection, slot, request);
    if (!served) refuse_request(connection, slot, request, served.error());
}

core::Result<> Dispatcher::serve(HttpConnection& connection, std::uint64_t slot,
                                 const HttpRequest& request) {
    const Endpoint& endpoint = *request.target.endpoint;
    HEADWAY_TRY(const Principal* caller, access_.check(request.target, request.head, request.peer));
    api::Query query;
    if (endpoint.parameters != kAnyQuery) {
        HEADWAY_TRY(query, api::Query::parse(request.target.query, endpoint.parameters));
    }
    if (endpoint.effect != Effect::kReads && state_.draining) {
        return core::Error{
            core::ErrorCode::kDraining, "the daemon is going down; send it again", {}};
    }
    Call call{connection, {connection.id(), slot}, request, *caller, query, services_};
    return endpoint.handler(call);
}

void Dispatcher::refuse_request(HttpConnection& connection, std::uint64_t slot,
                                const HttpRequest& request, const core::Error& error) {
    const std::string_view target = request.head.target;
    Response response = problem_response(error, target.substr(0, target.find('?')));
    if (error.code == core::ErrorCode::kTooManyFailures) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(access_.pause());
        response.headers = "Retry-After: " + std::to_string(seconds.count()) + "\r\n";
    }
    connection.respond(slot, response);
    if (const std::string alarm = access_.take_alarm(); !alarm.empty()) warn_(alarm);
}

/// Logs once an hour per route, because a polling client would fill the log.
void Dispatcher::note_deprecated(const Endpoint& endpoint) {
    const auto now = Clock::steady();
    const auto [last, first] = warned_.try_emplace(&endpoint, now);
    if (!first && now - last->second < std::chrono::hours{1}) return;
    last->second = now;
    warn_("deprecated route " + std::string{endpoint.path} +
          " is still used: " + std::string{endpoint.deprecation->message});
}

void Dispatcher::judged(JudgeReply reply) {
    const std::string session = reply.session;
    const std::size_t bytes = reply.text.size();
    intake_.deliver(request_of({}, JudgedCommand{std::move(reply)}), session, bytes);
}

void Dispatcher::webhook_done(WebhookResult result) {
    const ReplyTo to{result.job.connection, result.job.slot};
    intake_.deliver(request_of(to, WebhookDoneCommand{std::move(result)}), {}, 0);
}

void Dispatcher::publish(Publication& publication) {
    state_.engine = publication.stats;
    if (publication.tokens) {
        access_.set_tokens(*std::move(publication.tokens));
        cut_streams();
    }
    if (!publication.streams_end.empty()) streams_.drain(publication.streams_end);
    for (const std::string& session : publication.replaced)
        forget(session);
    std::vector<std::string> watched;
    std::vector<std::string> followed;  // other daemons may have changed their documents
    if (publication.followed) {
        followed = publication.changed;
        for (const core::SessionView& view : publication.views)
            followed.push_back(view.id);
    }
    for (core::SessionView& view : publication.views) {
        holds_.session_changed(view.id);
        if (view.ended) processes_.forget(view.id);
        if (const core::SessionView* shown = views_.update(std::move(view)))
            watched.push_back(shown->id);
    }
    for (const std::string& session : publication.deleted)
        forget(session);
    for (const std::string& session : publication.changed)
        changed_elsewhere(session);
    streams_.publish(publication.events);
    for (const std::string& session : watched) {
        streams_.publish_progress(session);
        polls_.session_changed(session);
    }
    for (const std::string& session : followed)
        polls_.look_again(session);
    for (const Answered& answered : publication.replies)
        answered.task->answer(*this, answered.to);
    for (const std::string& session : publication.deleted)
        streams_.session_deleted(session);  // those that these replies have begun
    if (publication.copied) backups_.copied(*publication.copied);
    for (const std::string& id : publication.decided)
        polls_.document_changed(id);
    for (const std::string& id : publication.checked)
        polls_.document_changed(check_key(id));
    for (const Answered& answered : publication.replies)
        replies_.flush(answered.to.connection);
    if (!publication.more) views_.trim();  // the replies that follow need the views of their turn
    http_.relieve();
    polls_.arm();
}

/// The session was deleted. Its streams end before they get events of the next one of its id.
void Dispatcher::forget(const std::string& session) {
    views_.forget(session);
    processes_.forget(session);
    streams_.session_deleted(session);
    polls_.session_deleted(session);
}

/// Another daemon changed a session that the engine does not have in memory.
void Dispatcher::changed_elsewhere(const std::string& session) {
    holds_.session_changed(session);
    if (!views_.watched(session)) return views_.forget(session);
    views_.get(session, [this, session](const core::Result<const core::SessionView*>& view) {
        if (!view || *view == nullptr) return;
        streams_.publish_progress(session);
        polls_.session_changed(session);
    });
}

void Dispatcher::respond(const ReplyTo& to, const Response& response) {
    replies_.put(to, response);
}

void Dispatcher::refuse(const ReplyTo& to, const core::Error& error, api::ProblemMember more) {
    // Page queries of streams have slot 0, which no request has.
    const auto stream_slot =
        to.slot == 0 ? streams_.abandon(to.connection) : std::optional<std::uint64_t>{};
    const ReplyTo place = stream_slot ? ReplyTo{to.connection, *stream_slot} : to;
    polls_.answered(place);
    processes_.drop(place);
    if (holds_.refused(place)) return;
    replies_.put(place, problem_response(error, replies_.path_of(place), more));
}

void Dispatcher::advise(const ReplyTo& to, const Advised& advised) {
    // Retention may delete an ended session in the same turn as a late report.
    const core::SessionView* const found = views_.find(advised.session);
    if (found == nullptr) {
        replies_.put(to, problem_response(
                             {core::ErrorCode::kUnknownSession, "the session was deleted", "id"},
                             replies_.path_of(to)));
        return;
    }
    advice_.body.clear();
    api::append_advice(advice_.body, advised.advice, *found);
    replies_.put(to, advice_);
}

void Dispatcher::show(const ReplyTo& to, DocumentReply document) {
    polls_.take_document(to, std::move(document));
}

void Dispatcher::stream(const ReplyTo& to, StreamReply page) {
    streams_.on_page(to.connection, std::move(page));
}

void Dispatcher::view(const std::string& session, core::Result<const core::SessionView*> found) {
    views_.resolve(session, std::move(found));
}

void Dispatcher::hook(const ReplyTo& to, HookAnswered answered) {
    if (answered.call.process) {
        processes_.bind(to, answered.session);
    } else {
        processes_.drop(to);
    }
    holds_.take(to, std::move(answered));
}

/// The caller with the most waits or streams gives way, so that the hooks of others find the
/// daemon. A small share stays: then connections of another kind are what fills the table.
bool Dispatcher::make_room() {
    const std::size_t max = http_.connections_max();
    if (streams_.largest_share() > polls_.largest_share()) return streams_.give_up_largest(max);
    const auto id = polls_.give_up_largest(max, [this](std::uint64_t connection) {
        const HttpConnection* const open = http_.find(connection);
        return open != nullptr && open->gives_way_after_reply();
    });
    if (!id) return streams_.give_up_largest(max);
    replies_.flush(*id);
    if (HttpConnection* const connection = http_.find(*id)) connection->close();
    return true;
}

void Dispatcher::closed(std::uint64_t connection) {
    intake_.forget(connection);
    streams_.on_closed(connection);
    polls_.drop_connection(connection);
    holds_.drop_connection(connection);
    processes_.drop({connection, 0});
}

void Dispatcher::second(Clock::Steady::time_point now) {
    streams_.keep_alive(now);
    holds_.second(now);
    cut_streams();
    note_token_uses(now);
    intake_.pass_kept();
}

/// Ends streams whose token was revoked or has expired, or whose login has ended.
void Dispatcher::cut_streams() {
    streams_.cut([this](const std::string& caller) { return access_.counts(caller); });
}

/// Writes the uses of all tokens at once, at most once a minute.
void Dispatcher::note_token_uses(Clock::Steady::time_point now) {
    if (now - token_uses_at_ < core::limits::kTokenUseEvery) return;
    token_uses_at_ = now;
    std::vector<core::TokenUse> uses = access_.take_uses();
    if (!uses.empty()) intake_.ask(request_of({}, UseTokensCommand{std::move(uses)}), {});
}

void Dispatcher::reload(const config::Settings& settings) {
    http_.set_allowed_hosts(settings.server.allowed_hosts);
    access_.configure(settings.access);
    http_.refuse_forwarded(settings.access.mode == "local");
    redact(settings.redaction);
    intake_.deliver(request_of({}, ReloadCommand{reloadable_settings(settings)}), {}, 0);
}

void Dispatcher::redact(const config::RedactionSettings& settings) {
    secrets_ = std::make_shared<core::SecretFinder>(settings.secret_names, settings.plain_names);
    document_.redact_with(secrets_.get());
    bodies_.redact_with(secrets_);
}

void Dispatcher::drain() {
    state_.draining = true;
    token_uses_at_ = {};
    note_token_uses(Clock::steady());
    http_.drain();  // first, so that the replies below close their connections
    streams_.drain();
    polls_.expire_all();
    holds_.drain();
}

bool Dispatcher::drained() const {
    return http_.stats().open == 0;
}

void Dispatcher::stop() {
    polls_.stop();
    processes_.stop();
    http_.close_all();
}

}  // namespace headway::server
