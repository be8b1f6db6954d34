#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sub-agents: how many are too many, what they use together, and that they end with the session that opened them."""
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.daemon import POSTGRES, own_database
from support.limits import eventually
from test_hooks import Agent, kinds

ANSWER = {"role": "assistant", "text": "done", "usage": {"input_tokens": 100, "cost_usd": 0.5}}


class Family:
    """Setup of the cases."""

    def launch(self, parent, count, first=0):
        for k in range(first, first + count):
            self.client.open(f"{parent}-c{k}", parent=parent)

    def fan_out(self, session, at_once, in_all, depth=1):
        def look():
            found = self.client.session(session).get("fan_out", {})
            return found if [found.get(k) for k in ("at_once", "in_all", "depth")] == [at_once, in_all, depth] else None
        return eventually(look)

    def needs(self, session):
        return [n for n in self.client.get("/v1/overview").json()["needs_you"] if n["session"] == session]

    def ended(self, session, code="parent_ended"):
        def look():
            found = self.client.session(session)
            return found if found["ended_at"] else None
        found = eventually(look)
        self.assertEqual(found["outcome"], "cancelled")
        end = kinds(self.client.journal(session), "session.ended")[0]
        self.assertEqual(end["code"], code)
        return found


class FanOut(SharedDaemonCase, Family):
    settings = {"fan_out.at_once": "3", "fan_out.in_all": "6", "fan_out.depth": "2"}

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        self.parent = unique("p")
        self.client.open(self.parent)

    def test_as_many_as_the_limit_need_nobody(self):
        self.launch(self.parent, 3)
        self.fan_out(self.parent, 3, 3)
        self.assertEqual(self.needs(self.parent), [])
        self.assertEqual(self.client.session(self.parent)["alarms"], [])

    def test_one_more_needs_a_person_and_tells_the_model(self):
        self.launch(self.parent, 4)
        self.fan_out(self.parent, 4, 4)
        (need,) = self.needs(self.parent)
        self.assertEqual((need["kind"], need["reason_code"], need["reason"], need["certain"]),
                         ("fan_out", "fan_out", "4 sub-agents at once, more than 3", True))
        (alarm,) = self.client.session(self.parent)["alarms"]
        self.assertEqual((alarm["kind"], alarm["detail"]), ("fan_out", "4 sub-agents at once, more than 3"))
        (directive,) = self.client.beat(self.parent)["directives"]
        self.assertEqual(directive["type"], "change_approach")
        self.assertIn("Wait for them to end before you launch more", directive["reason"])
        self.assertEqual(self.client.get(f"/progress/{self.parent}").json()["alarm"], "fan_out")

    def test_nothing_that_its_agent_reports_hides_it_and_a_person_does(self):
        self.launch(self.parent, 4)
        self.fan_out(self.parent, 4, 4)
        said = self.client.beat(self.parent)
        self.client.report(self.parent, "directive.acknowledged", id=said["directives"][0]["id"])
        self.client.report(self.parent, "message", role="user", text="go on")
        self.client.report(self.parent, "state.changed", state="idle")
        self.client.end(self.parent)
        self.assertEqual(len(self.needs(self.parent)), 1)
        seen = self.client.post(f"/v1/sessions/{self.parent}/alarms/acknowledge", {"reason": "meant"})
        self.assertEqual(seen.status, 200, seen.body)
        self.assertEqual(self.needs(self.parent), [])

    def test_one_after_the_other_too_many_in_all(self):
        for k in range(7):
            self.launch(self.parent, 1, k)
            self.client.end(f"{self.parent}-c{k}")
        self.fan_out(self.parent, 0, 7)
        (need,) = self.needs(self.parent)
        self.assertEqual(need["reason"], "7 sub-agents in all, more than 6")

    def test_generations_below_the_oldest(self):
        last = self.parent
        for k in range(3):
            child = f"{self.parent}-g{k}"
            self.client.open(child, parent=last)
            last = child
        self.fan_out(self.parent, 3, 3, 3)
        (need,) = self.needs(self.parent)
        self.assertEqual(need["reason"], "3 generations of sub-agents, more than 2")
        self.assertEqual(self.needs(f"{self.parent}-g0"), [])

    def orchestrate(self, edits: bool) -> list:
        """Verdicts of an agent that gives the same task to one sub-agent after the other, with equal answers."""
        agent, verdicts = Agent(self.daemon), []
        agent.hook("UserPromptSubmit", prompt="one sub-agent for each item")
        for k in range(1, 8):
            task = {"description": "next item", "prompt": "Take the next item of TODO.md and do it", "subagent_type": "coder"}
            done = "Done: 1 file changed."
            agent.hook("PreToolUse", tool_name="Agent", tool_input=task, tool_use_id=f"a{k}")
            agent.hook("SubagentStart", agent_id=f"s{k}", agent_type="coder")
            if edits:
                edit = {"tool_name": "Edit", "tool_use_id": f"e{k}", "agent_id": f"s{k}", "agent_type": "coder",
                        "tool_input": {"file_path": f"/m{k}.py", "old_string": "a", "new_string": f"b{k}"}}
                agent.hook("PreToolUse", **edit)
                agent.hook("PostToolUse", **edit, tool_response={"filePath": f"/m{k}.py"})
            agent.hook("SubagentStop", agent_id=f"s{k}", agent_type="coder", last_assistant_message=done)
            agent.hook("PostToolUse", tool_name="Agent", tool_input=task, tool_use_id=f"a{k}",
                       tool_response={"isAsync": False, "status": "completed", "agentId": f"s{k}", "prompt": task["prompt"],
                                      "content": [{"type": "text", "text": done}], "totalDurationMs": 1000 + k * 37})
            agent.hook("PostToolBatch", tool_calls=[{"tool_name": "Agent", "tool_input": task, "tool_use_id": f"a{k}", "tool_response": done}])
            verdicts.append(self.client.session(agent.id)["verdict"]["status"])
        return verdicts

    def test_equal_tasks_whose_sub_agents_change_files_are_no_loop(self):
        self.assertFalse({"suspect", "stuck"} & set(self.orchestrate(edits=True)))
        self.assertIn("stuck", self.orchestrate(edits=False))

    def test_sub_agents_by_hooks(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="build it")
        for k in range(4):
            agent.hook("SubagentStart", agent_id=f"a{k}", agent_type="Explore")
        self.fan_out(agent.id, 4, 4)
        (need,) = self.needs(agent.id)
        self.assertEqual(need["kind"], "fan_out")
        said = agent.hook("UserPromptSubmit", prompt="how is it")
        self.assertIn("4 sub-agents at once", str(said))

    def test_tokens_and_cost_reach_the_oldest_without_any_budget(self):
        line = [self.parent]
        for k in range(3):
            line.append(f"{self.parent}-t{k}")
            self.client.open(line[-1], parent=line[-2])
        for session in reversed(line[1:]):
            self.client.report(session, "message", **ANSWER)
        found = eventually(lambda: (lambda f: f if f.get("tokens") == 300 else None)(self.client.session(self.parent)["fan_out"]))
        self.assertEqual(found["cost_usd"], 1.5)
        for session in reversed(line[1:]):
            self.client.end(session)
        found = self.fan_out(self.parent, 0, 3, 3)
        self.assertEqual((found["tokens"], found["cost_usd"]), (300, 1.5))

    def test_what_happens_behind_an_end_does_not_count_again(self):
        child = f"{self.parent}-c0"
        self.launch(self.parent, 1)
        for k in range(4):
            self.client.open(f"{child}-c{k}", parent=child)
        eventually(lambda: self.needs(child))
        self.client.end(child)
        self.client.post(f"/v1/sessions/{child}/alarms/acknowledge", {})
        found = self.fan_out(self.parent, 0, 5, 2)
        self.assertEqual(found["at_once"], 0)


class Configured(OwnDaemonCase, Family):
    def begin(self, **settings):
        daemon = self.start({f"fan_out.{key}": value for key, value in settings.items()})
        self.client = daemon.operator()
        self.addCleanup(self.client.close)
        self.client.open("p")

    def test_the_defaults_are_16_200_and_4(self):
        self.begin()
        self.launch("p", 16)
        self.fan_out("p", 16, 16)
        self.assertEqual(self.needs("p"), [])
        self.launch("p", 1, 16)
        self.fan_out("p", 17, 17)
        self.assertEqual(len(self.needs("p")), 1)

    def test_off(self):
        self.begin(at_once="0", in_all="0", depth="0")
        self.launch("p", 40)
        self.fan_out("p", 40, 40)
        self.assertEqual(self.needs("p"), [])

    def test_a_person_is_asked_where_it_is_set(self):
        self.begin(at_once="1", on_exceeded="ask")
        self.launch("p", 2)
        answer = self.client.wait("p", until="settled", wait="20s")
        self.assertEqual((answer["matched"], answer["verdict"]["detector"]), ("blocked", "approval"))
        (asked,) = self.client.get("/v1/approvals?status=pending&session=p").json()["approvals"]
        self.assertEqual((asked["kind"], asked["source"]), ("question", "headway"))
        self.assertIn("2 sub-agents at once, more than 1", str(asked["summary"]))

    def test_it_is_told_to_stop_where_it_is_set(self):
        self.begin(at_once="1", on_exceeded="stop")
        self.launch("p", 2)
        self.fan_out("p", 2, 2)
        self.assertEqual([d["type"] for d in self.client.beat("p")["directives"]], ["stop"])


class TheirEnd(SharedDaemonCase, Family):
    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def test_sub_agents_by_hooks_end_with_their_agent_and_come_back_as_others(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="build it")
        agent.hook("SubagentStart", agent_id="a1", agent_type="Explore")
        agent.pre("t1", agent_id="a1", agent_type="Explore")
        agent.hook("SubagentStart", agent_id="a2", agent_type="Explore")
        self.fan_out(agent.id, 2, 2)
        agent.hook("SessionEnd", reason="exit")
        self.ended(f"{agent.id}.a1")
        self.ended(f"{agent.id}.a2")
        agent.pre("t2", agent_id="a1", agent_type="Explore")
        self.assertIsNone(self.client.session(f"{agent.id}.a1~2")["ended_at"])

    def test_a_child_that_reports_by_itself_is_told_and_loses_nothing(self):
        parent, child = unique("p"), unique("c")
        self.client.open(parent)
        self.client.open(child, parent=parent)
        self.client.beat(child)
        self.client.end(parent)
        told = eventually(lambda: self.client.beat(child)["directives"] or None)
        self.assertEqual([(d["type"], d["reason"]) for d in told],
                         [("stop", "the session that opened this one has ended: come to your end")])
        self.client.report(child, "tool.finished", tool="bash", args={"command": "make"}, result="ok")
        self.client.end(child)
        self.assertEqual(self.client.session(child)["outcome"], "completed")

    def test_sessions_that_name_each_other(self):
        a, b = unique("a"), unique("b")
        self.client.open(a, parent=b)
        self.client.open(b, parent=a)
        self.client.end(a)
        self.client.beat(b)
        self.assertIsNone(self.client.session(b)["ended_at"])

    def test_children_that_had_ended_before_stay_as_they_were(self):
        parent, child = unique("p"), unique("c")
        self.client.open(parent)
        self.client.open(child, parent=parent)
        self.client.end(child, "failed")
        before = len(self.client.journal(child))
        self.client.end(parent)
        self.client.beat(unique())
        self.assertEqual((len(self.client.journal(child)), self.client.session(child)["outcome"]), (before, "failed"))


@own_database
class InTime(OwnDaemonCase, Family):
    def begin(self):
        self.daemon = self.start(test_clock=True)
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        return self.daemon.clock

    def test_children_and_grandchildren_that_are_not_heard_end_at_once(self):
        clock = self.begin()
        self.client.open("p")
        self.client.open("c", parent="p")
        self.client.open("g", parent="c")
        clock.advance(600)
        self.client.end("p")
        self.ended("c")
        self.ended("g")

    def test_a_child_that_falls_silent_after_its_parent_ends_half_an_hour_later(self):
        clock = self.begin()
        self.client.open("p")
        self.client.open("c", parent="p")
        self.client.end("p")
        eventually(lambda: self.client.beat("c")["directives"] or None)
        clock.advance(29 * 60)
        self.assertIsNone(self.client.session("c")["ended_at"])
        clock.advance(2 * 60)
        self.ended("c")

    def test_a_crash_right_after_the_end_of_the_parent_forgets_no_child(self):
        clock = self.begin()
        self.client.open("p")
        for k in range(20):
            self.client.open(f"c{k}", parent="p")
        clock.advance(600)
        self.client.end("p")
        self.daemon.kill()
        self.client.close()
        self.daemon.start()
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        # No agent could report while the daemon was down: those that had not ended yet get half an hour.
        clock.advance(32 * 60)
        for k in range(20):
            self.ended(f"c{k}")


@unittest.skipUnless(POSTGRES, "needs a database that daemons share")
class TwoDaemons(OwnDaemonCase, Family):
    def test_a_family_over_two_daemons(self):
        first = self.start({"fan_out.at_once": "3"})
        second = self.start({"fan_out.at_once": "3"}, store=first.store)
        self.client, other = first.operator(), second.operator()
        self.addCleanup(self.client.close)
        self.addCleanup(other.close)
        self.client.open("p")
        for k in range(5):
            (other if k % 2 else self.client).open(f"c{k}", parent="p")
        other.open("g", parent="c1")
        self.fan_out("p", 6, 6, 2)
        self.assertEqual([n["kind"] for n in self.needs("p")], ["fan_out"])
        other.report("c1", "message", **ANSWER)
        eventually(lambda: self.client.session("p")["fan_out"]["tokens"] == 100)
        self.client.end("p")
        for k in range(5):
            told = eventually(lambda k=k: other.beat(f"c{k}")["directives"] or None)
            self.assertEqual([d["type"] for d in told], ["stop"])


class Ends(SharedDaemonCase):
    test_clock = True

    def test_a_sub_agent_whose_model_thinks_for_long_is_cut_off_by_an_end_as_well(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="review it")
        agent.hook("SubagentStart", agent_id="a1", agent_type="review")
        agent.hook("Stop", last_assistant_message="started", stop_hook_active=False, background_tasks=[
            {"id": "a1", "type": "subagent", "status": "running", "description": "review"}])
        self.clock.advance(300)
        agent.hook("SessionEnd", reason="other")
        ended = self.client.session(agent.id)
        self.assertEqual((ended["outcome"], ended["verdict"]["reason"]), ("failed", "its work in the background was cut off"))

    def test_a_call_of_a_sub_agent_is_cut_off_also_where_the_last_turn_named_none(self):
        for again, outcome in ((False, "failed"), (True, "completed")):
            agent = Agent(self.daemon)
            agent.hook("UserPromptSubmit", prompt="review it")
            agent.hook("SubagentStart", agent_id="a1", agent_type="review")
            agent.hook("PreToolUse", agent_id="a1", agent_type="review", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="b1")
            if again:  # as after an interruption
                self.clock.advance(5)
                agent.hook("UserPromptSubmit", prompt="go on")
            agent.hook("Stop", last_assistant_message="started", stop_hook_active=False)
            agent.hook("SessionEnd", reason="other")
            self.assertEqual(self.client.session(agent.id)["outcome"], outcome)

    def test_a_session_below_one_that_has_ended_is_cut_off_as_well(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="review it")
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        for name, parent in ((agent.id + "-run", agent.id), (agent.id + "-job", agent.id + "-run")):
            self.assertEqual(operator.put(f"/v1/sessions/{name}", {"goal": "go", "parent": parent}).status, 201)
        self.assertEqual(operator.post(f"/v1/sessions/{agent.id}-run/end", {"outcome": "completed"}).status, 200)
        self.assertIsNone(self.client.session(agent.id + "-job")["ended_at"])
        agent.hook("Stop", last_assistant_message="started", stop_hook_active=False, background_tasks=[
            {"type": "subagent", "status": "running", "description": "review"}])
        self.clock.advance(300)
        agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(agent.id)["outcome"], "failed")

    def test_a_sub_agent_whose_end_was_never_reported_is_not_the_one_that_the_last_turn_left_at_work(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="review it")
        agent.hook("SubagentStart", agent_id="left", agent_type="review")
        agent.hook("SubagentStart", agent_id="a2", agent_type="review")
        agent.hook("Stop", last_assistant_message="started", stop_hook_active=False, background_tasks=[
            {"id": "a2", "type": "subagent", "status": "running", "description": "review"}])
        agent.hook("SubagentStop", agent_id="a2", last_assistant_message="it is good")
        agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(agent.id)["outcome"], "completed")


if __name__ == "__main__":
    unittest.main()
