// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/line/verb_spec.hpp"

namespace headway::cli {

/// A completion script for "bash", "zsh" or "fish"; nothing for another shell. Pure.
std::optional<std::string> completion_script(const VerbSpec& program, std::string_view shell);

}  // namespace headway::cli
