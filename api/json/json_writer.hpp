// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/json/json_document.hpp"
#include "api/text/timestamp.hpp"
#include "core/base/assert.hpp"
#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/session_payloads.hpp"
#include "core/text/text.hpp"
#include "core/values/cause.hpp"

// Writes described structs and plain values as JSON text, which it appends to one string. Internal
// to the encoders.

namespace headway::api {

class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    void open_object() { open('{'); }
    void close_object() { close('}'); }
    void open_array() { open('['); }
    void close_array() { close(']'); }

    /// Gives the next value the name `name`, which must not need escaping.
    void key(std::string_view name) {
        char text[kKeyBytesMax + 4];
        HEADWAY_ASSERT(name.size() <= kKeyBytesMax);
        char* at = text;
        if (!separated_) *at++ = ',';
        *at++ = '"';
        at = std::copy(name.begin(), name.end(), at);
        *at++ = '"';
        *at++ = ':';
        out_.append(text, static_cast<std::size_t>(at - text));
        separated_ = true;
    }

    template <class T>
    void member(std::string_view name, const T& v) {
        key(name);
        value(v);
    }

    void null() { raw("null"); }

    /// Appends JSON text unchanged.
    void raw(std::string_view json) {
        separate();
        out_.append(json);
    }

    void value(std::string_view text) {
        separate();
        append_json_string(out_, text);
    }
    void value(const std::string& text) { value(std::string_view{text}); }
    void value(const char* text) { value(std::string_view{text}); }
    void value(bool v) { raw(v ? "true" : "false"); }
    void value(double v) {
        separate();
        append_json_number(out_, v);
    }
    void value(core::Timestamp at) {
        if (at == core::kNever) {
            null();
            return;
        }
        separate();
        out_.push_back('"');
        append_timestamp(out_, at);
        out_.push_back('"');
    }
    void value(core::Millis v) { number(v.count()); }
    void value(const core::Text& text) {
        if (text.whole()) {
            value(text.kept);
        } else {
            cut(text);
        }
    }
    void value(const core::Json& json) {
        if (json.whole()) {
            raw(json.kept);
        } else {
            cut(json);
        }
    }
    void value(const core::ExactJson& json) { raw(json.text); }
    void value(const std::vector<core::Label>& labels) {
        open_object();
        for (const core::Label& label : labels) {
            separate();
            append_json_string(out_, label.key);
            out_.push_back(':');
            separated_ = true;
            value(label.value);
        }
        close_object();
    }
    template <class T>
    void value(const std::vector<T>& items) {
        open_array();
        for (const T& item : items)
            value(item);
        close_array();
    }
    template <class T>
    void value(const std::optional<T>& v) {
        if (v) {
            value(*v);
        } else {
            null();
        }
    }
    template <class T>
    requires std::is_integral_v<T>
    void value(T v) { number(v); }
    template <core::NamedEnum E>
    void value(E v) {
        value(core::name_of(v));
    }

    /// Writes a described struct; empty fields are left out.
    template <core::Described T>
    void value(const T& v) {
        open_object();
        members(v);
        close_object();
    }

    /// Writes the members of a struct without the braces, for an object with further members.
    template <core::Described T>
    void members(const T& v) {
        core::for_each_field<T>([&](const auto& field, std::size_t) {
            const auto& member_value = v.*(field.member);
            const bool shown = field.required || !is_absent(member_value);
            if (shown && !field.internal) member(field.name, member_value);
        });
    }

private:
    template <class T>
    static bool is_absent(const T& v) {
        if constexpr (requires { v.has_value(); }) {
            return !v.has_value();
        } else if constexpr (requires { v.empty(); }) {
            return v.empty();
        } else if constexpr (std::is_same_v<T, core::Cause> || core::Described<T>) {
            return v == T{};
        } else {
            return false;
        }
    }

    template <class T>
    void number(T v) {
        separate();
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, v).ptr;
        out_.append(digits, static_cast<std::size_t>(end - digits));
    }

    void cut(const core::Text& text) {
        const std::string_view kept{text.kept};
        open_object();
        member("head", kept.substr(0, text.head_bytes));
        member("tail", kept.substr(text.head_bytes));
        member("bytes", text.bytes);
        member("digest", core::to_hex(text.digest));
        close_object();
    }

    void open(char bracket) {
        separate();
        out_.push_back(bracket);
        separated_ = true;
    }
    void close(char bracket) {
        out_.push_back(bracket);
        separated_ = false;
    }
    void separate() {
        if (!separated_) out_.push_back(',');
        separated_ = false;
    }

    static constexpr std::size_t kKeyBytesMax = 160;  ///< a field's name or a session id

    std::string& out_;
    bool separated_ = true;  ///< the next value needs no comma before it
};

/// Writes a member, as null if `value` is empty.
template <class T>
void member_or_null(JsonWriter& json, std::string_view name, const T& value) {
    json.key(name);
    if (value.empty()) {
        json.null();
    } else {
        json.value(value);
    }
}

}  // namespace headway::api
