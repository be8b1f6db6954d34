// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_writer.hpp"
#include "api/notify/formats.hpp"

namespace headway::api::notify {
namespace {

/// ntfy makes a file of a message above 4,096 bytes.
constexpr std::size_t kNtfyBytesMax = 3500;

std::uint64_t priority_of(Urgency urgency) {
    switch (urgency) {
        case Urgency::kUrgent:
            return 5;
        case Urgency::kHigh:
            return 4;
        default:
            return 3;
    }
}

}  // namespace

std::string ntfy_body(const Letter& letter, std::string_view topic) {
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("topic", topic);
    json.member("title", letter.title);
    const std::string text = plain_text(letter, kNtfyBytesMax);
    json.member("message", core::shortened(text.empty() ? letter.title : text, kNtfyBytesMax));
    json.member("priority", priority_of(letter.urgency));
    if (!letter.link.empty()) json.member("click", letter.link);
    if (letter.decides) {
        json.key("actions");
        json.open_array();
        json.open_object();
        json.member("action", "view");
        json.member("label", letter.link_words);
        json.member("url", letter.link);
        json.close_object();
        json.close_array();
    }
    json.close_object();
    return body;
}

}  // namespace headway::api::notify
