#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Headway side by side with a tuned bare Beast server, nginx and Redis, on this machine and in one go.

    ingest   single durable reports over keep-alive connections, and batches of 100
    read     GET /progress/{id}
    sse      one event to many subscribers
    judge    reports while a model is asked about 1,000 sessions at once
    readers  heartbeats beside clients that list, filter and replay all the time
    outbound heartbeats beside webhook messages to slow names over TLS
    recover  restart over a big journal, memory at start and with many sessions
    all      these seven

The servers run on one core and the load generator on another. bench/README.md says how to read the numbers.
"""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile

from harness import ingest, judge, outbound, read, readers, recover, report, sse
from harness.load import Client
from harness.servers import Headway

BENCHES = {"ingest": ingest, "read": read, "sse": sse, "judge": judge, "readers": readers, "outbound": outbound, "recover": recover}
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Context:
    """Requirements of a bench: options, the client, and servers that are gone when it ends."""

    def __init__(self, options, server_core: int, client_core: int):
        self.options, self.core = options, server_core
        parent = options.build / "bench-state"  # on the disk the build is on: /tmp may be memory
        parent.mkdir(exist_ok=True)
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=parent))
        self.client = Client(options.build, client_core, options.seconds, options.warmup)
        self.running = []

    def start(self, kind):
        server = kind(self.options.build, self.directory, self.core)
        self.running.append(server)
        server.start()
        return server

    def stop_all(self, wipe: bool = False) -> None:
        while self.running:
            server = self.running.pop()
            server.stop()
            if wipe:
                shutil.rmtree(server.directory, ignore_errors=True)

    def rounds(self):
        for number in range(self.options.rounds):
            print(f"  round {number + 1} of {self.options.rounds}", file=sys.stderr, flush=True)
            yield number

    @staticmethod
    def rotated(items: list, number: int) -> list:
        """Another one begins in each round, so that no place in the order is always the same server's."""
        k = number % len(items)
        return items[k:] + items[:k]

    def close(self) -> None:
        self.stop_all()
        if not self.options.keep:
            shutil.rmtree(self.directory, ignore_errors=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="BENCH", help=f"{', '.join(BENCHES)}; without a name all of them")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all numbers there")
    parser.add_argument("--rounds", type=int, default=5, help="per server, interleaved (default 5)")
    parser.add_argument("--seconds", type=float, default=3.0, help="measured per round and server (default 3)")
    parser.add_argument("--warmup", type=float, default=0.5, help="before it (default 0.5)")
    parser.add_argument("--connections", type=int, nargs="+", default=[64], help="ingest: e.g. 1 8 64 256")
    parser.add_argument("--clients", type=int, default=1000, help="sse: subscribers (default 1000)")
    parser.add_argument("--events", type=int, default=1_000_000, help="recover: size of the journal")
    parser.add_argument("--sessions", type=int, default=100_000, help="recover: sessions to open")
    parser.add_argument("--packaged", action="store_true", help="measure build/package/headway, the binary that is packaged")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true", help="leave the state directories in place")
    parser.add_argument("--check", action="store_true", help="exit 1 if a bar is missed")
    options = parser.parse_args()
    unknown = [name for name in options.what if name not in (*BENCHES, "all")]
    if unknown:
        parser.error(f"there is no bench {', '.join(unknown)}: choose from {', '.join(BENCHES)}")
    if not options.what or "all" in options.what:
        options.what = list(BENCHES)
    options.build = options.build.resolve()
    options.rounds = max(1, options.rounds)
    if options.packaged:
        Headway.folder = ROOT / "build" / "package"
    return options


def main() -> int:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        print("bench: only one core: server and client share it, and the numbers say little", file=sys.stderr)
    names = list(dict.fromkeys(options.what))
    machine, results = report.machine(ROOT), {}
    print(f"{machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}, {machine['commit']}; "
          f"{options.rounds} rounds of {options.seconds:g} s, min / **median** / max\n")
    for name in names:
        print(f"{name}:", file=sys.stderr, flush=True)
        context = Context(options, cores[0], cores[-1])
        try:
            results[name] = BENCHES[name].run(context)
        finally:
            context.close()
        print(f"## {name}\n\n{results[name].pop('text')}\n{report.bars_text(results[name]['bars'])}")
        print(report.disturbed_text(results[name]["sections"]), flush=True)
    if options.json:
        # The first bench's headline is also at the top, where a script looks first.
        report.write_json(options.json, {"bench": " ".join(names), **results[names[0]]["headline"], "machine": machine,
                                         "rounds": options.rounds, "seconds": options.seconds, "results": results})
    missed = [b["bar"] for r in results.values() for b in r["bars"] if not b["met"]]
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
