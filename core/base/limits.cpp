// SPDX-License-Identifier: Apache-2.0
#include "core/base/limits.hpp"

// Dependencies between the bounds of the system: each failing assertion names the bounds that must
// change together.

namespace headway::core::limits {

// Bounds of requests.
static_assert(kIdBytesMax <= kStringBytesMax && kStringBytesMax <= kTextWholeBytesMax);
static_assert(kLabelBytesMax <= kStringBytesMax, "a label is a name");
static_assert(kControlBodyBytesMax <= kReportBodyBytesMax);
static_assert(kApprovalArgsBytesMax < kApprovalBodyBytesMax, "arguments come in a body");
static_assert(kApprovalBodyBytesMax <= kReportBodyBytesMax);
static_assert(kReportBodyBytesMax <= kCommandQueueBytesMax, "the largest report fits in the queue");
static_assert(kIdenticalMax <= kReportEventsMax, "both are one commit");
static_assert(kCheckIdBytesMax >= kIdBytesMax + 2 + 20 + 8, "<session>.c<n>.confirm");

// Bounds of one session.
static_assert(kApprovalTextBytesMax <= kStringBytesMax);
static_assert(kEvidenceMax <= kRecentCallsMax, "evidence is of calls that are remembered");
static_assert(kBlockersMax <= kListItemsMax && kEstimateBlockersMax <= kListItemsMax);
static_assert(kAppendBytesMax <= kTextWholeBytesMax, "what is compared was kept whole");
static_assert(kFeedbackErrorBytesMax <= kTextWholeBytesMax);
static_assert(kPartialResultBytesMax <= kTextWholeBytesMax, "it is shown whole");
static_assert(kFactBytesMax <= kStringBytesMax && kPhaseTextBytesMax <= kStringBytesMax);
static_assert(kCallsBesideQuestion < kRecentCallsMax, "a loop beside a question can be shown");
static_assert(kWorkBesideQuestionMsMax > 0);

// Reading.
static_assert(kReplayPage <= kJournalPageMax && kJournalPageMax <= kJournalScanMax);
static_assert(kPredictionSamplesMax <= kHistoryScanMax);
static_assert(kSearchBytesMax <= kSearchTextBytesMax, "what is looked for can be found");
static_assert(kExpectationSessionsMin * 20 >= 400, "one session has 5 % of the weight at most");
static_assert(2 * kExpectationSessionsMin <= kSketchSessionsMax, "a halved sketch still speaks");
static_assert(kUsualCallsShownMax <= kExpectedToolsMax);
static_assert(kUsualNameBytesMax <= kExpectedNameBytesMax);
static_assert(kExpectedNameBytesMax <= kStringBytesMax);

// Access.
static_assert(kAuthPauseBase <= kAuthPauseMax, "a pause is doubled up to the longest");
static_assert(kAuthPauseMax < kAuthForget, "a pause ends before its cause is forgotten");

// Judge.
static_assert(kJudgeGoalBytesMax + kJudgeNoteBytesMax < kJudgePromptBytesMax);
static_assert(kJudgeReadBytesMax <= kJudgeAnswerBytesMax, "what is read is part of the reply");
static_assert(kJudgeReasonBytesMax <= kJudgeReasoningBytesMax);
static_assert(kJudgeRoundsMax <= kJudgeEventsMax, "a round has an event at least");
static_assert(kJudgeBackoffBase <= kJudgeBackoffMax && kJudgeBackoffMax <= kJudgeRetryAfterMax);
static_assert(kJudgeOpenFor <= kJudgeOpenForMax);

// Webhooks.
static_assert(kWebhookSecretBytesMin <= kWebhookSecretBytesMax);
static_assert(kWebhookBodyBytesMax < 20'000, "as Standard Webhooks asks");
static_assert(kWebhookReplayIdsMax <= kWebhookDeadMax, "only dead letters are named");
static_assert(kWebhookPauseMax <= kWebhookRetryAfterMax);
static_assert(kWebhookRetryAfterMax < kWebhookRemovedFor);

// HTTP and queues.
static_assert(kWriteBufferBytesMax < kUnreadBytesMax, "one client alone does not use up all");
static_assert(kUnreadFairBytes < kWriteBufferBytesMax);
static_assert(kBatchMax <= kCommandQueueMax);

// Storage housekeeping.
static_assert(kCheckpointPagesIdle < kCheckpointPagesForced);
static_assert(kReportEventsMax < kSnapshotLagEventsMax, "a report alone asks for no snapshot");
static_assert(kMarkEveryEvents > 0 && kMarkEveryEvents <= kJournalPageMax);
static_assert(kReportBodyBytesMax <= kRetentionBytesPerStep, "each step can delete a row");
static_assert(kSpaceLookEvery < kSpaceProbeEvery);

}  // namespace headway::core::limits
