// SPDX-License-Identifier: Apache-2.0
#include "api/records/deeds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "api/records/call_shape.hpp"
#include "core/base/assert.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/command.hpp"
#include "core/calls/command_parts.hpp"
#include "core/detection/classify.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::CallFingerprint;
using core::CallKind;
using core::Shape;
using core::WordList;

/// Faults that an action may report, whatever its exit status.
constexpr WordList<22> kFaults{{"error",        "errors",    "errored", "fail",     "fails",
                                "failed",       "failing",   "failure", "failures", "exception",
                                "exceptions",   "traceback", "fatal",   "panic",    "panicked",
                                "denied",       "refused",   "unable",  "cannot",   "invalid",
                                "unauthorized", "forbidden"}};
/// Words by which a check says that something is left to do.
constexpr WordList<46> kFlaws{
    {"not",       "false",     "red",        "down",          "lag",
     "behind",    "missing",   "unhealthy",  "degraded",      "critical",
     "inactive",  "disabled",  "pending",    "timeout",       "timed",
     "issue",     "issues",    "problem",    "problems",      "conflict",
     "conflicts", "violation", "violations", "vulnerability", "vulnerabilities",
     "broken",    "mismatch",  "mismatches", "outdated",      "drift",
     "alert",     "alerts",    "unresolved", "stale",         "offline",
     "usage",     "killed",    "cancelled",  "aborted",       "terminated",
     "dead",      "died",      "expired",    "rejected",      "lost",
     "exited"}};
/// Neither, unless the answer is that there are none.
constexpr WordList<5> kTraces{{"change", "changes", "difference", "differences", "diff"}};
/// Not "done" and "completed", with which actions are confirmed, and frames of platforms.
constexpr WordList<24> kFine{{"ok",      "okay",       "pass",      "passed",     "passes",
                              "passing", "success",    "succeeded", "successful", "successfully",
                              "green",   "healthy",    "valid",     "clean",      "ready",
                              "active",  "up",         "alive",     "pong",       "online",
                              "synced",  "consistent", "identical", "normal"}};
constexpr WordList<7> kIdle{
    {"nothing", "unchanged", "already", "skipped", "skipping", "noop", "unmodified"}};

constexpr std::size_t kEndBytes = 512;         // of a long answer of an action
constexpr std::size_t kCheckBytesMax = 1'024;  // longer ones are documents

bool asks_back(std::string_view text) {
    static constexpr std::array<std::string_view, 4> kAsks{"[y/n]", "(y/n)", "please", "password:"};
    return text.ends_with('?') || core::mentions(text, kAsks);
}

/// Bytes up to the end of the value behind a name, if the value is none: `errors: 0`,
/// `"failed":[]`, `Seconds_Behind_Master: 0`; else 0.
std::size_t none_behind(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kNone{"false", "null", "none",
                                                           "[]",    "{}",   "\"\""};
    std::size_t at = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_\"");
    if (at == text.npos || (text[at] != ':' && text[at] != '=')) return 0;
    at = text.find_first_not_of(' ', at + 1);
    if (at == text.npos) return 0;
    const std::string_view value = text.substr(at);
    for (const std::string_view none : kNone)
        if (value.starts_with(none)) return at + none.size();
    const bool more = value.size() > 1 && (core::is_word(value[1]) || value[1] == '.');
    return value[0] == '0' && !more ? at + 1 : 0;
}

/// True if the words before, up to a mark, deny the next: "0 failed", "no known issues".
bool is_denied_by(std::string_view before) {
    static constexpr WordList<5> kDenials{{"0", "no", "zero", "without", "not"}};
    constexpr int kWordsBack = 3;
    for (int i = 0; i < kWordsBack; ++i) {
        while (!before.empty() && before.back() == ' ')
            before.remove_suffix(1);
        std::size_t from = before.size();
        while (from > 0 && core::is_word(before[from - 1]))
            --from;
        const std::string_view word = before.substr(from);
        if (core::contains(kDenials, word)) return from == 0 || before[from - 1] != '.';
        if (word.empty() || core::is_digit(word[0])) return false;
        before.remove_suffix(word.size());
    }
    return false;
}

struct Signs {
    bool fault = false;  ///< a fault that an action may report
    bool flaw = false;   ///< a thing that is left to do
    bool fine = false;
    bool idle = false;  ///< there was nothing to do
};

/// The signs of one word, which ends at `at`; moves `at` past a value that belongs to it.
void read_sign(std::string_view text, std::string_view word, std::size_t& at, Signs& signs) {
    const std::string_view before = text.substr(0, at - word.size());
    const bool fault = core::contains(kFaults, word) ||
                       (word == "found" && before.ends_with("not ")) ||
                       (word == "such" && before.ends_with("no "));
    const bool flaw = core::contains(kFlaws, word);
    const bool trace = core::contains(kTraces, word);
    const bool fine = core::contains(kFine, word);
    const bool idle =
        core::contains(kIdle, word) || (word == "up" && text.substr(at).starts_with(" to date"));
    if (!fault && !flaw && !trace && !fine && !idle) return;
    const std::size_t none = fault || flaw ? none_behind(text.substr(at)) : 0;
    const bool denied = none > 0 || (word != "such" && word != "found" && is_denied_by(before));
    at += none;
    if (denied) {
        signs.fine = signs.fine || fault || flaw || trace;
        signs.flaw = signs.flaw || fine;
        signs.idle = signs.idle || trace;
        return;
    }
    signs.fault = signs.fault || fault;
    signs.flaw = signs.flaw || flaw;
    signs.fine = signs.fine || fine;
    signs.idle = signs.idle || idle;
}

/// `text` is in lower case.
Signs signs_of(std::string_view text) {
    Signs signs;
    for (std::size_t at = 0; at < text.size();) {
        if (!core::is_letter(text[at])) {
            ++at;
            continue;
        }
        const std::size_t from = at;
        while (at < text.size() && core::is_letter(text[at]))
            ++at;
        HEADWAY_ASSERT(at > from);
        read_sign(text, text.substr(from, at - from), at, signs);
    }
    return signs;
}

/// True for `attempt=17`, `--retry-3`, `ATTEMPT:2`; for `--attempt` alone if the next word is a
/// number, which it takes from `rest`.
bool takes_counter(std::string_view word, std::string_view& rest) {
    static constexpr WordList<10> kCounters{{"attempt", "try", "retry", "retries", "iteration",
                                             "iter", "round", "nonce", "seed", "run"}};
    constexpr std::string_view kDigits = "0123456789";
    const std::string text = core::lower(word);
    std::string_view name = text;
    name.remove_prefix(std::min(name.find_first_not_of("-'\"(["), name.size()));
    std::size_t end = 0;
    while (end < name.size() && core::is_letter(name[end]))
        ++end;
    if (!core::contains(kCounters, name.substr(0, end))) return false;
    std::string_view value = name.substr(end);
    if (value.empty()) {
        const std::string_view next = rest.substr(0, rest.find(' '));
        if (next.empty() || !core::is_digit(next[0])) return false;
        rest.remove_prefix(next.size());
        return true;
    }
    value.remove_prefix(std::min(value.find_first_not_of("=:_#-"), value.size()));
    return !value.empty() && core::is_digit(value[0]) &&
           value.find_first_not_of(kDigits) >= std::min(value.find_first_of("'\")]"), value.size());
}

/// Appends a part of a command, word by word; true if it left something out.
bool append_deed(std::string& out, std::string_view part) {
    static constexpr std::array<std::string_view, 4> kTempRoots{"/tmp/", "/var/tmp/",
                                                                "/var/folders/", "/private/tmp/"};
    bool left_out = false;
    bool names_output = false;  // the word before is an option or a redirection
    for (std::string_view rest = part; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(word.size());
        rest = core::trimmed(rest);
        const bool counter = takes_counter(word, rest);
        const std::size_t root = std::min(word.find('/'), word.size());
        const bool own = word.starts_with('-') || word.substr(0, root).ends_with('>');
        const bool temp = (own || names_output) && core::mentions(word, kTempRoots);
        if (!counter) out.append(temp ? word.substr(0, root) : word).push_back(' ');
        left_out = left_out || counter || temp;
        names_output = own;
    }
    return left_out;
}

}  // namespace

bool says_all_well(std::string_view result) {
    result = core::trimmed(result);
    if (result.empty() || result == "0" || result == "200") return true;
    if (result.size() > kCheckBytesMax) return false;
    const std::string text = core::lower(result);
    const Signs signs = signs_of(text);
    return signs.fine && !signs.fault && !signs.flaw && !asks_back(text);
}

bool says_it_was_done(std::string_view result) {
    result = core::trimmed(result);
    const std::string start = core::lower(result.substr(0, kEndBytes));
    const std::string end =
        result.size() > kEndBytes ? core::lower(result.substr(result.size() - kEndBytes)) : start;
    const Signs first = signs_of(start);
    const Signs last = signs_of(end);
    const bool nothing = !result.empty() && core::says_nothing_yet(result);
    return !first.fault && !last.fault && !first.idle && !last.idle && !asks_back(end) && !nothing;
}

std::optional<std::string> deed_in(std::string_view command) {
    static constexpr WordList<8> kTalk{
        {"echo", "printf", "sleep", "wait", "true", ":", "date", "pwd"}};
    const std::string plain = core::without_comments(command);
    bool left_out = plain.size() != command.size();
    std::string out;
    for (std::string_view rest = plain; !rest.empty();) {
        const std::string_view part = core::next_part(rest);
        const bool runs = part.find("$(") != part.npos || part.find('`') != part.npos;
        if (!runs && core::is_one_of(core::plain_command(part), kTalk)) {
            left_out = true;
            continue;
        }
        left_out = append_deed(out, part) || left_out;
        out.push_back('\n');
    }
    if (!left_out) return std::nullopt;
    return out;
}

namespace {

/// True for a program that writes, moves or removes files, or changes a database. One that writes
/// to its output, as by sys.stdout.write(), looks.
bool writes_files(std::string_view program) {
    static constexpr core::Phrases kWrites{std::array<std::string_view, 16>{
        "write_text(", "write_bytes(", "writelines(", "writefile", "appendfile", "file.write(",
        ".save(", "to_csv(", "os.rename(", "os.replace(", "os.remove(", "shutil.", "renamesync(",
        "copyfile", "unlink", ".commit("}};
    static constexpr core::Phrases kOpens{
        std::array<std::string_view, 10>{",'w", ", 'w", ",\"w", ", \"w", ",'a'", ", 'a'", ",\"a\"",
                                         ", \"a\"", "mode='w", "mode=\"w"}};
    static constexpr core::Phrases kInto{std::array<std::string_view, 2>{".write(", ".dump("}};
    return kWrites.any_in(program) || (kOpens.any_in(program) && kInto.any_in(program));
}

/// True if a part of the command is a program of one line, with which agents mostly look; one that
/// writes a file edits.
bool looks_by_program(const core::CommandParts& parts, std::string_view command) {
    static constexpr WordList<8> kLines{{"python -c", "python3 -c", "python -", "python3 -",
                                         "node -e", "node -p", "ruby -e", "perl -e"}};
    return !writes_files(command) &&
           std::any_of(parts.begin(), parts.end(),
                       [](std::string_view part) { return core::is_one_of(part, kLines); });
}

/// True for a call whose answer cannot show that something was done.
bool only_looks_or_talks(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                         std::string_view command, std::string_view plain) {
    // `open "main.py" 40` of a tool that is named `open` is no command of a shell.
    if (core::kind_of_call(call.tool, {}) == CallKind::kRead) return true;
    if (fingerprint.kind != CallKind::kOther || fingerprint.is(Shape::kLooks) ||
        fingerprint.is(Shape::kNothing))
        return true;
    if (fingerprint.is(Shape::kActs) && !core::is_receipt(plain)) return true;  // on a screen
    if (command.empty()) return false;
    if (command.size() > kShapeBytesMax) return true;
    const core::CommandParts parts{command};
    return core::has_no_effect(parts) || !core::probed_target(parts).empty() ||
           looks_by_program(parts, command);
}

/// True if the call is a check that passes; what a tool reads (a file, a meter) is none.
bool passes(const CallFingerprint& fingerprint, const core::ToolFinished& call,
            std::string_view plain) {
    if (fingerprint.kind == CallKind::kVerify)
        return fingerprint.failing.value_or(0) == 0 && !fingerprint.measured;
    if (plain.empty() && !call.result_digest.empty()) return false;  // the answer is not known
    const bool asks = fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kPoll;
    const bool nothing =
        fingerprint.is(Shape::kNothingYet) && !core::trimmed(plain).empty();  // "0 new messages"
    return asks && !nothing && says_all_well(plain);
}

}  // namespace

void shape_deed(CallFingerprint& fingerprint, const core::ToolFinished& call,
                std::string_view command, std::string_view plain) {
    if (!call.ok || fingerprint.is(Shape::kBusy)) return;
    fingerprint.set(Shape::kPasses, !fingerprint.running && passes(fingerprint, call, plain));
    if (only_looks_or_talks(fingerprint, call, command, plain) || !says_it_was_done(plain)) return;
    fingerprint.deed = fingerprint.question.low;
    if (command.empty()) return;
    if (const std::optional<std::string> deed = deed_in(command))
        fingerprint.deed = core::digest_of(call.tool + "\n" + *deed).low;
}

}  // namespace headway::api
