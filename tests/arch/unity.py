#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names in an anonymous namespace that a header of the same library has too, in the same namespace and with the same parameters.

The builds compile a dozen sources as one unit. There the anonymous name of one file is found before the header's by all
files behind it, so that a word is another word in a build than in a file by itself, and no compiler says so. Names that
differ in their parameters are errors of the compiler where they meet (.ci/one_unit.py).
"""
import re
import sys

import source

NAMESPACE = re.compile(r"^namespace (headway[\w:]*) \{", re.M)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
FUNCTION = re.compile(r"^(?!return|using|static_assert|class|struct|enum|friend)[\w\[][^\n;={}()]*[\s&*](\w+)\(([^;{}]*?)\)[^;{}()]*[;{]", re.M)
CONSTANT = re.compile(r"^(?:inline |static )?constexpr [^=;{}()\n]*?\b(k\w+)(?:\{| =)", re.M)


def types_of(parameters: str) -> tuple:
    """The types of a parameter list, without names and defaults."""
    parts, depth, begin = [], 0, 0
    for at, c in enumerate(parameters + ","):
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            parts.append(parameters[begin:at])
            begin = at + 1
    without_default = (" ".join(part.split("=")[0].split()) for part in parts)
    return tuple(re.sub(r"(?<=[\s&*>])\w+$", "", part).replace(" ", "") for part in without_default if part)


def names_in(text: str) -> dict:
    """Offset by name and parameter types."""
    found = {(m[1], types_of(m[2])): m.start() for m in FUNCTION.finditer(text)}
    found |= {(m[1], None): m.start() for m in CONSTANT.finditer(text)}
    return found


def scan(root) -> list:
    findings = []
    for library in source.PRODUCT:
        paths = [path for path in source.files(root, source.PRODUCT)
                 if source.place_of(path.relative_to(root).as_posix()).startswith(library + "/")]
        texts = {path: path.read_text(encoding="utf-8") for path in paths}
        shared = {}
        for path, text in texts.items():
            if path.suffix == ".hpp" and (space := NAMESPACE.search(text)):
                shared |= {(space[1], name): path for name in names_in(source.blank(text))}
        for path, text in texts.items():
            space = NAMESPACE.search(text)
            if path.suffix != ".cpp" or not space:
                continue
            for block in ANONYMOUS.finditer(text):
                for name, at in names_in(source.blank(block[1])).items():
                    if header := shared.get((space[1], name)):
                        line = source.line_of(text, block.start(1) + at)
                        findings.append(f"{path.relative_to(root)}:{line}: {name[0]} hides that of {header.relative_to(root)} from "
                                        "the files behind it in a unit: use that one, or another name")
    return findings


HEADER = "namespace headway::core {\nconstexpr bool is_word(char c) {\n    return c == '_';\n}\ninline constexpr int kMax = 3;\n}\n"


def with_source(text: str, namespace: str = "headway::core") -> dict:
    return {"core/text/words.hpp": HEADER, "core/a.cpp": f"namespace {namespace} {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n}}\n"}


BAD = [
    ("is_word hides", with_source("bool is_word(char letter) {\n    return true;\n}")),
    ("is_word hides", with_source("[[nodiscard]] constexpr bool is_word(\n    char c) {\n    return true;\n}")),
    ("kMax hides", with_source("constexpr int kMax = 4;")),
]
GOOD = [
    with_source("bool is_word(std::string_view word) {\n    return is_word(word[0]);\n}\nbool has_word(char c) {\n    return is_word(c);\n}"),
    with_source("bool is_word(char c) {\n    return true;\n}", "headway::core::other"),
    with_source("constexpr std::array<int, kMax> kRow{1};\nstruct A {\n    bool is_word(char c);\n};"),
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
