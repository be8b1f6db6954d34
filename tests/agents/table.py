# SPDX-License-Identifier: Apache-2.0
"""The results of all runs so far, and the table of them in docs/agents/README.md."""
import json

import columns
from agents import AGENTS
from night_cases import CASES
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


def rendered(page: str) -> str:
    """A cell that was not run here keeps what the page says of the same version."""
    found, older = results(), columns.read(page)
    agents = [agent for agent in AGENTS
              if agent.name in found or any(title.startswith(agent.title + " ") for title, _ in older)]
    titles = {}
    for agent in agents:
        known = [title for title, _ in older if title.startswith(agent.title + " ")]
        titles[agent.name] = f"{agent.title} {found[agent.name]['version']}" if agent.name in found else known[0]

    def cell(agent, behaviour) -> str:
        run = found.get(agent.name, {"cells": {}})["cells"].get(behaviour)
        return short(run) if run is not None else older.get((titles[agent.name], behaviour), "not run")

    rows = {behaviour: [cell(agent, behaviour) for agent in agents] for case in CASES for behaviour in case.behaviours}
    return columns.render([titles[agent.name] for agent in agents], {name: cells for name, cells in rows.items() if set(cells) != {"not run"}})


def write():
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE} has no lines {BEGIN} and {END}")
    PAGE.write_text(f"{before}{BEGIN}\n{rendered(table)}\n{END}{after}", encoding="utf-8")
    print(f"wrote the table into {PAGE.relative_to(PROJECT)}")
