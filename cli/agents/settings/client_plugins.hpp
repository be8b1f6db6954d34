// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The plugins of clients/, as this program writes them. Defined in a source file made by
// embed_plugins.cmake.

namespace headway::cli::client_plugins {

extern const std::string_view kOpencode;  ///< plugin of opencode and of Kilo
extern const std::string_view kPi;

}  // namespace headway::cli::client_plugins
