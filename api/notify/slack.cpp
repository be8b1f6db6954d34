// SPDX-License-Identifier: Apache-2.0
#include "api/json_writer.hpp"
#include "api/notify/formats.hpp"
#include "core/text.hpp"

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
    return "<" + link + "|" + escaped_for_slack(words) + ">";
}

/// One line for each item, with its link. Style characters of an item lose their meaning by a link
/// or, without one, by the plain type of the block.
std::string slack_items(const Letter& letter) {
    std::string text;
    std::size_t shown = 0;
    for (const Letter::Item& item : letter.items) {
        const std::string line =
            "• " +
            (item.link.empty() ? escaped_for_slack(item.text) : slack_link(item.link, item.text)) +
            "\n";
        if (shown == kSlackItemsMax || text.size() + line.size() > kSectionBytesMax) break;
        text += line;
        ++shown;
    }
    return text + and_more(letter.items.size() - shown);
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
    for (const auto& [label, said] : letter.facts)
        facts.append(facts.empty() ? "" : "\n").append(label).append(": ").append(said);
    if (!facts.empty())
        write_block(json, "section", "plain_text", core::shortened(facts, kSectionBytesMax));
    if (!letter.items.empty()) write_block(json, "section", "mrkdwn", slack_items(letter));
    if (!letter.link.empty())
        write_block(json, "section", "mrkdwn", slack_link(letter.link, letter.link_words));
    json.close_array();
    json.close_object();
    return body;
}

}  // namespace headway::api::notify
