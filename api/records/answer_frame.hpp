// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The frames that agents and tools put around an answer. Pure.

namespace headway::api {

/// The answer without the frame around it: of a shell command its output, of Playwright MCP the
/// page and the value, without the code that quotes the action.
std::string_view without_frame(std::string_view result);

}  // namespace headway::api
