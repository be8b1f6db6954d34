// SPDX-License-Identifier: Apache-2.0
#include "core/calls/mask.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.hpp"
#include "core/text/tool_ids.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr WordList<24> kDurationUnits{
    {"ns",   "us",    "ms",   "s",      "sec",     "secs",   "second",       "seconds",
     "m",    "min",   "mins", "minute", "minutes", "h",      "hr",           "hrs",
     "hour", "hours", "µs",   "msec",   "msecs",   "millis", "milliseconds", "microseconds"}};
constexpr WordList<14> kTimeWords{{"time", "timestamp", "ts", "at", "date", "epoch", "created",
                                   "updated", "started", "finished", "expires", "now", "since",
                                   "until"}};
constexpr WordList<9> kCounterWords{
    {"pid", "tid", "ppid", "pgid", "process", "attempt", "retry", "try", "moves"}};
/// Resources that an agent may use up. Other things that are left are work: "3 files left".
constexpr WordList<20> kAllowances{{"step",     "steps",     "turn",       "turns",    "attempt",
                                    "attempts", "try",       "tries",      "retry",    "retries",
                                    "call",     "calls",     "request",    "requests", "token",
                                    "tokens",   "iteration", "iterations", "credit",   "credits"}};
constexpr std::array<std::string_view, 4> kTempRoots{"/tmp/", "/var/tmp/", "/var/folders/",
                                                     "/private/tmp/"};

/// Scans the text; each `take_*` moves past what it recognises, or stays.
class Scanner {
public:
    Scanner(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    std::size_t at() const { return at_; }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    std::size_t digits() {
        const std::size_t from = at_;
        while (is_digit(peek()))
            ++at_;
        return at_ - from;
    }
    bool digits(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (!is_digit(peek(i))) return false;
        }
        at_ += count;
        return true;
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool take_any(std::string_view set) {
        if (peek() == '\0' || set.find(peek()) == std::string_view::npos) return false;
        ++at_;
        return true;
    }
    std::string_view letters() {
        const std::size_t from = at_;
        while (is_letter(peek()) || (static_cast<unsigned char>(peek()) & 0x80U) != 0)
            ++at_;
        return text_.substr(from, at_ - from);
    }
    void fraction() {
        if ((peek() == '.' || peek() == ',') && is_digit(peek(1))) {
            ++at_;
            digits();
        }
    }

private:
    std::string_view text_;
    std::size_t at_;
};

/// 05:41, 05:41:21, 05:41:21.123Z, 05:41:21+02:00
std::size_t clock_time_end(std::string_view text, std::size_t at) {
    Scanner scan{text, at};
    if (!scan.digits(2) && !scan.digits(1)) return at;
    if (!scan.take(':') || !scan.digits(2)) return at;
    if (scan.take(':') && !scan.digits(2)) return at;
    if (is_digit(scan.peek()) || scan.peek() == ':') return at;
    scan.fraction();
    if (scan.take('Z')) return scan.at();
    Scanner zone = scan;
    if (zone.take_any("+-") && zone.digits(2) && (zone.take(':') || true) && zone.digits(2)) {
        return zone.at();
    }
    return scan.at();
}

/// A date with the time behind it, if any.
std::size_t with_time(std::string_view text, std::size_t date_end) {
    Scanner scan{text, date_end};
    if (!scan.take_any("T ,")) return date_end;
    while (scan.take(' ')) {
    }
    const std::size_t end = clock_time_end(text, scan.at());
    return end == scan.at() ? date_end : end;
}

constexpr std::uint32_t packed(char a, char b, char c) {
    const auto byte = [](char letter) { return std::uint32_t{static_cast<unsigned char>(letter)}; };
    return byte(a) << 16U | byte(b) << 8U | byte(c);
}

constexpr std::array<std::uint32_t, kMonths.size()> packed_months() {
    std::array<std::uint32_t, kMonths.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = packed(kMonths[i][0], kMonths[i][1], kMonths[i][2]);
    return all;
}

bool is_month(std::string_view word) {
    static constexpr auto kPacked = packed_months();
    if (word.size() < 3) return false;
    const std::uint32_t start = packed(lower(word[0]), lower(word[1]), lower(word[2]));
    return std::find(kPacked.begin(), kPacked.end(), start) != kPacked.end();
}

/// 2026-11-21, 2026/11/21, 21/Nov/2026, 21 Nov 2026
std::size_t date_end(std::string_view text, std::size_t at) {
    Scanner iso{text, at};
    if (iso.digits(4) && iso.take_any("-/") && iso.digits(2) && iso.take_any("-/") &&
        iso.digits(2) && !is_digit(iso.peek())) {
        return with_time(text, iso.at());
    }
    Scanner named{text, at};
    if ((named.digits(2) || named.digits(1)) && named.take_any("/ -")) {
        if (is_month(named.letters()) && named.take_any("/ -") && named.digits(4)) {
            return with_time(text, named.at());
        }
    }
    return at;
}

/// Nov 21 05:41, Nov 21 2026, Nov 21, 2026
std::size_t named_date_end(std::string_view text, std::size_t at) {
    Scanner scan{text, at};
    if (!is_month(scan.letters()) || !scan.take(' ')) return at;
    while (scan.take(' ')) {
    }
    const std::size_t day = scan.digits();
    if (day == 0 || day > 2) return at;
    scan.take(',');
    if (!scan.take(' ')) return at;
    while (scan.take(' ')) {
    }
    const std::size_t time = clock_time_end(text, scan.at());
    if (time != scan.at()) return time;
    return scan.digits(4) && !is_digit(scan.peek()) ? scan.at() : at;
}

std::size_t uuid_end(std::string_view text, std::size_t at) {
    static constexpr std::array<std::size_t, 5> kGroups{8, 4, 4, 4, 12};
    std::size_t i = at;
    for (std::size_t group = 0; group < kGroups.size(); ++group) {
        if (group > 0 && (i >= text.size() || text[i++] != '-')) return at;
        for (std::size_t d = 0; d < kGroups[group]; ++d, ++i) {
            if (i >= text.size() || !is_hex(text[i])) return at;
        }
    }
    return i < text.size() && is_word(text[i]) ? at : i;
}

std::size_t address_end(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) != "0x") return at;
    std::size_t i = at + 2;
    while (i < text.size() && is_hex(text[i]))
        ++i;
    return i == at + 2 ? at : i;
}

/// The word before `at`, past separators as in `pid=7`, "pid": 7, pid 7.
std::string_view word_before(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end > 0 && at - end < 4 && !is_word(text[end - 1]))
        --end;
    std::size_t from = end;
    while (from > 0 && end - from < 16 && is_letter(text[from - 1]))
        --from;
    HEADWAY_ASSERT(from <= end && end <= at);
    return text.substr(from, end - from);
}

/// True for the time that something took, or the age of a row of a table. Other times of several
/// parts may be the answer: "position 1h2m of 2h5m", "ETA 1h59m".
bool is_of_a_run(std::string_view text, std::size_t at) {
    static constexpr WordList<12> kWords{{"in", "took", "after", "elapsed", "real", "user", "sys",
                                          "duration", "age", "uptime", "ran", "for"}};
    if (at == 0) return false;
    const bool column =
        text[at - 1] == '\t' || (at > 1 && text[at - 1] == ' ' && text[at - 2] == ' ');
    return column || contains(kWords, lower(word_before(text, at)));
}

/// 0.03s, 12 ms, 1m 3s, and of a run 1m3.2s, 2d3h; a single letter must touch its number.
std::size_t duration_end(std::string_view text, std::size_t at) {
    static constexpr std::string_view kLarger = "wdhm";  // another unit may follow these
    Scanner scan{text, at};
    std::size_t first_end = at;
    for (std::size_t part = 0; part <= kLarger.size(); ++part) {
        if (scan.digits() == 0) return first_end;
        scan.fraction();
        const bool apart = part == 0 && scan.take(' ');
        const std::string_view unit = scan.letters();
        // "0.034 s" only of a run: Maven's `Time elapsed`.
        if (unit.empty() || (apart && unit.size() == 1 && !(unit == "s" && is_of_a_run(text, at))))
            return first_end;
        const bool larger = unit.size() == 1 && kLarger.find(unit[0]) != kLarger.npos;
        if (is_digit(scan.peek()) && unit.size() == 1) {
            if (part == 0) first_end = scan.at();
            if (!larger || !is_of_a_run(text, at)) return first_end;
            continue;
        }
        const bool known = contains(kDurationUnits, unit) || (part > 0 && larger);
        return known && !is_word(scan.peek()) ? scan.at() : first_end;
    }
    return first_end;
}

/// (17 steps left), [3 attempts remaining], you have 9 turns left
std::size_t countdown_end(std::string_view text, std::size_t at) {
    Scanner scan{text, at};
    if (scan.digits() == 0 || !scan.take(' ')) return at;
    const std::size_t end = scan.at() - 1;
    const char first = lower(scan.peek());
    if (!kAllowances.may_begin({&first, 1})) return at;
    const std::string unit = lower(scan.letters());
    if (!contains(kAllowances, unit) || !scan.take(' ')) return at;
    const std::string state = lower(scan.letters());
    if (state != "left" && state != "remaining") return at;
    // An aside of the platform; without brackets it may be the work: "40 requests remaining".
    const bool aside = at > 0 && (text[at - 1] == '(' || text[at - 1] == '[');
    return aside || lower(word_before(text, at)) == "have" ? end : at;
}

/// An epoch number next to a time word, a process id, or the number of an attempt.
std::size_t named_number_end(std::string_view text, std::size_t at) {
    Scanner scan{text, at};
    const std::size_t count = scan.digits();
    const std::string_view name = word_before(text, at);
    if (name.empty()) return at;
    const std::string before = lower(name);
    if (contains(kCounterWords, before)) return scan.at();
    const bool epoch = (count == 10 || count == 13 || count == 16) && text[at] == '1';
    if (!epoch || !contains(kTimeWords, before)) return at;
    scan.fraction();
    return scan.at();
}

bool looks_generated(std::string_view name) {
    if (name.starts_with("tmp") || name.starts_with("temp")) return true;
    std::size_t letters = 0;
    std::size_t digits = 0;
    for (char c : name) {
        if (is_digit(c)) ++digits;
        if (is_letter(c)) ++letters;
    }
    return name.size() >= 6 && digits >= 2 && letters >= 2;
}

/// /tmp/tmpab12cd/x: the root and the generated name.
std::size_t temp_path_end(std::string_view text, std::size_t at) {
    for (std::string_view root : kTempRoots) {
        if (text.substr(at, root.size()) != root) continue;
        std::size_t end = at + root.size();
        while (end < text.size() && (is_word(text[end]) || text[end] == '-' || text[end] == '.'))
            ++end;
        return looks_generated(text.substr(at + root.size(), end - at - root.size())) ? end : at;
    }
    return at;
}

/// The same of what begins with a digit. Most numbers of a text are none of these, so those
/// matchers are left out which the byte behind the digits rules out.
std::size_t volatile_number_end(std::string_view text, std::size_t at) {
    using Matcher = std::size_t (*)(std::string_view, std::size_t);
    const auto found = [&](Matcher matcher, std::size_t& end) {
        end = matcher(text, at);
        return end != at;
    };
    Scanner scan{text, at};
    const std::size_t count = scan.digits();
    const char next = scan.peek();
    HEADWAY_ASSERT(count > 0);
    std::size_t end = at;
    const bool date = next == '-' || next == '/' || (next == ' ' && count <= 2);
    if (next == 'x' && found(address_end, end)) return end;
    if (date && found(date_end, end)) return end;
    if (next == ':' && found(clock_time_end, end)) return end;
    if (found(duration_end, end)) return end;
    if (next == ' ' && found(countdown_end, end)) return end;
    return named_number_end(text, at);
}

/// End of the volatile part that starts at `at`, or `at`.
std::size_t volatile_end(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '/') return temp_path_end(text, at);
    std::size_t end = is_hex(c) ? uuid_end(text, at) : at;
    if (end == at && may_be_tool_id(text, at)) end = tool_id_end(text, at);
    if (end != at) return end;
    if (!is_digit(c)) return is_letter(c) ? named_date_end(text, at) : at;
    return volatile_number_end(text, at);
}

/// True if a volatile part may start here: a digit, a path, or the first letter of a month, UUID or
/// id of a tool at the start of a word.
bool may_start(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '/')
        return at + 4 < text.size() &&
               (text[at + 1] == 't' || text[at + 1] == 'v' || text[at + 1] == 'p');
    if (at > 0 && is_word(text[at - 1])) return false;
    if (is_digit(c)) return true;
    if (!is_letter(c)) return false;
    const bool month = at + 4 < text.size() && text[at + 3] == ' ';
    const bool uuid = at + 8 < text.size() && text[at + 8] == '-';
    return month || uuid || may_be_tool_id(text, at);
}

/// True for `module12` or `DSC01234`, a numbered name of a person's choice; `a71f3c9` and `a7123`
/// are generated.
bool is_numbered(std::string_view word) {
    const std::size_t digits = word.find_first_of("0123456789");
    constexpr std::size_t kDigitsMax = 4;  // an id such as order48213 has more
    const bool counter = digits < word.size() && word[digits] == '0';
    return digits >= 3 && (counter || word.size() - std::min(digits, word.size()) <= kDigitsMax) &&
           word.find_first_not_of("0123456789", digits) == word.npos;
}

}  // namespace

std::string receipt_form(std::string_view text, bool numbers) {
    static constexpr WordList<16> kNames{{"id", "job", "task", "run", "build", "pid", "issue", "pr",
                                          "ticket", "message", "request", "order", "agent",
                                          "number", "ref", "comment"}};
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        while (at < text.size() && !is_word(text[at]))
            out.push_back(text[at++]);
        std::size_t digits = 0;
        std::size_t end = at;
        while (end < text.size() && is_word(text[end]))
            digits += is_digit(text[end++]) ? 1U : 0U;
        const std::string_view word = text.substr(at, end - at);
        const auto is_count = [text](std::size_t to) {
            return to < text.size() && is_digit(text[to]);
        };
        const bool counts = (text.substr(end).starts_with(" of ") && is_count(end + 4)) ||
                            (text.substr(end).starts_with('/') && is_count(end + 1));
        const bool named = at > 0 && !counts &&
                           (text[at - 1] == '#' || text[at - 1] == '/' ||
                            contains(kNames, lower(word_before(text, at))));
        const bool mixed = digits < word.size() && word.size() >= 6 && !is_numbered(word);
        out.append(digits > 0 && (numbers || named || mixed) ? "\x02" : word);
        at = end;
    }
    HEADWAY_ASSERT(out.size() <= text.size());
    return out;
}

void append_masked(std::string& out, std::string_view text) {
    std::size_t copied = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        if (!may_start(text, at)) {
            const bool word = is_word(text[at++]);
            while (word && at < text.size() && is_word(text[at]))
                ++at;  // nothing starts within a word
            continue;
        }
        const std::size_t end = volatile_end(text, at);
        HEADWAY_ASSERT(end >= at && end <= text.size());
        if (end == at) {
            ++at;
            // The rest of a number or word is part of it.
            while (at < text.size() && is_word(text[at]) && is_word(text[at - 1]))
                ++at;
            continue;
        }
        out.append(text, copied, at - copied);
        out.push_back('\x01');
        copied = at = end;
    }
    HEADWAY_ASSERT(copied <= at && at == text.size());
    out.append(text, copied, text.size() - copied);
}

}  // namespace headway::core
