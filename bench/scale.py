#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several daemons over one PostgreSQL beside one on SQLite: rate, p99, the database's share of the CPU, conflicts.

    ./dev bench scale [--rounds 3] [--seconds 4] [--connections 64] [--json FILE]

All run on this machine at once, clients too, so more daemons are not faster here: the table says what one machine's database
takes, and what it costs. Each daemon has a load generator of its own. `hashed`: no session is at two daemons. `round robin`: every
session is at all of them at the same time.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from harness.load import EVENT_WITH_ID
from harness.servers import TICKS_PER_SECOND, free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
POSTGRES = ROOT / "tests" / "support" / "postgres_server.py"


class Daemon:
    def __init__(self, build, folder, store):
        self.port = free_port()
        folder.mkdir(parents=True)
        command = [str(build / "headway"), "serve", "--listen", f"127.0.0.1:{self.port}", "--state-dir", str(folder)]
        self.log = (folder / "log").open("w", encoding="utf-8")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HEADWAY_")}
        self.process = subprocess.Popen(command + (["--store", store] if store else []), stdout=self.log, stderr=self.log, env=clean)
        for _ in range(400):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1).read()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"bench: the daemon did not start; see {folder}/log")

    def cpu(self):
        return cpu_of([self.process.pid])

    def figure(self, name):
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5).read().decode()
        found = re.search(rf"^{name} (\S+)$", text, re.M)
        return float(found.group(1)) if found else 0.0

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def cpu_of(pids):
    used = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            used += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return used / TICKS_PER_SECOND


def postgres_cpu(folder):
    """CPU time of the server and its processes, also of those that have ended."""
    parent = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    fields = pathlib.Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()
    children = [int(p) for p in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return sum(int(fields[i]) for i in (11, 12, 13, 14)) / TICKS_PER_SECOND + cpu_of(children)


def load(options, daemons, target, batch):
    """All daemons at once; the sum of their rates, and the worst p99."""
    each = max(1, options.connections // len(daemons)) if batch == 1 else max(1, 8 // len(daemons))
    running = []
    for number, daemon in enumerate(daemons):
        command = [str(options.build / "bench" / "loadgen"), "http", "--port", str(daemon.port), "--seconds", str(options.seconds),
                   "--connections", str(each), "--target", target(number), "--body", EVENT_WITH_ID, "--batch", str(batch),
                   "--first-id", str(load.next_id)]
        load.next_id += 1_000_000_000
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    reports = [json.loads(one.communicate()[0]) for one in running]
    bad = {k: v for one in reports for k, v in one["bad_status"].items()}
    return {"events_per_s": sum(one["events_per_s"] for one in reports), "p50_ms": max(one["p50_us"] for one in reports) / 1000,
            "p99_ms": max(one["p99_us"] for one in reports) / 1000, "bad": bad}


load.next_id = 1


def measure(options, name, daemons, folder, shared, batch):
    rounds = []
    for number in range(options.rounds):
        run = f"{re.sub('[^a-z0-9]', '', name)}-{batch}-{number}"
        def target(daemon, run=run):
            return f"/v1/sessions/{run}-{'all' if shared else daemon}-{{conn}}/events"
        before = [sum(d.cpu() for d in daemons), postgres_cpu(folder) if folder else 0.0,
                  sum(d.figure("headway_store_conflicts_total") for d in daemons), time.monotonic()]
        one = load(options, daemons, target, batch)
        wall = time.monotonic() - before[3]
        one["daemons_cpu"] = (sum(d.cpu() for d in daemons) - before[0]) / wall
        one["database_cpu"] = ((postgres_cpu(folder) if folder else 0.0) - before[1]) / wall
        one["conflicts_per_s"] = (sum(d.figure("headway_store_conflicts_total") for d in daemons) - before[2]) / wall
        if one["bad"]:
            print(f"bench: WARNING: {name}: {one['bad']}", file=sys.stderr)
        rounds.append(one)
    middle = {key: statistics.median(r[key] for r in rounds) for key in rounds[0] if key != "bad"}
    middle["events_range"] = [min(r["events_per_s"] for r in rounds), max(r["events_per_s"] for r in rounds)]
    return {"name": name, "batch": batch, **middle}


def line(row):
    low, high = row["events_range"]
    return (f"| {row['name']} | {row['batch']} | {low:,.0f} / **{row['events_per_s']:,.0f}** / {high:,.0f} | {row['p50_ms']:.1f} | "
            f"{row['p99_ms']:.1f} | {row['daemons_cpu']:.2f} | {row['database_cpu']:.2f} | {row['conflicts_per_s']:,.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    place = pathlib.Path(tempfile.mkdtemp(prefix="headway-scale-", dir="/tmp"))
    place.chmod(0o755)
    folder = place / "pg"
    rows, running = [], []
    try:
        for batch in (1, 100):
            running = [Daemon(options.build, place / f"sqlite-{batch}", "")]
            rows.append(measure(options, "1 daemon, SQLite", running, None, False, batch))
            running.pop().stop()
        said = subprocess.run([sys.executable, POSTGRES, "start", folder, "--durable"], stdout=subprocess.PIPE, text=True, check=True)
        url = said.stdout.strip().splitlines()[-1]
        for count in (1, 2, 3):
            for shared in ([False] if count == 1 else [False, True]):
                name = f"{count} daemon{'s' if count > 1 else ''}" + ("" if count == 1 else ", round robin" if shared else ", hashed")
                running = [Daemon(options.build, place / f"d{count}{shared}{i}", url) for i in range(count)]
                for batch in (1, 100):
                    rows.append(measure(options, name, running, folder, shared, batch))
                while running:
                    running.pop().stop()
    finally:
        for daemon in running:
            daemon.stop()
        subprocess.run([sys.executable, POSTGRES, "stop", folder], check=False, stdout=subprocess.DEVNULL)
        shutil.rmtree(place, ignore_errors=True)
    print("| | events a request | events/s, min / **median** / max | p50 ms | p99 ms | cores: daemons | cores: PostgreSQL | conflicts/s |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(line(row) for row in rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
