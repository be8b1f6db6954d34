#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of the shell client: `hw_tool bash -- :` under the shell that /bin/sh is."""
import json
import os
import pathlib
import subprocess
import sys

CALLS = max(20, (int(sys.argv[1]) if len(sys.argv) > 1 else 2000) // 40)
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "clients/sh/headway.sh"
# The clock of the kernel by a builtin of the shell, so in hundredths of a second; a process of its own would be most of what is measured.
LOOP = """. "$1"
hw_start measure
i=0
while [ $i -lt $2 ]; do
    hw_tool bash -- : $i
    i=$((i + 1))
    read -r now _ </proc/uptime
    echo "$now"
done
hw_end
"""
MANY = 50  # calls without a daemon in one tick


def times(url: str, calls: int) -> list:
    done = subprocess.run(["sh", "-c", LOOP, "sh", str(SCRIPT), str(calls)], env={**os.environ, "HEADWAY_URL": url}, capture_output=True, text=True, check=True)
    moments = [float(line) for line in done.stdout.split()]
    return [b - a for a, b in zip(moments, moments[1:])]


def row(daemon: bool, found: list, calls: int):
    found.sort()
    print(json.dumps({"client": "POSIX sh", "daemon": daemon, "median_us": round(found[len(found) // 2] * 1e6, 1),
                      "p99_us": round(found[int(len(found) * 0.99)] * 1e6, 1), "calls": calls}))


if __name__ == "__main__":
    away = times("http://127.0.0.1:9", CALLS * MANY)[MANY:]
    # One tick is longer than a call: means of many.
    row(False, [sum(away[i:i + MANY]) / MANY for i in range(0, len(away) - MANY, MANY)], len(away))
    if os.environ.get("HEADWAY_URL"):
        row(True, times(os.environ["HEADWAY_URL"], CALLS), CALLS)
