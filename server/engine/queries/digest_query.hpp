// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/digest/digest.hpp"
#include "server/engine/queries/queries.hpp"

namespace headway::server {

/// Reads the journal of all sessions since a given time, slice by slice, and then the sessions
/// themselves.
struct DigestReading {
    core::Timestamp since = core::kNever;

    /// If the result is empty, step() must be called again.
    core::Result<std::optional<api::DigestDocument>> step(Reader& reader);

private:
    enum class At : std::uint8_t { kBegin, kPlace, kRead, kNames, kOpen, kRows, kDone };

    core::Result<> advance(Reader& reader);
    void begin(Reader& reader);
    core::Result<> place(Reader& reader);
    core::Result<> read_some(Reader& reader);
    bool is_of_past(const storage::StreamEvent& one);
    core::Result<> find_names(Reader& reader);
    core::Result<> find_open(Reader& reader);
    core::Result<> add_row(Reader& reader);
    core::Result<> finish(Reader& reader);

    At at_ = At::kBegin;
    storage::Cursor low_ = 0;  ///< events up to this cursor are older than `since`
    storage::Cursor high_ =
        0;  ///< events after this cursor are not older than `since`; used in place()
    storage::Cursor head_ = 0;
    bool cut_ = false;  ///< earlier events may be missing
    core::DigestFold fold_;
    std::unordered_set<std::string> recorded_;     ///< recorded sessions, whose events are skipped;
                                                   ///< at most one for each event that is read
    std::string named_;                            ///< the last session whose key was looked up
    storage::SessionKey open_before_ = INT64_MAX;  ///< open sessions with this key or a greater one
                                                   ///< have been found
    std::size_t open_found_ = 0;
    std::vector<storage::SessionKey> keys_;
    std::size_t shown_ = 0;
    api::DigestDocument digest_;
};

/// The digest in the requested format.
struct DigestQuery {
    core::Timestamp since = core::kNever;  ///< start of the period; kNever: `span` before now
    core::Millis span{0};
    api::DigestFormat format = api::DigestFormat::kJson;
    DigestReading reading = {};

    core::Result<std::optional<TextPage>> operator()(Reader& reader);
};

}  // namespace headway::server
