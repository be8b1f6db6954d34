// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "api/decode/decode.hpp"
#include "core/base/result.hpp"
#include "core/values/verdict.hpp"
#include "server/engine/transaction/transaction.hpp"

// Recordings: past sessions that are read from an agent's own files and added to the history.

namespace headway::server {

/// The number of new events in a part, and the state of the session after the part.
struct Recorded {
    std::string session;
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    core::Judgement judgement;
    bool ended = false;
};

/// Adds a part of a recording. Its events are judged at their own times. Because of these events,
/// no person is asked or notified, and no agent is stopped. No budget or cap counts them, and no
/// expectation is learned from them. Errors: kUnknownSession for a part without an opening;
/// kSessionExists for a session that was reported live; kSessionEnded for new events after the
/// session's end; kInvalidField for a time in the future, or for a session that began longer ago
/// than the retention time.
struct RecordCommand {
    std::string session;
    api::DecodedRecording part;
    bool dry_run = false;  ///< only report what the command would add; change nothing

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader&, SessionNames& names) const;
    core::Result<Recorded> operator()(Transaction& transaction);
};

}  // namespace headway::server
