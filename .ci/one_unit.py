#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles all sources of each library and test program as one unit, without code; the builds do so with a dozen at a time.

In one unit, two names in two anonymous namespaces are one name. Which files meet in a unit of a build depends on how many
there are, so no two files of a library or program may clash.

Usage: one_unit.py BUILD_DIR, one that compiles each file by itself
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TARGET = re.compile(r" -o (?:\S*/)?CMakeFiles/(\w+)\.dir/")
LIBRARIES = {f"headway_{name}" for name in ("core", "system", "storage", "api", "config", "cli", "server", "hook")}


def targets(build: pathlib.Path) -> dict:
    """The compile commands of each library and program of several sources."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if (target := TARGET.search(entry["command"])) and "/fuzz/" not in entry["file"]:
            found.setdefault(target[1], []).append(entry)
    return {name: entries for name, entries in found.items() if len(entries) > 1}


def check(target: str, entries: list, folder: pathlib.Path) -> list:
    """The errors, a line each."""
    unit = folder / f"{target}.cpp"
    unit.write_text("".join(f'#include "{entry["file"]}"\n' for entry in entries), encoding="utf-8")
    command = entries[0]["command"].split(" -o ")[0]
    command = re.sub(r"^\S*ccache ", "", command) + f" -Wno-unused-function -fsyntax-only {unit}"
    done = subprocess.run(command, shell=True, cwd=entries[0]["directory"], capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    return errors or ([done.stderr.strip() or f"exit status {done.returncode}"] if done.returncode else [])


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__.rsplit("\n\n", 1)[1].strip())
    found = targets(pathlib.Path(sys.argv[1]))
    if missing := LIBRARIES - found.keys():
        sys.exit(f"one_unit: {sys.argv[1]} does not have {sorted(missing)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(folder)
        largest = sorted(found.items(), key=lambda item: -len(item[1]))
        checks = {name: pool.submit(check, name, entries, folder) for name, entries in largest}
        for name, done in checks.items():
            for error in done.result():
                failed += 1
                print(f"{name}: {error}")
    if failed:
        print("one_unit: give the second of two equal names another one, or put what both need in one place")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
