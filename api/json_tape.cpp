#include "api/json_tape.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/limits.hpp"

namespace headway::api {
namespace limits = core::limits;

/// The SAX handler. Every callback returns false to stop, with the reason in `error`.
class TapeBuilder {
public:
    explicit TapeBuilder(JsonTape& tape) : tape_(tape) {}

    std::string error;

    bool null() { return add(JsonKind::kNull) != nullptr; }
    bool boolean(bool value) {
        auto* node = add(JsonKind::kBoolean);
        if (node != nullptr) node->boolean = value;
        return node != nullptr;
    }
    bool number_integer(std::int64_t value) {
        auto* node = add(JsonKind::kNegative);
        if (node == nullptr) return false;
        node->number = static_cast<double>(value);
        keep_digits(*node, value);
        return true;
    }
    bool number_unsigned(std::uint64_t value) {
        auto* node = add(JsonKind::kUnsigned);
        if (node == nullptr) return false;
        node->integer = value;
        node->number = static_cast<double>(value);
        keep_digits(*node, value);
        return true;
    }
    bool number_float(double value, const std::string& digits) {
        auto* node = add(JsonKind::kNumber);
        if (node == nullptr) return false;
        node->number = value;
        keep(*node, digits);
        return true;
    }
    bool string(std::string& value) {
        auto* node = add(JsonKind::kString);
        if (node == nullptr) return false;
        keep(*node, value);
        return true;
    }
    bool binary(std::vector<std::uint8_t>&) { return fail("binary is not JSON"); }
    bool start_object(std::size_t) { return open(JsonKind::kObject); }
    bool start_array(std::size_t) { return open(JsonKind::kArray); }
    bool key(std::string& name) {
        key_at_ = static_cast<std::uint32_t>(tape_.text_.size());
        key_size_ = static_cast<std::uint32_t>(name.size());
        tape_.text_.append(name);
        return true;
    }
    bool end_object() { return check_keys() && close(); }
    bool end_array() { return close(); }
    template <class Exception>
    bool parse_error(std::size_t position, const std::string& token, const Exception& what) {
        if (what.id == 406) return fail("the number " + token + " is out of range");
        return fail("not valid JSON at byte " + std::to_string(position) +
                    (token.empty() ? "" : ", near '" + printable(token) + "'"));
    }

private:
    using Node = JsonTape::Node;

    Node* add(JsonKind kind) {
        if (tape_.nodes_.size() >= limits::kJsonNodesMax) {
            fail("more than " + std::to_string(limits::kJsonNodesMax) + " values");
            return nullptr;
        }
        if (depth_ > 0) ++tape_.nodes_[open_[depth_ - 1]].children;
        Node node;
        node.kind = kind;
        node.key_at = key_at_;
        node.key_size = key_size_;
        node.next = static_cast<std::uint32_t>(tape_.nodes_.size() + 1);
        key_size_ = 0;
        tape_.nodes_.push_back(node);
        return &tape_.nodes_.back();
    }

    bool open(JsonKind kind) {
        if (depth_ == limits::kJsonDepthMax) {
            return fail("nested more than " + std::to_string(limits::kJsonDepthMax) + " levels");
        }
        if (add(kind) == nullptr) return false;
        open_[depth_++] = static_cast<std::uint32_t>(tape_.nodes_.size() - 1);
        return true;
    }

    bool close() {
        tape_.nodes_[open_[--depth_]].next = static_cast<std::uint32_t>(tape_.nodes_.size());
        return true;
    }

    std::string_view key_of(std::uint32_t at) const {
        const Node& node = tape_.nodes_[at];
        return std::string_view{tape_.text_}.substr(node.key_at, node.key_size);
    }

    bool check_keys() {
        const std::uint32_t object = open_[depth_ - 1];
        keys_.clear();
        std::uint32_t child = object + 1;
        for (std::uint32_t i = 0; i < tape_.nodes_[object].children; ++i) {
            keys_.push_back(key_of(child));
            child = tape_.nodes_[child].next;
        }
        std::sort(keys_.begin(), keys_.end());
        const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
        if (twice == keys_.end()) return true;
        return fail("the key '" + printable(*twice) + "' appears twice in one object");
    }

    void keep(Node& node, std::string_view text) {
        node.text_at = static_cast<std::uint32_t>(tape_.text_.size());
        node.text_size = static_cast<std::uint32_t>(text.size());
        tape_.text_.append(text);
    }

    template <class Integer>
    void keep_digits(Node& node, Integer value) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        keep(node, {digits, static_cast<std::size_t>(end - digits)});
    }

    static std::string printable(std::string_view text) {
        std::string shown;
        for (char c : text.substr(0, 40))
            shown.push_back(c >= ' ' && c < 0x7f ? c : '?');
        return shown;
    }

    bool fail(std::string reason) {
        if (error.empty()) error = std::move(reason);
        return false;
    }

    JsonTape& tape_;
    std::array<std::uint32_t, limits::kJsonDepthMax> open_{};
    std::size_t depth_ = 0;
    std::uint32_t key_at_ = 0;
    std::uint32_t key_size_ = 0;
    std::vector<std::string_view> keys_;
};

core::Result<> JsonTape::parse(std::string_view text) {
    nodes_.clear();
    text_.clear();
    const auto refuse = [this](std::string why) {
        nodes_.clear();
        return core::Error{core::ErrorCode::kInvalidJson, std::move(why), {}};
    };
    if (text.find('\0') != std::string_view::npos) {
        return refuse("the body contains a NUL byte");  // nlohmann would take it for the end
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return refuse("the body is empty; send a JSON value");
    }
    TapeBuilder builder{*this};
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
        return refuse(builder.error.empty() ? "not valid JSON" : builder.error);
    }
    return {};
}

JsonKind JsonValue::kind() const {
    return tape_->nodes_[at_].kind;
}
bool JsonValue::boolean() const {
    return tape_->nodes_[at_].boolean;
}
std::uint64_t JsonValue::unsigned_integer() const {
    return tape_->nodes_[at_].integer;
}
double JsonValue::number() const {
    return tape_->nodes_[at_].number;
}
std::size_t JsonValue::size() const {
    return tape_->nodes_[at_].children;
}

std::string_view JsonValue::key() const {
    const auto& node = tape_->nodes_[at_];
    return std::string_view{tape_->text_}.substr(node.key_at, node.key_size);
}

std::string_view JsonValue::text() const {
    const auto& node = tape_->nodes_[at_];
    return std::string_view{tape_->text_}.substr(node.text_at, node.text_size);
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

void append_json_string(std::string& out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    const auto plain = [](unsigned char c) { return c >= 0x20 && c != '"' && c != '\\'; };
    out.push_back('"');
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (plain(c)) continue;
        out.append(text, from, i - from);
        from = i + 1;
        switch (c) {
            case '"':
                out.append("\\\"");
                break;
            case '\\':
                out.append("\\\\");
                break;
            case '\n':
                out.append("\\n");
                break;
            case '\r':
                out.append("\\r");
                break;
            case '\t':
                out.append("\\t");
                break;
            default:
                out.append("\\u00");
                out.push_back(kHex[c >> 4]);
                out.push_back(kHex[c & 0xF]);
        }
    }
    out.append(text, from, text.size() - from);
    out.push_back('"');
}

}  // namespace headway::api
