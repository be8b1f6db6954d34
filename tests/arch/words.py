#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that the prose of this project does without, in Markdown and in the comments and strings of the sources.

Each has a plain replacement: name the role (the agent, the caller, a person), or say the sentence without it. Block quotes in
Markdown, strings that hold the word alone (data, such as the name of a user) and stored texts are left out. --folders prints how many
there are in each folder, and nothing else.
"""
import argparse
import collections
import io
import pathlib
import re
import sys
import tokenize

import source

WORDS = {
    "no" "body": "no agent, no client, no person",
    "who" "ever": "the caller, the client, the person who",
    "some" "body": "a person, a client",
    "a" "new": "again",
    "for " "ever": "without end, without limit",
    "does not " "count": "is invalid, is not counted",
    "is " "told": "gets, is notified, reads",
}
# Texts of directives: they are stored in journals and shown to agents, so other words would need a reason of their own. Sources and the
# tests that compare them may hold these phrases, and no other text with such a word.
STORED = ("It seems to need some" "body else", "write it a" "new, short, from the goal", "No" "body decided in time about ")
# Between two words there may be the end of a line and the beginning of the next comment.
GAP = r"[\s/*#>\"]+"
PATTERNS = [(word, instead, re.compile(r"\b" + GAP.join(map(re.escape, word.split())) + r"\b", re.I)) for word, instead in WORDS.items()]
SUFFIXES = (".md", ".cpp", ".hpp", ".py", ".js", ".mjs")
# Also what made-up agents say: they are sealed, and their words are theirs.
VENDORED = {"web/preact.js", "web/uplot.js", *(f"tests/behaviours/{which}_{part}.py" for which in ("sealed", "second") for part in ("common", "legit", "stuck"))}
SKIPPED = {".git", "build", "node_modules", "__pycache__"}
CODE = re.compile(r"""[^\n"']""")
ALONE = re.compile(r"""["'`]\w+["'`]""")
QUOTE = re.compile(r"^[ \t]*>.*$", re.M)
PYTHON_TEXT = {tokenize.COMMENT, tokenize.STRING} | {getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def cpp_prose(text: str) -> str:
    """Comments and literals of C++, all else blank."""
    out, done = [], 0
    for start, end in source.hidden(text):
        out += (CODE.sub(" ", text[done:start]), text[start:end])
        done = end
    return "".join(out) + CODE.sub(" ", text[done:])


def python_prose(text: str) -> str:
    """Comments and literals of Python, all else blank."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    out, end = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in PYTHON_TEXT:
            continue
        begin = starts[token.start[0] - 1] + token.start[1]
        out += [source.spaces(text[end:begin]), token.string]
        end = begin + len(token.string)
    return "".join(out)


def prose(path, text: str) -> str:
    """The prose of a file, at the same offsets. JavaScript is prose as a whole: a name that is such a wordis no better."""
    if path.suffix == ".md":
        return QUOTE.sub(lambda m: source.spaces(m.group()), text)
    if path.suffix in (".cpp", ".hpp"):
        text = cpp_prose(text)
    elif path.suffix == ".py":
        text = python_prose(text)
    for stored in STORED:
        text = text.replace(stored, source.spaces(stored))
    return ALONE.sub(lambda m: source.spaces(m.group()), text)


def files(root) -> list:
    return sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file() and not SKIPPED & set(p.relative_to(root).parts)
                  and str(p.relative_to(root)) not in VENDORED)


def scan(root) -> list:
    findings = []
    for path in files(root):
        relative = path.relative_to(root)
        text = prose(path, path.read_text(encoding="utf-8"))
        lower = text.lower()
        for word, instead, pattern in PATTERNS:
            for match in pattern.finditer(text) if word.split()[0] in lower else ():
                findings.append(f"{relative}:{source.line_of(text, match.start())}: '{word}': {instead}")
    return findings


def folder_of(finding: str) -> str:
    parts = pathlib.PurePath(finding.split(":", 1)[0]).parts[:-1]
    return "/".join(parts[:2] if parts[:1] == ("tests",) else parts[:1]) or "."


def print_folders(root) -> int:
    counts = collections.Counter(folder_of(finding) for finding in scan(root))
    for folder, count in counts.most_common():
        print(f"{count:5}  {folder}")
    print(f"{sum(counts.values()):5}  in all")
    return 1 if counts else 0


W = list(WORDS)
BAD = [
    (f"a.md:2: '{W[0]}'", {"docs/a.md": f"One\n{W[0].capitalize()} reads it.\n"}),
    (f"a.cpp:1: '{W[1]}'", {"core/a.cpp": f"int x;  // {W[1]} reads it\n"}),
    (f"a.hpp:2: '{W[2]}'", {"server/a.hpp": f"/* One,\n {W[2]} */\n"}),
    (f"a.cpp:1: '{W[3]}'", {"cli/a.cpp": f'auto s = "begins {W[3]}";\n'}),
    (f"a.cpp:1: '{W[4]}'", {"core/a.cpp": "// waits " + W[4].replace(" ", "\n// ") + "\n"}),
    (f"a.py:2: '{W[5]}'", {"tests/a.py": f'"""One.\nIt {W[5]}."""\n'}),
    (f"a.py:1: '{W[6]}'", {"tests/a.py": f"x = 1  # {W[6]}\n"}),
    (f"a.py:1: '{W[6]}'", {"tests/a.py": f"x = f'{{y}} {W[6]}'\n"}),
    (f"a.js:1: '{W[0]}'", {"web/a.js": f"const s = `${{x}} {W[0]} there`;\n"}),
    (f"README.md:1: '{W[2]}'", {"README.md": f"- wants {W[2]}\n"}),
]
GOOD = [
    {"docs/a.md": f"> said {W[0]}\n\nfor every one, renewed, counted\n", "core/a.cpp": "// for every session\nint of_" + W[2] + " = 1;\n"},
    {"core/a.cpp": f"int {W[3]} = 1;\nauto user = \"{W[0]}\";\nchar c = '\"';  // fine\n", "tests/a.py": f"{W[3]} = pwd('{W[0]}')\n"},
    {"core/a.cpp": f'auto s = "{STORED[0]}: say what";\n'},
    {"web/preact.js": W[0], "build/a.md": W[0], "tests/openapi/node_modules/a.js": f"// {W[0]}\n", "api/a.txt": W[0]},
]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--folders", action="store_true")
    known, _ = parser.parse_known_args()
    sys.exit(print_folders(known.root.resolve()) if known.folders else source.run(__doc__, scan, BAD, GOOD))
