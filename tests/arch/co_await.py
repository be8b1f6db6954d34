#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds what g++ 12.2 miscompiles in coroutines: temporaries made inside a co_await operand are destroyed twice.

    co_await f(Event{id, text});          // double free           Event e{id, text};
    co_await offload([s] { ... });        // double free           auto job = [s] { ... };
                                                             safe: co_await f(std::move(e));

Also finds coroutines that are capturing lambdas: the captures live in the closure, which may be gone after the first
suspension.
"""
import re
import sys

import source

AWAIT = re.compile(r"\bco_await\b")
COROUTINE = re.compile(r"\bco_(await|return|yield)\b")
BEFORE_LAMBDA = re.compile(r"(\b(return|co_return|co_await|co_yield|case|throw|else)|[^\w\s)\]]|^)\s*$")


def operand_end(text: str, start: int) -> int:
    """Where the expression that starts at `start` ends: at `;`, or at a `)`, `]`, `}` that it did not open."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            if depth == 0:
                return i
            depth -= 1
        elif text[i] == ";" and depth == 0:
            return i
    return len(text)


def lambda_parts(text: str, bracket: int):
    """(captures, start of body, end of body) if a lambda starts at this `[`, else None."""
    if text[bracket:bracket + 2] == "[[" or not BEFORE_LAMBDA.search(text[max(0, bracket - 200):bracket]):
        return None
    close = source.matching(text, bracket)
    rest = re.compile(r"\s*(\()?").match(text, close + 1)
    body = source.matching(text, rest.start(1)) + 1 if rest.group(1) else close + 1
    body = re.compile(r"[^{};,]*").match(text, body).end()
    if text[body:body + 1] != "{":
        return None
    return text[bracket + 1:close].strip(), body, source.matching(text, body)


def check_operand(text: str, start: int, end: int):
    """(offset, what) of the first dangerous temporary between start and end, or None."""
    i = start
    while i < end:
        if text[i] == "[" and (parts := lambda_parts(text, i)):
            captures, _, body_end = parts
            if captures:
                return i, "a lambda with captures inside a co_await operand: name it, then move it in"
            i = body_end
        elif text[i] == "{":
            return i, "braces inside a co_await operand: build a named local, then move it in"
        i += 1
    return None


def scan(root) -> list:
    findings = []
    for path in source.files(root):
        text = source.blank(path.read_text(encoding="utf-8"))
        hits = set()
        for match in AWAIT.finditer(text):
            if hit := check_operand(text, match.end(), operand_end(text, match.end())):
                hits.add(hit)
        for bracket in (m.start() for m in re.finditer(r"\[", text)):
            parts = lambda_parts(text, bracket)
            if parts and parts[0] and COROUTINE.search(text, parts[1], parts[2]):
                hits.add((bracket, "a coroutine that is a capturing lambda: make it a named function"))
        findings += [f"{path.relative_to(root)}:{source.line_of(text, at)}: {what}" for at, what in sorted(hits)]
    return findings


def in_function(statement: str) -> dict:
    return {"server/a.cpp": "net::awaitable<void> f() {\n    " + statement + "\n}\n"}


BAD = [
    ("braces", in_function("co_await take(Agg{Tr{s}, 2});")),
    ("braces", in_function("int n = co_await take({1, 2});")),
    ("braces", in_function("if (co_await take(Agg{.a = 1})) { x(); }")),
    ("braces", in_function("auto [ec, n] = co_await write(s, std::array{a,\n        b}, nothrow);")),
    ("captures", in_function("int n = co_await offload([s] { return s.size(); });")),
    ("captures", in_function("int n = co_await offload([s = std::move(s)]() mutable { return s.size(); });")),
    ("captures", in_function("co_return co_await offload(\n        [this] { return 1; });")),
    ("capturing lambda", in_function("auto g = [&]() -> net::awaitable<void> { co_await h(); };")),
    ("capturing lambda", in_function("spawn([this]() -> net::awaitable<int> { co_return 1; });")),
]
GOOD = [
    in_function("Agg x{Tr{s}, 2};\n    co_await take(std::move(x));"),
    in_function("auto job = [s] { return s.size(); };\n    co_await offload(std::move(job));"),
    in_function("co_await offload([] { return 1; });"),
    in_function("co_await offload([](int x) noexcept -> int { return x; });"),
    in_function("if (co_await f()) { x(); }\n    while (!co_await g(a[i])) { y(); }"),
    in_function("for (auto x = co_await f(); x; x = co_await f()) { y(); }"),
    in_function("co_return Error{1, s};"),
    in_function('// co_await f(X{1});\n    auto s = "co_await f(X{1});";'),
    in_function("x([] { return 1; }, co_await f());\n    [[maybe_unused]] auto y = co_await g();"),
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
