// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The frames that agents and tools put around an answer, and answers that are nothing else. Pure.

namespace headway::api {

/// The answer without the frame around it: of a shell command its output, of Playwright MCP the
/// page and the value, without the code that quotes the action.
std::string_view without_frame(std::string_view result);

/// True for the answer "no" of a search as an object: empty lists, zeros and names of modes, as in
/// `{"mode":"content","filenames":[],"numFiles":0}`.
bool lists_nothing(std::string_view result);

}  // namespace headway::api
