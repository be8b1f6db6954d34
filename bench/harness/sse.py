# SPDX-License-Identifier: Apache-2.0
"""sse: one event to many subscribers of one session's stream, and what an idle subscriber costs."""
import json
import time

from harness import report
from harness.load import Usage
from harness.servers import Headway

SESSION = "sse"
# The load generator finds a delivery, and its age, by "hwb=".
EVENT = '{"type":"message","data":{"role":"assistant","text":"hwb={now} a line of what the agent says"}}'
LOADS = (("one event at a time", {"window": 1}), ("64 events in flight", {"window": 64}),
         ("60 events/s", {"rate": 60}))


def run(context) -> dict:
    server = context.start(Headway)
    clients = context.options.clients
    server.request("PUT", f"/v1/sessions/{SESSION}", {"goal": "bench"})
    cases = [report.Case(name) for name, _ in LOADS]
    memory = []
    for number in context.rounds():
        for i in context.rotated(list(range(len(LOADS))), number):
            memory.append(_round(context, server, cases[i], LOADS[i][1], clients))
    context.stop_all()
    per_client = max(0, memory[0])  # the first: later ones reuse what the allocator kept
    rows = [("RSS per idle subscriber", f"{per_client / 1024:.1f} KB")]
    text = report.table(f"{clients} subscribers", cases, "deliveries/s") + "\n" + report.facts("memory", rows)
    head = report.headline(cases[1]) | {"rss_bytes_per_client": per_client}
    head["deliveries_per_s"] = head["req_per_s"]
    return {"text": text, "headline": head, "sections": {"loads": [c.summary() for c in cases]},
            "bars": [report.bar("RSS per idle subscriber, KB", per_client / 1024, 20, at_least=False)]}


def _round(context, server: Headway, case: report.Case, load: dict, clients: int) -> float:
    """One load; gives the bytes of RSS that each subscriber added while it was idle."""
    rss = server.rss_bytes()
    options = {"target": f"/v1/sessions/{SESSION}/events", "stream": f"/v1/sessions/{SESSION}/stream", "body": EVENT,
               "clients": clients, "array": True, "wait_stdin": True} | load
    process = context.client.popen(context.client.arguments(server, "sse", options), stdin=-1)
    if process.stdout.readline().strip() != "connected":
        raise SystemExit("bench: the subscribers could not connect")
    time.sleep(0.5)
    added = (server.rss_bytes() - rss) / clients
    before = Usage(server)
    output, _ = process.communicate("go\n")
    if process.returncode != 0:
        raise SystemExit("bench: loadgen failed")
    case.rounds.append(context.client.finish(server, before, json.loads(output)))
    time.sleep(0.5)  # the server notices that they left
    return added
