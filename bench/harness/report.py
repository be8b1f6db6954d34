# SPDX-License-Identifier: Apache-2.0
"""Numbers to tables: min, median and max over the rounds, ratios taken round by round, Markdown and JSON."""
import json
import os
import pathlib
import platform
import statistics
import subprocess
import time


OTHERS_BUSY_MAX = 0.15  # of one core; the kernel's writing to disk is in it


def spread(values) -> dict:
    values = list(values)
    return {"min": round(min(values), 4), "median": round(statistics.median(values), 4), "max": round(max(values), 4)}


class Case:
    """One line of a table: what was measured, once per round."""

    def __init__(self, name: str, unit: str = "req_per_s"):
        self.name, self.unit, self.rounds, self.ratios = name, unit, [], {}

    def ratio_to(self, key: str, other: "Case") -> None:
        """Round by round: the rounds are interleaved, so what disturbed one disturbed its neighbour."""
        pairs = zip(self.rounds, other.rounds)
        self.ratios[f"ratio_to_{key}"] = spread(a[self.unit] / b[other.unit] for a, b in pairs)

    def summary(self) -> dict:
        keys = ("req_per_s", "events_per_s", "p50_us", "p99_us", "max_us", "cpu_us_per_req", "client_busy")
        numbers = {k: spread(r[k] for r in self.rounds) for k in keys if all(k in r for r in self.rounds)}
        return {"name": self.name} | numbers | self.ratios | {"rounds": self.rounds}


def thousands(value: float) -> str:
    return f"{value / 1000:.1f} k" if value >= 1000 else f"{value:.1f}"


def three(numbers: dict, form) -> str:
    return f"{form(numbers['min'])} / **{form(numbers['median'])}** / {form(numbers['max'])}"


def milliseconds(microseconds: float) -> str:
    return f"{microseconds / 1000:.2f}"


def table(title: str, cases: list, rate_name: str = "requests/s", ratios=("bare_beast", "bare_durable", "nginx", "redis")) -> str:
    """A Markdown table; every cell with three numbers is min / median / max over the rounds."""
    shown = [r for r in ratios if any(f"ratio_to_{r}" in c.ratios for c in cases)]
    head = [title, rate_name, "p50 ms", "p99 ms", "CPU us each", "client busy"] + ["x " + r.replace("_", " ") for r in shown]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for case in cases:
        s = case.summary()
        cells = [case.name, three(s[case.unit], thousands), milliseconds(s["p50_us"]["median"]),
                 three(s["p99_us"], milliseconds), f"{s['cpu_us_per_req']['median']:.2f}",
                 f"{s['client_busy']['median']:.0%}" if "client_busy" in s else ""]
        for r in shown:
            ratio = s.get(f"ratio_to_{r}")
            cells.append(three(ratio, lambda v: f"{v:.2f}") if ratio else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def facts(title: str, rows: list) -> str:
    lines = [f"| {title} | |", "|---|---|"] + [f"| {name} | {value} |" for name, value in rows]
    return "\n".join(lines) + "\n"


def bar(name: str, reached: float, limit: float, at_least: bool = True, why: str = "") -> dict:
    met = reached >= limit if at_least else reached <= limit
    return {"bar": name, "reached": round(reached, 4), "limit": limit, "met": met, "why": why}


def bars_text(bars: list) -> str:
    lines = ["| bar | limit | reached | | why |", "|---|---|---|---|---|"]
    for b in bars:
        lines.append(f"| {b['bar']} | {b['limit']:,} | {b['reached']:,} | {'met' if b['met'] else '**missed**'} | {b['why']} |")
    return "\n".join(lines) + "\n"


def disturbed_text(sections: dict) -> str:
    """Says in how many runs something else was busy on this machine; such a round says little."""
    runs = [r for cases in sections.values() for c in cases for r in c["rounds"]]
    disturbed = sum(r["others_busy"] > OTHERS_BUSY_MAX for r in runs)
    if not disturbed:
        return ""
    return (f"NOTE: in {disturbed} of {len(runs)} runs other processes used more than {OTHERS_BUSY_MAX:.0%} of a core: "
            "trust the median, or measure again on a quiet machine.\n")


def headline(case: Case) -> dict:
    """The numbers a script looks for first."""
    s = case.summary()
    return {k: v for k, v in s.items() if k != "rounds"}


def _first_line(command: list) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip().splitlines()[0]
    except (OSError, IndexError):
        return "?"


def machine(root: pathlib.Path) -> dict:
    cpu = "?"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    return {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "cpu": cpu, "cores": os.cpu_count(),
            "kernel": platform.release(), "load_at_start": os.getloadavg()[0],
            "commit": _first_line(["git", "-C", str(root), "describe", "--always", "--dirty"]),
            "compiler": _first_line(["g++", "--version"]), "nginx": _first_line(["/usr/sbin/nginx", "-v"]),
            "redis": _first_line(["redis-server", "--version"]), "wrk": _first_line(["wrk", "-v"])}


def write_json(path: pathlib.Path, document: dict) -> None:
    path.write_text(json.dumps(document, indent=2) + "\n")
