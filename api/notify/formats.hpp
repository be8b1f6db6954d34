// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/notify/notice.hpp"

// A letter in each format, byte by byte as sent. An agent's text cannot mention a person, style
// anything or become a link. Pure.

namespace headway::api::notify {

/// The JSON of an incoming webhook: blocks, and a plain text for notifications.
std::string slack_body(const Letter& letter);

/// The JSON of a webhook, of at most 2,000 characters, without mentions and embeds.
std::string discord_body(const Letter& letter);

/// JSON publishing, to the server's root address. Headers are not used: they could hold neither a
/// newline nor a character outside ASCII.
std::string ntfy_body(const Letter& letter, std::string_view topic);

/// The JSON of sendMessage, in Telegram's HTML. Messages that are not urgent make no sound.
std::string telegram_body(const Letter& letter, std::string_view chat);

/// A whole mail, headers and text, with CRLF. Its Message-ID has the letter's id and the domain of
/// `from`.
std::string email_text(const Letter& letter, std::string_view from,
                       std::span<const std::string> to);

/// For a program: the stored body unchanged, with `notice` (title, text, link, urgency) after its
/// members; several bodies form one object of type "webhook.group".
std::string command_body(const Letter& letter, std::span<const std::string_view> bodies);

/// The facts, then as many items as `bytes_max` holds, one per line, and where to find the rest.
std::string plain_text(const Letter& letter, std::size_t bytes_max);

}  // namespace headway::api::notify
