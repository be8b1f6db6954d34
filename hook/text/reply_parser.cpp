// SPDX-License-Identifier: Apache-2.0
#include "hook/text/reply_parser.hpp"

#include <algorithm>
#include <charconv>

namespace headway::hook {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr int kOk = 200;

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool read_size(std::string_view text, int base, std::uint64_t& size) noexcept {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, size, base);
    return !text.empty() && read.ec == std::errc{} && read.ptr == end;
}

}  // namespace

ReplyParser::State ReplyParser::state() const noexcept {
    if (part_ == Part::kWhole) return State::kWhole;
    return part_ == Part::kBroken ? State::kBroken : State::kMore;
}

ReplyParser::State ReplyParser::feed(std::string_view bytes) {
    while (!bytes.empty() && state() == State::kMore) {
        const bool in_body =
            part_ == Part::kLength || part_ == Part::kUntilEnd || part_ == Part::kChunk;
        if (in_body) {
            bytes.remove_prefix(take_body(bytes));
            continue;
        }
        const std::size_t end = bytes.find('\n');
        const std::size_t count = end == bytes.npos ? bytes.size() : end + 1;
        head_bytes_ += part_ == Part::kChunkSize || part_ == Part::kChunkEnd ? 0 : count;
        line_.append(bytes.substr(0, count));
        bytes.remove_prefix(count);
        if (line_.size() > kHeadBytesMax || head_bytes_ > kHeadBytesMax) {
            part_ = Part::kBroken;
        } else if (line_.back() == '\n') {
            take_line();
        }
    }
    return state();
}

ReplyParser::State ReplyParser::end() {
    if (part_ == Part::kUntilEnd) {
        part_ = Part::kWhole;
    } else if (part_ != Part::kWhole) {
        part_ = Part::kBroken;
    }
    return state();
}

void ReplyParser::take_line() {
    std::string_view line{line_};
    line.remove_suffix(1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    switch (part_) {
        case Part::kStatusLine:
            take_status_line(line);
            break;
        case Part::kHeader:
            line.empty() ? end_of_head() : take_header(line);
            break;
        case Part::kChunkSize:
            take_chunk_size(line);
            break;
        case Part::kChunkEnd:
            part_ = line.empty() ? Part::kChunkSize : Part::kBroken;
            break;
        case Part::kTrailer:
            if (line.empty()) part_ = Part::kWhole;
            break;
        default:
            part_ = Part::kBroken;
    }
    line_.clear();
}

/// `HTTP/1.1 200 OK`
void ReplyParser::take_status_line(std::string_view line) {
    std::uint64_t status = 0;
    const bool known = line.size() >= 12 && line.substr(0, 7) == "HTTP/1." && line[8] == ' ' &&
                       (line.size() == 12 || line[12] == ' ') &&
                       read_size(line.substr(9, 3), 10, status);
    status_ = static_cast<int>(status);
    const bool good =
        known && (status_ == kOk || (status_ >= 100 && status_ < kOk && status_ != 101));
    part_ = good ? Part::kHeader : Part::kBroken;
}

void ReplyParser::take_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) {
        part_ = Part::kBroken;
        return;
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equal_ignoring_case(name, "transfer-encoding")) {
        chunked_ = true;
        if (!equal_ignoring_case(value, "chunked")) part_ = Part::kBroken;
    } else if (equal_ignoring_case(name, "x-headway")) {
        of_daemon_ = true;
    } else if (equal_ignoring_case(name, "x-headway-usage")) {
        wants_older_uses_ = value == "older";
    } else if (equal_ignoring_case(name, "x-headway-goal")) {
        wants_goal_ = value == "check";
    } else if (equal_ignoring_case(name, "content-length")) {
        std::uint64_t length = 0;
        const bool good = read_size(value, 10, length) && length <= kBodyBytesMax &&
                          (!has_length_ || length == left_);
        left_ = length;
        has_length_ = true;
        if (!good) part_ = Part::kBroken;
    }
}

void ReplyParser::end_of_head() {
    if (status_ != kOk) {  // 1xx: the reply is still to come
        part_ = Part::kStatusLine;
        left_ = 0;
        chunked_ = has_length_ = false;
    } else if (chunked_) {
        part_ = Part::kChunkSize;
    } else if (has_length_) {
        part_ = left_ > 0 ? Part::kLength : Part::kWhole;
    } else {
        part_ = Part::kUntilEnd;
    }
}

void ReplyParser::take_chunk_size(std::string_view line) {
    const std::string_view size = trimmed(line.substr(0, line.find(';')));
    if (!read_size(size, 16, left_) || left_ > kBodyBytesMax) {
        part_ = Part::kBroken;
    } else {
        part_ = left_ > 0 ? Part::kChunk : Part::kTrailer;
    }
}

/// Takes what belongs to the body, or to its chunk, and returns its size.
std::size_t ReplyParser::take_body(std::string_view bytes) {
    const bool counted = part_ != Part::kUntilEnd;
    if (counted && bytes.size() > left_) bytes = bytes.substr(0, static_cast<std::size_t>(left_));
    const std::size_t blanks =
        body_.empty() ? std::min(bytes.find_first_not_of(kBlanks), bytes.size()) : 0;
    body_.append(bytes.substr(blanks));
    if (counted) left_ -= bytes.size();
    if (counted && left_ == 0) part_ = part_ == Part::kChunk ? Part::kChunkEnd : Part::kWhole;
    if (body_.size() > kBodyBytesMax) part_ = Part::kBroken;
    return bytes.size();
}

bool may_be_object(std::string_view body) {
    while (!body.empty() && (body.back() == '\n' || body.back() == '\r' || body.back() == ' '))
        body.remove_suffix(1);
    return body.size() > 1 && body.front() == '{' && body.back() == '}';
}

}  // namespace headway::hook
