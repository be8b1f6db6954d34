// SPDX-License-Identifier: Apache-2.0
#include "core/calls/answers.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kAcknowledgementBytesMax = 128;  ///< of what is longer, some may be news

constexpr std::array<std::string_view, 23> kEnds{
    "cancelled",        "canceled",     "failed",     "failure",   "killed",
    "oomkilled",        "aborted",      "terminated", "died",      "dead",
    "imagepullbackoff", "errimagepull", "expired",    "rejected",  "lost",
    "crashloopbackoff", "revoked",      "deadlocked", "timed_out", "out_of_memory",
    "traceback",        "exited",       "panicked"};
constexpr std::array<std::string_view, 5> kEndPhrases{"no such process", "no space left",
                                                      "segmentation fault", "fatal error",
                                                      "dependencyneversatisfied"};
constexpr std::array<std::string_view, 24> kInUse{"could not get lock",  "state lock",
                                                  "lock held",           "waiting for cache lock",
                                                  "unable to acquire",   "is locked",
                                                  "index.lock",          "another process",
                                                  "too many requests",   "rate limit",
                                                  "rate_limit",          "overloaded",
                                                  "service unavailable", "temporarily unavailable",
                                                  "resource busy",       "device or resource busy",
                                                  "try again later",     "is busy",
                                                  "internal error",      "please retry",
                                                  "device busy",         "please try again",
                                                  "try again shortly",   "version conflict"};
constexpr auto all_state_words() {
    std::array<std::string_view, kEnds.size() + kEndPhrases.size() + kInUse.size() +
                                     kStillUnderWay.size() + kAtWork.size()>
        all{};
    std::size_t at = 0;
    for (const std::string_view word : kEnds)
        all[at++] = word;
    for (const std::string_view words : kEndPhrases)
        all[at++] = words;
    for (const std::string_view word : kInUse)
        all[at++] = word;
    for (const std::string_view word : kStillUnderWay)
        all[at++] = word;
    for (const std::string_view word : kAtWork)
        all[at++] = word;
    return all;
}

constexpr std::size_t kBusyBytesMax = 512;  ///< longer answers only speak of it

constexpr Phrases kWrong{std::array<std::string_view, 14>{
    "error", "fail", "not ", "unable", "cannot", "can't", "invalid", "denied", "timeout",
    "timed out", "no such", "missing", "refused", "nothing"}};

}  // namespace

bool is_only_exit_status(std::string_view message) {
    static constexpr WordList<24> kWords{
        {"exit", "exited", "code",       "status", "command",      "process",    "failed", "with",
         "non",  "zero",   "nonzero",    "return", "returned",     "error",      "shell",  "a",
         "the",  "was",    "terminated", "by",     "unsuccessful", "returncode", "rc",     "bash"}};
    message = trimmed(message);
    if (message.empty() || message.size() > 80) return false;
    bool status = false;
    for (std::size_t at = 0; at < message.size();) {
        if (!is_word(message[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < message.size() && is_word(message[end]) && message[end] != '_')
            ++end;
        if (end == at) ++end;  // an underscore
        const std::string word = lower(message.substr(at, end - at));
        at = end;
        if (is_digit(word[0])) continue;
        if (word == "exit" || word == "exited" || word == "status" || word == "return" ||
            word == "returned" || word == "returncode" || word == "rc" || word == "nonzero" ||
            word == "zero")
            status = true;
        if (word != "_" && !contains(kWords, word)) return false;
    }
    return status;
}

namespace {

/// A receipt without its counts of nothing wrong: "ERROR=0", "0 failed", "no errors".
std::string without_zeroes(std::string_view result) {
    static constexpr std::array<std::string_view, 8> kZeroes{"error=0",   "errors=0",  "failed=0",
                                                             "errors: 0", "failed: 0", "0 failed",
                                                             "0 errors",  "no errors"};
    std::string text = lower(result);
    for (const std::string_view zero : kZeroes) {
        const std::size_t at = text.find(zero);
        const bool part = at != text.npos && zero[0] == '0' && at > 0 && is_digit(text[at - 1]);
        if (at != text.npos && !part) text.erase(at, zero.size());
    }
    return text;
}

}  // namespace

bool is_acknowledgement(std::string_view result) {
    static constexpr Phrases kDone{std::array<std::string_view, 43>{
        "success",   "saved",     "updated",   "created",       "done",       "recorded",
        "applied",   "sent",      "added",     "complete",      "accepted",   "stored",
        "submitted", "deleted",   "written",   "scrolled",      "clicked",    "typed",
        "pressed",   "navigated", "moved",     "executed",      "performed",  "ok",
        "delivered", "queued",    "posted",    "modified",      "registered", "started",
        "launched",  "spawned",   "scheduled", "in background", "restored",   "reverted",
        "removed",   "cleared",   "uploaded",  "installed",     "enabled",    "disabled",
        "merged"}};
    result = trimmed(result);
    if (result.size() > kAcknowledgementBytesMax) return false;
    if (result.empty()) return true;
    return kDone.any_in(result) && !kWrong.any_in(without_zeroes(result));
}

bool says_nothing_yet(std::string_view result) {
    constexpr std::size_t kBytesMax = 160;
    static constexpr std::array<std::string_view, 12> kNone{
        "no new",    "no messages", "no results", "not ready", "not yet",     "no match",
        "0 matches", "no pending",  "empty",      "[]",        "\"total\":0", "\"count\":0"};
    result = trimmed(result);
    if (result.size() > kBytesMax) return false;
    const std::string text = lower(result);
    return text.empty() || text == "null" || text == "0" || mentions(text, kNone);
}

bool has_state_words(std::string_view result) {
    static constexpr Phrases kAll{all_state_words()};
    return kAll.any_word_in(result.substr(0, kBusyBytesMax));
}

namespace {

/// The text behind a line of column names, which are no states: `NAME READY FAILED`.
std::string_view without_heading(std::string_view text) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return text;
    const std::string_view line = trimmed(text.substr(0, end));
    const bool capitals = std::none_of(
        line.begin(), line.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
    return capitals && line.find(' ') != line.npos ? text.substr(end + 1) : text;
}

/// True if `before` takes the word behind it back: "0 failed", "no failure", "previous: failed".
bool denies(std::string_view before) {
    static constexpr WordList<9> kDenials{
        {"0", "no", "not", "if", "previous", "last", "prior", "earlier", "former"}};
    return contains(kDenials, before);
}

/// True if the word at `at` is a piece of a name: `failed_jobs.csv`, `/failed`.
bool in_a_name(std::string_view text, std::size_t at, std::size_t end) {
    const bool goes_on =
        end + 1 < text.size() && (text[end] == '_' || text[end] == '-') && is_letter(text[end + 1]);
    const bool file = end + 1 < text.size() && text[end] == '.' && is_letter(text[end + 1]);
    return goes_on || file || (at > 0 && text[at - 1] == '/');
}

/// An object of an answer, and the states that it names.
struct StatesOf {
    std::size_t start = 0;  ///< where it opens; 0 = in no braces
    std::size_t depth = 0;
    bool at_work = false;
    bool over = false;
};

/// The object around a place. Without braces, indentation shows what lies within.
StatesOf object_at(std::string_view text, std::size_t at) {
    StatesOf object;
    std::size_t closed = 0;
    const std::size_t line = text.substr(0, at).rfind('\n') + 1;  // 0 if there is none
    object.depth = std::min(text.find_first_not_of(" -", line), at) - line;
    for (std::size_t i = at; i > 0; --i) {
        if (text[i - 1] == '}') ++closed;
        if (text[i - 1] != '{' || (closed > 0 && closed-- > 0)) continue;
        if (object.start == 0) object.start = i;
        ++object.depth;
    }
    return object;
}

/// True for the name of a state of before: `previous_state`, `last build status`.
bool is_of_before(std::string_view text, std::size_t key) {
    static constexpr WordList<5> kBefore{{"previous", "last", "prior", "old", "former"}};
    std::string_view name = text.substr(0, key);
    name.remove_prefix(name.find_last_not_of("abcdefghijklmnopqrstuvwxyz_- ") + 1);
    for (; !name.empty(); name.remove_suffix(1)) {
        const std::size_t word = name.find_last_of("_- ") + 1;  // 0 for the first
        if (contains(kBefore, name.substr(word))) return true;
        name.remove_suffix(name.size() - std::max<std::size_t>(word, 1));
    }
    return false;
}

}  // namespace

bool has_state_at_work(std::string_view text) {
    static constexpr WordList<8> kDone{
        {"completed", "complete", "succeeded", "done", "finished", "error", "errored", "stopped"}};
    std::vector<StatesOf> objects;
    std::size_t outermost = text.npos;
    for (const std::string_view key : {"status", "state", "phase", "stage"}) {
        for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
            std::string_view rest = text.substr(at + key.size());
            const std::size_t value = rest.find_first_not_of("\"': =");
            if (value == 0 || value == rest.npos || is_of_before(text, at)) continue;
            rest.remove_prefix(value);
            const std::string_view word = rest.substr(0, rest.find_first_of("\"', ,}\n"));
            StatesOf found = object_at(text, at);
            found.over = contains(kEnds, word) || contains(kDone, word);
            found.at_work = contains(kAtWork, word);
            if (!found.over && !found.at_work) continue;
            outermost = std::min(outermost, found.depth);
            objects.push_back(found);
        }
    }
    // The state of a job decides, not those of its steps; of several jobs, one at work is enough.
    return std::any_of(objects.begin(), objects.end(), [&](const StatesOf& one) {
        return one.depth == outermost && one.at_work &&
               std::none_of(objects.begin(), objects.end(), [&one](const StatesOf& other) {
                   return other.start == one.start && other.over && other.depth == one.depth;
               });
    });
}

bool says_over(std::string_view result) {
    static constexpr WordList<12> kUnderWay{{"running", "pending", "queued", "waiting", "starting",
                                             "progress", "retrying", "creating", "building",
                                             "processing", "restarting", "scheduled"}};
    constexpr std::size_t kLooked = 512;  // of a status; the rest is its history
    if (result.size() > 4 * kLooked) return false;
    const std::string text = lower(without_heading(result).substr(0, kLooked));
    // Slurm says of these jobs that they are pending.
    static constexpr std::array<std::string_view, 6> kNeverStarts{
        "neversatisfied", "partitiondown",  "partitioninactive",
        "jobheldadmin",   "badconstraints", "invalidaccount"};
    if (mentions(text, kNeverStarts)) return true;
    const std::size_t late = text.find("timed_out");  // `"timed_out": false` is no end
    const bool timed_out = late != text.npos && text.substr(late + 9, 8).find("false") == text.npos;
    bool over = mentions(text, kEndPhrases) || timed_out || text.find("out_of_memory") != text.npos;
    std::string_view before;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at]) || text[at] == '_') {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_word(text[end]) && text[end] != '_')
            ++end;
        const std::string_view word = std::string_view{text}.substr(at, end - at);
        if (contains(kUnderWay, word)) return false;
        over = over || (contains(kEnds, word) && !denies(before) && !in_a_name(text, at, end));
        before = word;
        HEADWAY_ASSERT(end > at);
        at = end;
    }
    return over;
}

bool says_pending(std::string_view answer) {
    static constexpr std::array<std::string_view, 7> kPending{
        "pending", "in_progress", "in progress", "queued", "not ready", "not finished", "not yet"};
    constexpr std::size_t kBytesMax = 256;
    if (answer.size() > kBytesMax) return false;
    const std::string text = lower(answer);
    const auto joins = [&text](std::size_t at) {
        constexpr std::string_view kMarks = "-/.'\"";
        return at < text.size() && (is_word(text[at]) || kMarks.find(text[at]) != kMarks.npos);
    };
    return std::any_of(kPending.begin(), kPending.end(), [&](std::string_view word) {
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            if ((at == 0 || !joins(at - 1)) && !joins(at + word.size())) return true;
        }
        return false;
    });
}

bool says_busy(std::string_view result) {
    static constexpr Phrases kBusy{kInUse};
    return result.size() <= kBusyBytesMax && kBusy.any_word_in(result);
}

namespace {

/// MongoDB: `{ acknowledged: true, matchedCount: 1, modifiedCount: 1 }`.
bool says_acknowledged(std::string_view text) {
    if (text.find("acknowledged") == text.npos) return false;
    static constexpr std::array<std::string_view, 4> kCounts{"modifiedcount", "deletedcount",
                                                             "insertedcount", "upsertedcount"};
    for (const std::string_view name : kCounts) {
        const std::size_t at = text.find(name);
        const std::size_t digit = at == text.npos ? at : text.find_first_of("0123456789", at);
        if (digit != text.npos && text[digit] != '0') return true;
    }
    return text.find("insertedid") != text.npos;
}

/// True if more than `limit` words stand in the text, with blanks between them.
bool more_words(std::string_view text, std::size_t limit) {
    char before = ' ';
    for (const char c : text)
        if (std::exchange(before, c) == ' ' && c != ' ' && limit-- == 0) return true;
    return false;
}

}  // namespace

bool is_receipt(std::string_view result) {
    result = trimmed(result);
    if (result.size() > kAcknowledgementBytesMax) return false;
    static constexpr Phrases kSays{std::array<std::string_view, 2>{"acknowledged", "query ok, "}};
    // Every other receipt is of three words at most, perhaps in brackets.
    if (more_words(result, 5) && !kSays.any_in(result)) return false;
    const std::string text = lower(result);
    std::string_view wording = text;
    if (wording.starts_with("query ok, ")) {  // MySQL; the time behind it is no word of it
        wording.remove_prefix(10);
        wording = trimmed(wording.substr(0, wording.find('(')));
    }
    if (wording.starts_with('(') && wording.ends_with(')'))
        wording = wording.substr(1, wording.size() - 2);
    std::array<std::string_view, 4> words;  // with a fourth it is none of them
    std::size_t count_of_words = 0;
    for (std::string_view rest = wording; !rest.empty() && count_of_words < words.size();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (end > 0) words[count_of_words++] = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const auto count = [](std::string_view word) {
        return word != "0" && word.find_first_not_of("0123456789") == std::string_view::npos;
    };
    static constexpr WordList<4> kVerbs{{"update", "delete", "merge", "copy"}};
    if (says_acknowledged(text)) return true;
    if (count_of_words == 2) return contains(kVerbs, words[0]) && count(words[1]);
    if (count_of_words != 3) return false;
    if (words[0] == "insert") return words[1] == "0" && count(words[2]);
    static constexpr WordList<4> kThings{{"row", "rows", "record", "records"}};
    static constexpr WordList<4> kDone{{"affected", "updated", "changed", "deleted"}};
    return count(words[0]) && contains(kThings, words[1]) && contains(kDone, words[2]);
}

namespace {

/// Behind the word of what was done: a count that is not zero, or behind a colon what it was.
bool tells_of_something(std::string_view rest) {
    const std::size_t at = rest.find_first_not_of("\": [{");
    if (at == rest.npos || at == 0) return false;
    if (is_digit(rest[at])) return rest[at] != '0';
    static constexpr WordList<5> kNone{{"no", "none", "null", "false", "true"}};
    std::size_t end = at;
    while (end < rest.size() && is_letter(rest[end]))
        ++end;
    return rest.substr(0, at).find(':') != rest.npos && end > at &&
           !contains(kNone, rest.substr(at, end - at));
}

}  // namespace

bool says_worked_off(std::string_view result) {
    static constexpr std::array<std::string_view, 12> kDone{
        "processed", "imported", "consumed", "drained", "migrated",  "indexed",
        "synced",    "archived", "ingested", "handled", "published", "dequeued"};
    if (result.size() > kAcknowledgementBytesMax) return false;
    const std::string text = lower(result);
    if (kWrong.any_in(text)) return false;
    return std::any_of(kDone.begin(), kDone.end(), [&text](std::string_view word) {
        const std::size_t at = text.find(word);
        if (at == text.npos || (at > 0 && is_word(text[at - 1]))) return false;
        return tells_of_something(std::string_view{text}.substr(at + word.size()));
    });
}

bool says_more(std::string_view result) {
    if (result.size() > kAcknowledgementBytesMax) return false;
    std::string text = lower(result);
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    static constexpr std::array<std::string_view, 3> kMore{"\"more\":true", "\"has_more\":true",
                                                           "\"hasmore\":true"};
    return mentions(text, kMore);
}

}  // namespace headway::core
