// SPDX-License-Identifier: Apache-2.0
#include "api/routes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/decode.hpp"
#include "api/decode_checks.hpp"
#include "core/approval_alias.hpp"
#include "core/approvals.hpp"
#include "core/limits.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

struct Entry {
    Method method;
    std::string_view path;  ///< `{id}` is a session's id, `{approval}` an approval's, ...
    Route route;
};

// The one route table. Aliases of the first designs are entries of their own.
constexpr Entry kRoutes[] = {
    {Method::kPost, "/v1/sessions/{id}/events", Route::kReport},
    {Method::kPost, "/v1/sessions/{id}/heartbeat", Route::kHeartbeat},
    {Method::kGet, "/progress/{id}", Route::kProgress},
    {Method::kGet, "/api/autonomous/progress/{id}", Route::kProgress},
    {Method::kGet, "/progress/{id}/stream", Route::kProgressStream},
    {Method::kGet, "/api/autonomous/progress/{id}/stream", Route::kProgressStream},
    {Method::kGet, "/api/chat/autonomous/status", Route::kChatStatus},
    {Method::kPost, "/v1/sessions", Route::kOpen},
    {Method::kGet, "/v1/sessions", Route::kSessions},
    {Method::kPut, "/v1/sessions/{id}", Route::kOpenNamed},
    {Method::kGet, "/v1/sessions/{id}", Route::kSession},
    {Method::kGet, "/v1/sessions/{id}/events", Route::kJournal},
    {Method::kPost, "/v1/sessions/{id}/end", Route::kEnd},
    {Method::kPost, "/v1/sessions/{id}/cancel", Route::kCancel},
    {Method::kPost, "/v1/sessions/{id}/pause", Route::kPause},
    {Method::kPost, "/v1/sessions/{id}/resume", Route::kResume},
    {Method::kPost, "/v1/sessions/{id}/nudge", Route::kNudge},
    {Method::kGet, "/v1/sessions/{id}/budget", Route::kBudget},
    {Method::kPost, "/v1/sessions/{id}/budget", Route::kBudgetChange},
    {Method::kGet, "/v1/analytics/budgets", Route::kBudgetAnalytics},
    {Method::kGet, "/v1/sessions/{id}/wait", Route::kWait},
    {Method::kGet, "/v1/sessions/{id}/stream", Route::kStream},
    {Method::kGet, "/v1/sessions/{id}/comparison", Route::kComparison},
    {Method::kGet, "/v1/analytics/timeouts", Route::kTimeouts},
    {Method::kGet, "/v1/wait", Route::kWaitSeveral},
    {Method::kGet, "/v1/stream", Route::kStreamAll},
    {Method::kGet, "/v1/tokens", Route::kTokens},
    {Method::kPost, "/v1/tokens", Route::kTokenCreate},
    {Method::kDelete, "/v1/tokens/{id}", Route::kTokenRevoke},
    {Method::kPost, "/v1/tokens/operator/rotate", Route::kOperatorRotate},
    {Method::kGet, "/livez", Route::kLive},
    {Method::kGet, "/readyz", Route::kReady},
    {Method::kGet, "/metrics", Route::kMetrics},
    {Method::kGet, "/v1/version", Route::kVersion},
    {Method::kPost, "/v1/sessions/{id}/approvals", Route::kAsk},
    {Method::kGet, "/v1/approvals", Route::kApprovals},
    {Method::kGet, "/v1/approvals/{approval}", Route::kApproval},
    {Method::kPost, "/v1/approvals/{approval}/decision", Route::kDecide},
    {Method::kPost, "/v1/approvals/{approval}/redeem", Route::kRedeem},
    {Method::kPost, "/v1/approvals/{approval}/revoke", Route::kRevoke},
    {Method::kPost, "/v1/sessions/{id}/alarms/acknowledge", Route::kAlarmsSeen},
    {Method::kPost, "/v1/sessions/{id}/approve-agent", Route::kApproveAgent},
    {Method::kPost, "/v1/chat/{id}/approve-agent", Route::kApproveAgent},
    {Method::kPost, "/check-status", Route::kCheckAsk},
    {Method::kPost, "/api/autonomous/check-status", Route::kCheckAsk},
    {Method::kGet, "/check-status/{check}", Route::kCheck},
    {Method::kGet, "/api/autonomous/check-status/{check}", Route::kCheck},
    {Method::kGet, "/v1/analytics/estimates", Route::kEstimates},
    {Method::kGet, "/v1/overview", Route::kOverview},
    {Method::kPost, "/v1/login-codes", Route::kLoginCode},
    {Method::kGet, "/login", Route::kLogin},
    {Method::kPost, "/v1/login", Route::kLogIn},
    {Method::kPost, "/v1/logout", Route::kLogout},
    {Method::kGet, "/v1/me", Route::kMe},
    {Method::kGet, "/v1/system", Route::kSystem},
    {Method::kPost, "/v1/backup", Route::kBackup},
    {Method::kGet, "/v1/webhooks", Route::kWebhooks},
    {Method::kGet, "/v1/webhooks/{id}/deliveries", Route::kWebhookDeliveries},
    {Method::kPost, "/v1/webhooks/{id}/replay", Route::kWebhookReplay},
    {Method::kPost, "/v1/webhooks/{id}/test", Route::kWebhookTest},
    {Method::kGet, "/", Route::kPage},
    {Method::kGet, "/assets/{asset}", Route::kAsset},
    {Method::kGet, "/docs", Route::kDocs},
    {Method::kGet, "/openapi.json", Route::kOpenApi},
};

constexpr std::uint64_t kNovember2026 = 1'795'219'200;

// The one table of routes that will go. The aliases of the first designs.
constexpr Deprecation kDeprecations[] = {
    {"/api/autonomous/progress/{id}", "use GET /progress/{id}", "/progress/{id}", kNovember2026},
    {"/api/autonomous/progress/{id}/stream", "use GET /progress/{id}/stream",
     "/progress/{id}/stream", kNovember2026},
    {"/api/chat/autonomous/status",
     "use GET /v1/sessions/{id}, or wait with /v1/sessions/{id}/wait", "/v1/sessions/{id}",
     kNovember2026},
    {"/api/autonomous/check-status", "use POST /check-status", "/check-status", kNovember2026},
    {"/api/autonomous/check-status/{check}", "use GET /check-status/{id}", "/check-status/{id}",
     kNovember2026},
};

const Deprecation* deprecation_of(std::string_view path) {
    for (const Deprecation& entry : kDeprecations) {
        if (entry.path == path) return &entry;
    }
    return nullptr;
}

/// Matches `path` against a pattern; the id it holds goes to `id`.
bool fits(std::string_view pattern, std::string_view path, std::string_view& id) {
    const std::size_t hole = pattern.find('{');
    if (hole == std::string_view::npos) return pattern == path;
    const std::string_view before = pattern.substr(0, hole);
    const std::string_view after = pattern.substr(pattern.find('}') + 1);
    if (path.size() < before.size() + after.size()) return false;
    if (!path.starts_with(before) || !path.ends_with(after)) return false;
    id = path.substr(before.size(), path.size() - before.size() - after.size());
    return id.find('/') == std::string_view::npos || pattern.ends_with("{asset}");
}

std::string_view method_name(Method method) {
    constexpr std::string_view kNames[] = {"GET",    "HEAD",  "POST",    "PUT",
                                           "DELETE", "PATCH", "OPTIONS", "OTHER"};
    return kNames[static_cast<std::size_t>(method)];
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_space) {
            out.push_back(' ');
        } else if (text[i] != '%') {
            out.push_back(text[i]);
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
            out.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        }
    }
    return out;
}

/// A stream has no reply whose header could be sent alone.
bool is_endless(Route route) {
    return route == Route::kStream || route == Route::kStreamAll || route == Route::kProgressStream;
}

Result<std::string> session_id(std::string_view raw) {
    const auto id = percent_decoded(raw, false);
    if (id && valid_id(*id)) return *id;
    return Error{ErrorCode::kInvalidId, "an id is 1 to 128 of A-Z a-z 0-9 . _ : - and not . or ..",
                 "id"};
}

/// The session and the number that an approval's id is made of.
Result<> read_approval(std::string_view raw, Target& found) {
    const auto id = percent_decoded(raw, false);
    if (id && core::cursor_of_alias(*id)) {
        found.alias = *id;
        return {};
    }
    const auto ref = id ? core::parse_approval_id(*id) : std::nullopt;
    if (!ref || !valid_id(ref->session)) {
        return Error{ErrorCode::kInvalidId,
                     "an approval's id is the session's, then .a and a number (session-1.a7), or "
                     "its request_id, a UUID",
                     "id"};
    }
    found.session = ref->session;
    found.approval = ref->n;
    return {};
}

Result<std::string> check_id(std::string_view raw) {
    const auto id = percent_decoded(raw, false);
    if (id && valid_check_id(*id)) return *id;
    return Error{ErrorCode::kInvalidId, "a check's id is 1 to 192 of A-Z a-z 0-9 . _ : -", "id"};
}

}  // namespace

/// Clients that send JSON with every POST send `{}` where there is nothing to say.
constexpr std::size_t kEmptyObjectBytes = 2;

RouteTraits traits_of(Route route) noexcept {
    switch (route) {
        case Route::kReport:
            return {true, true, core::limits::kReportBodyBytesMax};
        case Route::kOpen:
        case Route::kOpenNamed:
        case Route::kHeartbeat:
        case Route::kEnd:
        case Route::kCancel:
        case Route::kPause:
        case Route::kResume:
        case Route::kNudge:
        case Route::kBudgetChange:
        case Route::kTokenCreate:
        case Route::kLogIn:
        case Route::kBackup:
        case Route::kApproveAgent:
        case Route::kRevoke:
        case Route::kAlarmsSeen:
        case Route::kCheckAsk:
        case Route::kWebhookReplay:
            return {true, false, core::limits::kControlBodyBytesMax};
        case Route::kAsk:
        case Route::kDecide:
        case Route::kRedeem:
            return {true, false, core::limits::kApprovalBodyBytesMax};
        case Route::kOperatorRotate:
        case Route::kLoginCode:
        case Route::kLogout:
        case Route::kWebhookTest:
            return {false, false, kEmptyObjectBytes};
        default:
            return {};
    }
}

std::span<const Deprecation> deprecations() noexcept {
    return kDeprecations;
}

Result<Target> match(Method method, std::string_view target) {
    const std::size_t question = target.find('?');
    const std::string_view path = target.substr(0, question);
    std::string allowed;
    for (const Entry& entry : kRoutes) {
        std::string_view raw_id;
        if (!fits(entry.path, path, raw_id)) continue;
        const bool has_head = entry.method == Method::kGet && !is_endless(entry.route);
        const bool same = entry.method == method || (has_head && method == Method::kHead);
        if (!same) {
            allowed += (allowed.empty() ? "" : ", ") + std::string{method_name(entry.method)};
            if (has_head) allowed += ", HEAD";
            continue;
        }
        Target found;
        found.route = entry.route;
        found.deprecation = deprecation_of(entry.path);
        if (entry.path.find("{id}") != std::string_view::npos) {
            HEADWAY_TRY(found.session, session_id(raw_id));
        }
        if (entry.path.ends_with("{asset}")) found.asset = raw_id;
        if (entry.path.find("{check}") != std::string_view::npos) {
            HEADWAY_TRY(found.check, check_id(raw_id));
        }
        if (entry.path.find("{approval}") != std::string_view::npos) {
            HEADWAY_CHECK(read_approval(raw_id, found));
        }
        if (question != std::string_view::npos) found.query = target.substr(question + 1);
        return found;
    }
    if (!allowed.empty()) {
        return Error{ErrorCode::kMethodNotAllowed, "this route takes " + allowed, allowed};
    }
    return Error{
        ErrorCode::kUnknownRoute, "there is no such route; they are listed in api/API.md", {}};
}

Result<Query> Query::parse(std::string_view query, std::span<const std::string_view> known) {
    Query parsed;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        const auto name = percent_decoded(pair.substr(0, equals), true);
        const auto value = equals == std::string_view::npos
                               ? std::optional<std::string>{""}
                               : percent_decoded(pair.substr(equals + 1), true);
        if (!name || !value) {
            return Error{ErrorCode::kInvalidParameter, "a percent sign must be written %25",
                         std::string{pair.substr(0, equals)}};
        }
        if (std::find(known.begin(), known.end(), *name) == known.end()) {
            std::string names;
            for (std::string_view k : known)
                names += (names.empty() ? "" : ", ") + std::string{k};
            return Error{ErrorCode::kInvalidParameter,
                         "unknown parameter; known here are: " + (names.empty() ? "none" : names),
                         *name};
        }
        if (parsed.find(*name) != nullptr) {
            return Error{ErrorCode::kInvalidParameter, "given twice", *name};
        }
        parsed.parameters_.emplace_back(*name, *value);
    }
    return parsed;
}

const std::string* Query::find(std::string_view name) const {
    for (const auto& [key, value] : parameters_) {
        if (key == name) return &value;
    }
    return nullptr;
}

Result<std::uint64_t> parse_number(std::string_view text, std::string_view field, std::uint64_t min,
                                   std::uint64_t max) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < min || number > max) {
        return Error{
            ErrorCode::kInvalidParameter,
            "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max),
            std::string{field}};
    }
    return number;
}

Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view field) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    std::uint64_t scale = 0;
    if (unit == "ms") scale = 1;
    if (unit == "s" || unit.empty()) scale = 1000;
    if (unit == "m") scale = 60'000;
    if (error != std::errc{} || scale == 0 || number > 1'000'000'000) {
        return Error{ErrorCode::kInvalidParameter, "must be a duration such as 500ms, 55s or 2m",
                     std::string{field}};
    }
    return static_cast<std::int64_t>(number * scale);
}

}  // namespace headway::api
