#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over our own .cpp files (tests excepted), as many at a time as there are cores.

A file that was clean is not checked again until it, a header of ours that it includes, .clang-tidy or its compile
command changes. A file that takes longer than the limit is reported as not checked and fails the run.

With --minutes it takes up the most recently committed files first, until that time has passed, and says how many it did
not come to.

Usage: tidy.py BUILD_DIR... [--seconds-per-file N] [--minutes N] [--all]. The first directory that knows a file says how to compile it.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
FOLDERS = ("agents", "api", "bench", "cli", "config", "core", "hook", "server", "storage", "system")


def closure(path: pathlib.Path, seen: set) -> None:
    """Adds `path` and the headers of ours that it reaches to `seen`."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        closure(ROOT / name, seen)


def fingerprint(entry: dict) -> str:
    files: set = set()
    closure(pathlib.Path(entry["file"]), files)
    digest = hashlib.sha256(entry.get("command", "").encode())
    for path in sorted(files | {ROOT / ".clang-tidy"}):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def newest_first() -> dict:
    """The place of each committed file among them, the last changed first; empty outside a git checkout."""
    log = subprocess.run(["git", "log", "--format=", "--name-only"], cwd=ROOT, capture_output=True, text=True, check=False)
    places: dict = {}
    for name in log.stdout.splitlines() if log.returncode == 0 else ():
        places.setdefault(ROOT / name, len(places))
    return places


def check(entry: dict, build: pathlib.Path, seconds: int) -> str:
    """The findings in one file; empty when it is clean."""
    command = ["clang-tidy-14", "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option",
               # Flag -ftrivial-auto-var-init=zero, which g++ just takes.
               "--extra-arg=-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang", entry["file"]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"not checked: longer than {seconds} s"
    noise = re.compile(r"^\d+ warnings? generated\.\n", re.M)
    return "" if done.returncode == 0 else noise.sub("", done.stdout + done.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, nargs="+")
    parser.add_argument("--seconds-per-file", type=int, default=180)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--all", action="store_true", help="check files that were clean, too")
    arguments = parser.parse_args()

    entries, builds = {}, {}
    for build in arguments.build:
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = pathlib.Path(entry["file"])
            ours = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS
            if ours and path not in entries:
                entries[path], builds[path] = entry, build
    clean_dir = arguments.build[0] / "tidy"
    clean_dir.mkdir(exist_ok=True)
    marks = {path: clean_dir / fingerprint(entry) for path, entry in entries.items()}
    todo = [path for path in sorted(entries) if arguments.all or not marks[path].exists()]

    if arguments.minutes != float("inf"):
        newest = newest_first()
        todo.sort(key=lambda path: newest.get(path, len(newest)))
    end = time.monotonic() + 60 * arguments.minutes

    def check_in_time(path: pathlib.Path):
        """None when the time is over."""
        return None if time.monotonic() > end else check(entries[path], builds[path], arguments.seconds_per_file)

    bad = left = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(check_in_time, p): p for p in todo}
        for job in concurrent.futures.as_completed(jobs):
            path, findings = jobs[job], job.result()
            if findings is None:
                left += 1
            elif findings:
                bad += 1
                print(f"{path.relative_to(ROOT)}:\n{findings}", flush=True)
            else:
                marks[path].touch()
    print(f"clang-tidy: {len(todo) - left} of {len(entries)} files checked, {bad} with findings" +
          (f"; no time for {left} others" if left else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
