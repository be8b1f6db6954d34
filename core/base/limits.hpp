// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every bound of the system, with its reason, in one place. A change that adds a queue or a buffer
// adds its bound here.

namespace headway::core::limits {

// Bounds of requests.
/// Bytes of the id of a session, an event or a call: a UUID with any prefix fits.
inline constexpr std::size_t kIdBytesMax = 128;
/// Bytes of a name, a path or a note. Longer strings are core::Text.
inline constexpr std::size_t kStringBytesMax = 512;
inline constexpr std::size_t kTextWholeBytesMax = 4096;  ///< bytes of a text that is kept whole
inline constexpr std::size_t kTextHeadBytes = 2048;      ///< bytes from the start of a longer text
inline constexpr std::size_t kTextTailBytes = 1024;  ///< bytes from its end, where errors often are
/// Items of each list in one event: failures, blockers, plan steps, mutated paths.
inline constexpr std::size_t kListItemsMax = 256;
inline constexpr std::size_t kLabelsMax = 16;
inline constexpr std::size_t kAdaptersMax = 8;  ///< adapters that a session remembers
inline constexpr std::size_t kLabelBytesMax = 128;
/// Events of one report: a commit of a thousand rows takes less than 10 ms.
inline constexpr std::size_t kReportEventsMax = 1000;
inline constexpr std::size_t kReportBodyBytesMax = 1U << 20;
/// Body of an agent's hook: the result of an edit contains the file twice.
inline constexpr std::size_t kHookBodyBytesMax = 16U << 20;
/// A body longer than this is parsed on another thread, since parsing it takes some milliseconds.
inline constexpr std::size_t kBodyAtOnceBytesMax = 1U << 16;
/// Bodies queued for the parsing thread, and their bytes: four hook bodies of maximum size. Half of
/// each bound is reserved for hooks. Beyond the bounds, the reply is 503 `overloaded`.
inline constexpr std::size_t kLongBodiesMax = 32;
inline constexpr std::size_t kLongBodiesBytesMax = 4 * kHookBodyBytesMax;
/// Bytes kept from the end of a ping's body, as many as healthchecks.io keeps.
inline constexpr std::size_t kPingBytesKept = 100'000;
/// Body of a telemetry exporter: 512 records with the arguments and results of calls.
inline constexpr std::size_t kTelemetryBodyBytesMax = 16U << 20;
inline constexpr std::size_t kControlBodyBytesMax = 1U << 16;
inline constexpr std::size_t kJsonDepthMax = 64;  ///< nesting of JSON, for parsers that recurse
/// Values in one body. This bounds the memory that many tiny values take.
inline constexpr std::size_t kJsonNodesMax = 200'000;

/// Bytes of the arguments of a call that needs approval. They are kept and shown whole, and have
/// room for the text of a file that the call writes.
inline constexpr std::size_t kApprovalArgsBytesMax = 1U << 16;
/// Body of an approval request: the arguments with any JSON escaping, and the other fields.
inline constexpr std::size_t kApprovalBodyBytesMax = 1U << 18;
/// Pending requests that the agent of one session has made. No person reads through more.
inline constexpr std::size_t kApprovalsAskedMax = 32;
inline constexpr std::size_t kApprovalsOwnMax = 8;  ///< pending requests by Headway, in addition
inline constexpr std::size_t kApprovalsPendingMax = kApprovalsAskedMax + kApprovalsOwnMax;
/// Decided approvals that a session keeps, for redemption and alarms. The index has all of them.
inline constexpr std::size_t kApprovalsKeptMax = 128;
inline constexpr std::size_t kApprovalsMax = kApprovalsPendingMax + kApprovalsKeptMax;
/// Calls whose rejection is remembered after their request was dropped: 8 KB.
inline constexpr std::size_t kRejectedCallsMax = 1024;
inline constexpr std::size_t kGrantsMax = 32;  ///< standing approvals of one session
/// Different unacknowledged alarms of one session. Further ones are only counted.
inline constexpr std::size_t kAlarmsMax = 16;
/// Summary and reason in the session's state. The journal has the whole texts.
inline constexpr std::size_t kApprovalTextBytesMax = 256;
inline constexpr std::size_t kApproverBytesMax = 128;   ///< name of the approver
inline constexpr std::size_t kRedeemKeyBytesMax = 255;  ///< bytes of an Idempotency-Key
/// The longest expiry of a request. A request that needs more time sets no expiry.
inline constexpr std::chrono::hours kApprovalExpiryMax{24 * 366};
/// Requests that one decision may answer. All answers are in one commit.
inline constexpr std::size_t kIdenticalMax = 1000;

// Bounds of one session.
/// Open calls that are named. Further ones are only counted.
inline constexpr std::size_t kInFlightMax = 32;
/// Unacknowledged directives. The oldest are dropped.
inline constexpr std::size_t kDirectivesMax = 16;
inline constexpr std::size_t kEvidenceMax = 16;  ///< event numbers that support one verdict

inline constexpr std::size_t kLastActionBytesMax = 96;  ///< bytes of the line about the last call

// Memory of the progress ledger and the detectors. A session in which all of these are full takes
// about 80 KB.
inline constexpr std::size_t kAnswersMax = 512;  ///< calls whose last result is known
inline constexpr std::size_t kFilesMax = 128;    ///< paths whose contents are tracked
/// Changed paths that are counted exactly: 16 KB.
inline constexpr std::size_t kPathsSeenMax = 4096;
inline constexpr std::size_t kTrailDigestsMax = 16;   ///< contents of one path, or results of one
                                                      ///< test
inline constexpr std::size_t kVerificationsMax = 32;  ///< different tests and builds
inline constexpr std::size_t kRecentCallsMax = 64;    ///< the newest calls, for cycles and evidence
/// Ids of finished calls, remembered to recognise a replayed stream.
inline constexpr std::size_t kRecentCallIdsMax = 64;
inline constexpr std::size_t kRoundQuestionsMax = 32;  ///< different calls in one round
/// Calls in one round. If the agent's round number does not change, the call that reaches this
/// number ends the round.
inline constexpr std::uint32_t kRoundCallsMax = 64;
inline constexpr std::uint32_t kRoundEchoesMax = 16;   ///< duplicate calls in one round
inline constexpr std::size_t kFailureStreaksMax = 32;  ///< pairs of a tool and an error
inline constexpr std::size_t kMessagesMax = 8;         ///< messages compared with a new message
inline constexpr std::size_t kAppendBytesMax = 1024;   ///< bytes of arguments that are compared for
                                                       ///< growth
inline constexpr std::size_t kFeedbackErrorBytesMax = 200;  ///< bytes of an error message that are
                                                            ///< shown to the model
inline constexpr std::size_t kNudgesMax = 8;                ///< loops whose advice is remembered
inline constexpr std::size_t kPhasesMax = 16;               ///< completed phases with their figures
/// Background tasks whose names are kept; further tasks are only counted.
inline constexpr std::size_t kBackgroundTasksMax = 8;
/// Bytes of a phase's name, its description or a blocker, and of a background task's name.
inline constexpr std::size_t kPhaseTextBytesMax = 128;
inline constexpr std::size_t kBlockersMax = 4;  ///< blockers of each phase; the journal has all
/// Files that several sessions of a run write, counted for all runs together: about 8 MB.
inline constexpr std::size_t kRunFilesMax = 16'384;
inline constexpr std::size_t kRunContentsMax = 8;  ///< contents remembered per file
/// Configured tools whose calls need approval. Each call is compared with all of them.
inline constexpr std::size_t kRequiredToolsMax = 256;
inline constexpr std::size_t kToolPoliciesMax = 32;  ///< tools with settings of their own
/// Open children that a budget counts separately: 60 KB. Agents run fewer children at once.
inline constexpr std::size_t kChildrenMax = 512;
/// If an agent reports work while its question to a person is open, at most this much of the time
/// before the report is charged as work; the rest is waiting. This is longer than a round, and
/// short compared to a night in which the agent really waited.
inline constexpr std::int64_t kWorkBesideQuestionMsMax = 10 * 60 * 1000;
/// While a question to a person is open, a loop becomes `stuck` only after more finished calls than
/// this. One round has fewer calls in flight.
inline constexpr std::uint32_t kCallsBesideQuestion = 12;
/// Bytes of the last answer, and of the last result, of an ended session.
inline constexpr std::size_t kPartialResultBytesMax = 1024;
inline constexpr std::size_t kFamilyDepthMax = 32;  ///< levels through which usage rolls up
inline constexpr std::size_t kAgentTypesMax = 64;   ///< agent types with a budget of their own

// Reading.
inline constexpr std::size_t kJournalPageMax = 1000;
/// Events read for one page of a filtered journal: about 20 ms.
inline constexpr std::size_t kJournalScanMax = 20'000;
inline constexpr std::size_t kCommitTimesMax = 1024;  ///< newest commits whose duration is kept
inline constexpr std::size_t kListPageMax = 200;
/// Bytes of the searchable text of one session. The texts of 10,000 sessions stay in a page cache.
inline constexpr std::size_t kSearchTextBytesMax = 2048;
inline constexpr std::size_t kGoalLineBytesMax = 256;  ///< bytes of a goal in lists
inline constexpr std::size_t kSearchBytesMax = 256;    ///< bytes of a search term
/// Alarms, approvals and sessions in the list of open needs. No person reads through more.
inline constexpr std::size_t kNeedsShownMax = 100;
/// Newest events that `headway digest` reads, in slices of less than a millisecond each.
inline constexpr std::uint64_t kDigestEventsMax = 1'000'000;
inline constexpr std::chrono::hours kDigestSpan{12};
inline constexpr std::chrono::hours kDigestSpanMax{31 * 24};
inline constexpr std::size_t kWaitSessionsMax = 100;
/// Ended sessions that one analytics reply reads: a few ms.
inline constexpr std::size_t kHistoryScanMax = 20'000;
/// Newest ended sessions that a prediction uses.
inline constexpr std::size_t kPredictionSamplesMax = 500;
inline constexpr std::chrono::minutes kWaitMax{10};

// Expectations: the usual use and durations of an agent type's sessions.
/// Sessions needed before an expectation is shown. Thus no session has more than 5 % of the weight.
inline constexpr std::size_t kExpectationSessionsMin = 20;
/// Sessions after which all weights are halved, so that the last few hundred sessions decide.
inline constexpr std::size_t kSketchSessionsMax = 512;
/// Buckets of durations that one session keeps for the calls of one tool: enough for eight
/// doublings, from 1 s to 4 min.
inline constexpr std::size_t kSamplesBucketsMax = 64;
/// Agent types with expectations. With all their tools: 10 MB on disk at most, usually 500 KB.
inline constexpr std::size_t kExpectedAgentsMax = 64;
/// Tools with expectations, of one agent type and of one session. In a session's memory they take
/// 25 KB at most, usually 1 KB.
inline constexpr std::size_t kExpectedToolsMax = 48;
/// Bytes of the name of an agent type or tool with expectations. Longer names are ignored.
inline constexpr std::size_t kExpectedNameBytesMax = 128;
/// An expectation from enough sessions is kept at least this long before a new name replaces it.
inline constexpr std::chrono::hours kExpectationKeptFor{24 * 30};
/// Tools in a prompt block. A model ignores a longer list.
inline constexpr std::size_t kUsualCallsShownMax = 8;
inline constexpr std::size_t kUsualNameBytesMax = 40;  ///< bytes of each name in a prompt block

// Access.
/// Names of secrets that an operator adds. Each of them is compared with every name in a report.
inline constexpr std::size_t kSecretNamesMax = 64;
/// The shortest such name. A name covers all names that end in it, so a shorter one would cover too
/// many.
inline constexpr std::size_t kSecretNameBytesMin = 3;
/// Tokens; the I/O thread has all of them in memory. Beyond this, a new token replaces an expired
/// or revoked one; if there is none, no token can be created.
inline constexpr std::size_t kTokensMax = 1000;
inline constexpr std::size_t kTokenScopesMax = 16;
inline constexpr std::size_t kTokenNameBytesMax = 128;
/// Minimum interval between two writes of a token's last use.
inline constexpr std::chrono::minutes kTokenUseEvery{1};

/// Unused login links of the dashboard. Beyond this, the oldest link is dropped.
inline constexpr std::size_t kLoginCodesMax = 64;
inline constexpr std::chrono::minutes kLoginCodeFor{10};  ///< lifetime of a login link
inline constexpr std::size_t kLoginBytesMax = 256;        ///< bytes of the login that a page sends
/// Browsers logged in at once; the oldest is logged out.
inline constexpr std::size_t kLoginsMax = 64;
/// If daemons share a key: ended logins and used codes that this daemon remembers until they
/// expire. 100 bytes each.
inline constexpr std::size_t kEndedLoginsMax = 4096;

// Failed authentications by client address.
/// Addresses remembered: 200 KB. Beyond this, the address with the oldest failure is dropped.
inline constexpr std::size_t kAuthAddressesMax = 4096;
/// Consecutive failures before an address is rate-limited: enough for some agents that still have
/// an old token.
inline constexpr std::uint32_t kAuthFailuresFree = 20;
inline constexpr std::chrono::seconds kAuthPauseBase{1};  ///< the first pause; doubled each time
/// The longest pause: a repaired client recovers within a minute.
inline constexpr std::chrono::seconds kAuthPauseMax{60};
/// After this long without a failure, an address is forgotten.
inline constexpr std::chrono::minutes kAuthForget{10};

// Judge.
/// Bytes of a check's id: a session id and the suffix of an automatic check.
inline constexpr std::size_t kCheckIdBytesMax = 192;
inline constexpr std::size_t kChecksPendingMax = 8;  ///< pending checks of one session
inline constexpr std::size_t kFactsKeptMax = 64;     ///< facts of a session that a judge reads
inline constexpr std::size_t kFactBytesMax = 160;    ///< bytes of each fact
/// Bytes of all facts together: a quarter of a prompt. Beyond this, the oldest facts are dropped.
inline constexpr std::size_t kFactsBytesMax = 4096;
/// Newest estimates of one session, kept until they are scored at its end: about 4 KB on disk.
inline constexpr std::size_t kEstimatesKeptMax = 64;
/// Bytes of the displayed estimate's reason.
inline constexpr std::size_t kEstimateReasonBytesMax = 512;
/// Bytes of the displayed estimate's milestone, and of each of its blockers.
inline constexpr std::size_t kEstimateWordsBytesMax = 160;
inline constexpr std::size_t kEstimateBlockersMax = 8;  ///< blockers displayed; a row is 2.5 KB at
                                                        ///< most
/// Models scored separately: bounded because an endpoint may report any model name.
inline constexpr std::size_t kEstimateModelsMax = 64;
inline constexpr std::size_t kJudgeEndpointsMax = 8;
/// Questions queued or in flight: about 64 MB of prompts. Beyond this, no question is sent.
inline constexpr std::size_t kJudgeQueueMax = 4096;
inline constexpr std::size_t kJudgePromptBytesMax = 16'384;
/// Newest events in a prompt: 20 rounds and the events between them.
inline constexpr std::size_t kJudgeEventsMax = 200;
inline constexpr std::size_t kJudgeRoundsMax = 20;        ///< rounds of calls in a prompt
inline constexpr std::size_t kJudgeOutputEndBytes = 200;  ///< bytes kept at each end of an output
inline constexpr std::size_t kJudgeArgsBytesMax = 400;    ///< bytes of all changed arguments
inline constexpr std::size_t kJudgeValueBytesMax = 160;   ///< bytes of each changed argument
/// Bytes of a message, a reflection or an error.
inline constexpr std::size_t kJudgeNoteBytesMax = 300;
inline constexpr std::size_t kJudgeNameBytesMax = 96;    ///< bytes of a tool, a target or a path
inline constexpr std::size_t kJudgeGoalBytesMax = 1000;  ///< bytes of the session's goal
inline constexpr std::size_t kJudgeFilesMax = 20;        ///< changed files of one call, and of the
                                                         ///< whole prompt
/// Bytes read from the end of a judge's answer: room for 500 tokens after some thinking.
inline constexpr std::size_t kJudgeReadBytesMax = 16'384;
/// Number of braces that are tried as the start of an answer. Each try scans the text to its end.
inline constexpr std::size_t kJudgeObjectsMax = 64;
inline constexpr std::size_t kJudgeReasonBytesMax = 512;  ///< reason for an answer: 100 tokens
/// Bytes of the reasoning of an estimate: 500 tokens.
inline constexpr std::size_t kJudgeReasoningBytesMax = 2048;
inline constexpr std::size_t kJudgeBlockersMax = 8;
/// Headers sent with each request to an endpoint.
inline constexpr std::size_t kJudgeHeadersMax = 16;
/// Bytes of a reply on the wire. A reply of 500 tokens has about 100 KB of chunks.
inline constexpr std::size_t kJudgeAnswerBytesMax = 256U << 10;
/// Bytes of the first sentence of an endpoint's own error message.
inline constexpr std::size_t kJudgeErrorBytesMax = 200;
inline constexpr std::size_t kJudgeModelBytesMax = 128;  ///< bytes of an endpoint's model name
/// Tokens of one answer. A higher number from an endpoint is replaced by this.
inline constexpr std::uint64_t kJudgeTokensMax = 10'000'000;
/// Bytes of a file with a key: signed cloud tokens are long.
inline constexpr std::size_t kJudgeKeyFileBytesMax = 4096;
/// The longest delay before the first retry, doubled for each further retry. The actual delay is a
/// random part of this delay.
inline constexpr std::chrono::milliseconds kJudgeBackoffBase{500};
inline constexpr std::chrono::milliseconds kJudgeBackoffMax{30'000};
/// Upper bound for an endpoint's Retry-After.
inline constexpr std::chrono::milliseconds kJudgeRetryAfterMax{600'000};
/// Consecutive failed tries after which the circuit opens. One question alone does not open the
/// circuit: by default a question gets fewer tries.
inline constexpr std::uint32_t kJudgeFailuresToOpen = 5;
/// How long the circuit stays open: about the time that a model server takes to start. Each failed
/// probe doubles this time.
inline constexpr std::chrono::milliseconds kJudgeOpenFor{30'000};
/// Upper bound of the time that the circuit is open: a recovered endpoint is soon used again.
inline constexpr std::chrono::milliseconds kJudgeOpenForMax{300'000};
/// How long Headway waits after `[DONE]` for the end of the reply, so that the connection can be
/// reused.
inline constexpr std::chrono::milliseconds kJudgeLinger{1000};

// Webhooks.
/// Endpoints; each adds one row for every subscribed event.
inline constexpr std::size_t kWebhookEndpointsMax = 8;
/// Bytes of one message: Standard Webhooks recommends less than 20 kB.
inline constexpr std::size_t kWebhookBodyBytesMax = 16'384;
/// Messages pending for one endpoint: 64 MB at most, usually 4 MB. Beyond this, the oldest become
/// dead letters.
inline constexpr std::size_t kWebhookPendingMax = 4096;
/// Dead letters of one endpoint. The oldest are dropped.
inline constexpr std::size_t kWebhookDeadMax = 1000;
inline constexpr std::size_t kWebhookTriesMax = 20;   ///< tries to deliver one message
inline constexpr std::size_t kWebhookSecretsMax = 4;  ///< secrets of one endpoint, for rotation
/// Bytes of a decoded secret, as Standard Webhooks requires.
inline constexpr std::size_t kWebhookSecretBytesMin = 24;
inline constexpr std::size_t kWebhookSecretBytesMax = 64;
inline constexpr std::size_t kWebhookSecretFileBytesMax = 4096;
/// Bytes read of a receiver's reply, which is discarded: enough for most replies to end properly.
inline constexpr std::size_t kWebhookReplyBytesMax = 64U << 10;
/// Bytes of the reason for a failed try.
inline constexpr std::size_t kWebhookReasonBytesMax = 200;
inline constexpr std::size_t kWebhookReplayIdsMax = 100;  ///< dead letters named in one request
inline constexpr std::size_t kWebhookPageMax = 100;       ///< deliveries of one page
inline constexpr std::size_t kWebhookRecipientsMax = 16;  ///< recipients of an e-mail
inline constexpr std::size_t kWebhookArgvMax = 16;        ///< words of a command line
inline constexpr std::size_t kWebhookMessagesMax = 1000;  ///< upper bound of messages_max
/// Outbox messages merged into one message to people, and their total bytes; all are read at once.
/// Further events go into the next message.
inline constexpr std::size_t kWebhookGroupMax = 512;
inline constexpr std::size_t kWebhookGroupBytesMax = 2U << 20;
/// Bytes of a command's output that are kept as the reason for its failure.
inline constexpr std::size_t kWebhookOutputBytesMax = 1024;
inline constexpr std::chrono::milliseconds kWebhookTimeoutMax{60'000};  ///< for one delivery
/// The longest pause of an endpoint: a recovered receiver is used again within five minutes.
inline constexpr std::chrono::milliseconds kWebhookPauseMax{300'000};
/// Upper bound for a receiver's Retry-After.
inline constexpr std::chrono::milliseconds kWebhookRetryAfterMax{86'400'000};
/// How long the messages of a removed endpoint are kept.
inline constexpr std::chrono::hours kWebhookRemovedFor{24 * 7};
/// Items of work queued for the sending thread: each open question to a judge and its cancellation,
/// and one message and one test for each webhook.
inline constexpr std::size_t kOutboundQueueMax = 2 * kJudgeQueueMax + 2 * kWebhookEndpointsMax;

// HTTP.
inline constexpr std::size_t kHeaderBytesMax = 8192;
inline constexpr std::size_t kHeaderFieldsMax = 100;
/// Read buffer of one connection. 10,000 idle connections fit in 100 MB.
inline constexpr std::size_t kReadBufferBytes = 4096;
/// Connections to the operator's socket, in addition to server.connections_max, which agents may
/// exhaust.
inline constexpr std::uint32_t kOperatorConnections = 16;
/// Descriptors reserved for the database, the log, outbound calls and the operator. They are never
/// used for other connections.
inline constexpr std::uint64_t kDescriptorsReserved = 48 + kOperatorConnections;
/// Process descriptors that clients of the report socket have sent and that no endpoint has taken
/// yet: at most one for each request in flight.
inline constexpr std::uint64_t kPassedDescriptorsMax = 64;
/// Processes of agents that are followed, each with a descriptor.
inline constexpr std::uint64_t kAgentProcessesMax = 256;
/// Sessions that end with one process: the server process of an agent may have hundreds.
inline constexpr std::size_t kSessionsOfProcessMax = 1'024;
inline constexpr std::size_t kSocketPathBytesMax = 107;  ///< kernel limit (sun_path)
/// Requests in flight on one connection. Beyond this, nothing more is read from it.
inline constexpr std::size_t kPipelinedMax = 64;
/// Bytes of replies that one client has not read. Beyond this, nothing more is read from its
/// connection.
inline constexpr std::size_t kWriteBufferBytesMax = 4U << 20;
/// Bytes of unread replies and unfinished bodies of all clients. Beyond this, some connections are
/// closed.
inline constexpr std::size_t kUnreadBytesMax = 256U << 20;
/// Connections with fewer unread bytes than this are not closed because of kUnreadBytesMax; at most
/// 256 clients can have more.
inline constexpr std::size_t kUnreadFairBytes = 1U << 20;

// Queues between threads.
/// Commands queued for the engine: a few seconds of work. Beyond this: 503 `overloaded`.
inline constexpr std::size_t kCommandQueueMax = 16'384;
/// Bytes of all queued commands, a bound for large reports.
inline constexpr std::size_t kCommandQueueBytesMax = 64U << 20;
/// Bytes of replies to readers that one slice of reading may produce.
inline constexpr std::size_t kPublicationBytesMax = 16U << 20;
/// Commands in one commit. The bound limits the latency of the first command.
inline constexpr std::size_t kBatchMax = 2048;

// Streams and waiters.
inline constexpr std::size_t kWaitersMax = 20'000;
inline constexpr std::size_t kStreamsMax = 11'000;
/// Encoded frames kept for clients that fall behind.
inline constexpr std::size_t kFrameRingBytesMax = 16U << 20;
inline constexpr std::size_t kFrameRingCountMax = 32'768;
inline constexpr std::size_t kReplayPage = 256;  ///< events per step while a stream catches up
/// Sessions whose view the I/O thread keeps: about 400 B each.
inline constexpr std::size_t kViewCacheMax = 200'000;
/// Cached views that no client has read. Most sessions are never read individually.
inline constexpr std::size_t kViewsUnreadMax = 4'096;
/// Progress documents cached between two reads: about 600 B each. One dashboard polls fewer
/// sessions than this.
inline constexpr std::size_t kProgressTextsMax = 4096;

// Storage housekeeping.
/// The most events that a restart may have to replay.
inline constexpr std::uint64_t kSnapshotLagEventsMax = 50'000;
inline constexpr int kCheckpointPagesIdle = 256;  ///< WAL pages that cause a checkpoint when idle
/// WAL pages that force a checkpoint, even under load: 16 MB, which takes milliseconds.
inline constexpr int kCheckpointPagesForced = 2000;
inline constexpr std::size_t kRetentionRowsPerStep = 500;
/// Bytes of events that one step of retention reads: reading these takes about as long as deleting
/// kRetentionRowsPerStep rows.
inline constexpr std::size_t kRetentionBytesPerStep = 2U << 20;
/// Journal events of a session for each row of the table `mark`.
inline constexpr std::uint64_t kMarkEveryEvents = 128;
/// Interval of free-space checks. Reports write a few MB in this time.
inline constexpr std::chrono::milliseconds kSpaceLookEvery{100};
/// Interval of write attempts on a full disk.
inline constexpr std::chrono::milliseconds kSpaceProbeEvery{1000};
/// Pages copied between two batches: half a megabyte, about a millisecond of delay for reports.
inline constexpr int kBackupPagesPerStep = 64;

}  // namespace headway::core::limits
