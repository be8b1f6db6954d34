#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time that supervision adds to a call of a tool that does nothing, by client, with a daemon and without one.

    ./dev bench clients [--calls 2000] [--only python] [--json FILE]

Each client has a script here. It gets the number of calls as its argument and the daemon in HEADWAY_URL, makes calls at an
address where there is none and then at the daemon, and prints a line of JSON for each row: {"client":"python","daemon":true,
"median_us":510.0,"p99_us":1900.0,"calls":2000}. A script whose interpreter or parts are missing is left out, with a word.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INTERPRETERS = {".py": [sys.executable, "-B"], ".mjs": ["node"]}


def daemon(binary: str, folder: str):
    """A daemon on a free port, and its URL."""
    ports = pathlib.Path(folder) / "ports.json"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWAY_")}
    process = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0", "--state-dir", f"{folder}/state", "--ports-file", str(ports)],
                               env=clean, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if not process.stdout.readline():
        raise SystemExit("bench: the daemon did not start")
    return process, "http://" + json.loads(ports.read_text(encoding="utf-8"))["http"]


def rows_of(command: list, calls: int, url: str) -> list:
    done = subprocess.run([*command, str(calls)], env={**os.environ, "HEADWAY_URL": url}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"bench: {command[-1]} is left out: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def programs() -> list:
    found = [[*INTERPRETERS[path.suffix], str(path)] for path in sorted(HERE.iterdir()) if path.suffix in INTERPRETERS and path.name != "run.py"]
    return [command for command in found if shutil.which(command[0]) or print(f"bench: no {command[0]}: {command[-1]} is left out", file=sys.stderr)]


def table(rows: list):
    names = list(dict.fromkeys(row["client"] for row in rows))
    print("milliseconds a call, median / p99\n\n| client | with the daemon | without it |\n|---|---|---|")
    for name in names:
        cells = []
        for there in (True, False):
            row = next((r for r in rows if r["client"] == name and r["daemon"] is there), None)
            cells.append(f"{row['median_us'] / 1000:.3f} / {row['p99_us'] / 1000:.3f}" if row else "-")
        print(f"| {name} | {cells[0]} | {cells[1]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--only", default="", help="only scripts whose name has this in it")
    parser.add_argument("--json", help="a file for the rows")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headway-bench-") as folder:
        process, url = daemon(str(pathlib.Path(asked.build).resolve() / "headway"), folder)
        try:
            rows = [row for command in programs() if asked.only in pathlib.Path(command[-1]).name
                    for row in rows_of(command, asked.calls, url)]
        finally:
            process.terminate()
            process.wait()
    table(rows)
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
