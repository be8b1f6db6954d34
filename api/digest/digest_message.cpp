// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/digest/digest.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"

namespace headway::api {
namespace {

constexpr std::size_t kMessageLineBytesMax = 200;

std::string message_of(const DigestPage& page, core::Timestamp at, std::size_t lines) {
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("type", "digest");
    json.member("timestamp", at);
    json.key("data");
    json.open_object();
    json.member("title", page.title);
    json.member("span", page.span);
    json.key("lines");
    json.open_array();
    for (const DigestPage::Section& section : page.sections) {
        const std::size_t shown = std::min(section.lines.size(), lines);
        for (std::size_t i = 0; i < shown; ++i)
            json.value(section.heading + ": " +
                       core::shortened(section.lines[i], kMessageLineBytesMax));
        if (shown < section.lines.size())
            json.value(section.heading + ": " + std::to_string(section.lines.size() - shown) +
                       " more");
    }
    json.close_array();
    json.close_object();
    json.close_object();
    return body;
}

}  // namespace

std::string digest_message(const DigestPage& page, core::Timestamp at) {
    std::string body;
    for (const std::size_t lines :
         {std::size_t{10}, std::size_t{5}, std::size_t{2}, std::size_t{0}}) {
        body = message_of(page, at, lines);
        if (body.size() <= core::limits::kWebhookBodyBytesMax) break;
    }
    return body;
}

}  // namespace headway::api
