// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "api/json/json_writer.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/http/message/endpoint.hpp"

// The one table of routes: guard, parameters, body, effect and handler. The aliases of the first
// designs are rows of their own (docs/first-designs.md).

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr BodyRule kNoBody{};
/// Some clients send `{}` with a POST that needs no body.
constexpr BodyRule kEmptyBody{false, false, 2};
constexpr BodyRule kControlBody{true, false, limits::kControlBodyBytesMax};
constexpr BodyRule kApprovalBody{true, false, limits::kApprovalBodyBytesMax};
constexpr BodyRule kReportBody{true, true, limits::kReportBodyBytesMax};
constexpr BodyRule kRecordedBody{true, false, limits::kReportBodyBytesMax};
constexpr BodyRule kHookBody{true, false, limits::kHookBodyBytesMax};

constexpr BodyRule kPingBody{true, false, limits::kHookBodyBytesMax, false, true};
constexpr BodyRule kFormBody{true, false, limits::kControlBodyBytesMax, false, true};
constexpr BodyRule kTelemetryBody{true, false, limits::kTelemetryBodyBytesMax, true};

constexpr std::uint64_t kNovember2026 = 1'795'219'200;
constexpr Deprecation kUseProgress{"use GET /progress/{id}", "/progress/{id}", kNovember2026};
constexpr Deprecation kUseProgressStream{"use GET /progress/{id}/stream", "/progress/{id}/stream",
                                         kNovember2026};
constexpr Deprecation kUseSession{"use GET /v1/sessions/{id}, or wait with /v1/sessions/{id}/wait",
                                  "/v1/sessions/{id}", kNovember2026};
constexpr Deprecation kUseCheckStatus{"use POST /check-status", "/check-status", kNovember2026};
constexpr Deprecation kUseCheck{"use GET /check-status/{id}", "/check-status/{id}", kNovember2026};

constexpr Endpoint kEndpoints[] = {
    {Method::kPost, "/v1/sessions/{id}/events", "reportEvents", "report", Guard::kReport,
     kReportBody, Effect::kReports, "", "Report events", endpoints::report},
    {Method::kPost, "/v1/sessions/{id}/heartbeat", "reportHeartbeat", "heartbeat", Guard::kReport,
     kControlBody, Effect::kReports, "", "Report a heartbeat", endpoints::heartbeat},
    {Method::kPost, "/v1/sessions/{id}/recorded", "recordEvents", "record", Guard::kControl,
     kRecordedBody, Effect::kWrites, "dry_run", "Take a session of the past into the history",
     endpoints::record},
    {Method::kPost, "/v1/hooks/{agent}", "reportHook", "hook", Guard::kReport, kHookBody,
     Effect::kReports, "require", "Report a hook of an agent", endpoints::hook},
    {Method::kPost, "/mcp", "callMcp", "mcp", Guard::kReport, kHookBody, Effect::kReports, "",
     "Talk to an agent by MCP", endpoints::call_mcp},
    {Method::kPost, "/v1/logs", "exportLogs", "otlp_logs", Guard::kReport, kTelemetryBody,
     Effect::kReports, "", "Take log records of agents (OTLP)", endpoints::telemetry_logs},
    {Method::kPost, "/v1/traces", "exportTraces", "otlp_traces", Guard::kReport, kTelemetryBody,
     Effect::kReports, "", "Take spans of agents (OTLP)", endpoints::telemetry_traces},
    {Method::kGet, "/ping/{id}", "ping", "ping", Guard::kReport, kNoBody, Effect::kReports,
     "rid create every cron grace", "Ping: a job is done", endpoints::ping},
    {Method::kGet, "/ping/{ping}", "pingOf", "ping", Guard::kReport, kNoBody, Effect::kReports,
     "rid create every cron grace", "Ping: a job starts, fails, logs or ends", endpoints::ping},
    {Method::kPost, "/ping/{id}", "pingWithText", "ping", Guard::kReport, kPingBody,
     Effect::kReports, "rid create every cron grace", "Ping: a job is done", endpoints::ping},
    {Method::kPost, "/ping/{ping}", "pingOfWithText", "ping", Guard::kReport, kPingBody,
     Effect::kReports, "rid create every cron grace", "Ping: a job starts, fails, logs or ends",
     endpoints::ping},
    {Method::kGet, "/progress/{id}", "getProgress", "progress", Guard::kRead, kNoBody,
     Effect::kReads, "stale", "Progress of a session", endpoints::progress},
    {Method::kGet, "/api/autonomous/progress/{id}", "getProgressAlias", "progress", Guard::kRead,
     kNoBody, Effect::kReads, "stale", "Progress of a session", endpoints::progress,
     ReplyKind::kDocument, &kUseProgress},
    {Method::kGet, "/progress/{id}/stream", "streamProgress", "progress_stream", Guard::kRead,
     kNoBody, Effect::kReads, "last_event_id", "Follow the progress of a session",
     endpoints::stream_progress, ReplyKind::kStream},
    {Method::kGet, "/api/autonomous/progress/{id}/stream", "streamProgressAlias", "progress_stream",
     Guard::kRead, kNoBody, Effect::kReads, "last_event_id", "Follow the progress of a session",
     endpoints::stream_progress, ReplyKind::kStream, &kUseProgressStream},
    {Method::kGet, "/api/chat/autonomous/status", "getChatStatus", "chat_status", Guard::kRead,
     kNoBody, Effect::kReads, "sessionId", "Status of a session", endpoints::chat_status,
     ReplyKind::kDocument, &kUseSession},
    {Method::kPost, "/v1/sessions", "openSession", "open", Guard::kReport, kControlBody,
     Effect::kReports, "", "Open a session", endpoints::open_session},
    {Method::kGet, "/v1/sessions", "listSessions", "sessions", Guard::kOverview, kNoBody,
     Effect::kReads, "verdict open label agent limit cursor view q parent ids", "List sessions",
     endpoints::list_sessions},
    {Method::kPut, "/v1/sessions/{id}", "openNamedSession", "open_named", Guard::kReport,
     kControlBody, Effect::kReports, "", "Open a session of a chosen id",
     endpoints::open_named_session},
    {Method::kGet, "/v1/sessions/{id}", "getSession", "session", Guard::kRead, kNoBody,
     Effect::kReads, "", "Read a session", endpoints::show_session},
    {Method::kDelete, "/v1/sessions/{id}", "forgetSession", "forget", Guard::kAdmin, kNoBody,
     Effect::kWrites, "", "Delete all that is stored of a session", endpoints::forget_session},
    {Method::kGet, "/v1/sessions/{id}/events", "listEvents", "journal", Guard::kRead, kNoBody,
     Effect::kReads, "after limit types before order prints", "Read the journal of a session",
     endpoints::journal},
    {Method::kPost, "/v1/sessions/{id}/end", "endSession", "end", Guard::kReport, kControlBody,
     Effect::kWrites, "", "End a session", endpoints::end_session},
    {Method::kPost, "/v1/sessions/{id}/cancel", "cancelSession", "cancel", Guard::kControl,
     kControlBody, Effect::kWrites, "", "Ask the agent to stop", endpoints::cancel_session},
    {Method::kPost, "/v1/sessions/{id}/pause", "pauseSession", "pause", Guard::kControl,
     kControlBody, Effect::kWrites, "", "Ask the agent to pause", endpoints::pause_session},
    {Method::kPost, "/v1/sessions/{id}/resume", "resumeSession", "resume", Guard::kControl,
     kControlBody, Effect::kWrites, "", "Let a paused agent go on", endpoints::resume_session},
    {Method::kPost, "/v1/sessions/{id}/nudge", "nudgeSession", "nudge", Guard::kControl,
     kControlBody, Effect::kWrites, "", "Give the agent a person's words",
     endpoints::nudge_session},
    {Method::kGet, "/v1/sessions/{id}/budget", "getBudget", "budget", Guard::kRead, kNoBody,
     Effect::kReads, "", "Read the budget of a session", endpoints::show_budget},
    {Method::kPost, "/v1/sessions/{id}/budget", "changeBudget", "budget_change", Guard::kControl,
     kControlBody, Effect::kWrites, "", "Set or extend a budget", endpoints::change_budget},
    {Method::kGet, "/v1/budget/day", "getDayBudget", "budget_day", Guard::kOverview, kNoBody,
     Effect::kReads, "", "Read the daily caps", endpoints::show_day},
    {Method::kPost, "/v1/budget/day", "extendDayBudget", "budget_day_change", Guard::kApprove,
     kControlBody, Effect::kWrites, "", "Add to a daily cap, or lift it", endpoints::extend_day},
    {Method::kGet, "/v1/analytics/budgets", "budgetAnalytics", "budget_analytics", Guard::kOverview,
     kNoBody, Effect::kReads, "agent", "Use of ended sessions", endpoints::budget_analytics},
    {Method::kGet, "/v1/analytics/expectations", "getExpectations", "expectations",
     Guard::kOverview, kNoBody, Effect::kReads, "agent complexity",
     "Usual use of sessions, and budgets for new ones", endpoints::expectations},
    {Method::kGet, "/v1/sessions/{id}/wait", "waitForSession", "wait", Guard::kRead, kNoBody,
     Effect::kReads, "until after mode wait missing silent_for open_within", "Wait for a session",
     endpoints::wait_for_session},
    {Method::kGet, "/v1/sessions/{id}/stream", "streamSession", "stream", Guard::kRead, kNoBody,
     Effect::kReads, "last_event_id", "Follow a session", endpoints::stream_session,
     ReplyKind::kStream},
    {Method::kGet, "/v1/sessions/{id}/comparison", "compareTimers", "comparison", Guard::kRead,
     kNoBody, Effect::kReads, "", "Effects that the old timers would have had on a session",
     endpoints::compare_timers},
    {Method::kGet, "/v1/analytics/timeouts", "timeoutAnalytics", "timeouts", Guard::kOverview,
     kNoBody, Effect::kReads, "", "Effects that the old timers would have had on all sessions",
     endpoints::compare_timers},
    {Method::kGet, "/v1/wait", "waitForSessions", "wait_several", Guard::kRead, kNoBody,
     Effect::kReads, "any all until after mode wait missing silent_for open_within",
     "Wait for several sessions", endpoints::wait_for_sessions},
    {Method::kGet, "/v1/stream", "streamAll", "stream_all", Guard::kOverview, kNoBody,
     Effect::kReads, "last_event_id", "Follow all sessions", endpoints::stream_all,
     ReplyKind::kStream},
    {Method::kGet, "/v1/tokens", "listTokens", "tokens", Guard::kAdmin, kNoBody, Effect::kReads, "",
     "List tokens", endpoints::list_tokens},
    {Method::kPost, "/v1/tokens", "createToken", "token_create", Guard::kAdmin, kControlBody,
     Effect::kWrites, "", "Make a token", endpoints::create_token},
    {Method::kDelete, "/v1/tokens/{id}", "revokeToken", "token_revoke", Guard::kAdmin, kNoBody,
     Effect::kWrites, "", "Revoke a token", endpoints::revoke_token},
    {Method::kPost, "/v1/tokens/operator/rotate", "rotateOperator", "operator_rotate",
     Guard::kAdmin, kEmptyBody, Effect::kWrites, "", "Replace the operator's token",
     endpoints::rotate_operator},
    {Method::kGet, "/livez", "isAlive", "livez", Guard::kPublic, kNoBody, Effect::kReads, kAnyQuery,
     "Whether the process serves", endpoints::livez},
    {Method::kGet, "/readyz", "isReady", "readyz", Guard::kAnyToken, kNoBody, Effect::kReads,
     "verbose", "Whether it takes reports", endpoints::readyz},
    {Method::kGet, "/metrics", "getMetrics", "metrics", Guard::kOverview, kNoBody, Effect::kReads,
     kAnyQuery, "Metrics for Prometheus", endpoints::metrics},
    {Method::kGet, "/v1/version", "getVersion", "version", Guard::kAnyToken, kNoBody,
     Effect::kReads, kAnyQuery, "Build of this daemon", endpoints::version},
    {Method::kPost, "/v1/sessions/{id}/approvals", "askApproval", "ask", Guard::kReport,
     kApprovalBody, Effect::kReports, "", "Ask for a person's decision", endpoints::ask_approval},
    {Method::kGet, "/v1/approvals", "listApprovals", "approvals", Guard::kOverview, kNoBody,
     Effect::kReads, "status session kind risk limit cursor", "The inbox of all sessions",
     endpoints::list_approvals},
    {Method::kGet, "/v1/approvals/{approval}", "getApproval", "approval", Guard::kRead, kNoBody,
     Effect::kReads, "wait", "Read a request", endpoints::show_approval},
    {Method::kPost, "/v1/approvals/{approval}/decision", "decideApproval", "decide",
     Guard::kApprove, kApprovalBody, Effect::kWrites, "", "Decide", endpoints::decide_approval},
    {Method::kPost, "/v1/approvals/{approval}/redeem", "redeemApproval", "redeem", Guard::kReport,
     kApprovalBody, Effect::kWrites, "", "Use an approval, before the call runs",
     endpoints::redeem_approval},
    {Method::kPost, "/v1/approvals/{approval}/revoke", "revokeGrant", "revoke", Guard::kApprove,
     kControlBody, Effect::kWrites, "", "End a grant", endpoints::revoke_grant},
    {Method::kPost, "/v1/sessions/{id}/alarms/acknowledge", "acknowledgeAlarms", "alarms_seen",
     Guard::kApprove, kControlBody, Effect::kWrites, "", "Acknowledge alarms",
     endpoints::acknowledge_alarms},
    {Method::kPost, "/v1/sessions/{id}/approve-agent", "approveAgent", "approve_agent",
     Guard::kApprove, kControlBody, Effect::kWrites, "", "Decide, as in the first design",
     endpoints::approve_agent},
    {Method::kPost, "/v1/chat/{id}/approve-agent", "approveAgentInChat", "approve_agent",
     Guard::kApprove, kControlBody, Effect::kWrites, "", "Decide, as in the first design",
     endpoints::approve_agent},
    {Method::kPost, "/check-status", "askCheck", "check_ask", Guard::kReport, kControlBody,
     Effect::kReports, "", "Ask a judge", endpoints::ask_check},
    {Method::kPost, "/api/autonomous/check-status", "askCheckAlias", "check_ask", Guard::kReport,
     kControlBody, Effect::kReports, "", "Ask a judge", endpoints::ask_check, ReplyKind::kDocument,
     &kUseCheckStatus},
    {Method::kGet, "/check-status/{check}", "getCheck", "check", Guard::kRead, kNoBody,
     Effect::kReads, "wait sessionId", "Read a check", endpoints::show_check},
    {Method::kGet, "/api/autonomous/check-status/{check}", "getCheckAlias", "check", Guard::kRead,
     kNoBody, Effect::kReads, "wait sessionId", "Read a check", endpoints::show_check,
     ReplyKind::kDocument, &kUseCheck},
    {Method::kGet, "/v1/analytics/estimates", "estimateAnalytics", "estimates", Guard::kOverview,
     kNoBody, Effect::kReads, "", "How good estimates of progress were",
     endpoints::estimate_analytics},
    {Method::kGet, "/v1/overview", "getOverview", "overview", Guard::kOverview, kNoBody,
     Effect::kReads, "minutes", "All sessions at a glance", endpoints::overview},
    {Method::kGet, "/v1/digest", "getDigest", "digest", Guard::kOverview, kNoBody, Effect::kReads,
     "since format", "Summary of all sessions since a given time", endpoints::digest},
    {Method::kPost, "/v1/login-codes", "createLoginCode", "login_code", Guard::kAdmin, kEmptyBody,
     Effect::kReads, "", "Make a link that logs a browser in", endpoints::create_login_code},
    {Method::kGet, "/login", "login", "login", Guard::kPublic, kNoBody, Effect::kReads, "code",
     "Log a browser in", endpoints::open_login_link},
    {Method::kPost, "/v1/login", "logIn", "log_in", Guard::kPublic, kControlBody, Effect::kReads,
     "", "Change the code of a link for a login", endpoints::log_in},
    {Method::kGet, "/decide", "showDecisionLink", "decide_link", Guard::kPublic, kNoBody,
     Effect::kReads, "id from code", "Show the request of a link in a message",
     endpoints::show_decision_link},
    {Method::kPost, "/decide", "decideByLink", "decide_by_link", Guard::kPublic, kFormBody,
     Effect::kWrites, "", "Decide the request of a link in a message", endpoints::decide_by_link},
    {Method::kPost, "/v1/logout", "logout", "logout", Guard::kPublic, kEmptyBody, Effect::kReads,
     "", "Log a browser out", endpoints::log_out},
    {Method::kGet, "/v1/me", "whoAmI", "me", Guard::kPublic, kNoBody, Effect::kReads, "",
     "The caller and its rights", endpoints::who_am_i},
    {Method::kGet, "/v1/system", "getSystem", "system", Guard::kOverview, kNoBody, Effect::kReads,
     "", "How the daemon itself is", endpoints::system_report},
    {Method::kPost, "/v1/backup", "makeBackup", "backup", Guard::kAdmin, kControlBody,
     Effect::kWrites, "", "Copy the database into a file", endpoints::make_backup},
    {Method::kGet, "/v1/webhooks", "listWebhooks", "webhooks", Guard::kOverview, kNoBody,
     Effect::kReads, "", "Webhooks and their state", endpoints::list_webhooks},
    {Method::kGet, "/v1/webhooks/{id}/deliveries", "listDeliveries", "webhook_deliveries",
     Guard::kOverview, kNoBody, Effect::kReads, "state limit cursor",
     "Messages that were not delivered", endpoints::list_deliveries},
    {Method::kPost, "/v1/webhooks/{id}/replay", "replayWebhook", "webhook_replay", Guard::kAdmin,
     kControlBody, Effect::kWrites, "", "Send dead letters again", endpoints::replay_deliveries},
    {Method::kPost, "/v1/webhooks/{id}/test", "testWebhook", "webhook_test", Guard::kAdmin,
     kEmptyBody, Effect::kWrites, "", "Send a test message now", endpoints::test_webhook},
    {Method::kGet, "/", "getDashboard", "page", Guard::kPublic, kNoBody, Effect::kReads, kAnyQuery,
     "The dashboard", endpoints::dashboard},
    {Method::kGet, "/assets/{asset}", "getAsset", "asset", Guard::kPublic, kNoBody, Effect::kReads,
     kAnyQuery, "A file of the dashboard", endpoints::asset},
    {Method::kGet, "/docs", "getDocs", "docs", Guard::kPublic, kNoBody, Effect::kReads, kAnyQuery,
     "The documentation", endpoints::docs_index},
    {Method::kGet, "/docs/{page}", "getDocsPage", "docs_page", Guard::kPublic, kNoBody,
     Effect::kReads, kAnyQuery, "A page of the documentation", endpoints::docs_page},
    {Method::kGet, "/openapi.json", "getOpenApi", "openapi", Guard::kPublic, kNoBody,
     Effect::kReads, kAnyQuery, "This document", endpoints::openapi_document},
};
constexpr std::size_t kCount = std::size(kEndpoints);

constexpr bool is_valid() {
    for (std::size_t i = 0; i < kCount; ++i) {
        const Endpoint& row = kEndpoints[i];
        if (row.name.empty() || row.metric.empty()) return false;
        // `{id}` is a session's only there: others must not be authorised by a prefix of sessions.
        const bool scoped = row.guard == Guard::kReport || row.guard == Guard::kRead;
        const bool of_session = row.path.starts_with("/v1/sessions/") ||
                                row.path.starts_with("/ping/") ||
                                row.path.find("/progress/") != row.path.npos;
        if (scoped && row.path.find("{id}") != row.path.npos && !of_session) return false;
        for (std::size_t j = 0; j < i; ++j) {
            const Endpoint& other = kEndpoints[j];
            if (row.name == other.name) return false;
            if (row.path == other.path && row.method == other.method) return false;
            // Aliases are one operation: its protection must not depend on its name.
            const bool alias = row.metric == other.metric;
            if (alias && (row.guard != other.guard || row.effect != other.effect)) return false;
        }
    }
    return true;
}
static_assert(is_valid(), "a row of the table repeats another or lacks something");

constexpr std::array<std::string_view, kGuardCount> kGuardNames{
    "public", "any_token", "report", "read", "overview", "control", "approve", "admin"};
constexpr std::array<std::string_view, 3> kEffectNames{"reads", "writes", "reports"};
constexpr std::array<std::string_view, 8> kMethodNames{"GET",    "HEAD",  "POST",    "PUT",
                                                       "DELETE", "PATCH", "OPTIONS", "OTHER"};

void append_row(api::JsonWriter& json, const Endpoint& row) {
    json.open_object();
    json.member("method", kMethodNames[static_cast<std::size_t>(row.method)]);
    json.member("path", row.path);
    json.member("name", row.name);
    json.member("metric", row.metric);
    json.member("guard", kGuardNames[static_cast<std::size_t>(row.guard)]);
    json.member("names_session", row.names_session());
    json.member("effect", kEffectNames[static_cast<std::size_t>(row.effect)]);
    json.member("takes_body", row.body.read);
    json.member("takes_lines", row.body.lines);
    json.member("body_bytes_max", std::uint64_t{row.body.bytes_max});
    json.member("parameters", row.parameters);
    json.member("streams", row.reply == ReplyKind::kStream);
    json.member("deprecated", row.deprecation != nullptr);
    json.member("summary", row.summary);
    json.close_object();
}

}  // namespace

std::span<const Endpoint> route_table() noexcept {
    return kEndpoints;
}

std::size_t index_of(const Endpoint& endpoint) noexcept {
    HEADWAY_ASSERT(&endpoint >= kEndpoints && &endpoint < kEndpoints + kCount);
    return static_cast<std::size_t>(&endpoint - kEndpoints);
}

const Endpoint& endpoint_named(std::string_view name) {
    const Endpoint* found = nullptr;
    for (const Endpoint& row : kEndpoints) {
        if (row.name == name) found = &row;
    }
    HEADWAY_ASSERT(found != nullptr);
    return *found;
}

std::string route_table_document() {
    std::string out;
    api::JsonWriter json{out};
    json.open_array();
    for (const Endpoint& row : kEndpoints)
        append_row(json, row);
    json.close_array();
    return out;
}

}  // namespace headway::server
