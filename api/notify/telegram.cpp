// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_writer.hpp"
#include "api/notify/formats.hpp"
#include "api/text/entities.hpp"
#include "core/text/text.hpp"

// Agents' texts stand in <code>, in which Telegram makes no mention, link, tag or command.

namespace headway::api::notify {
namespace {

constexpr std::size_t kTelegramBytesMax = 3'600;  // of 4,096 characters, without what is escaped
constexpr std::size_t kTelegramTitleMax = 300;

std::string code_of(std::string_view text) {
    return "<code>" + with_entities(text) + "</code>";
}

std::string telegram_link(const std::string& link, std::string_view words) {
    if (link.empty()) return {};
    return "<a href=\"" + with_entities(link) + "\">" + with_entities(words) + "</a>";
}

std::string telegram_text(const Letter& letter) {
    const std::string title = core::shortened(letter.title, kTelegramTitleMax);
    std::string text = code_of(title);
    std::size_t used = title.size();  // as people read it
    for (const auto& [label, value] : letter.facts) {
        if (used >= kTelegramBytesMax) break;
        const std::string fits = core::shortened(value, kTelegramBytesMax - used);
        used += label.size() + fits.size() + 3;
        text += "\n<b>" + with_entities(label) + ":</b> " + code_of(fits);
    }
    std::size_t shown = 0;
    for (const Letter::Item& item : letter.items) {
        used += item.text.size() + 8;
        if (used > kTelegramBytesMax) break;
        ++shown;
        text += "\n" + std::to_string(shown) + ". " + code_of(item.text);
        if (!item.link.empty()) text += " " + telegram_link(item.link, "open");
    }
    if (shown < letter.items.size()) text += "\n" + and_more(letter.items.size() - shown);
    const std::string link = telegram_link(letter.link, letter.link_words);
    return link.empty() ? text : text + "\n" + link;
}

}  // namespace

std::string telegram_body(const Letter& letter, std::string_view chat) {
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("chat_id", chat);
    json.member("text", telegram_text(letter));
    json.member("parse_mode", "HTML");
    json.key("link_preview_options");
    json.open_object();
    json.member("is_disabled", true);
    json.close_object();
    if (letter.urgency == Urgency::kNormal) json.member("disable_notification", true);
    json.close_object();
    return body;
}

}  // namespace headway::api::notify
