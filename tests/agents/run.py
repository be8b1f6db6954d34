#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs real agents against a scripted model and a real daemon, and says what each of them does under Headway.

    HEADWAY_BINARY=build/dev/headway python3 tests/agents/run.py [AGENT...] [--only BEHAVIOUR] [--write]
"""
import argparse
import contextlib
import json
import os
import signal
import sys
import time

import table
from agents import AGENTS, BY_NAME
from night_cases import CASES
from packages import Away, ensure
from world import HANGS, World

CASE_SECONDS = 420  # of the longest one, with an agent that hangs


class Late(Exception):
    pass


def too_late(*_):
    raise Late(f"the case took more than {CASE_SECONDS} s")


class Cells:
    """The cells of one case. A cell that was not reached has failed."""

    def __init__(self, behaviours):
        self.found = {behaviour: {"ok": False, "says": "not reached"} for behaviour in behaviours}

    @contextlib.contextmanager
    def __call__(self, behaviour: str):
        said = []
        try:
            yield said.append
        except Late:
            self.found[behaviour] = {"ok": False, "says": f"hangs: more than {CASE_SECONDS} s"}
            raise
        except Exception as error:  # pylint: disable=broad-except  # whatever breaks in a case is that cell's failure
            self.found[behaviour] = {"ok": False, "says": f"{'' if isinstance(error, AssertionError) else type(error).__name__ + ': '}{error}"}
        else:
            self.found[behaviour] = {"ok": True, "says": said[-1] if said else "yes"}


def play(agent, programs, case) -> dict:
    """One case with one agent: its cells."""
    cells = Cells([b for b in case.behaviours if b not in agent.cannot])
    world = World(agent, programs, case.__name__, case.settings, case.by_url, case.test_clock)
    signal.alarm(CASE_SECONDS)
    try:
        world.start()
        case(world, cells)
    except (Late, AssertionError, OSError, ValueError) as error:
        for cell in cells.found.values():
            if cell["says"] == "not reached":
                cell["says"] = f"not reached: {error if isinstance(error, AssertionError) else type(error).__name__}"
    finally:
        signal.alarm(0)
        world.close()
    return cells.found


def run_agent(agent, programs, only) -> dict:
    cells = {}
    for behaviour, why in agent.cannot.items():
        cells[behaviour] = {"ok": None, "says": f"no: {why}"}
    for case in CASES:
        wanted = [b for b in case.behaviours if b not in agent.cannot and (not only or b in only or case.__name__ in only)]
        if not wanted:
            continue
        if case.by_url and agent.by_url_only:
            cells.update({b: {"ok": None, "says": "the same"} for b in wanted})
            continue
        began = time.monotonic()
        found = play(agent, programs, case)
        if any(HANGS in cell["says"] for cell in found.values()):  # agents do so now and then, whatever they report to
            print(f"again {agent.name} {case.__name__}: {HANGS}", flush=True)
            found = play(agent, programs, case)
        for behaviour, cell in found.items():
            cells[behaviour] = cell
            word = "ok  " if cell["ok"] else "FAIL"
            print(f"{word} {agent.name:9} {behaviour}: {cell['says']}  ({time.monotonic() - began:.0f} s)", flush=True)
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(BY_NAME))
    parser.add_argument("--only", action="append", help="only this behaviour, or the case of this name; repeatable")
    parser.add_argument("--write", action="store_true", help="write the table of all results so far into docs/agents/README.md")
    options = parser.parse_args()
    unknown = [name for name in options.agents if name not in BY_NAME]
    if unknown:
        parser.error(f"no agent {' '.join(unknown)}; there are: {' '.join(BY_NAME)}")
    signal.signal(signal.SIGALRM, too_late)
    failed = []
    for agent in [BY_NAME[name] for name in options.agents] or AGENTS:
        if agent.asks_first and os.environ.get(agent.asks_first) != "1":
            print(f"skip {agent.name}: its terms want a person's consent; {agent.asks_first}=1 gives it")
            continue
        try:
            programs = ensure(agent)
        except Away as error:
            print(f"skip {agent.name}: {error}")
            continue
        cells = run_agent(agent, programs, options.only)
        table.keep(agent, cells)
        failed += [f"{agent.name}: {behaviour}: {cell['says']}" for behaviour, cell in cells.items() if cell["ok"] is False]
    if options.write:
        table.write()
    print(json.dumps({"failed": len(failed)}) if not failed else "\n".join(["", "failed:", *failed]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
