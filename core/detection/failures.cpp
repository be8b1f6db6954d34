// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "core/base/assert.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/mask.hpp"
#include "core/detection/classify.hpp"
#include "core/events/work_payloads.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::core {

namespace {

struct ClassName {
    std::string_view name;  ///< lower case, no separators
    FailureKind kind;
};

// Names of error classes as clients, SDKs and HTTP libraries write them.
constexpr std::array<ClassName, 58> kClassNames{{
    {"transient", FailureKind::kTransient},
    {"ratelimit", FailureKind::kTransient},
    {"ratelimited", FailureKind::kTransient},
    {"ratelimiterror", FailureKind::kTransient},
    {"overloaded", FailureKind::kTransient},
    {"overload", FailureKind::kTransient},
    {"unavailable", FailureKind::kTransient},
    {"serviceunavailable", FailureKind::kTransient},
    {"servererror", FailureKind::kTransient},
    {"internalservererror", FailureKind::kTransient},
    {"connection", FailureKind::kNetwork},
    {"connectionerror", FailureKind::kNetwork},
    {"connectionrefused", FailureKind::kNetwork},
    {"connectionreset", FailureKind::kNetwork},
    {"network", FailureKind::kNetwork},
    {"networkerror", FailureKind::kNetwork},
    {"timeout", FailureKind::kTimeout},
    {"timedout", FailureKind::kTimeout},
    {"timeouterror", FailureKind::kTimeout},
    {"timeoutexpired", FailureKind::kTimeout},
    {"deadlineexceeded", FailureKind::kTimeout},
    {"apierror", FailureKind::kTransient},
    {"provider", FailureKind::kTransient},
    {"providererror", FailureKind::kTransient},
    {"auth", FailureKind::kAuth},
    {"authentication", FailureKind::kAuth},
    {"authenticationerror", FailureKind::kAuth},
    {"authorization", FailureKind::kAuth},
    {"unauthorized", FailureKind::kAuth},
    {"forbidden", FailureKind::kAuth},
    {"permission", FailureKind::kAuth},
    {"permissiondenied", FailureKind::kAuth},
    {"config", FailureKind::kAuth},
    {"credentials", FailureKind::kAuth},
    {"unknowntool", FailureKind::kUnknownTool},
    {"toolnotfound", FailureKind::kUnknownTool},
    {"missingtool", FailureKind::kUnknownTool},
    {"toolunavailable", FailureKind::kUnknownTool},
    {"notfound", FailureKind::kNotFound},
    {"filenotfound", FailureKind::kNotFound},
    {"mismatch", FailureKind::kMismatch},
    {"nomatch", FailureKind::kMismatch},
    {"assertion", FailureKind::kAssertion},
    {"assertionerror", FailureKind::kAssertion},
    {"testfailure", FailureKind::kAssertion},
    {"compileerror", FailureKind::kAssertion},
    {"maxtokens", FailureKind::kTruncated},
    {"truncated", FailureKind::kTruncated},
    {"parseerror", FailureKind::kTruncated},
    {"jsonparse", FailureKind::kTruncated},
    {"jsonparseerror", FailureKind::kTruncated},
    {"jsondecodeerror", FailureKind::kTruncated},
    {"invalidjson", FailureKind::kTruncated},
    {"emptyresponse", FailureKind::kTruncated},
    {"contextlength", FailureKind::kContext},
    {"contextlengthexceeded", FailureKind::kContext},
    {"contextoverflow", FailureKind::kContext},
    {"prompttoolong", FailureKind::kContext},
}};

struct Phrase {
    std::string_view words;  ///< lower case
    FailureKind kind;
};

// In this order: causes that a person must fix before transient ones.
constexpr std::array<Phrase, 62> kPhrases{{
    {"context length", FailureKind::kContext},
    {"context_length", FailureKind::kContext},
    {"context window", FailureKind::kContext},
    {"maximum context", FailureKind::kContext},
    {"prompt is too long", FailureKind::kContext},
    {"unknown tool", FailureKind::kUnknownTool},
    {"tool not found", FailureKind::kUnknownTool},
    {"no such tool", FailureKind::kUnknownTool},
    {"tool is not available", FailureKind::kUnknownTool},
    {"tool not available", FailureKind::kUnknownTool},
    {"unavailable tool", FailureKind::kUnknownTool},
    {"tool does not exist", FailureKind::kUnknownTool},
    {"unauthorized", FailureKind::kAuth},
    {"invalid api key", FailureKind::kAuth},
    {"authentication failed", FailureKind::kAuth},
    {"authentication required", FailureKind::kAuth},
    {"access denied", FailureKind::kAuth},
    {"403 forbidden", FailureKind::kAuth},
    {"invalid credentials", FailureKind::kAuth},
    {"not authorized", FailureKind::kAuth},
    {"permission denied", FailureKind::kAuth},
    {"too many requests", FailureKind::kTransient},
    {"rate limit", FailureKind::kTransient},
    {"rate_limit", FailureKind::kTransient},
    {"reduce your request rate", FailureKind::kTransient},
    {"throttlingexception", FailureKind::kTransient},
    {"connect to host", FailureKind::kNetwork},
    {"toomanyrequests", FailureKind::kTransient},
    {"resource_exhausted", FailureKind::kTransient},
    {"resourceexhausted", FailureKind::kTransient},
    {"overloaded", FailureKind::kTransient},
    {"service unavailable", FailureKind::kTransient},
    {"bad gateway", FailureKind::kTransient},
    {"gateway timeout", FailureKind::kTransient},
    {"internal server error", FailureKind::kTransient},
    {"connection refused", FailureKind::kNetwork},
    {"connection reset", FailureKind::kNetwork},
    {"econnrefused", FailureKind::kNetwork},
    {"econnreset", FailureKind::kNetwork},
    {"etimedout", FailureKind::kNetwork},
    {"temporarily unavailable", FailureKind::kTransient},
    {"could not get lock", FailureKind::kTransient},
    {"unable to acquire", FailureKind::kTransient},
    {"database is locked", FailureKind::kTransient},
    {"index.lock", FailureKind::kTransient},
    {"another process", FailureKind::kTransient},
    {"could not resolve host", FailureKind::kNetwork},
    {"failure in name resolution", FailureKind::kNetwork},
    {"name or service not known", FailureKind::kNetwork},
    {"failed to connect to", FailureKind::kNetwork},
    {"network is unreachable", FailureKind::kNetwork},
    {"quota exceeded for quota metric", FailureKind::kTransient},
    {"old_string not found", FailureKind::kMismatch},
    {"0 occurrences", FailureKind::kMismatch},
    {"no match found", FailureKind::kMismatch},
    {"did not match", FailureKind::kMismatch},
    {"no such file", FailureKind::kNotFound},
    {"not found", FailureKind::kNotFound},
    {"does not exist", FailureKind::kNotFound},
    {"assertionerror", FailureKind::kAssertion},
    {"test failed", FailureKind::kAssertion},
    {"tests failed", FailureKind::kAssertion},
}};

constexpr Phrases kPhraseWords{[] {
    std::array<std::string_view, kPhrases.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = kPhrases[i].words;
    return words;
}()};

/// A free-standing status code: "HTTP 429", "error 503:", "(401)".
FailureKind status_in(std::string_view text) {
    for (std::size_t at = 0; at + 3 <= text.size(); ++at) {
        if (text[at] < '4' || text[at] > '5' || !is_digit(text[at + 1]) || !is_digit(text[at + 2]))
            continue;
        const bool alone = (at == 0 || !is_word(text[at - 1])) &&
                           (at + 3 == text.size() || !is_word(text[at + 3]));
        if (!alone) continue;
        const std::string_view before = text.substr(at > 12 ? at - 12 : 0, at > 12 ? 12 : at);
        if (at != 0 && !mentions(lower(before), std::array<std::string_view, 5>{
                                                    "http", "status", "error", "code", "("}))
            continue;
        const auto digit = [&text](std::size_t i) {
            return static_cast<std::uint64_t>(text[i] - '0');
        };
        const std::uint64_t status = 100 * digit(at) + 10 * digit(at + 1) + digit(at + 2);
        const FailureKind kind = failure_of_status(status);
        if (kind == FailureKind::kAuth || kind == FailureKind::kTransient) return kind;
    }
    return FailureKind::kNone;
}

/// The same failure when the model's provider has it: the line to it.
FailureKind of_provider(FailureKind kind) {
    const bool of_line = kind == FailureKind::kTimeout || kind == FailureKind::kNetwork;
    return of_line ? FailureKind::kTransient : kind;
}

bool says_what_is_wrong(std::string_view line) {
    static constexpr Phrases kSigns{std::array<std::string_view, 12>{
        "error", "fail", "exception", "not found", "cannot", "can't", "denied", "invalid",
        "undefined", "expected", "unexpected", "no such"}};
    return kSigns.any_in(line.substr(0, 400));
}

bool is_continuation_line(std::string_view line) {
    return line.starts_with("Traceback") || line.starts_with("File \"") ||
           line.starts_with("at ") || line.starts_with("===");
}

}  // namespace

FailureKind failure_of_class(std::string_view error_class) {
    return of_provider(failure_of_tool_class(error_class));
}

FailureKind failure_of_tool_class(std::string_view error_class) {
    std::string name;
    for (char c : error_class) {
        if (is_word(c) && c != '_') name.push_back(lower(c));
    }
    for (const ClassName& known : kClassNames) {
        if (known.name == name) return known.kind;
    }
    return FailureKind::kNone;
}

FailureKind failure_of_status(std::uint64_t status) {
    if (status < 400) return FailureKind::kNone;
    if (status == 401 || status == 403 || status == 407) return FailureKind::kAuth;
    if (status == 404 || status == 410) return FailureKind::kNotFound;
    if (status == 408 || status == 425 || status == 429 || status >= 500)
        return FailureKind::kTransient;
    return FailureKind::kOther;
}

FailureKind failure_of_error(const ErrorReported& error) {
    const FailureKind named = failure_of_class(error.error_class);
    if (named != FailureKind::kNone) return named;
    const FailureKind failure = failure_of_message(error.message.kept);
    if (!error.status || failure == FailureKind::kContext) return failure;
    const FailureKind kind = failure_of_status(*error.status);
    const bool of_model = error.tool.empty() && *error.status < 500;
    const bool vague = kind == FailureKind::kOther || kind == FailureKind::kNotFound;
    if (of_model && vague) return FailureKind::kRefused;
    return kind == FailureKind::kNone ? failure : kind;
}

FailureKind failure_of_message(std::string_view message) {
    return of_provider(failure_of_tool_message(message));
}

FailureKind failure_of_tool_message(std::string_view message) {
    const std::string_view text = message.substr(0, 1024);
    if (const FailureKind kind = status_in(text); kind != FailureKind::kNone) {
        // GitHub says with 403 that there were too many requests.
        static constexpr Phrases kLimits{std::array<std::string_view, 3>{
            "rate limit exceeded", "secondary rate limit", "too many requests"}};
        const bool limits = kind == FailureKind::kAuth && text.find("401") == text.npos;
        return limits && kLimits.any_in(text) ? FailureKind::kTransient : kind;
    }
    const std::size_t found = kPhraseWords.first_in(text);
    return found < kPhrases.size() ? kPhrases[found].kind : FailureKind::kOther;
}

bool is_trivial(std::string_view result) {
    static constexpr std::array<std::string_view, 32> kAcknowledgements{
        "ok",      "okay",     "true",      "done",         "success",  "sent",     "null",
        "none",    "[]",       "{}",        "\"\"",         "saved",    "updated",  "created",
        "yes",     "\"ok\"",   "succeeded", "acknowledged", "restored", "reverted", "removed",
        "deleted", "cleared",  "added",     "reset",        "merged",   "stopped",  "started",
        "enabled", "disabled", "applied",   "stored"};
    result = trimmed(result);
    if (result.size() > 16) return false;
    while (!result.empty() && (result.back() == '.' || result.back() == '!'))
        result.remove_suffix(1);
    return result.empty() || contains(kAcknowledgements, lower(result));
}

namespace {

template <class List>
bool ends_with_any(std::string_view text, const List& ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [text](std::string_view end) { return text.ends_with(end); });
}

/// "... no jobs"
bool ends_with_no(std::string_view text) {
    const std::size_t last = text.rfind(' ');
    return last != std::string_view::npos && text.substr(0, last).ends_with(" no");
}

}  // namespace

bool says_running(std::string_view result) {
    // A status is short, or at the start of a longer answer.
    const std::string text = lower(result.substr(0, 256));
    if (has_state_at_work(text)) return true;
    static constexpr std::array<std::string_view, 6> kDenied{" not", " no",     "n't",
                                                             " 0",   "nothing", " never"};
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_letter(text[at]) || (at > 0 && is_letter(text[at - 1]))) continue;
        const std::string_view word = std::string_view{text}.substr(at);
        const bool found = std::any_of(kStillUnderWay.begin(), kStillUnderWay.end(),
                                       [word](std::string_view start) {
                                           return start[0] == word[0] && word.starts_with(start);
                                       });
        if (!found) continue;
        // "is not running", "0 running", "no jobs pending"
        const std::string before = " " + text.substr(0, at == 0 ? 0 : at - 1);
        const bool denied = at > 0 && text[at - 1] == ' ' &&
                            (ends_with_any(before, kDenied) || ends_with_no(before));
        if (!denied) return true;
    }
    return false;
}

std::optional<std::uint64_t> failing_count(std::string_view result) {
    static constexpr WordList<5> kFailed{{"failed", "failures", "failing", "errors", "error"}};
    static constexpr WordList<3> kPassed{{"passed", "passing", "ok"}};
    std::optional<std::uint64_t> failing;
    bool passed = false;
    for (std::size_t at = 0; at < result.size();) {
        if (!is_digit(result[at]) || (at > 0 && is_word(result[at - 1]))) {
            ++at;
            continue;
        }
        std::uint64_t count = 0;
        const auto read = std::from_chars(result.data() + at, result.data() + result.size(), count);
        if (read.ec != std::errc{}) count = UINT64_MAX;  // more than can be counted
        at = static_cast<std::size_t>(read.ptr - result.data());
        std::size_t word = at;
        while (word < result.size() && (result[word] == ' ' || result[word] == '\t'))
            ++word;
        std::size_t word_end = word;
        while (word_end < result.size() && is_letter(result[word_end]))
            ++word_end;
        std::string name = lower(result.substr(word, word_end - word));
        if (name == "test" || name == "tests") {  // "3 tests failed"
            word = word_end;
            while (word < result.size() && result[word] == ' ')
                ++word;
            word_end = word;
            while (word_end < result.size() && is_letter(result[word_end]))
                ++word_end;
            name = lower(result.substr(word, word_end - word));
        }
        if (contains(kFailed, name)) failing = failing.value_or(0) + count;
        if (contains(kPassed, name)) passed = true;
    }
    if (!failing && passed) return 0;
    return failing;
}

std::string diagnostic_line(std::string_view text) {
    std::string_view best;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = trimmed(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        if (line.empty() || is_continuation_line(line)) continue;
        if (best.empty()) best = line;
        if (!says_what_is_wrong(line)) continue;
        best = line;
        break;
    }
    std::string masked;
    append_masked(masked, best.substr(0, 200));
    // "line 12" and ":12:5" change with every edit.
    std::string out;
    for (std::size_t at = 0; at < masked.size(); ++at) {
        const bool numbered =
            is_digit(masked[at]) &&
            (out.ends_with("line ") || out.ends_with("Line ") || out.ends_with(':') ||
             out.ends_with("[gw"));  // a worker of pytest-xdist
        if (!numbered) {
            out.push_back(masked[at]);
            continue;
        }
        while (at + 1 < masked.size() && is_digit(masked[at + 1]))
            ++at;
        out.push_back('#');
    }
    return out;
}

}  // namespace headway::core
