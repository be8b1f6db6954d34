#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time that a person takes is not the agent's: four approvals of a minute each, by every way, end no session."""
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import OwnDaemonCase
from support.limits import eventually
from test_hooks import Agent

PRESET = '[policy]\npreset = "first-designs"\n'
MINUTE = 60


class PersonTimeCase(OwnDaemonCase):
    def begin(self, config=PRESET, **settings):
        self.daemon = self.start(settings, config=config, test_clock=True)
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        return self.daemon.clock

    def start_call(self, session, call, **more):
        return self.client.report(session, "tool.started", tool="deploy", call_id=call, args={"of": call}, **more)

    def finish_call(self, session, call, **more):
        return self.client.report(session, "tool.finished", tool="deploy", call_id=call, args={"of": call},
                                  result=f"{call} is deployed", **more)

    def approve(self, session):
        reply = self.client.post(f"/v1/chat/{session}/approve-agent", {"approved": True})
        self.assertEqual(reply.status, 200, reply.body)

    def unharmed(self, session, calls):
        found = self.client.session(session)
        self.assertIsNone(found["ended_at"], found["end_code"] if "end_code" in found else found)
        self.assertEqual((found["tools"]["calls"], found["tools"]["failures"]), (calls, 0))
        self.assertNotIn("longer than", str(self.client.beat(session)))


class Reports(PersonTimeCase):
    def test_four_approvals_of_a_minute_each_under_the_preset_alone(self):
        clock = self.begin()
        for k in range(4):
            said = self.start_call("a", f"c{k}", requires_approval=True)
            self.assertNotIn("longer than", str(said))
            clock.advance(MINUTE + 1)
            self.assertNotIn("longer than", str(self.client.beat("a")))
            self.approve("a")
            self.finish_call("a", f"c{k}", **({"duration_ms": 61_500} if k % 2 else {}))
        self.unharmed("a", 4)

    def test_a_call_that_runs_too_long_after_its_decision_still_fails(self):
        clock = self.begin()
        for k in range(4):
            self.start_call("a", f"c{k}", requires_approval=True)
            clock.advance(MINUTE)
            self.approve("a")
            clock.advance(MINUTE + 1)
            said = str(self.client.beat("a"))
            self.assertIn("has been running for 6" if k == 0 else f"has failed {'once' if k == 1 else f'{k} times'}", said)
            self.finish_call("a", f"c{k}")
        self.assertEqual(self.client.session("a")["end_code"], "tool_failures")

    def test_a_pause_of_the_operator(self):
        clock = self.begin()
        for k in range(4):
            self.start_call("a", f"c{k}")
            self.client.post("/v1/sessions/a/pause", {"reason": "lunch"})
            clock.advance(5 * MINUTE)
            self.assertNotIn("longer than", str(self.client.beat("a")))
            self.client.post("/v1/sessions/a/resume", {})
            self.finish_call("a", f"c{k}")
        self.unharmed("a", 4)

    def test_a_redeem_long_after_the_decision(self):
        clock = self.begin()
        for k in range(4):
            self.start_call("a", f"c{k}", requires_approval=True)
            approval = self.client.get("/v1/approvals?status=pending&session=a").json()["approvals"][0]
            clock.advance(MINUTE)
            self.approve("a")
            clock.advance(2 * MINUTE)
            redeemed = self.client.post(f"/v1/approvals/{approval['id']}/redeem", {"args_digest": approval["args_digest"]})
            self.assertEqual(redeemed.status, 200, redeemed.body)
            clock.advance(30)
            self.finish_call("a", f"c{k}")
        self.unharmed("a", 4)

    def test_a_question_to_a_person_while_a_call_is_in_flight(self):
        clock = self.begin()
        for k in range(4):
            self.start_call("a", f"c{k}")
            asked = {"type": "approval.requested", "data": {"kind": "question", "summary": f"which host, {k}?"}}
            self.assertEqual(self.client.post("/v1/sessions/a/events", asked).status, 200)
            approval = self.client.get("/v1/approvals?status=pending&session=a").json()["approvals"][0]
            clock.advance(10 * MINUTE)
            self.assertNotIn("longer than", str(self.client.beat("a")))
            answered = self.client.post(f"/v1/approvals/{approval['id']}/decision", {"decision": "respond", "response": "db1"})
            self.assertEqual(answered.status, 200, answered.body)
            self.finish_call("a", f"c{k}")
        self.unharmed("a", 4)

    def test_the_old_timers_that_are_observed(self):
        clock = self.begin(config='[legacy_timeouts]\nmode = "observe"\n')
        self.start_call("a", "c", requires_approval=True)
        clock.advance(20 * MINUTE)
        killed = lambda: self.client.get("/v1/sessions/a/comparison").json()["legacy"]["would_have_killed"]  # noqa: E731
        self.assertFalse(killed())
        self.approve("a")
        self.finish_call("a", "c")
        self.client.end("a")
        self.assertFalse(killed())

    def test_it_holds_over_a_restart(self):
        clock = self.begin()
        self.start_call("a", "c", requires_approval=True)
        clock.advance(MINUTE)
        self.daemon.kill()
        self.client.close()
        self.daemon.start()
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        clock.advance(MINUTE)
        self.assertNotIn("longer than", str(self.client.beat("a")))
        self.approve("a")
        self.finish_call("a", "c", duration_ms=125_000)
        self.unharmed("a", 1)


class Hooks(PersonTimeCase):
    def held(self, agent, call):
        pool = ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        asked = pool.submit(agent.pre, call)
        pending = f"/v1/approvals?status=pending&session={agent.id}"
        eventually(lambda: (self.client.get(pending).json().get("approvals") or None)
                   if self.client.get(pending).status == 200 else None)
        return asked

    def test_calls_whose_hook_is_held_for_a_person(self):
        clock = self.begin(**{"approvals.require_tools": "Bash"})
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="build it")
        for k in range(4):
            asked = self.held(agent, f"t{k}")
            clock.advance(2 * MINUTE)
            self.approve(agent.id)
            answer = asked.result(timeout=30)
            self.assertNotIn("deny", str(answer))
            self.assertNotIn("longer than", str(answer))
            said = agent.hook("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id=f"t{k}",
                              tool_response={"stdout": f"built {k}", "stderr": "", "interrupted": False}, duration_ms=121_000)
            self.assertNotIn("longer than", str(said))
        self.unharmed(agent.id, 4)

    def test_calls_that_wait_at_the_agents_own_dialog_only(self):
        clock = self.begin(**{"approvals.agent_dialog_wait": "0s"})
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="build it")
        for k in range(4):
            agent.pre(f"t{k}")
            agent.hook("PermissionRequest", tool_name="Bash", tool_input={"command": "make"})
            clock.advance(2 * MINUTE)
            agent.hook("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id=f"t{k}",
                       tool_response={"stdout": f"built {k}", "stderr": "", "interrupted": False})
        self.unharmed(agent.id, 4)

    def test_questions_of_the_agent_to_its_person(self):
        clock = self.begin()
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="build it")
        for k in range(4):
            args = {"questions": [{"question": f"which one, {k}?"}]}
            agent.pre(f"q{k}", "AskUserQuestion", args=args)
            clock.advance(10 * MINUTE)
            agent.hook("PostToolUse", tool_name="AskUserQuestion", tool_input=args, tool_use_id=f"q{k}",
                       tool_response={"answers": {"it": str(k)}}, duration_ms=600_000)
        self.unharmed(agent.id, 4)


if __name__ == "__main__":
    unittest.main()
