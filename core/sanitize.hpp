// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// What stands in place of a secret.
inline constexpr std::string_view kRedacted = "[redacted]";

/// `text` on one line, at most `bytes_max` bytes, fit to be handed to a model: without mail
/// addresses, IP addresses (but those of this machine) and names of users, without values of names
/// that sound like secrets (password, token, api_key, Authorization, Cookie ...), without tokens of
/// known shapes (OpenAI, GitHub, GitLab, Slack, AWS, Google, JWT, private keys), without the user
/// part of URLs, and with absolute paths cut to their last part, except those under `workspace`,
/// which become relative. Errs on the side of taking out. An empty `workspace` stands for none; "/"
/// leaves all paths as they are. Pure; linear in the text.
std::string sanitized(std::string_view text, std::string_view workspace, std::size_t bytes_max);

}  // namespace headway::core
