// SPDX-License-Identifier: Apache-2.0
#include "api/text/places.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr char kPlace = '\x01';  ///< as append_masked() leaves of a time: `12:15` may be either

/// A digit, or what a mask has left of digits.
bool is_count(char c) {
    return core::is_digit(c) || c == kPlace || c == '#';
}

/// The end of `12`, `12:5`, `12,5` or `12:5-9` at `at`; `at` if there is no number.
std::size_t numbers_end(std::string_view text, std::size_t at) {
    constexpr std::string_view kBetween = ":,-.";
    if (at >= text.size() || !is_count(text[at])) return at;
    std::size_t end = at;
    while (end < text.size()) {
        const bool next = kBetween.find(text[end]) != kBetween.npos && end + 1 < text.size() &&
                          is_count(text[end + 1]);
        if (!is_count(text[end]) && !next) break;
        ++end;
    }
    return end;
}

/// True if the text ends with the name of a file: `src/a.ts`, `Makefile`; not with a host's number.
bool ends_with_file(std::string_view text) {
    constexpr std::size_t kNameBytesMax = 64;
    constexpr std::size_t kEndingBytesMax = 10;
    std::size_t from = text.size();
    while (from > 0 && text.size() - from < kNameBytesMax &&
           (core::is_word(text[from - 1]) || text[from - 1] == '.' || text[from - 1] == '-'))
        --from;
    const std::string_view name = text.substr(from);
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos)
        return name.size() > 4 && name.ends_with("file") && name[0] >= 'A' && name[0] <= 'Z';
    const std::string_view ending = name.substr(dot + 1);
    return dot > 0 && !ending.empty() && ending.size() <= kEndingBytesMax &&
           core::is_letter(ending[0]) && ending.find('-') == ending.npos;
}

/// True if the text ends with `word`, its blank included, as a word of its own.
bool ends_with_word(std::string_view text, std::string_view word) {
    if (text.size() < word.size()) return false;
    const std::size_t at = text.size() - word.size();
    return (at == 0 || !core::is_word(text[at - 1])) && core::lower(text.substr(at)) == word;
}

/// True if a file is named in the last line of the text: "line 12" alone may be one of the data, of
/// which each try gets further.
bool names_file(std::string_view text) {
    constexpr std::size_t kLooked = 128;
    text = text.substr(text.size() - std::min(text.size(), kLooked));
    text = text.substr(text.rfind('\n') + 1);  // from 0 if there is none
    for (std::size_t at = 1; at < text.size(); ++at)
        if (!core::is_word(text[at]) && ends_with_file(text.substr(0, at))) return true;
    return false;
}

/// True behind "line " and a file, or behind a place and a word for what lies within its line.
bool ends_with_word_of_place(std::string_view text, std::string_view next) {
    if (!text.ends_with(' ')) return false;
    if (ends_with_word(text, "line "))
        return names_file(text) || next.starts_with(" col") || next.starts_with(", col");
    constexpr std::size_t kBetweenMax = 3;  // `, `, ` (`
    for (const std::string_view word :
         {"column ", "col ", "char ", "character ", "characters ", "position "}) {
        if (!ends_with_word(text, word)) continue;
        const std::string_view before = text.substr(0, text.size() - word.size());
        const std::size_t looked = before.size() - std::min(before.size(), kBetweenMax);
        return before.find(kPlace, looked) != before.npos;
    }
    return false;
}

/// True if only blanks, and signs of the line that is meant, stand between the start of a line and
/// the end of the text. `blanks` becomes true if there are any.
bool begins_line(std::string_view text, bool& blanks) {
    constexpr std::size_t kGutterMax = 12;
    std::size_t at = text.size();
    while (at > 0 && text.size() - at < kGutterMax && (text[at - 1] == ' ' || text[at - 1] == '>'))
        --at;
    blanks = at < text.size();
    return at == 0 || text[at - 1] == '\n' || text[at - 1] == '"';
}

/// True if the numbers between `at` and `end` name a place; `before` is the text before them, as
/// far as it was written.
bool is_place(std::string_view before, std::string_view text, std::size_t at, std::size_t end) {
    const char next = end < text.size() ? text[end] : '\n';
    if (core::is_letter(next)) return false;
    if (before.ends_with(':')) return ends_with_file(before.substr(0, before.size() - 1));
    const bool pair = text.substr(at, end - at).find_first_of(":,") != text.npos;
    if (before.ends_with('(') && next == ')')
        return ends_with_file(before.substr(0, before.size() - 1)) ||
               (text.substr(at, end - at).find(':') != text.npos || text[at] == kPlace);
    if (ends_with_word_of_place(before, text.substr(end))) return true;
    bool blanks = false;
    if (before.ends_with("l.")) return begins_line(before.substr(0, before.size() - 2), blanks);
    if (!begins_line(before, blanks)) return false;
    const std::string_view rest = text.substr(end);
    const std::size_t sign = std::min(rest.find_first_not_of(' '), rest.size());
    if (rest.substr(sign).starts_with('|') || rest.substr(sign).starts_with("│")) return true;
    if (pair && sign > 1) return true;  // a table of places, also where its lines were trimmed
    return blanks && (next == ':' || ((pair || text[at] == kPlace) && next == ' '));
}

/// True for a line that begins with a place: "src/a.ts(12,5): error", "./a.go:12:5: undefined".
bool begins_with_place(std::string_view line) {
    const std::size_t sign = line.find_first_of(":(");
    return sign != line.npos && sign + 1 < line.size() && core::is_digit(line[sign + 1]) &&
           line.substr(0, sign).find(' ') == line.npos && ends_with_file(line.substr(0, sign));
}

}  // namespace

std::optional<std::uint64_t> count_places(std::string_view failure) {
    std::uint64_t count = 0;
    while (!failure.empty()) {
        const std::string_view line = failure.substr(0, failure.find('\n'));
        failure.remove_prefix(std::min(line.size() + 1, failure.size()));
        if (begins_with_place(line)) ++count;
    }
    return count > 0 ? std::optional{count} : std::nullopt;
}

std::string without_places(std::string_view failure) {
    std::string out;
    out.reserve(failure.size());
    for (std::size_t at = 0; at < failure.size();) {
        const bool starts = is_count(failure[at]) && (at == 0 || !core::is_word(failure[at - 1]));
        const std::size_t end = starts ? numbers_end(failure, at) : at;
        if (end == at) {
            out.push_back(failure[at++]);
            continue;
        }
        if (is_place(out, failure, at, end))
            out.push_back(kPlace);
        else
            out.append(failure, at, end - at);
        at = end;
    }
    HEADWAY_ASSERT(out.size() <= failure.size());
    return out;
}

namespace {

/// True if the number before `rest` says how far something came: "12000 of 50000", "812345 bytes
/// remaining to read", "40%". Another such number is another end; "attempt 2 of 5" is none.
bool tells_progress(std::string_view before, std::string_view rest) {
    constexpr std::size_t kLooked = 24;
    constexpr std::size_t kBefore = 10;
    static constexpr std::array<std::string_view, 3> kTries{"attempt", "try", "tries"};
    const std::string near =
        core::lower(before.substr(before.size() - std::min(before.size(), kBefore)));
    if (core::mentions(near, kTries)) return false;
    static constexpr std::array<std::string_view, 5> kLeft{" remain", " left", " to go",
                                                           " complete", " done"};
    const bool in_path =
        !before.empty() && std::string_view{"/:-"}.find(before.back()) != before.npos;
    const bool parts = !in_path && rest.size() > 1 && rest[0] == '/' && core::is_digit(rest[1]);
    rest = rest.substr(0, std::min(rest.find_first_of("\n.;"), kLooked));
    return rest.starts_with('%') || rest.starts_with(" of ") || parts ||
           core::mentions(rest, kLeft);
}

}  // namespace

std::string without_numbers(std::string_view text) {
    std::string words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && core::is_word(text[end]))
            ++end;
        end = std::max(end, at + 1);
        const std::string_view word = text.substr(at, end - at);
        if (std::none_of(word.begin(), word.end(), core::is_digit) ||
            tells_progress(text.substr(0, at), text.substr(end)))
            words.append(word);
        words.push_back(' ');
        at = end;
    }
    return words;
}

}  // namespace headway::api
