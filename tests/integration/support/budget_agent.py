#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A whole agent loop as a process of its own: python3 -m support.budget_agent URL SESSION [--ignore | --ask]

Each turn it "thinks", calls a tool and reports both. It obeys the replies: on wrap_up it answers and ends as soon as it has what it needs,
on stop it reports its partial result and ends. With --ignore it does neither; with --ask it asks a person for more steps once its budget is
critical, and waits for the answer. It prints one JSON line for each turn, and reads one line of stdin after each so that the test decides
when it goes on: no clock takes part.
"""
import argparse
import json
import sys
import urllib.error
import urllib.request

NEEDED_AFTER_WRAP_UP = 3  # turns that its final answer cannot do without


class Agent:
    def __init__(self, url: str, session: str):
        self.root = url
        self.base = f"{url}/v1/sessions/{session}"
        self.turn = 0
        self.since_wrap_up = None
        self.asked = False

    def ask_for_more(self) -> dict:
        """A request for ten more steps, and the long poll until a person has answered it."""
        self.asked = True
        asked = self.post("/approvals", {"kind": "budget_extension", "extend": {"max_steps": 10}, "summary": "nearly there"})
        say({"asked": asked["id"]})
        while asked["status"] == "pending":
            with urllib.request.urlopen(f"{self.root}/v1/approvals/{asked['id']}?wait=50s", timeout=60) as reply:
                asked = json.load(reply)
        return asked

    def post(self, path: str, body) -> dict:
        request = urllib.request.Request(f"{self.base}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            return {"refused": json.load(error)["code"], "directives": [], "budget": None}

    def step(self) -> dict:
        """One model turn: a message with its usage, and a call."""
        self.turn += 1
        call = f"c{self.turn}"
        usage = {"input_tokens": 90, "output_tokens": 10, "cost_usd": 0.01}
        return self.post("/events", [
            {"type": "message", "data": {"role": "assistant", "text": f"turn {self.turn}: looking further", "usage": usage}},
            {"type": "tool.started", "data": {"call_id": call, "tool": "search"}},
            {"type": "tool.finished", "data": {"call_id": call, "tool": "search", "ok": True, "result": {"found": self.turn}}},
        ])

    def obey(self, reply: dict) -> str | None:
        """The outcome to end with, when a directive asks for it."""
        kinds = {directive["type"] for directive in reply["directives"]}
        if "stop" in kinds:
            return "budget_exhausted"
        if "wrap_up" not in kinds:
            return None
        self.since_wrap_up = 0 if self.since_wrap_up is None else self.since_wrap_up + 1
        return "completed" if self.since_wrap_up >= NEEDED_AFTER_WRAP_UP else None


def say(line: dict):
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("session")
    parser.add_argument("--ignore", action="store_true")
    parser.add_argument("--ask", action="store_true")
    options = parser.parse_args()
    agent = Agent(options.url, options.session)
    while True:
        reply = agent.step()
        say({"turn": agent.turn, "reply": reply})
        if "refused" in reply or reply.get("verdict", {}).get("status") == "halted":
            return
        if options.ask and not agent.asked and reply["budget"]["level"] == "critical":
            say({"answered": agent.ask_for_more()["status"]})
        outcome = None if options.ignore else agent.obey(reply)
        if outcome is not None:
            say({"ended": agent.post("/end", {"outcome": outcome, "result": {"answer": agent.turn}})})
            return
        if not sys.stdin.readline():
            return


if __name__ == "__main__":
    main()
