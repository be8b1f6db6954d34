#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requirements of a headway-hook that starts in a millisecond: no interpreter, no shared library, below 1.5 MB without symbols.

    python3 tests/arch/static.py build/dev/headway-hook
"""
import argparse
import subprocess
import sys
import tempfile

BYTES_MAX = 1_500_000


def readelf(path: str, *options: str) -> str:
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True, check=True).stdout


def findings(path: str) -> list:
    found = []
    if "INTERP" in readelf(path, "-l"):
        found.append("it names an interpreter")
    if "(NEEDED)" in readelf(path, "-d"):
        found.append("it needs shared libraries")
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, path], check=True)
        with open(stripped.name, "rb") as file:
            size = len(file.read())
    if size > BYTES_MAX:
        found.append(f"it has {size} bytes without symbols, more than {BYTES_MAX}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--self-test", action="store_true")
    asked = parser.parse_args()
    if asked.self_test:
        wrong = len(findings(sys.executable)) == 0  # Debian's has both
        print(f"self-test: {int(wrong)} judged wrong")
        return int(wrong)
    found = findings(asked.binary)
    print("\n".join(f"{asked.binary}: {finding}" for finding in found) or "clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
