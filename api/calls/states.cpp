// SPDX-License-Identifier: Apache-2.0
#include "api/calls/states.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/base/assert.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/command.hpp"
#include "core/calls/tool_class.hpp"
#include "core/detection/classify.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::CallFingerprint;
using core::CallKind;

constexpr std::size_t kStatusBytesMax = 256;  ///< a longer answer only begins with a state

/// True for a command whose answer is the content of files: `cat`, `sed -n`, `grep`. A file that
/// has a state and nothing else is there to be asked for it.
bool shows_files(std::string_view command, std::string_view answer) {
    static constexpr core::WordList<10> kReaders{
        {"cat", "bat", "head", "sed", "grep", "egrep", "rg", "nl", "less", "awk"}};
    const core::CommandParts parts{command};
    const auto first = std::find_if(parts.begin(), parts.end(), [](std::string_view part) {
        return !core::has_no_effect(part);
    });
    if (first == parts.end() || !core::is_one_of(*first, kReaders)) return false;
    answer = core::trimmed(answer);
    const bool bare = std::count_if(answer.begin(), answer.end(), core::is_space) <= 1;
    return !bare || !first->starts_with("cat ");
}

/// True for a query of a database that asks for no record in particular: what it finds there is a
/// value, and no state of what the call asks about.
bool queries_any(const core::ToolFinished& call, std::string_view command) {
    static constexpr std::array<std::string_view, 5> kClients{"psql ", "mysql ", "sqlite3 ",
                                                              "duckdb ", "mongosh "};
    constexpr std::size_t kLooked = 4096;
    const std::string args = core::lower(std::string_view{call.args.kept}.substr(0, kLooked));
    const bool asks = command.empty() ? args.find("select ") != args.npos
                                      : core::mentions(command.substr(0, kLooked), kClients);
    return asks && args.find("where") == args.npos;
}

/// The length of a word of what is under way at the start of `text`; 0 = none.
std::size_t under_way(std::string_view text) {
    for (const std::string_view word : core::kStillUnderWay)
        if (text[0] == word[0] && text.starts_with(word)) return word.size();
    return 0;
}

/// True if the word before `behind` is counted there, and there is none: `failed":0`, "pending: 0".
/// Blanks alone may stand between two columns of a table: `ErrImagePull   0`.
bool counts_none(std::string_view behind) {
    const std::size_t value = behind.find_first_not_of("\": =");
    if (value == behind.npos || behind[value] != '0') return false;
    if (behind.substr(0, value).find_first_of(":=") == behind.npos) return false;
    return value + 1 == behind.size() || (!core::is_word(behind[value + 1]) &&
                                          behind[value + 1] != '.' && behind[value + 1] != '%');
}

/// An answer without the lines about the command itself that some platforms write below it: "[The
/// command completed with exit code 0.]", "<exited with exit code 0>".
std::string_view without_status_line(std::string_view answer) {
    for (const std::string_view words : {"exit code", "exited with"}) {
        const std::size_t at = answer.find(words);
        const std::size_t line = at == answer.npos ? at : answer.rfind('\n', at);
        answer = answer.substr(0, line);
    }
    return answer;
}

/// The start of an answer without the words of which it counts none.
std::string without_zero_counts(std::string_view answer) {
    std::string out;
    for (std::size_t at = 0; at < answer.size();) {
        std::size_t end = at;
        while (end < answer.size() && core::is_letter(answer[end]))
            ++end;
        if (end == at)
            out.push_back(answer[at++]);
        else if (!counts_none(answer.substr(end, kStatusBytesMax)))
            out.append(answer, at, end - at);
        at = std::max(at, end);
    }
    return out;
}

/// True if `before` takes the word behind it back ("no jobs pending", "0 running"), or `behind`
/// does: "pending: 0".
bool denied(std::string_view before, std::string_view behind) {
    static constexpr std::array<std::string_view, 7> kDenials{
        " not ", " no ", "n't ", " 0 ", " nothing ", " never ", " none "};
    constexpr std::size_t kLooked = 12;
    const std::string near =
        " " + std::string{before.substr(before.size() - std::min(before.size(), kLooked))};
    const std::size_t line = near.rfind('\n') + 1;  // 0 if there is none
    return core::mentions(" " + near.substr(line), kDenials) || counts_none(behind) ||
           behind.starts_with(" 0 of ");
}

/// True for how far something is: "2 of 3", "5/12", "40%".
bool tells_how_far(std::string_view text) {
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (!core::is_digit(text[at - 1])) continue;
        const std::string_view rest = text.substr(at);
        const bool parted = rest.size() > 1 && rest[0] == '/' && core::is_digit(rest[1]);
        const bool counted = rest.starts_with(" of ") && rest.size() > 4 && core::is_digit(rest[4]);
        if (rest[0] == '%' || parted || counted) return true;
    }
    return false;
}

/// True if the text begins with a bad end and nothing that it is about: "failed)", "Error: no
/// port". "failed: 2" is a count, and "failed over" another matter.
bool begins_with_bad_end(std::string_view text) {
    static constexpr core::WordList<6> kBadEnds{
        {"error", "failed", "exited", "aborted", "fatal", "crashed"}};
    const std::size_t word = std::min(text.find_first_not_of(" ["), text.size());
    std::size_t end = word;
    while (end < text.size() && core::is_word(text[end]))
        ++end;
    if (!core::contains(kBadEnds, text.substr(word, end - word))) return false;
    const std::string_view behind = text.substr(end);
    if (!behind.starts_with(':') && !behind.starts_with('=')) return !behind.starts_with(' ');
    const std::size_t value = behind.find_first_not_of(":= ");
    return value != behind.npos && !core::is_digit(behind[value]);
}

/// True if the text goes on about something else: behind `;`, `(` or a comma, or in a line that
/// names it: "build: pending\nlint: success".
bool begins_another(std::string_view text) {
    const char sign = text[0];
    if (sign != '\n' && sign != ';' && sign != '(' && sign != ',') return false;
    const std::string_view line = text.substr(1, text.find('\n', 1) - 1);
    return !begins_with_bad_end(line) && (sign != '\n' || line.find(": ") != line.npos);
}

/// True if the text says that something is over, or has come to nothing. "3 done" is a count. Some
/// words end only what the call announced itself.
bool tells_an_end(std::string_view text, bool announced) {
    static constexpr core::WordList<19> kEnds{{"done", "complete", "completed", "finished", "ok",
                                               "nothing", "success", "succeeded", "failed", "error",
                                               "exited", "stopped", "aborted", "none", "over",
                                               "applied", "exiting", "fatal", "crashed"}};
    static constexpr core::WordList<9> kFound{{"acquired", "skipped", "passed", "ready",
                                               "listening", "created", "saved", "found",
                                               "updated"}};
    if (tells_how_far(text)) return false;
    bool count = false;
    bool denies = false;
    for (std::size_t at = 0; at < text.size();) {
        if (!announced && begins_another(text.substr(at))) return false;
        if (!core::is_word(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && core::is_word(text[end]))
            ++end;
        const std::string_view word = text.substr(at, end - at);
        const bool ends =
            core::contains(kEnds, word) || (announced && core::contains(kFound, word));
        if (ends && !count && !denies) return true;
        // "3 failed", "2 tasks done", "40 new records imported ok"; not "3 nodes and has failed".
        const bool joins = word == "and" || word == "but" || word == "has" || word == "was";
        count = core::is_digit(word[0]) || (count && !announced && !joins);
        denies = word == "not" || word == "yet" || word == "until" || word == "be" || word == "t";
        HEADWAY_ASSERT(end > at);
        at = end;
    }
    return false;
}

/// True for a first line of column names, one of which is a state: `JOBID STATE`.
bool heads_states(std::string_view answer) {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    return line.size() < answer.size() &&
           std::none_of(line.begin(), line.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
           (line.find("STAT") != line.npos || line.find("PHASE") != line.npos);
}

/// True if a name of a state stands before its value: `status: `, `"state":"`.
bool names_state(std::string_view before) {
    static constexpr std::array<std::string_view, 6> kNames{"status", "state",    "phase",
                                                            "stage",  "progress", "health"};
    const std::size_t end = before.find_last_not_of("\"': =");
    if (end == before.npos || end + 1 == before.size()) return false;
    before = before.substr(0, end + 1);
    return std::any_of(kNames.begin(), kNames.end(),
                       [before](std::string_view name) { return before.ends_with(name); });
}

}  // namespace

bool reports_state(std::string_view answer) {
    const std::string_view start =
        core::trimmed(without_status_line(answer)).substr(0, kStatusBytesMax);
    if (heads_states(start)) return true;
    const std::string text = core::lower(start);
    if (core::has_state_at_work(text)) return true;
    const bool document = text.starts_with('{') || text.starts_with('[');
    const std::string_view all{text};
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (!core::is_letter(all[at]) || (at > 0 && core::is_letter(all[at - 1]))) continue;
        const std::size_t size = under_way(all.substr(at));
        if (size == 0 || denied(all.substr(0, at), all.substr(at + size))) continue;
        if (document || names_state(all.substr(0, at))) return true;
        const std::string_view rest = all.substr(at + size);
        // "Running checks" is an announcement, unless nothing came behind it.
        const bool begins = at == 0 || all[at - 1] == '\n';
        if ((!begins || rest.find('\n') == rest.npos) && !tells_an_end(rest, begins)) return true;
    }
    return false;
}

void shape_state(CallFingerprint& fingerprint, const core::ToolFinished& call,
                 std::string_view command, std::string_view result) {
    if (fingerprint.kind == CallKind::kVerify) return;
    // OpenHands: a command that goes on, and no other output, such as a prompt.
    if (call.ok && core::trimmed(result).starts_with("[The command has no new output after"))
        fingerprint.running = true;
    if (!core::has_state_words(result)) return;
    fingerprint.running = call.ok && core::says_running(result);
    fingerprint.set(core::Shape::kBusy, core::says_busy(result));
    // A wait of a tool that ran out of time has not ended: it is asked again.
    const bool ran_out = command.empty() && fingerprint.kind == CallKind::kPoll && call.ok &&
                         result.find("timed_out") != result.npos;
    constexpr std::size_t kOverBytesMax = 2048;  // says_over() reads no longer answer
    fingerprint.set(core::Shape::kOver, !ran_out && result.size() <= kOverBytesMax &&
                                            core::says_over(without_zero_counts(result)));
    const bool by_words =
        fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kRead;
    if (!fingerprint.running || !by_words || core::sleeps_and_more(command)) return;
    const bool of_content =
        core::class_of_tool(call.tool) == "class:read" || shows_files(command, result);
    if (of_content || queries_any(call, command) || !reports_state(result))
        fingerprint.running = false;
}

}  // namespace headway::api
