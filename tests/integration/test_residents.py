#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions that the daemon keeps in memory: one that has ended leaves it, and does not come back to stay."""
import json
import re
import unittest

from support.case import OwnDaemonCase
from support.http import RawConnection
from support.limits import SLOW, eventually
from test_hooks import Agent


class Residents(OwnDaemonCase):
    def test_ended_sessions_leave_and_those_that_visit_leave_again(self):
        daemon = self.start({"policy.heartbeat_interval": "10m"}, test_clock=True)
        client = self.client(daemon)
        for number in range(20):
            client.report(f"done-{number}", "message", role="assistant", text="the last word")
            client.end(f"done-{number}")
        client.report("quiet", "message", role="assistant", text="and then nothing more")

        def resident() -> int:
            client.report("busy", "heartbeat")
            daemon.clock.advance(20, 20)  # a gap between turns is what sessions are saved in
            return int(re.search(rb"^headway_sessions_resident (\d+)$", client.get("/metrics").body, re.M)[1])

        eventually(lambda: resident() == 2, 60, "that only busy and quiet are in memory")
        # When it is called silent, what was planned for those that ended before it has come up too.
        eventually(lambda: resident() and client.get("/v1/sessions/quiet").json()["verdict"]["status"] == "silent", 60, "silence")
        self.assertEqual(resident(), 2)
        for number in range(20):
            self.assertEqual(client.get(f"/v1/sessions/done-{number}").json()["verdict"]["status"], "completed")
        eventually(lambda: resident() == 2, what="that the visitors have left")

    def test_memory_is_bounded_by_bytes_however_much_each_session_remembers(self):
        daemon = self.start({"storage.sessions_resident_bytes": "12MiB"})
        client = self.client(daemon)
        client.beat("first")
        fresh = daemon.resident_bytes()

        def opening(number: int) -> dict:
            # Policies of their own: equal ones are one in memory.
            return {"goal": "g" * 4000, "labels": {f"label-{i}": "v" * 120 for i in range(16)},
                    "policy": {"tools": [{"tool": f"tool-{number}-{i}-" + "t" * 480, "patience": 2} for i in range(32)]}}
        sessions = 3000 if SLOW == 1 else 1000
        for number in range(sessions):
            self.assertEqual(client.put(f"/v1/sessions/big-{number}", opening(number)).status, 201)
        held = int(re.search(rb"^headway_sessions_resident (\d+)$", client.get("/metrics").body, re.M)[1])
        self.assertLess(held, 800, "those that do not fit have left")
        self.assertGreater(held, 100, "as many as fit stay")
        if SLOW == 1:
            self.assertLess(daemon.resident_bytes() - fresh, 80 << 20)
        for number in (0, sessions // 2, sessions - 1):  # and all of them are there
            found = client.get(f"/v1/sessions/big-{number}").json()
            self.assertEqual((found["goal"], len(found["labels"])), (opening(number)["goal"], 16))
            self.assertEqual(client.beat(f"big-{number}")["accepted"], 1)

    def test_a_sub_agent_that_has_left_memory_is_cut_off_by_the_end_of_its_parent(self):
        daemon = self.start({"storage.sessions_resident_max": 2, "policy.heartbeat_interval": "10m"}, test_clock=True)
        client = self.client(daemon)
        agent = Agent(daemon)
        agent.hook("UserPromptSubmit", prompt="review it")
        agent.hook("SubagentStart", agent_id="a1", agent_type="review")
        agent.hook("Stop", last_assistant_message="started", stop_hook_active=False, background_tasks=[
            {"id": "a1", "type": "subagent", "status": "running", "description": "review"}])

        def resident() -> int:
            for number in range(2):
                client.report(f"other-{number}", "heartbeat")
            daemon.clock.advance(20, 20)
            return int(re.search(rb"^headway_sessions_resident (\d+)$", client.get("/metrics").body, re.M)[1])

        eventually(lambda: resident() <= 2, 60, "that the others have taken the place of the agent")
        agent.hook("SessionEnd", reason="other")
        self.assertEqual(client.session(agent.id)["outcome"], "failed")

    def test_a_session_whose_hook_is_held_stays_in_memory(self):
        daemon = self.start({"storage.sessions_resident_max": 2, "policy.heartbeat_interval": "10m",
                             "approvals.require_tools": "deploy"}, test_clock=True)
        client = self.client(daemon)
        call = {"agent": "a", "session": "1", "event": "pre", "tool": "deploy", "args": {"to": "prod"}, "call": "c1", "hold_ms": 600_000}
        with RawConnection(daemon.port) as held:
            held.send(held.format("POST", "/v1/hooks/generic", json.dumps(call).encode()))
            eventually(held.readable, what="the reply of a held call begins")

            def asked() -> int:
                for number in range(4):
                    client.report(f"other-{number}", "heartbeat")
                daemon.clock.advance(20, 20)
                return int(re.search(rb"^headway_evictions_total (\d+)$", client.get("/metrics").body, re.M)[1])

            eventually(lambda: asked() > 4, 60, "that the others have taken each other's place")
            client.post("/v1/hooks/generic", {"agent": "a", "session": "1", "event": "prompt", "text": "and then run the tests"})
            self.assertEqual([a["call_id"] for a in client.get("/v1/approvals").json()["approvals"]], ["c1"])


if __name__ == "__main__":
    unittest.main()
