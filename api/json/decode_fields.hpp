// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/json/json_document.hpp"
#include "api/text/timestamp.hpp"
#include "core/base/fields.hpp"
#include "core/base/limits.hpp"
#include "core/base/result.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/session_payloads.hpp"
#include "core/text/text.hpp"

// Decodes JSON into described structs, strictly: unknown or missing fields and wrong types are
// errors that name the JSON pointer and the fix. Internal to the decoders.

namespace headway::api::fields {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Space reserved for the text of arguments or a result, so that most of these texts are allocated
/// once.
inline constexpr std::size_t kJsonBytesUsual = 128;

[[gnu::cold, gnu::noinline]] inline Error wrong(std::string detail) {
    return {ErrorCode::kInvalidField, std::move(detail), {}};
}

/// The longest key that an error quotes: a client's key may have a megabyte, and sending it back
/// would be useless.
inline constexpr std::size_t kPointerKeyBytesMax = 128;

/// The error with the enclosing member's name added at the beginning of its pointer.
[[gnu::cold, gnu::noinline]] inline Error under(Error error, std::string_view name) {
    std::string token;  // RFC 6901
    for (char c : core::cut_text(name, kPointerKeyBytesMax)) {
        if (c == '~') token += "~0";
        if (c == '/') token += "~1";
        if (c != '~' && c != '/') token.push_back(c);
    }
    error.field = "/" + token + error.field;
    return error;
}

template <core::Described T>
Result<> decode_object(JsonValue json, T& out);

template <core::NamedEnum E>
Result<> decode(JsonValue json, E& out) {
    if (json.kind() == JsonKind::kString && core::parse_name(json.text(), out)) return {};
    std::string names;
    for (std::string_view name : core::EnumNames<E>::kNames) {
        names += (names.empty() ? "" : ", ") + std::string{name};
    }
    return wrong("must be one of " + names);
}

/// True for a field whose text is only compared. Such a text is not redacted, because redaction
/// could make different texts equal.
inline bool names_somebody(std::string_view field) {
    return field == "call_id" || field == "id" || field == "parent" || field == "check_id" ||
           field == "checkId" || field == "sessionId" || field == "request_id" || field == "key" ||
           field.ends_with("digest");
}

/// A string as received.
inline Result<> decode_exact(JsonValue json, std::string& out) {
    if (json.kind() != JsonKind::kString) return wrong("must be a string");
    if (json.text().size() > core::limits::kStringBytesMax && !json.of_export()) {
        return wrong("must be at most " + std::to_string(core::limits::kStringBytesMax) + " bytes");
    }
    out = json.text();
    return {};
}

/// True for a field that names an agent, a tool or the like. Such names are used in paths, tables
/// and other programs.
inline bool is_name(std::string_view field) {
    return field == "tool" || field == "name" || field == "type" || field == "model" ||
           field == "agent";
}

/// Refuses NUL in a name that is compared or shown, since many programs end a string at a NUL.
inline Result<> check_no_nul(const std::string& text) {
    if (text.find('\0') != std::string::npos) return wrong("must not contain \\u0000");
    return {};
}

/// Reads a text that will be stored, and removes its secrets.
inline Result<> decode(JsonValue json, std::string& out) {
    HEADWAY_CHECK(decode_exact(json, out));
    if (json.holds_secret()) out = json.redacted_text();
    return {};
}

/// Reads a text that was cut when it was stored: its head and tail, and the length and digest of
/// the whole text.
Result<> decode_cut(JsonValue json, core::Text& out);

inline Result<> decode(JsonValue json, core::Text& out) {
    if (json.is_cut_text()) return decode_cut(json, out);
    if (json.kind() != JsonKind::kString) return wrong("must be a string");
    out = core::bounded_text(json.redacted_text());
    return {};
}

inline Result<> decode(JsonValue json, core::Json& out) {
    if (json.is_cut_text()) return decode_cut(json, out);
    std::string text;
    text.reserve(kJsonBytesUsual);
    json.append_redacted_to(text);
    static_cast<core::Text&>(out) = core::bounded_text(std::move(text));
    return {};
}

inline Result<> decode(JsonValue json, core::ExactJson& out) {
    json.append_redacted_to(out.text);
    if (out.text.size() <= core::limits::kApprovalArgsBytesMax) return {};
    return wrong("must be at most " + std::to_string(core::limits::kApprovalArgsBytesMax) +
                 " bytes: the person who decides has to see all of it");
}

inline Result<> decode(JsonValue json, core::Timestamp& out) {
    if (json.kind() == JsonKind::kString && parse_timestamp(json.text(), out)) return {};
    return wrong("must be a time such as 2026-11-21T02:37:00.123Z");
}

inline Result<> decode(JsonValue json, bool& out) {
    if (json.kind() != JsonKind::kBoolean) return wrong("must be true or false");
    out = json.boolean();
    return {};
}

inline Result<> decode(JsonValue json, std::uint64_t& out) {
    // From 2^63 on, SQLite and most clients lose digits.
    if (json.kind() != JsonKind::kUnsigned || json.unsigned_integer() > INT64_MAX) {
        return wrong("must be a whole number from 0 to 9223372036854775807");
    }
    out = json.unsigned_integer();
    return {};
}

inline Result<> decode(JsonValue json, core::Millis& out) {
    std::uint64_t count = 0;
    HEADWAY_CHECK(decode(json, count));
    out = core::Millis{static_cast<std::int64_t>(count)};
    return {};
}

inline Result<> decode(JsonValue json, std::uint32_t& out) {
    std::uint64_t wide = 0;
    if (!decode(json, wide) || wide > UINT32_MAX) {
        return wrong("must be a whole number from 0 to 4294967295");
    }
    out = static_cast<std::uint32_t>(wide);
    return {};
}

inline Result<> decode(JsonValue json, double& out) {
    if (json.kind() != JsonKind::kUnsigned && json.kind() != JsonKind::kNegative &&
        json.kind() != JsonKind::kNumber) {
        return wrong("must be a number");
    }
    out = json.number();
    return {};
}

template <core::Described T>
Result<> decode(JsonValue json, T& out) {
    return decode_object(json, out);
}

template <class T>
Result<> decode(JsonValue json, std::optional<T>& out) {
    return decode(json, out.emplace());
}

template <class T>
Result<> decode(JsonValue json, std::vector<T>& out) {
    if (json.kind() != JsonKind::kArray) return wrong("must be a list");
    if (json.size() > core::limits::kListItemsMax) {
        return wrong("must have at most " + std::to_string(core::limits::kListItemsMax) + " items");
    }
    Result<> result;
    json.each([&](JsonValue item) {
        result = decode(item, out.emplace_back());
        if (!result) result = under(result.error(), std::to_string(out.size() - 1));
        return result.has_value();
    });
    return result;
}

/// Reads labels from an object of strings.
inline Result<> decode(JsonValue json, std::vector<core::Label>& out) {
    if (json.kind() != JsonKind::kObject) return wrong("must be an object of strings");
    if (json.size() > core::limits::kLabelsMax) {
        return wrong("must have at most " + std::to_string(core::limits::kLabelsMax) + " labels");
    }
    Result<> result;
    json.each([&](JsonValue item) {
        const bool fits = item.kind() == JsonKind::kString && !item.key().empty() &&
                          item.key().size() <= core::limits::kLabelBytesMax &&
                          !item.text().empty() &&
                          item.text().size() <= core::limits::kLabelBytesMax;
        if (fits) {
            out.push_back({std::string{item.key()}, item.redacted_text()});
        } else {
            result = under(wrong("label and value must be strings of 1 to 128 bytes"), item.key());
        }
        return fits;
    });
    return result;
}

/// The error for a field that a struct does not have. It lists the known names and suggests the one
/// that was probably meant.
Error unknown_field(std::string_view key, std::span<const std::string_view> known);

template <core::Described T>
[[gnu::cold, gnu::noinline]] Error unknown_field_of(std::string_view key) {
    std::vector<std::string_view> names;
    core::for_each_field<T>([&](const auto& field, std::size_t) {
        if (!field.internal) names.push_back(field.name);
    });
    return unknown_field(key, names);
}

template <core::Described T>
Result<> decode_object(JsonValue json, T& out) {
    if (json.kind() != JsonKind::kObject) return wrong("must be an object");
    std::array<bool, core::kFieldCount<T>> seen{};
    Result<> result;
    json.each([&](JsonValue member) {
        bool known = false;
        core::for_each_field<T>([&](const auto& field, std::size_t index) {
            if (known || field.internal || field.name != member.key()) return;
            known = true;
            if (member.kind() == JsonKind::kNull) return;  // null = absent
            seen[index] = true;
            using Member = std::remove_reference_t<decltype(out.*(field.member))>;
            if constexpr (std::is_same_v<Member, std::string>) {
                const bool exact = names_somebody(field.name);
                std::string& text = out.*(field.member);
                result = exact ? decode_exact(member, text) : decode(member, text);
                if (result && (exact || is_name(field.name))) result = check_no_nul(text);
            } else {
                result = decode(member, out.*(field.member));
            }
        });
        if (!known) {
            result = unknown_field_of<T>(member.key());
        }
        if (!result) result = under(result.error(), member.key());
        return result.has_value();
    });
    if (!result) return result;
    core::for_each_field<T>([&](const auto& field, std::size_t index) {
        if (!field.required || seen[index] || !result) return;
        result = under(Error{ErrorCode::kMissingField, "is required", {}}, field.name);
    });
    return result;
}

}  // namespace headway::api::fields
