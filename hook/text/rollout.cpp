// SPDX-License-Identifier: Apache-2.0
#include "hook/text/rollout.hpp"

#include "hook/text/bytes.hpp"
#include "hook/text/json_scan.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kRolloutBytes = 256 * 1024;
constexpr std::size_t kCallBytesMax = 256;
constexpr std::size_t kDigitsMax = 11;  // of a 32-bit number with its sign

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
    const std::size_t begin = line.find_first_not_of(" \t", found + kName.size());
    if (begin == line.npos) return {};
    std::size_t end = begin;
    if (end < line.size() && line[end] == '-') ++end;
    const std::size_t digits = end;
    while (end < line.size() && line[end] >= '0' && line[end] <= '9')
        ++end;
    const bool number = end > digits && end - begin <= kDigitsMax;
    return number ? line.substr(begin, end - begin) : std::string_view{};
}

}  // namespace

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
    return std::string{exit_code_in(tail_of(std::string{path}, kRolloutBytes), call)};
}

}  // namespace headway::hook
