#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds, CPU and memory of `headway scan` over a home that make_home.py makes, beside ccusage, which only counts tokens.

Each round runs every program once, another one first each time. `again` is a second scan with its cache. ccusage is a whole command, as in
--ccusage "20=node_modules/.bin/ccusage claude daily --offline --json"; it may stand several times (18: without `claude`)."""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(command: list, home: Path, patience: int) -> dict:
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "COLUMNS": "120"}
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        environment.pop(name, None)
    begin = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if process.returncode != 0 or seconds > patience:
        sys.exit(f"{shlex.join(command)}: exit {process.returncode} after {seconds:.0f} s")
    return {"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "rss": used.ru_maxrss / 1024, "output": output}


def tokens_of(output: bytes) -> int:
    told = json.loads(output)
    return told["all"]["tokens"] if "all" in told else told["totals"]["totalTokens"]


def bytes_of(home: Path) -> int:
    return sum(file.stat().st_size for file in home.rglob("*.jsonl"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headway", default="build/release/headway")
    parser.add_argument("--home", type=Path, default=Path("build/scan_home"), help="made if it is not there")
    parser.add_argument("--megabytes", type=int, default=3_000)
    parser.add_argument("--agent", action="append")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ccusage", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--patience", type=int, default=3_600)
    options = parser.parse_args()
    if not options.home.exists():
        agents = [word for agent in options.agent or ["claude"] for word in ("--agent", agent)]
        subprocess.run([sys.executable, HERE / "make_home.py", options.home, str(options.megabytes), *agents], check=True)
    scan = [options.headway, "scan", "--json"]
    programs = {"headway scan": [*scan, "--no-cache"], "again": scan}
    for named in options.ccusage:
        name, _, command = named.partition("=")
        programs["ccusage " + name] = shlex.split(command)
    subprocess.run(["find", options.home, "-exec", "touch", "-d", "2026-01-01", "{}", "+"], check=True)
    run(scan, options.home, options.patience)  # what again goes on from; and the page cache is warm for all
    size = bytes_of(options.home) / 1e6
    results = {name: [] for name in programs}
    names = list(programs)
    for number in range(options.rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            results[name].append(run(programs[name], options.home, options.patience))
    print(f"{size:.0f} MB, {options.rounds} rounds: median (min to max)")
    print(f"{'':16}{'seconds':>22}{'CPU s':>22}{'MB/s a core':>14}{'MB of memory':>14}  tokens")
    for name, rounds in results.items():
        seconds, cpu, memory = ([one[key] for one in rounds] for key in ("seconds", "cpu", "rss"))
        spread = [f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})" for values in (seconds, cpu)]
        print(f"{name:16}{spread[0]:>22}{spread[1]:>22}{size / statistics.median(cpu):>14.0f}{max(memory):>14.0f}  {tokens_of(rounds[0]['output'])}")


main()
