# SPDX-License-Identifier: Apache-2.0
"""The editor's side of `headway acp`, and a case that has one."""
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

from .case import SharedDaemonCase, unique
from .cli import Cli
from .limits import eventually, patient

AGENT = Path(__file__).parent / "acp_agent.py"
SETTINGS = {"approvals.require_tools": "class:edit"}


class Editor:
    """The client's side of one connection."""

    def __init__(self, cli: Cli, folder: Path, load: str | None = None):
        self.log = folder / unique("agent-log")
        self.process = cli.start("acp", "--", sys.executable, str(AGENT), str(self.log), stdin=subprocess.PIPE)
        self.number = 0
        self.read = b""
        self.call("initialize", protocolVersion=1)
        self.session = load or self.new()
        if load:
            self.call("session/load", sessionId=load, cwd="/home/dev/shop", mcpServers=[])

    def new(self) -> str:
        return self.call("session/new", cwd="/home/dev/shop", mcpServers=[])["sessionId"]

    def raw(self, text: str):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, **message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def bytes_to(self, end: bytes) -> bytes:
        """The agent's output, with this as its end."""
        while end not in self.read:
            ready, _, _ = select.select([self.process.stdout], [], [], patient(20))
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert more, f"nothing more came after {self.read!r}"
            self.read += more
        found, _, self.read = self.read.partition(end)
        return found + end

    def receive(self) -> dict:
        return json.loads(self.bytes_to(b"\n"))

    def until(self, fits) -> dict:
        while True:
            message = self.receive()
            if fits(message):
                return message

    def request(self, method: str, **params) -> int:
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        return self.number

    def call(self, method: str, **params) -> dict:
        number = self.request(method, **params)
        return self.until(lambda message: message.get("id") == number and "result" in message)["result"]

    def prompt(self, text: str, session: str | None = None) -> int:
        return self.request("session/prompt", sessionId=session or self.session, prompt=[{"type": "text", "text": text}])

    def over(self, number: int) -> dict:
        return self.until(lambda message: message.get("id") == number and "result" in message)["result"]

    def asked(self):
        return self.until(lambda message: message.get("method") == "session/request_permission")["id"]

    def answer(self, request, option: str):
        self.send(id=request, result={"outcome": {"outcome": "selected", "optionId": option}})

    def read_by_agent(self) -> str:
        return self.log.read_text()

    def answers(self) -> dict:
        """The options by the ids of the agent's requests for permission."""
        lines = self.log.read_text().splitlines(keepends=True)
        read = [json.loads(line) for line in lines if line.endswith("\n")]
        outcomes = {message["id"]: message["result"]["outcome"] for message in read if "outcome" in message.get("result", {})}
        return {name: outcome.get("optionId", outcome["outcome"]) for name, outcome in outcomes.items()}

    def allow_all(self, number: int) -> dict:
        """Allows whatever is asked until the turn is over."""
        while True:
            message = self.receive()
            if message.get("method") == "session/request_permission":
                self.answer(message["id"], "yes")
            elif message.get("id") == number and "result" in message:
                return message["result"]

    def close(self) -> int:
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(patient(30))
        finally:
            self.process.kill()
            if not self.process.stdout.closed:
                self.said = self.process.stderr.read()
            self.process.stdout.close()
            self.process.stderr.close()


class AcpCase(SharedDaemonCase):
    settings = SETTINGS

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        self.editor = self.edit()
        self.id = "fake-" + self.editor.session

    def edit(self, load: str | None = None, agents_id: str = "") -> Editor:
        """`agents_id`: the agent's id for its session; empty: a unique one."""
        cli = Cli(self.daemon)
        if agents_id:
            cli.environment["SESSION_ID"] = agents_id
        editor = Editor(cli, self.daemon.root, load)
        self.addCleanup(editor.close)
        return editor

    def document(self, session=None) -> dict:
        return self.client.get(f"/v1/sessions/{session or self.id}").json()

    def pending(self, session=None) -> str:
        def look():
            return self.client.get("/v1/approvals?status=pending&session=" + (session or self.id)).json().get("approvals")
        return eventually(look, what="an approval")[0]["id"]

    def decide(self, decision: str, session=None, **fields):
        reply = self.client.post(f"/v1/approvals/{self.pending(session)}/decision", {"decision": decision, **fields})
        self.assertEqual(reply.status, 200, reply.body)

    def nothing_reaches_the_agent(self, text: str):
        time.sleep(0.3)
        self.assertNotIn(text, self.editor.read_by_agent())
