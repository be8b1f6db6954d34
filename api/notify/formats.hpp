// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/notify/notice.hpp"

// A letter in each format, exactly as it is sent. The text of an agent cannot mention a person,
// change the style or become a link. Pure.

namespace headway::api::notify {

/// The JSON of an incoming webhook: blocks, and a plain text for notifications.
std::string slack_body(const Letter& letter);

/// The JSON of a webhook, of at most 2,000 characters, without mentions and embeds.
std::string discord_body(const Letter& letter);

/// The JSON that is published to the root address of an ntfy server. The values are not sent as
/// HTTP headers, because these could contain neither a newline nor a character outside ASCII.
std::string ntfy_body(const Letter& letter, std::string_view topic);

/// The JSON for sendMessage, with text in Telegram's HTML. Messages that are not urgent make no
/// sound.
std::string telegram_body(const Letter& letter, std::string_view chat);

/// A complete e-mail, headers and text, with CRLF line ends. Its Message-ID consists of the
/// letter's id and the domain of `from`.
std::string email_text(const Letter& letter, std::string_view from,
                       std::span<const std::string> to);

/// For a program: the stored body plus a further member `notice` (title, text, link, urgency);
/// several bodies become one object of type "webhook.group".
std::string command_body(const Letter& letter, std::span<const std::string_view> bodies);

/// The facts, then as many items as fit into `bytes_max`, one on each line, and where to find the
/// remaining items.
std::string plain_text(const Letter& letter, std::size_t bytes_max);

}  // namespace headway::api::notify
