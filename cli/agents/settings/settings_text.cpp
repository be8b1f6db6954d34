// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/settings/settings_text.hpp"

#include <algorithm>

#include "cli/base/json.hpp"

namespace headway::cli {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

/// Stops at the first fault; what it read until then is not used.
class SettingsText::Parser {
public:
    explicit Parser(SettingsText& out) : out_(out), text_(out.text_) {}

    core::Result<> run() {
        if (text_.size() > kSettingsBytesMax) return fail("the file has more than 4 MiB");
        if (std::string_view{text_}.starts_with("\xEF\xBB\xBF")) at_ = 3;
        const bool spaces = skip() && (at_ == text_.size());
        if (spaces && out_.line_comments_.empty() && !block_comment_) return {};
        if (fault_.empty() && spaces) stop("a value is missing");
        if (fault_.empty()) value(kNone, kNone, 0);
        if (fault_.empty() && skip() && at_ < text_.size()) stop("nothing may follow the value");
        if (!fault_.empty()) return fail(fault_);
        return {};
    }

private:
    core::Error fail(const std::string& what) const {
        return {core::ErrorCode::kInvalidParameter, out_.place_at(at_) + ": " + what, {}};
    }

    bool stop(const char* what) {
        if (fault_.empty()) fault_ = what;
        return false;
    }

    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    /// Over spaces and comments.
    bool skip() {
        while (at_ < text_.size()) {
            if (is_space(text_[at_])) {
                ++at_;
            } else if (text_[at_] == '/') {
                if (!comment()) return false;
            } else {
                break;
            }
        }
        return true;
    }

    bool comment() {
        const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (kind == '*') {
            const std::size_t end = text_.find("*/", at_ + 2);
            if (end == std::string::npos) return stop("this comment has no end");
            at_ = end + 2;
            block_comment_ = true;
            return true;
        }
        if (kind != '/') return stop("this is no JSON");
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
        out_.line_comments_.push_back(out_.space_before(at_));
        return true;
    }

    /// A member's name has been read into `id`, else it is made here.
    bool value(Id id, Id parent, std::size_t depth) {
        if (depth > kSettingsDepthMax) return stop("values are nested more than 200 deep");
        if (id == kNone) {
            id = add(parent);
            out_.nodes_[id].begin = at_;
        }
        out_.nodes_[id].value = at_;
        bool good = false;
        if (here() == '{' || here() == '[') {
            good = container(id, depth);
        } else if (here() == '"') {
            out_.nodes_[id].kind = Kind::kString;
            good = string();
        } else {
            good = is_digit(here()) || here() == '-' ? number() : literal();
        }
        out_.nodes_[id].end = at_;
        return good;
    }

    Id add(Id parent) {
        const Id id = static_cast<Id>(out_.nodes_.size());
        Node& node = out_.nodes_.emplace_back();
        node.parent = parent;
        return id;
    }

    bool container(Id id, std::size_t depth) {
        const bool object = here() == '{';
        const char close = object ? '}' : ']';
        out_.nodes_[id].kind = object ? Kind::kObject : Kind::kArray;
        ++at_;
        Id last = kNone;
        while (true) {
            if (!skip()) return false;
            if (here() == close) break;
            if (last != kNone && out_.nodes_[last].comma == std::string::npos)
                return stop(object ? "`,` or `}` is missing" : "`,` or `]` is missing");
            const Id child = add(id);
            out_.nodes_[child].begin = at_;
            (last == kNone ? out_.nodes_[id].first : out_.nodes_[last].next) = child;
            if (object && !name(child)) return false;
            if (!value(child, id, depth + 1) || !skip()) return false;
            if (here() == ',') out_.nodes_[child].comma = at_++;
            last = child;
        }
        ++at_;
        return true;
    }

    bool name(Id id) {
        if (here() != '"') return stop("a name in quotes is missing");
        if (!string()) return false;
        out_.nodes_[id].name_end = at_;
        if (!skip()) return false;
        if (here() != ':') return stop("`:` is missing");
        ++at_;
        return skip();
    }

    bool string() {
        for (++at_; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (static_cast<unsigned char>(c) < 0x20) return stop("a text may have no line breaks");
            if (c == '"') return ++at_, true;
            if (c == '\\' && !escape()) return false;
        }
        return stop("this text has no end");
    }

    bool escape() {
        ++at_;
        const char c = here();
        if (c != 'u')
            return c != '\0' && std::string_view{"\"\\/bfnrt"}.find(c) != std::string::npos
                       ? true
                       : stop("`\\` stands before nothing that it may stand before");
        for (int i = 0; i < 4; ++i) {
            ++at_;
            if (!is_hex(here())) return stop("`\\u` takes four hexadecimal digits");
        }
        return true;
    }

    bool digits() {
        if (!is_digit(here())) return stop("a digit is missing");
        while (is_digit(here()))
            ++at_;
        return true;
    }

    bool number() {
        if (here() == '-') ++at_;
        if (here() == '0') {
            ++at_;
        } else if (!digits()) {
            return false;
        }
        if (here() == '.') {
            ++at_;
            if (!digits()) return false;
        }
        if (here() == 'e' || here() == 'E') {
            ++at_;
            if (here() == '+' || here() == '-') ++at_;
            if (!digits()) return false;
        }
        return true;
    }

    bool literal() {
        for (const std::string_view word : {"true", "false", "null"}) {
            if (std::string_view{text_}.substr(at_).starts_with(word)) {
                at_ += word.size();
                return true;
            }
        }
        return stop(at_ == text_.size() ? "the file ends in the middle" : "this is no JSON");
    }

    SettingsText& out_;
    const std::string& text_;
    std::size_t at_ = 0;
    bool block_comment_ = false;
    std::string fault_;
};

core::Result<SettingsText> SettingsText::parse(std::string text) {
    SettingsText settings_text;
    settings_text.text_ = std::move(text);
    if (auto done = Parser{settings_text}.run(); !done) return std::move(done).error();
    return settings_text;
}

std::size_t SettingsText::space_before(std::size_t at) const {
    while (at > 0 && is_space(text_[at - 1]))
        --at;
    return at;
}

std::string SettingsText::place_at(std::size_t at) const {
    const std::string_view before = std::string_view{text_}.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is the beginning
    const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start),
                                      before.end(), [](char c) { return (c & 0xC0) != 0x80; });
    return "line " + std::to_string(line) + ", column " + std::to_string(column + 1);
}

std::string SettingsText::place_of(Id id) const {
    return place_at(nodes_[id].begin);
}

std::vector<SettingsText::Id> SettingsText::children(Id id) const {
    std::vector<Id> found;
    if (id == kNone) return found;
    for (Id child = nodes_[id].first; child != kNone; child = nodes_[child].next)
        found.push_back(child);
    return found;
}

std::string SettingsText::name_of(Id member) const {
    const Node& node = nodes_[member];
    if (node.name_end == 0) return {};
    const auto name = std::string_view{text_}.substr(node.begin, node.name_end - node.begin);
    if (name.find('\\') == std::string::npos) return std::string{name.substr(1, name.size() - 2)};
    return Json::parse(name).value_or(Json()).text();
}

std::string SettingsText::string_of(Id id) const {
    if (id == kNone || kind(id) != Kind::kString) return {};
    const Node& node = nodes_[id];
    return Json::parse(std::string_view{text_}.substr(node.value, node.end - node.value))
        .value_or(Json())
        .text();
}

SettingsText::Id SettingsText::member(Id object, std::string_view name) const {
    Id found = kNone;
    if (!is_object(object)) return found;
    for (Id child = nodes_[object].first; child != kNone; child = nodes_[child].next)
        if (name_of(child) == name) found = child;
    return found;
}

std::string SettingsText::print(Id id, const Style& style, const std::string& margin) const {
    const Node& node = nodes_[id];
    std::string out;
    const bool container = node.kind == Kind::kObject || node.kind == Kind::kArray;
    if (!container) return text_.substr(node.value, node.end - node.value);
    const bool object = node.kind == Kind::kObject;
    if (node.first == kNone) return object ? "{}" : "[]";
    const std::string inner = style.newline.empty() ? " " : style.newline + margin + style.indent;
    out += object ? '{' : '[';
    for (Id child = node.first; child != kNone; child = nodes_[child].next) {
        const Node& member = nodes_[child];
        out += inner;
        if (object)
            out += text_.substr(member.begin, member.name_end - member.begin) + ":" +
                   style.after_colon;
        out += print(child, style, margin + style.indent);
        if (member.next != kNone) out += ',';
    }
    out += style.newline.empty() ? " " : style.newline + margin;
    out += object ? '}' : ']';
    return out;
}

std::string SettingsText::compact(Id id) const {
    return print(id, {{}, {}, " "}, {});
}

std::string json_text(std::string_view text) {
    return dump(Json(text));
}

}  // namespace headway::cli
