// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/approvals/approvals.hpp"
#include "server/access/decision_links.hpp"
#include "server/engine/commands/approval_commands.hpp"
#include "server/engine/transaction/reader.hpp"

// A link in a message to people, by which one request is decided. Opening it decides nothing:
// programs that make previews open links, too.

namespace headway::server {

/// The text of a link, as a client sent it.
struct DecisionLink {
    std::string session;
    std::uint64_t n = 0;
    std::string endpoint;
    std::string code;
};

/// HTML for a person, also where nothing was decided.
struct LinkPage {
    std::string body;
};

/// The request with a button for each decision; how it was decided; or why the link is none.
struct LinkQuery {
    DecisionLink link;
    const DecisionLinks* links = nullptr;

    core::Result<LinkPage> operator()(Reader& reader) const;
};

/// Decides the request of the link, and nothing else: once, not after the request has expired, and
/// not what a link may not decide.
struct LinkDecideCommand {
    DecisionLink link;
    const DecisionLinks* links = nullptr;
    core::Decision decision = core::Decision::kReject;

    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<LinkPage> operator()(Transaction& transaction);
};

}  // namespace headway::server
