#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test is built: each tests/**/*_test.cpp and tests/integration/test_*.py is named in a CMakeLists.txt of tests/
(LevelDB's fault test was not).

Also: every .cpp and .hpp of a layer is named in the CMakeLists.txt of its folder, so that nothing lies about
unbuilt and every header is compiled alone by the build preset `headers`. A detector is named by its include in
core/detectors/detectors.hpp, of which core/CMakeLists.txt makes its list. A test may be named with or without `_test.cpp`.
"""
import re
import sys

import source

COMMENT = re.compile(r"#.*")
DETECTORS = "core/detectors/detectors.hpp"
DETECTOR = re.compile(r'^#include "(core/detectors/[\w/]+)\.hpp"$', re.M)
UNLISTED_OK = ("main.cpp",)  # belongs to the executable, wherever that is defined


def words(root, folder: str) -> set:
    """Every word of every CMakeLists.txt below a folder, comments left out."""
    found = set()
    for path in sorted((root / folder).rglob("CMakeLists.txt")):
        found |= set(re.split(r"[\s()\"]+", COMMENT.sub("", path.read_text(encoding="utf-8"))))
    return found


def named(path, listed: set) -> bool:
    """True if some word is this path or an end of it: a.cpp, core/a.cpp, ${X}/core/a.cpp, or a test without its suffix."""
    full = path.as_posix()
    names = {full} | ({full.removesuffix("_test.cpp"), full.removesuffix(".cpp")} if full.endswith("_test.cpp") else set())
    for word in listed:
        word = word.split("}/")[-1]
        if word and any(name == word or name.endswith("/" + word) for name in names):
            return True
    return False


def detectors(root) -> set:
    """Header and source of each detector."""
    path = root / DETECTORS
    found = DETECTOR.findall(path.read_text(encoding="utf-8")) if path.is_file() else []
    return {name + suffix for name in found for suffix in (".hpp", ".cpp")}


def scan(root) -> list:
    findings = []
    listed = words(root, "tests")
    for path in source.files(root, ("tests",), (".cpp",)):
        relative = path.relative_to(root)
        if relative.name.endswith("_test.cpp") and not named(relative, listed):
            findings.append(f"{relative}: in no CMakeLists.txt of tests/")
    for path in sorted((root / "tests/integration").glob("test_*.py")):
        if path.stem not in listed:
            findings.append(f"{path.relative_to(root)}: in no CMakeLists.txt of tests/")
    for folder in source.PRODUCT:
        agents = words(root, "api") | words(root, "cli") if folder == "agents" else set()  # of whose libraries they are
        listed = words(root, folder) | agents | (detectors(root) if folder == "core" else set())
        where = "api or cli" if folder == "agents" else folder
        for path in source.files(root, (folder,)):
            relative = path.relative_to(root)
            if not named(relative, listed) and relative.name not in UNLISTED_OK:
                findings.append(f"{relative}: not in {where}/CMakeLists.txt")
    return findings


BAD = [
    ("in no CMakeLists", {"tests/CMakeLists.txt": "headway_integration(test_b)\n", "tests/integration/test_a.py": ""}),
    ("in no CMakeLists", {"tests/CMakeLists.txt": "add(b_test.cpp)\n", "tests/unit/core/a_test.cpp": ""}),
    ("in no CMakeLists", {"tests/CMakeLists.txt": "# unit/core/a_test.cpp\n", "tests/unit/core/a_test.cpp": ""}),
    ("in no CMakeLists", {"tests/CMakeLists.txt": "add(unit/api/a_test.cpp)\n", "tests/unit/core/a_test.cpp": ""}),
    ("in no CMakeLists", {"tests/CMakeLists.txt": "add(xa_test.cpp)\n", "tests/property/a_test.cpp": ""}),
    ("not in core/CMakeLists.txt", {"core/CMakeLists.txt": "add(a.cpp)\n", "core/a.cpp": "", "core/a.hpp": ""}),
    ("not in server/CMakeLists.txt", {"server/b.cpp": ""}),
    ("core/detectors/b.cpp: not in core", {"core/CMakeLists.txt": "add(detectors.hpp)\n", "core/detectors/b.cpp": "",
                                           "core/detectors/detectors.hpp": '// #include "core/detectors/b.hpp"\n'}),
]
GOOD = [
    {"tests/CMakeLists.txt": "headway_integration(test_a Slow 3)\n", "tests/integration/test_a.py": ""},
    {"tests/CMakeLists.txt": "add(core unit/core/a_test.cpp\n    property/b_test.cpp)\n", "tests/unit/core/a_test.cpp": "",
     "tests/property/b_test.cpp": "", "tests/support/x.cpp": ""},
    {"tests/unit/CMakeLists.txt": "unit(core a session)\n", "tests/unit/core/a_test.cpp": "",
     "tests/unit/core/session/session_test.cpp": ""},
    {"core/CMakeLists.txt": "headway_library(core HEADERS a.hpp SOURCES a.cpp)\n", "core/a.cpp": "", "core/a.hpp": ""},
    {"core/CMakeLists.txt": "add(detectors.hpp)\n", "core/detectors/detectors.hpp": '#include "core/detectors/b.hpp"\n',
     "core/detectors/b.cpp": "", "core/detectors/b.hpp": ""},
    {"server/CMakeLists.txt": "add(${PROJECT_SOURCE_DIR}/server/x.cpp)\n", "server/x.cpp": "", "server/main.cpp": ""},
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
