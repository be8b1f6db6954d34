// SPDX-License-Identifier: Apache-2.0
#include "cli/output_lines.hpp"

#include <algorithm>

#include "cli/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kCurrentBytesMax = 4 * OutputLines::kLineBytesMax;  // with escape sequences

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
    std::string line = clean_line(current_);
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
