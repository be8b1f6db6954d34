// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The texts that agents and tools put around an answer, and answers without content. Pure.

namespace headway::api {

/// The answer without the text around it: for a shell command, its output; for Playwright MCP, the
/// page and the value, without the code of the action.
std::string_view without_frame(std::string_view result);

/// True for a search result, as a JSON object, that found nothing. Its members are empty lists,
/// zeros, durations and names of modes, as in `{"mode":"content","filenames":[],"numFiles":0}`.
bool lists_nothing(std::string_view result);

}  // namespace headway::api
