// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "api/hooks/hook.hpp"

namespace headway::tests {

/// One `name: value` a line for each member that is set, texts as JSON strings, calls indented: the
/// form of the golden files.
std::string hook_text(const api::hooks::Hook& hook);

}  // namespace headway::tests
