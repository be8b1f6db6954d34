// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_wire.hpp"

#include <algorithm>

#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;

void append_message(JsonWriter& out, std::string_view role, std::string_view content) {
    out.open_object();
    out.member("role", role);
    out.member("content", content);
    out.close_object();
}

/// The member of an object that is a text; else nothing, since many send null for what is absent.
std::optional<std::string_view> text_of(const JsonValue& object, std::string_view key) {
    std::optional<std::string_view> found;
    if (object.kind() != JsonKind::kObject) return found;
    object.each([&](const JsonValue& member) {
        if (member.key() != key) return true;
        if (member.kind() == JsonKind::kString) found = member.text();
        return false;
    });
    return found;
}

/// {"error": {"message": ...}}, {"error": ...}
std::string error_text(const JsonValue& error) {
    if (error.kind() == JsonKind::kString) return std::string{error.text()};
    if (const auto message = text_of(error, "message")) return std::string{*message};
    std::string text;
    error.append_to(text);
    return text;
}

void read_choice(const JsonValue& choice, ChatPart& part) {
    if (choice.kind() != JsonKind::kObject) return;
    part.choice = true;
    choice.each([&](const JsonValue& member) {
        if (member.key() == "delta" || member.key() == "message") {
            if (const auto text = text_of(member, "content")) part.text = *text;
        } else if (member.key() == "finish_reason") {
            part.finished = member.kind() == JsonKind::kString;
        }
        return true;
    });
}

std::optional<ChatUsage> read_usage(const JsonValue& usage) {
    if (usage.kind() != JsonKind::kObject) return std::nullopt;
    ChatUsage found;
    usage.each([&](const JsonValue& member) {
        if (member.kind() != JsonKind::kUnsigned) return true;
        const auto tokens = std::min(member.unsigned_integer(), core::limits::kJudgeTokensMax);
        if (member.key() == "prompt_tokens") found.prompt_tokens = tokens;
        if (member.key() == "completion_tokens") found.completion_tokens = tokens;
        return true;
    });
    return found;
}

void read_member(const JsonValue& member, ChatPart& part) {
    const std::string_view key = member.key();
    const bool is_text = member.kind() == JsonKind::kString;
    if (key == "choices" && member.kind() == JsonKind::kArray) {
        member.each([&](const JsonValue& choice) {
            read_choice(choice, part);
            return false;
        });
    } else if (key == "usage") {
        part.usage = read_usage(member);
    } else if (key == "model" && is_text) {
        part.model = member.text();
    } else if (key == "error" && member.kind() != JsonKind::kNull) {
        part.error = error_text(member);
    } else if ((key == "message" || key == "detail") && is_text && !part.error) {
        part.error = member.text();  // how older servers and web frameworks put it
    }
}

}  // namespace

std::string encode_chat_request(const ChatRequest& request) {
    std::string body;
    JsonWriter out{body};
    out.open_object();
    out.member("model", request.model);
    out.key("messages");
    out.open_array();
    append_message(out, "system", request.system);
    append_message(out, "user", request.user);
    out.close_array();
    out.member("max_tokens", request.max_tokens);
    out.member("temperature", request.temperature);
    out.member("stream", true);
    out.key("stream_options");
    out.open_object();
    out.member("include_usage", true);
    out.close_object();
    out.close_object();
    return body;
}

core::Result<ChatPart> decode_chat_part(JsonDocument& document, std::string_view json) {
    HEADWAY_CHECK(document.parse(json));
    const JsonValue root = document.root();
    if (root.kind() != JsonKind::kObject) {
        return Error{ErrorCode::kInvalidField, "a completion is an object", ""};
    }
    ChatPart part;
    root.each([&](const JsonValue& member) {
        read_member(member, part);
        return true;
    });
    return part;
}

}  // namespace headway::api
