// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"

// Scopes of access tokens. Pure. The server checks the format and the validity of a token.

namespace headway::core {

enum class Scope : std::uint8_t {
    kReport,   ///< open, report for and read the sessions whose id begins with a prefix
    kRead,     ///< read every session
    kApprove,  ///< decide approvals
    kControl,  ///< cancel, pause, resume, nudge, change budgets
    kAdmin,    ///< manage tokens
};

template <>
struct EnumNames<Scope> {
    static constexpr std::array<std::string_view, 5> kNames{"report", "read", "approve", "control",
                                                            "admin"};
};

/// The scopes of one token. No scope includes another, except that a client that may report for a
/// session may also read it. Has value semantics.
class Grants {
public:
    /// No scopes.
    Grants() = default;

    /// Parses "read", "approve", "control", "admin" and "report:<prefix of session ids>". An empty
    /// prefix matches every session, and "report" means "report:". A reporting token belongs to an
    /// agent, so it gets neither `approve` nor `admin`: agents do not decide their own requests.
    /// Error: kInvalidField, whose `field` is the JSON Pointer to the scope in the list ("/0") or
    /// empty.
    static Result<Grants> parse(std::span<const std::string> scopes);

    /// Every scope, for the operator.
    static Grants all();
    /// The scopes of a client that sends no token, if no token is required.
    static Grants anonymous();

    /// True if the scope is granted; kReport: for at least one prefix.
    bool has(Scope scope) const noexcept;
    /// True if the client may report for the session; in may_read(), if it may read the session. An
    /// empty `session` stands for every session.
    bool may_report(std::string_view session) const noexcept;
    bool may_read(std::string_view session) const noexcept;

    const std::vector<std::string>& prefixes() const noexcept { return prefixes_; }
    /// The scopes in the form that parse() reads, sorted, without duplicates.
    std::vector<std::string> scopes() const;

    bool operator==(const Grants&) const = default;

private:
    std::bitset<EnumNames<Scope>::kNames.size()> scopes_;  ///< all granted scopes except kReport
    std::vector<std::string> prefixes_;                    ///< prefixes of kReport, sorted
};

/// A token as it is stored, without its secret.
struct TokenRecord {
    std::string id;  ///< public id: names the token in lists and logs
    std::string name;
    Grants grants;
    std::string hash;  ///< SHA-256 of the whole token, 32 bytes
    Timestamp created_at = kNever;
    Timestamp expires_at = kNever;  ///< end of validity; kNever: does not expire
    Timestamp revoked_at = kNever;  ///< time of the revocation; kNever: was not revoked
    Timestamp used_at = kNever;     ///< time of the last use, to about a minute

    bool live(Timestamp now) const noexcept {
        return revoked_at == kNever && (expires_at == kNever || now < expires_at);
    }
};

/// One use of a token.
struct TokenUse {
    std::string id;
    Timestamp at = kNever;
};

}  // namespace headway::core
