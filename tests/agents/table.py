# SPDX-License-Identifier: Apache-2.0
"""The results of all runs so far, and the table of them in docs/agents/README.md."""
import json

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


def cells_of(table: str) -> dict:
    """Results on the page: by the title of the column, which has the version, and the behaviour."""
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines() if line.startswith("|")]
    if len(rows) < 3:
        return {}
    titles = rows[0][-len(rows[2]) + 1:] if len(rows[0]) != len(rows[2]) else rows[0][1:]
    return {(title, row[0]): cell for row in rows[2:] for title, cell in zip(titles, row[1:])}


def rendered(page: str) -> str:
    """One row for each behaviour: cells hold words, and nine columns of them are as many as a page takes. A cell that was not run
    here keeps what the page says of the same version."""
    found, older = results(), cells_of(page)
    agents = [agent for agent in AGENTS
              if agent.name in found or any(title.startswith(agent.title + " ") for title, _ in older)]
    titles = {}
    for agent in agents:
        known = [title for title, _ in older if title.startswith(agent.title + " ")]
        titles[agent.name] = f"{agent.title} {found[agent.name]['version']}" if agent.name in found else known[0]

    def cell(agent, behaviour) -> str:
        run = found.get(agent.name, {"cells": {}})["cells"].get(behaviour)
        return short(run) if run is not None else older.get((titles[agent.name], behaviour), "not run")

    head = ["", *[titles[agent.name] for agent in agents]]
    lines = [head, ["---"] * len(head)]
    lines += [[behaviour, *[cell(agent, behaviour) for agent in agents]] for case in CASES for behaviour in case.behaviours]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write():
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE} has no lines {BEGIN} and {END}")
    PAGE.write_text(f"{before}{BEGIN}\n{rendered(table)}\n{END}{after}", encoding="utf-8")
    print(f"wrote the table into {PAGE.relative_to(PROJECT)}")
