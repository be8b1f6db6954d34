# SPDX-License-Identifier: Apache-2.0
"""readers: what a heartbeat waits for beside clients that list, filter and replay as fast as they can."""
import subprocess

from harness import report
from harness.load import EVENT
from harness.servers import Headway, pinned

SESSIONS = 20_000
EVENTS_PER_BATCH = 1000
BEAT = '{"type":"heartbeat","data":{}}'
BEATS_PER_SECOND = 200
RATIO_MAX = 3  # of the p99 of a heartbeat while nothing is read


class Loopers:
    """Clients that fetch one address over and over, behind the client that measures.

    One process each, that starts no other, and in the bench's own session: the kernel compares `nice` inside a session only.
    """

    def __init__(self, context, server: Headway, count: int, target: str):
        url = f"http://127.0.0.1:{server.port}{target}#[1-1000000]"
        self.processes = [subprocess.Popen(["nice", "-n", "19", "curl", "-sN", "--fail", "--fail-early", url], stdout=subprocess.DEVNULL,
                                           preexec_fn=pinned({context.client.core})) for _ in range(count)]

    def stop(self) -> None:
        if any(process.poll() is not None for process in self.processes):
            raise SystemExit("bench: a reader has ended: was its request refused?")
        for process in self.processes:
            process.kill()
            process.wait()


def run(context) -> dict:
    server = context.start(Headway)
    client = context.client
    client.run(server, "http", target="/v1/sessions/one-{id}/events", body=EVENT, connections=8, requests=SESSIONS)
    client.run(server, "http", target="/v1/sessions/long/events", body=EVENT, connections=1, batch=EVENTS_PER_BATCH,
               requests=max(1, context.options.events // EVENTS_PER_BATCH))
    loads = {"quiet": (0, ""), "8 lists with a search that finds nothing": (8, "/v1/sessions?q=nothere"),
             "8 journals with a filter that finds nothing": (8, "/v1/sessions/long/events?types=fact.learned"),
             "16 replays of a long journal": (16, "/v1/sessions/long/stream?last_event_id=0")}
    cases = {name: report.Case(name) for name in loads}
    for number in context.rounds():
        for name in context.rotated(list(loads), number):
            count, target = loads[name]
            readers = Loopers(context, server, count, target)
            try:
                cases[name].rounds.append(client.run(server, "http", target="/v1/sessions/beat-{conn}/events", body=BEAT,
                                                     connections=8, rate=BEATS_PER_SECOND))
            finally:
                readers.stop()
    context.stop_all()
    quiet = cases.pop("quiet")
    bars, ratios = [], {}
    for name, case in cases.items():
        pairs = zip(case.rounds, quiet.rounds)
        ratios[name] = report.spread(a["p99_us"] / b["p99_us"] for a, b in pairs)
        bars.append(report.bar(f"p99 beside {name}, of quiet", ratios[name]["median"], RATIO_MAX, at_least=False))
    every = [quiet, *cases.values()]
    return {"text": report.table(f"{BEATS_PER_SECOND} heartbeats a second", every), "bars": bars,
            "headline": report.headline(quiet) | {"p99_ratios": ratios},
            "sections": {"readers": [c.summary() for c in every]}}
