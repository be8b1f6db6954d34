// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/load/load.hpp"

namespace headway::cli {

struct ConfigOptions {
    enum class Action : std::uint8_t { kCheck, kShow, kDefault };
    Action action = Action::kCheck;
    config::LoadRequest sources;
    bool origin = false;
    bool json = false;
};

}  // namespace headway::cli
