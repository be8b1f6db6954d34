// SPDX-License-Identifier: Apache-2.0
#include "hook/text/answers.hpp"

#include <algorithm>
#include <unordered_set>

#include "hook/text/json_scan.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kIdBytesMax = 64;
constexpr std::size_t kTimeBytesMax = 32;
/// Some kinds of lines have no time; that of an older one would still do.
constexpr int kTimedLinesMax = 64;
constexpr std::size_t kParentAnswersMax = 1024;  // a MiB of a transcript has fewer

struct Answer {
    std::string_view id;
    std::string_view at;
    std::string_view model;
    unsigned long long input = 0;
    unsigned long long output = 0;
    unsigned long long cached = 0;
    unsigned long long cache_write = 0;
    unsigned long long reasoning = 0;
};

/// The name of a model may be a path or have a suffix in brackets.
bool is_model(std::string_view text) noexcept {
    const auto fits = [](char c) {
        return c > ' ' && c < '\x7f' && c != ',' && c != ';' && c != '<' && c != '>';
    };
    return text.size() <= kIdBytesMax && std::all_of(text.begin(), text.end(), fits);
}

bool has(std::string_view json, std::string_view name) noexcept {
    const std::string_view value = member(json, name);
    return !value.empty() && value != "null";
}

Answer answer_of_claude(std::string_view line) noexcept {
    if (text_member(line, "type") != "assistant" || has(line, "forkedFrom")) return {};
    const std::string_view message = member(line, "message");
    const std::string_view usage = member(message, "usage");
    Answer answer;
    answer.id = text_member(message, "id");
    answer.at = text_member(line, "timestamp");
    answer.model = text_member(message, "model");
    answer.cached = count_member(usage, "cache_read_input_tokens");
    answer.cache_write = count_member(usage, "cache_creation_input_tokens");
    answer.input = count_member(usage, "input_tokens") + answer.cached + answer.cache_write;
    answer.output = count_member(usage, "output_tokens");
    answer.reasoning = count_member(member(usage, "output_tokens_details"), "thinking_tokens");
    return answer;
}

/// Forks and sub-agents may begin with the records of another thread. The file is named after its
/// own: `rollout-TIME-THREAD.jsonl`.
bool is_of_another(std::string_view thread, std::string_view file) noexcept {
    const std::size_t slash = file.rfind('/');
    if (slash != file.npos) file.remove_prefix(slash + 1);
    constexpr std::string_view kRollout = "rollout-";
    return !thread.empty() && file.substr(0, kRollout.size()) == kRollout &&
           file.find(thread) == file.npos;
}

Answer answer_of_codex(std::string_view line, std::string_view file) noexcept {
    if (text_member(line, "type") != "token_usage_record") return {};
    const std::string_view payload = member(line, "payload");
    if (is_of_another(text_member(payload, "thread_id"), file)) return {};
    const std::string_view usage = member(payload, "usage");
    Answer answer;
    answer.id = text_member(payload, "response_id");
    answer.at = text_member(line, "timestamp");
    answer.input = count_member(usage, "input_tokens");
    answer.output = count_member(usage, "output_tokens");
    answer.cached = count_member(usage, "cached_input_tokens");
    answer.cache_write = count_member(usage, "cache_write_input_tokens");
    answer.reasoning = count_member(usage, "reasoning_output_tokens");
    return answer;
}

std::string item_of(const Answer& answer) {
    std::string item{answer.id};
    item.append(";").append(answer.at);
    item += ";" + std::to_string(answer.input) + ";" + std::to_string(answer.output);
    const std::string_view model = is_model(answer.model) ? answer.model : std::string_view{};
    if (answer.cached + answer.cache_write + answer.reasoning == 0 && model.empty()) return item;
    item += ";" + std::to_string(answer.cached) + ";" + std::to_string(answer.cache_write);
    item += ";" + std::to_string(answer.reasoning) + ";";
    return item.append(model);
}

}  // namespace

bool is_plain(std::string_view text, std::size_t size_max) noexcept {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == ':' || c == '.';
    };
    return !text.empty() && text.size() <= size_max && std::all_of(text.begin(), text.end(), fits);
}

std::string_view take_last_line(std::string_view& text) noexcept {
    while (!text.empty() && text.back() == '\n')
        text.remove_suffix(1);
    const std::size_t before = text.rfind('\n');
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin);
    text = text.substr(0, begin);
    return line;
}

std::vector<std::string> items_in(std::string_view tail, Record record, std::string_view file,
                                  std::size_t most) {
    const bool claude = record == Record::kTranscript;
    const std::string_view sign = claude ? "\"usage\"" : "\"token_usage_record\"";
    std::vector<std::string> items;
    std::unordered_set<std::string_view> known;
    while (!tail.empty() && items.size() < most) {
        const std::string_view line = take_last_line(tail);
        if (line.find(sign) == line.npos) continue;
        const Answer answer = claude ? answer_of_claude(line) : answer_of_codex(line, file);
        const bool used = answer.input + answer.output > 0;
        if (!used || !is_plain(answer.id, kIdBytesMax)) continue;
        if (!is_plain(answer.at, kTimeBytesMax)) continue;
        if (known.insert(answer.id).second) items.push_back(item_of(answer));
    }
    return items;
}

void drop_answers_of(std::string_view parent, std::vector<std::string>& items) {
    std::unordered_set<std::string_view> ids;
    while (!parent.empty() && ids.size() < kParentAnswersMax) {
        const std::string_view line = take_last_line(parent);
        if (line.find("\"usage\"") == line.npos || text_member(line, "type") != "assistant")
            continue;
        // Some versions write what their sub-agents say into both.
        if (member(line, "isSidechain") == "true") continue;
        ids.insert(text_member(member(line, "message"), "id"));
    }
    items.erase(std::remove_if(items.begin(), items.end(),
                               [&ids](const std::string& item) {
                                   const std::string_view text{item};
                                   return ids.count(text.substr(0, text.find(';'))) > 0;
                               }),
                items.end());
}

std::string_view newest_time(std::string_view tail) noexcept {
    for (int lines = 0; !tail.empty() && lines < kTimedLinesMax; ++lines) {
        const std::string_view at = text_member(take_last_line(tail), "timestamp");
        if (is_plain(at, kTimeBytesMax)) return at;
    }
    return {};
}

std::string take_header(std::vector<std::string>& items, std::string_view now) {
    std::size_t count = 0;
    std::size_t bytes = now.size() + 2;
    while (count < items.size() && count < std::size_t{kAnswersMax}) {
        bytes += items[count].size() + 1;
        if (bytes > kUseBytesMax) break;
        ++count;
    }
    std::string header;
    const bool noted =
        count > 0 && items.front().find(";" + std::string{now} + ";") != std::string::npos;
    if (count > 0 && !now.empty() && !noted) header.append("@").append(now);
    for (std::size_t i = count; i > 0; --i)
        header.append(header.empty() ? "" : ",").append(items[i - 1]);
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
    return header;
}

}  // namespace headway::hook
