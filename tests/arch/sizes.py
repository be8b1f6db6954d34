#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of at most 70 lines and files of at most 400, in every layer, the bench and tests/support.

A heuristic on braces: good enough for formatted code, and --self-test says what it must see. A function counts from
the first line of its signature to its closing brace; a lambda counts as part of the function around it. Tests are excepted:
their tables of cases may be long. The licence line is not counted.
"""
import re
import sys

import source

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400
SCOPE = re.compile(r'^(inline\s+)?namespace\b|^extern\s+" *"\s*$|^export\b')
TYPE = re.compile(r"^(template\s*<.*>\s*)?(typedef\s+)?(class|struct|union|enum)\b", re.S)
INIT_LIST = re.compile(r"\)\s*(noexcept(\s*\([^)]*\))?\s*)?:(?!:)")
ATTRIBUTES = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)", re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)


def kind_of(header: str, before: str) -> str:
    """Kind of the brace behind `header`: scope (namespace or type), function, member (initialiser) or other."""
    header = ATTRIBUTES.sub(" ", header).strip()
    if SCOPE.search(header):
        return "scope"
    if TYPE.search(header) and not re.search(r"[=)]\s*$", header) and "(" not in header.split("{")[0]:
        return "scope"
    if "(" not in header or header.count("(") != header.count(")") or header.endswith(("=", ",", "return")):
        return "other"  # a table, or braces inside an argument list
    if INIT_LIST.search(header) and (before.isalnum() or before in "_>"):
        return "member"
    return "function"


def functions(text: str):
    """(offset of the signature, offset of the closing brace) of every function in blanked text."""
    text = PREPROCESSOR.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    i, start = 0, 0  # `start` is where the current declaration begins
    while i < len(text):
        if text[i] in ";}":
            start = i + 1
        elif text[i] == ":" and re.search(r"\b(public|private|protected)\s*$", text[start:i]):
            start = i + 1
        elif text[i] == "{":
            kind = kind_of(text[start:i], text[:i].rstrip()[-1:])
            if kind == "scope":
                start = i + 1
            else:
                end = source.matching(text, i)
                if kind == "function":
                    yield start + len(text[start:i]) - len(text[start:i].lstrip()), end
                    start = end + 1
                i = end
        i += 1


def name_of(signature: str) -> str:
    match = re.search(r"([\w:~]+|operator\s*\S+)\s*\(", signature)
    return match.group(1) if match else signature.split("\n")[0][:60]


def scan(root) -> list:
    findings = []
    for path in source.files(root, source.PRODUCT + ("bench", "tests")):
        relative, raw = path.relative_to(root), path.read_text(encoding="utf-8")
        lines = raw.count("\n") - raw.startswith(source.LICENCE_LINE)
        if lines > FILE_LINES_MAX and relative.parts[:2] not in (("tests", "unit"), ("tests", "integration")):
            findings.append(f"{relative}: {lines} lines, at most {FILE_LINES_MAX}")
        if relative.parts[0] == "tests" and relative.name.endswith("_test.cpp"):
            continue  # tables of cases may be long
        text = source.blank(raw)
        for start, end in functions(text):
            length = source.line_of(text, end) - source.line_of(text, start) + 1
            if length > FUNCTION_LINES_MAX:
                where = f"{relative}:{source.line_of(text, start)}"
                findings.append(f"{where}: {name_of(text[start:end])} has {length} lines, at most {FUNCTION_LINES_MAX}")
    return findings


def body(lines: int) -> str:
    return "    if (x) { y(); }\n" * lines


BAD = [
    ("f has 71 lines", {"core/a.cpp": "namespace a {\nint f(int x) {\n" + body(69) + "}\n}\n"}),
    ("A::A has 72 lines", {"core/a.cpp": "A::A(int x)\n    : a_{x}, b_{x} {\n" + body(69) + "}\n"}),
    ("g has 71 lines", {"core/a.hpp": "class [[nodiscard]] A : public B<int> {\npublic:\n    int g() const noexcept {\n"
                        + body(69) + "    }\n    int v_ = {};\n};\n"}),
    ("h has 71 lines", {"api/a.cpp": "const T kT = {{1, f(2)}};\nauto h() -> std::vector<int> {\n" + body(69) + "}\n"}),
    ("t has 80 lines", {"cli/a.cpp": "template <class T>\nrequires C<T>\nvoid t(T a,\n  int b = int{}) {\n" + body(75) + "}\n"}),
    ("run has 71 lines", {"server/a.cpp": "struct X { int y; };\nvoid run() {\n    auto l = [&](int a) {\n" + body(67)
                          + "    };\n}\n"}),
    ("401 lines", {"core/a.hpp": "\n" * 401}),
]
GOOD = [
    {"core/a.cpp": "namespace a {\nint f() {\n" + body(68) + "}\nint g() {\n" + body(60) + "}\n}\n"},
    {"core/a.cpp": "const int kTable[] = {\n" + "    1,\n" * 90 + "};\n"},
    {"core/a.hpp": "enum class E : std::uint8_t {\n" + "    kA,\n" * 90 + "};\nstruct S {\n" + "    int a{};\n" * 90 + "};\n"},
    {"core/a.cpp": "A::A() : a_{1}, b_(2) {}\n" + "int x;\n" * 80 + "int f() { return '}'; }\n"},
    {"core/a.cpp": "#define X(a) \\\n    if (a) { \n" + "int x;\n" * 80},
    {"core/a.hpp": "\n" * 400},
    {"core/a.hpp": source.LICENCE_LINE + "\n" * 399 + "int x;\n"},
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
