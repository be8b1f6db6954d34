// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/result.hpp"

// The operator's token: a file in the state directory that only its owner can read. Whoever can
// read it may do everything; it is in no database and no log.

namespace headway::server {

inline constexpr std::string_view kOperatorId = "operator";
inline constexpr std::string_view kOperatorFile = "operator.token";

struct OperatorToken {
    std::string text;
    bool tightened = false;  ///< others could read the file; they cannot any more
};

/// Reads the token in `file`; makes one, with mode 0600, where there is none. Error: kInvalidConfig
/// when there is something else, or the file cannot be read or written. Only under the lock of the
/// store.
core::Result<OperatorToken> load_operator_token(const std::filesystem::path& file);

/// Puts a new token there in one step; the old one is worth nothing from then on. Returns it.
/// Error: kInvalidConfig.
core::Result<std::string> replace_operator_token(const std::filesystem::path& file);

}  // namespace headway::server
