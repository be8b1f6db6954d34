// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::server {

class Call;

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

/// The right that a caller needs for a route.
enum class Guard : std::uint8_t {
    kPublic,    ///< needs no right in any mode
    kAnyToken,  ///< any token, but only in the mode `token`
    kReport,    ///< `report:<prefix>` of the session
    kRead,      ///< `read`, or `report:<prefix>` of the session
    kOverview,  ///< `read` or `report:`, for routes about all sessions
    kControl,   ///< `control`
    kApprove,   ///< `approve`, required in every mode
    kAdmin,     ///< `admin`, required in every mode
};
inline constexpr std::size_t kGuardCount = static_cast<std::size_t>(Guard::kAdmin) + 1;

/// Limits that the gate checks before the body is read.
struct BodyRule {
    bool read = false;   ///< the body is used; an unused body of at most bytes_max is accepted
    bool lines = false;  ///< also accepts application/x-ndjson
    std::size_t bytes_max = 0;  ///< limit, also for the inflated body
    bool protobuf = false;      ///< also accepts application/x-protobuf
    bool any_type = false;      ///< accepts any Content-Type
};

enum class Effect : std::uint8_t {
    kReads,  ///< changes no session and no table
    /// Changes data: refused during shutdown, and by the engine while it cannot write.
    kWrites,
    kReports,  ///< a write sent by agents: the engine also refuses it when disk space is low
};

enum class ReplyKind : std::uint8_t { kDocument, kStream };

/// A deprecated route is still served, but every reply has a header about it (RFC 9745).
struct Deprecation {
    std::string_view message;    ///< text about the route to use instead
    std::string_view successor;  ///< a path template, for people and tools
    std::uint64_t since = 0;     ///< time of the deprecation, in seconds since 1970
};

/// Handles a request: replies, or sends a task to the engine. If the handler returns an error, its
/// caller replies with this error. I/O thread.
using Handler = core::Result<>(Call& call);

/// One route: all its properties except the code of its handler. The table is in table.cpp.
struct Endpoint {
    Method method;
    /// `{id}` is the id of a session, a token or a webhook, `{approval}` that of an approval,
    /// `{check}` that of a check. `{asset}` may contain slashes. `{page}` is a name in the
    /// documentation, `{agent}` the name of a dialect of hooks. `{ping}` may contain slashes, see
    /// ping_path.hpp.
    std::string_view path;
    std::string_view name;    ///< the operationId in openapi.json, unique
    std::string_view metric;  ///< the label `route` in /metrics; aliases share one
    Guard guard;
    BodyRule body;
    Effect effect;
    std::string_view parameters;  ///< query parameter names, separated by blanks, or kAnyQuery
    std::string_view summary;     ///< the summary in openapi.json
    Handler* handler;
    ReplyKind reply = ReplyKind::kDocument;
    const Deprecation* deprecation = nullptr;

    /// True if the path names the session; otherwise the handler must check the access itself.
    constexpr bool names_session() const {
        return path.find("{id}") != path.npos || path.find("{approval}") != path.npos ||
               path.find("{ping}") != path.npos;
    }
};

inline constexpr std::string_view kAnyQuery = "*";  ///< the query is ignored

/// Every route, in the order in which they are matched.
std::span<const Endpoint> route_table() noexcept;
/// The index of a row of the table.
std::size_t index_of(const Endpoint& endpoint) noexcept;
/// The row with this name, which must exist.
const Endpoint& endpoint_named(std::string_view name);
/// The table as a JSON array, for tests and tools: `headway routes --json`.
std::string route_table_document();

/// A parsed request line.
struct Target {
    const Endpoint* endpoint = nullptr;  ///< not null after match()
    std::string session;                 ///< the `{id}` of the path, validated; or empty
    std::string asset;  ///< the `{asset}`, `{page}` or `{agent}` of the path, or the action of a
                        ///< ping
    std::string check;  ///< the `{check}` of the path, validated; or empty
    std::uint64_t approval = 0;  ///< number of the `{approval}`, whose session is `session`
    std::string alias;  ///< the `{approval}` if it is a UUID; `session` is then not known yet
    std::string key;    ///< a token in the path of a ping; or empty
    std::string query;  ///< the part after the `?`, still encoded
};

/// Finds the route. Errors: kUnknownRoute, kMethodNotAllowed (`field` lists the allowed methods),
/// kInvalidId, kBadRequest; after an error, `found` is unspecified. Changes only `found`.
core::Result<> find_route(Method method, std::string_view target, Target& found);
/// Like find_route(), but returns the target.
core::Result<Target> match(Method method, std::string_view target);

}  // namespace headway::server
