#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sub-agents that the lines of a run name: child sessions, as by hooks."""
import json
import subprocess
import unittest

from support.case import unique
from support.cli import finish
from support.limits import eventually
from test_run_lines import HOOKED, LinesCase

ABOUT = {"session_id": "c", "uuid": "u"}
BEGIN = {"type": "system", "subtype": "init", "model": "m"}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "All done.", "total_cost_usd": 0.5,
          "usage": {"input_tokens": 900, "output_tokens": 100}}


class Script:
    """Lines of one conversation of Claude Code."""

    def __init__(self):
        self.lines, self.calls = [BEGIN], 0

    def use(self, tool, args, parent=None, **more):
        self.calls += 1
        call = f"t{self.calls}"
        content = [{"type": "tool_use", "id": call, "name": tool, "input": args}]
        usage = {"input_tokens": 9, "output_tokens": 1}
        self.lines.append({"type": "assistant", "message": {"id": f"m{call}", "content": content, "usage": usage}, "parent_tool_use_id": parent, **more})
        return call

    def end(self, call, text, parent=None, error=False, **more):
        content = [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}]
        self.lines.append({"type": "user", "message": {"content": content}, "parent_tool_use_id": parent, **more})

    def call(self, tool, args, text, parent=None, error=False, **more):
        self.end(self.use(tool, args, parent, **more), text, parent, error, **more)

    def launch(self, what):
        return self.use("Task", {"description": what, "prompt": what, "subagent_type": "worker"})

    def text(self, *last) -> str:
        return "".join(json.dumps({**ABOUT, **line}) + "\n" for line in (*self.lines, *last))


def siblings(laps=12) -> tuple:
    """Four sub-agents at once: the first goes round, the others work."""
    script = Script()
    launched = [script.launch(f"part {n}") for n in range(4)]
    for lap in range(laps):
        for n, parent in enumerate(launched):
            if n == 0:
                script.call("Bash", {"command": "npm test"}, "1 failed", parent, error=True)
            else:
                script.call("Edit", {"file_path": f"/p/{n}.py", "old_string": f"a{lap}", "new_string": f"a{lap + 1}"}, "ok", parent)
                script.call("Bash", {"command": f"pytest p{n}"}, f"{lap} passed", parent)
    return script, launched


class SubAgentsOfLines(LinesCase):
    def children(self, session) -> dict:
        return {child["id"].rpartition(".")[2]: child for child in self.client.get(f"/v1/sessions?parent={session}").json()["sessions"]}

    def flagged(self, session) -> set:
        return {"suspect", "stuck"} & {event["data"]["to"] for event in self.client.journal(session) if event["type"] == "verdict.changed"}

    def ended(self, script, *last, **options):
        _, document, _ = self.run_lines(script.text(*last), **options)
        return document, self.children(document["id"])

    def test_one_that_goes_round_is_found_while_its_siblings_work(self):
        script, launched = siblings()
        for call in launched:
            script.end(call, "part done")
        document, children = self.ended(script, RESULT)
        self.assertEqual(sorted(children), sorted(launched))
        self.assertIn("stuck", self.flagged(children[launched[0]]["id"]))
        for other in launched[1:]:
            self.assertEqual(self.flagged(children[other]["id"]), set())
        self.assertEqual(self.flagged(document["id"]), set())
        about = self.client.session(children[launched[0]]["id"])
        self.assertEqual((about["goal"], about["agent"]["type"], about["outcome"]), ("part 0", "worker", "completed"))
        self.assertEqual(about["tools"]["calls"], 12)
        self.assertEqual(document["tools"]["calls"], 5)  # with the command
        self.assertEqual(document["fan_out"]["in_all"], 4)
        self.assertEqual((document["used"]["tokens"], document["used"]["cost_usd"]), (1000, 0.5))

    def test_the_steps_of_all_count_once_in_the_budget_of_the_run(self):
        script = Script()
        for n in range(3):
            call = script.launch(f"part {n}")
            for k in range(4):
                script.call("Read", {"file_path": f"/p/{n}{k}"}, f"text {n}{k}", call)
            script.end(call, f"done {n}")
        session = unique("lines")
        (self.daemon.root / "lines").write_text(script.text(RESULT))
        self.client.open(session, budget={"max_steps": 200, "max_cost_usd": 20})
        self.cli.run("run", "--session", session, "--quiet", "--", "sh", "-c", "cat lines")
        budget = self.client.get(f"/v1/sessions/{session}/budget").json()["budget"]
        self.assertEqual(budget["steps_completed"], 3 + 12 + 1)  # with the command
        self.assertEqual(budget["cost_used_usd"], 0.5)

    def test_a_program_that_names_a_launch_for_each_call_hides_nothing(self):
        script = Script()
        for n in range(20):
            script.call("Read", {"file_path": "/README.md"}, "# Shop, a small one", f"parent{n}")
        document, children = self.ended(script, RESULT)
        self.assertEqual(children, {})
        self.assertIn("stuck", self.flagged(document["id"]))

    def test_one_that_is_left_at_work_ends_with_the_run(self):
        script = Script()
        call = script.launch("part")
        script.use("Bash", {"command": "make"}, call)
        document, children = self.ended(script)
        (child,) = children.values()
        self.assertEqual(child["outcome"], "cancelled")
        self.assertNotEqual(document["outcome"], "completed")

    def test_one_that_failed_and_one_whose_name_another_had(self):
        script = Script()
        call = script.launch("part")
        script.call("Bash", {"command": "make"}, "made", call, agent_id="a1")
        script.end(call, "API Error: 500", error=True)
        again = script.launch("part, once more")
        script.call("Bash", {"command": "make all"}, "made all", again, agent_id="a1")
        script.end(again, "done")
        _, children = self.ended(script, RESULT)
        self.assertEqual({name: child["outcome"] for name, child in children.items()}, {"a1": "failed", "a1~2": "completed"})

    def test_a_session_of_that_name_of_another_is_left_alone(self):
        script = Script()
        call = script.launch("part")
        for n in range(8):
            script.call("Bash", {"command": "npm test"}, "1 failed", call, error=True)
        script.end(call, "done")
        session = unique("lines")
        (self.daemon.root / "lines").write_text(script.text(RESULT))
        self.client.open(f"{session}.{call}")
        self.cli.run("run", "--session", session, "--quiet", "--", "sh", "-c", "cat lines")
        self.assertEqual(self.children(session), {})
        self.assertEqual(self.client.session(f"{session}.{call}")["tools"]["calls"], 0)
        self.assertIn("stuck", self.flagged(session))

    def test_a_cancel_of_the_run_stops_it_while_only_a_sub_agent_works(self):
        lines = Script()
        call = lines.launch("part")
        for n in range(600):
            lines.call("Bash", {"command": f"make {n}"}, f"made {n}", call)
        (self.daemon.root / "slow").write_text(lines.text())
        session, process = self.script("""
            import time
            for line in open("slow"):
                print(line, end="", flush=True)
                time.sleep(0.05)
        """, "--interval", "60s")
        eventually(lambda: self.children(session), what="its sub-agent")
        self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "enough"})
        self.assertEqual(finish(process).code, 128 + 15)
        (child,) = self.children(session).values()
        self.assertEqual((child["outcome"], self.client.session(session)["outcome"]), ("cancelled", "cancelled"))

    def test_one_that_has_to_stop_and_goes_on_is_the_runs_own(self):
        script = Script()
        call = script.launch("part")
        for part, laps in (("first", 1), ("one", 1), ("more", 8)):
            for n in range(laps):
                script.call("Bash", {"command": "npm test"}, "1 failed", call, error=True)
            (self.daemon.root / part).write_text(script.text())
            script.lines = []
        session, process = self.script("""
            import sys
            for part in ("first", "one", "more"):
                print(open(part).read(), end="", flush=True)
                sys.stdin.readline()
        """, stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        eventually(lambda: self.children(session), what="its sub-agent")
        self.client.post(f"/v1/sessions/{session}.{call}/cancel", {"reason": "enough"})
        for wanted in (lambda: self.client.session(f"{session}.{call}")["ended_at"], lambda: "stuck" in self.flagged(session)):
            process.stdin.write("go\n")
            process.stdin.flush()
            eventually(wanted)
        process.stdin.close()
        finish(process)
        (child,) = self.children(session).values()
        self.assertEqual(child["outcome"], "cancelled")
        calls = self.client.session(session)["tools"]["calls"] + self.client.session(child["id"])["tools"]["calls"]
        self.assertEqual(calls, 1 + 2 + 8)  # with the command; the launching call has not ended

    def test_while_one_works_the_run_waits_for_it(self):
        lines = Script()
        call = lines.launch("part")
        lines.call("Bash", {"command": "make"}, "made", call)
        session, process = self.script(f"""
            import sys
            print({lines.text()!r}, end="", flush=True)
            sys.stdin.readline()
        """, stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        eventually(lambda: self.children(session), what="its sub-agent")
        reply = self.client.get(f"/v1/sessions/{session}/wait?until=settled&wait=1500ms").json()
        self.assertFalse(reply["met"], reply)
        process.stdin.close()
        finish(process)
        reply = self.client.get(f"/v1/sessions/{session}/wait?until=settled&wait=1500ms").json()
        self.assertTrue(reply["met"], reply)

    def test_hooks_that_tell_it_open_the_only_session(self):
        begins = HOOKED.index("    for call in")
        sub_agent = """
    line(type="assistant", message={"id": "l", "content": [{"type": "tool_use", "id": "t0", "name": "Task", "input": {"description": "part"}}]})
    hook("PreToolUse", tool_name="Task", tool_input={"description": "part"}, tool_use_id="t0")
    tool = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "below", "agent_id": "helper", "agent_type": "helper"}
    hook("PreToolUse", **tool)
    line(type="assistant", parent_tool_use_id="t0", message={"id": "b", "content": [{"type": "tool_use", "id": "below", "name": "Bash", "input": {"command": "ls"}}]})
    hook("PostToolUse", **tool, tool_response={"stdout": "a", "stderr": ""})
    line(type="user", parent_tool_use_id="t0", message={"content": [{"type": "tool_result", "tool_use_id": "below", "content": "a"}]})
    hook("PostToolUse", tool_name="Task", tool_input={"description": "part"}, tool_use_id="t0", tool_response={"content": "done"})
    line(type="user", message={"content": [{"type": "tool_result", "tool_use_id": "t0", "content": "done"}]})
"""
        session, process = self.script(HOOKED[:begins] + sub_agent.lstrip("\n") + HOOKED[begins:])
        self.assertEqual(finish(process).code, 0)
        self.assertEqual(sorted(self.children(session)), ["helper"])
        calls = [event["data"]["call_id"] for event in self.client.journal(session) if event["type"] == "tool.finished"]
        self.assertEqual(sorted(calls), ["run", "t0", "t1", "t2"])


if __name__ == "__main__":
    unittest.main()
