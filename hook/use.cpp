// SPDX-License-Identifier: Apache-2.0
#include "hook/use.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <vector>

#include "hook/bytes.hpp"
#include "hook/json_scan.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kRecordBytes = 1024 * 1024;
// 32 answers have to fit a header of 4096 bytes.
constexpr std::size_t kIdBytesMax = 64;
constexpr std::size_t kTimeBytesMax = 32;
constexpr std::size_t kSessionIdBytesMax = 128;
// Claude Code writes its transcript every 100 ms.
constexpr int kLooksMax = 40;
/// So much of the agent's last words tells an answer from the one before it.
constexpr std::size_t kWordsBytes = 200;
constexpr long kLookEveryNs = 10'000'000;

/// One answer of the model.
struct Answer {
    std::string_view id;
    std::string_view at;
    unsigned long long input = 0;
    unsigned long long output = 0;
};

/// It stands in a header, between separators, or in a path.
bool is_plain(std::string_view text, std::size_t size_max) noexcept {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == ':' || c == '.';
    };
    return !text.empty() && text.size() <= size_max && std::all_of(text.begin(), text.end(), fits);
}

Answer answer_of_claude(std::string_view line) noexcept {
    if (text_member(line, "type") != "assistant") return {};
    const std::string_view message = member(line, "message");
    const std::string_view usage = member(message, "usage");
    Answer answer{text_member(message, "id"), text_member(line, "timestamp")};
    answer.input = count_member(usage, "input_tokens") +
                   count_member(usage, "cache_read_input_tokens") +
                   count_member(usage, "cache_creation_input_tokens");
    answer.output = count_member(usage, "output_tokens");
    return answer;
}

Answer answer_of_codex(std::string_view line) noexcept {
    if (text_member(line, "type") != "token_usage_record") return {};
    const std::string_view payload = member(line, "payload");
    const std::string_view usage = member(payload, "usage");
    return {text_member(payload, "response_id"), text_member(line, "timestamp"),
            count_member(usage, "input_tokens"), count_member(usage, "output_tokens")};
}

/// The last whole line, which is taken off; the first one of a tail may be cut, and gives nothing.
std::string_view take_last_line(std::string_view& text) noexcept {
    while (!text.empty() && text.back() == '\n')
        text.remove_suffix(1);
    const std::size_t before = text.rfind('\n');
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin);
    text = text.substr(0, begin);
    return line;
}

template <class Read>
std::string use_in(std::string_view tail, std::string_view sign, Read read) {
    std::vector<Answer> answers;  // newest first
    while (!tail.empty() && answers.size() < std::size_t{kAnswersMax}) {
        const std::string_view line = take_last_line(tail);
        if (line.find(sign) == line.npos) continue;
        const Answer answer = read(line);
        const bool used = answer.input + answer.output > 0;
        if (!used || !is_plain(answer.id, kIdBytesMax)) continue;
        if (!is_plain(answer.at, kTimeBytesMax)) continue;
        const bool known = std::any_of(answers.begin(), answers.end(),
                                       [&](const Answer& one) { return one.id == answer.id; });
        if (!known) answers.push_back(answer);
    }
    std::string use;
    for (auto answer = answers.rbegin(); answer != answers.rend(); ++answer) {
        if (!use.empty()) use += ',';
        use.append(answer->id).append(";").append(answer->at);
        use += ";" + std::to_string(answer->input) + ";" + std::to_string(answer->output);
    }
    return use;
}

/// At the end of a turn, which is written while the hook runs, and after it.
std::string whole_transcript(const std::string& path, std::string_view words) {
    std::string tail = tail_of(path, kRecordBytes);
    for (int look = 0; look < kLooksMax && !tail.empty() && !ends_with_answer(tail, words);
         ++look) {
        const timespec pause{0, kLookEveryNs};
        ::nanosleep(&pause, nullptr);
        tail = tail_of(path, kRecordBytes);
    }
    return tail;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& all) noexcept {
    return std::find(all.begin(), all.end(), text) != all.end();
}

}  // namespace

std::string use_in_transcript(std::string_view tail) {
    return use_in(tail, "\"usage\"", answer_of_claude);
}

std::string use_in_rollout(std::string_view tail) {
    return use_in(tail, "\"token_usage_record\"", answer_of_codex);
}

bool ends_with_answer(std::string_view tail, std::string_view words) noexcept {
    while (!tail.empty()) {
        const std::string_view line = take_last_line(tail);
        const std::string_view type = text_member(line, "type");
        if (type == "user") return false;
        if (type == "assistant") return line.find(words.substr(0, kWordsBytes)) != line.npos;
    }
    return false;
}

std::string record_of(std::string_view body) {
    std::string_view path = text_member(body, "agent_transcript_path");
    const bool own = !path.empty();
    if (!own) path = text_member(body, "transcript_path");
    if (path.empty() || path.front() != '/') return {};
    const std::string_view sub_agent = text_member(body, "agent_id");
    if (own || sub_agent.empty()) return std::string{path};
    constexpr std::string_view kEnding = ".jsonl";
    if (!is_plain(sub_agent, kIdBytesMax) || path.size() <= kEnding.size()) return {};
    path.remove_suffix(kEnding.size());
    return std::string{path} + "/subagents/agent-" + std::string{sub_agent} + std::string{kEnding};
}

std::string use_of(std::string_view agent, std::string_view body) {
    constexpr std::array<std::string_view, 3> kEnds{"Stop", "StopFailure", "SubagentStop"};
    constexpr std::array<std::string_view, 3> kCodex{"Stop", "SubagentStop", "PostToolUse"};
    const std::string_view event = text_member(body, "hook_event_name");
    if (agent == "claude") {
        const bool ends = is_one_of(event, kEnds);
        if (!ends && event != "PostToolBatch") return {};
        const std::string path = record_of(body);
        const std::string_view words = text_member(body, "last_assistant_message");
        return use_in_transcript(ends ? whole_transcript(path, words)
                                      : tail_of(path, kRecordBytes));
    }
    if (agent != "codex" || !is_one_of(event, kCodex)) return {};
    return use_in_rollout(tail_of(record_of(body), kRecordBytes));
}

std::string use_body(std::string_view body) {
    const std::string_view session = text_member(body, "session_id");
    const std::string_view sub_agent = text_member(body, "agent_id");
    if (!is_plain(session, kSessionIdBytesMax)) return {};
    std::string out = R"({"hook_event_name":"Usage","session_id":")";
    out.append(session).append("\"");
    if (is_plain(sub_agent, kIdBytesMax)) {
        out.append(R"(,"agent_id":")").append(sub_agent).append("\"");
    }
    return out += "}";
}

}  // namespace headway::hook
