// SPDX-License-Identifier: Apache-2.0
#include "api/decode/problem.hpp"

#include "api/json/json_writer.hpp"

namespace headway::api {
namespace {

/// The text may contain parts of a client's request; bytes that are not ASCII could break the JSON.
std::string printable(std::string_view text) {
    std::string shown{text};
    for (char& c : shown) {
        if (static_cast<unsigned char>(c) >= 0x7f) c = '?';
    }
    return shown;
}

using core::ErrorCode;

struct Row {
    ErrorCode code;
    ProblemKind kind;
};

// One for each code but those that are our own fault, which are `internal`. API.md lists the same.
constexpr Row kRows[] = {
    {ErrorCode::kBadRequest, {400, "bad_request", "Bad request"}},
    {ErrorCode::kInvalidJson, {400, "invalid_json", "Invalid JSON"}},
    {ErrorCode::kInvalidField, {400, "invalid_field", "Invalid field"}},
    {ErrorCode::kUnknownField, {400, "unknown_field", "Unknown field"}},
    {ErrorCode::kMissingField, {400, "missing_field", "Missing field"}},
    {ErrorCode::kInvalidParameter, {400, "invalid_parameter", "Invalid parameter"}},
    {ErrorCode::kInvalidId, {400, "invalid_id", "Invalid id"}},
    {ErrorCode::kTooManyEvents, {400, "too_many_events", "Too many events"}},
    {ErrorCode::kEmptyReport, {400, "empty_report", "Empty report"}},
    {ErrorCode::kUnauthorized, {401, "unauthorized", "Unauthorized"}},
    {ErrorCode::kForbidden, {403, "forbidden", "Forbidden"}},
    {ErrorCode::kForbiddenOrigin, {403, "forbidden_origin", "Forbidden origin"}},
    {ErrorCode::kUnknownSession, {404, "unknown_session", "Unknown session"}},
    {ErrorCode::kUnknownToken, {404, "unknown_token", "Unknown token"}},
    {ErrorCode::kUnknownRoute, {404, "unknown_route", "Unknown route"}},
    {ErrorCode::kUnknownApproval, {404, "unknown_approval", "Unknown approval"}},
    {ErrorCode::kAlreadyDecided, {409, "already_decided", "Already decided"}},
    {ErrorCode::kNotApproved, {409, "not_approved", "Not approved"}},
    {ErrorCode::kDigestMismatch, {409, "digest_mismatch", "Not the approved arguments"}},
    {ErrorCode::kAlreadyRedeemed, {409, "already_redeemed", "Already redeemed"}},
    {ErrorCode::kApprovalUnclear, {409, "approval_unclear", "Which approval is not clear"}},
    {ErrorCode::kTooManyApprovals, {409, "too_many_approvals", "Too many approvals"}},
    {ErrorCode::kNoGrant, {409, "no_grant", "No grant to revoke"}},
    {ErrorCode::kNoJudge, {409, "no_judge", "No judge is configured"}},
    {ErrorCode::kUnknownCheck, {404, "unknown_check", "Unknown check"}},
    {ErrorCode::kTooManyChecks, {429, "too_many_checks", "Too many checks"}},
    {ErrorCode::kTooManyFailures, {429, "too_many_failures", "Too many failed authentications"}},
    {ErrorCode::kMethodNotAllowed, {405, "method_not_allowed", "Method not allowed"}},
    {ErrorCode::kRequestTimeout, {408, "request_timeout", "Request timeout", true}},
    {ErrorCode::kTooManyTokens, {409, "too_many_tokens", "Too many tokens"}},
    {ErrorCode::kStaleAttempt, {409, "stale_attempt", "Stale attempt"}},
    {ErrorCode::kSessionEnded, {409, "session_ended", "Session ended"}},
    {ErrorCode::kSessionOpen, {409, "session_open", "Session open"}},
    {ErrorCode::kSessionExists, {409, "session_exists", "Session exists"}},
    {ErrorCode::kLengthRequired, {411, "length_required", "Length required"}},
    {ErrorCode::kBodyTooLarge, {413, "body_too_large", "Body too large"}},
    {ErrorCode::kUnsupportedMediaType, {415, "unsupported_media_type", "Unsupported media type"}},
    {ErrorCode::kUnknownHost, {421, "unknown_host", "Unknown host"}},
    {ErrorCode::kIdempotencyMismatch, {422, "idempotency_mismatch", "Idempotency key reused"}},
    {ErrorCode::kHeaderTooLarge, {431, "header_too_large", "Header too large"}},
    {ErrorCode::kOverloaded, {503, "overloaded", "Overloaded", true}},
    {ErrorCode::kStorageUnavailable, {503, "storage_unavailable", "Storage unavailable", true}},
    {ErrorCode::kStorageTooNew, {503, "storage_unavailable", "Storage unavailable", true}},
    {ErrorCode::kStorageSyncFailed, {503, "storage_unavailable", "Storage unavailable", true}},
    {ErrorCode::kBackupRunning, {409, "backup_running", "A backup is running"}},
    {ErrorCode::kBackupFailed, {500, "backup_failed", "Backup failed"}},
    {ErrorCode::kFileExists, {409, "file_exists", "File exists"}},
    {ErrorCode::kUnknownWebhook, {404, "unknown_webhook", "Unknown webhook"}},
    {ErrorCode::kUnknownDelivery, {404, "unknown_delivery", "Unknown delivery"}},
    {ErrorCode::kWebhookUnusable, {409, "webhook_unusable", "Webhook unusable"}},
    {ErrorCode::kDraining, {503, "draining", "Shutting down", true}},
    {ErrorCode::kHttpVersion, {505, "http_version", "HTTP version not supported"}},
    {ErrorCode::kStorageFull, {507, "storage_full", "Storage full", true}},
};

}  // namespace

ProblemKind problem_kind(core::ErrorCode code) noexcept {
    for (const Row& row : kRows) {
        if (row.code == code) return row.kind;
    }
    return {500, "internal", "Internal error"};
}

void append_problem(std::string& out, const core::Error& error, std::string_view instance,
                    ProblemMember more) {
    const ProblemKind kind = problem_kind(error.code);
    JsonWriter json{out};
    json.open_object();
    json.member("type", "https://headway.invalid/problems/" + std::string{kind.code});
    json.member("title", kind.title);
    json.member("status", kind.status);
    json.member("detail", printable(error.detail));
    json.member("instance", printable(instance));
    json.member("code", kind.code);
    json.member("retryable", kind.retryable);
    // The detail of a wrong method is for the header Allow.
    const bool names_field =
        !error.field.empty() && error.code != core::ErrorCode::kMethodNotAllowed;
    if (names_field) json.member("field", printable(error.field));
    if (!more.name.empty()) {
        json.key(more.name);
        json.raw(more.json);
    }
    json.close_object();
}

}  // namespace headway::api
