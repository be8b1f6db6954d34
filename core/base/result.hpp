// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/assert.hpp"

// Errors are values. `Result<T>` has the functions of std::expected that the project uses
// (`has_value`, `*r`, `r.error()`), so that std::expected can replace it in C++23. Two things
// differ: an Error converts to a Result, and value() throws ErrorException. Boost's class is not
// used, because boost/system/result.hpp would add 55,000 preprocessed lines to nearly every
// translation unit.

namespace headway::core {

/// All failures that code can react to. api/problem maps each to an HTTP status and a code.
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
    kSessionOpen,
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
    kTooManyChecks,
    kStorageSyncFailed,  ///< the last writes may be lost; only a new process may continue
    kBackupRunning,
    kBackupFailed,
    kFileExists,
    kTooManyFailures,
    kUnknownWebhook,
    kWebhookUnusable,
    kUnknownDelivery,
};

/// One failure. `detail` is a sentence for the person who must fix it; `field` names the offending
/// input (a JSON pointer, a query parameter, a header, a configuration key) or is empty.
struct Error {
    Error() = default;
    /// Cold, so that the compiler keeps the construction of errors off the hot path.
    [[gnu::cold, gnu::noinline]] Error(ErrorCode what, std::string sentence, std::string where)
        : code(what), detail(std::move(sentence)), field(std::move(where)) {}

    ErrorCode code{};
    std::string detail;
    std::string field;
};

/// Thrown by Result::value(), which only tests call.
struct ErrorException : std::runtime_error {
    explicit ErrorException(Error e) : std::runtime_error(e.detail), error(std::move(e)) {}
    Error error;
};

/// A value or an Error. Code that reads the value of a failure, or the error of a success, is wrong
/// and fails an assertion.
template <class T = void>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result() requires std::is_default_constructible_v<T>
    = default;
    Result(const Error& error) : side_(std::in_place_index<1>, error) {}
    Result(Error&& error) noexcept : side_(std::in_place_index<1>, std::move(error)) {}
    /// Constructs the value in place. For a T to which any type converts, such as a JSON value.
    template <class... Args>
    explicit Result(std::in_place_t, Args&&... args)
        : side_(std::in_place_index<0>, std::forward<Args>(args)...) {}
    template <class U = T>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, std::in_place_t>) Result(U&& value)
        : side_(std::in_place_index<0>, std::forward<U>(value)) {}

    bool has_value() const noexcept { return side_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& operator*() & noexcept { return checked(); }
    const T& operator*() const& noexcept { return const_cast<Result*>(this)->checked(); }
    /// By value, so that `for (auto& x : *f())` and `const auto& x = *f()` do not dangle.
    T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) {
        return std::move(checked());
    }
    T operator*() const&& = delete;
    T* operator->() noexcept { return &checked(); }
    const T* operator->() const noexcept { return &const_cast<Result*>(this)->checked(); }

    const Error& error() const& noexcept { return const_cast<Result*>(this)->failure(); }
    Error&& error() && noexcept { return std::move(failure()); }

    /// For tests. Throws ErrorException.
    T& value() & {
        if (!has_value()) throw ErrorException(error());
        return checked();
    }
    const T& value() const& { return const_cast<Result*>(this)->value(); }
    T value() && { return std::move(value()); }

private:
    T& checked() noexcept {
        HEADWAY_ASSERT(side_.index() == 0);
        return *std::get_if<0>(&side_);
    }
    Error& failure() noexcept {
        HEADWAY_ASSERT(side_.index() == 1);
        return *std::get_if<1>(&side_);
    }

    std::variant<T, Error> side_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(const Error& error) : error_(error) {}
    Result(Error&& error) noexcept : error_(std::move(error)) {}

    bool has_value() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }

    const Error& error() const& noexcept { return const_cast<Result*>(this)->failure(); }
    Error&& error() && noexcept { return std::move(failure()); }

    /// For tests. Throws ErrorException.
    void value() const {
        if (error_) throw ErrorException(*error_);
    }

private:
    Error& failure() noexcept {
        HEADWAY_ASSERT(error_.has_value());
        return *error_;
    }

    std::optional<Error> error_;
};

/// The error of a failed step. Cold and out of line, like the constructor of Error, so that the
/// success path has no code that moves the error's strings.
template <class T>
[[gnu::cold, gnu::noinline]] Error passed_on(Result<T>&& failed) noexcept {
    return std::move(failed).error();
}

}  // namespace headway::core

#define HEADWAY_CAT_(a, b) a##b
#define HEADWAY_CAT(a, b) HEADWAY_CAT_(a, b)
#define HEADWAY_TRY_(tmp, decl, expr)                            \
    auto tmp = (expr);                                           \
    if (!tmp) return ::headway::core::passed_on(std::move(tmp)); \
    decl = *std::move(tmp)

/// `HEADWAY_TRY(auto x, f());` binds the value or returns the error. It expands to several
/// statements: use one per line, and never as the body of an `if` without braces.
#define HEADWAY_TRY(decl, expr) HEADWAY_TRY_(HEADWAY_CAT(headway_try_, __LINE__), decl, expr)
/// `HEADWAY_CHECK(f());` returns the error of a Result<> without a value, if there is one.
#define HEADWAY_CHECK(expr)                                              \
    do {                                                                 \
        if (auto headway_check = (expr); !headway_check)                 \
            return ::headway::core::passed_on(std::move(headway_check)); \
    } while (false)
