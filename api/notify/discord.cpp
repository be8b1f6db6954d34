// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_writer.hpp"
#include "api/notify/formats.hpp"

namespace headway::api::notify {
namespace {

constexpr std::size_t kContentMax = 2000;    // characters
constexpr std::size_t kReservedForEnd = 40;  // "and 500 more"
constexpr std::uint64_t kSuppressEmbeds = 4;

/// Characters as UTF-16 has them, which is at least what Discord counts.
std::size_t units_of(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0U) != 0x80U) ++units;
        if (byte >= 0xf0) ++units;
    }
    return units;
}

/// With a backslash before all that is Markdown, a mention or the colon of a link or an emoji.
std::string escaped_for_discord(std::string_view text) {
    constexpr std::string_view kMarkup = "\\*_~`|>#[]()<:@-+.!";
    std::string out;
    for (const char c : text) {
        if (kMarkup.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string discord_link(std::string_view words, const std::string& link) {
    return link.empty() ? escaped_for_discord(words)
                        : "[" + escaped_for_discord(words) + "](<" + link + ">)";
}

/// Lines that are whole or not there: one that is cut could end between a backslash and its
/// character.
std::string discord_content(const Letter& letter) {
    const std::string end =
        letter.link.empty() ? "" : "\n" + discord_link(letter.link_words, letter.link);
    const std::size_t room = kContentMax - units_of(end) - kReservedForEnd;
    std::string text = "**" + escaped_for_discord(letter.title) + "**";
    const auto add = [&](const std::string& line) {
        if (units_of(text) + units_of(line) + 1 > room) return false;
        text.append("\n").append(line);
        return true;
    };
    for (const auto& [label, value] : letter.facts) {
        const std::string line = std::string{label} + ": ";
        const std::size_t used = units_of(text) + line.size() + 1;
        std::string fits = escaped_for_discord(value);
        for (std::size_t bytes = value.size(); used + units_of(fits) > room && bytes > 0;
             bytes /= 2)
            fits = escaped_for_discord(core::shortened(value, bytes));
        static_cast<void>(add(line + fits));
    }
    std::size_t shown = 0;
    while (shown < letter.items.size()) {
        const Letter::Item& item = letter.items[shown];
        if (!add("• " + discord_link(item.text, item.link))) break;
        ++shown;
    }
    if (shown < letter.items.size()) text += "\n" + and_more(letter.items.size() - shown);
    return text + end;
}

}  // namespace

std::string discord_body(const Letter& letter) {
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("content", discord_content(letter));
    json.key("allowed_mentions");
    json.open_object();
    json.key("parse");
    json.open_array();
    json.close_array();
    json.close_object();
    json.member("flags", kSuppressEmbeds);
    json.close_object();
    return body;
}

}  // namespace headway::api::notify
