#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway demo`: a daemon of its own and three agents with one behaviour each."""
import contextlib
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.daemon import BINARY, clean_environment
from support.http import Client
from support.limits import eventually, patient

KINDS = ("slow", "loop", "approval")


class Demo(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="headway-test-")))

    def start(self, *options: str):
        """Returns the process and a client with the operator's token."""
        demo = subprocess.Popen([str(BINARY), "demo", "--quiet", *(options if "--pace" in options else ("--pace", "0.04", *options))], text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=clean_environment(TMPDIR=str(self.folder)))
        self.addCleanup(self.end, demo)
        self.page = demo.stdout.readline().split()[1]
        self.assertIn("/login?code=", self.page)
        self.terminal = demo.stdout.readline().split()[1:]
        token = next(self.folder.glob("headway-demo-*/state/operator.token")).read_text().strip()
        client = Client(int(self.page.split("/")[2].rpartition(":")[2]), token=token)
        self.addCleanup(client.close)
        return demo, client

    def end(self, demo: subprocess.Popen):
        if demo.poll() is None:
            demo.send_signal(signal.SIGINT)
        demo.communicate(timeout=patient(60))

    def decide(self, client, decision: str):
        def waiting():
            return client.get("/v1/approvals?session=approval-1").json().get("approvals")  # 404 before it is opened
        asked = eventually(waiting, 60)[0]
        self.assertEqual((asked["tool"], asked["risk"]), ("bash", "high"))
        client._expect((200,), client.post(f"/v1/approvals/{asked['id']}/decision", {"decision": decision}))

    def events(self, client, session: str) -> list:
        return client.get(f"/v1/sessions/{session}/events?limit=1000").json()["events"]

    def verdicts(self, client, session: str) -> list:
        return [e["data"]["to"] for e in self.events(client, session) if e["type"] == "verdict.changed"]

    def test_the_slow_one_is_never_suspect_and_advice_leads_the_other_out_of_its_circle(self):
        demo, client = self.start()
        self.decide(client, "approve")
        for kind in KINDS:
            self.assertTrue(client.get(f"/v1/sessions/{kind}-1/wait?until=ended&wait=2m").json()["met"], kind)
        slow, loop = self.verdicts(client, "slow-1"), self.verdicts(client, "loop-1")
        self.assertEqual(slow[-1], "completed")
        self.assertFalse({"suspect", "stuck", "silent"} & set(slow), slow)
        self.assertIn("suspect", loop)
        self.assertIn("stuck", loop)  # it did the same after the first advice
        self.assertEqual(loop[-1], "completed")
        self.assertEqual([e["data"]["kind"] for e in self.events(client, "loop-1")
                          if e["type"] == "directive.issued"][0], "change_approach")
        document = client.get("/v1/approvals?session=approval-1&status=all").json()["approvals"][0]
        self.assertEqual((document["status"], document["alarm"]), ("executed", None), document)
        self.assertEqual(self.verdicts(client, "approval-1")[-1], "completed")

    def test_a_rejected_agent_does_not_run_the_call(self):
        demo, client = self.start("--once")
        self.decide(client, "reject")
        self.assertEqual(demo.wait(patient(60)), 0, demo.stderr.read())
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_command_for_a_terminal_may_approve(self):
        demo, client = self.start()
        self.assertEqual(self.terminal[:2], ["headway", "top"])
        # `top` and `token list` find their token alike.
        listed = subprocess.run([str(BINARY), "token", "list", *self.terminal[2:]], capture_output=True, text=True,
                                env=clean_environment(), timeout=patient(60), check=False)
        self.assertEqual(listed.returncode, 0, listed)

    def descendants(self, process: int) -> list:
        children = []
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
                children += [int(child) for child in task.read_text().split()]
        return children + [one for child in children for one in self.descendants(child)]

    @staticmethod
    def is_zombie(process: int) -> bool:
        try:
            return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    @staticmethod
    def name_of(process: int) -> str:
        try:
            return Path(f"/proc/{process}/comm").read_text().strip()
        except (FileNotFoundError, ProcessLookupError):
            return ""  # it ended meanwhile

    def test_it_leaves_nothing_behind(self):
        demo, client = self.start("--pace", "2")  # its build is at work for a while
        def sleeps() -> list:
            return [d for d in self.descendants(demo.pid) if self.name_of(d) == "sleep"]
        eventually(sleeps, 60, "the command of an agent")
        children = self.descendants(demo.pid)
        demo.send_signal(signal.SIGTERM)
        self.assertEqual(demo.wait(patient(60)), 0, demo.stderr.read())
        for child in children:  # who inherits it may take a moment to read its exit status
            eventually(lambda c=child: not os.path.exists(f"/proc/{c}") or self.is_zombie(c), 60, f"the end of {child}")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_address_that_is_taken_is_said(self):
        _, client = self.start()
        second = subprocess.run([str(BINARY), "demo", "--listen", self.page.split("/")[2]], capture_output=True,
                                text=True, env=clean_environment(TMPDIR=str(self.folder)), timeout=patient(60),
                                check=False)
        self.assertEqual(second.returncode, 1, second)
        self.assertIn("--listen", second.stderr)


if __name__ == "__main__":
    unittest.main()
