// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/line/verb_spec.hpp"

namespace headway::cli {

/// A page in the language of man(7), section 1, for a verb, whose name follows the program's
/// ("headway-token"), or for the program itself. `version` is for the footer. Pure.
std::string manual_page(const VerbSpec& verb, const std::string& full_name,
                        const std::string& version);

}  // namespace headway::cli
