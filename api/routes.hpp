// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace headway::api {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

enum class Route : std::uint8_t {
    kOpen,
    kOpenNamed,
    kReport,
    kHeartbeat,
    kEnd,
    kCancel,
    kPause,
    kResume,
    kNudge,
    kBudgetChange,
    kSession,
    kSessions,
    kComparison,
    kTimeouts,
    kJournal,
    kWait,
    kWaitSeveral,
    kStream,
    kStreamAll,
    kProgress,
    kProgressStream,
    kChatStatus,
    kBudget,
    kBudgetAnalytics,
    kLive,
    kReady,
    kTokens,
    kTokenCreate,
    kTokenRevoke,
    kOperatorRotate,
    kMetrics,
    kVersion,
    kPage,
    kAsset,
    kDocs,
    kOpenApi,
    kAsk,
    kApprovals,
    kApproval,
    kDecide,
    kRedeem,
    kRevoke,
    kApproveAgent,
    kCheckAsk,
    kCheck,
    kEstimates,
    kOverview,
    kLoginCode,
    kLogin,
    kLogout,
    kMe,
    kSystem,
    kBackup,
    kWebhooks,
    kWebhookDeliveries,
    kWebhookReplay,
    kWebhookTest,
    kLogIn,
    kAlarmsSeen,
};
inline constexpr std::size_t kRouteCount = static_cast<std::size_t>(Route::kAlarmsSeen) + 1;

/// What the gate has to know about a route before the body is read.
struct RouteTraits {
    bool takes_body = false;
    bool ndjson = false;             ///< also takes application/x-ndjson
    std::size_t body_bytes_max = 0;  ///< without takes_body: read, and not looked at
};

RouteTraits traits_of(Route route) noexcept;

/// A route that is on its way out: still served, and every reply says so (RFC 9745).
struct Deprecation {
    std::string_view path;       ///< of the route table
    std::string_view message;    ///< what to use instead
    std::string_view successor;  ///< a path template, for people and tools
    std::uint64_t since = 0;     ///< seconds since 1970
};

/// All of them.
std::span<const Deprecation> deprecations() noexcept;

/// A request line taken apart. Views point into the target.
struct Target {
    Route route = Route::kPage;
    std::string session;         ///< the `{id}` of the path, also of a token or a webhook; or empty
    std::string asset;           ///< the `{asset}` of the path, which may have slashes; or empty
    std::string check;           ///< the `{check}` of the path, validated; or empty
    std::uint64_t approval = 0;  ///< number of the `{approval}` of the path, which names `session`
    std::string alias;  ///< the `{approval}` where it is a UUID: then `session` is not known here
    std::string query;  ///< behind the `?`, still encoded
    const Deprecation* deprecation = nullptr;  ///< of the path, or null
};

/// Finds the route. Errors: kUnknownRoute, kMethodNotAllowed (`field` lists what is allowed),
/// kInvalidId, kBadRequest.
core::Result<Target> match(Method method, std::string_view target);

/// Query parameters, decoded, in order. Errors: kInvalidParameter for a bad percent sign, a
/// repeated or an unknown name.
class Query {
public:
    static core::Result<Query> parse(std::string_view query,
                                     std::span<const std::string_view> known);

    /// The value, or nothing.
    const std::string* find(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

/// "55s", "500ms", "2m"; a bare number is seconds. Error: kInvalidParameter on `field`.
core::Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view field);

/// A whole number within bounds. Error: kInvalidParameter on `field`.
core::Result<std::uint64_t> parse_number(std::string_view text, std::string_view field,
                                         std::uint64_t min, std::uint64_t max);

}  // namespace headway::api
