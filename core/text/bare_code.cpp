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
    bool markup = false;       ///< `<!-- -->`
    bool documents = false;    ///< those without indentation are documentation
    std::size_t blocks_end{};  ///< place of the last `*/`
    std::size_t markup_end{};  ///< place of the last `-->`
    bool any() const { return hash || blocks || dashes || markup; }
};

std::string ending_of(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::string{} : lower(name.substr(dot + 1));
}

/// The comments of the language that the ending names. None for prose, data and unknown endings,
/// and for languages whose documentation is plain comments, or whose long texts no mark shows.
Comments comments_of(std::string_view ending) {
    static constexpr WordList<12> kHash{
        {"py", "pyi", "sh", "bash", "zsh", "toml", "r", "jl", "tf", "ex", "exs", "php"}};
    static constexpr WordList<28> kSlashes{
        {"js",    "jsx", "ts",   "tsx",  "mjs",    "cjs",  "c",    "h",  "cc", "cpp",
         "cxx",   "hpp", "hh",   "java", "kt",     "kts",  "go",   "rs", "cs", "swift",
         "scala", "php", "dart", "mm",   "groovy", "scss", "less", "vue"}};
    static constexpr WordList<2> kDashes{{"sql", "lua"}};
    static constexpr WordList<7> kMarkup{{"html", "htm", "xml", "svg", "vue", "svelte", "xhtml"}};
    Comments kind;
    kind.hash = contains(kHash, ending);
    kind.slashes = contains(kSlashes, ending);
    kind.blocks = kind.slashes || ending == "css" || ending == "sql";
    kind.dashes = contains(kDashes, ending);
    kind.markup = contains(kMarkup, ending);
    kind.documents = ending == "go";
    return kind;
}

/// A part of the text that begins with the mark of a comment.
struct Marked {
    std::size_t end = 0;   ///< behind it; a line's comment ends before the line's end
    std::size_t mark = 0;  ///< bytes of the mark; 0 = no mark stands here
};

Marked marked_at(std::string_view text, std::size_t at, const Comments& kind) {
    const std::string_view rest = text.substr(at);
    const bool two =
        (kind.slashes && rest.starts_with("//")) || (kind.dashes && rest.starts_with("--"));
    const std::size_t line = kind.hash && rest[0] == '#' ? 1 : two ? 2 : 0;
    // `${#x}` and `http://` mark nothing.
    if (line != 0 && (at == 0 || is_space(text[at - 1])))
        return {at + std::min(rest.find('\n'), rest.size()), line};
    // A close that the file does not have is not looked for at each opening.
    if (kind.blocks && rest.starts_with("/*") && at + 2 <= kind.blocks_end)
        return {text.find("*/", at + 2) + 2, 2};
    if (kind.markup && rest.starts_with("<!--") && at + 4 <= kind.markup_end)
        return {text.find("-->", at + 4) + 3, 4};
    return {};
}

/// True if it is a comment for sure: blanks or the line's ends stand around its mark, and nothing
/// behind it. `http://`, `#fff`, `#!`, `//go:build`, and the documentation of `///` and `/**` are
/// none, and neither are words to a tool.
bool is_comment(std::string_view text, std::size_t at, const Marked& found, const Comments& kind) {
    static constexpr std::array<std::string_view, 10> kToTools{
        "ignore", "disable", "noqa", "nolint", "pragma",
        "coding", "eslint",  "@ts-", "type:",  "wp:"};
    const auto blank = [&](std::size_t i) { return i >= text.size() || is_space(text[i]); };
    if ((at > 0 && !is_space(text[at - 1])) || !blank(at + found.mark)) return false;
    if (kind.documents && (at == 0 || text[at - 1] == '\n')) return false;
    std::size_t behind = found.end;
    while (behind < text.size() && text[behind] != '\n')
        if (!is_space(text[behind++])) return false;
    return !mentions(lower(text.substr(at, found.end - at)), kToTools);
}

/// End of the quote that opens at `at`; npos if it has none, or not in its line, or a quote within
/// it: `"$(f "x")"`.
std::size_t quote_end(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string_view rest = text.substr(at);
    const bool tripled = quote != '`' && rest.size() > 2 && rest[1] == quote && rest[2] == quote;
    bool inside = false;  // a part that is code again
    for (std::size_t i = at + (tripled ? 3 : 1); i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '$' && i + 1 < text.size()) {
            inside = inside || text[i + 1] == '{' || text[i + 1] == '(';
        } else if (inside && (text[i] == '}' || text[i] == ')')) {
            inside = false;
        } else if (text[i] == quote) {
            if (!tripled) return inside ? text.npos : i + 1;
            if (i + 2 < text.size() && text[i + 1] == quote && text[i + 2] == quote) return i + 3;
        } else if (text[i] == '\n' && !tripled && quote != '`') {
            break;
        }
    }
    return text.npos;
}

/// True if a text may begin here whose end only its language knows: a here document, a raw text.
bool opens_text(std::string_view text, std::size_t at, const Comments& kind) {
    const std::string_view rest = text.substr(at);
    const char next = rest.size() > 1 ? rest[1] : '\0';
    if (rest[0] == '"') return at > 0 && std::string_view{"R#@"}.find(text[at - 1]) != text.npos;
    if (kind.dashes && rest[0] == '[') return next == '[' || next == '=';
    if (!kind.hash || !rest.starts_with("<<") || rest.size() < 3) return false;
    return is_word(rest[2]) || std::string_view{"-~<\\'\""}.find(rest[2]) != text.npos;
}

/// Ends the last line of `out`; a blank one is left out.
void end_line(std::string& out) {
    const std::size_t start = out.rfind('\n') + 1;  // 0 if there is none
    const std::size_t last = out.find_last_not_of(" \t\r");
    out.resize(last == out.npos || last + 1 <= start ? start : last + 1);
    if (out.size() > start) out.push_back('\n');
}

/// The code without comments and blank lines; blanks within a line are one. When in doubt about the
/// rest, it is kept as it is.
std::string bare_code(std::string_view text, const Comments& kind) {
    std::string out;
    bool indents = true;  // only blanks stand before it in this line
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (opens_text(text, i, kind)) return out.append(text.substr(i));
        const Marked marked = marked_at(text, i, kind);
        std::size_t end = marked.mark != 0 ? marked.end : i;
        if (end != i && is_comment(text, i, marked, kind)) {
            i = end;
            continue;
        }
        const bool quotes = c == '"' || c == '\'' || (c == '`' && kind.slashes);
        if (end == i && quotes) end = quote_end(text, i);
        if (end == text.npos) return out.append(text.substr(i));
        if (end != i) {
            out.append(text.substr(i, end - i));
            indents = false;
            i = end;
            continue;
        }
        ++i;
        const bool blank = is_space(c) && c != '\n';
        if (c == '\n')
            end_line(out);
        else if (indents || !blank)
            out.push_back(c);
        else if (out.back() != ' ')
            out.push_back(' ');
        indents = c == '\n' || (indents && blank);
    }
    end_line(out);
    HEADWAY_ASSERT(out.size() <= text.size() + 1);
    return out;
}

}  // namespace

std::string code_of_file(std::string_view path, std::string_view content) {
    Comments kind = comments_of(ending_of(path));
    if (!kind.any()) return std::string{content};
    const auto last = [content](std::string_view close) {
        const std::size_t at = content.rfind(close);
        return at == content.npos ? 0 : at;
    };
    kind.blocks_end = last("*/");
    kind.markup_end = last("-->");
    return bare_code(content, kind);
}

bool differ_in_looks_only(std::string_view before, std::string_view after, std::string_view path) {
    return before != after && code_of_file(path, before) == code_of_file(path, after);
}

}  // namespace headway::core
