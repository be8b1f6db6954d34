// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

// The operator's token: a file in the state directory that only its owner can read. It has each
// scope and is in no database and no log.

namespace headway::server {

inline constexpr std::string_view kOperatorId = "operator";
inline constexpr std::string_view kOperatorFile = "operator.token";

struct OperatorToken {
    std::string text;
    bool tightened = false;  ///< other users could read the file until now
};

/// Reads the token in `file`, or creates the file with mode 0600. Error: kInvalidConfig when the
/// content is no token, or the file cannot be read or written. Requires the lock of the store.
core::Result<OperatorToken> load_operator_token(const std::filesystem::path& file);

/// The secret that daemons with one store have in common (access.secret_file). Error:
/// kInvalidConfig when the file cannot be read, when others than its owner can, or when it is too
/// short to be a secret.
core::Result<std::string> read_shared_secret(const std::filesystem::path& file);

/// The token that the secret gives, kept in `file` as one that was made there, for the commands of
/// this machine. Error: kInvalidConfig.
core::Result<std::string> derive_operator_token(const std::filesystem::path& file,
                                                std::string_view secret);

/// Replaces the token atomically, which makes the old one invalid. Returns the new one. Error:
/// kInvalidConfig.
core::Result<std::string> replace_operator_token(const std::filesystem::path& file);

}  // namespace headway::server
