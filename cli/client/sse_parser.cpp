// SPDX-License-Identifier: Apache-2.0
#include "cli/client/sse_parser.hpp"

#include <charconv>
#include <cstdint>

namespace headway::cli {

std::vector<SseEvent> SseParser::feed(std::string_view bytes) {
    std::vector<SseEvent> out;
    for (const char c : bytes) {
        const bool second_half = after_cr_ && c == '\n';  // of \r\n, which ends one line
        after_cr_ = c == '\r';
        if (second_half) continue;
        if (c == '\n' || c == '\r') {
            end_line(out);
        } else if (line_.size() < bytes_max_) {
            line_ += c;
        }
    }
    return out;
}

void SseParser::end_line(std::vector<SseEvent>& out) {
    std::string_view line = line_;
    if (first_line_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    first_line_ = false;

    if (line.empty()) {
        if (!data_.empty()) {
            data_.pop_back();  // the line feed after the last data line
            dispatched_id_ = id_;
            out.push_back({type_.empty() ? "message" : type_, data_, id_});
        }
        type_.clear();
        data_.clear();
    } else if (line.front() != ':') {
        const std::size_t colon = std::min(line.find(':'), line.size());
        std::string_view value = line.substr(std::min(colon + 1, line.size()));
        if (value.starts_with(' ')) value.remove_prefix(1);
        field(line.substr(0, colon), value);
    }
    line_.clear();
}

void SseParser::field(std::string_view name, std::string_view value) {
    if (name == "event") {
        type_ = value;
    } else if (name == "data") {
        if (data_.size() >= bytes_max_) return;
        data_ += value.substr(0, bytes_max_ - data_.size());
        data_ += '\n';
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) id_ = value;
    } else if (name == "retry") {
        std::uint32_t ms = 0;
        const char* const end = value.data() + value.size();
        const auto [rest, error] = std::from_chars(value.data(), end, ms);
        if (error == std::errc{} && rest == end) retry_ = std::chrono::milliseconds{ms};
    }
}

}  // namespace headway::cli
