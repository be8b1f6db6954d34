// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/approvals/approvals.hpp"
#include "server/access/decision_links.hpp"
#include "server/engine/commands/approval_commands.hpp"
#include "server/engine/transaction/reader.hpp"

// A link in a message to people, with which a person decides one request. Opening the link decides
// nothing, because programs that make previews open links too.

namespace headway::server {

/// The parts of a link, as a client sent them.
struct DecisionLink {
    std::string session;
    std::uint64_t n = 0;
    std::string endpoint;
    std::string code;
};

/// HTML for a person, even if nothing was decided.
struct LinkPage {
    std::string body;
};

/// A page that shows one of three things: the open request with a button for each decision, the
/// decision that was made, or the reason why the link is invalid.
struct LinkQuery {
    DecisionLink link;
    const DecisionLinks* links = nullptr;

    core::Result<LinkPage> operator()(Reader& reader) const;
};

/// Decides only the request of the link: once, before the request expires, and only if a link may
/// decide it.
struct LinkDecideCommand {
    DecisionLink link;
    const DecisionLinks* links = nullptr;
    core::Decision decision = core::Decision::kReject;

    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<LinkPage> operator()(Transaction& transaction);
};

}  // namespace headway::server
