#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The learned risk: who sees it, and that no agent does."""
import json
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli
from support.sse import EventStream


class RiskCase(OwnDaemonCase):
    """A daemon in mode token with these settings, and its operator."""
    SETTINGS: dict = {}

    def setUp(self):
        super().setUp()
        self.daemon = self.start({"access.mode": "token", **self.SETTINGS})
        self.operator = self.daemon.operator()
        self.addCleanup(self.operator.close)

    def caller(self, *scopes: str):
        token = self.operator.post("/v1/tokens", {"name": "t", "scopes": list(scopes)}).json()["token"]
        client = self.daemon.client(token=token)
        self.addCleanup(client.close)
        return client, token

    def call(self, client, session: str, number: int, **more):
        event = {"type": "tool.finished", "data": {"tool": "bash", "args": {"command": f"make {number}"}, "ok": True, "result": "done"}}
        reply = client.post(f"/v1/sessions/{session}/events", {**event, **more})
        self.assertEqual(reply.status, 200, reply.body)
        return reply

    def rows(self, client, view: str = "row"):
        return client.get(f"/v1/sessions?view={view}").json()["sessions"]

    def nowhere(self, value):
        """The member `risk` with a number; policies have a switch of that name."""
        if isinstance(value, dict):
            self.assertIn(type(value.get("risk")), (type(None), bool), value)
            for one in value.values():
                self.nowhere(one)
        elif isinstance(value, list):
            for one in value:
                self.nowhere(one)


class On(RiskCase):
    SETTINGS = {"policy.risk": "on"}

    def test_people_see_it_in_documents_and_rows_while_the_session_is_open(self):
        self.operator.open("a-1")
        self.assertNotIn("risk", self.operator.session("a-1"), "before the first call")
        self.call(self.operator, "a-1", 1)
        reader, _ = self.caller("read")
        for client in (self.operator, reader):
            document = client.session("a-1")
            self.assertGreater(document["risk"], 0)
            self.assertLess(document["risk"], 1)
            self.assertEqual([row["risk"] for row in self.rows(client)], [document["risk"]])
            self.assertEqual([row["risk"] for row in self.rows(client, "document")], [document["risk"]])
        self.call(self.operator, "a-1", 2)
        self.assertNotEqual(reader.session("a-1")["risk"], document["risk"])
        self.operator.post("/v1/sessions/a-1/end", {"outcome": "completed"})
        self.assertNotIn("risk", reader.session("a-1"))
        self.assertNotIn("risk", self.rows(reader)[0])

    def test_no_reply_to_an_agent_has_it(self):
        narrow, _ = self.caller("report:a-")
        wide, _ = self.caller("report")  # may read all sessions
        reading, _ = self.caller("report:a-", "read", "control")
        for number, agent in enumerate((narrow, wide, reading)):
            with self.subTest(number=number):
                session = f"a-{number}"
                replies = [agent.put(f"/v1/sessions/{session}", {"goal": "g", "policy": {"risk": False}})]
                replies += [self.call(agent, session, i) for i in range(5)]
                replies += [agent.post(f"/v1/sessions/{session}/heartbeat", {}), agent.put(f"/v1/sessions/{session}", {"goal": "g"})]
                replies += [agent.get(path) for path in (
                    f"/v1/sessions/{session}", f"/v1/sessions/{session}/events?limit=100", f"/v1/sessions/{session}/wait?until=event&after=0",
                    f"/progress/{session}", f"/v1/sessions/{session}/comparison", f"/v1/sessions/{session}/budget",
                    f"/api/chat/autonomous/status?sessionId={session}", f"/v1/wait?any={session}&until=event&after=0")]
                if agent is not narrow:
                    replies += [agent.get("/v1/sessions?view=row"), agent.get("/v1/sessions"), agent.get("/v1/overview")]
                if agent is reading:
                    replies.append(agent.post(f"/v1/sessions/{session}/pause", {}))
                replies.append(agent.post(f"/v1/sessions/{session}/end", {"outcome": "completed"}))
                for reply in replies:
                    self.assertLess(reply.status, 300, reply.body)
                    self.nowhere(json.loads(reply.body))

    def test_no_stream_has_it(self):
        agent, token = self.caller("report:a-")
        for i in range(3):
            self.call(agent, "a-1", i)
        self.assertIn("risk", self.operator.session("a-1"))
        for path in ("/v1/sessions/a-1/stream?last_event_id=0", "/progress/a-1/stream?last_event_id=0"):
            stream = EventStream(self.daemon.port, path, token=token)
            self.addCleanup(stream.close)
            self.assertEqual(stream.status, 200)
            seen = stream.until(lambda e: e.name == "tool.finished" and e.data["n"] >= 4 or e.data.get("n", 0) >= 4)
            for event in seen:
                self.nowhere(event.data)

    def test_an_agent_cannot_switch_it_off_where_the_operator_has_it_on(self):
        agent, _ = self.caller("report:a-")
        opened = agent.open("a-1", policy={"risk": False})
        self.assertEqual(opened["raised"], ["/policy/risk"])
        self.call(agent, "a-1", 1)
        self.assertIn("risk", self.operator.session("a-1"))
        self.operator.open("a-2", policy={"risk": False})
        self.call(agent, "a-2", 1)
        self.assertNotIn("risk", self.operator.session("a-2"))

    def test_it_is_the_same_after_a_restart(self):
        for i in range(6):
            self.call(self.operator, "a-1", i // 2)
        before = self.operator.session("a-1")["risk"]
        self.daemon.stop()
        self.daemon.start(self.daemon.port)
        self.operator.close()
        self.assertEqual(self.operator.session("a-1")["risk"], before)

    def test_show_has_it(self):
        self.call(self.operator, "a-1", 1)
        shown = Cli(self.daemon).run("show", "a-1")
        self.assertRegex(shown.out, r"\nrisk +0\.\d\d\n")


class Off(RiskCase):
    """As it is by default."""

    def test_nobody_sees_it_until_it_is_switched_on(self):
        self.call(self.operator, "a-1", 1)
        self.assertNotIn("risk", self.operator.session("a-1"))
        self.assertNotIn("risk", self.rows(self.operator)[0])
        self.operator.open("a-2", policy={"risk": True})
        self.call(self.operator, "a-2", 1)
        self.assertIn("risk", self.operator.session("a-2"))


if __name__ == "__main__":
    unittest.main()
