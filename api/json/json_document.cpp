// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_document.hpp"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>  // the library itself, which libboost1.81-dev has as source alone
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/base/limits.hpp"

namespace headway::api {
namespace limits = core::limits;
namespace json = boost::json;

/// Callbacks of Boost.JSON's parser. Every callback returns false to stop, with the reason in
/// `error`. Text comes in pieces only where it has escapes.
class DocumentBuilder {
public:
    static constexpr std::size_t max_array_size = limits::kReportBodyBytesMax;
    static constexpr std::size_t max_object_size = limits::kReportBodyBytesMax;
    static constexpr std::size_t max_string_size = limits::kHookBodyBytesMax;
    static constexpr std::size_t max_key_size = limits::kReportBodyBytesMax;

    explicit DocumentBuilder(JsonDocument& document) : document_(document) {}

    std::string error;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code& ec) { return open(JsonKind::kObject, ec); }
    bool on_object_end(std::size_t, json::error_code& ec) { return check_keys(ec) && close(); }
    bool on_array_begin(json::error_code& ec) { return open(JsonKind::kArray, ec); }
    bool on_array_end(std::size_t, json::error_code&) { return close(); }

    bool on_key_part(json::string_view piece, std::size_t, json::error_code&) {
        document_.text_.append(piece.data(), piece.size());
        return true;
    }
    bool on_key(json::string_view last, std::size_t size, json::error_code&) {
        key_at_ = end_of(last, size);
        key_size_ = static_cast<std::uint32_t>(size);
        return true;
    }
    bool on_string_part(json::string_view piece, std::size_t, json::error_code&) {
        document_.text_.append(piece.data(), piece.size());
        return true;
    }
    bool on_string(json::string_view last, std::size_t size, json::error_code& ec) {
        Node* node = add(JsonKind::kString, ec);
        if (node == nullptr) return false;
        node->text_at = end_of(last, size);
        node->text_size = static_cast<std::uint32_t>(size);
        return true;
    }

    bool on_number_part(json::string_view, json::error_code&) {
        return true;  // never: the body is here as a whole
    }
    bool on_int64(std::int64_t value, json::string_view digits, json::error_code& ec) {
        const bool negative = digits.front() == '-';
        Node* node = number(negative ? JsonKind::kNegative : JsonKind::kUnsigned, digits, ec);
        if (node == nullptr) return false;
        node->number = static_cast<double>(value);
        if (!negative) node->integer = static_cast<std::uint64_t>(value);
        return true;
    }
    bool on_uint64(std::uint64_t value, json::string_view digits, json::error_code& ec) {
        Node* node = number(JsonKind::kUnsigned, digits, ec);
        if (node == nullptr) return false;
        node->number = static_cast<double>(value);
        node->integer = value;
        return true;
    }
    bool on_double(double, json::string_view digits, json::error_code& ec) {
        Node* node = number(JsonKind::kNumber, digits, ec);
        if (node == nullptr) return false;
        // Boost 1.81 may be off in the last place, so the number is read again.
        const char* text = document_.text_.c_str() + node->text_at;
        node->number = std::strtod(text, nullptr);
        if (std::isfinite(node->number)) return true;
        return fail("the number " + printable({digits.data(), digits.size()}) + " is out of range",
                    ec);
    }

    bool on_bool(bool value, json::error_code& ec) {
        Node* node = add(JsonKind::kBoolean, ec);
        if (node != nullptr) node->boolean = value;
        return node != nullptr;
    }
    bool on_null(json::error_code& ec) { return add(JsonKind::kNull, ec) != nullptr; }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

    static std::string printable(std::string_view text) {
        std::string shown;
        for (char c : text.substr(0, 40))
            shown.push_back(c >= ' ' && c < 0x7f ? c : '?');
        return shown;
    }

private:
    using Node = JsonDocument::Node;

    Node* add(JsonKind kind, json::error_code& ec) {
        if (document_.nodes_.size() >= limits::kJsonNodesMax) {
            fail("more than " + std::to_string(limits::kJsonNodesMax) + " values", ec);
            return nullptr;
        }
        if (depth_ > 0) ++document_.nodes_[open_[depth_ - 1]].children;
        Node& node = document_.nodes_.emplace_back();
        node.kind = kind;
        node.key_at = key_at_;
        node.key_size = key_size_;
        node.next = static_cast<std::uint32_t>(document_.nodes_.size());
        key_size_ = 0;
        return &node;
    }

    Node* number(JsonKind kind, json::string_view digits, json::error_code& ec) {
        Node* node = add(kind, ec);
        if (node == nullptr) return nullptr;
        node->text_at = end_of(digits, digits.size());
        node->text_size = static_cast<std::uint32_t>(digits.size());
        return node;
    }

    /// Keeps the last piece of a text of `size` bytes; where the text begins.
    std::uint32_t end_of(json::string_view last, std::size_t size) {
        document_.text_.append(last.data(), last.size());
        return static_cast<std::uint32_t>(document_.text_.size() - size);
    }

    bool open(JsonKind kind, json::error_code& ec) {
        if (depth_ == limits::kJsonDepthMax) {
            return fail("nested more than " + std::to_string(limits::kJsonDepthMax) + " levels",
                        ec);
        }
        if (add(kind, ec) == nullptr) return false;
        open_[depth_++] = static_cast<std::uint32_t>(document_.nodes_.size() - 1);
        return true;
    }

    bool close() {
        document_.nodes_[open_[--depth_]].next =
            static_cast<std::uint32_t>(document_.nodes_.size());
        return true;
    }

    std::string_view key_of(std::uint32_t at) const {
        const Node& node = document_.nodes_[at];
        return std::string_view{document_.text_}.substr(node.key_at, node.key_size);
    }

    bool check_keys(json::error_code& ec) {
        const std::uint32_t object = open_[depth_ - 1];
        std::vector<std::string_view>& keys = document_.keys_;
        keys.clear();
        std::uint32_t child = object + 1;
        for (std::uint32_t i = 0; i < document_.nodes_[object].children; ++i) {
            keys.push_back(key_of(child));
            child = document_.nodes_[child].next;
        }
        const std::optional<std::string_view> twice = repeated_of(keys);
        if (!twice) return true;
        return fail("the key '" + printable(*twice) + "' appears twice in one object", ec);
    }

    /// A key that is there twice. Reorders them.
    static std::optional<std::string_view> repeated_of(std::vector<std::string_view>& keys) {
        // If there are few, most pairs differ in their sizes; if there are many, pairs are too
        // many.
        constexpr std::size_t kFew = 12;
        if (keys.size() > kFew) {
            std::sort(keys.begin(), keys.end());
            const auto twice = std::adjacent_find(keys.begin(), keys.end());
            return twice == keys.end() ? std::nullopt : std::optional{*twice};
        }
        for (std::size_t i = 1; i < keys.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (keys[i] == keys[j]) return keys[i];
            }
        }
        return std::nullopt;
    }

    bool fail(std::string reason, json::error_code& ec) {
        error = std::move(reason);
        ec = json::make_error_code(json::error::exception);  // any: `error` says what it is
        return false;
    }

    JsonDocument& document_;
    std::array<std::uint32_t, limits::kJsonDepthMax> open_{};
    std::size_t depth_ = 0;
    std::uint32_t key_at_ = 0;
    std::uint32_t key_size_ = 0;
};

namespace {

std::string syntax_error(std::string_view text, std::size_t at) {
    if (at >= text.size()) return "not valid JSON: it ends too early";
    return "not valid JSON at byte " + std::to_string(at + 1) + ", near '" +
           DocumentBuilder::printable(text.substr(at, 12)) + "'";
}

}  // namespace

core::Result<> JsonDocument::parse(std::string_view text) {
    nodes_.clear();
    text_.clear();
    const auto refuse = [this](std::string why) {
        nodes_.clear();
        return core::Error{core::ErrorCode::kInvalidJson, std::move(why), {}};
    };
    if (text.find('\0') != std::string_view::npos) return refuse("the body contains a NUL byte");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return refuse("the body is empty; send a JSON value");
    }
    json::parse_options strict;
    strict.max_depth = limits::kJsonDepthMax + 1;  // ours is met first and says so
    json::basic_parser<DocumentBuilder> parser{strict, *this};
    json::error_code ec;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
    if (!parser.handler().error.empty()) return refuse(std::move(parser.handler().error));
    if (ec || read < text.size()) return refuse(syntax_error(text, read));
    return {};
}

JsonKind JsonValue::kind() const {
    return document_->nodes_[at_].kind;
}
bool JsonValue::boolean() const {
    return document_->nodes_[at_].boolean;
}
std::uint64_t JsonValue::unsigned_integer() const {
    return document_->nodes_[at_].integer;
}
double JsonValue::number() const {
    return document_->nodes_[at_].number;
}
std::size_t JsonValue::size() const {
    return document_->nodes_[at_].children;
}

std::string_view JsonValue::key() const {
    const auto& node = document_->nodes_[at_];
    return std::string_view{document_->text_}.substr(node.key_at, node.key_size);
}

std::string_view JsonValue::text() const {
    const auto& node = document_->nodes_[at_];
    return std::string_view{document_->text_}.substr(node.text_at, node.text_size);
}

void JsonValue::append_to(std::string& out) const {
    const JsonKind what = kind();
    switch (what) {
        case JsonKind::kNull:
            out.append("null");
            return;
        case JsonKind::kBoolean:
            out.append(boolean() ? "true" : "false");
            return;
        case JsonKind::kUnsigned:
        case JsonKind::kNegative:
        case JsonKind::kNumber:
            out.append(text());
            return;
        case JsonKind::kString:
            append_json_string(out, text());
            return;
        case JsonKind::kArray:
        case JsonKind::kObject:
            break;
    }
    const bool object = what == JsonKind::kObject;
    out.push_back(object ? '{' : '[');
    bool first = true;
    each([&](JsonValue child) {
        if (!first) out.push_back(',');
        first = false;
        if (object) {
            append_json_string(out, child.key());
            out.push_back(':');
        }
        child.append_to(out);  // as deep as the parser allowed
        return true;
    });
    out.push_back(object ? '}' : ']');
}

void JsonValue::append_redacted_to(std::string& out) const {
    append_redacted_to(out, {});
}

namespace {

/// The secret that a text names for the value after it: `["--password", "x"]`, and with `bare`
/// `["Authorization", "x"]` or `{"Name": "PASSWORD", "Value": "x"}`.
std::string_view named_by(const core::SecretFinder& secrets, JsonValue text, bool bare) {
    if (text.kind() != JsonKind::kString) return {};
    std::string_view name = text.text();
    const bool flag = name.starts_with("--");
    if (flag) name.remove_prefix(2);
    if (name.starts_with("no-") || name.starts_with("skip-")) return {};
    return (flag || bare) && secrets.names_secret(name) ? name : std::string_view{};
}

}  // namespace

/// `secret_key` is the name of what the value stands in, if that means a secret.
void JsonValue::append_redacted_to(std::string& out, std::string_view secret_key) const {
    const core::SecretFinder* secrets = document_->secrets_;
    const JsonKind what = kind();
    if (secrets == nullptr) return append_to(out);
    if (what == JsonKind::kString) return append_redacted_string(out, secret_key);
    const bool number = what >= JsonKind::kUnsigned && what <= JsonKind::kNumber;
    // From four digits on, a PIN; shorter ones are counts and switches.
    if (number && !secret_key.empty() && text().size() > 3 &&
        secrets->is_secret(secret_key, text()))
        return append_json_string(out, core::kRedacted);
    if (what != JsonKind::kArray && what != JsonKind::kObject) return append_to(out);
    const bool object = what == JsonKind::kObject;
    out.push_back(object ? '{' : '[');
    std::size_t place = 0;
    std::string key;
    std::string_view before;  // as named_by()
    each([&](JsonValue child) {
        if (place++ > 0) out.push_back(',');
        if (object) {
            key.clear();
            if (secrets->find(child.key(), 0)) secrets->append_redacted(key, child.key());
            append_json_string(out, key.empty() ? child.key() : std::string_view{key});
            out.push_back(':');
        }
        const std::string_view name = object ? child.key() : std::string_view{};
        const bool flag = child.kind() == JsonKind::kString && child.text().starts_with('-');
        const bool takes = !before.empty() && (object ? name == "value" || name == "Value" : !flag);
        child.append_redacted_to(out, secrets->names_secret(name) ? name
                                      : takes                     ? before
                                                                  : secret_key);
        if (!object || name == "name" || name == "key" || name == "Name" || name == "Key")
            before = named_by(*secrets, child, object || (place == 1 && size() == 2));
        return true;
    });
    out.push_back(object ? '}' : ']');
}

void JsonValue::append_redacted_string(std::string& out, std::string_view secret_key) const {
    const std::string_view whole = text();
    if (!secret_key.empty() && document_->secrets_->is_secret(secret_key, whole)) {
        return append_json_string(out, core::kRedacted);
    }
    if (!document_->secrets_->find(whole, 0)) return append_json_string(out, whole);
    append_json_string(out, redacted_text());
}

std::string JsonValue::redacted_text() const {
    if (document_->secrets_ == nullptr) return std::string{text()};
    std::string out;
    out.reserve(text().size());
    document_->secrets_->append_redacted(out, text());
    return out;
}

bool JsonValue::of_export() const {
    return document_->exports_;
}

bool JsonValue::is_cut_text() const {
    if (!of_export() || kind() != JsonKind::kObject || size() != 4) return false;
    std::size_t known = 0;
    each([&known](JsonValue member) {
        const bool text = member.kind() == JsonKind::kString;
        const std::string_view name = member.key();
        const bool fits = name == "bytes"
                              ? member.kind() == JsonKind::kUnsigned
                              : text && (name == "head" || name == "tail" || name == "digest");
        known += fits ? 1 : 0;
        return fits;
    });
    return known == 4;
}

bool JsonValue::holds_secret() const {
    if (document_->secrets_ == nullptr) return false;
    if (kind() == JsonKind::kString) return document_->secrets_->find(text(), 0).has_value();
    std::string plain;
    std::string redacted;
    append_to(plain);
    append_redacted_to(redacted);
    return plain != redacted;
}

}  // namespace headway::api
