// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "server/engine/base/answers.hpp"
#include "server/engine/commands/admin_commands.hpp"
#include "server/engine/commands/approval_commands.hpp"
#include "server/engine/commands/check_commands.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/links/decision_link.hpp"
#include "server/engine/projections/expectations.hpp"
#include "server/engine/queries/queries.hpp"
#include "server/engine/reports/ping_commands.hpp"
#include "server/engine/reports/record_command.hpp"
#include "server/engine/reports/telemetry_commands.hpp"

// Replies for the results of commands and queries. I/O thread only.

namespace headway::server {

/// The reply to a telemetry export. Also used for an export that needs no command to the engine.
Response telemetry_response(const TelemetryTaken& taken);

// Sessions.
void answer_with(Answers& on, const ReplyTo& to, Advised&& advised);
void answer_with(Answers& on, const ReplyTo& to, SessionDocument&& shown);
void answer_with(Answers& on, const ReplyTo& to, Forgotten&& forgotten);
void answer_with(Answers& on, const ReplyTo& to, SessionCompared&& compared);
void answer_with(Answers& on, const ReplyTo& to, api::TimeoutTotals&& totals);
void answer_with(Answers& on, const ReplyTo& to, BudgetDocument&& budget);
void answer_with(Answers& on, const ReplyTo& to, BudgetAnalytics&& analytics);
void answer_with(Answers& on, const ReplyTo& to, api::DayReport&& report);
void answer_with(Answers& on, const ReplyTo& to, api::Expectations&& expectations);
void answer_with(Answers& on, const ReplyTo& to, ViewShown&& shown);
void answer_with(Answers& on, const ReplyTo& to, StreamReply&& page);
void answer_with(Answers& on, const ReplyTo& to, HookAnswered&& answered);
void answer_with(Answers& on, const ReplyTo& to, TelemetryTaken&& taken);
void answer_with(Answers& on, const ReplyTo& to, Pinged&& pinged);
void answer_with(Answers& on, const ReplyTo& to, Recorded&& recorded);
void answer_with(Answers& on, const ReplyTo& to, api::Overview&& overview);
void answer_with(Answers& on, const ReplyTo& to, TextPage&& page);

// Approvals and checks.
void answer_with(Answers& on, const ReplyTo& to, ApprovalShown&& shown);
void answer_with(Answers& on, const ReplyTo& to, ApprovalPolled&& polled);
void answer_with(Answers& on, const ReplyTo& to, Decided&& decided);
void answer_with(Answers& on, const ReplyTo& to, DecisionLost&& lost);
void answer_with(Answers& on, const ReplyTo& to, AgentApproved&& approved);
void answer_with(Answers& on, const ReplyTo& to, LinkPage&& page);
void answer_with(Answers& on, const ReplyTo& to, CheckShown&& shown);
void answer_with(Answers& on, const ReplyTo& to, CheckPolled&& polled);
void answer_with(Answers& on, const ReplyTo& to, EstimateAnalytics&& analytics);

// The daemon.
void answer_with(Answers& on, const ReplyTo& to, TokenCreated&& created);
void answer_with(Answers& on, const ReplyTo& to, TokenRevoked&& revoked);
void answer_with(Answers& on, const ReplyTo& to, WebhookList&& list);
void answer_with(Answers& on, const ReplyTo& to, DeliveryList&& list);
void answer_with(Answers& on, const ReplyTo& to, DeliveriesReplayed&& replayed);
void answer_with(Answers& on, const ReplyTo& to, WebhookTried&& tried);
void answer_with(Answers& on, const ReplyTo& to, api::SystemReport&& report);
void answer_with(Answers& on, const ReplyTo& to, Unanswered&& nothing);

template <class... Ts>
void answer_with(Answers& on, const ReplyTo& to, std::variant<Ts...>&& what) {
    std::visit([&](auto&& one) { answer_with(on, to, std::forward<decltype(one)>(one)); },
               std::move(what));
}

}  // namespace headway::server
