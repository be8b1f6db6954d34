// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/notify/notice.hpp"

// A letter in each format: what is sent, byte by byte. No text of an agent calls anybody, styles
// anything or becomes a link. Pure.

namespace headway::api::notify {

/// The JSON of an incoming webhook: blocks, and a plain text for notifications.
std::string slack_body(const Letter& letter);

/// The JSON of a webhook, of at most 2,000 characters, without mentions and embeds.
std::string discord_body(const Letter& letter);

/// JSON publishing, to the address of the server itself. Nothing is in headers, which could hold
/// neither a newline nor what is no ASCII.
std::string ntfy_body(const Letter& letter, std::string_view topic);

/// The JSON of sendMessage, in Telegram's HTML. A message that is not urgent makes no sound.
std::string telegram_body(const Letter& letter, std::string_view chat);

/// A whole mail, headers and text, with CRLF. Its Message-ID is of the letter's id and the domain
/// of `from`.
std::string email_text(const Letter& letter, std::string_view from,
                       std::span<const std::string> to);

/// For a program: the stored body as it stands, with `notice` (title, text, link, urgency) behind
/// its members; of several, an object of type "webhook.group" with all of them.
std::string command_body(const Letter& letter, std::span<const std::string_view> bodies);

/// The facts, then as many items as `bytes_max` holds, one a line; and where the rest is.
std::string plain_text(const Letter& letter, std::size_t bytes_max);

}  // namespace headway::api::notify
