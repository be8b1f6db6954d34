// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_writer.hpp"
#include "api/notify/formats.hpp"
#include "core/base/assert.hpp"

namespace headway::api::notify {
namespace {

constexpr std::size_t kTextBytesMax = 16'384;

std::string_view name_of_urgency(Urgency urgency) {
    switch (urgency) {
        case Urgency::kUrgent:
            return "urgent";
        case Urgency::kHigh:
            return "high";
        default:
            return "normal";
    }
}

std::string notice_json(const Letter& letter) {
    std::string text;
    JsonWriter json{text};
    json.open_object();
    json.member("id", letter.id);
    json.member("title", letter.title);
    json.member("text", plain_text(letter, kTextBytesMax));
    json.member("urgency", name_of_urgency(letter.urgency));
    json.key("link");
    if (letter.link.empty()) {
        json.null();
    } else {
        json.value(letter.link);
    }
    json.close_object();
    return text;
}

}  // namespace

std::string command_body(const Letter& letter, std::span<const std::string_view> bodies) {
    HEADWAY_ASSERT(!bodies.empty());
    if (bodies.size() == 1) {
        HEADWAY_ASSERT(bodies.front().ends_with('}'));
        std::string body{bodies.front().substr(0, bodies.front().size() - 1)};
        return body.append(",\"notice\":").append(notice_json(letter)).append("}\n");
    }
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("type", "webhook.group");
    json.member("timestamp", letter.at);
    json.key("data");
    json.open_object();
    json.key("messages");
    json.open_array();
    for (const std::string_view one : bodies)
        json.raw(one);
    json.close_array();
    json.close_object();
    json.key("notice");
    json.raw(notice_json(letter));
    json.close_object();
    return body + "\n";
}

}  // namespace headway::api::notify
