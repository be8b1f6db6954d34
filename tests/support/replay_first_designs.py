#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays what was missing of the first designs, item by item: each command against a real daemon, and the part of its output that matters.

    HEADWAY_BINARY=build/dev/headway python3 tests/support/replay_first_designs.py

For people: tests/integration/test_first_designs.py asserts the same."""
import json
import os
import sys
import time
from pathlib import Path

if "HEADWAY_BINARY" in os.environ:  # the daemon runs in a folder of its own
    os.environ["HEADWAY_BINARY"] = str(Path(os.environ["HEADWAY_BINARY"]).resolve())
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from support.daemon import Daemon  # noqa: E402

PRESET = '[policy]\npreset = "first-designs"\n'


class Replay:
    def __init__(self, config: str = PRESET):
        self.daemon = Daemon({}, config)
        self.daemon.start()
        self.client, self.operator = self.daemon.client(), self.daemon.operator()

    def close(self):
        self.client.close()
        self.operator.close()
        self.daemon.stop()
        self.daemon.close()

    def say(self, item: str, title: str):
        print(f"\n== {item}: {title}")

    def send(self, method: str, path: str, body=None, pick=lambda document: document, operator: bool = False):
        print(f"$ {method} {path}" + (f" {json.dumps(body)}" if body is not None else ""))
        reply = (self.operator if operator else self.client).request(method, path, body)
        document = json.loads(reply.body) if reply.body[:1] in (b"{", b"[") else reply.body.decode()
        print(f"{reply.status} {json.dumps(pick(document))}")
        return document

    def event(self, session: str, kind: str, pick=lambda d: d["verdict"]["status"], **data):
        return self.send("POST", f"/v1/sessions/{session}/events", {"type": kind, "data": data}, pick)


def d1(r: Replay):
    r.say("D1", "daemon-wide failsafes; past 25 iterations the status is incomplete")
    r.send("PUT", "/v1/sessions/d1", None, lambda d: d["policy"])
    for iteration in (25, 26):
        r.send("POST", "/v1/sessions/d1/heartbeat", {"iteration": iteration}, lambda d: d["verdict"]["status"])
    r.send("GET", "/api/chat/autonomous/status?sessionId=d1")


def d2(r: Replay):
    r.say("D2", "the estimate in what a dashboard polls")
    r.event("d2", "progress.estimated", lambda d: d["estimate"], percent=40, next_milestone="Read file", blockers=["missing file path"])
    r.send("GET", "/progress/d2", None, lambda d: d["estimate"])
    r.send("GET", "/v1/sessions?view=row&ids=d2", None, lambda d: d["sessions"][0]["estimate"])


def d3(r: Replay):
    r.say("D3", "a call beyond 60 s is a failure of its tool; refusals get feedback")
    for n in range(4):
        r.event("d3", "tool.finished", lambda d: d.get("feedback"), tool="compile", args={"n": n}, result=f"done {n}", duration_ms=61_000)
    r.send("GET", "/v1/sessions/d3", None, lambda d: (d["outcome"], d["end_code"]))
    for n, name in enumerate(("permission_denied", "rate_limit", "unknown_tool")):
        r.event(f"d3-{n}", "tool.finished", lambda d: d.get("feedback"), tool="deploy", ok=False, error={"class": name, "message": "refused"})


def d6(r: Replay):
    r.say("D6", "the budgets of plan and explore come with the preset")
    r.send("PUT", "/v1/sessions/d6", {"agent": {"type": "plan"}}, lambda d: d["budget"] and {k: d["budget"][k] for k in ("max_steps", "timeout_seconds")})


def d7(r: Replay):
    r.say("D7", "log lines and gauges")
    for _ in range(5):
        r.send("POST", "/v1/sessions/d7/heartbeat", {"iteration": 1}, lambda d: d["verdict"]["status"])
    time.sleep(0.5)
    print("\n".join(line for line in r.daemon.log().splitlines() if "session d7" in line or "session d2" in line))
    text = r.client.get("/metrics").body.decode()
    for name in ("headway_sessions_open{", "headway_sessions_budget{", "headway_tool_failures_total{", "headway_approvals_pending "):
        print("\n".join(line for line in text.splitlines() if line.startswith(name) and not line.endswith(" 0")) or f"{name}... 0")


def d8(r: Replay):
    r.say("D8", "a UUID for each approval, and the first design's names")
    asked = r.event("d8", "tool.started", lambda d: d["approvals"], call_id="c1", tool="rm", args={"path": "/a"}, requires_approval=True)
    r.event("d8", "tool.started", lambda d: len(d["approvals"]), call_id="c2", tool="rm", args={"path": "/b"}, requires_approval=True)
    uuid = asked["approvals"][0]["request_id"]
    r.send("GET", f"/v1/approvals/{uuid}", None, lambda d: (d["id"], d["status"]))
    r.send("POST", "/v1/chat/d8/approve-agent", {"request_id": uuid, "approved": True}, operator=True)


def d9(r: Replay):
    r.say("D9", "sanitized feedback, from and to of states, invalid transitions, advice by blockers")
    r.event("d9", "tool.finished", lambda d: d.get("feedback"), tool="login", ok=False,
            error={"message": "token=[redacted] for user 'ann' (ann@example.com) at 10.1.2.3"})
    r.event("d9-s", "state.changed", lambda d: d.get("invalid_transitions"), state="executing_tool")
    r.event("d9-s", "message", role="user", text="go")
    r.send("GET", "/v1/sessions/d9-s/events", None, lambda d: [(e["type"], e.get("from"), e.get("state")) for e in d["events"]])
    r.operator.open("d9-b", policy={"on_stuck": "advise"})
    for percent in (40, 41, 42):
        r.event("d9-b", "progress.estimated", lambda d: [x["reason"] for x in d["directives"]], percent=percent, blockers=["context length exceeded"])


def d10(r: Replay):
    r.say("D10", "errors of the model's API, task_complete, budget.updated")
    for status in (400, 404, 422):
        r.event(f"d10-{status}", "error.reported", lambda d: (d["verdict"]["status"], d.get("feedback")), message="refused", status=status)
    r.event("d10", "reflection", assessment="task_complete")
    r.send("GET", "/api/chat/autonomous/status?sessionId=d10")
    r.send("PUT", "/v1/sessions/d10-u", {"budget": {"max_steps": 30}}, lambda d: d["budget"]["max_steps"])
    r.event("d10-u", "tool.finished", tool="edit", round=1)
    r.send("GET", "/v1/sessions/d10-u/events?types=budget.updated", None, lambda d: [e["data"] for e in d["events"]])


def main():
    replay = Replay()
    try:
        for item in (d1, d2, d3, d6, d7, d8, d9, d10):
            item(replay)
    finally:
        replay.close()


if __name__ == "__main__":
    main()
