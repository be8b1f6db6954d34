# SPDX-License-Identifier: Apache-2.0
"""The results of all runs so far, and the table of them in docs/agents/README.md."""
import json

from agents import AGENTS
from trouble_cases import CASES
from packages import PROJECT, ROOT

RESULTS = ROOT / "results.json"
PAGE = PROJECT / "docs/agents/README.md"
BEGIN, END = "<!-- results: ./dev agents --write -->", "<!-- results end -->"


def results() -> dict:
    try:
        return json.loads(RESULTS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def keep(agent, cells: dict):
    """Puts these cells in the place of older ones; those of another version are of no use any more."""
    found = results()
    before = found.get(agent.name, {})
    older = before.get("cells", {}) if before.get("version") == agent.version else {}
    found[agent.name] = {"version": agent.version, "cells": {**older, **cells}}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=1), encoding="utf-8")


def short(cell) -> str:
    if cell is None:
        return "not run"
    says = " ".join(cell["says"].replace("|", "/").split())
    return says if cell["ok"] is not False else f"**fails**: {says[:120]}"


def rendered() -> str:
    """One row for each behaviour: cells hold words, and nine columns of them are as many as a page takes."""
    found = results()
    agents = [agent for agent in AGENTS if agent.name in found]
    head = ["", *[f"{agent.title} {found[agent.name]['version']}" for agent in agents]]
    lines = [head, ["---"] * len(head)]
    for case in CASES:
        for behaviour in case.behaviours:
            lines.append([behaviour, *[short(found[agent.name]["cells"].get(behaviour)) for agent in agents]])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write():
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE} has no lines {BEGIN} and {END}")
    PAGE.write_text(f"{before}{BEGIN}\n{rendered()}\n{END}{after}", encoding="utf-8")
    print(f"wrote the table into {PAGE.relative_to(PROJECT)}")
