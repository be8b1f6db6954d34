// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "cli/records/offline_judge.hpp"

// The CSV that the learned risk is trained with (docs/risk.md): one row a finished call.

namespace headway::cli {

/// `file,call,suspect,failures,` and the names of the features.
void write_feature_head(std::ostream& csv);

/// The rows of one recording. `file` is quoted where CSV wants it. `suspect` is 1 while the verdict
/// is `suspect` or `stuck`, `failures` the share of the calls that failed.
void write_feature_rows(std::ostream& csv, const std::string& file, const Timeline& timeline);

}  // namespace headway::cli
