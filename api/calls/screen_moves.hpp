// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "api/json/json_document.hpp"

namespace headway::api {

/// True for a call that acts on a screen, a page or a game, so that only another call shows its
/// effect. Either the name of the tool is clear (`scroll`, `browser_type`), or the name is
/// ambiguous (`move`, `step`, `key`) and the arguments do not identify a record: `move
/// {"dir":"left"}`, but not `move_card {"card":"c1","list":"done"}`.
bool moves_on_screen(std::string_view tool, const std::optional<JsonValue>& args);

}  // namespace headway::api
