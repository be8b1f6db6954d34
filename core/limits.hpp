// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every bound of the system with its reason, in one place. Reviewed in every change that adds a
// queue or a buffer.

namespace headway::core::limits {

// What a client may send.
/// Session, event and call ids: a UUID with any prefix fits.
inline constexpr std::size_t kIdBytesMax = 128;
/// Names, paths, notes; longer things are texts.
inline constexpr std::size_t kStringBytesMax = 512;
inline constexpr std::size_t kTextWholeBytesMax = 4096;  ///< a text up to this is kept whole
inline constexpr std::size_t kTextHeadBytes = 2048;      ///< of a longer one: how much of its start
inline constexpr std::size_t kTextTailBytes = 1024;  ///< and of its end, where errors usually stand
/// Failures, blockers, plan steps, mutated paths of one event.
inline constexpr std::size_t kListItemsMax = 256;
inline constexpr std::size_t kLabelsMax = 16;
inline constexpr std::size_t kLabelBytesMax = 128;
/// One commit of a thousand rows stays under 10 ms.
inline constexpr std::size_t kReportEventsMax = 1000;
inline constexpr std::size_t kReportBodyBytesMax = 1U << 20;
inline constexpr std::size_t kControlBodyBytesMax = 1U << 16;
inline constexpr std::size_t kJsonDepthMax = 64;  ///< a parser that recurses must not meet a bomb
/// Values in one body: bounds memory per byte of input.
inline constexpr std::size_t kJsonNodesMax = 200'000;

/// Arguments under approval are kept and shown whole: a file to write fits.
inline constexpr std::size_t kApprovalArgsBytesMax = 1U << 16;
/// Those arguments however they are escaped, and what goes with them.
inline constexpr std::size_t kApprovalBodyBytesMax = 1U << 18;
/// Of one session: more than that nobody reads one by one.
inline constexpr std::size_t kApprovalsPendingMax = 32;
/// Decided ones that a session remembers, to be redeemed and watched; the index has all.
inline constexpr std::size_t kApprovalsKeptMax = 32;
inline constexpr std::size_t kGrantsMax = 32;  ///< approvals of one session that reach further
/// Different alarms of one session that nobody has acknowledged; the others are counted.
inline constexpr std::size_t kAlarmsMax = 16;
/// Of summary and reason as a session remembers them; the journal has them whole.
inline constexpr std::size_t kApprovalTextBytesMax = 256;
inline constexpr std::size_t kApproverBytesMax = 128;   ///< name of whoever decides
inline constexpr std::size_t kRedeemKeyBytesMax = 255;  ///< as an Idempotency-Key
/// A request that waits longer has no expiry.
inline constexpr std::chrono::hours kApprovalExpiryMax{24 * 366};
/// Requests that one decision may answer: one commit.
inline constexpr std::size_t kIdenticalMax = 1000;

// What one session keeps.
/// Calls open at once that are named; more are only counted.
inline constexpr std::size_t kInFlightMax = 32;
/// Unacknowledged directives; the oldest give way.
inline constexpr std::size_t kDirectivesMax = 16;
inline constexpr std::size_t kEvidenceMax = 16;  ///< event numbers quoted for one verdict

inline constexpr std::size_t kLastActionBytesMax = 96;  ///< of the last call: a line of a table

// What the ledger of progress and the detectors remember: with everything full a session takes
// about 80 KB.
inline constexpr std::size_t kAnswersMax = 512;  ///< questions whose last answer is known
inline constexpr std::size_t kFilesMax = 128;    ///< paths whose contents are followed
/// Changed paths that are told apart when they are counted: 16 KB.
inline constexpr std::size_t kPathsSeenMax = 4096;
inline constexpr std::size_t kTrailDigestsMax = 16;  ///< contents of one path, outcomes of one test
inline constexpr std::size_t kVerificationsMax = 32;  ///< different tests and builds
inline constexpr std::size_t kRecentCallsMax = 64;    ///< calls in a row, for cycles and evidence
/// Finished calls, against replays of a stream.
inline constexpr std::size_t kRecentCallIdsMax = 64;
inline constexpr std::size_t kRoundQuestionsMax = 32;  ///< different calls of one model turn
/// Calls of one model turn: a client whose number of the turn stands still counts turns.
inline constexpr std::uint32_t kRoundCallsMax = 64;
inline constexpr std::uint32_t kRoundEchoesMax = 16;   ///< equal calls of one turn that count once
inline constexpr std::size_t kFailureStreaksMax = 32;  ///< tools with one error, counted apart
inline constexpr std::size_t kMessagesMax = 8;         ///< messages that a new one is compared with
inline constexpr std::size_t kAppendBytesMax = 1024;   ///< of an argument that grows
inline constexpr std::size_t kFeedbackErrorBytesMax = 200;  ///< of an error, for the model
inline constexpr std::size_t kNudgesMax = 8;                ///< loops that were pointed out
inline constexpr std::size_t kPhasesMax = 16;               ///< completed phases with their figures
/// Of a phase's name, description and each blocker.
inline constexpr std::size_t kPhaseTextBytesMax = 128;
inline constexpr std::size_t kBlockersMax = 4;  ///< of a phase; the journal has them all
/// Files that the sessions of runs share, over all runs: about 8 MB.
inline constexpr std::size_t kRunFilesMax = 16'384;
inline constexpr std::size_t kRunContentsMax = 8;  ///< contents remembered of each
/// Tools whose calls the daemon wants allowed: looked through for every call.
inline constexpr std::size_t kRequiredToolsMax = 256;
inline constexpr std::size_t kToolPoliciesMax = 32;  ///< tools with settings of their own
/// Open children whose use rolls up: 5 KB; more at once are shown, not counted.
inline constexpr std::size_t kChildrenMax = 128;
/// Of the time before a report of work that came while a person was asked: so much at most was
/// work. Longer than a model turn, and short beside a night, should the agent really have waited.
inline constexpr std::int64_t kWorkBesideQuestionMsMax = 10 * 60 * 1000;
/// Calls that may finish while a person is asked before a loop is told all the same: more than one
/// model turn has under way at once.
inline constexpr std::uint32_t kCallsBesideQuestion = 12;
/// Of the last answer and the last result each, for a session that is ended.
inline constexpr std::size_t kPartialResultBytesMax = 1024;
inline constexpr std::size_t kFamilyDepthMax = 32;  ///< generations that use rolls up through
inline constexpr std::size_t kAgentTypesMax = 64;   ///< agent types with a budget of their own

// Reading.
inline constexpr std::size_t kJournalPageMax = 1000;
/// Events looked at for one page of a filtered journal: some 20 ms.
inline constexpr std::size_t kJournalScanMax = 20'000;
inline constexpr std::size_t kCommitTimesMax = 1024;  ///< newest commits that percentiles are of
inline constexpr std::size_t kListPageMax = 200;
/// Of a session that a search looks through: 10,000 sessions stay in a page cache.
inline constexpr std::size_t kSearchTextBytesMax = 2048;
inline constexpr std::size_t kGoalLineBytesMax = 256;  ///< of a goal in lists of many
inline constexpr std::size_t kSearchBytesMax = 256;    ///< of what is looked for
/// Sessions and approvals that want somebody, the oldest: more nobody reads one by one.
inline constexpr std::size_t kNeedsShownMax = 100;
inline constexpr std::size_t kWaitSessionsMax = 100;
/// Ended sessions that one reply of the analytics rests on: a few ms.
inline constexpr std::size_t kHistoryScanMax = 20'000;
/// Ended sessions that a prediction rests on, the newest.
inline constexpr std::size_t kPredictionSamplesMax = 500;
inline constexpr std::chrono::minutes kWaitMax{10};

// Access.
/// That an operator adds: each is compared with every name that is met.
inline constexpr std::size_t kSecretNamesMax = 64;
inline constexpr std::size_t kSecretNameBytesMin = 3;  ///< a name covers all that end in it
/// Each is known to the I/O thread; above it dead ones give way, then none is made.
inline constexpr std::size_t kTokensMax = 1000;
inline constexpr std::size_t kTokenScopesMax = 16;
inline constexpr std::size_t kTokenNameBytesMax = 128;
/// How often at most the uses of tokens are written.
inline constexpr std::chrono::minutes kTokenUseEvery{1};

/// Links to the dashboard that were made and not used; the oldest give way.
inline constexpr std::size_t kLoginCodesMax = 64;
inline constexpr std::chrono::minutes kLoginCodeFor{10};  ///< how long such a link is good
inline constexpr std::size_t kLoginBytesMax = 256;        ///< of what a page shows of its login
inline constexpr std::size_t kLoginsMax = 64;  ///< browsers logged in at once; the oldest gives way

// Tokens that do not count, by the address that shows them.
/// That are remembered, 200 KB; above it the one that failed longest ago gives way.
inline constexpr std::size_t kAuthAddressesMax = 4096;
/// In a row before an address is told to pause: some agents that keep an old token.
inline constexpr std::uint32_t kAuthFailuresFree = 20;
inline constexpr std::chrono::seconds kAuthPauseBase{1};  ///< the first pause; doubled each time
/// A broken client is mended within a minute of its new token.
inline constexpr std::chrono::seconds kAuthPauseMax{60};
inline constexpr std::chrono::minutes kAuthForget{10};  ///< without a failure: all is forgotten

// Judge.
/// A session's id and what Headway appends to name a check of its own.
inline constexpr std::size_t kCheckIdBytesMax = 192;
inline constexpr std::size_t kChecksPendingMax = 8;  ///< of one session at once
inline constexpr std::size_t kFactsKeptMax = 8;      ///< facts that a judge is reminded of
inline constexpr std::size_t kFactBytesMax = 160;    ///< of each
/// Of one session until its end scores them, the newest: about 4 KB on disk.
inline constexpr std::size_t kEstimatesKeptMax = 64;
inline constexpr std::size_t kEstimateReasonBytesMax = 512;  ///< of the one that is shown
inline constexpr std::size_t kEstimateWordsBytesMax = 160;   ///< its milestone, each blocker
inline constexpr std::size_t kEstimateBlockersMax = 8;  ///< that are shown; a row is 2.5 KB at most
/// Names of models that are scored apart; an endpoint may call its model anything.
inline constexpr std::size_t kEstimateModelsMax = 64;
inline constexpr std::size_t kJudgeEndpointsMax = 8;
/// Questions waiting or under way: about 64 MB of prompts; above it they are not asked.
inline constexpr std::size_t kJudgeQueueMax = 4096;
inline constexpr std::size_t kJudgePromptBytesMax = 16'384;
/// Newest events that a prompt is made of: 20 rounds and what lies between them.
inline constexpr std::size_t kJudgeEventsMax = 200;
inline constexpr std::size_t kJudgeRoundsMax = 20;        ///< of calls that are shown
inline constexpr std::size_t kJudgeOutputEndBytes = 200;  ///< of an output, its start and its end
inline constexpr std::size_t kJudgeArgsBytesMax = 400;    ///< of what is new in the arguments
inline constexpr std::size_t kJudgeValueBytesMax = 160;   ///< of each such argument
inline constexpr std::size_t kJudgeNoteBytesMax = 300;    ///< of a message, a reflection, an error
inline constexpr std::size_t kJudgeNameBytesMax = 96;     ///< of a tool, a target, a path
inline constexpr std::size_t kJudgeGoalBytesMax = 1000;   ///< of what the agent was asked to do
inline constexpr std::size_t kJudgeFilesMax = 20;         ///< changed files, of a call and in all
/// Of the text of an answer, the end: 500 tokens and some thinking before them.
inline constexpr std::size_t kJudgeReadBytesMax = 16'384;
/// Braces at which an answer is looked for: each costs a walk to the end of the text.
inline constexpr std::size_t kJudgeObjectsMax = 64;
inline constexpr std::size_t kJudgeReasonBytesMax = 512;      ///< a sentence: 100 tokens
inline constexpr std::size_t kJudgeReasoningBytesMax = 2048;  ///< of an estimate: 500 tokens
inline constexpr std::size_t kJudgeBlockersMax = 8;
inline constexpr std::size_t kJudgeHeadersMax = 16;  ///< sent with each request to an endpoint
/// Of a reply on the wire; one of 500 tokens has about 100 KB of chunks.
inline constexpr std::size_t kJudgeAnswerBytesMax = 256U << 10;
/// Of an endpoint's own words about a failure: its first sentence.
inline constexpr std::size_t kJudgeErrorBytesMax = 200;
inline constexpr std::size_t kJudgeModelBytesMax = 128;  ///< of the name it gives its model
/// Of one answer: an endpoint that claims more is not believed.
inline constexpr std::uint64_t kJudgeTokensMax = 10'000'000;
inline constexpr std::size_t kJudgeKeyFileBytesMax = 4096;  ///< signed tokens of clouds are long
/// A stumble is over by then; doubled with each try, and random below that.
inline constexpr std::chrono::milliseconds kJudgeBackoffBase{500};
inline constexpr std::chrono::milliseconds kJudgeBackoffMax{30'000};
/// An endpoint that asks for a longer pause is asked after this one.
inline constexpr std::chrono::milliseconds kJudgeRetryAfterMax{600'000};
/// Tries in a row: more than one question has by default, so that none opens it alone.
inline constexpr std::uint32_t kJudgeFailuresToOpen = 5;
/// About what a model server needs to start; doubled with each failed probe.
inline constexpr std::chrono::milliseconds kJudgeOpenFor{30'000};
/// One that is back is noticed within five minutes.
inline constexpr std::chrono::milliseconds kJudgeOpenForMax{300'000};
/// After `[DONE]` for the end of the reply, so that the connection can be used again.
inline constexpr std::chrono::milliseconds kJudgeLinger{1000};

// Webhooks.
inline constexpr std::size_t kWebhookEndpointsMax = 8;  ///< each costs a row for an event it wants
/// Of one message: Standard Webhooks asks for less than 20 kB.
inline constexpr std::size_t kWebhookBodyBytesMax = 16'384;
/// Messages that wait for one endpoint: 64 MB at most, usually 4; above it the oldest become dead
/// letters.
inline constexpr std::size_t kWebhookPendingMax = 4096;
/// Dead letters of one endpoint: more nobody looks through; the oldest go.
inline constexpr std::size_t kWebhookDeadMax = 1000;
inline constexpr std::size_t kWebhookTriesMax = 20;        ///< of one message
inline constexpr std::size_t kWebhookSecretsMax = 4;       ///< of one endpoint, to replace one
inline constexpr std::size_t kWebhookSecretBytesMin = 24;  ///< decoded, as Standard Webhooks asks
inline constexpr std::size_t kWebhookSecretBytesMax = 64;
inline constexpr std::size_t kWebhookSecretFileBytesMax = 4096;
/// Of a receiver's reply, which is dropped: enough to end most of them properly.
inline constexpr std::size_t kWebhookReplyBytesMax = 64U << 10;
inline constexpr std::size_t kWebhookReasonBytesMax = 200;  ///< of why a try failed
inline constexpr std::size_t kWebhookReplayIdsMax = 100;    ///< dead letters named in one request
inline constexpr std::size_t kWebhookPageMax = 100;         ///< deliveries of one page
/// A receiver that is back is noticed within five minutes.
inline constexpr std::chrono::milliseconds kWebhookPauseMax{300'000};
/// A receiver that asks for a longer pause is tried after this one.
inline constexpr std::chrono::milliseconds kWebhookRetryAfterMax{86'400'000};
/// How long messages to an endpoint that left the configuration are kept.
inline constexpr std::chrono::hours kWebhookRemovedFor{24 * 7};

// HTTP.
inline constexpr std::size_t kHeaderBytesMax = 8192;
inline constexpr std::size_t kHeaderFieldsMax = 100;
/// Per connection, so that 10,000 idle ones fit in 100 MB.
inline constexpr std::size_t kReadBufferBytes = 4096;
/// Never given to connections: the database, the log, calls to others, a few to spare.
inline constexpr std::uint64_t kDescriptorsReserved = 48;
inline constexpr std::size_t kSocketPathBytesMax = 107;  ///< what the kernel takes (sun_path)
/// Requests of one connection in flight; then it is not read.
inline constexpr std::size_t kPipelinedMax = 64;
/// Replies a client has not read yet; then it is not read.
inline constexpr std::size_t kWriteBufferBytesMax = 4U << 20;
/// Of all clients together, and bodies that they do not finish; then some are cut.
inline constexpr std::size_t kUnreadBytesMax = 256U << 20;
/// A client with less than this is not cut for it: 256 others have done it.
inline constexpr std::size_t kUnreadFairBytes = 1U << 20;

// Queues between threads.
/// A few seconds of work; above it 503 `overloaded`
inline constexpr std::size_t kCommandQueueMax = 16'384;
/// The same in bytes, for large reports.
inline constexpr std::size_t kCommandQueueBytesMax = 64U << 20;
/// Of answers to readers that are handed to the I/O thread at once.
inline constexpr std::size_t kPublicationBytesMax = 16U << 20;
/// Commands in one commit: bounds the latency of the first.
inline constexpr std::size_t kBatchMax = 2048;

// Streams and waiters.
inline constexpr std::size_t kWaitersMax = 20'000;
inline constexpr std::size_t kStreamsMax = 11'000;
/// Encoded frames kept for clients that lag.
inline constexpr std::size_t kFrameRingBytesMax = 16U << 20;
inline constexpr std::size_t kFrameRingCountMax = 32'768;
inline constexpr std::size_t kReplayPage = 256;  ///< events per step while a stream catches up
/// Sessions whose view the I/O thread keeps, about 400 B each.
inline constexpr std::size_t kViewCacheMax = 200'000;

// Storage housekeeping.
/// Events a restart may have to read again.
inline constexpr std::uint64_t kSnapshotLagEventsMax = 50'000;
inline constexpr int kCheckpointPagesIdle = 256;  ///< WAL pages worth a checkpoint in an idle gap
/// 16 MB: a checkpoint under load stays within milliseconds.
inline constexpr int kCheckpointPagesForced = 2000;
inline constexpr std::size_t kRetentionRowsPerStep = 500;
/// Of events, which are read before they go: about as long as the rows above.
inline constexpr std::size_t kRetentionBytesPerStep = 2U << 20;
/// Journal events of a session between two marks.
inline constexpr std::uint64_t kMarkEveryEvents = 128;
/// Between looks at the room on the disk: reports bring a few MB in that time.
inline constexpr std::chrono::milliseconds kSpaceLookEvery{100};
/// Between tries to write to a disk that was full.
inline constexpr std::chrono::milliseconds kSpaceProbeEvery{1000};
/// Copied between two turns: half a megabyte, about a millisecond that reports wait.
inline constexpr int kBackupPagesPerStep = 64;

}  // namespace headway::core::limits
