#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hooks of agents: what they report, what they are answered, and how they wait for a person."""
import json
import os
import signal
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.http import RawConnection
from support.limits import eventually

SETTINGS = {"approvals.require_tools": "class:edit"}


class Agent:
    """An agent in the form of one dialect, with hooks of its own session."""

    def __init__(self, daemon, dialect="claude", session=None):
        self.daemon = daemon
        self.dialect = dialect
        self.native = session or unique("n")
        self.id = f"{dialect}-{self.native}"

    def hook(self, event, headers=None, **members) -> dict:
        client = self.daemon.client()
        try:
            body = {"hook_event_name": event, "session_id": self.native, **members}
            reply = client.post(f"/v1/hooks/{self.dialect}", body, headers)
            assert reply.status == 200, (reply.status, reply.body)
            return reply.json()
        finally:
            client.close()

    def pre(self, call, tool="Bash", **members):
        return self.hook("PreToolUse", tool_name=tool, tool_input=members.pop("args", {"command": "make"}),
                         tool_use_id=call, **members)

    def fails(self, call, error="Exit code 2\nmake: *** No rule to make target", **members):
        return self.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"}, tool_use_id=call,
                         error=error, **members)

    def batch(self, *calls):
        return self.hook("PostToolBatch", tool_calls=[
            {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": call,
             "tool_response": "Exit code 2\nmake: *** No rule to make target"} for call in calls])


def kinds(journal, kind) -> list:
    return [event["data"] for event in journal if event["type"] == kind]


class HookCase(SharedDaemonCase):
    settings = SETTINGS

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        self.agent = Agent(self.daemon)

    def later(self, function, *args, **more):
        pool = ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        return pool.submit(function, *args, **more)

    def pending(self, session):
        def look():
            reply = self.client.get("/v1/approvals?status=pending&session=" + session)
            return reply.json().get("approvals") if reply.status == 200 else None
        return eventually(look)[0]["id"]

    def decide(self, session, decision, **more):
        approval = self.pending(session)
        reply = self.client.post(f"/v1/approvals/{approval}/decision", {"decision": decision, **more})
        self.assertEqual(reply.status, 200, reply.body)


class Rounds(HookCase):
    def test_a_turn_that_the_agent_counts_itself_is_a_round(self):
        agent = Agent(self.daemon, "cline")
        fixtures = Path(__file__).parents[1] / "unit/api/hooks/fixtures/cline"
        for n in range(1, 6):
            for name in ("pre", "post_failed"):
                body = json.loads((fixtures / f"{name}.json").read_bytes()) | {"iteration": n, "sessionContext": {"rootSessionId": agent.native}}
                body["tool_call" if name == "pre" else "tool_result"]["id"] = f"c{n}"
                self.assertEqual(self.client.post("/v1/hooks/cline", body).status, 200)
        rounds = [call.get("round") for call in kinds(self.client.journal(agent.id), "tool.started")]
        self.assertEqual(rounds, [1, 2, 3, 4, 5])


class NamedProcesses(HookCase):
    """Agents whose process is named by headers, as the plugins do."""

    def process(self):
        child = subprocess.Popen(["sleep", "600"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        stat = Path(f"/proc/{child.pid}/stat").read_text()
        return child, {"X-Headway-Agent-Pid": str(child.pid), "X-Headway-Agent-Start": stat[stat.rindex(")") + 2:].split()[19],
                       "X-Headway-Agent-Boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
                       "X-Headway-Agent-Pid-Ns": os.readlink("/proc/self/ns/pid")[5:-1]}

    def begin(self, headers) -> Agent:
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", headers, prompt="go")
        return agent

    def test_an_agent_that_is_killed_in_its_turn_has_failed(self):
        child, headers = self.process()
        agent = self.begin(headers)
        child.kill()
        session = eventually(lambda: self.client.session(agent.id)["ended_at"] and self.client.session(agent.id))
        self.assertEqual(session["outcome"], "failed")
        self.assertIn("agent_gone", json.dumps(session))

    def test_an_agent_that_ends_after_its_turn_has_completed(self):
        child, headers = self.process()
        agent = self.begin(headers)
        agent.hook("Stop", headers, last_assistant_message="done")
        child.kill()
        session = eventually(lambda: self.client.session(agent.id)["ended_at"] and self.client.session(agent.id))
        self.assertEqual(session["outcome"], "completed")

    def test_sessions_that_are_not_open_take_no_room_of_those_that_are(self):
        child, headers = self.process()
        for n in range(300):
            Agent(self.daemon).hook("SessionEnd", headers, reason="other")  # never opened
            if n % 10 == 0:
                agent = self.begin(headers)
                agent.hook("SessionEnd", headers, reason="other")
        another, headers = self.process()
        agent = self.begin(headers)
        another.kill()
        eventually(lambda: self.client.session(agent.id)["ended_at"])

    def test_a_process_of_another_place_or_time_is_not_known(self):
        for name, value in (("Start", "1"), ("Boot", "another"), ("Pid-Ns", "1"), ("Pid", "0")):
            child, headers = self.process()
            agent = self.begin(headers | {f"X-Headway-Agent-{name}": value})
            child.kill()
            child.wait()
            other, headers = self.process()
            witness = self.begin(headers)
            other.kill()
            eventually(lambda: self.client.session(witness.id)["ended_at"])
            self.assertIsNone(self.client.session(agent.id)["ended_at"], name)


class Reports(HookCase):
    def test_a_prompt_opens_the_session_with_its_goal_and_agent(self):
        self.assertEqual(self.agent.hook("SessionStart", source="startup", cwd="/home/dev/shop"), {})
        session = self.client.session(self.agent.id)
        self.assertEqual((session["verdict"]["status"], session["state"]), ("waiting", "idle"))
        self.agent.hook("UserPromptSubmit", prompt="fix the tests", cwd="/home/dev/shop")
        session = self.client.session(self.agent.id)
        self.assertEqual((session["goal"], session["agent"]["type"], session["labels"]["workspace"]),
                         ("fix the tests", "claude", "/home/dev/shop"))
        self.assertEqual(session["next_heartbeat_ms"], 600_000)  # a model that thinks has no hooks

    def test_a_loop_is_noticed_and_the_advice_is_said_once_for_each_step(self):
        said = []
        for i in range(8):
            self.agent.pre(f"t{i}")
            said.append(self.agent.fails(f"t{i}"))
            self.assertEqual(self.agent.batch(f"t{i}"), {})
        words = [reply["hookSpecificOutput"]["additionalContext"] for reply in said if reply]
        self.assertEqual(len(words), 2, said)
        self.assertIn("same result", words[0])
        self.assertEqual(self.client.session(self.agent.id)["verdict"]["status"], "stuck")
        journal = self.client.journal(self.agent.id)
        self.assertEqual(len(kinds(journal, "tool.finished")), 8)  # a batch names them again
        self.assertEqual(len(kinds(journal, "directive.delivered")), 2)
        self.assertEqual([d["round"] for d in kinds(journal, "tool.finished")], list(range(1, 9)))

    def test_a_loop_of_an_agent_whose_ends_of_rounds_do_not_come_is_noticed_later(self):
        for i in range(40):
            self.agent.pre(f"t{i}")
            self.agent.fails(f"t{i}")
        session = self.client.session(self.agent.id)
        self.assertEqual((session["adapter"]["channel"], session["adapter"]["missing"]), ("degraded", ["batch"]))
        self.assertEqual(session["verdict"]["status"], "stuck")
        self.assertGreater(session["progress"]["rounds"], 5)
        self.agent.batch("t39")
        self.assertEqual(self.client.session(self.agent.id)["adapter"]["channel"], "ok")

    def test_a_channel_whose_results_do_not_come_is_shown_everywhere(self):
        def channels():
            return self.client.get("/v1/overview").json()["hook_channels"]
        self.assertNotIn("adapter", self.client.open(unique()))
        self.agent.pre("c0")
        adapter = self.client.session(self.agent.id)["adapter"]
        self.assertEqual({**adapter, "last_hook_at": ""}, {"name": "claude", "agent_version": None, "channel": "ok", "missing": [],
                                                            "last_hook_at": ""})
        broken = channels()["degraded"]
        for i in range(1, 16):
            self.agent.pre(f"c{i}")
        row = self.client.get(f"/v1/sessions?view=row&ids={self.agent.id}").json()["sessions"][0]
        for shown in (row, self.client.session(self.agent.id)):
            self.assertEqual((shown["adapter"]["channel"], shown["adapter"]["missing"]), ("degraded", ["post"]))
        eventually(lambda: channels()["degraded"] == broken + 1, what="the overview")
        self.assertRegex(self.client.get("/metrics").body.decode(), r'headway_hook_channels\{channel="degraded"\} [1-9]')
        self.agent.fails("c15")
        self.assertEqual(self.client.session(self.agent.id)["adapter"]["channel"], "ok")

    def test_calls_that_are_refused_need_no_result(self):
        self.agent.pre("c0")
        self.client.post(f"/v1/sessions/{self.agent.id}/cancel", {"reason": "enough"})
        for i in range(1, 20):
            self.agent.pre(f"c{i}")
        self.assertEqual(self.client.session(self.agent.id)["adapter"]["channel"], "ok")

    def test_a_batch_reports_the_calls_that_had_no_hook(self):
        self.agent.hook("PostToolBatch", tool_calls=[
            {"tool_name": "Nope", "tool_input": {}, "tool_use_id": "t1",
             "tool_response": "<tool_use_error>Error: No such tool available: Nope</tool_use_error>"}])
        finished = kinds(self.client.journal(self.agent.id), "tool.finished")
        self.assertEqual([d["error"]["class"] for d in finished], ["unknown_tool"])

    def test_a_command_in_one_folder_after_the_other_is_no_loop_and_in_one_folder_it_is(self):
        for folders, loops in ((8, False), (1, True)):
            agent = Agent(self.daemon)
            agent.hook("UserPromptSubmit", prompt="test all packages")
            for n in range(8):
                about = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": f"t{n}", "cwd": f"/repo/p{n % folders}"}
                agent.hook("PreToolUse", **about)
                done = {"stdout": "Tests: 12 passed, 12 total", "stderr": ""}
                agent.hook("PostToolUse", **about, tool_response=done)
                agent.hook("PostToolBatch", tool_calls=[{**about, "tool_response": done}])
            seen = {event["data"]["to"] for event in self.client.journal(agent.id) if event["type"] == "verdict.changed"}
            self.assertEqual(bool(seen & {"suspect", "stuck"}), loops, seen)

    def test_a_session_that_was_never_asked_for_anything_is_no_success(self):
        self.agent.hook("SessionStart", source="startup")
        self.agent.hook("SessionEnd", reason="other")
        ended = self.client.session(self.agent.id)
        self.assertEqual((ended["outcome"], ended["verdict"]["reason"]), ("cancelled", "it ended without a prompt"))

    def test_a_note_at_the_start_is_no_task(self):
        self.agent.hook("SessionStart", source="startup")
        self.agent.hook("Notification", notification_type="auth_success", message="Signed in")
        self.agent.hook("SessionEnd", reason="other")
        ended = self.client.session(self.agent.id)
        self.assertEqual((ended["outcome"], ended["verdict"]["reason"]), ("cancelled", "it ended without a prompt"))

    def test_an_agent_that_answered_a_prompt_without_a_text_has_not_ended_without_a_prompt(self):
        self.agent.hook("SessionStart", source="startup")
        self.agent.hook("UserPromptSubmit", prompt="")  # a picture alone
        self.agent.hook("Stop", last_assistant_message="It is a cat.", stop_hook_active=False, background_tasks=[])
        self.agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(self.agent.id)["outcome"], "completed")

    def test_a_session_whose_only_turn_had_neither_words_nor_a_call_has_failed(self):
        for message in ("", None):
            agent = Agent(self.daemon)
            agent.hook("UserPromptSubmit", prompt="go")
            agent.hook("Stop", last_assistant_message=message, stop_hook_active=False, background_tasks=[])
            agent.hook("SessionEnd", reason="other")
            ended = self.client.session(agent.id)
            self.assertEqual((ended["outcome"], ended["verdict"]["reason"]), ("failed", "its last turn had neither words nor a call"))

    def test_a_turn_without_words_is_none_with_gemini_and_in_the_neutral_form_either(self):
        gemini = [("BeforeAgent", {"prompt": "go"}), ("AfterAgent", {"prompt": "go", "prompt_response": ""}), ("SessionEnd", {"reason": "exit"})]
        neutral = [("prompt", {"text": "go"}), ("stop", {"text": ""}), ("end", {})]
        for name, key, event, hooks in (("gemini", "session_id", "hook_event_name", gemini), ("generic", "session", "event", neutral)):
            session = unique("silent")
            about = {"agent": "gemini"} if name == "generic" else {"cwd": "/tmp"}
            for kind, fields in hooks:
                reply = self.client.post(f"/v1/hooks/{name}", {key: session, event: kind, **about, **fields})
                self.assertEqual(reply.status, 200, reply.body)
            self.assertEqual(self.client.session("gemini-" + session)["outcome"], "failed", name)

    def test_a_sub_agent_without_a_word_or_a_call_has_failed(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.agent.hook("SubagentStart", agent_id="a1", agent_type="review")
        self.agent.hook("SubagentStop", agent_id="a1", agent_type="review", last_assistant_message="", stop_hook_active=False)
        self.assertEqual(self.client.session(self.agent.id + ".a1")["outcome"], "failed")

    def test_a_sub_agent_that_stops_inside_a_call_without_a_word_has_failed(self):
        for finishes, words, outcome in ((False, "", "failed"), (False, "I stop here.", "completed"), (True, "", "completed")):
            agent = Agent(self.daemon)
            agent.hook("UserPromptSubmit", prompt="go")
            agent.hook("SubagentStart", agent_id="a1", agent_type="review")
            call = {"agent_id": "a1", "tool_name": "Read", "tool_input": {"file_path": "/w/a"}, "tool_use_id": "t1"}
            agent.hook("PreToolUse", **call)
            if finishes:
                agent.hook("PostToolUse", **call, tool_response="text")
            agent.hook("SubagentStop", agent_id="a1", agent_type="review", last_assistant_message=words, stop_hook_active=False)
            self.assertEqual(self.client.session(agent.id + ".a1")["outcome"], outcome, (finishes, words))

    def test_a_turn_that_ends_behind_its_call_without_words_is_no_failure(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.agent.pre("t1")
        self.agent.hook("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t1", tool_response={"stdout": "ok", "stderr": ""})
        self.agent.hook("Stop", last_assistant_message="", stop_hook_active=False, background_tasks=[])
        self.agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(self.agent.id)["outcome"], "completed")

    def test_a_session_that_ends_while_its_sub_agent_is_at_work_is_no_success(self):
        cases = (("other", False, "failed"), ("prompt_input_exit", False, "cancelled"), ("other", True, "completed"))
        for reason, over, outcome in cases:
            agent = Agent(self.daemon)
            agent.hook("UserPromptSubmit", prompt="review it")
            agent.hook("SubagentStart", agent_id="a1", agent_type="review")
            agent.hook("Stop", last_assistant_message="started", stop_hook_active=False, background_tasks=[
                {"id": "a1", "type": "subagent", "status": "running", "description": "review"}])
            if over:
                agent.hook("SubagentStop", agent_id="a1", agent_type="review", last_assistant_message="fine", stop_hook_active=False)
            agent.hook("SessionEnd", reason=reason)
            self.assertEqual(self.client.session(agent.id)["outcome"], outcome, (reason, over))

    def test_the_end_of_a_turn_closes_calls_and_makes_it_wait(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.agent.pre("t1")
        self.agent.hook("Stop", last_assistant_message="done", stop_hook_active=False, background_tasks=[])
        session = self.client.session(self.agent.id)
        self.assertEqual((session["in_flight"], session["verdict"]["status"]), ([], "waiting"))
        self.assertEqual(session["tools"]["failures"], 0)
        self.agent.hook("SessionEnd", reason="prompt_input_exit")
        self.assertEqual(self.client.session(self.agent.id)["outcome"], "completed")

    def test_an_agent_that_leaves_in_its_turn_was_cancelled_and_after_an_error_has_failed(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(self.agent.id)["outcome"], "cancelled")
        other = Agent(self.daemon)
        other.hook("UserPromptSubmit", prompt="go")
        other.hook("StopFailure", error="server_error", last_assistant_message="API Error: 529 overloaded")
        other.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(other.id)["outcome"], "failed")

    def test_a_resumed_agent_goes_on_in_a_session_of_its_own_and_late_hooks_change_nothing(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.agent.hook("SessionEnd", reason="other")
        before = len(self.client.journal(self.agent.id))
        self.assertEqual(self.agent.fails("t9"), {})
        self.assertEqual(self.agent.hook("SessionEnd", reason="other"), {})
        self.assertEqual(len(self.client.journal(self.agent.id)), before)
        self.agent.hook("SessionStart", source="resume")
        self.agent.hook("UserPromptSubmit", prompt="and now the docs")
        again = self.client.session(self.agent.id + "~2")
        self.assertEqual((again["goal"], again["ended_at"]), ("and now the docs", None))
        self.assertEqual(again["labels"]["resumed"], self.agent.id)
        self.assertEqual(len(self.client.journal(self.agent.id)), before)

    def test_a_sub_agent_is_a_child_session(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.agent.hook("SubagentStart", agent_id="a1", agent_type="Explore")
        self.agent.pre("t1", agent_id="a1", agent_type="Explore")
        child = self.client.session(self.agent.id + ".a1")
        self.assertEqual((child["parent"], child["agent"]["type"]), (self.agent.id, "Explore"))
        self.agent.hook("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="found")
        self.assertEqual(self.client.session(self.agent.id + ".a1")["outcome"], "completed")
        self.assertIsNone(self.client.session(self.agent.id)["ended_at"])

    def test_equal_calls_of_an_agent_without_call_ids_are_told_apart(self):
        gemini = Agent(self.daemon, "gemini")
        call = {"tool_name": "run_shell_command", "tool_input": {"command": "make"}}
        answer = {"llmContent": "no rule", "returnDisplay": "no rule", "error": {"message": "exit code 2"}}
        for _ in range(4):
            gemini.hook("BeforeTool", **call)
            gemini.hook("AfterTool", **call, tool_response=answer)
        session = self.client.session(gemini.id)
        self.assertEqual((session["tools"]["calls"], session["in_flight"]), (4, []))
        self.assertEqual(session["verdict"]["status"], "stuck")

    def test_the_session_may_be_given_by_a_header(self):
        name = unique("nightly")
        self.agent.hook("UserPromptSubmit", {"X-Headway-Session": name}, prompt="go")
        self.assertEqual(self.client.session(name)["goal"], "go")

    def test_a_run_at_another_daemon_does_not_lend_its_name_to_a_session_here(self):
        # HTTP hooks go to the daemon of the agent's settings, whatever HEADWAY_URL is.
        name = unique("nightly")
        at = lambda where: {"X-Headway-Session": name, "X-Headway-Url": where}
        other = f"http://127.0.0.1:{self.daemon.port - 1}"
        self.client.put(f"/v1/sessions/{name}", {"goal": "another project's"})
        args = {"tool_name": "Bash", "tool_input": {"command": "git status"}}
        for n in range(4):
            self.agent.hook("PreToolUse", at(other), tool_use_id=f"b{n}", **args)
            self.agent.hook("PostToolUse", at(other), tool_use_id=f"b{n}", **args, tool_response={"stdout": "clean", "stderr": ""})
        self.agent.hook("SubagentStart", at(other), agent_id="a1", agent_type="review")
        self.agent.hook("SessionEnd", at(other), reason="other")
        session = self.client.session(name)
        self.assertEqual((session["tools"]["calls"], session["ended_at"], session.get("adapter")), (0, None, None))
        self.assertEqual(self.client.session(self.agent.id)["tools"]["calls"], 4)
        self.assertEqual(self.client.session(f"{self.agent.id}.a1")["parent"], self.agent.id)
        self.client.post(f"/v1/sessions/{name}/pause")
        self.assertEqual(self.agent.hook("PreToolUse", at(other), tool_use_id="b4", **args), {}, "it is not held for the other one")

    def test_the_own_address_in_any_form_is_no_other_daemon(self):
        for where in (f"http://localhost:{self.daemon.port}", f"http://[::1]:{self.daemon.port}", "http://box:1", "unix:/run/headway.sock", ""):
            name = unique("nightly")
            self.agent.hook("UserPromptSubmit", {"X-Headway-Session": name, "X-Headway-Url": where}, prompt="go")
            self.assertEqual(self.client.session(name)["goal"], "go", where)

    def test_a_token_of_one_session_reports_into_no_other_by_the_address_of_another_daemon(self):
        name = unique("nightly")
        made = self.client.post("/v1/tokens", {"name": unique("t"), "scopes": [f"report:{name}"]}).json()
        agent = self.daemon.client(token=made["token"])
        self.addCleanup(agent.close)
        body = {"hook_event_name": "UserPromptSubmit", "session_id": "mine", "prompt": "go"}
        headers = {"X-Headway-Session": name}
        self.assertEqual(agent.post("/v1/hooks/claude", body, headers).status, 200)
        headers["X-Headway-Url"] = f"http://127.0.0.1:{self.daemon.port - 1}"
        self.assertEqual(agent.post("/v1/hooks/claude", body, headers).status, 403, "as without the name")


class Outcomes(HookCase):
    """Neutral hooks that say in unknown words how a call, a turn or a sub-agent ended."""

    def hook(self, session: str, event: str, **members) -> None:
        reply = self.client.post("/v1/hooks/generic", {"agent": "o", "session": session, "event": event, **members})
        self.assertEqual(reply.status, 200, reply.body)

    def test_an_end_in_words_that_are_not_known_is_a_failure(self):
        for n, outcome in enumerate(("failure", "error", "FAILED", "budget_exhausted", "halted", "banana", 5, "")):
            self.hook(f"e{n}", "prompt", text="go")
            self.hook(f"e{n}", "stop")
            self.hook(f"e{n}", "end", outcome=outcome)
            self.assertEqual(self.client.session(f"o-e{n}")["outcome"], "failed", outcome)
        self.hook("sub", "substart", parent="main")
        self.hook("sub", "subend", parent="main", outcome="error")
        self.assertEqual(self.client.session("o-main.sub")["outcome"], "failed")

    def test_a_result_in_words_that_are_not_known_is_a_failure(self):
        for n, said in enumerate(({"ok": "false"}, {"ok": 0}, {"exit_code": 137}, {"exit_code": -9}, {"exit_code": "1"}, {"class": 7})):
            self.hook(f"r{n}", "pre", tool="b", args={}, call="1")
            self.hook(f"r{n}", "post", tool="b", args={}, call="1", result="", **said)
            self.assertEqual(self.client.session(f"o-r{n}")["tools"]["failures"], 1, said)


class Strange(HookCase):
    def test_what_is_not_understood_is_answered_with_nothing(self):
        for body in ("{", "[]", "1", "\"x\"", "{}", '{"session_id":7}', '{"hook_event_name":"Never","session_id":""}',
                     '{"hook_event_name":[],"session_id":"x"}'):
            for dialect in ("claude", "codex", "gemini", "qwen", "copilot", "cline"):
                reply = self.client.post(f"/v1/hooks/{dialect}", body.encode())
                self.assertEqual((reply.status, reply.json()), (200, {}), (dialect, body))

    def test_a_call_whose_hook_cannot_be_read_may_not_run(self):
        def body(args: bytes, name: bytes = b"PreToolUse", tool: bytes = b"Bash") -> bytes:
            return (b'{"session_id":"x","hook_event_name": "' + name + b'","tool_name":"' + tool +
                    b'","tool_use_id":"1","tool_input":' + args + b"}")
        odd = {"duplicate": body(b'{"command":"ls","command":"rm -rf /"}'), "BOM": b"\xef\xbb\xbf" + body(b'{"command":"ls"}'),
               "control": body(b'{"command":"ls\x01 x"}'), "UTF-8": body(b'{"command":"ls \xff"}'),
               "name": body(b'{"' + b"k" * 3_000_000 + b'":1}'), "tool": body(b'{"a":1}', tool=b"m" * 300)}
        for what, sent in odd.items():
            with self.subTest(what):
                reply = self.client.post("/v1/hooks/claude", sent).json()["hookSpecificOutput"]
                self.assertEqual((reply["hookEventName"], reply["permissionDecision"]), ("PreToolUse", "deny"))
                self.assertIn("cannot be read", reply["permissionDecisionReason"])
        self.assertIn("read: /tool must not be empty.", reply["permissionDecisionReason"])
        for dialect, name, member in (("codex", b"PreToolUse", "hookSpecificOutput"), ("gemini", b"BeforeTool", "decision"),
                                      ("qwen", b"PreToolUse", "hookSpecificOutput"), ("copilot", b"PreToolUse", "permissionDecision"),
                                      ("cline", b"tool_call", "cancel")):
            self.assertIn(member, self.client.post(f"/v1/hooks/{dialect}", body(b'{"a":1,"a":2}', name)).json(), dialect)
        self.assertEqual(self.client.post("/v1/hooks/claude", body(b'{"a":1,"a":"PreToolUse\\""}', b"PostToolUse")).json(), {})

    def test_the_neutral_form_says_what_is_wrong_with_its_json(self):
        reply = self.client.post("/v1/hooks/generic", b"{")
        self.assertEqual((reply.status, reply.json()["code"]), (400, "invalid_json"))

    def test_the_neutral_form_names_its_own_field(self):
        body = {"event": "question", "session": unique("n"), "text": ""}
        reply = self.client.post("/v1/hooks/generic", body)
        self.assertEqual((reply.status, reply.json().get("field")), (400, "/text"), reply.body)

    def test_what_is_not_understood_does_not_go_on_where_it_must_be_asked(self):
        known = {"hook_event_name": "PreToolUse", "session_id": unique("n"), "tool_name": "Read", "tool_use_id": "1"}
        self.assertEqual(self.client.post("/v1/hooks/claude?require=1", known).json(), {})
        for body in (b"{", b"{}", b'{"session_id":"x"}', b'{"hook_event_name":"Never","session_id":"x"}',
                     b'{"hook_event_name":"PreToolUse","session_id":"x","session_id":"y"}'):
            self.assertEqual(self.client.post("/v1/hooks/claude?require=1", body).status, 400, body)

    def test_an_unknown_agent_is_refused_with_the_known_ones(self):
        reply = self.client.post("/v1/hooks/emacs", {})
        self.assertEqual(reply.status, 404)
        self.assertIn("claude", reply.json()["detail"])

    def test_an_id_that_no_session_can_have_becomes_a_digest(self):
        agent = Agent(self.daemon, session="ses/ß " + "x" * 150)
        self.assertEqual(agent.hook("UserPromptSubmit", prompt="go"), {})
        listed = self.client.get("/v1/sessions?limit=100&label=adapter:claude").json()["sessions"]
        self.assertTrue(any(s["id"].startswith("claude-h") for s in listed), listed)

    def test_a_write_of_a_megabyte_and_a_half_is_seen(self):
        text = "x" * 1_500_000
        self.agent.hook("PostToolUse", tool_name="Write", tool_use_id="t1",
                        tool_input={"file_path": "/a", "content": text},
                        tool_response={"type": "create", "filePath": "/a", "content": text})
        self.assertEqual(self.client.session(self.agent.id)["tools"]["files_modified"], 1)

    def test_a_token_reports_for_its_own_sessions_only(self):
        made = self.client.post("/v1/tokens", {"name": unique("t"), "scopes": ["report:claude-mine"]}).json()
        agent = self.daemon.client(token=made["token"])
        self.addCleanup(agent.close)
        body = {"hook_event_name": "UserPromptSubmit", "session_id": "mine", "prompt": "go"}
        self.assertEqual(agent.post("/v1/hooks/claude", body).status, 200)
        self.assertEqual(agent.post("/v1/hooks/claude", {**body, "session_id": "other"}).status, 403)
        refused = agent.post("/v1/hooks/claude", body, {"X-Headway-Session": "somebody"})
        self.assertEqual(refused.status, 403)


class Holds(HookCase):
    def edit(self, call="e1", text="new"):
        return self.agent.pre(call, tool="Write", args={"file_path": "/a", "content": text})

    def test_a_request_names_the_folder_of_the_call_unless_it_is_the_sessions(self):
        self.agent.hook("SessionStart", source="startup", cwd="/home/me/project")
        cases = [("/home/me/project", None), ("/", "In the folder `/`."), ("/a`_b_", "In the folder `/a?_b_`."),
                 ("/home/me", "In the folder `/home/me`."), ("", None)]
        for n, (folder, summary) in enumerate(cases):
            waiting = self.later(self.agent.pre, f"w{n}", tool="Write", args={"file_path": f"/f{n}", "content": ""}, cwd=folder)
            self.pending(self.agent.id)
            [asked] = self.client.get("/v1/approvals?status=pending&session=" + self.agent.id).json()["approvals"]
            self.assertEqual(asked["summary"], summary, folder)
            self.decide(self.agent.id, "approve")
            waiting.result()

    def test_a_dialog_names_the_folder_of_its_call(self):
        self.agent.hook("SessionStart", source="startup", cwd="/home/me/project")
        waiting = self.later(self.agent.hook, "PermissionRequest", tool_name="Bash", tool_input={"command": "rm -rf ./*"}, cwd="/")
        self.pending(self.agent.id)
        [asked] = self.client.get("/v1/approvals?status=pending&session=" + self.agent.id).json()["approvals"]
        self.assertIn("In the folder `/`.", asked["summary"])
        self.decide(self.agent.id, "reject")
        waiting.result()

    def test_a_call_waits_for_its_approval_and_runs(self):
        waiting = self.later(self.edit)
        self.decide(self.agent.id, "approve", by="ana")
        reply = waiting.result()["hookSpecificOutput"]
        self.assertEqual((reply["permissionDecision"], reply["permissionDecisionReason"]), ("allow", "approved by ana"))
        self.agent.hook("PostToolUse", tool_name="Write", tool_use_id="e1",
                        tool_input={"file_path": "/a", "content": "new"}, tool_response={"type": "create"})
        self.assertEqual(self.client.session(self.agent.id)["alarms"], [])
        self.assertEqual(self.client.session(self.agent.id)["in_flight"], [])

    def test_no_arguments_make_a_call_that_needs_approval_run_unasked(self):
        for content in ('"half of a pair \\ud800"', "[" * 70 + "]" * 70, "[" * 61 + "]" * 61, "1e400"):
            agent = Agent(self.daemon)
            body = ('{"hook_event_name":"PreToolUse","session_id":"%s","tool_name":"Write","tool_use_id":"w",'
                    '"tool_input":{"file_path":"/a","content":%s}}' % (agent.native, content)).encode()
            call = self.later(self.client.__class__.post, self.daemon.operator(), "/v1/hooks/claude", body)
            self.decide(agent.id, "reject")
            self.assertEqual(call.result(5).json()["hookSpecificOutput"]["permissionDecision"], "deny", content)

    def test_arguments_that_no_text_can_hold_are_not_approved_with_the_text_that_shows_the_same(self):
        digests = []
        for content in ('"\\ud800"', '"\\\\ud800"', "1e999", '"1e999"'):
            agent = Agent(self.daemon)
            body = ('{"hook_event_name":"PreToolUse","session_id":"%s","tool_name":"Write","tool_use_id":"w",'
                    '"tool_input":{"file_path":"/a","content":%s}}' % (agent.native, content)).encode()
            call = self.later(self.client.__class__.post, self.daemon.operator(), "/v1/hooks/claude", body)
            digests.append(self.client.get(f"/v1/approvals/{self.pending(agent.id)}").json()["args_digest"])
            self.decide(agent.id, "reject")
            call.result(5)
        self.assertEqual(len(set(digests)), 4, digests)

    def test_a_call_that_is_too_large_to_be_shown_does_not_run(self):
        said = self.agent.pre("w", "Write", args={"file_path": "/a", "content": "x" * 70_000})["hookSpecificOutput"]
        self.assertEqual(said["permissionDecision"], "deny")
        self.assertIn("65536 bytes", said["permissionDecisionReason"])
        self.assertEqual(self.agent.pre("r", "Read", args={"file_path": "/a" * 70_000}), {})

    def test_a_rejected_call_does_not_run_and_is_closed(self):
        waiting = self.later(self.edit)
        self.decide(self.agent.id, "reject", reason="use the other file", then="change_approach")
        reply = waiting.result()["hookSpecificOutput"]
        self.assertEqual(reply["permissionDecision"], "deny")
        self.assertIn("use the other file", reply["permissionDecisionReason"])
        session = self.client.session(self.agent.id)
        self.assertEqual((session["in_flight"], session["alarms"], session["tools"]["failures"]), ([], [], 0))

    def test_an_edited_call_runs_as_edited(self):
        waiting = self.later(self.edit)
        edited = {"file_path": "/a", "content": "safer"}
        self.decide(self.agent.id, "edit", edited_args=edited)
        self.assertEqual(waiting.result()["hookSpecificOutput"]["updatedInput"], edited)
        self.agent.hook("PostToolUse", tool_name="Write", tool_use_id="e1", tool_input=edited,
                        tool_response={"type": "create"})
        self.assertEqual(self.client.session(self.agent.id)["alarms"], [])

    def test_a_pause_holds_the_next_call_until_it_is_resumed(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.client.post(f"/v1/sessions/{self.agent.id}/pause", {})
        waiting = self.later(self.agent.pre, "t1")
        eventually(lambda: self.client.session(self.agent.id)["in_flight"])
        self.assertFalse(waiting.done())
        self.client.post(f"/v1/sessions/{self.agent.id}/resume", {})
        self.assertEqual(waiting.result(), {})

    def test_words_of_the_operator_reach_the_model_once(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.client.post(f"/v1/sessions/{self.agent.id}/nudge", {"text": "mind the docs", "by": "ana"})
        self.assertIn("mind the docs", json.dumps(self.agent.pre("t1")))
        self.assertEqual(self.agent.pre("t2"), {})

    def test_cancel_ends_the_agent_at_its_next_call(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        self.client.post(f"/v1/sessions/{self.agent.id}/cancel", {"reason": "enough"})
        reply = self.agent.pre("t1")
        self.assertEqual((reply["continue"], reply["hookSpecificOutput"]["permissionDecision"]), (False, "deny"))
        self.agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(self.agent.id)["outcome"], "cancelled")

    def test_a_spent_budget_asks_for_the_answer_first_and_stops_then(self):
        self.agent.hook("UserPromptSubmit", prompt="go")
        changed = self.client.post(f"/v1/sessions/{self.agent.id}/budget", {"set": {"max_steps": 10}})
        self.assertEqual(changed.status, 200, changed.body)
        replies = []
        for i in range(10):
            replies.append(self.agent.pre(f"t{i}"))
            self.agent.hook("PostToolUse", tool_name="Bash", tool_use_id=f"t{i}", tool_input={"command": f"ls {i}"},
                            tool_response={"stdout": str(i)})
            replies.append(self.agent.batch(f"t{i}"))
        denied = [r for r in replies if r.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"]
        self.assertTrue(any("Wrap up." in json.dumps(r) for r in replies), replies)
        self.assertTrue(denied, replies)
        self.assertNotIn("continue", denied[0])
        after = replies[replies.index(denied[0]) + 1]  # the batch of the same turn: it may still answer
        self.assertNotIn("continue", after)
        self.assertEqual(self.agent.pre("t99").get("continue"), False)
        self.assertEqual(self.client.session(self.agent.id)["outcome"], "budget_exhausted")
        self.assertEqual(self.client.get(f"/v1/sessions/{self.agent.id}~2").status, 404)  # no new budget

    def test_a_client_that_waits_gets_a_sign_of_life_and_one_document(self):
        body = json.dumps({"hook_event_name": "PreToolUse", "session_id": self.agent.native, "tool_name": "Write",
                           "tool_use_id": "e1", "tool_input": {"file_path": "/a"}}).encode()
        with RawConnection(self.daemon.port) as raw:
            raw.send(raw.format("POST", "/v1/hooks/claude", body, "Content-Type: application/json\r\n"))
            head = raw.read_until(b"\r\n\r\n")
            self.assertIn(b"Transfer-Encoding: chunked", head)
            self.assertEqual(raw.read(6), b"1\r\n \r\n")
            self.decide(self.agent.id, "approve")
            rest = raw.read_until(b"0\r\n\r\n")
            self.assertIn(b"allow", rest)

    def test_a_client_that_leaves_is_forgotten_and_may_ask_again(self):
        body = json.dumps({"hook_event_name": "PreToolUse", "session_id": self.agent.native, "tool_name": "Write",
                           "tool_use_id": "e1", "tool_input": {"file_path": "/a", "content": "new"}}).encode()
        with RawConnection(self.daemon.port) as raw:
            raw.send(raw.format("POST", "/v1/hooks/claude", body, "Content-Type: application/json\r\n"))
            raw.read_until(b"\r\n\r\n")
        self.decide(self.agent.id, "approve", by="ana")
        reply = self.edit("e1")
        self.assertEqual(reply["hookSpecificOutput"]["permissionDecision"], "allow")

    def test_a_hook_waits_no_longer_than_its_client_says(self):
        generic = {"event": "pre", "agent": "mine", "session": unique("g"), "tool": "Write", "args": {"path": "/a"},
                   "call": "c1", "hold_ms": 300}
        reply = self.client.post("/v1/hooks/generic", generic).json()
        self.assertIn("No person has decided", reply["deny"])
        session = self.client.session(f"mine-{generic['session']}")
        self.assertEqual((session["in_flight"], session["approvals_pending"]), ([], 1))

    def test_a_hook_that_is_sent_again_with_its_event_id_counts_once(self):
        session = unique("again")
        for event in ({"event": "pre", "tool": "bash", "call": "c1", "args": {"command": "make"}},
                      {"event": "post", "tool": "bash", "call": "c1", "ok": False, "error": "no"},
                      {"event": "usage", "usage": {"input_tokens": 30, "output_tokens": 12}},
                      {"event": "stop", "text": "done", "usage": {"input_tokens": 1}}):
            for _ in range(3):
                hook = {"agent": "mine", "session": session, "event_id": f"{session}-{event['event']}", **event}
                self.assertEqual(self.client.post("/v1/hooks/generic", hook).status, 200)
        journal = self.client.journal(f"mine-{session}")
        self.assertEqual([e["event_id"].removeprefix(session) for e in journal if "event_id" in e],
                         ["-pre", "-post", "-usage", "-stop"])
        tokens = [e["data"]["usage"] for e in journal if "usage" in e["data"]]
        self.assertEqual(len(tokens), 2, tokens)


class Drain(OwnDaemonCase):
    def test_what_was_said_in_an_answer_that_was_lost_is_said_again_by_the_next_daemon(self):
        daemon = self.start(SETTINGS)
        operator = daemon.operator()
        self.addCleanup(operator.close)
        hook = {"agent": "mine", "session": "lost", "event": "said", "text": "on it", "event_id": "e1"}
        operator.post("/v1/hooks/generic", {"agent": "mine", "session": "lost", "event": "start"})
        self.assertEqual(operator.post("/v1/sessions/mine-lost/nudge", {"text": "read the log"}).status, 200)
        self.assertIn("read the log", operator.post("/v1/hooks/generic", hook).json()["context"])
        daemon.kill()
        daemon.start(daemon.port)
        operator.close()
        length = len(operator.journal("mine-lost"))
        self.assertIn("read the log", operator.post("/v1/hooks/generic", hook).json()["context"])
        self.assertEqual(len(operator.journal("mine-lost")), length)

    def test_hooks_that_wait_are_answered_before_the_daemon_goes(self):
        daemon = self.start(SETTINGS)
        agent = Agent(daemon)
        replies = []
        thread = threading.Thread(target=lambda: replies.append(
            agent.pre("e1", tool="Write", args={"file_path": "/a"})))
        thread.start()
        operator = daemon.operator()
        self.addCleanup(operator.close)
        eventually(lambda: operator.get(f"/v1/sessions/{agent.id}").status == 200)
        daemon.process.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait_for_exit(), 0)
        thread.join()
        self.assertEqual(replies[0]["hookSpecificOutput"]["permissionDecision"], "deny")

    def test_a_decision_after_the_daemon_went_down_lets_the_call_run_when_it_is_tried_again(self):
        daemon = self.start(SETTINGS)
        for dialect, call in (("claude", "e2"), ("codex", "e3")):
            agent = Agent(daemon, dialect)
            with ThreadPoolExecutor(1) as pool:
                held = pool.submit(agent.pre, call, tool="Write", args={"file_path": "/a"})
                eventually(lambda: daemon.client().get("/v1/approvals").json()["pending"] == 1)
                daemon.stop()
                self.assertEqual(held.result(20)["hookSpecificOutput"]["permissionDecision"], "deny")
            daemon.restart()
            operator = daemon.operator()
            self.addCleanup(operator.close)
            (waiting,) = operator.get("/v1/approvals?status=pending").json()["approvals"]
            self.assertEqual(operator.post(f"/v1/approvals/{waiting['id']}/decision", {"decision": "approve"}).status, 200)
            reply = agent.pre(call + "-again", tool="Write", args={"file_path": "/a"})
            self.assertNotEqual(reply.get("hookSpecificOutput", {}).get("permissionDecision"), "deny")
            self.assertEqual(operator.get("/v1/approvals?status=pending").json()["approvals"], [])

    def test_a_killed_daemon_knows_the_calls_and_approvals_when_it_is_back(self):
        daemon = self.start(SETTINGS)
        agent = Agent(daemon)
        with RawConnection(daemon.port) as raw:
            body = json.dumps({"hook_event_name": "PreToolUse", "session_id": agent.native, "tool_name": "Write",
                               "tool_use_id": "e1", "tool_input": {"file_path": "/a"}}).encode()
            raw.send(raw.format("POST", "/v1/hooks/claude", body, "Content-Type: application/json\r\n"))
            raw.read_until(b"\r\n\r\n")
            daemon.kill()
        daemon.start()
        operator = daemon.operator()
        self.addCleanup(operator.close)
        waiting = operator.get("/v1/approvals?status=pending").json()["approvals"]
        self.assertEqual(len(waiting), 1)
        operator.post(f"/v1/approvals/{waiting[0]['id']}/decision", {"decision": "approve"})
        reply = agent.pre("e1", tool="Write", args={"file_path": "/a"})
        self.assertEqual(reply["hookSpecificOutput"]["permissionDecision"], "allow")


class Processes(OwnDaemonCase):
    """The agent is a shell that runs headway-hook and then stays: its nearest ancestor that is no shell is this test,
    so a copy of python stands for the agent."""
    AGENT = ("import os, subprocess, sys\n"
             "subprocess.run(sys.argv[1:], input=sys.stdin.buffer.read())\n"
             "os.close(1)\n"
             "import signal; signal.pause()\n")

    def agent(self, daemon, *bodies) -> subprocess.Popen:
        hook = Path(os.environ["HEADWAY_BINARY"]).parent / "headway-hook"
        command = [sys.executable, "-c", self.AGENT, hook, "claude", "--socket", daemon.state_dir / "report.sock"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdin.write(json.dumps(bodies[0]).encode())
        process.stdin.close()
        self.assertEqual(process.stdout.read().strip(), b"{}")
        return process

    def test_an_agent_that_is_killed_in_its_turn_has_failed_at_once(self):
        daemon = self.start()
        agent = self.agent(daemon, {"hook_event_name": "UserPromptSubmit", "session_id": "1", "prompt": "go"})
        client = daemon.operator()
        self.addCleanup(client.close)
        self.assertIsNone(client.session("claude-1")["ended_at"])
        agent.kill()
        self.assertTrue(client.wait("claude-1", until="ended", wait="30s")["met"])
        session = client.session("claude-1")
        self.assertEqual((session["outcome"], session["verdict"]["reason"]),
                         ("failed", "the process of the agent has ended"))

    def test_an_agent_that_goes_away_at_its_prompt_has_completed(self):
        daemon = self.start()
        agent = self.agent(daemon, {"hook_event_name": "Stop", "session_id": "1", "last_assistant_message": "done",
                                    "background_tasks": []})
        client = daemon.operator()
        self.addCleanup(client.close)
        agent.kill()
        self.assertEqual(client.wait("claude-1", until="ended", wait="30s")["matched"], "completed")


if __name__ == "__main__":
    unittest.main()
