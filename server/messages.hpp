// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/decode.hpp"
#include "api/decode_approvals.hpp"
#include "api/decode_budget.hpp"
#include "api/encode.hpp"
#include "api/encode_system.hpp"
#include "core/access.hpp"
#include "core/budget_settings.hpp"
#include "core/event.hpp"
#include "core/result.hpp"
#include "core/view.hpp"
#include "server/judge_messages.hpp"
#include "server/stats.hpp"
#include "server/webhook_messages.hpp"
#include "storage/store.hpp"

// The messages between the I/O thread and the supervisor thread. Plain values; the threads share
// little else (docs/architecture.md "Threads").

namespace headway::server {

/// Where an answer goes: a connection, which may be gone by then, and its slot in the order of
/// replies.
struct ReplyTo {
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

// Commands: change something, answered after the commit.

struct ReportCommand {
    std::string session;
    std::vector<core::Event> events;
    bool batch = false;
    std::vector<api::WholeArgs> whole_args = {};
    bool controls = false;  ///< the caller may control sessions
};

struct OpenCommand {
    std::string session;
    core::SessionStarted about;
    bool bare = false;            ///< only the id was given: any existing session matches
    std::string idempotency_key;  ///< or empty
    std::string idempotency_fingerprint;
    bool controls = false;  ///< like ReportCommand::controls
};

struct EndCommand {
    std::string session;
    core::SessionEnded end;
};

struct CancelCommand {
    std::string session;
    core::CancelRequested cancel;
};

/// What an operator asks of a running agent.
enum class Control : std::uint8_t { kPause, kResume, kNudge };

struct ControlCommand {
    std::string session;
    Control control = Control::kNudge;
    api::ControlBody body;
};

struct CreateTokenCommand {
    core::TokenRecord token;
    std::string secret;  ///< the token's text, for the reply only
};

struct RevokeTokenCommand {
    std::string id;
};

/// When tokens were last used; no reply.
struct UseTokensCommand {
    std::vector<core::TokenUse> uses;
};

struct BudgetCommand {
    std::string session;
    api::BudgetChange change;
};

struct AskCommand {
    std::string session;
    core::ApprovalRequested asked;
    std::string idempotency_key;  ///< or empty
    std::string idempotency_fingerprint;
    bool controls = false;  ///< like ReportCommand::controls
};

/// An approval by its UUID, with the caller's grants: only the index knows the session.
struct ApprovalAlias {
    std::string id;  ///< empty: the session and the number were given
    core::Grants grants = {};
};

/// Decides approval `n` of the session; with `identical` also every identical one of any session.
struct DecideCommand {
    std::string session;
    std::uint64_t n = 0;
    core::Ruling ruling;
    bool identical = false;
    ApprovalAlias alias = {};
};

struct RedeemCommand {
    std::string session;
    std::uint64_t n = 0;
    api::DecodedRedeem redeem;
    ApprovalAlias alias = {};
};

struct RevokeCommand {
    std::string session;
    std::uint64_t n = 0;
    api::DecodedRevoke revoke;
    ApprovalAlias alias = {};
};

struct AcknowledgeCommand {
    std::string session;
    api::DecodedAcknowledge said;
};

struct ApproveAgentCommand {
    std::string session;
    api::DecodedApproveAgent said;
    std::string by;  ///< as far as known
};

// Queries: answered from committed state.

struct SessionQuery {
    std::string session;
};

/// What the old timers would have done to a session; if empty, to all ended sessions.
struct ComparisonQuery {
    std::string session;
};

struct ListQuery {
    storage::SessionFilter filter;
    bool rows = false;  ///< rows instead of documents
    std::size_t limit = 50;
    storage::SessionKey before = INT64_MAX;
};

/// The state of all sessions.
struct OverviewQuery {};

/// A set of event types.
using EventTypes = std::bitset<core::EnumNames<core::EventType>::kNames.size()>;

struct JournalQuery {
    std::string session;
    std::uint64_t after = 0;
    std::size_t limit = 100;
    bool lines = false;  ///< NDJSON
    std::uint64_t before = UINT64_MAX;
    bool newest_first = false;
    bool prints = false;
    EventTypes types = {};  ///< none = all
};

/// The daemon's own state; the supervisor completes a copy of `report`.
struct SystemQuery {
    std::shared_ptr<const api::SystemReport> report;
};

/// A view that is not in the cache.
struct ViewQuery {
    std::string session;
};

/// The next page of a stream that catches up; without `after`, the current position.
struct StreamQuery {
    std::string session;  ///< empty = all sessions
    std::optional<std::int64_t> after;
};

struct BudgetQuery {
    std::string session;
};

/// What ended sessions used, by agent type and outcome.
struct BudgetAnalyticsQuery {
    std::optional<std::string> agent;
};

struct ApprovalQuery {
    std::string session;
    std::uint64_t n = 0;
    ApprovalAlias alias = {};
};

struct InboxQuery {
    storage::ApprovalPage page;
    std::string session;  ///< empty: of all
};

/// Asks a judge about a session.
struct CheckCommand {
    std::string session;
    std::string check_id;  ///< empty: Headway chooses one
    std::string by;
};

/// The answer of a judge; no reply.
struct JudgedCommand {
    JudgeReply reply;
};

struct CheckQuery {
    std::string id;
    core::Grants grants;  ///< of the caller: only the index knows the session
};

/// The accuracy of progress estimates.
struct EstimatesQuery {};

/// Copies the database into an empty file; answered when the copy is complete.
struct BackupCommand {
    std::string file;  ///< an absolute path
};

/// The state of all webhooks.
struct WebhooksQuery {};

/// Undelivered messages of one webhook.
struct DeliveriesQuery {
    std::string endpoint;
    bool dead = false;
    std::int64_t after = 0;
    std::size_t limit = 50;
};

/// Sends a test to a webhook; answered when the try has ended.
struct WebhookTestCommand {
    std::string endpoint;
};

/// Sends dead letters again; all of them without `ids`.
struct WebhookReplayCommand {
    std::string endpoint;
    std::vector<std::string> ids;
};

/// The result of a try to send to a webhook; only a test has a client that waits for it.
struct WebhookDoneCommand {
    WebhookResult result;
};

/// The reloaded configuration; no reply.
struct ReloadCommand {
    core::Policy policy;
    core::Millis retention{0};
    core::BudgetSettings budget{};
    core::ApprovalRules approvals{};
    core::PolicyFloor floor{};
};

using Command =
    std::variant<ReportCommand, OpenCommand, EndCommand, CancelCommand, ControlCommand, AskCommand,
                 DecideCommand, RedeemCommand, RevokeCommand, AcknowledgeCommand,
                 ApproveAgentCommand, SessionQuery, ComparisonQuery, ListQuery, JournalQuery,
                 ViewQuery, StreamQuery, ApprovalQuery, InboxQuery, ReloadCommand, BudgetCommand,
                 BudgetQuery, BudgetAnalyticsQuery, CreateTokenCommand, RevokeTokenCommand,
                 UseTokensCommand, CheckCommand, JudgedCommand, CheckQuery, EstimatesQuery,
                 OverviewQuery, SystemQuery, BackupCommand, WebhooksQuery, DeliveriesQuery,
                 WebhookTestCommand, WebhookReplayCommand, WebhookDoneCommand>;

struct Request {
    ReplyTo reply_to;
    bool watched = false;    ///< a client waits for or watches the session
    bool listening = false;  ///< there are streams: publish events, not only views
    std::size_t bytes = 0;   ///< rough size, for the bound of the queue
    Command command;
};

// Answers.

struct AdviceReply {
    api::Advice advice;
    std::string session;
};

/// A finished body.
struct BodyReply {
    int status = 200;
    std::string body;
    std::string headers;  ///< further header lines, each with its CRLF
    bool lines = false;   ///< application/x-ndjson
    /// Set if another decision came first: then the body is the member `winner` of this problem.
    std::optional<core::Error> lost;
};

/// The document of an approval or a check.
struct DocumentReply {
    bool pending = false;  ///< a long poll goes on
    std::string body;
};

/// A page of a stream. For one session positions are event numbers, for all of them cursors.
struct StreamReply {
    std::string session;
    std::int64_t head = 0;
    std::int64_t oldest = 0;
    std::vector<storage::StreamEvent> events;
    bool caught_up = false;  ///< what follows comes live
    std::string reset;       ///< why the requested position is not available, or empty
    std::int64_t from = 0;   ///< the position before the first event
};

struct ViewReply {
    std::string session;
    std::unique_ptr<core::SessionView> view;  ///< null: unknown session
    std::optional<core::Error> error = {};    ///< why it is not available
};

using Answer = std::variant<AdviceReply, BodyReply, StreamReply, ViewReply, DocumentReply>;

struct Reply {
    ReplyTo to;
    core::Result<Answer> what;
};

/// The end of a database copy: complete, but not yet synced and checked, or failed.
struct CopiedFile {
    ReplyTo to;
    std::string file;
    core::Result<> done;
};

/// What one batch of the supervisor makes public. Views and events come before the replies that
/// rest on them.
struct Publication {
    std::vector<core::SessionView> views;
    std::vector<storage::StreamEvent> events;
    std::vector<Reply> replies;
    std::vector<std::string> deleted;                      ///< sessions deleted by retention
    std::optional<std::vector<core::TokenRecord>> tokens;  ///< all tokens, if they changed
    /// approvals that are not pending any more
    std::vector<std::string> decided;
    std::vector<std::string> checked;  ///< ended checks
    std::optional<CopiedFile> copied;  ///< a backup
    std::string fatal;                 ///< why the daemon must end now, or empty
    SupervisorStats stats;
};

}  // namespace headway::server
