// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/agents/agent_finder.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// Codex skips hooks that a person has not trusted, without a word, and trusts the exact text.
struct CodexTrust {
    std::size_t trusted = 0;
    std::size_t untrusted = 0;
};

/// Codex's state of our hooks in this file, queried over its app-server. With `trust` they are
/// trusted first. Up to 20 s. Error: kInvalidParameter, when it does not answer.
core::Result<CodexTrust> codex_trust(const std::filesystem::path& program,
                                     const std::filesystem::path& hooks,
                                     const Environment& environment, bool trust);

}  // namespace headway::cli
