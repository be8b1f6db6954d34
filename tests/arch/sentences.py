#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sentences that a reader stumbles over, in Markdown, comments, docstrings and the texts that the program prints.

    a sentence begins with What, Who, Of or That     name the thing first; questions and headings are left out
    HTTP as speech                                   send, receive, reply, report, request, unreachable
    negation first, and idioms for relations         "nothing but", "but for", "comes of", "goes by"

Left out: code blocks and quotes in Markdown, and string literals of the tests, which are data. NOT_YET lists folders that still have
such sentences: findings there do not fail, but a folder without any must leave the list.
"""
import bisect
import io
import pathlib
import re
import sys
import tokenize

import source
import words

NOT_YET = ()
SUFFIXES = (".md", ".cpp", ".hpp", ".py", ".js", ".mjs", ".ts", ".cmake", ".toml", ".sh")
GAP = r"\s+"
THING = r"(?:daemons?|servers?|clients?|repl(?:y|ies)|responses?|requests?|hooks?|endpoints?|headers?|prox(?:y|ies)|browsers?|providers?)"
SPEECH = r"(?:says?|said|tells?|told|hears?|heard|speaks?|talks?)"
RULES = (
    (rf"\b{THING} {SPEECH}\b", "HTTP as speech: sends, receives, reports, replies"),
    (r"\b(?:is|are|was|were|be|been|being|not|never) (?:told|heard|unheard)\b(?! apart)", "HTTP as speech: receives, is notified, is reported"),
    (r"\b(?:says|tells|said|told) (?:the|a) (?:daemon|server|client|hook)\b", "HTTP as speech: sends, reports"),
    (r"\bbut for\b", "except"),
    (r"\b[Nn](?:othing|one|o \w+) but (?!might|may|can)", "negation first: only"),
    (r"\b(?:comes?|came) of\b(?! age)", "results from, follows from"),
    (r"\b(?:goes|go|went) by (?:the|its|their|an?)\b", "uses, is based on"),
)
MARKDOWN = (re.compile(r"(?<![`.\w])(?:tells?|told|hears?|heard)\b(?!\s+apart)"), "HTTP as speech: sends, receives, reports, is notified")
PATTERNS = [(re.compile(rule.replace(" ", GAP)), instead) for rule, instead in RULES]
START = re.compile(r"(?:What|Who|Of|That)(?:'s)?\s")
NO_NAME = "begins with What, Who, Of or That: name the thing first"
# A sentence begins at the start of a text, behind a full stop, after an empty line, and at an entry of a list or a table.
ENTRY = r"(?:(?:[-*+]|\d+\.)\s+)?"
BEGIN = re.compile(rf"\A\s*|(?<=[.!?:;])[\"'`)*]*\s+{ENTRY}|\n[ \t]*\n\s*{ENTRY}|\n\s*[-*+]\s+|\|\s*|SPDX-License-Identifier: \S+\s+")
END = re.compile(r"[.!?](?=[\s\"')`*]|\Z)|\n[ \t]*\n|\n\s*[-*+] |\|")
MARK = re.compile(r"^[ \t]*(?:///?<?|/\*\*?|\*/?|#!?)[ \t]?", re.M)
FENCE = re.compile(r"^[ \t]*```.*?^[ \t]*```[ \t]*$|^(?:    |\t).*$", re.M | re.S)
HEADING = re.compile(r"^#+ .*$", re.M)
HASH = re.compile(r"(?:^|(?<=\s))#[ \t].*$", re.M)
LITERAL = re.compile(r"[\"'`]")


def blanked(pattern, text: str) -> str:
    return pattern.sub(lambda m: source.spaces(m.group()), text)


def without_marks(text: str) -> str:
    """A comment without its // and #, as long as before."""
    return MARK.sub(lambda m: " " * len(m.group()), text)


def joined(text: str, spans: list) -> list:
    """Comments of consecutive lines as one: (start, end)."""
    found = []
    for start, end in spans:
        gap = text[found[-1][1]:start] if found else "x"
        if gap.strip() == "" and gap.count("\n") == 1:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def cpp_blocks(text: str, literals: bool) -> list:
    spans = source.hidden(text)
    comments = [(a, b) for a, b in spans if text.startswith(("//", "/*"), a)]
    strings = [(a, b) for a, b in spans if not text.startswith(("//", "/*"), a)]
    return joined(text, comments) + (joined_literals(text, strings) if literals else [])


def joined_literals(text: str, spans: list) -> list:
    """Literals that the compiler joins, as one."""
    found = []
    for start, end in spans:
        gap = text[found[-1][1]:start] if found else "x"
        if re.fullmatch(r"\"\s*\"", gap):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def python_blocks(text: str, literals: bool) -> list:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    comments, strings = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        begin = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if token.type == tokenize.COMMENT:
            comments.append((begin, end))
        elif token.type == tokenize.STRING and (token.string.lstrip("rbuf").startswith('"""') or literals):
            quote = 3 if token.string.lstrip("rbuf").startswith(('"""', "'''")) else 1
            begin += token.string.index('"' if quote == 3 else token.string[-1])
            strings.append((begin + quote, end - quote))
    return joined(text, comments) + strings


def blocks(path, text: str) -> list:
    """(start, text) of each piece of prose, with everything else of it blank."""
    literals = path.parts[0] not in ("tests", "bench", "dev", ".ci")
    if path.suffix == ".md":
        return [(0, blanked(HEADING, blanked(words.QUOTE, blanked(FENCE, text))))]
    if path.suffix in (".cpp", ".hpp", ".js", ".mjs", ".ts"):
        spans = cpp_blocks(text, literals)
    elif path.suffix == ".py":
        spans = python_blocks(text, literals)
    elif path.suffix == ".txt":
        return [(m.start() + 2, m.group()[2:]) for m in HASH.finditer(text)]
    else:
        spans = joined(text, [m.span() for m in HASH.finditer(text)])
    return [(a, without_marks(text[a:b]).replace('"', " ")) for a, b in spans]


def sentences(text: str) -> list:
    """(start, end) of the sentences that begin with a word of START and are no questions."""
    found = []
    for begin in BEGIN.finditer(text):
        if not START.match(text, begin.end()):
            continue
        end = END.search(text, begin.end())
        end = end.end() if end else len(text)
        if text[end - 1:end] != "?" and len(text[begin.end():end].split()) > 2:
            found.append((begin.end(), end))
    return sorted(set(found))


def find(path, text: str) -> list:
    """(start, end, rule) of each finding."""
    found = []
    for offset, block in blocks(path, text):
        found += [(offset + a, offset + b, NO_NAME) for a, b in sentences(block)]
        for pattern, instead in PATTERNS + ([MARKDOWN] if path.suffix == ".md" else []):
            found += [(offset + m.start(), offset + m.end(), f"'{' '.join(m.group().split())}': {instead}") for m in pattern.finditer(block)]
    return sorted(found)


def files(root) -> list:
    return sorted(p for p in root.rglob("*") if (p.suffix in SUFFIXES or p.name == "CMakeLists.txt" or p.parent.name == "openapi" and p.suffix == ".txt") and p.is_file()
                  and not words.SKIPPED & set(p.relative_to(root).parts) and str(p.relative_to(root)) not in words.VENDORED | {"tests/arch/sentences.py"})


def scan(root) -> list:
    findings, waiting = [], set()
    not_yet = () if "--self-test" in sys.argv else NOT_YET
    for path in files(root):
        relative = path.relative_to(root)
        text = path.read_text(encoding="utf-8")
        lines = [m.start() for m in re.finditer(r"\n", text)]
        late = next((folder for folder in not_yet if str(relative).startswith(folder)), None)
        for start, end, rule in find(relative, text):
            if late:
                waiting.add(late)
                continue
            line = bisect.bisect_left(lines, start) + 1
            findings.append(f"{relative}:{line}: {rule} ({' '.join(text[start:end].split())[:60]})")
    present = [folder for folder in not_yet if (root / folder).exists()]
    return findings + [f"{folder}: has none of these any more: take it out of NOT_YET" for folder in present if folder not in waiting]


BAD = [
    (f"a.md:3: {NO_NAME}", {"docs/a.md": "# A\n\nWhat a hook sends is read.\n"}),
    (f"a.md:2: {NO_NAME}", {"docs/a.md": "One sentence.\n- Who decides is\n  named.\n"}),
    (f"a.md:3: {NO_NAME}", {"docs/a.md": "| a | b |\n|---|---|\n| one | That the agent ends is seen |\n"}),
    (f"a.cpp:1: {NO_NAME}", {"core/a.cpp": "int x;  ///< What one has got.\n"}),
    (f"a.hpp:2: {NO_NAME}", {"core/a.hpp": "// One line. The next\n// one. Of snapshots of older versions.\n"}),
    (f"a.hpp:2: {NO_NAME}", {"core/a.hpp": "// SPDX-License-Identifier: Apache-2.0\n// What the core shares.\n"}),
    (f"a.cpp:1: {NO_NAME}", {"cli/a.cpp": 'app.add("--x", "What the agent is called");\n'}),
    (f"a.py:2: {NO_NAME}", {"tests/a.py": "def f():\n    \"\"\"What the daemon sent.\"\"\"\n"}),
    (f"a.py:1: {NO_NAME}", {"tests/a.py": "x = 1  # What is left of it\n"}),
    (f"a.js:1: {NO_NAME}", {"web/a.js": "const s = 'Who has decided it.';\n"}),
    (f"a.toml:1: {NO_NAME}", {"config/a.toml": "# What a session may use\n"}),
    (f"a.txt:1: {NO_NAME}", {"api/openapi/a.txt": "schema A # Of the last ten.\n"}),
    ("'tells'", {"docs/a.md": "One more step before it tells.\n"}),
    ("'daemon says'", {"docs/a.md": "The daemon says so.\n"}),
    ("'was told'", {"core/a.hpp": "/// The agent was told about it.\n"}),
    ("'but for'", {"core/a.hpp": "/// Pure but\n/// for the zone.\n"}),
    ("'nothing but'", {"core/a.hpp": "/// It reads nothing but files.\n"}),
    ("'comes of'", {"core/a.hpp": "/// No alarm comes of it.\n"}),
]
GOOD = [
    {"docs/a.md": "## What it does\n\nWhat is Headway? It is a daemon.\n\n> What a quote says.\n\n    What a block says here.\n"},
    {"core/a.cpp": "// Offers that are there. Offset.\nauto kind = What{};  // names the thing\n"},
    {"tests/unit/a.cpp": 'auto text = "What the agent wrote is data.";\n'},
    {"cli/a.cpp": 'auto s = "What now?";\nauto t = "Of";\n'},
    {"core/a.hpp": "/// Colours that cannot be told apart.\n"},
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
