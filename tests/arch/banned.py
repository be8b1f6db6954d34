#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that are not used here, each with the reason.

    detached             swallows the exceptions of a coroutine            (everywhere)
    std::endl            flushes                                           (everywhere)
    system(, popen(      a shell between us and what is run                (everywhere)
    sleep                a test that sleeps is slow or flaky: step, or poll with tests/support  (tests)
                         nothing below the server waits                    (core, storage, api, config)
    assert(              gone in release: HEADWAY_ASSERT                   (product)
    catch (...) {}       hides what happened                               (product)
"""
import re
import sys

import source

SLEEP = r"\b(sleep|usleep|nanosleep|sleep_for|sleep_until)\s*\("
EVERYWHERE = lambda path: True  # noqa: E731
PRODUCT = lambda path: path.parts[0] in source.PRODUCT  # noqa: E731
LOWER = lambda path: source.place_of(path.as_posix()).split("/")[0] in ("core", "storage", "api", "config")  # noqa: E731
TESTS = lambda path: path.parts[0] == "tests" and path.parts[1] != "support"  # noqa: E731
RULES = (
    (re.compile(r"\bdetached\b(?!\s*_)"), EVERYWHERE, "detached: spawn it where its exceptions are seen"),
    (re.compile(r"\bstd\s*::\s*endl\b"), EVERYWHERE, "std::endl: write '\\n'"),
    (re.compile(r"(?<![\w.>:])(std\s*::\s*|::\s*)?(system|popen)\s*\("), EVERYWHERE, "system(), popen(): posix_spawn"),
    (re.compile(SLEEP), TESTS, "sleep in a test: step the clock, or poll with tests/support"),
    (re.compile(SLEEP), LOWER, "sleep below the server"),
    (re.compile(r"\bassert\s*\("), PRODUCT, "assert() is gone in release: HEADWAY_ASSERT"),
    (re.compile(r"\bcatch\s*\(\s*\.\.\.\s*\)\s*\{\s*\}"), PRODUCT, "an empty catch (...) hides what happened"),
)


def scan(root) -> list:
    findings = []
    for path in source.files(root):
        relative, raw = path.relative_to(root), path.read_text(encoding="utf-8")
        text = source.blank(raw)
        for pattern, applies, why in RULES:
            if not applies(relative):
                continue
            for match in pattern.finditer(text):
                # A comment inside the empty block is the reason we ask for.
                if "catch" in why and "//" in raw[match.start():match.end()]:
                    continue
                findings.append(f"{relative}:{source.line_of(text, match.start())}: {why}")
    return findings


BAD = [
    ("detached", {"server/a.cpp": "net::co_spawn(io, f(), net::detached);\n"}),
    ("std::endl", {"cli/a.cpp": "std::cout << 1 << std::endl;\n"}),
    ("posix_spawn", {"cli/a.cpp": "int r = std::system(text);\n"}),
    ("posix_spawn", {"tests/integration/a_test.cpp": "    ::system(text);\n"}),
    ("sleep in a test", {"tests/unit/core/a_test.cpp": "std::this_thread::sleep_for(1ms);\n"}),
    ("sleep in a test", {"tests/integration/a_test.cpp": "sleep(1);\n"}),
    ("sleep below", {"storage/a.cpp": "usleep(5);\n"}),
    ("HEADWAY_ASSERT", {"core/a.cpp": "assert(x);\n"}),
    ("hides", {"server/a.cpp": "try { f(); } catch (...) {\n}\n"}),
]
GOOD = [
    {"server/a.cpp": "// never detached\nauto s = \"std::endl system( sleep(1)\";\nHEADWAY_ASSERT(x);\nstatic_assert(y);\n"},
    {"server/a.cpp": "file_system(x);\nstd::system_error(e);\ncodes.system(1);\n", "core/a.cpp": "bool is_detached_ = f();\n"},
    {"tests/support/poll.hpp": "std::this_thread::sleep_for(1ms);\n", "cli/run.cpp": "sleep_for(1ms);\n"},
    {"server/a.cpp": "try { f(); } catch (...) {\n    // the logger itself failed; there is nowhere to say it\n}\n"},
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
