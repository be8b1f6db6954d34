// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/json/json_writer.hpp"
#include "api/notify/formats.hpp"
#include "core/text/text.hpp"

// Agents' texts stand in objects of type plain_text, where nothing is markup. Only our own links
// are mrkdwn, with `verbatim`, which turns no word into a mention.

namespace headway::api::notify {
namespace {

constexpr std::size_t kHeaderBytesMax = 150;  // characters, as Slack counts
constexpr std::size_t kSectionBytesMax = 2800;
constexpr std::size_t kSlackItemsMax = 20;

/// The three characters that begin or end `<!channel>`, `<@U1>` and `<https://…|text>`.
std::string escaped_for_slack(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else {
            out += c;
        }
    }
    return out;
}

void write_text(JsonWriter& json, std::string_view type, std::string_view text) {
    json.open_object();
    json.member("type", type);
    json.member("text", text);
    if (type == "plain_text") {
        json.member("emoji", false);
    } else {
        json.member("verbatim", true);
    }
    json.close_object();
}

void write_block(JsonWriter& json, std::string_view block, std::string_view type,
                 std::string_view text) {
    json.open_object();
    json.member("type", block);
    json.key("text");
    write_text(json, type, text);
    json.close_object();
}

std::string slack_link(const std::string& link, std::string_view words) {
    return "<" + link + "|" + std::string{words} + ">";
}

/// As many items as fit, and how many there are.
std::size_t items_shown(const Letter& letter) {
    std::size_t bytes = 0;
    std::size_t shown = 0;
    for (const Letter::Item& item : letter.items) {
        bytes += std::max(item.text.size(), item.link.size()) + 16;
        if (shown == kSlackItemsMax || bytes > kSectionBytesMax) break;
        ++shown;
    }
    return shown;
}

/// "1. night-7 is stuck", one line for each item.
std::string numbered_items(const Letter& letter, std::size_t shown) {
    std::string text;
    for (std::size_t i = 0; i < shown; ++i)
        text.append(std::to_string(i + 1)).append(". ").append(letter.items[i].text).append("\n");
    text += and_more(letter.items.size() - shown);
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

/// The links of these items by their numbers, since a label of an agent's words would be markup.
std::string numbered_links(const Letter& letter, std::size_t shown) {
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string& link = letter.items[i].link;
        if (link.empty()) continue;
        text.append(text.empty() ? "" : "  ").append(slack_link(link, std::to_string(i + 1)));
    }
    return text;
}

}  // namespace

std::string slack_body(const Letter& letter) {
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("text", escaped_for_slack(letter.title));
    json.member("mrkdwn", false);
    json.member("unfurl_links", false);
    json.member("unfurl_media", false);
    json.key("blocks");
    json.open_array();
    write_block(json, "header", "plain_text", core::shortened(letter.title, kHeaderBytesMax));
    std::string facts;
    for (const auto& [label, value] : letter.facts)
        facts.append(facts.empty() ? "" : "\n").append(label).append(": ").append(value);
    if (!facts.empty())
        write_block(json, "section", "plain_text", core::shortened(facts, kSectionBytesMax));
    if (!letter.items.empty()) {
        const std::size_t shown = items_shown(letter);
        write_block(json, "section", "plain_text", numbered_items(letter, shown));
        const std::string links = numbered_links(letter, shown);
        if (!links.empty()) write_block(json, "section", "mrkdwn", links);
    }
    if (!letter.link.empty())
        write_block(json, "section", "mrkdwn", slack_link(letter.link, letter.link_words));
    json.close_array();
    json.close_object();
    return body;
}

}  // namespace headway::api::notify
