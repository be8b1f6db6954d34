// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/records/offline_judge.hpp"

namespace headway::cli {

/// Judges a whole export by what happened: everything in it stands (what people, budgets and
/// judges did, what the agent was told and took up) but the verdicts, which are made again. Silence
/// is taken from the export too, since only the daemon knew when it listened. With the rules and
/// the policy that it was served with the verdicts are those that were served. Errors: those of
/// api::decode_stored_event(); the detail begins with the line ("12: ..."). Pure.
core::Result<Timeline> judge_journal(std::vector<StoredEvent> journal, bool keep_journal);

}  // namespace headway::cli
