#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of simple rules for stuck agents on recordings with labels, to be read beside `headway eval`.

    bench/baselines.py DIR --labels labels.csv

DIR holds *.jsonl as `headway eval` reads them. Alarms are counted once a session, whenever they come.
"""
import argparse
import csv
import json
import pathlib


def in_a_row(keys: list) -> int:
    longest = run = 0
    for i, key in enumerate(keys):
        run = run + 1 if i and key == keys[i - 1] else 1
        longest = max(longest, run)
    return longest


def call_key(event: dict) -> str:
    return json.dumps([event.get("tool"), event.get("args_hash") or event.get("args")], sort_keys=True)


class Session:
    def __init__(self, path: pathlib.Path):
        events = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        calls = [e for e in events if e.get("type") == "tool_call"]
        times = [e["ts"] for e in events if isinstance(e.get("ts"), (int, float))]
        self.calls = len(calls)
        self.same_call = in_a_row([call_key(e) for e in calls])
        self.same_outcome = in_a_row([call_key(e) + str(e.get("result_hash") or e.get("result")) + str(e.get("error"))
                                      for e in calls])
        self.timed = len(times) > 1
        self.seconds = max(times) - min(times) if self.timed else 0
        self.silence = max((b - a for a, b in zip(times, times[1:])), default=0)


RULES = {
    "the same call 3 times in a row": lambda s: s.same_call >= 3,
    "the same call 5 times in a row": lambda s: s.same_call >= 5,
    "the same call with the same result 3 times in a row": lambda s: s.same_outcome >= 3,
    "more than 25 calls": lambda s: s.calls > 25,
    "more than 50 calls": lambda s: s.calls > 50,
    "nothing for 60 s": lambda s: s.silence > 60,
    "longer than 300 s": lambda s: s.seconds > 300,
}
TIMED = {"nothing for 60 s", "longer than 300 s"}


def share(sessions: list, rule) -> str:
    hit = sum(rule(s) for s in sessions)
    return f"{hit} of {len(sessions)}" + (f" ({100 * hit / len(sessions):.0f} %)" if sessions else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    options = parser.parse_args()
    loops, successes = [], []
    for row in csv.DictReader(options.labels.open()):
        path = options.folder / row["file"]
        if not path.exists() or "yes" != row["loop"] and row["outcome"] != "success":
            continue
        session = Session(path)
        if row["loop"] == "yes":
            loops.append(session)
        elif row["outcome"] == "success":
            successes.append(session)
    print("| rule | loops found | successes stopped |\n|---|---|---|")
    for name, rule in RULES.items():
        seen = [(s for s in group if s.timed or name not in TIMED) for group in (loops, successes)]
        print(f"| {name} | {share(list(seen[0]), rule)} | {share(list(seen[1]), rule)} |")


if __name__ == "__main__":
    main()
