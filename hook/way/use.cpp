// SPDX-License-Identifier: Apache-2.0
#include "hook/way/use.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hook/text/answers.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/json_scan.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kRecordBytes = 1024 * 1024;
/// A line of the record may be longer than that: the part that is read grows, by this factor and up
/// to this size, until it has enough answers. All of it is linear in the record.
constexpr std::size_t kGrowth = 4;
constexpr std::size_t kRecordBytesMax = 64 * kRecordBytes;
/// Answers that one hook makes good of those that earlier ones did not tell.
constexpr std::size_t kOlderMax = 2048;
constexpr std::size_t kAgentIdBytesMax = 64;
constexpr std::size_t kSessionIdBytesMax = 128;
// Claude Code writes its transcript every 100 ms.
constexpr int kLooksMax = 40;
/// So much of the agent's last words tells an answer from the one before it.
constexpr std::size_t kWordsBytes = 200;
constexpr long kLookEveryNs = 10'000'000;

/// The record that a hook reports the use of; no path for one that reports none.
struct Source {
    std::string path;
    Record record = Record::kTranscript;
    bool ends = false;        ///< the last answer of a turn is written while the hook runs
    std::string parent = {};  ///< the record of the agent above, of a sub-agent of Claude Code
};

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

/// The items of the end of a record that has at least `most` of them, or all that there are in the
/// part that may be read.
std::vector<std::string> items_of(std::string tail, const Source& source, std::size_t most,
                                  std::string& now) {
    std::size_t size = kRecordBytes;
    for (;;) {
        std::vector<std::string> items = items_in(tail, source.record, source.path, most);
        const bool whole = tail.size() < size || size >= kRecordBytesMax;
        if (items.size() >= most || whole) {
            now = newest_time(tail);
            if (!source.parent.empty())
                drop_answers_of(tail_of(source.parent, kRecordBytes), items);
            return items;
        }
        size *= kGrowth;
        tail = {};  // before the longer one, so that only one is in memory
        tail = tail_of(source.path, size);
    }
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& all) noexcept {
    return std::find(all.begin(), all.end(), text) != all.end();
}

Source source_of(std::string_view agent, std::string_view body) {
    constexpr std::array<std::string_view, 3> kEnds{"Stop", "StopFailure", "SubagentStop"};
    constexpr std::array<std::string_view, 3> kCodex{"Stop", "SubagentStop", "PostToolUse"};
    const std::string_view event = text_member(body, "hook_event_name");
    if (agent == "claude") {
        const bool ends = is_one_of(event, kEnds);
        if (!ends && event != "PostToolBatch") return {};
        Source source{record_of(body), Record::kTranscript, ends};
        const std::string_view main = text_member(body, "transcript_path");
        if (!source.path.empty() && !main.empty() && main.front() == '/' && main != source.path)
            source.parent = main;
        return source;
    }
    if (agent != "codex" || !is_one_of(event, kCodex)) return {};
    return {record_of(body), Record::kRollout, false};
}

}  // namespace

std::string use_in_transcript(std::string_view tail) {
    std::vector<std::string> items = items_in(tail, Record::kTranscript, {}, kAnswersMax);
    return take_header(items, newest_time(tail));
}

std::string use_in_rollout(std::string_view tail) {
    std::vector<std::string> items = items_in(tail, Record::kRollout, {}, kAnswersMax);
    return take_header(items, newest_time(tail));
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
    if (!is_plain(sub_agent, kAgentIdBytesMax) || path.size() <= kEnding.size()) return {};
    path.remove_suffix(kEnding.size());
    return std::string{path} + "/subagents/agent-" + std::string{sub_agent} + std::string{kEnding};
}

std::string use_of(std::string_view agent, std::string_view body) {
    const Source source = source_of(agent, body);
    if (source.path.empty()) return {};
    std::string now;
    std::string tail =
        source.ends ? whole_transcript(source.path, text_member(body, "last_assistant_message"))
                    : tail_of(source.path, kRecordBytes);
    std::vector<std::string> items = items_of(std::move(tail), source, kAnswersMax, now);
    return take_header(items, now);
}

std::vector<std::string> older_uses_of(std::string_view agent, std::string_view body) {
    std::vector<std::string> uses;
    const Source source = source_of(agent, body);
    if (source.path.empty()) return uses;
    std::string now;
    std::vector<std::string> items =
        items_of(tail_of(source.path, kRecordBytes), source, kOlderMax, now);
    while (!items.empty()) {
        uses.push_back(take_header(items, now));
        if (uses.back().empty()) break;  // an item that no header takes
    }
    if (!uses.empty()) uses.erase(uses.begin());  // that is what the hook itself has told
    return uses;
}

std::string use_body(std::string_view body) {
    const std::string_view session = text_member(body, "session_id");
    const std::string_view sub_agent = text_member(body, "agent_id");
    if (!is_plain(session, kSessionIdBytesMax)) return {};
    std::string out = R"({"hook_event_name":"Usage","session_id":")";
    out.append(session).append("\"");
    if (is_plain(sub_agent, kAgentIdBytesMax)) {
        out.append(R"(,"agent_id":")").append(sub_agent).append("\"");
    }
    return out += "}";
}

}  // namespace headway::hook
