// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "api/json/json_document.hpp"

namespace headway::api {

/// True for a call that acts on a screen, a page or a game, so that only another call shows its
/// effect. Its tool's name says so (`scroll`, `browser_type`), or is a word that may mean it
/// (`move`, `step`, `key`), and its arguments name no record: `move {"dir":"left"}`, not
/// `move_card {"card":"c1","list":"done"}`.
bool moves_on_screen(std::string_view tool, const std::optional<JsonValue>& args);

}  // namespace headway::api
