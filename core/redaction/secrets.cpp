// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/secrets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/redaction/secret_shapes.hpp"
#include "core/redaction/secret_words.hpp"
#include "core/redaction/token_shapes.hpp"
#include "core/redaction/value_ends.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

struct BuiltIn {
    std::string_view plain;
    std::size_t bytes_min;
};

/// Names with harmless short values need a longer value to count as secret.
constexpr std::array<BuiltIn, 23> kNames{
    {{"password", 1},     {"passwords", 1},      {"passwd", 1},       {"passphrase", 1},
     {"passcode", 1},     {"dbpass", 4},         {"githubpat", 8},    {"secret", 4},
     {"secrets", 4},      {"credential", 4},     {"credentials", 4},  {"token", 8},
     {"apikey", 8},       {"accesskey", 8},      {"secretkey", 8},    {"secretkeybase", 8},
     {"secretstring", 4}, {"clientkeydata", 16}, {"psk", 8},          {"privatekey", 8},
     {"accountkey", 8},   {"cookie", 4},         {"authorization", 4}}};

/// API cursors, and terms of language models.
constexpr std::array<std::string_view, 12> kExempt{
    "nexttoken", "pagetoken", "nextpagetoken", "continuationtoken", "synctoken", "padtoken",
    "eostoken",  "bostoken",  "unktoken",      "septoken",          "stoptoken", "masktoken"};

/// Placeholders for a value, in code and in forms.
constexpr std::array<std::string_view, 18> kNoValues{
    "none", "null", "nil",    "undefined", "true",     "false",    "str", "string", "bytes",
    "text", "int",  "number", "boolean",   "optional", "required", "any", "object", "secretstr"};

constexpr std::size_t kNameBytesMax = 64;

enum Mark : std::uint8_t { kName = 1, kStart = 2, kSign = 4, kDash = 8, kTag = 16, kEnd = 32 };

/// Roles that a byte may have in a match: a part of a name, its start at the start of a name, its
/// end.
constexpr std::array<std::uint8_t, 256> marks() {
    std::array<std::uint8_t, 256> table{};
    for (int c = 0; c < 128; ++c) {
        if (in_name(static_cast<char>(c))) table[static_cast<std::size_t>(c)] = kName;
    }
    for (const TokenShape& shape : kTokenShapes)
        table[static_cast<unsigned char>(shape.start[0])] |= kStart;
    table['b'] = table['B'] = kName | kStart;  // Bearer
    table[':'] = table['='] = kSign;
    table['-'] |= kDash;
    table['>'] = kTag;
    for (const char c : {'\n', ';', '|', '&', '(', ')', '`'})
        table[static_cast<unsigned char>(c)] = kEnd;
    return table;
}
constexpr std::array<std::uint8_t, 256> kMarks = marks();

std::string plain_name(std::string_view name) {
    std::string plain = lower(name);
    std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == '.' || c == ' '; });
    return plain;
}

/// The same for the end of a name, without allocation.
std::string_view plain_end(std::string_view name, std::array<char, kNameBytesMax>& buffer) {
    std::size_t at = buffer.size();
    for (std::size_t i = name.size(); i > 0 && at > 0; --i) {
        const char c = name[i - 1];
        if (c != '_' && c != '-' && c != '.' && c != ' ') buffer[--at] = lower(c);
    }
    return {buffer.data() + at, buffer.size() - at};
}

/// The name that ends before `sign`, with or without quotes.
std::string_view name_before(std::string_view text, std::size_t sign) {
    std::size_t end = sign;
    if (end > 0 && text[end - 1] == ':') --end;  // :=
    while (end > 0 && is_gap(text[end - 1]) && sign - end < kGapMax)
        --end;
    end = before_colour(text, end);
    if (end > 1 && text[end - 1] == ']' && is_quote(text[end - 2])) --end;  // environ['NAME']
    while (end > 0 && (is_quote(text[end - 1]) || text[end - 1] == '\\'))
        --end;
    std::size_t from = end;
    while (from > 0 && in_name(text[from - 1]) && end - from < kNameBytesMax)
        --from;
    return text.substr(from, end - from);
}

/// `Basic`, `Bearer` and the like stay readable.
std::size_t scheme_size(std::string_view value) {
    for (const std::string_view scheme : {"bearer ", "basic ", "token ", "digest ", "apikey "}) {
        if (value.size() <= scheme.size()) continue;
        const bool same = std::equal(scheme.begin(), scheme.end(), value.begin(),
                                     [](char a, char b) { return a == lower(b); });
        if (same) return scheme.size();
    }
    return 0;
}

bool takes_line(std::string_view plain) {
    return plain == "authorization" || plain == "cookie";
}

constexpr std::string_view kLineEnds = "\r\n\x1b\"'`|&<>";
constexpr std::string_view kValueEnds = "$ \t\r\n\x1b\"'`,;&)}]<>|\\([";

}  // namespace

SecretFinder::SecretFinder(const std::vector<std::string>& names,
                           const std::vector<std::string>& exempt) {
    for (const BuiltIn& name : kNames)
        names_.push_back({std::string{name.plain}, name.bytes_min});
    for (const std::string& name : names) {
        if (std::string plain = plain_name(name); !plain.empty())
            names_.push_back({std::move(plain), 1});
    }
    for (const Name& name : names_)
        last_letters_ |= 1U << (name.plain.back() & 31);
    // plain_end() skips these behind a name.
    for (const char c : {'_', '-', '.', ' '})
        last_letters_ |= 1U << (c & 31);
    exempt_.assign(kExempt.begin(), kExempt.end());
    for (const std::string& name : exempt)
        exempt_.push_back(plain_name(name));
}

const SecretFinder::Name* SecretFinder::name_of(std::string_view key) const {
    // Called for every member of every object: most keys end in a letter that no name ends in.
    if (key.empty() || !(last_letters_ >> (lower(key.back()) & 31) & 1U)) return nullptr;
    std::array<char, kNameBytesMax> buffer;
    const std::string_view plain = plain_end(key, buffer);
    const Name* longest = nullptr;
    for (const Name& name : names_) {
        if (plain.empty() || name.plain.back() != plain.back() || !plain.ends_with(name.plain))
            continue;
        if (longest == nullptr || name.plain.size() > longest->plain.size()) longest = &name;
    }
    if (longest == nullptr) return nullptr;
    return std::find(exempt_.begin(), exempt_.end(), plain) == exempt_.end() ? longest : nullptr;
}

bool SecretFinder::names_secret(std::string_view key) const {
    return name_of(key) != nullptr;
}

bool SecretFinder::is_secret(std::string_view key, std::string_view value) const {
    const Name* name = name_of(key);
    return name != nullptr && is_literal(value, *name, true, false);
}

/// True for a literal, not a placeholder, a variable or a type.
bool SecretFinder::is_literal(std::string_view value, const Name& name, bool quoted,
                              bool spaced) const {
    if (value.size() < name.bytes_min || stands_for_one(value)) return false;
    std::string small;
    for (const char c : value.substr(0, kNameBytesMax))
        small.push_back(lower(c));
    if (std::find(kNoValues.begin(), kNoValues.end(), small) != kNoValues.end()) return false;
    if (quoted) return true;
    const bool identifier =
        !holds_digit(value) &&
        std::all_of(value.begin(), value.end(), [](char c) { return in_name(c) || c == '.'; });
    return !(identifier && (spaced || name.bytes_min > 1 || names_secret(value)));
}

/// Results of the scan so far, so that no part of the text is scanned again for each possible start
/// of a secret.
struct SecretFinder::Passed {
    std::size_t no_jwt_before = 0;  ///< no JWT begins before this
    std::size_t line_end = 0;       ///< the first of kLineEnds behind all queried positions
    std::size_t value_end = 0;      ///< the same for kValueEnds
    Pair pair;
    CommandSeen command;

    /// End of an unquoted value that begins at `at`, which never decreases.
    std::size_t end_of_value(std::string_view text, std::size_t at, bool line) {
        std::size_t& end = line ? line_end : value_end;
        if (end < at || end == 0)
            end = std::min(text.find_first_of(line ? kLineEnds : kValueEnds, at), text.size());
        return end;
    }
};

/// `name=value`, `name: value`, `"name": "value"`, `name => value`; `sign` is the : or the =.
std::optional<SecretSpan> SecretFinder::assigned(std::string_view text, std::size_t sign,
                                                 Passed& passed) const {
    const std::string_view key = name_before(text, sign);
    if (key.empty()) return std::nullopt;
    const Name* name = name_of(key);
    if (name == nullptr) name = paired(text, sign, key, passed.pair);
    return name != nullptr ? value_of(text, sign, *name, passed) : std::nullopt;
}

/// The value behind `sign`, if it is a secret.
std::optional<SecretSpan> SecretFinder::value_of(std::string_view text, std::size_t sign,
                                                 const Name& name, Passed& passed) const {
    std::size_t at = sign + 1;
    if (at < text.size() && (text[at] == '=' || text[at] == '~')) return std::nullopt;  // == and =~
    if (at < text.size() && text[at] == '>') ++at;
    const std::size_t gap = at;
    at = after_colour(text, at);
    while (at < text.size() && is_gap(text[at]) && at - gap < kGapMax)
        ++at;
    const bool spaced = text[sign] == '=' && at > gap;
    at = after_colour(text, at);
    if (const auto below = value_below(text, at)) return below;
    const std::size_t anchor = at;
    if (text[sign] == ':') at = behind_anchor(text, at);
    const bool anchored = anchor != at;
    const std::size_t backslash = at;
    at = behind_backslashes(text, at);
    const std::size_t backslashes = at - backslash;
    const bool quoted = at < text.size() && is_quote(text[at]);
    const char quote = quoted ? text[at++] : '\0';
    const bool line = takes_line(name.plain) && text[sign] == ':';  // no shell's assignment
    if (line) at += scheme_size(text.substr(at));
    if (const auto block = key_block_at(text, at)) return block;
    // Checked before the end is searched, so that a text full of such names is scanned once.
    if (stands_for_one(text.substr(at))) return std::nullopt;
    std::size_t end = 0;
    if (quoted) {
        end = end_of_quoted(text, at, quote, backslashes);
    } else {
        end = passed.end_of_value(text, at, line);
        while (end + 1 < text.size() && goes_on(text[end], text[end + 1]))
            end = passed.end_of_value(text, end + (text[end] == '\\' ? 2 : 1), line);
        const bool code = end < text.size() && (text[end] == '(' || text[end] == '[');
        if (code && !line) return std::nullopt;  // a function call or an index
    }
    if (line) end = at + size_of_header(text.substr(at, end - at));
    const std::string_view value = text.substr(at, end - at);
    if (quote == '`' && is_run_by_backticks(value, text[sign] == '=')) return std::nullopt;
    if (!is_literal(value, name, quoted || line, spaced)) return std::nullopt;
    // For a shell it is an argument of the command that the anchor would be.
    if (anchored && !looks_secret(value)) return std::nullopt;
    return SecretSpan{at, end - at};
}

/// `--password value`; with = it is an assignment.
std::optional<SecretSpan> SecretFinder::flagged(std::string_view text, std::size_t at) const {
    if (!text.substr(at).starts_with("--")) return std::nullopt;
    const std::size_t size = run_of(text, at + 2, in_name);
    std::size_t from = at + 2 + size;
    if (size == 0 || from + 1 >= text.size() || !is_gap(text[from])) return std::nullopt;
    const Name* name = name_of(text.substr(at + 2, size));
    if (name == nullptr) return std::nullopt;
    const std::size_t gap = from;
    while (from + 1 < text.size() && is_gap(text[from]) && from - gap < kGapMax)
        ++from;
    if (text[from] == '-' || text[from] == '`') return std::nullopt;  // another flag, a command
    const bool quoted = is_quote(text[from]);
    const char quote = quoted ? text[from++] : ' ';
    if (stands_for_one(text.substr(from))) return std::nullopt;
    const std::size_t end = end_of_quoted(text, from, quote, 0);
    const std::string_view value = text.substr(from, end - from);
    if (value.starts_with('-') || !is_literal(value, *name, quoted, false)) return std::nullopt;
    return SecretSpan{from, end - from};
}

std::optional<SecretSpan> SecretFinder::find(std::string_view text, std::size_t from) const {
    Passed passed;
    return find(text, from, passed);
}

std::optional<SecretSpan> SecretFinder::find(std::string_view text, std::size_t from,
                                             Passed& passed) const {
    const auto mark_at = [text](auto at) { return kMarks[static_cast<unsigned char>(text[at])]; };
    bool begins = from == 0 || from > text.size() || (mark_at(from - 1) & kName) == 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        const std::uint8_t mark = mark_at(i);
        std::optional<SecretSpan> found;
        if ((mark & kSign) != 0) {
            found = userinfo_at(text, i);
            if (!found) found = webhook_at(text, i);
            if (!found) found = assigned(text, i, passed);
            if (!found && text[i] == ':') found = pgpass_at(text, i);
        } else if (begins && (mark & kStart) != 0) {
            found = token_at(text, i, passed.no_jwt_before);
            if (!found) found = bearer_at(text, i);
        } else if (begins && (mark & kDash) != 0) {
            found = key_block_at(text, i);
            if (!found) found = flagged(text, i);
            if (!found) found = behind_flag(text, i, passed.command);
        } else if ((mark & kTag) != 0) {
            found = in_element(text, i);
        } else if ((mark & kEnd) != 0) {
            leave_command(text, i, passed.command);
        }
        if (found) return found;
        begins = (mark & kName) == 0;
        if (begins) continue;
        // Within a name, only what has an unmistakable form begins.
        const std::size_t start = i;
        while (i + 1 < text.size() && (mark_at(i + 1) & kName) != 0) {
            ++i;
            found = shape_within(text, start, i, passed.no_jwt_before);
            if (found) return found;
        }
        // `from` may be in the middle of a word.
        if (start > 0 && in_name(text[start - 1])) continue;
        found = behind_word(text, start, i + 1, passed.command);
        if (!found) found = defined(text, start, i + 1);
        if (found) return found;
    }
    return std::nullopt;
}

bool SecretFinder::append_redacted(std::string& out, std::string_view text) const {
    std::size_t from = 0;
    Passed passed;
    while (const auto secret = find(text, from, passed)) {
        // The name may lie before a removed part; its value is behind it.
        out.append(text, from, secret->at - from).append(kRedacted);
        from = secret->at + secret->size;
    }
    out.append(text, from, text.size() - from);
    return from != 0;
}

}  // namespace headway::core
