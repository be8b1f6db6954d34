#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in its first two lines. Vendored files do not: deploy/debian/copyright lists them."""
import sys

import source

TAG = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = (".cpp", ".hpp", ".py", ".js", ".mjs", ".css", ".cmake")
FOLDERS = source.OURS + ("web", "deploy", ".ci")
VENDORED = {"web/preact.js", "web/uplot.js"}
SKIPPED = {"node_modules", "fixtures", "__pycache__"}


def scan(root) -> list:
    findings = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            named = path.suffix in SUFFIXES or path.name == "CMakeLists.txt"
            if not named or not path.is_file() or SKIPPED & set(relative.parts) or str(relative) in VENDORED:
                continue
            head = path.read_text(encoding="utf-8").split("\n", 2)[:2]
            if any(head) and not any(TAG in line for line in head):
                findings.append(f"{relative}: no line '{TAG}'")
    return findings


BAD = [
    ("core/a.cpp: no line", {"core/a.cpp": "int x;\n"}),
    ("tests/a.py: no line", {"tests/a.py": "#!/usr/bin/env python3\nimport sys\n# " + TAG + "\n"}),
    ("web/a.css: no line", {"web/a.css": "a {}\n"}),
    ("api/CMakeLists.txt: no line", {"api/CMakeLists.txt": "project(a)\n"}),
]
GOOD = [
    {"core/a.cpp": "// " + TAG + "\nint x;\n", "web/preact.js": "minified\n"},
    {"tests/a.py": "#!/usr/bin/env python3\n# " + TAG + "\n", "tests/__init__.py": ""},
    {"tests/openapi/node_modules/a.js": "x\n", "tests/fixtures/a.js": "x\n"},
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
