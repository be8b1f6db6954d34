#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes behaviours of agents as event streams: `sealed.py OUT` makes OUT/<legit|stuck>-<name>.jsonl, 120 files.

`sealed.py --second OUT` writes the second set, 100 files, and `--third` the third, 120 files. Each line is an element of
the body of POST /v1/sessions/{id}/events; a line {"ack": true} stands for the directive.acknowledged of the newest
change_approach directive. There are no times: events follow one another. The same files come out of every run. The sets
were written from the README and the API reference alone; see README.md.
"""

import pathlib
import sys

import sealed_legit
import sealed_stuck
import second_legit
import second_stuck
import third_legit
import third_legit_2
import third_legit_3
import third_stuck
import third_stuck_2
import third_stuck_3
from sealed_common import BEHAVIOURS, SECOND, Session
from third_common import THIRD, Agent


def sessions(registry=BEHAVIOURS, seed="headway-sealed-1", kind=Session):
    """Label, name and session of each behaviour."""
    assert sealed_legit and sealed_stuck and second_legit and second_stuck
    assert third_legit and third_legit_2 and third_legit_3 and third_stuck and third_stuck_2 and third_stuck_3
    for label, entries in registry.items():
        for function, dialect in entries:
            session = kind(f"{label}-{function.__name__}", dialect, seed)
            function(session)
            yield label, function.__name__, session


SETS = {"--second": (SECOND, "headway-sealed-2", Session), "--third": (THIRD, "headway-sealed-3", Agent)}


def main():
    args = sys.argv[1:]
    chosen = SETS[args.pop(0)] if args and args[0] in SETS else ()
    if len(args) != 1 or args[0].startswith("-"):
        sys.exit("usage: sealed.py [--second | --third] OUT")
    out = pathlib.Path(args[0])
    out.mkdir(parents=True, exist_ok=True)
    for label, name, session in sessions(*chosen):
        (out / f"{label}-{name.replace('_', '-')}.jsonl").write_text(session.lines(), encoding="utf-8")


if __name__ == "__main__":
    main()
