// SPDX-License-Identifier: Apache-2.0
#include "hook/rollout.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace headway::hook {
namespace {

constexpr std::size_t kTailBytes = 256 * 1024;
constexpr std::size_t kCallBytesMax = 256;
constexpr std::size_t kDigitsMax = 11;  // of a 32-bit number with its sign

std::size_t skip_blanks(std::string_view json, std::size_t at) noexcept {
    return std::min(json.find_first_not_of(" \t\r\n", at), json.size());
}

/// The place of the quote that ends the string which begins behind `at`, or the end.
std::size_t end_of_string(std::string_view json, std::size_t at) noexcept {
    while (at < json.size() && json[at] != '"')
        at += json[at] == '\\' ? 2U : 1U;
    return std::min(at, json.size());
}

/// The string whose quote is at `at`.
std::string_view plain_string(std::string_view json, std::size_t at) noexcept {
    if (at >= json.size() || json[at] != '"') return {};
    const std::size_t end = end_of_string(json, at + 1);
    if (end >= json.size()) return {};
    const std::string_view text = json.substr(at + 1, end - at - 1);
    return text.find('\\') == text.npos ? text : std::string_view{};
}

bool has_string(std::string_view line, std::string_view text) noexcept {
    for (std::size_t at = line.find(text); at != line.npos; at = line.find(text, at + 1)) {
        const std::size_t end = at + text.size();
        if (at > 0 && line[at - 1] == '"' && end < line.size() && line[end] == '"') return true;
    }
    return false;
}

std::string_view exit_code_of(std::string_view line) noexcept {
    constexpr std::string_view kName = "\"exit_code\":";
    const std::size_t found = line.rfind(kName);
    if (found == line.npos) return {};
    const std::size_t begin = skip_blanks(line, found + kName.size());
    std::size_t end = begin;
    if (end < line.size() && line[end] == '-') ++end;
    const std::size_t digits = end;
    while (end < line.size() && line[end] >= '0' && line[end] <= '9')
        ++end;
    const bool number = end > digits && end - begin <= kDigitsMax;
    return number ? line.substr(begin, end - begin) : std::string_view{};
}

/// The last bytes of a file; not of a pipe or a device, which could make us wait.
std::string tail_of(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return {};
    std::string tail;
    struct stat about {};
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
        const off_t begin = std::max<off_t>(about.st_size - static_cast<off_t>(kTailBytes), 0);
        tail.resize(kTailBytes);
        const ssize_t count = ::pread(file, tail.data(), tail.size(), begin);
        tail.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    ::close(file);
    return tail;
}

}  // namespace

std::string_view text_member(std::string_view json, std::string_view name) noexcept {
    int depth = 0;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c != '"') continue;
        const std::size_t end = end_of_string(json, at + 1);
        const std::size_t colon = skip_blanks(json, end + 1);
        const bool key = depth == 1 && colon < json.size() && json[colon] == ':';
        if (key && json.substr(at + 1, end - at - 1) == name) {
            return plain_string(json, skip_blanks(json, colon + 1));
        }
        at = end;
    }
    return {};
}

std::string_view exit_code_in(std::string_view rollout, std::string_view call) noexcept {
    if (call.empty() || call.size() > kCallBytesMax) return {};
    while (!rollout.empty()) {
        if (rollout.back() == '\n') {
            rollout.remove_suffix(1);
            continue;
        }
        const std::size_t before = rollout.rfind('\n');
        const std::size_t begin = before == rollout.npos ? 0 : before + 1;
        const std::string_view line = rollout.substr(begin);
        if (has_string(line, "CommandExecution") && has_string(line, call)) {
            return exit_code_of(line);
        }
        rollout = rollout.substr(0, begin);
    }
    return {};
}

std::string codex_exit_code(std::string_view body) {
    if (text_member(body, "hook_event_name") != "PostToolUse") return {};
    const std::string_view path = text_member(body, "transcript_path");
    const std::string_view call = text_member(body, "tool_use_id");
    if (path.empty() || path.front() != '/' || call.empty()) return {};
    return std::string{exit_code_in(tail_of(std::string{path}), call)};
}

}  // namespace headway::hook
