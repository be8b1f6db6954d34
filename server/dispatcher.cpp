// SPDX-License-Identifier: Apache-2.0
#include "server/dispatcher.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "api/encode.hpp"
#include "server/dispatcher_call.hpp"

namespace headway::server {

Dispatcher::Dispatcher(net::io_context& io, const config::ServerSettings& settings,
                       const Clock& clock, CommandQueue& queue, Warn warn)
    : io_(io),
      clock_(clock),
      queue_(queue),
      access_(clock),
      views_([this](const std::string& id) { return ask({}, ViewQuery{id}, id, 0); }),
      waiters_(
          views_,
          [this](const ReplyTo& to, const core::Result<Response>& response) {
              respond(to, response ? *response : problem_response(response.error(), path_of(to)));
          },
          [this] { return reading_time(); }),
      document_waits_(
          [this](const ReplyTo& to, const std::string& id) { return ask_document(to, id); }),
      streams_(
          views_, [this](std::uint64_t id) { return http_.find(id); },
          [this](std::uint64_t id, StreamQuery query) {
              const std::string session = query.session;
              return ask({id, 0}, std::move(query), session, 0);
          },
          [this] { return reading_time(); }),
      http_(io, settings, *this),
      wait_timer_(io),
      warn_(std::move(warn)),
      started_at_(clock.now()),
      backup_check_(io) {
    tape_.redact_with(&secrets_);
}

Dispatcher::~Dispatcher() = default;

void Dispatcher::handle(HttpConnection& connection, std::uint64_t slot,
                        const HttpRequest& request) {
    ++routes_[static_cast<std::size_t>(request.target.route)];
    if (request.target.deprecation != nullptr) note_deprecated(request.target);
    auto caller = access_.check(request.target, request.head, request.peer);
    Call call{connection, {connection.id(), slot}, request, caller ? *caller : nullptr};
    const auto done = caller ? route(call) : core::Result<>{std::move(caller).error()};
    if (!done) refuse(call, done.error());
}

void Dispatcher::refuse(const Call& call, const core::Error& error) {
    Response response = problem_response(error, call.path());
    if (error.code == core::ErrorCode::kTooManyFailures) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(access_.pause());
        response.headers = "Retry-After: " + std::to_string(seconds.count()) + "\r\n";
    }
    call.connection.respond(call.to.slot, response);
    if (const std::string alarm = access_.take_alarm(); !alarm.empty()) warn_(alarm);
}

/// Once an hour for each route: whoever still polls an old one would fill the log.
void Dispatcher::note_deprecated(const api::Target& target) {
    const auto now = Clock::steady();
    const auto [last, first] = warned_.try_emplace(target.deprecation, now);
    if (!first && now - last->second < std::chrono::hours{1}) return;
    last->second = now;
    warn_("deprecated route " + std::string{target.deprecation->path} +
          " is still used: " + std::string{target.deprecation->message});
}

core::Result<> Dispatcher::route(Call& call) {
    switch (call.request.target.route) {
        case api::Route::kReport:
            return report(call);
        case api::Route::kHeartbeat:
            return heartbeat(call);
        case api::Route::kOpen:
        case api::Route::kOpenNamed:
            return open(call);
        case api::Route::kEnd:
            return end(call);
        case api::Route::kCancel:
            return cancel(call);
        case api::Route::kPause:
            return control(call, Control::kPause);
        case api::Route::kResume:
            return control(call, Control::kResume);
        case api::Route::kNudge:
            return control(call, Control::kNudge);
        case api::Route::kSession:
            return session(call);
        case api::Route::kComparison:
        case api::Route::kTimeouts:
            return comparison(call);
        case api::Route::kSessions:
            return sessions(call);
        case api::Route::kJournal:
            return journal(call);
        case api::Route::kWait:
            return wait(call);
        case api::Route::kWaitSeveral:
            return wait_several(call);
        case api::Route::kStream:
            return stream(call, StreamKind::kSession);
        case api::Route::kStreamAll:
            return stream(call, StreamKind::kAll);
        case api::Route::kProgressStream:
            return stream(call, StreamKind::kProgress);
        case api::Route::kProgress:
            return progress(call);
        case api::Route::kChatStatus:
            return chat_status(call);
        default:
            return route_rest(call);
    }
}

/// What is not a session's own: budgets, approvals, tokens, the daemon itself.
core::Result<> Dispatcher::route_rest(Call& call) {
    switch (call.request.target.route) {
        case api::Route::kReady:
            return ready(call);
        case api::Route::kTokens:
            return tokens(call);
        case api::Route::kTokenCreate:
            return create_token(call);
        case api::Route::kTokenRevoke:
            return revoke_token(call);
        case api::Route::kOperatorRotate:
            return rotate_operator(call);
        case api::Route::kBackup:
            return backup(call);
        case api::Route::kMetrics:
            return metrics(call);
        case api::Route::kVersion:
            return version(call);
        case api::Route::kOverview:
            return overview(call);
        case api::Route::kSystem:
            return system_report(call);
        case api::Route::kPage:
        case api::Route::kAsset:
        case api::Route::kDocs:
        case api::Route::kOpenApi:
        case api::Route::kLoginCode:
        case api::Route::kLogin:
        case api::Route::kLogIn:
        case api::Route::kLogout:
        case api::Route::kMe:
            return route_page(call);
        case api::Route::kBudget:
            return budget(call);
        case api::Route::kBudgetChange:
            return change_budget(call);
        case api::Route::kBudgetAnalytics:
            return budget_analytics(call);
        case api::Route::kAsk:
        case api::Route::kApprovals:
        case api::Route::kApproval:
        case api::Route::kDecide:
        case api::Route::kRedeem:
        case api::Route::kRevoke:
        case api::Route::kAlarmsSeen:
        case api::Route::kApproveAgent:
            return route_approvals(call);
        case api::Route::kCheckAsk:
        case api::Route::kCheck:
        case api::Route::kEstimates:
            return route_judge(call);
        case api::Route::kWebhooks:
        case api::Route::kWebhookDeliveries:
        case api::Route::kWebhookReplay:
        case api::Route::kWebhookTest:
            return route_webhooks(call);
        default:
            break;
    }
    Response alive;  // kLive

    alive.body = R"({"status":"ok"})";
    call.connection.respond(call.to.slot, alive);
    return {};
}

/// Hands a request to the supervisor; false when its queue is full.
bool Dispatcher::ask(ReplyTo to, Command command, const std::string& session, std::size_t bytes) {
    Request request;
    request.reply_to = to;
    request.watched = !session.empty() && views_.watched(session);
    request.listening = streams_.size() > 0;
    request.bytes = bytes;
    request.command = std::move(command);
    if (!queue_.stage(request)) return false;
    wake_supervisor();
    return true;
}

/// Once for all requests of this turn of the event loop: they should commit together.
void Dispatcher::wake_supervisor() {
    if (wake_posted_) return;
    wake_posted_ = true;
    net::post(io_.get_executor(), [this] {
        wake_posted_ = false;
        queue_.hand_over();
    });
}

void Dispatcher::publish(Publication& publication) {
    supervisor_ = publication.stats;
    if (publication.tokens) {
        access_.set_tokens(*std::move(publication.tokens));
        cut_streams();
    }
    std::vector<std::string> watched;
    for (core::SessionView& view : publication.views) {
        std::string session = view.id;
        if (views_.update(std::move(view))) watched.push_back(std::move(session));
    }
    for (const std::string& session : publication.deleted)
        views_.forget(session);
    streams_.publish(publication.events);
    for (const std::string& session : watched) {
        streams_.publish_progress(session);
        waiters_.notify(session);
    }
    for (Reply& reply : publication.replies)
        answer(reply);
    if (publication.copied) check_copy(*publication.copied);
    for (const std::string& id : publication.decided)
        document_waits_.notify(id);
    for (const std::string& id : publication.checked)
        document_waits_.notify(check_key(id));
    for (const Reply& reply : publication.replies) {
        HttpConnection* connection = http_.find(reply.to.connection);
        if (connection != nullptr && !connection->streaming()) connection->flush();
    }
    views_.trim();
    http_.relieve();
    arm_wait_timer();
}

void Dispatcher::answer(Reply& reply) {
    auto& what = reply.what;
    if (!what) {
        // Streams ask for their pages with slot 0, which is no request's.
        const auto stream_slot = reply.to.slot == 0 ? streams_.abandon(reply.to.connection)
                                                    : std::optional<std::uint64_t>{};
        const ReplyTo to = stream_slot ? ReplyTo{reply.to.connection, *stream_slot} : reply.to;
        document_waits_.answered(to);
        put(to, problem_response(what.error(), path_of(to)));
    } else if (auto* advice = std::get_if<AdviceReply>(&*what)) {
        advice_.body.clear();
        // Ended sessions are deleted in the turn of a late report, too.
        const core::SessionView* const view = views_.find(advice->session);
        if (view != nullptr) {
            api::append_advice(advice_.body, advice->advice, *view);
            put(reply.to, advice_);
        } else {
            put(reply.to, problem_response(
                              {core::ErrorCode::kUnknownSession, "the session was deleted", "id"},
                              path_of(reply.to)));
        }
    } else if (auto* body = std::get_if<BodyReply>(&*what); body && body->lost) {
        put(reply.to, problem_response(*body->lost, path_of(reply.to), {"winner", body->body}));
    } else if (body != nullptr) {
        Response response;
        response.status = body->status;
        response.body = std::move(body->body);
        response.headers = std::move(body->headers);
        if (body->lines) response.content_type = "application/x-ndjson";
        put(reply.to, response);
    } else if (auto* page = std::get_if<StreamReply>(&*what)) {
        streams_.on_page(reply.to.connection, std::move(*page));
    } else if (auto* document = std::get_if<DocumentReply>(&*what)) {
        answer_document(reply.to, *document);
    } else if (auto* view = std::get_if<ViewReply>(&*what)) {
        if (view->error) {
            views_.resolve(view->session, *view->error);
        } else {
            views_.resolve(view->session, view->view.get());
        }
    }
}

/// Empty where the client is gone.
std::string_view Dispatcher::path_of(const ReplyTo& to) {
    const HttpConnection* const connection = http_.find(to.connection);
    return connection == nullptr ? std::string_view{} : connection->path(to.slot);
}

/// Into its place; the caller flushes.
void Dispatcher::put(const ReplyTo& to, const Response& response) {
    HttpConnection* connection = http_.find(to.connection);
    if (connection != nullptr && !connection->streaming()) {
        connection->respond(to.slot, response);
    }
}

/// From outside of the connection's own turn: flushed in a turn of its own.
void Dispatcher::respond(const ReplyTo& to, const Response& response) {
    put(to, response);
    net::post(io_.get_executor(), [this, id = to.connection] {
        HttpConnection* connection = http_.find(id);
        if (connection != nullptr && !connection->streaming()) connection->flush();
    });
}

void Dispatcher::closed(std::uint64_t connection) {
    queue_.forget(connection);
    streams_.on_closed(connection);
    if (waiters_.size() > 0) waiters_.drop_connection(connection);
    if (document_waits_.size() > 0) document_waits_.drop_connection(connection);
}

void Dispatcher::second(Clock::Steady::time_point now) {
    streams_.keep_alive(now);
    cut_streams();
    note_token_uses(now);
    if (!judged_.empty()) pass_judged();
    if (!webhooks_done_.empty()) pass_webhooks();
}

/// A token that was revoked or has expired, or a login that has ended, lets nobody listen on.
void Dispatcher::cut_streams() {
    streams_.cut([this](const std::string& caller) { return access_.counts(caller); });
}

void Dispatcher::arm_wait_timer() {
    core::Timestamp next = waiters_.next_deadline();
    const core::Timestamp document = document_waits_.next_deadline();
    if (next == core::kNever || (document != core::kNever && document < next)) next = document;
    if (next == core::kNever || next == wait_timer_at_) return;
    wait_timer_at_ = next;
    wait_timer_.expires_after(std::max(next - clock_.now(), core::Millis{0}));
    wait_timer_.async_wait([this](error_code ec) {
        if (ec) return;
        wait_timer_at_ = core::kNever;
        waiters_.expire(clock_.now());
        document_waits_.expire(clock_.now());
        arm_wait_timer();
    });
}

void Dispatcher::reload(const config::Settings& settings) {
    http_.set_allowed_hosts(settings.server.allowed_hosts);
    access_.configure(settings.access);
    http_.refuse_forwarded(settings.access.mode == "local");
    redact(settings.redaction);
    ask({},
        ReloadCommand{settings.policy, settings.storage.retention, settings.budget,
                      settings.approvals, settings.policy_floor},
        {}, 0);
}

void Dispatcher::redact(const config::RedactionSettings& settings) {
    secrets_ = core::SecretFinder{settings.secret_names, settings.plain_names};
}

void Dispatcher::drain() {
    draining_ = true;
    token_uses_at_ = {};
    note_token_uses(Clock::steady());
    http_.drain();  // first, so that the replies below say that they are the last
    streams_.drain();
    waiters_.expire(core::kNever);
    document_waits_.expire(core::kNever);
}

bool Dispatcher::drained() const {
    return http_.stats().open == 0;
}

void Dispatcher::stop() {
    wait_timer_.cancel();
    http_.close_all();
}

}  // namespace headway::server
