// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/line/verb_spec.hpp"

namespace headway::cli {

/// A manual page of section 1, in the language of man(7), for the program or for a verb. The name
/// of a verb follows that of the program ("headway-token"). `version` is for the footer. Pure.
std::string manual_page(const VerbSpec& verb, const std::string& full_name,
                        const std::string& version);

}  // namespace headway::cli
