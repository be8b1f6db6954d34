// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/decode/decode_approvals.hpp"
#include "api/encode/parts/encode_approvals.hpp"
#include "core/approvals/access.hpp"
#include "server/engine/commands/session_commands.hpp"

// Commands on approvals: to request, decide and use them.

namespace headway::server {

/// The UUID of an approval, and the caller's grants. The grants are checked when the index has
/// given the approval's session.
struct ApprovalAlias {
    std::string id;  ///< the UUID; empty: the session and the number were given
    core::Grants grants = {};
};

/// The purpose for which a caller needs an approval.
enum class AliasUse : std::uint8_t { kRead, kDecide, kRedeem };

/// Sets `session` and `n` to the session and the number of the approval that `alias` names. The
/// caller needs the same scope as for access by session id and number. A caller without this scope
/// gets the same error as for an unknown alias: kUnknownApproval.
core::Result<> resolve(const Reader& reader, const ApprovalAlias& alias, AliasUse use,
                       std::string& session, std::uint64_t& n);

/// The answer to a command: an approval.
struct ApprovalShown {
    api::ApprovalDocument document;
    bool asked = false;     ///< the command was a request, new or repeated: the reply has a
                            ///< Location
    bool created = false;   ///< this command created the request
    bool replayed = false;  ///< an earlier command with this idempotency key created it
};

/// Another decision came first. The answer is the problem document of `error`, which also names
/// that decision.
struct DecisionLost {
    core::Error error;
    std::string session;
    core::Approval approval;
};

struct Decided {
    api::ApprovalDocument document;
    std::vector<std::string> also;  ///< ids of identical approvals that were also decided
    std::uint64_t left = 0;         ///< number of identical approvals that are still pending
};

struct AgentApproved {
    api::ApprovalDocument document;
    std::vector<api::ApprovalDocument> pending;  ///< pending requests of the same session
};

struct AskCommand {
    std::string session;
    core::ApprovalRequested asked;
    std::string idempotency_key;  ///< the request's key; or empty
    std::string idempotency_fingerprint;
    bool controls = false;  ///< as ReportCommand::controls

    static constexpr bool kFillsDisk = true;
    static constexpr bool kRationed = true;
    core::Result<> name(Reader& reader, SessionNames& names) const;
    core::Result<ApprovalShown> operator()(Transaction& transaction);
};

/// Decides approval `n` of the session; with `identical`, also the identical approvals of all
/// sessions.
struct DecideCommand {
    std::string session;
    std::uint64_t n = 0;
    core::Ruling ruling;
    bool identical = false;
    ApprovalAlias alias = {};
    std::vector<std::string> others = {};  ///< sessions of identical approvals, set by name()

    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<std::variant<Decided, DecisionLost>> operator()(Transaction& transaction);
};

struct RedeemCommand {
    std::string session;
    std::uint64_t n = 0;
    api::DecodedRedeem redeem;
    ApprovalAlias alias = {};

    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<ApprovalShown> operator()(Transaction& transaction);
};

struct RevokeCommand {
    std::string session;
    std::uint64_t n = 0;
    api::DecodedRevoke revoke;
    ApprovalAlias alias = {};

    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<ApprovalShown> operator()(Transaction& transaction);
};

struct AcknowledgeCommand {
    std::string session;
    api::DecodedAcknowledge body;

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<SessionDocument> operator()(Transaction& transaction);
};

struct ApproveAgentCommand {
    std::string session;
    api::DecodedApproveAgent body;
    std::string by;  ///< the person who decides, if known

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<std::variant<AgentApproved, DecisionLost>> operator()(Transaction& transaction);
};

}  // namespace headway::server
