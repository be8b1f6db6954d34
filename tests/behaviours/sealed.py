#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes 120 behaviours of agents as event streams: `sealed.py OUT` makes OUT/<legit|stuck>-<name>.jsonl.

Each line is an element of the body of POST /v1/sessions/{id}/events; a line {"ack": true} stands for the
directive.acknowledged of the newest change_approach directive. There are no times: events follow one another. The same
files come out of every run. The set was written from the README and the API reference alone; see README.md.
"""

import pathlib
import sys

import sealed_legit
import sealed_stuck
from sealed_common import BEHAVIOURS, Session


def sessions():
    """Label, name and session of each behaviour."""
    assert sealed_legit and sealed_stuck
    for label, entries in BEHAVIOURS.items():
        for function, dialect in entries:
            session = Session(f"{label}-{function.__name__}", dialect)
            function(session)
            yield label, function.__name__, session


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: sealed.py OUT")
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for label, name, session in sessions():
        (out / f"{label}-{name.replace('_', '-')}.jsonl").write_text(session.lines(), encoding="utf-8")


if __name__ == "__main__":
    main()
