// SPDX-License-Identifier: Apache-2.0
#include "core/text/bare_code.hpp"

#include <algorithm>
#include <array>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// Comments of a language.
struct Comments {
    bool hash = false;
    bool slashes = false;
    bool blocks = false;  ///< `/* */`
    bool dashes = false;
    bool markup = false;   ///< `<!-- -->`
    bool guessed = false;  ///< the language is not known: `#include` and `#fff` are none
    bool operator==(const Comments&) const = default;
};

constexpr Comments kGuessed{.hash = true, .slashes = true, .blocks = true, .guessed = true};

std::string ending_of(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::string{} : lower(name.substr(dot + 1));
}

/// The comments of the language that the ending names; none for prose, data and unknown endings.
Comments comments_of(std::string_view ending) {
    static constexpr WordList<18> kHash{{"py", "pyi", "sh", "bash", "zsh", "rb", "pl", "yaml",
                                         "yml", "toml", "r", "jl", "tf", "nix", "ex", "exs",
                                         "cmake", "php"}};
    static constexpr WordList<29> kSlashes{
        {"js",    "jsx", "ts",   "tsx",  "mjs",   "cjs",    "c",    "h",    "cc",    "cpp",
         "cxx",   "hpp", "hh",   "java", "kt",    "kts",    "go",   "rs",   "swift", "cs",
         "scala", "php", "dart", "mm",   "proto", "groovy", "scss", "less", "vue"}};
    static constexpr WordList<4> kDashes{{"sql", "lua", "hs", "elm"}};
    static constexpr WordList<7> kMarkup{{"html", "htm", "xml", "svg", "vue", "svelte", "xhtml"}};
    Comments kind;
    kind.hash = contains(kHash, ending);
    kind.slashes = contains(kSlashes, ending);
    kind.blocks = kind.slashes || ending == "css" || ending == "sql";
    kind.dashes = contains(kDashes, ending);
    kind.markup = contains(kMarkup, ending);
    return kind;
}

bool starts_hash(std::string_view text, std::size_t at, bool guessed) {
    if (text[at] != '#') return false;
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (guessed) return next == ' ' || next == '\0' || is_digit(next) || next == '\n';
    return next != '!' && next != '[' && (at == 0 || is_space(text[at - 1]));
}

/// End of the comment that starts at `at`, or `at`. A line's comment ends before the line's end.
std::size_t comment_end(std::string_view text, std::size_t at, const Comments& kind) {
    const std::string_view rest = text.substr(at);
    const bool spaced = at == 0 || is_space(text[at - 1]);
    // `http://` is no comment.
    const bool line =
        (kind.hash && starts_hash(text, at, kind.guessed)) ||
        (kind.slashes && rest.starts_with("//") && (at == 0 || text[at - 1] != ':')) ||
        (kind.dashes && rest.starts_with("--") && spaced);
    if (line) return at + std::min(rest.find('\n'), rest.size());
    const bool block = kind.blocks && rest.starts_with("/*");
    if (!block && !(kind.markup && rest.starts_with("<!--"))) return at;
    const std::string_view close = block ? "*/" : "-->";
    const std::size_t end = text.find(close, at + (block ? 2 : 4));
    if (end != text.npos) return end + close.size();
    return kind.guessed ? text.size() : at;
}

/// Ends the last line of `out`; a blank one is left out.
void end_line(std::string& out) {
    const std::size_t start = out.rfind('\n') + 1;  // 0 if there is none
    const std::size_t last = out.find_last_not_of(" \t");
    out.resize(last == out.npos || last + 1 <= start ? start : last + 1);
    if (out.size() > start) out.push_back('\n');
}

/// The code without comments, blank lines and white space. Quotes keep both; the indentation of a
/// line may be code.
std::string bare_code(std::string_view text, const Comments& kind) {
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == quote || (c == '\n' && quote != '`')) quote = 0;
            out.push_back(c);
            if (c == '\\' && i + 1 < text.size() && text[i + 1] != '\n') out.push_back(text[++i]);
            continue;
        }
        if (const std::size_t end = comment_end(text, i, kind); end != i) {
            i = end - 1;
            continue;
        }
        if (c == '\n') {
            end_line(out);
            continue;
        }
        const bool indents =
            out.empty() || out.back() == '\n' || out.back() == ' ' || out.back() == '\t';
        if (is_space(c) && !(indents && (c == ' ' || c == '\t'))) continue;
        const bool opens = c == '"' || c == '\'' || (c == '`' && kind.slashes && !kind.guessed);
        if (opens) quote = c;
        out.push_back(c);
    }
    end_line(out);
    HEADWAY_ASSERT(out.size() <= text.size() + 1);
    return out;
}

}  // namespace

bool differ_in_looks_only(std::string_view before, std::string_view after, std::string_view path) {
    static constexpr WordList<6> kProse{{"md", "markdown", "mdx", "rst", "txt", "adoc"}};
    const std::string ending = ending_of(path);
    if (before == after || contains(kProse, ending)) return false;
    const Comments named = comments_of(ending);
    const Comments kind = named == Comments{} ? kGuessed : named;
    return bare_code(before, kind) == bare_code(after, kind);
}

std::string code_of_file(std::string_view path, std::string_view content) {
    const Comments kind = comments_of(ending_of(path));
    return kind == Comments{} ? std::string{content} : bare_code(content, kind);
}

}  // namespace headway::core
