// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/http/message/endpoint.hpp"

// The handlers of the routes in table.cpp, by file. Each one decodes the request, and replies
// itself or sends a task to the engine. I/O thread only.

namespace headway::server::endpoints {

// reports.cpp
Handler report;
Handler heartbeat;
Handler record;

// hooks.cpp
Handler hook;

// pings.cpp
Handler ping;

// telemetry.cpp
Handler telemetry_logs;
Handler telemetry_traces;

// mcp.cpp
Handler call_mcp;

// sessions.cpp
Handler open_session;
Handler open_named_session;
Handler end_session;
Handler cancel_session;
Handler forget_session;
Handler pause_session;
Handler resume_session;
Handler nudge_session;
Handler show_session;
Handler list_sessions;
Handler journal;
Handler compare_timers;
Handler overview;
Handler digest;

// progress.cpp
Handler progress;
Handler chat_status;

// approvals.cpp
Handler ask_approval;
Handler list_approvals;
Handler show_approval;
Handler decide_approval;
Handler redeem_approval;
Handler revoke_grant;
Handler acknowledge_alarms;
Handler approve_agent;

// budgets.cpp
Handler show_budget;
Handler change_budget;
Handler budget_analytics;
Handler show_day;
Handler extend_day;
Handler expectations;

// checks.cpp
Handler ask_check;
Handler show_check;
Handler estimate_analytics;

// waits.cpp
Handler wait_for_session;
Handler wait_for_sessions;

// streams.cpp
Handler stream_session;
Handler stream_all;
Handler stream_progress;

// webhooks.cpp
Handler list_webhooks;
Handler list_deliveries;
Handler replay_deliveries;
Handler test_webhook;

// tokens.cpp
Handler list_tokens;
Handler create_token;
Handler revoke_token;
Handler rotate_operator;

// decision_links.cpp
Handler show_decision_link;
Handler decide_by_link;

// logins.cpp
Handler create_login_code;
Handler open_login_link;
Handler log_in;
Handler log_out;
Handler who_am_i;

// system.cpp
Handler livez;
Handler readyz;
Handler metrics;
Handler version;
Handler system_report;

// backups.cpp
Handler make_backup;

// pages.cpp
Handler dashboard;
Handler asset;
Handler docs_index;
Handler docs_page;
Handler openapi_document;

}  // namespace headway::server::endpoints
