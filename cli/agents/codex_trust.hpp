// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/agents/agent_finder.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// Codex silently skips hooks that a person has not trusted; trust is for the exact text.
struct CodexTrust {
    std::size_t trusted = 0;
    std::size_t untrusted = 0;
};

/// Codex's trust in Headway's hooks in the file `hooks`, queried over its app-server. With `trust`
/// the hooks are trusted first. Up to 20 s. Error: kInvalidParameter if Codex does not answer.
core::Result<CodexTrust> codex_trust(const std::filesystem::path& program,
                                     const std::filesystem::path& hooks,
                                     const Environment& environment, bool trust);

}  // namespace headway::cli
