// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/answers.hpp"

#include <utility>

#include "api/admin/tokens.hpp"
#include "api/encode/encode_budget.hpp"
#include "api/json/json_writer.hpp"
#include "api/notify/decision_page.hpp"
#include "core/base/limits.hpp"
#include "server/engine/projections/check_documents.hpp"
#include "server/hub/waits/long_polls.hpp"

namespace headway::server {
namespace {

constexpr std::string_view kReplayed = "Idempotent-Replayed: true\r\n";

/// A reply whose body `encode` appends.
template <class Encode>
void respond(Answers& on, const ReplyTo& to, Encode encode, int status = 200,
             std::string headers = {}) {
    Response response;
    response.status = status;
    response.headers = std::move(headers);
    encode(response.body);
    on.respond(to, response);
}

}  // namespace

Response telemetry_response(const TelemetryTaken& taken) {
    Response response;
    if (taken.protobuf) response.content_type = "application/x-protobuf";
    api::otlp::append_taken(response.body, taken);
    return response;
}

void answer_with(Answers& on, const ReplyTo& to, Advised&& advised) {
    on.advise(to, advised);
}

void answer_with(Answers& on, const ReplyTo& to, SessionDocument&& shown) {
    std::string headers;
    if (shown.created) headers = "Location: /v1/sessions/" + shown.session.id() + "\r\n";
    if (shown.replayed) headers = kReplayed;
    respond(
        on, to,
        [&](std::string& body) {
            api::append_session(body, shown.session, shown.time,
                                shown.prediction ? &*shown.prediction : nullptr, shown.expected,
                                shown.adapter ? &*shown.adapter : nullptr, shown.cost_warning,
                                shown.approvals_below);
        },
        shown.created ? 201 : 200, std::move(headers));
}

void answer_with(Answers& on, const ReplyTo& to, Forgotten&& forgotten) {
    respond(
        on, to,
        [&](std::string& body) {
            api::JsonWriter json{body};
            json.open_object();
            json.member("session", forgotten.session);
            json.close_object();
        },
        202);
}

void answer_with(Answers& on, const ReplyTo& to, SessionCompared&& compared) {
    respond(on, to, [&](std::string& body) {
        api::append_comparison(body, compared.session, compared.now);
    });
}

void answer_with(Answers& on, const ReplyTo& to, api::TimeoutTotals&& totals) {
    respond(on, to, [&](std::string& body) { api::append_timeout_totals(body, totals); });
}

void answer_with(Answers& on, const ReplyTo& to, BudgetDocument&& budget) {
    respond(on, to, [&](std::string& body) {
        api::append_budget(body, budget.session, budget.time, budget.prediction, budget.usual_calls,
                           budget.cost_warning);
    });
}

void answer_with(Answers& on, const ReplyTo& to, BudgetAnalytics&& analytics) {
    respond(on, to, [&](std::string& body) {
        api::append_budget_analytics(body, analytics.summaries, analytics.sessions, analytics.more);
    });
}

void answer_with(Answers& on, const ReplyTo& to, api::DayReport&& report) {
    respond(on, to, [&](std::string& body) { api::append_day(body, report); });
}

void answer_with(Answers& on, const ReplyTo& to, api::Expectations&& expectations) {
    respond(on, to, [&](std::string& body) { api::append_expectations(body, expectations); });
}

void answer_with(Answers& on, const ReplyTo&, ViewShown&& shown) {
    on.view(shown.session, shown.view.get());
}

void answer_with(Answers& on, const ReplyTo& to, StreamReply&& page) {
    on.stream(to, std::move(page));
}

void answer_with(Answers& on, const ReplyTo& to, HookAnswered&& answered) {
    on.hook(to, std::move(answered));
}

void answer_with(Answers& on, const ReplyTo& to, TelemetryTaken&& taken) {
    on.respond(to, telemetry_response(taken));
}

/// As healthchecks.io answers.
void answer_with(Answers& on, const ReplyTo& to, Pinged&& pinged) {
    Response response;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = "Ping-Body-Limit: " + std::to_string(core::limits::kPingBytesKept) + "\r\n";
    response.body = "OK";
    if (pinged.unscheduled)
        response.body +=
            ", without its schedule: as many jobs as may have one have one; every=off "
            "takes one away";
    on.respond(to, response);
}

void answer_with(Answers& on, const ReplyTo& to, Recorded&& recorded) {
    respond(on, to, [&](std::string& body) {
        api::JsonWriter json{body};
        json.open_object();
        json.member("session", recorded.session);
        json.member("accepted", recorded.accepted);
        json.member("duplicates", recorded.duplicates);
        json.member("verdict", recorded.judgement.verdict);
        json.member("reason", recorded.judgement.reason);
        json.member("ended", recorded.ended);
        json.close_object();
    });
}

void answer_with(Answers& on, const ReplyTo& to, api::Overview&& overview) {
    respond(on, to, [&](std::string& body) { api::append_overview(body, overview); });
}

void answer_with(Answers& on, const ReplyTo& to, TextPage&& page) {
    Response response;
    response.body = std::move(page.body);
    response.headers = std::move(page.headers);
    response.content_type = page.lines ? "application/x-ndjson" : page.content_type;
    on.respond(to, response);
}

void answer_with(Answers& on, const ReplyTo& to, LinkPage&& page) {
    Response response;
    response.body = std::move(page.body);
    response.headers = api::notify::decision_headers();
    response.content_type = "text/html; charset=utf-8";
    on.respond(to, response);
}

void answer_with(Answers& on, const ReplyTo& to, ApprovalShown&& shown) {
    const api::ApprovalDocument& document = shown.document;
    std::string headers;
    if (shown.asked)
        headers = "Location: /v1/approvals/" +
                  core::approval_id(document.session, document.approval.n) + "\r\n";
    if (shown.replayed) headers = kReplayed;
    respond(
        on, to, [&](std::string& body) { api::append_approval(body, document); },
        shown.created ? 201 : 200, std::move(headers));
}

void answer_with(Answers& on, const ReplyTo& to, ApprovalPolled&& polled) {
    DocumentReply reply;
    reply.pending = polled.document.approval.pending();
    api::append_approval(reply.body, polled.document);
    on.show(to, std::move(reply));
}

void answer_with(Answers& on, const ReplyTo& to, Decided&& decided) {
    respond(on, to, [&](std::string& body) {
        api::append_decided(body, decided.document, decided.also, decided.left);
    });
}

void answer_with(Answers& on, const ReplyTo& to, DecisionLost&& lost) {
    std::string winner;
    api::append_winner(winner, lost.session, lost.approval);
    on.refuse(to, lost.error, {"winner", winner});
}

void answer_with(Answers& on, const ReplyTo& to, AgentApproved&& approved) {
    respond(on, to, [&](std::string& body) {
        api::append_approve_agent(body, approved.document, approved.pending);
    });
}

void answer_with(Answers& on, const ReplyTo& to, CheckShown&& shown) {
    std::string headers;
    if (shown.created)
        headers = "Location: /check-status/" + shown.document.asked.check_id +
                  "?sessionId=" + shown.document.session + "\r\n";
    respond(
        on, to, [&](std::string& body) { api::append_check(body, shown.document); },
        shown.document.done ? 200 : 202, std::move(headers));
}

void answer_with(Answers& on, const ReplyTo& to, CheckPolled&& polled) {
    DocumentReply reply;
    reply.pending = !polled.document.done;
    // Another session may ask under this id meanwhile.
    reply.key = check_key(check_name(polled.document.session, polled.document.asked.check_id));
    api::append_check(reply.body, polled.document);
    on.show(to, std::move(reply));
}

void answer_with(Answers& on, const ReplyTo& to, EstimateAnalytics&& analytics) {
    respond(on, to, [&](std::string& body) { api::append_estimates(body, analytics.summaries); });
}

void answer_with(Answers& on, const ReplyTo& to, TokenCreated&& created) {
    respond(
        on, to,
        [&](std::string& body) {
            api::append_token(body, created.token, created.now, created.secret);
        },
        201);
}

void answer_with(Answers& on, const ReplyTo& to, TokenRevoked&& revoked) {
    respond(on, to,
            [&](std::string& body) { api::append_token(body, revoked.token, revoked.now); });
}

void answer_with(Answers& on, const ReplyTo& to, WebhookList&& list) {
    respond(on, to, [&](std::string& body) { api::append_webhooks(body, list.webhooks); });
}

void answer_with(Answers& on, const ReplyTo& to, DeliveryList&& list) {
    respond(on, to,
            [&](std::string& body) { api::append_deliveries(body, list.deliveries, list.more); });
}

void answer_with(Answers& on, const ReplyTo& to, DeliveriesReplayed&& replayed) {
    respond(on, to, [&](std::string& body) {
        api::JsonWriter json{body};
        json.open_object();
        json.member("replayed", replayed.count);
        json.close_object();
    });
}

void answer_with(Answers& on, const ReplyTo& to, WebhookTried&& tried) {
    const WebhookResult& result = tried.result;
    if (result.job.row != 0) return;  // no client waits for it
    respond(on, to, [&](std::string& body) {
        api::JsonWriter json{body};
        json.open_object();
        json.member("webhook", result.job.endpoint);
        json.member("id", result.job.id);
        json.member("delivered", result.outcome == WebhookOutcome::kDelivered);
        json.key("status");
        if (result.status >= 200) {
            json.value(result.status);
        } else {
            json.null();
        }
        json.member("elapsed_ms", result.elapsed);
        if (!result.reason.empty()) json.member("reason", result.reason);
        json.close_object();
    });
}

void answer_with(Answers& on, const ReplyTo& to, api::SystemReport&& report) {
    respond(on, to, [&](std::string& body) { api::append_system(body, report); });
}

void answer_with(Answers&, const ReplyTo&, Unanswered&&) {}

}  // namespace headway::server
