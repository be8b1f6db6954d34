// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every bound of the system with its reason, in one place. Review this file in every change that
// adds a queue or a buffer.

namespace headway::core::limits {

// Bounds of requests.
/// Session, event and call ids: a UUID with any prefix fits.
inline constexpr std::size_t kIdBytesMax = 128;
/// Names, paths, notes; longer things are core::Text.
inline constexpr std::size_t kStringBytesMax = 512;
inline constexpr std::size_t kTextWholeBytesMax = 4096;  ///< a text up to this is kept whole
inline constexpr std::size_t kTextHeadBytes = 2048;      ///< from the start of a longer text
inline constexpr std::size_t kTextTailBytes = 1024;      ///< from the end, where errors usually are
/// Failures, blockers, plan steps, mutated paths of one event.
inline constexpr std::size_t kListItemsMax = 256;
inline constexpr std::size_t kLabelsMax = 16;
inline constexpr std::size_t kLabelBytesMax = 128;
/// One commit of a thousand rows stays under 10 ms.
inline constexpr std::size_t kReportEventsMax = 1000;
inline constexpr std::size_t kReportBodyBytesMax = 1U << 20;
/// Body of an agent's hook: the result of an edit has the file twice.
inline constexpr std::size_t kHookBodyBytesMax = 16U << 20;
/// Longer bodies are parsed off the I/O thread, which a body of this size blocks for some
/// milliseconds.
inline constexpr std::size_t kBodyAtOnceBytesMax = 1U << 16;
/// Bodies queued for the parsing thread, with or without a descriptor of their agent's process.
/// Their bytes: four hook bodies of maximum size. Half of each bound is kept for hooks. Beyond
/// this, 503 `overloaded`.
inline constexpr std::size_t kLongBodiesMax = 32;
inline constexpr std::size_t kLongBodiesBytesMax = 4 * kHookBodyBytesMax;
/// Body of a ping: this much of its end is kept, as much as healthchecks.io keeps.
inline constexpr std::size_t kPingBytesKept = 100'000;
/// Body of an exporter: 512 records with the arguments and results of calls.
inline constexpr std::size_t kTelemetryBodyBytesMax = 16U << 20;
inline constexpr std::size_t kControlBodyBytesMax = 1U << 16;
inline constexpr std::size_t kJsonDepthMax = 64;  ///< for parsers that recurse
/// Values in one body: bounds the memory of many tiny values.
inline constexpr std::size_t kJsonNodesMax = 200'000;

/// Arguments under approval are kept and shown whole. A file to be written fits.
inline constexpr std::size_t kApprovalArgsBytesMax = 1U << 16;
/// The arguments with any escaping, plus the other fields.
inline constexpr std::size_t kApprovalBodyBytesMax = 1U << 18;
/// Per session. No person reads through more than this.
inline constexpr std::size_t kApprovalsPendingMax = 32;
/// Decided approvals that a session remembers, to be redeemed and watched. The index has all.
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
inline constexpr std::size_t kRedeemKeyBytesMax = 255;  ///< the limit of an Idempotency-Key
/// A request that needs longer sets no expiry.
inline constexpr std::chrono::hours kApprovalExpiryMax{24 * 366};
/// Requests that one decision may answer, in one commit.
inline constexpr std::size_t kIdenticalMax = 1000;

// Bounds of one session.
/// Open calls that are named. Further ones are only counted.
inline constexpr std::size_t kInFlightMax = 32;
/// Unacknowledged directives. The oldest are dropped.
inline constexpr std::size_t kDirectivesMax = 16;
inline constexpr std::size_t kEvidenceMax = 16;  ///< event numbers quoted for one verdict

inline constexpr std::size_t kLastActionBytesMax = 96;  ///< the last call on one line of a table

// Memory of the progress ledger and the detectors. A session with everything full takes about 80
// KB.
inline constexpr std::size_t kAnswersMax = 512;  ///< calls whose last result is known
inline constexpr std::size_t kFilesMax = 128;    ///< paths whose contents are tracked
/// Changed paths that are counted exactly: 16 KB.
inline constexpr std::size_t kPathsSeenMax = 4096;
inline constexpr std::size_t kTrailDigestsMax = 16;   ///< contents of one path, results of one test
inline constexpr std::size_t kVerificationsMax = 32;  ///< different tests and builds
inline constexpr std::size_t kRecentCallsMax = 64;    ///< calls in a row, for cycles and evidence
/// Finished calls remembered to recognise replays of a stream.
inline constexpr std::size_t kRecentCallIdsMax = 64;
inline constexpr std::size_t kRoundQuestionsMax = 32;  ///< different calls of one round
/// Calls of one round. The last one ends a round whose number does not change.
inline constexpr std::uint32_t kRoundCallsMax = 64;
inline constexpr std::uint32_t kRoundEchoesMax = 16;   ///< duplicate calls of one round
inline constexpr std::size_t kFailureStreaksMax = 32;  ///< pairs of tool and error
inline constexpr std::size_t kMessagesMax = 8;         ///< messages that a new one is compared with
inline constexpr std::size_t kAppendBytesMax = 1024;   ///< arguments that are compared for growth
inline constexpr std::size_t kFeedbackErrorBytesMax = 200;  ///< of an error message for the model
inline constexpr std::size_t kNudgesMax = 8;                ///< advised loops
inline constexpr std::size_t kPhasesMax = 16;               ///< completed phases with their figures
/// Names of background tasks that are kept; the others are counted.
inline constexpr std::size_t kBackgroundTasksMax = 8;
/// Bytes of a phase's name, description and each blocker, and of a background task's name.
inline constexpr std::size_t kPhaseTextBytesMax = 128;
inline constexpr std::size_t kBlockersMax = 4;  ///< per phase; the journal has all
/// Files shared by sessions of one run, all runs together: about 8 MB.
inline constexpr std::size_t kRunFilesMax = 16'384;
inline constexpr std::size_t kRunContentsMax = 8;  ///< contents remembered per file
/// Tools that need approval by configuration. Each call is compared with all of them.
inline constexpr std::size_t kRequiredToolsMax = 256;
inline constexpr std::size_t kToolPoliciesMax = 32;  ///< tools with settings of their own
/// Open children that a budget counts separately: 60 KB. Agents run fewer at once.
inline constexpr std::size_t kChildrenMax = 512;
/// Time before a report of work that still counts as work while a question to a person was open.
/// Longer than a round, and short compared to a night, in case the agent really waited.
inline constexpr std::int64_t kWorkBesideQuestionMsMax = 10 * 60 * 1000;
/// Calls that may finish during an open question to a person before a loop becomes `stuck`. One
/// round has fewer calls in flight.
inline constexpr std::uint32_t kCallsBesideQuestion = 12;
/// Last answer and last result of an ended session.
inline constexpr std::size_t kPartialResultBytesMax = 1024;
inline constexpr std::size_t kFamilyDepthMax = 32;  ///< levels through which usage rolls up
inline constexpr std::size_t kAgentTypesMax = 64;   ///< agent types with a budget of their own

// Reading.
inline constexpr std::size_t kJournalPageMax = 1000;
/// Events read for one page of a filtered journal: about 20 ms.
inline constexpr std::size_t kJournalScanMax = 20'000;
inline constexpr std::size_t kCommitTimesMax = 1024;  ///< newest commits in the percentiles
inline constexpr std::size_t kListPageMax = 200;
/// Searchable text of one session. 10,000 sessions stay in a page cache.
inline constexpr std::size_t kSearchTextBytesMax = 2048;
inline constexpr std::size_t kGoalLineBytesMax = 256;  ///< of a goal in lists
inline constexpr std::size_t kSearchBytesMax = 256;    ///< of a search term
/// Oldest sessions and approvals that need a person. No person reads through more than this.
inline constexpr std::size_t kNeedsShownMax = 100;
/// Events that `headway digest` reads: the newest, in slices of less than a millisecond.
inline constexpr std::uint64_t kDigestEventsMax = 1'000'000;
inline constexpr std::chrono::hours kDigestSpan{12};
inline constexpr std::chrono::hours kDigestSpanMax{31 * 24};
inline constexpr std::size_t kWaitSessionsMax = 100;
/// Ended sessions that one analytics reply reads: a few ms.
inline constexpr std::size_t kHistoryScanMax = 20'000;
/// Newest ended sessions that a prediction uses.
inline constexpr std::size_t kPredictionSamplesMax = 500;
inline constexpr std::chrono::minutes kWaitMax{10};

// Expectations: what sessions of an agent type usually use.
/// Sessions needed before an expectation is shown, so that none weighs more than 5 %.
inline constexpr std::size_t kExpectationSessionsMin = 20;
/// Sessions after which all weights are halved: the last few hundred decide.
inline constexpr std::size_t kSketchSessionsMax = 512;
/// Duration buckets of one session's calls of one tool: eight doublings, from 1 s to 4 min.
inline constexpr std::size_t kSamplesBucketsMax = 64;
/// Agent types. With kExpectedToolsMax tools each: 10 MB on disk at most, usually 500 KB.
inline constexpr std::size_t kExpectedAgentsMax = 64;
/// Tools of one agent type, and of one session: 25 KB of a session's memory at most, usually 1 KB.
inline constexpr std::size_t kExpectedToolsMax = 48;
/// Name of an agent type or tool with expectations. Longer ones are ignored.
inline constexpr std::size_t kExpectedNameBytesMax = 128;
/// An expectation from enough sessions is kept for at least this long before a new name replaces
/// it.
inline constexpr std::chrono::hours kExpectationKeptFor{24 * 30};
/// Tools in a prompt block. A model ignores a longer list.
inline constexpr std::size_t kUsualCallsShownMax = 8;
inline constexpr std::size_t kUsualNameBytesMax = 40;  ///< of each name in a prompt block

// Access.
/// Names that an operator adds. Each is compared with every name in a report.
inline constexpr std::size_t kSecretNamesMax = 64;
inline constexpr std::size_t kSecretNameBytesMin = 3;  ///< a name covers all names that end in it
/// The I/O thread knows every token. Beyond this, dead tokens are dropped, then creation fails.
inline constexpr std::size_t kTokensMax = 1000;
inline constexpr std::size_t kTokenScopesMax = 16;
inline constexpr std::size_t kTokenNameBytesMax = 128;
/// Minimum interval between two writes of a token's last use.
inline constexpr std::chrono::minutes kTokenUseEvery{1};

/// Unused login links of the dashboard. The oldest are dropped.
inline constexpr std::size_t kLoginCodesMax = 64;
inline constexpr std::chrono::minutes kLoginCodeFor{10};  ///< lifetime of a login link
inline constexpr std::size_t kLoginBytesMax = 256;        ///< of the login that a page sends
/// Browsers logged in at once; the oldest is logged out.
inline constexpr std::size_t kLoginsMax = 64;
/// With a key shared by daemons: logins ended and codes used here, until they expire. 100 bytes
/// each.
inline constexpr std::size_t kEndedLoginsMax = 4096;

// Failed authentications by client address.
/// Addresses remembered: 200 KB. Beyond this, the address with the oldest failure is dropped.
inline constexpr std::size_t kAuthAddressesMax = 4096;
/// Failures in a row before an address is rate-limited: room for some agents with an old token.
inline constexpr std::uint32_t kAuthFailuresFree = 20;
inline constexpr std::chrono::seconds kAuthPauseBase{1};  ///< the first pause; doubled each time
/// A repaired client recovers within a minute.
inline constexpr std::chrono::seconds kAuthPauseMax{60};
/// After this long without a failure, an address is forgotten.
inline constexpr std::chrono::minutes kAuthForget{10};

// Judge.
/// Session id plus the suffix of an automatic check.
inline constexpr std::size_t kCheckIdBytesMax = 192;
inline constexpr std::size_t kChecksPendingMax = 8;  ///< of one session at once
inline constexpr std::size_t kFactsKeptMax = 64;     ///< facts repeated to a judge
inline constexpr std::size_t kFactBytesMax = 160;    ///< of each fact
/// All facts together, the newest first: a quarter of a prompt.
inline constexpr std::size_t kFactsBytesMax = 4096;
/// Newest estimates of one session, kept until its end scores them: about 4 KB on disk.
inline constexpr std::size_t kEstimatesKeptMax = 64;
inline constexpr std::size_t kEstimateReasonBytesMax = 512;  ///< of the estimate shown
inline constexpr std::size_t kEstimateWordsBytesMax = 160;   ///< of its milestone and each blocker
inline constexpr std::size_t kEstimateBlockersMax = 8;  ///< blockers shown; a row is 2.5 KB at most
/// Models scored separately. An endpoint may report any model name.
inline constexpr std::size_t kEstimateModelsMax = 64;
inline constexpr std::size_t kJudgeEndpointsMax = 8;
/// Questions queued or in flight: about 64 MB of prompts. Beyond this, no question is sent.
inline constexpr std::size_t kJudgeQueueMax = 4096;
inline constexpr std::size_t kJudgePromptBytesMax = 16'384;
/// Newest events in a prompt: 20 rounds and the events between them.
inline constexpr std::size_t kJudgeEventsMax = 200;
inline constexpr std::size_t kJudgeRoundsMax = 20;        ///< rounds of calls in a prompt
inline constexpr std::size_t kJudgeOutputEndBytes = 200;  ///< of an output's start, and its end
inline constexpr std::size_t kJudgeArgsBytesMax = 400;    ///< of all changed arguments
inline constexpr std::size_t kJudgeValueBytesMax = 160;   ///< of each changed argument
inline constexpr std::size_t kJudgeNoteBytesMax = 300;    ///< of a message, a reflection, an error
inline constexpr std::size_t kJudgeNameBytesMax = 96;     ///< of a tool, a target, a path
inline constexpr std::size_t kJudgeGoalBytesMax = 1000;   ///< of the session's goal
inline constexpr std::size_t kJudgeFilesMax = 20;         ///< changed files, per call and in all
/// Bytes read from an answer's end: 500 tokens after some thinking.
inline constexpr std::size_t kJudgeReadBytesMax = 16'384;
/// Braces at which an answer may start. Each costs a scan to the end of the text.
inline constexpr std::size_t kJudgeObjectsMax = 64;
inline constexpr std::size_t kJudgeReasonBytesMax = 512;      ///< a sentence: 100 tokens
inline constexpr std::size_t kJudgeReasoningBytesMax = 2048;  ///< of an estimate: 500 tokens
inline constexpr std::size_t kJudgeBlockersMax = 8;
inline constexpr std::size_t kJudgeHeadersMax = 16;  ///< sent with each request to an endpoint
/// Bytes of a reply on the wire. A reply of 500 tokens has about 100 KB of chunks.
inline constexpr std::size_t kJudgeAnswerBytesMax = 256U << 10;
/// First sentence of an endpoint's own error message.
inline constexpr std::size_t kJudgeErrorBytesMax = 200;
inline constexpr std::size_t kJudgeModelBytesMax = 128;  ///< of an endpoint's model name
/// Tokens of one answer. A higher number from an endpoint is cut to this.
inline constexpr std::uint64_t kJudgeTokensMax = 10'000'000;
inline constexpr std::size_t kJudgeKeyFileBytesMax = 4096;  ///< signed cloud tokens are long
/// Maximum delay before the first retry, doubled with each try; the actual delay is random.
inline constexpr std::chrono::milliseconds kJudgeBackoffBase{500};
inline constexpr std::chrono::milliseconds kJudgeBackoffMax{30'000};
/// Upper bound for an endpoint's Retry-After.
inline constexpr std::chrono::milliseconds kJudgeRetryAfterMax{600'000};
/// Failed tries in a row that open the circuit: one question makes fewer by default.
inline constexpr std::uint32_t kJudgeFailuresToOpen = 5;
/// About the time that a model server takes to start. Doubled with each failed probe.
inline constexpr std::chrono::milliseconds kJudgeOpenFor{30'000};
/// A recovered endpoint is used again within five minutes.
inline constexpr std::chrono::milliseconds kJudgeOpenForMax{300'000};
/// Wait after `[DONE]` for the end of the reply, so that the connection can be reused.
inline constexpr std::chrono::milliseconds kJudgeLinger{1000};

// Webhooks.
inline constexpr std::size_t kWebhookEndpointsMax = 8;  ///< each adds a row per subscribed event
/// Bytes of one message: Standard Webhooks recommends less than 20 kB.
inline constexpr std::size_t kWebhookBodyBytesMax = 16'384;
/// Messages pending for one endpoint: 64 MB at most, usually 4 MB. Beyond this, the oldest become
/// dead letters.
inline constexpr std::size_t kWebhookPendingMax = 4096;
/// Dead letters of one endpoint. The oldest are dropped.
inline constexpr std::size_t kWebhookDeadMax = 1000;
inline constexpr std::size_t kWebhookTriesMax = 20;        ///< of one message
inline constexpr std::size_t kWebhookSecretsMax = 4;       ///< of one endpoint, for rotation
inline constexpr std::size_t kWebhookSecretBytesMin = 24;  ///< decoded, as Standard Webhooks asks
inline constexpr std::size_t kWebhookSecretBytesMax = 64;
inline constexpr std::size_t kWebhookSecretFileBytesMax = 4096;
/// Reply of a receiver, which is discarded. Enough to end most replies properly.
inline constexpr std::size_t kWebhookReplyBytesMax = 64U << 10;
inline constexpr std::size_t kWebhookReasonBytesMax = 200;  ///< of a failed try's reason
inline constexpr std::size_t kWebhookReplayIdsMax = 100;    ///< dead letters named in one request
inline constexpr std::size_t kWebhookPageMax = 100;         ///< deliveries of one page
inline constexpr std::size_t kWebhookRecipientsMax = 16;    ///< of an e-mail
inline constexpr std::size_t kWebhookArgvMax = 16;          ///< words of a command
inline constexpr std::size_t kWebhookMessagesMax = 1000;    ///< upper bound of messages_max
/// Outbox messages merged into one message to people, and their bytes: all are read at once.
/// Further events are in the next message.
inline constexpr std::size_t kWebhookGroupMax = 512;
inline constexpr std::size_t kWebhookGroupBytesMax = 2U << 20;
/// Output of a command that is kept as the reason for its failure.
inline constexpr std::size_t kWebhookOutputBytesMax = 1024;
/// A recovered receiver is used again within five minutes.
inline constexpr std::chrono::milliseconds kWebhookPauseMax{300'000};
/// Upper bound for a receiver's Retry-After.
inline constexpr std::chrono::milliseconds kWebhookRetryAfterMax{86'400'000};
/// How long messages to a removed endpoint are kept.
inline constexpr std::chrono::hours kWebhookRemovedFor{24 * 7};
/// Work that waits for the sending thread: every open question to a judge and its cancellation, a
/// message and a test of each webhook.
inline constexpr std::size_t kOutboundQueueMax = 2 * kJudgeQueueMax + 2 * kWebhookEndpointsMax;

// HTTP.
inline constexpr std::size_t kHeaderBytesMax = 8192;
inline constexpr std::size_t kHeaderFieldsMax = 100;
/// Per connection. 10,000 idle connections fit in 100 MB.
inline constexpr std::size_t kReadBufferBytes = 4096;
/// Connections to the operator's socket, beyond server.connections_max, which agents may exhaust.
inline constexpr std::uint32_t kOperatorConnections = 16;
/// Descriptors reserved for the database, the log, outbound calls and the operator. Other
/// connections never get these.
inline constexpr std::uint64_t kDescriptorsReserved = 48 + kOperatorConnections;
/// Process descriptors that clients of the report socket have sent and no endpoint has taken yet:
/// at most one for each request in flight.
inline constexpr std::uint64_t kPassedDescriptorsMax = 64;
/// Processes of agents that are followed, each with a descriptor.
inline constexpr std::uint64_t kAgentProcessesMax = 256;
/// Sessions that end with one process: the server process of an agent may have hundreds.
inline constexpr std::size_t kSessionsOfProcessMax = 1'024;
inline constexpr std::size_t kSocketPathBytesMax = 107;  ///< kernel limit (sun_path)
/// Requests of one connection in flight. Beyond this, the connection is not read.
inline constexpr std::size_t kPipelinedMax = 64;
/// Unread replies of one client. Beyond this, its connection is not read.
inline constexpr std::size_t kWriteBufferBytesMax = 4U << 20;
/// Unread replies and unfinished bodies of all clients. Beyond this, some connections are closed.
inline constexpr std::size_t kUnreadBytesMax = 256U << 20;
/// A client with fewer unread bytes is not closed then: at most 256 clients have more.
inline constexpr std::size_t kUnreadFairBytes = 1U << 20;

// Queues between threads.
/// A few seconds of work. Beyond this, 503 `overloaded`.
inline constexpr std::size_t kCommandQueueMax = 16'384;
/// The same queue in bytes, for large reports.
inline constexpr std::size_t kCommandQueueBytesMax = 64U << 20;
/// Bytes of replies to readers in one slice of reading.
inline constexpr std::size_t kPublicationBytesMax = 16U << 20;
/// Commands in one commit. Bounds the latency of the first command.
inline constexpr std::size_t kBatchMax = 2048;

// Streams and waiters.
inline constexpr std::size_t kWaitersMax = 20'000;
inline constexpr std::size_t kStreamsMax = 11'000;
/// Encoded frames kept for clients that lag.
inline constexpr std::size_t kFrameRingBytesMax = 16U << 20;
inline constexpr std::size_t kFrameRingCountMax = 32'768;
inline constexpr std::size_t kReplayPage = 256;  ///< events per step while a stream catches up
/// Sessions whose view the I/O thread keeps: about 400 B each.
inline constexpr std::size_t kViewCacheMax = 200'000;
/// Cached views that no client has read. Most sessions are never read one by one.
inline constexpr std::size_t kViewsUnreadMax = 4'096;
/// Progress documents that are cached between two reads: about 600 B each. One dashboard polls
/// fewer sessions than this.
inline constexpr std::size_t kProgressTextsMax = 4096;

// Storage housekeeping.
/// Events that a restart may have to replay.
inline constexpr std::uint64_t kSnapshotLagEventsMax = 50'000;
inline constexpr int kCheckpointPagesIdle = 256;  ///< WAL pages worth a checkpoint in an idle gap
/// WAL pages that force a checkpoint: 16 MB. Under load it takes milliseconds.
inline constexpr int kCheckpointPagesForced = 2000;
inline constexpr std::size_t kRetentionRowsPerStep = 500;
/// Bytes of events to be read before deletion: takes about as long as deleting the rows above.
inline constexpr std::size_t kRetentionBytesPerStep = 2U << 20;
/// Journal events of a session for each row of the table `mark`.
inline constexpr std::uint64_t kMarkEveryEvents = 128;
/// Interval of free-space checks. Reports write a few MB in that time.
inline constexpr std::chrono::milliseconds kSpaceLookEvery{100};
/// Interval of write attempts on a full disk.
inline constexpr std::chrono::milliseconds kSpaceProbeEvery{1000};
/// Pages copied between two batches: half a megabyte, about a millisecond of delay for reports.
inline constexpr int kBackupPagesPerStep = 64;

}  // namespace headway::core::limits
