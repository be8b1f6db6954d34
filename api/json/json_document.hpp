// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_string.hpp"
#include "core/base/result.hpp"
#include "core/redaction/secrets.hpp"

namespace headway::api {

class JsonDocument;

enum class JsonKind : std::uint8_t {
    kNull,
    kBoolean,
    kUnsigned,  ///< a non-negative integer that fits into 64 bits
    kNegative,  ///< a negative integer that fits into 64 bits
    kNumber,    ///< any other number
    kString,
    kArray,
    kObject,
};

/// One value of a parsed body: a position in its document, cheap to copy. Valid until the document
/// parses another text.
class JsonValue {
public:
    JsonKind kind() const;
    std::string_view key() const;  ///< the member's name; empty outside of an object
    bool boolean() const;
    std::uint64_t unsigned_integer() const;
    double number() const;          ///< valid for all three kinds of number
    std::string_view text() const;  ///< valid for a string
    std::size_t size() const;       ///< valid for an array or object

    /// Calls `visit(child)` for each element or member, in order, until `visit` returns false.
    /// Returns false if `visit` did.
    template <class Visit>
    bool each(Visit&& visit) const;

    /// Appends the value as compact JSON, with the numbers and the order of the keys as received.
    void append_to(std::string& out) const;

    // Like append_to(), but without secrets, for text that is stored or logged.
    // JsonDocument::redact_with() decides which texts are secrets.
    void append_redacted_to(std::string& out) const;
    /// The string's text, redacted.
    std::string redacted_text() const;
    /// True if the value contains a secret, so that redaction changes its text.
    bool holds_secret() const;
    /// True if JsonDocument::read_exports() is on, that is, if Headway itself wrote the value.
    bool of_export() const;
    /// True if of_export() is true and the value is a text that was cut when it was stored.
    bool is_cut_text() const;

private:
    friend class JsonDocument;
    friend class DocumentWriter;
    JsonValue(const JsonDocument& document, std::uint32_t at) : document_(&document), at_(at) {}
    void append_redacted_to(std::string& out, std::string_view secret_key) const;
    void append_redacted_string(std::string& out, std::string_view secret_key) const;
    const JsonDocument* document_;
    std::uint32_t at_;
};

/// A strict, bounded JSON parser (Boost.JSON's callback parser). It keeps the values in one flat
/// document and reuses its memory, so that reading a report allocates nothing. Refuses duplicate
/// keys, NUL, invalid UTF-8, more than limits::kJsonDepthMax levels, and more than
/// limits::kJsonNodesMax values. One thread at a time.
class JsonDocument {
public:
    /// Parses `text`. Error: kInvalidJson; the document is then empty.
    core::Result<> parse(std::string_view text);
    JsonValue root() const { return {*this, 0}; }
    /// Sets the finder of secrets in this document; with null, the default, no text is a secret.
    /// `secrets` must outlive the document.
    void redact_with(const core::SecretFinder* secrets) { secrets_ = secrets; }
    /// The finder set by redact_with(), also used for text that is not JSON (plain_text.hpp); may
    /// be null.
    const core::SecretFinder* secrets() const { return secrets_; }
    /// Switches on the reading of events in the form in which Headway stored them. In this form,
    /// {"head","tail","bytes","digest"} is a text that was cut, and Headway's own texts may be
    /// longer than an agent's. Off by default.
    void read_exports(bool on) { exports_ = on; }

    struct Node {
        JsonKind kind = JsonKind::kNull;
        bool boolean = false;
        std::uint32_t key_at = 0;
        std::uint32_t key_size = 0;
        std::uint32_t text_at = 0;  ///< strings and numbers as received
        std::uint32_t text_size = 0;
        std::uint32_t children = 0;
        std::uint32_t next = 0;  ///< position after this value and its children
        std::uint64_t integer = 0;
        double number = 0;
    };

private:
    friend class JsonValue;
    friend class DocumentBuilder;
    friend class DocumentWriter;
    std::vector<Node> nodes_;
    std::string text_;
    std::vector<std::string_view> keys_;  ///< keys of the object that was read last
    const core::SecretFinder* secrets_ = nullptr;
    bool exports_ = false;
};

template <class Visit>
bool JsonValue::each(Visit&& visit) const {
    std::uint32_t child = at_ + 1;
    for (std::uint32_t i = 0; i < document_->nodes_[at_].children; ++i) {
        if (!visit(JsonValue{*document_, child})) return false;
        child = document_->nodes_[child].next;
    }
    return true;
}

}  // namespace headway::api
