// SPDX-License-Identifier: Apache-2.0
#include "cli/process/output_lines.hpp"

#include <algorithm>

#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kCurrentBytesMax = 4 * OutputLines::kLineBytesMax;  // with escape sequences

/// Bytes of the escape sequence at the front (CSI, OSC, or ESC and one more), at most the text.
std::size_t escape_bytes(std::string_view text) {
    if (text.size() < 2) return text.size();
    if (text[1] == '[') {
        std::size_t i = 2;
        while (i < text.size() && (text[i] < '@' || text[i] > '~'))
            ++i;
        return std::min(i + 1, text.size());
    }
    if (text[1] == ']') {
        const std::size_t i = std::min(text.find_first_of("\a\x1b", 2), text.size());
        return std::min(i + (i < text.size() && text[i] == '\x1b' ? 2U : 1U), text.size());
    }
    return 2;
}

/// The words that a terminal would show of a line: colours, bells and the like are none.
std::string shown_words(std::string_view text) {
    std::string words;
    while (!text.empty()) {
        const char c = text.front();
        const bool control = (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
        if (!control) words += c;
        text.remove_prefix(c == '\x1b' ? escape_bytes(text) : 1);
    }
    return on_one_line(words);
}

}  // namespace

void OutputLines::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
        if (end > 0) {
            if (overwrite_) current_.clear();
            overwrite_ = false;
            current_ += bytes.substr(0, std::min(end, kCurrentBytesMax - current_.size()));
        }
        if (end == bytes.size()) return;
        overwrite_ = bytes[end] == '\r';
        if (!overwrite_) complete_line();
        bytes.remove_prefix(end + 1);
    }
}

void OutputLines::complete_line() {
    std::string line = shown_words(current_);
    current_.clear();
    if (line.empty()) return;  // says nothing
    lines_.emplace_back(cut_bytes(line, kLineBytesMax));
    if (lines_.size() <= kLinesMax) return;
    lines_.pop_front();
    ++left_out_;
}

std::optional<std::string> OutputLines::take(bool all) {
    if (all) complete_line();
    if (lines_.empty()) return std::nullopt;
    std::string text;
    if (left_out_ > 0) text = "[" + std::to_string(left_out_) + " earlier lines left out]\n";
    for (const std::string& line : lines_)
        text += line + "\n";
    text.pop_back();
    lines_.clear();
    left_out_ = 0;
    return text;
}

}  // namespace headway::cli
