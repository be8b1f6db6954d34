// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/agents/settings/settings_text.hpp"

// Rules that make removal the exact inverse of insertion:
// - a new child is placed after everything in its container, comments too, with its white space
//   before it; only the comma is placed elsewhere, directly after the child before;
// - a container that is made has white space before its first child, one that was found empty gets
//   none. So the one goes with its last child, and the other stays.

namespace headway::cli {
namespace {

constexpr const char* kLineEnds = "\r\n";

}  // namespace

SettingsText::Style SettingsText::style() const {
    Style style{{}, "  ", " "};
    const std::size_t line = text_.find_first_of(kLineEnds);
    const Id first = nodes_.empty() ? kNone : nodes_[0].first;
    if (line != std::string::npos) {
        style.newline = text_.substr(line, text_.substr(line, 2) == "\r\n" ? 2 : 1);
    } else if (first == kNone) {
        style.newline = "\n";
    }
    if (first == kNone) return style;
    const Node& child = nodes_[first];
    const std::size_t space = space_before(child.begin);
    const std::size_t start = text_.rfind('\n', child.begin);
    const bool own_line = start != std::string::npos && start >= space;
    if (own_line && start + 1 < child.begin)
        style.indent = text_.substr(start + 1, child.begin - start - 1);
    if (child.name_end != 0) {
        const std::size_t colon = text_.find(':', child.name_end);  // comments may hold one, too
        const std::string gap = text_.substr(colon + 1, child.value - colon - 1);
        if (gap.find_first_not_of(' ') == std::string::npos) style.after_colon = gap;
    }
    return style;
}

/// The white space at the start of the line.
std::string SettingsText::margin_of_line(std::size_t at) const {
    const std::size_t start = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    const std::size_t end = std::min(text_.find_first_not_of(" \t", start), text_.size());
    return text_.substr(start, end - start);
}

bool SettingsText::has_comment(std::size_t begin, std::size_t end) const {
    const auto gap = std::string_view{text_}.substr(begin, end - begin);
    return gap.find('/') != std::string::npos;  // nothing else stands between values
}

std::string SettingsText::printed(std::string_view json, const Style& style,
                                  const std::string& margin) {
    const auto parsed = parse(std::string{json});
    return parsed ? parsed->print(0, style, margin) : std::string{json};
}

SettingsText::Slot SettingsText::slot_in_empty(Id parent) const {
    const Node& node = nodes_[parent];
    const std::size_t close = node.end - 1;
    Slot slot{{}, style(), margin_of_line(node.value), node.value + 1};
    if (!has_comment(slot.at, close)) return slot;
    slot.at = space_before(close);
    const bool lines = text_.find_first_of(kLineEnds, node.value) < close;
    if (!lines) {
        slot.style.newline.clear();
        slot.before = " ";
        return slot;
    }
    slot.margin = margin_of_line(close) + slot.style.indent;
    slot.before = slot.style.newline + slot.margin;
    return slot;
}

SettingsText::Slot SettingsText::slot_behind(Id parent, Id last) const {
    const Node& child = nodes_[last];
    const std::size_t close = nodes_[parent].end - 1;
    Slot slot{{}, style(), {}, space_before(close)};
    const std::size_t space = space_before(child.begin);
    const std::string gap = text_.substr(space, child.begin - space);
    const bool after_comment =
        std::binary_search(line_comments_.begin(), line_comments_.end(), slot.at);
    if (gap.find_first_of(kLineEnds) != std::string::npos || after_comment) {
        slot.margin = margin_of_line(child.begin);
        slot.before = slot.style.newline + slot.margin;
        return slot;
    }
    slot.before = child.begin - space > 0 ? gap : slot.style.after_colon;
    const bool tall = text_.find_first_of(kLineEnds, child.begin) < child.end;
    if (!tall) slot.style.newline.clear();
    slot.margin = margin_of_line(child.end);
    return slot;
}

std::string SettingsText::with_child(Id parent, std::string_view name,
                                     std::string_view value) const {
    const std::vector<Id> before = children(parent);
    const Slot slot = before.empty() ? slot_in_empty(parent) : slot_behind(parent, before.back());
    std::string text = slot.before;
    if (!name.empty()) text += json_text(name) + ":" + slot.style.after_colon;
    text += printed(value, slot.style, slot.margin);
    std::vector<Edit> edits;
    if (!before.empty()) {
        const Node& last = nodes_[before.back()];
        if (last.comma == std::string::npos) {
            edits.push_back({last.end, last.end, ","});
        } else {
            text += ',';
        }
    }
    edits.push_back({slot.at, slot.at, std::move(text)});
    return applied(std::move(edits));
}

core::Result<std::string> SettingsText::insert(const std::vector<std::string>& path,
                                               std::string_view name, std::string_view value,
                                               Kind inner) const {
    const auto nested = [&](std::size_t from) {
        std::string json = inner == Kind::kArray
                               ? "[" + std::string{value} + "]"
                               : "{" + json_text(name) + ":" + std::string{value} + "}";
        for (std::size_t i = path.size(); i > from; --i)
            json.insert(0, "{" + json_text(path[i - 1]) + ":").append("}");
        return json;
    };
    if (root() == kNone) return text_ + printed(nested(0), style(), {});
    Id at = root();
    for (std::size_t i = 0; i <= path.size(); ++i) {
        const Kind wanted = i == path.size() ? inner : Kind::kObject;
        if (kind(at) != wanted) {
            return core::Error{core::ErrorCode::kInvalidParameter,
                               place_of(at) + ": " +
                                   (i == 0 ? "the file" : json_text(path[i - 1])) +
                                   (wanted == Kind::kArray ? " is no list" : " is no object"),
                               {}};
        }
        if (i == path.size()) break;
        const Id below = member(at, path[i]);
        if (below == kNone) return with_child(at, path[i], nested(i + 1));
        at = below;
    }
    return with_child(at, name, value);
}

core::Result<std::string> SettingsText::with_element(const std::vector<std::string>& path,
                                                     std::string_view element) const {
    return insert(path, {}, element, Kind::kArray);
}

core::Result<std::string> SettingsText::with_member(const std::vector<std::string>& path,
                                                    std::string_view name,
                                                    std::string_view value) const {
    return insert(path, name, value, Kind::kObject);
}

std::string SettingsText::with_replaced(Id id, std::string_view value) const {
    const Node& node = nodes_[id];
    Style as_there = style();
    const bool tall = text_.find_first_of(kLineEnds, node.value) < node.end;
    if (!tall) as_there.newline.clear();
    return applied({{node.value, node.end, printed(value, as_there, margin_of_line(node.value))}});
}

/// All its children are to go: whether it goes with them. Where even they have no white space
/// inside, another program has written the file again, and the marks are gone.
bool SettingsText::made_by_us(Id container) const {
    const auto adjacent = [this](Id id) {
        return nodes_[nodes_[id].first].begin == nodes_[id].value + 1;
    };
    const Node& node = nodes_[container];
    const Node& first = nodes_[node.first];
    const bool root = node.parent == kNone;
    const bool rewritten = !root && first.first != kNone && adjacent(node.first);
    if (adjacent(container) && !rewritten) return false;
    if (space_before(first.begin) != node.value + 1) return false;
    if (root && (has_comment(0, node.value) || has_comment(node.end, text_.size()))) return false;
    std::size_t from = node.value + 1;
    for (Id child = node.first; child != kNone; child = nodes_[child].next) {
        if (has_comment(from, nodes_[child].begin)) return false;
        from = nodes_[child].end;
    }
    return !has_comment(from, node.end);
}

void SettingsText::remove_some(Id container, const std::vector<bool>& gone,
                               std::vector<Edit>& edits) const {
    Id last_kept = kNone;
    bool trailing = false;
    for (Id child = nodes_[container].first; child != kNone; child = nodes_[child].next) {
        if (!gone[child]) last_kept = child;
        trailing = nodes_[child].comma != std::string::npos;
    }
    for (Id child = nodes_[container].first; child != kNone; child = nodes_[child].next) {
        const Node& node = nodes_[child];
        if (gone[child]) edits.push_back({space_before(node.begin), node.end, {}});
        const bool comma_stays = !gone[child] && (trailing || child != last_kept);
        if (!comma_stays && node.comma != std::string::npos)
            edits.push_back({node.comma, node.comma + 1, {}});
    }
}

std::string SettingsText::without(const std::vector<Id>& ids) const {
    std::vector<bool> gone(nodes_.size());
    std::vector<bool> touched(nodes_.size());
    for (const Id id : ids)
        gone[id] = true;
    for (Id id = static_cast<Id>(nodes_.size()); id-- > 0;) {  // children before their parents
        if (!touched[id]) {
            if (gone[id] && nodes_[id].parent != kNone) touched[nodes_[id].parent] = true;
            continue;
        }
        bool all = true;
        for (Id child = nodes_[id].first; child != kNone; child = nodes_[child].next)
            all = all && gone[child];
        if (all && made_by_us(id)) gone[id] = true;
        if (gone[id] && nodes_[id].parent != kNone) touched[nodes_[id].parent] = true;
    }
    if (!nodes_.empty() && gone[0]) return applied({{nodes_[0].value, nodes_[0].end, {}}});
    std::vector<Edit> edits;
    for (Id id = 0; id < nodes_.size(); ++id) {
        if (id != 0 && gone[nodes_[id].parent]) gone[id] = true;
        if (touched[id] && !gone[id]) remove_some(id, gone, edits);
    }
    return applied(std::move(edits));
}

std::string SettingsText::applied(std::vector<Edit> edits) const {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    bool in_comment = false;  // the end of its line was cut out
    const auto append = [&](std::string_view text) {
        const std::size_t word = text.find_first_not_of(" \t");
        if (in_comment && word != std::string::npos) {
            in_comment = false;
            if (text[word] != '\n' && text[word] != '\r') out += '\n';
        }
        out += text;
    };
    for (const Edit& edit : edits) {
        append(std::string_view{text_}.substr(at, edit.begin - at));
        const bool ends_line = std::string_view{text_}
                                   .substr(edit.begin, edit.end - edit.begin)
                                   .find_first_of(kLineEnds) != std::string::npos;
        in_comment = in_comment ||
                     (ends_line &&
                      std::binary_search(line_comments_.begin(), line_comments_.end(), edit.begin));
        append(edit.text);
        at = edit.end;
    }
    append(std::string_view{text_}.substr(at));
    return out;
}

}  // namespace headway::cli
