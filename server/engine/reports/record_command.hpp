// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "api/decode/decode.hpp"
#include "core/base/result.hpp"
#include "core/values/verdict.hpp"
#include "server/engine/transaction/transaction.hpp"

// Sessions that happened before: read from what an agent stored, and taken into the history.

namespace headway::server {

/// How much of a part was new, and how the session stands after it.
struct Recorded {
    std::string session;
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    core::Judgement judgement;
    bool ended = false;
};

/// Takes a part of such a session. Its events are judged at their own times. They ask, notify and
/// stop no one, no budget or cap counts them, and expectations do not learn from them. Errors:
/// kUnknownSession for a part without an opening; kSessionExists for a session that was reported as
/// it happened; kSessionEnded for new events after the end; kInvalidField for a time in the future,
/// or a session that began before the time that is kept.
struct RecordCommand {
    std::string session;
    api::DecodedRecording part;

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader&, SessionNames& names) const;
    core::Result<Recorded> operator()(Transaction& transaction);
};

}  // namespace headway::server
