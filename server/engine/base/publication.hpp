// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/approvals/access.hpp"
#include "core/base/result.hpp"
#include "core/views/view.hpp"
#include "server/engine/base/stats.hpp"
#include "server/engine/base/task.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The result of copying the database. Either copying has failed, or the copy is complete but not
/// yet synced and checked.
struct CopiedFile {
    ReplyTo to;
    std::string file;
    core::Result<> done;
};

/// The public result of one turn of the engine. Views and events are applied before the replies
/// that depend on them.
struct Publication {
    std::vector<core::SessionView> views;
    std::vector<storage::StreamEvent> events;
    std::vector<Answered> replies;
    std::vector<std::string> deleted;  ///< sessions deleted by retention
    /// Sessions that other daemons deleted before this turn. The turn may already use their ids for
    /// new sessions.
    std::vector<std::string> replaced;
    std::vector<std::string>
        changed;  ///< sessions that other daemons changed; their new views are not included
    std::optional<std::vector<core::TokenRecord>> tokens;  ///< all tokens, if they changed
    /// approvals that are no longer pending
    std::vector<std::string> decided;
    std::vector<std::string> checked;  ///< ended checks
    std::optional<CopiedFile> copied;  ///< a copy that has ended
    bool followed = false;             ///< other daemons may have decided approvals or ended checks
    bool more = false;                 ///< the next publication has more replies of the same turn
    std::string streams_end;           ///< why all streams on this daemon have to end, or empty
    std::string fatal;                 ///< why the daemon must end now, or empty
    EngineStats stats;

    bool empty() const {
        return views.empty() && events.empty() && replies.empty() && deleted.empty() &&
               replaced.empty() && changed.empty() && !tokens && decided.empty() &&
               checked.empty() && !copied && fatal.empty() && streams_end.empty();
    }
};

}  // namespace headway::server
