// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace headway::server {

struct Call;

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

/// What a route asks of its caller.
enum class Guard : std::uint8_t {
    kPublic,    ///< nothing, in any mode
    kAnyToken,  ///< mode `token`: some token
    kReport,    ///< `report:<prefix>` of the session
    kRead,      ///< `read`, or `report:<prefix>` of the session
    kOverview,  ///< `read` or `report:`, for what is about all sessions at once
    kControl,   ///< `control`
    kApprove,   ///< `approve`; in every mode
    kAdmin,     ///< `admin`; in every mode
};
inline constexpr std::size_t kGuardCount = static_cast<std::size_t>(Guard::kAdmin) + 1;

/// What the gate has to know before the body is read.
struct BodyRule {
    bool read = false;          ///< else it is taken, if it is that short, and not looked at
    bool lines = false;         ///< also as application/x-ndjson
    std::size_t bytes_max = 0;  ///< also of an inflated body
};

enum class Effect : std::uint8_t {
    kReads,    ///< changes no session and no table
    kWrites,   ///< refused while the daemon goes down, and while nothing can be written
    kReports,  ///< like kWrites; refused also while the disk is short of space
};

enum class ReplyKind : std::uint8_t { kDocument, kStream };

/// A route that is on its way out: still served, and every reply says so (RFC 9745).
struct Deprecation {
    std::string_view message;    ///< what to use instead
    std::string_view successor;  ///< a path template, for people and tools
    std::uint64_t since = 0;     ///< seconds since 1970
};

/// Decides and replies, or asks the supervisor to. An error is answered by the caller. I/O thread.
using Handler = core::Result<>(Call& call);

/// One route: everything about it but its code. The table of them is table.cpp.
struct Endpoint {
    Method method;
    /// `{id}` is the id of a session, a token or a webhook; `{approval}`, `{check}` are theirs;
    /// `{asset}` may hold slashes.
    std::string_view path;
    std::string_view name;    ///< the operationId in openapi.json, unique
    std::string_view metric;  ///< the label `route` in /metrics; aliases share one
    Guard guard;
    BodyRule body;
    Effect effect;
    std::string_view parameters;  ///< names of the query, separated by blanks, or kAnyQuery
    std::string_view summary;     ///< as in openapi.json
    Handler* handler;
    ReplyKind reply = ReplyKind::kDocument;
    const Deprecation* deprecation = nullptr;

    /// Whether the path says whose data is asked for; else the handler has to check that.
    constexpr bool names_session() const {
        return path.find("{id}") != path.npos || path.find("{approval}") != path.npos;
    }
};

inline constexpr std::string_view kAnyQuery = "*";  ///< nothing of the query is looked at

/// Every route, in the order in which they are matched.
std::span<const Endpoint> route_table() noexcept;
/// The place of one of these in the table.
std::size_t index_of(const Endpoint& endpoint) noexcept;
/// The row of this name; it has to be there.
const Endpoint& endpoint_named(std::string_view name);
/// The table as a JSON array, for tests and tools: `headway routes --json`.
std::string route_table_document();

/// A request line taken apart. Views point into the target.
struct Target {
    const Endpoint* endpoint = nullptr;  ///< never null once it is matched
    std::string session;                 ///< the `{id}` of the path, validated; or empty
    std::string asset;                   ///< the `{asset}` of the path; or empty
    std::string check;                   ///< the `{check}` of the path, validated; or empty
    std::uint64_t approval = 0;          ///< number of the `{approval}`, which names `session`
    std::string alias;  ///< the `{approval}` where it is a UUID: then `session` is not known here
    std::string query;  ///< behind the `?`, still encoded
};

/// Finds the route. Errors: kUnknownRoute, kMethodNotAllowed (`field` lists what is allowed),
/// kInvalidId, kBadRequest. Pure.
core::Result<Target> match(Method method, std::string_view target);

}  // namespace headway::server
