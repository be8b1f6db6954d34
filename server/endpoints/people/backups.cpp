// SPDX-License-Identifier: Apache-2.0
#include "server/backups/backups.hpp"

#include "api/admin/backup.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// /v1/backup

namespace headway::server {

core::Result<> endpoints::make_backup(Call& call) {
    HEADWAY_TRY(const std::string file, api::decode_backup(call.on.document, call.request.body));
    HEADWAY_TRY(const std::string partial, call.on.backups.begin(file));
    auto asked = call.write(BackupCommand{partial});
    if (!asked) call.on.backups.abandon(partial);
    return asked;
}

}  // namespace headway::server
