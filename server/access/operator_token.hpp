// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

// The operator's token: a file in the state directory that only its owner can read. The token has
// every scope and is never stored in a database or log.

namespace headway::server {

inline constexpr std::string_view kOperatorId = "operator";
inline constexpr std::string_view kOperatorFile = "operator.token";

struct OperatorToken {
    std::string text;
    bool tightened = false;  ///< other users could read the file until now
};

/// Reads the token in `file`, or creates the file with mode 0600. Error: kInvalidConfig if the
/// content is not a token, or if the file cannot be read or written. The caller must hold the
/// store's lock.
core::Result<OperatorToken> load_operator_token(const std::filesystem::path& file);

/// The common secret of daemons that share a store (access.secret_file). Error: kInvalidConfig if
/// the file cannot be read, if users other than its owner can read it, or if it is too short for a
/// secret.
core::Result<std::string> read_shared_secret(const std::filesystem::path& file);

/// Derives the token from `secret` and stores it in `file`, like a generated token, for commands on
/// this machine. Error: kInvalidConfig.
core::Result<std::string> derive_operator_token(const std::filesystem::path& file,
                                                std::string_view secret);

/// Replaces the token atomically; the old token becomes invalid. Returns the new token. Error:
/// kInvalidConfig.
core::Result<std::string> replace_operator_token(const std::filesystem::path& file);

}  // namespace headway::server
