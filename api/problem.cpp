#include "api/problem.hpp"

#include "api/json_writer.hpp"

namespace headway::api {
namespace {

/// What a client sent may stand in the text; bytes that are not ASCII could break the JSON.
std::string printable(std::string_view text) {
    std::string shown{text};
    for (char& c : shown) {
        if (static_cast<unsigned char>(c) >= 0x7f) c = '?';
    }
    return shown;
}

ProblemKind approval_problem(core::ErrorCode code) noexcept {
    using core::ErrorCode;
    switch (code) {
        case ErrorCode::kUnknownApproval:
            return {404, "unknown_approval", "Unknown approval"};
        case ErrorCode::kAlreadyDecided:
            return {409, "already_decided", "Already decided"};
        case ErrorCode::kNotApproved:
            return {409, "not_approved", "Not approved"};
        case ErrorCode::kDigestMismatch:
            return {409, "digest_mismatch", "Not the approved arguments"};
        case ErrorCode::kAlreadyRedeemed:
            return {409, "already_redeemed", "Already redeemed"};
        case ErrorCode::kApprovalUnclear:
            return {409, "approval_unclear", "Which approval is not clear"};
        case ErrorCode::kTooManyApprovals:
            return {409, "too_many_approvals", "Too many approvals"};
        case ErrorCode::kNoGrant:
            return {409, "no_grant", "No grant to revoke"};
        default:
            return {500, "internal", "Internal error"};
    }
}

}  // namespace

ProblemKind problem_kind(core::ErrorCode code) noexcept {
    using core::ErrorCode;
    switch (code) {
        case ErrorCode::kBadRequest:
            return {400, "bad_request", "Bad request"};
        case ErrorCode::kInvalidJson:
            return {400, "invalid_json", "Invalid JSON"};
        case ErrorCode::kInvalidField:
            return {400, "invalid_field", "Invalid field"};
        case ErrorCode::kUnknownField:
            return {400, "unknown_field", "Unknown field"};
        case ErrorCode::kMissingField:
            return {400, "missing_field", "Missing field"};
        case ErrorCode::kInvalidParameter:
            return {400, "invalid_parameter", "Invalid parameter"};
        case ErrorCode::kInvalidId:
            return {400, "invalid_id", "Invalid id"};
        case ErrorCode::kTooManyEvents:
            return {400, "too_many_events", "Too many events"};
        case ErrorCode::kEmptyReport:
            return {400, "empty_report", "Empty report"};
        case ErrorCode::kForbiddenOrigin:
            return {403, "forbidden_origin", "Forbidden origin"};
        case ErrorCode::kUnknownSession:
            return {404, "unknown_session", "Unknown session"};
        case ErrorCode::kUnknownRoute:
            return {404, "unknown_route", "Unknown route"};
        case ErrorCode::kMethodNotAllowed:
            return {405, "method_not_allowed", "Method not allowed"};
        case ErrorCode::kRequestTimeout:
            return {408, "request_timeout", "Request timeout", true};
        case ErrorCode::kStaleAttempt:
            return {409, "stale_attempt", "Stale attempt"};
        case ErrorCode::kSessionEnded:
            return {409, "session_ended", "Session ended"};
        case ErrorCode::kSessionExists:
            return {409, "session_exists", "Session exists"};
        case ErrorCode::kLengthRequired:
            return {411, "length_required", "Length required"};
        case ErrorCode::kBodyTooLarge:
            return {413, "body_too_large", "Body too large"};
        case ErrorCode::kUnsupportedMediaType:
            return {415, "unsupported_media_type", "Unsupported media type"};
        case ErrorCode::kUnknownHost:
            return {421, "unknown_host", "Unknown host"};
        case ErrorCode::kIdempotencyMismatch:
            return {422, "idempotency_mismatch", "Idempotency key reused"};
        case ErrorCode::kHeaderTooLarge:
            return {431, "header_too_large", "Header too large"};
        case ErrorCode::kOverloaded:
            return {503, "overloaded", "Overloaded", true};
        case ErrorCode::kStorageUnavailable:
            return {503, "storage_unavailable", "Storage unavailable", true};
        case ErrorCode::kDraining:
            return {503, "draining", "Shutting down", true};
        case ErrorCode::kHttpVersion:
            return {505, "http_version", "HTTP version not supported"};
        case ErrorCode::kStorageFull:
            return {507, "storage_full", "Storage full", true};
        case ErrorCode::kStorageCorrupt:
        case ErrorCode::kStorageTooNew:
        case ErrorCode::kInvalidConfig:
        case ErrorCode::kInternal:
            break;
        default:
            return approval_problem(code);
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
    if (!error.field.empty()) json.member("field", printable(error.field));
    if (!more.name.empty()) {
        json.key(more.name);
        json.raw(more.json);
    }
    json.close_object();
}

}  // namespace headway::api
