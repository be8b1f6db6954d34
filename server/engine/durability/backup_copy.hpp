// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "server/engine/base/publication.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The online backup: it copies a few pages of the database between two turns. Engine thread only.
class BackupCopy {
public:
    /// Called at the end of a copy.
    using Announce = std::function<void(CopiedFile)>;

    BackupCopy(storage::Store& store, Announce announce)
        : store_(store), announce_(std::move(announce)) {}

    /// Begins to copy the database into an empty file. Announces a failure if this is impossible,
    /// for example because another copy is running.
    void start(const ReplyTo& to, const std::string& file);
    /// Announces that a copy has failed before it began.
    void refuse(const ReplyTo& to, const std::string& file, core::Error error) {
        announce_({to, file, std::move(error)});
    }
    bool running() const noexcept { return copying_.has_value(); }
    void step();
    /// Ends a running copy, as a failed one.
    void abandon();

private:
    struct Copying {
        ReplyTo to;
        std::string file;
    };
    void end(core::Result<> done);

    storage::Store& store_;
    Announce announce_;
    std::optional<Copying> copying_;
};

}  // namespace headway::server
