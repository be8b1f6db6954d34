# SPDX-License-Identifier: Apache-2.0
"""Code shared by the architecture tests: our files, C++ text without comments and strings, and the self-test loop."""
import argparse
import pathlib
import re
import sys
import tempfile

PRODUCT = ("core", "system", "storage", "api", "config", "agents", "server", "cli", "hook")
# Parts of an agent, agents/NAME/PART.cpp, and the rooms to which they belong as if they stood there.
AGENT_PARTS = {"hooks": "api/hooks/agents", "lines": "cli/lines/agents", "store": "cli/stores", "rollout": "cli/conversations",
               "settings": "cli/agents", "trust": "cli/agents", "resume": "cli/keep_going",
               "claude_like": "api/hooks/agents", "gemini_like": "api/hooks/agents", "resume_options": "cli/keep_going"}
LICENCE_LINE = "// SPDX-License-Identifier: Apache-2.0\n"
OURS = PRODUCT + ("bench", "tests", "clients")


def files(root: pathlib.Path, folders=OURS, suffixes=(".cpp", ".hpp")) -> list:
    """Our C++ files under `root`, sorted."""
    found = []
    for folder in folders:
        found += [p for p in (root / folder).rglob("*") if p.suffix in suffixes and p.is_file()]
    return sorted(found)


def place_of(relative: str) -> str:
    """The path of a project file among the layers: that of a part of an agent is in the room of its kind."""
    top, _, rest = relative.partition("/")
    agent, _, part = rest.partition("/")
    room = AGENT_PARTS.get(part.partition(".")[0]) if top == "agents" else None
    return f"{room}/{agent}_{part}" if room else relative


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _is_digit_separator(text: str, i: int) -> bool:
    """True for the quote in 10'000 (and not for the one in L'x')."""
    j = i - 1
    while j >= 0 and (text[j].isalnum() or text[j] in "_'."):
        j -= 1
    return text[j + 1:i + 1][:1].isdigit()


# Where a comment or a literal may begin. A raw string ends at its own tag, other literals at the end of the line at the latest.
_BEGIN = re.compile(r"""//|/\*|(?<![^\W])R"|["']""")
_REST = {quote: re.compile(rf"(?:\\.|[^{quote}\\\n])*\\?", re.S) for quote in "\"'"}
_NOT_LINE_END = re.compile(r"[^\n]")


def _end_of_raw_string(text: str, start: int) -> int:
    """`start` is at the R of R"tag( ; gives the offset behind the closing quote."""
    paren = text.index("(", start)
    closing = ")" + text[start + 2:paren] + '"'
    end = text.find(closing, paren)
    return len(text) if end < 0 else end + len(closing)


def spaces(text: str) -> str:
    """As long as `text`, with its line ends."""
    return _NOT_LINE_END.sub(" ", text)


def hidden(text: str, keep_includes: bool = False) -> list:
    """(start, end) of each comment and of the inside of each literal, in order."""
    found, i = [], 0
    while (begin := _BEGIN.search(text, i)) is not None:
        start, what = begin.start(), begin.group()
        i = begin.end()
        if what == "//":
            i = text.find("\n", i)
            i = len(text) if i < 0 else i
            found.append((start, i))
        elif what == "/*":
            i = text.find("*/", i)
            i = len(text) if i < 0 else i + 2
            found.append((start, i))
        elif what == 'R"':
            i = _end_of_raw_string(text, start)
            found.append((start + 2, i - 1))
        elif what == '"' or not _is_digit_separator(text, start):
            i = min(_REST[what].match(text, i).end() + 1, len(text))
            line = text.rfind("\n", 0, start) + 1
            if not (keep_includes and text[line:start].lstrip().startswith("#")):
                found.append((start + 1, max(start + 1, i - 1)))
    return found


def blank(text: str, keep_includes: bool = False) -> str:
    """The same text with comments and the insides of literals replaced by spaces: offsets and lines stay the same.

    With keep_includes the name in `#include "x"` survives, since it looks like a string.
    """
    out, done = [], 0
    for start, end in hidden(text, keep_includes):
        out += (text[done:start], spaces(text[start:end]))
        done = end
    return "".join(out) + text[done:]


def matching(text: str, opening: int) -> int:
    """Offset of the bracket that closes the one at `opening`, in blanked text; the end of the text if none does."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    stack = []
    for i in range(opening, len(text)):
        if text[i] in pairs:
            stack.append(pairs[text[i]])
        elif stack and text[i] == stack[-1]:
            stack.pop()
            if not stack:
                return i
    return len(text) - 1


def run(doc: str, scan, bad: list, good: list) -> int:
    """Command line of one architecture test.

    `scan(root)` gives the findings as lines of text. `bad` and `good` are trees {path: content}: --self-test proves
    that each bad one has a finding that contains the string given with it and that each good one has none.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true", help="prove that this test fails where it must")
    arguments = parser.parse_args()
    if arguments.self_test:
        return _self_test(scan, bad, good)
    findings = scan(arguments.root.resolve())
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings" if findings else "clean")
    return 1 if findings else 0


def _self_test(scan, bad: list, good: list) -> int:
    failures = 0
    for expected, tree in [(None, t) for t in good] + list(bad):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, content in tree.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content, encoding="utf-8")
            findings = scan(root)
        right = not findings if expected is None else any(expected in f for f in findings)
        if not right:
            failures += 1
            print(f"self-test: expected {expected or 'no finding'} in {str(tree)[:300]}\n  got {findings}", file=sys.stderr)
    print(f"self-test: {len(bad)} bad and {len(good)} good samples, {failures} judged wrong")
    return 1 if failures else 0
