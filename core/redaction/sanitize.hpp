// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// Replacement text for a secret.
inline constexpr std::string_view kRedacted = "[redacted]";

/// `text` on one line of at most `bytes_max` bytes, safe to show to a model. These parts are
/// removed: e-mail addresses, non-local IP addresses, user names, values of secret-sounding names
/// (password, token, api_key, Authorization, Cookie ...), tokens of known shapes (OpenAI, GitHub,
/// GitLab, Slack, AWS, Google, JWT, private keys), and the user part of URLs. Absolute paths are
/// cut to their last part, except those under `workspace`, which become relative. In doubt, text is
/// removed. An empty `workspace` means that there is none; "/" leaves all paths as they are. Pure;
/// linear in the text.
std::string sanitized(std::string_view text, std::string_view workspace, std::size_t bytes_max);

}  // namespace headway::core
