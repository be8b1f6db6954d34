// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

// Errors are values. `Result<T>` is boost::system::result, used within the subset that
// std::expected shares
// (`has_value`, `*r`, `r.error()`), so that moving to C++23 is a typedef.

namespace headway::core {

/// The closed set of failures that code reacts to. api/problem maps each to a status and a code on
/// the wire.
enum class ErrorCode : std::uint8_t {
    kInternal,
    kBadRequest,
    kInvalidJson,
    kInvalidField,
    kUnknownField,
    kMissingField,
    kInvalidParameter,
    kInvalidId,
    kTooManyEvents,
    kEmptyReport,
    kUnauthorized,
    kForbidden,
    kForbiddenOrigin,
    kUnknownToken,
    kTooManyTokens,
    kUnknownSession,
    kUnknownRoute,
    kMethodNotAllowed,
    kRequestTimeout,
    kStaleAttempt,
    kSessionEnded,
    kSessionExists,
    kLengthRequired,
    kBodyTooLarge,
    kUnsupportedMediaType,
    kUnknownHost,
    kIdempotencyMismatch,
    kHeaderTooLarge,
    kOverloaded,
    kStorageUnavailable,
    kStorageFull,
    kStorageCorrupt,
    kStorageTooNew,
    kDraining,
    kHttpVersion,
    kInvalidConfig,
    kUnknownApproval,
    kAlreadyDecided,
    kNotApproved,
    kDigestMismatch,
    kAlreadyRedeemed,
    kApprovalUnclear,
    kTooManyApprovals,
    kNoGrant,
    kNoJudge,
    kUnknownCheck,
    kCheckIdTaken,
    kTooManyChecks,
    kStorageSyncFailed,  ///< what was written last may be lost; only a new process may go on
    kBackupRunning,
    kBackupFailed,
    kFileExists,
    kTooManyFailures,
    kUnknownWebhook,
    kWebhookUnusable,
    kUnknownDelivery,
};

/// One failure. `detail` is a sentence for the person who has to fix it; `field` names the
/// offending input (a JSON pointer, a query parameter, a header, a configuration key) or is empty.
struct Error {
    ErrorCode code{};
    std::string detail;
    std::string field;
};

/// Only tests call Result::value(); it throws this.
struct ErrorException : std::runtime_error {
    explicit ErrorException(Error e) : std::runtime_error(e.detail), error(std::move(e)) {}
    Error error;
};

[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
    throw ErrorException(error);
}

/// A value or an Error. Boost 1.81 does not mark its result nodiscard; this does.
template <class T = void>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
    using Base = boost::system::result<T, Error>;

public:
    using Base::Base;
};

}  // namespace headway::core

#define HEADWAY_CAT_(a, b) a##b
#define HEADWAY_CAT(a, b) HEADWAY_CAT_(a, b)
#define HEADWAY_TRY_(tmp, decl, expr)        \
    auto tmp = (expr);                       \
    if (!tmp) return std::move(tmp).error(); \
    decl = *std::move(tmp)

/// `HEADWAY_TRY(auto x, f());` binds the value or returns the error. One per line, never the body
/// of an unbraced `if`.
#define HEADWAY_TRY(decl, expr) HEADWAY_TRY_(HEADWAY_CAT(headway_try_, __LINE__), decl, expr)
/// `HEADWAY_CHECK(f());` for a Result<> without a value.
#define HEADWAY_CHECK(expr)                                                                       \
    do {                                                                                          \
        if (auto headway_check = (expr); !headway_check) return std::move(headway_check).error(); \
    } while (false)
