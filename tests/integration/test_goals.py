#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A goal of an operator: at the end of a turn headway-hook runs a command, and while it fails the agent goes on. Bounded by the daemon."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.daemon import BINARY, Daemon
from support.limits import eventually, patient

HOOK = BINARY.with_name("headway-hook")


class GoalCase(SharedDaemonCase):
    """A session of an agent whose end of a turn is a real headway-hook."""

    def begin(self, agent="claude"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.agent, self.native, self.calls = agent, unique("n"), 0
        self.session = f"{agent}-{self.native}"
        self.event("UserPromptSubmit", prompt="fix it")
        self.call()

    def event(self, name, **members) -> dict:
        reply = self.client.post(f"/v1/hooks/{self.agent}", {"hook_event_name": name, "session_id": self.native, **members})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def call(self):
        self.calls += 1
        about = {"tool_name": "Write", "tool_input": {"file_path": f"/src/{self.calls}.c", "content": f"int f{self.calls};"},
                 "tool_use_id": f"t{self.calls}"}
        self.event("PreToolUse", **about)
        self.event("PostToolUse", **about, tool_response={"type": "create", "filePath": f"/src/{self.calls}.c"})

    def environment(self) -> dict:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWAY_", "CLAUDE_", "STATE_DIRECTORY"))}
        return {**kept, "XDG_STATE_HOME": str(self.folder / "state")}

    def stop(self, command=None, wait=True, program=(str(HOOK),), **members):
        """The end of a turn: the reply of the hook."""
        body = {"hook_event_name": "AfterAgent" if self.agent == "gemini" else "Stop", "session_id": self.native, "cwd": str(self.folder),
                **members}
        words = [*program, self.agent, "--url", self.daemon.url] + (["--until", command] if command else [])
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment())
        process.stdin.write(json.dumps(body))
        process.stdin.close()
        if not wait:
            return process
        with process.stdout:
            out = process.stdout.read()
        self.assertEqual(process.wait(timeout=patient(60)), 0)
        return json.loads(out)

    def journal(self, kind) -> list:
        events = self.client.get(f"/v1/sessions/{self.session}/events?limit=1000&types={kind}").json()["events"]
        return [event["data"] for event in events]

    def runs(self) -> int:
        file = self.folder / "runs"
        return len(file.read_text()) if file.exists() else 0

    def needs_a_person(self) -> bool:
        verdict = self.client.get(f"/v1/sessions/{self.session}").json()["verdict"]
        needs = self.client.get("/v1/digest?since=8h").json()["needs_you"]
        return verdict["status"] == "blocked" and self.session in [need["session"] for need in needs]


FAILS = "printf x >> runs; echo 1 test failed; exit 2"


class Goals(GoalCase):
    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def test_an_agent_that_has_reached_its_goal_waits_for_a_task(self):
        self.begin()
        self.assertEqual(self.stop("true"), {})
        self.assertEqual(self.client.session(self.session)["verdict"]["status"], "waiting")

    def test_each_agent_goes_on_in_its_own_words_and_stops_when_the_command_passes(self):
        for agent, decision in (("claude", "block"), ("codex", "block"), ("qwen", "block"), ("copilot", "block"), ("gemini", "deny")):
            with self.subTest(agent):
                self.begin("claude" if agent == "gemini" else agent)
                if agent == "gemini":
                    self.agent, self.session = "gemini", f"gemini-{self.native}"
                    self.event("BeforeAgent", prompt="fix it")
                    self.event("BeforeTool", tool_name="read_file", tool_input={"path": "a"})
                reply = self.stop(FAILS)
                self.assertEqual(reply["decision"], decision)
                self.assertIn("`printf x >> runs; echo 1 test failed; exit 2` ends with exit status 2", reply["reason"])
                self.assertIn("1 test failed", reply["reason"])
                self.assertEqual(self.runs(), 1)
                self.assertEqual(self.stop("true"), {})
                checks = [call for call in self.journal("tool.finished") if call["tool"] == "check"]
                self.assertEqual([(call["ok"], call["args"]["command"]) for call in checks], [(False, FAILS), (True, "true")])

    def test_it_is_off_unless_set_and_no_field_of_the_agent_sets_it(self):
        self.begin()
        self.assertEqual(self.stop(), {})
        self.assertEqual(self.stop(until=FAILS, headway_until=FAILS, goal=FAILS, wants_goal=True), {})
        self.assertEqual(self.runs(), 0)
        # Nor does one lift it.
        self.assertEqual(self.stop(FAILS, until="", goal=None, stop_hook_active=True)["decision"], "block")

    def test_only_a_persons_message_pursues_it_in_the_next_session(self):
        for prompts in (False, True):
            with self.subTest(prompts=prompts):
                self.begin()
                self.event("SessionEnd", reason="other")
                self.client.put(f"/v1/sessions/{self.session}~2", {"goal": "mine"})  # as an agent may
                if prompts:
                    self.event("UserPromptSubmit", prompt="go on")
                self.call()
                self.assertEqual(self.stop(FAILS).get("decision"), "block" if prompts else None)

    def test_the_hook_for_daemons_behind_tls_pursues_it_too(self):
        self.begin()
        self.assertEqual(self.stop(FAILS, program=(str(BINARY), "hook"))["decision"], "block")
        self.call()
        self.assertEqual(self.stop("true", program=(str(BINARY), "hook")), {})
        self.assertEqual(self.runs(), 1)

    def test_nothing_is_run_while_a_sub_agent_waits_for_a_person(self):
        self.begin()
        self.event("SubagentStart", agent_id="a1", agent_type="general-purpose")
        asked = self.client.post(f"/v1/sessions/{self.session}.a1/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        self.assertEqual((self.stop(FAILS), self.runs()), ({}, 0))
        self.client.post(f"/v1/approvals/{asked}/decision", {"decision": "approve", "by": "ana"})
        self.assertEqual((self.stop(FAILS)["decision"], self.runs()), ("block", 1))

    def test_the_digest_counts_it_as_resumed(self):
        self.begin()
        self.stop(FAILS)
        resumed = [r["reason"] for r in self.client.get("/v1/digest?since=8h").json()["resumed"] if r["session"] == self.session]
        self.assertEqual(len(resumed), 1)
        self.assertTrue(resumed[0].startswith("goes on, 1 of 5: "), resumed)

    def test_without_a_call_since_then_the_agent_is_let_go(self):
        self.begin()
        self.assertEqual(self.stop(FAILS)["decision"], "block")
        self.assertEqual(self.stop(FAILS), {})
        self.assertTrue(self.needs_a_person())

    def test_a_command_that_cannot_be_run_needs_a_person(self):
        self.begin()
        self.assertEqual(self.stop("maek-does-not-exist test"), {})
        self.assertTrue(self.needs_a_person())
        verdict = self.client.get(f"/v1/sessions/{self.session}").json()["verdict"]
        self.assertIn("the operator's goal command cannot be run: `maek-does-not-exist test` ends with exit status 127", verdict["reason"])
        self.assertNotIn("tool", verdict["reason"])

    def test_a_paused_or_cancelled_session_runs_no_command(self):
        for verb in ("pause", "cancel"):
            with self.subTest(verb):
                self.begin()
                self.assertEqual(self.client.post(f"/v1/sessions/{self.session}/{verb}", {}).status, 200)
                self.assertNotIn("decision", self.stop(FAILS))
                self.assertEqual(self.runs(), 0)

    def test_nothing_is_kept_going_while_keep_going_is_off(self):
        for program in ((str(HOOK),), (str(BINARY), "hook")):
            with self.subTest(program[-1]):
                self.begin()
                for switch in ("off", "on"):
                    subprocess.run([str(BINARY), "keep-going", switch], env=self.environment(), check=True, capture_output=True)
                    decision = self.stop(FAILS, program=program).get("decision")
                    self.assertEqual((switch, decision), (switch, "block" if switch == "on" else None))
                self.assertEqual(self.runs(), 1)

    def test_off_while_the_command_runs_lets_the_agent_stop(self):
        for program in ((str(HOOK),), (str(BINARY), "hook")):
            with self.subTest(program[-1]):
                self.begin()
                process = self.stop("touch asked; while ! test -e go; do sleep 0.05; done; false", wait=False, program=program)
                self.addCleanup(process.kill)
                eventually((self.folder / "asked").exists, what="the command does not run")
                subprocess.run([str(BINARY), "keep-going", "off"], env=self.environment(), check=True, capture_output=True)
                (self.folder / "go").touch()
                with process.stdout:
                    self.assertEqual(json.loads(process.stdout.read()), {})
                process.wait(timeout=patient(30))
                said = [message["text"] for message in self.journal("message") if message["text"].startswith("goes on,")]
                self.assertEqual(said, [])

    def test_a_command_fails_also_where_ends_of_children_are_ignored(self):
        for program in ((str(HOOK),), (str(BINARY), "hook")):
            with self.subTest(program[-1]):
                self.begin()
                reply = self.stop(FAILS, program=("env", "--ignore-signal=CHLD", *program))
                self.assertEqual(reply.get("decision"), "block")
                self.assertIn("ends with exit status 2", reply["reason"])

    def test_off_in_another_state_directory_says_that_hooks_go_on(self):
        self.begin()
        with tempfile.TemporaryDirectory() as other:
            for switch, word in (("off", "goals of hooks go on"), ("on", "on\n")):
                done = subprocess.run([str(BINARY), "keep-going", switch, "--state-dir", other], env=self.environment(), check=True,
                                      capture_output=True, text=True)
                self.assertIn(word, done.stdout)
        done = subprocess.run([str(BINARY), "keep-going", "off"], env=self.environment(), check=True, capture_output=True, text=True)
        self.addCleanup(subprocess.run, [str(BINARY), "keep-going", "on"], env=self.environment(), check=True, capture_output=True)
        self.assertNotIn("go on", done.stdout)

    def test_a_pending_approval_runs_no_command(self):
        self.begin()
        self.client.post(f"/v1/sessions/{self.session}/approvals", {"tool": "bash", "args": {"command": "rm -r build"}})
        self.assertEqual(self.stop(FAILS), {})
        self.assertEqual(self.runs(), 0)

    def test_a_pause_while_the_command_runs_holds_the_agent(self):
        self.begin()
        go = self.folder / "go"
        process = self.stop("touch asked; while ! test -e go; do sleep 0.05; done; false", wait=False)
        self.addCleanup(process.kill)
        eventually((self.folder / "asked").exists, what="the command does not run")
        self.client.post(f"/v1/sessions/{self.session}/pause", {})
        go.touch()
        with process.stdout:
            self.assertEqual(json.loads(process.stdout.read()), {})
        process.wait(timeout=patient(30))

    def test_an_agent_that_ends_its_hook_ends_the_command(self):
        self.begin()
        process = self.stop("echo $$ > pid; touch asked; sleep 600", wait=False)
        self.addCleanup(process.kill)
        eventually((self.folder / "asked").exists, what="the command does not run")
        pid = int((self.folder / "pid").read_text())
        process.terminate()
        self.assertEqual(process.wait(timeout=patient(30)), 0)
        process.stdout.close()
        eventually(lambda: not Path(f"/proc/{pid}").exists(), what="the command lives on")


class GoalsBound(GoalCase):
    def test_an_agent_that_opens_its_next_session_begins_no_new_count(self):
        self.begin()
        on = 0
        for prompts in range(4):
            for _ in range(3):
                on += self.stop(FAILS).get("decision") == "block"
                self.call()
            self.event("SessionEnd", reason="other")
            self.event("SessionStart", source="resume")
            self.event("UserPromptSubmit", prompt="go on")
            self.call()
        self.assertEqual(on, 5)
        self.session += "~4"
        said = [message["text"] for message in self.journal("message") if message["text"].startswith("goes on,")]
        self.assertEqual(said, [])
        self.session = self.session[:-1] + "2"
        said = [message["text"].split(":")[0] for message in self.journal("message") if message["text"].startswith("goes on,")]
        self.assertEqual(said, ["goes on, 4 of 5", "goes on, 5 of 5"])

    def test_five_times_in_a_session_also_over_a_restart_of_the_daemon(self):
        self.daemon = Daemon().start()
        self.addCleanup(self.daemon.close)
        self.client = self.daemon.operator()
        self.begin()
        for turn in range(5):
            if turn == 3:
                self.client.close()
                self.daemon.restart()
                self.client = self.daemon.operator()
            self.assertEqual(self.stop(FAILS).get("decision"), "block", turn)
            self.call()
        self.assertEqual(self.stop(FAILS), {})
        self.assertTrue(self.needs_a_person())
        said = [message["text"] for message in self.journal("message") if message["role"] == "system"]
        self.assertEqual([text.split(":")[0] for text in said], [f"goes on, {n} of 5" for n in range(1, 6)])
        self.client.close()


if __name__ == "__main__":
    unittest.main()
