#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway run` with commands that print the JSON lines of agents: captured lines, and scripts in the place of an agent."""
import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from collections import Counter
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli, finish
from support.daemon import BINARY, PROJECT
from support.limits import SLOW, eventually, patient
from support.other_program import OtherProgram
from support.shifted_clock import ShiftedClock

FIXTURES = PROJECT / "tests/unit/cli/lines/fixtures"
NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener
# An agent with hooks: each hook comes before the line that tells the same, as those of real agents do.
HOOKED = """
    import json, os, sys, urllib.request
    session = os.environ["HEADWAY_SESSION"]
    def hook(event, use="", **body):
        body = {"hook_event_name": event, "session_id": "native", **body}
        request = urllib.request.Request(os.environ["HEADWAY_URL"] + "/v1/hooks/claude", json.dumps(body).encode(),
                                         {"Content-Type": "application/json", "X-Headway-Session": session, "X-Headway-Usage": use})
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
    def line(**body):
        print(json.dumps({**body, "session_id": "native", "uuid": "u"}), flush=True)
    hook("SessionStart", source="startup")
    line(type="system", subtype="init", model="m")
    for call in ("t1", "t2"):
        tool = {"tool_name": "Bash", "tool_input": {"command": "make " + call}, "tool_use_id": call}
        hook("PreToolUse", **tool)
        line(type="assistant", message={"id": call, "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": tool["tool_input"]}],
                                        "usage": {"input_tokens": 100, "output_tokens": 1}})
        hook("PostToolUse", **tool, tool_response={"stdout": "made " + call, "stderr": ""})
        line(type="user", message={"content": [{"type": "tool_result", "tool_use_id": call, "content": "made " + call}]})
    hook("Stop", use="t1;2099-01-01T00:00:00Z;100;20,t2;2099-01-01T00:00:00Z;100;20")
    line(type="result", subtype="success", is_error=False, result="All made.", total_cost_usd=0.5, usage={"input_tokens": 200, "output_tokens": 40})
    hook("SessionEnd", reason="other")
"""


class LinesCase(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)

    def run_lines(self, output: str, *options, then: str = ""):
        """A command that prints this, and what its session is afterwards."""
        file = self.daemon.root / "lines"
        file.write_text(output)
        session = unique("lines")
        result = self.cli.run("run", "--session", session, "--quiet", *options, "--", "sh", "-c", f"cat lines; {then}:")
        self.assertEqual((result.out, result.err), (output, ""))
        return result, self.client.session(session), self.client.journal(session)

    def script(self, text: str, *options, **popen):
        session = unique("lines")
        return session, self.cli.start("run", "--session", session, "--quiet", *options, "--", sys.executable, "-c", textwrap.dedent(text), **popen)


class Lines(LinesCase):
    def test_calls_tokens_cost_model_and_result_of_an_agent_are_told(self):
        _, document, journal = self.run_lines((FIXTURES / "claude.jsonl").read_text())
        self.assertIsNone(document.get("end_code"))  # no person's end
        calls = {event["data"]["call_id"]: event["data"] for event in journal if event["type"] == "tool.finished"}
        self.assertEqual(calls["toolu_fake0001"]["args"], {"command": "ls -la", "description": "List files"})
        self.assertIn("a.txt", json.dumps(calls["toolu_fake0001"]["result"]))
        self.assertEqual((calls["toolu_fake0007"]["ok"], calls["toolu_fake0007"]["tool"]), (False, "Bash"))
        parts = {"input": 1600, "cached": 0, "cache_write": 0, "output": 320, "reasoning": 0}
        self.assertEqual(document["used"], {"tokens": 1920, "token_parts": parts, "cost_usd": 0.0096})
        self.assertEqual((document["outcome"], document["result"]), ("completed", {"text": "All done.", "model": "claude-sonnet-4-5"}))
        self.assertNotIn("stdout", [event["data"].get("role") for event in journal], "lines that were read are no output")

    def test_each_format_is_told_and_its_output_unchanged(self):
        for path in sorted(FIXTURES.glob("*.jsonl")):
            with self.subTest(path.name):
                _, document, journal = self.run_lines(path.read_text())
                self.assertNotIn("stdout", [event["data"].get("role") for event in journal if event["type"] == "message"])
                # Only a part of some was captured; they end without their result, or with refused calls and nothing done.
                failed = path.stem.endswith(("failed", "aborted", "denied", "patch")) or path.stem in ("cursor", "opencode")
                self.assertEqual(document["outcome"], "failed" if failed else "completed")

    def test_a_loop_in_the_lines_gets_its_verdict(self):
        lines = ['{"type":"thread.started","thread_id":"t"}']
        for n in range(8):
            item = {"id": f"item_{n}", "type": "command_execution", "command": "make", "aggregated_output": "no rule", "exit_code": 2}
            lines += [json.dumps({"type": "item.started", "item": item}), json.dumps({"type": "item.completed", "item": item})]
        _, _, journal = self.run_lines("\n".join(lines) + "\n")
        self.assertTrue({"suspect", "stuck"} & {event["data"]["to"] for event in journal if event["type"] == "verdict.changed"}, journal)

    def test_an_agent_that_says_it_failed_has_failed_whatever_its_exit_status(self):
        result, document, _ = self.run_lines((FIXTURES / "gemini_failed.jsonl").read_text())
        self.assertEqual((result.code, document["outcome"]), (0, "failed"))
        self.assertIn("bad thing", document["verdict"]["reason"])

    @staticmethod
    def reads(conversation: str, parents: list) -> list:
        """Lines of one conversation, whose agents (None: the main one) read the same file each."""
        about, lines = {"session_id": conversation, "uuid": "u"}, [{"type": "system", "subtype": "init", "model": "m"}]
        for n, parent in enumerate(parents):
            use = {"type": "tool_use", "id": f"{conversation}-{n}", "name": "Read", "input": {"file_path": "/README.md"}}
            end = {"type": "tool_result", "tool_use_id": use["id"], "content": "# Shop, a small one"}
            lines += [{"type": "assistant", "message": {"content": [use]}, "parent_tool_use_id": parent},
                      {"type": "user", "message": {"content": [end]}, "parent_tool_use_id": parent}]
        return [json.dumps({**about, **line}) for line in lines]

    def verdicts(self, lines: list) -> set:
        _, _, journal = self.run_lines("\n".join(lines) + "\n")
        return {"suspect", "stuck"} & {event["data"]["to"] for event in journal if event["type"] == "verdict.changed"}

    def test_equal_calls_of_several_agents_in_one_run_are_no_loop(self):
        self.assertEqual(self.verdicts(self.reads("c", [f"toolu_{n}" for n in range(8)])), set())
        self.assertEqual(self.verdicts([line for n in range(8) for line in self.reads(f"c{n}", [None])]), set())
        for parent in (None, "toolu_1"):
            self.assertIn("stuck", self.verdicts(self.reads("c", [parent] * 8)))

    def test_rounds_of_new_agents_with_one_red_test_are_a_loop(self):
        lines = []
        for n in range(10):
            about = {"session_id": f"c{n}", "uuid": "u"}
            use = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "npm test"}}
            end = {"type": "tool_result", "tool_use_id": f"t{n}", "is_error": True,
                   "content": "Exit code 1\n 1) cart adds up\n AssertionError: expected 3 to equal 4\n Tests: 1 failed, 4 passed"}
            lines += [{**about, **line} for line in ({"type": "system", "subtype": "init", "model": "m"},
                                                     {"type": "assistant", "message": {"content": [use]}},
                                                     {"type": "user", "message": {"content": [end]}})]
        self.assertIn("stuck", self.verdicts([json.dumps(line) for line in lines]))

    def test_the_own_program_of_an_agent_that_says_it_failed_ends_with_1(self):
        program = self.daemon.root / "gemini"
        program.write_text(f"#!/bin/sh\ncat '{FIXTURES / 'gemini_failed.jsonl'}'\n")
        program.chmod(0o755)
        result = self.cli.run("run", "--session", unique("lines"), "--quiet", "--", str(program))
        self.assertEqual(result.code, 1)
        self.assertEqual(result.out, (FIXTURES / "gemini_failed.jsonl").read_text())

    def test_the_own_program_of_an_agent_that_prints_no_line_has_done_nothing(self):
        program = self.daemon.root / "opencode"
        program.write_text("#!/bin/sh\necho 'Error: Unauthorized' >&2\n")
        program.chmod(0o755)
        for options, outcome in ((("run", "--format", "json"), "failed"), (("run",), "completed")):
            with self.subTest(outcome):
                session = unique("lines")
                result = self.cli.run("run", "--session", session, "--quiet", "--", str(program), *options, "fix it")
                document = self.client.session(session)
                self.assertEqual((document["outcome"], result.code), (outcome, int(outcome == "failed")), document)
                if outcome == "failed":
                    self.assertEqual(document["result"]["cause"], "credentials")

    def test_an_error_on_standard_error_is_the_cause_of_an_end_without_a_result(self):
        program = self.daemon.root / "cursor-agent"
        line = '{"type":"system","subtype":"init","session_id":"k"}'
        program.write_text(f"#!/bin/sh\necho '{line}'\necho \"Error: You've hit your usage limit\" >&2\nexit 1\n")
        program.chmod(0o755)
        session = unique("lines")
        self.cli.run("run", "--session", session, "--quiet", "--", str(program), "-p", "--output-format", "stream-json")
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["result"]["cause"]), ("failed", "usage_limit"))
        self.assertIn("its last error: Error: You've hit", document["verdict"]["reason"])

    def ends_its_rest(self, tool: str, kind: str):
        """A run whose agent says on standard error that it ends what it has in the background."""
        program, about = self.daemon.root / "claude", {"session_id": "s", "uuid": "u"}
        call = {"type": "tool_use", "id": "t1", "name": tool, "input": {"command": "npm run dev", "run_in_background": True}}
        lines = [{"type": "assistant", "message": {"content": [call]}},
                 {"type": "system", "subtype": "task_started", "task_id": "b1", "tool_use_id": "t1", "task_type": kind, "is_backgrounded": True},
                 {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "started"}]}},
                 {"type": "result", "subtype": "success", "is_error": False, "result": "Done."}]
        text = INIT + "".join(json.dumps({**line, **about}) + "\n" for line in lines)
        (self.daemon.root / "served").write_text(text)
        program.write_text("#!/bin/sh\ncat served\nprintf 'Background tasks still running ' >&2\nsleep 0.1\necho 'after 5s; terminating' >&2\n")
        program.chmod(0o755)
        session = unique("lines")
        result = self.cli.run("run", "--session", session, "--quiet", "--", str(program), "-p", "x")
        return result, self.client.session(session)

    def test_a_server_that_is_left_in_the_background_fails_no_run(self):
        result, document = self.ends_its_rest("Bash", "local_bash")
        self.assertEqual((result.code, document["outcome"]), (0, "completed"), document)
        self.assertIn("it ended what still ran in the background", document["verdict"]["reason"])

    def test_a_sub_agent_that_is_ended_in_the_background_fails_the_run(self):
        for tool, kind in (("Agent", "local_agent"), ("Agent", "a_new_kind")):
            result, document = self.ends_its_rest(tool, kind)
            self.assertEqual((result.code, document["outcome"]), (1, "failed"), document)
            self.assertIn("cut off", document["verdict"]["reason"])

    def test_an_error_of_another_process_on_standard_error_calls_no_person(self):
        program = self.daemon.root / "codex"
        lines = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}'
        program.write_text(f"#!/bin/sh\necho '{lines}'\necho 'ERROR rmcp: 401 Unauthorized' >&2\nexit 1\n")
        program.chmod(0o755)
        session = unique("lines")
        self.cli.run("run", "--session", session, "--quiet", "--", str(program), "exec", "--json", "x")
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document.get("result", {}).get("cause")), ("failed", None))

    def test_an_exit_status_is_a_failure_whatever_the_agent_says(self):
        result, document, _ = self.run_lines((FIXTURES / "codex.jsonl").read_text(), then="exit 3; ")
        self.assertEqual((result.code, document["outcome"]), (3, "failed"))

    def test_no_lines_takes_them_for_output(self):
        _, document, journal = self.run_lines((FIXTURES / "codex.jsonl").read_text(), "--no-lines")
        self.assertEqual([event["data"]["call_id"] for event in journal if event["type"] == "tool.finished"], ["run"])
        self.assertIn("stdout", [event["data"].get("role") for event in journal])
        self.assertEqual(document["used"]["tokens"], 0)

    def test_a_flood_of_messages_hides_no_tokens_and_no_cost(self):
        def message(number):
            return {"type": "assistant", "session_id": "s", "uuid": "u", "message": {"id": f"m{number}", "content": [{"type": "text", "text": f"noise {number}"}]}}
        result = {"type": "result", "session_id": "s", "uuid": "u", "result": "Done.", "subtype": "success", "is_error": False, "total_cost_usd": 5.0,
                  "usage": {"input_tokens": 999, "output_tokens": 1}}
        lines = [INIT.strip()] + [json.dumps(line) for line in [*map(message, range(1500)), result]]
        _, document, _ = self.run_lines("\n".join(lines) + "\n")
        self.assertEqual((document["used"]["tokens"], document["used"]["cost_usd"]), (1000, 5.0))

    def test_an_image_that_is_too_long_for_a_line_ends_its_call(self):
        about = {"session_id": "c", "uuid": "u"}
        def result(name: str, content: str) -> dict:
            image = {"type": "image", "source": {"type": "base64", "data": content * 2_000_000}}
            return {"type": "user", "message": {"role": "user", "content": [{"tool_use_id": name, "type": "tool_result", "content": [image]}]}}
        lines = [{"type": "system", "subtype": "init", "model": "m"}]
        for name in ("a", "b"):
            use = {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": f"{name}.png"}}
            lines += [{"type": "assistant", "message": {"id": "m" + name, "content": [use]}}, result(name, name)]
        lines.append({"type": "result", "subtype": "success", "is_error": False, "result": "done"})
        _, _, journal = self.run_lines("".join(json.dumps({**line, **about}, separators=(",", ":")) + "\n" for line in lines))
        finished = [event["data"] for event in journal if event["type"] == "tool.finished" and event["data"]["call_id"] != "run"]
        self.assertEqual([(call["call_id"], call["tool"], call["ok"]) for call in finished], [("a", "Read", True), ("b", "Read", True)])
        self.assertNotEqual(finished[0]["result"], finished[1]["result"])
        self.assertNotIn("stdout", [event["data"].get("role") for event in journal if event["type"] == "message"])

    def test_other_output_stays_output(self):
        _, _, journal = self.run_lines('building\n{"type":"turn.completed"}\n{"level":"info"}\n')
        texts = [event["data"]["text"] for event in journal if event["type"] == "message"]
        self.assertEqual(texts, ['building\n{"type":"turn.completed"}\n{"level":"info"}'])
        self.assertEqual([event["data"]["call_id"] for event in journal if event["type"] == "tool.finished"], ["run"])

    def test_calls_with_very_many_values_all_arrive(self):
        # Together more values than a report may have.
        args = json.dumps([1] * 8000, separators=(",", ":"))
        lines = ['{"type":"thread.started","thread_id":"t"}']
        for n in range(30):
            item = '{"id":"i%d","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":%s}}' % (n, args)
            lines += ['{"type":"item.started","item":%s}' % item, '{"type":"item.completed","item":%s}' % item]
        file = self.daemon.root / "wide"
        file.write_text("\n".join(lines))
        session = unique("lines")
        self.cli.run("run", "--session", session, "--quiet", "--linger", "5m", "--", "cat", str(file))
        finished = [event for event in self.client.journal(session) if event["type"] == "tool.finished"]
        self.assertEqual(len(finished), 31)

    def test_without_a_daemon_the_output_is_the_same(self):
        output = (FIXTURES / "claude.jsonl").read_text()
        file = self.daemon.root / "lines"
        file.write_text(output)
        result = Cli(self.daemon, NO_DAEMON).run("run", "--linger", "100ms", "--quiet", "--", "cat", str(file))
        self.assertEqual((result.code, result.out), (0, output))


class Live(LinesCase):
    def test_a_line_is_passed_on_before_it_is_whole(self):
        session, process = self.script("""
            import sys
            print('{"type":"thread.started",', end="", flush=True)
            sys.stdin.readline()
            print('"thread_id":"t"}', flush=True)
        """, stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.read(24), '{"type":"thread.started"')
        process.stdin.write("go\n")
        process.stdin.close()
        self.assertEqual(finish(process).code, 0)
        self.assertIn("state.changed", [event["type"] for event in self.client.journal(session)])

    def test_a_cancel_stops_an_agent_by_a_signal(self):
        session, process = self.script("""
            import time
            print('{"type":"thread.started","thread_id":"t"}', flush=True)
            print('{"type":"item.started","item":{"id":"i","type":"command_execution","command":"make"}}', flush=True)
            time.sleep(60)
        """, "--interval", "100ms")
        eventually(lambda: "i" in json.dumps(self.client.get(f"/v1/sessions/{session}").json().get("in_flight")), what="the call")
        self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "enough"})
        self.assertEqual(finish(process).code, 128 + 15)
        self.assertEqual(self.client.session(session)["outcome"], "cancelled")

    def test_a_command_that_a_cancel_has_stopped_is_no_success(self):
        session = unique("lines")
        process = self.cli.start("run", "--session", session, "--interval", "100ms", "--", "sh", "-c",
                                 "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done")
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        eventually(lambda: self.client.get(f"/v1/sessions/{session}").status == 200, what="its session")
        self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "enough"})
        self.assertEqual(finish(process).code, 1)
        self.assertEqual(self.client.session(session)["outcome"], "cancelled")

    def test_an_agent_whose_wrapper_is_ended_by_a_signal_does_not_work_on(self):
        program = self.daemon.root / "qwen"
        program.write_text("#!/bin/sh\nsleep 600 > /dev/null 2>&1 &\necho $!\nwait\n")
        program.chmod(0o755)
        for started, ended in ((program, True), ("/bin/sh", False)):  # a script may leave a server
            with self.subTest(started):
                process = self.cli.start("run", "--session", unique("lines"), "--", str(started), str(program))
                self.addCleanup(process.kill)
                agent = os.pidfd_open(int(process.stdout.readline()))
                self.addCleanup(os.close, agent)
                if not ended:
                    self.addCleanup(signal.pidfd_send_signal, agent, signal.SIGKILL)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(finish(process).code, 128 + 15)
                self.assertEqual(bool(select.select([agent], [], [], 0)[0]), ended)

    def test_output_that_is_lost_is_no_success(self):
        for options in ((), ("--quiet",)):
            with self.subTest(options), open("/dev/full", "w") as full:
                session = unique("lines")
                process = self.cli.start("run", "--session", session, *options, "--", "echo", "x", stdout=full)
                _, err = process.communicate(timeout=patient(60))
                self.assertEqual(process.returncode, 74, err)
                self.assertIn("could not be written, and is lost", err)
                self.assertIn("a part of its output could not be written", self.client.session(session)["verdict"]["reason"])

    def test_a_signal_that_the_agent_has_caught_long_ago_ends_nothing_that_it_leaves(self):
        program = self.daemon.root / "qwen"
        program.write_text("#!/bin/sh\ntrap 'echo caught' INT\nsleep 600 > /dev/null 2>&1 &\necho $!\nwhile [ ! -e \"$1\" ]; do sleep 0.02; done\n")
        program.chmod(0o755)
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        clock = ShiftedClock(folder, "headway", steady=True)
        self.cli.environment.update(clock.environment())
        for passes, ended in ((0, True), (62, False)):  # a thread that waits by the true clock may be late by as much
            with self.subTest(passes):
                go = folder / f"go{passes}"
                process = self.cli.start("run", "--session", unique("lines"), "--", str(program), str(go))
                self.addCleanup(process.kill)
                left = os.pidfd_open(int(process.stdout.readline()))
                self.addCleanup(os.close, left)
                if not ended:
                    self.addCleanup(signal.pidfd_send_signal, left, signal.SIGKILL)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.stdout.readline(), "caught\n")
                clock.set(passes)
                go.touch()
                finish(process)
                self.assertEqual(bool(select.select([left], [], [], 0)[0]), ended)

    def test_a_process_that_ignores_the_end_of_its_agent_does_not_use_up_the_grace_of_a_container(self):
        """`docker stop` leaves 10 s."""
        program = self.daemon.root / "qwen"
        program.write_text("#!/bin/sh\n(trap '' TERM; echo; exec > /dev/null 2>&1 sleep 600) &\nwait\n")
        program.chmod(0o755)
        session = unique("lines")
        process = self.cli.start("run", "--session", session, "--", str(program))
        self.addCleanup(process.kill)
        process.stdout.readline()
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(finish(process).code, 128 + 15)
        self.assertLess(time.monotonic() - began, 9 * SLOW)
        self.assertEqual(self.client.session(session)["outcome"], "failed")

    def test_a_call_of_a_sub_agent_that_hooks_report_there_is_not_reported_here_too(self):
        begins = HOOKED.index("    for call in")
        sub_agent = """
    tool = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "below", "agent_id": "helper", "agent_type": "helper"}
    hook("PreToolUse", **tool)
    line(type="assistant", parent_tool_use_id="t0", message={"id": "b", "content": [{"type": "tool_use", "id": "below", "name": "Bash", "input": {"command": "ls"}}]})
    hook("PostToolUse", **tool, tool_response={"stdout": "a", "stderr": ""})
    line(type="user", parent_tool_use_id="t0", message={"content": [{"type": "tool_result", "tool_use_id": "below", "content": "a"}]})
"""
        session, process = self.script(HOOKED[:begins] + sub_agent.lstrip("\n") + HOOKED[begins:])
        self.assertEqual(finish(process).code, 0)
        calls = Counter(event["data"]["call_id"] for event in self.client.journal(session) if event["type"] == "tool.finished")
        self.assertEqual({call: number for call, number in calls.items() if call != "run"}, {"t1": 1, "t2": 1})
        children = self.client.get(f"/v1/sessions?parent={session}").json()["sessions"]
        below = [event["data"]["call_id"] for child in children for event in self.client.journal(child["id"]) if event["type"] == "tool.finished"]
        self.assertEqual(below, ["below"])

    def test_with_a_token_that_cannot_see_sub_agents_each_call_counts_once(self):
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        made = operator.post("/v1/tokens", {"name": unique("one"), "scopes": ["report:lines-"]}).json()
        self.cli.environment["HEADWAY_TOKEN"] = made["token"]
        late = HOOKED.replace('        hook("PreToolUse"', '        import time\n        if call == "t2": time.sleep(2.5)\n        hook("PreToolUse"')
        session, process = self.script(late)
        self.assertEqual(finish(process).code, 0)
        journal = self.client.journal(session)
        calls = Counter((event["type"], event["data"]["call_id"]) for event in journal if event["type"].startswith("tool."))
        self.assertEqual({number for call, number in calls.items() if call[1] != "run"}, {1})

    def test_a_process_that_a_cancelled_agent_leaves_is_killed_after_ten_seconds(self):
        session, process = self.script("""
            import subprocess, time
            print('{"type":"thread.started","thread_id":"t"}', flush=True)
            child = subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 1; done"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            print("child", child.pid, flush=True)
            time.sleep(60)
        """, "--interval", "100ms")
        self.assertIn("thread.started", process.stdout.readline())
        child = int(process.stdout.readline().split()[1])
        eventually(lambda: self.client.get(f"/v1/sessions/{session}").status == 200, what="its session")
        self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "enough"})
        self.assertEqual(finish(process).code, 128 + 15)
        state = Path(f"/proc/{child}/stat")
        self.assertTrue(not state.exists() or ") Z " in state.read_text(), "it still runs")
        self.assertEqual(self.client.session(session)["outcome"], "cancelled")

    def test_what_hooks_tell_is_counted_once_and_lines_add_cost_and_result(self):
        session, process = self.script(HOOKED)
        self.assertEqual(finish(process).code, 0)
        journal = self.client.journal(session)
        calls = Counter((event["type"], event["data"]["call_id"]) for event in journal if event["type"].startswith("tool."))
        self.assertEqual({call: number for call, number in calls.items() if call[1] != "run"},
                         {(kind, call): 1 for kind in ("tool.started", "tool.finished") for call in ("t1", "t2")})
        document = self.client.session(session)
        parts = {"input": 200, "cached": 0, "cache_write": 0, "output": 40, "reasoning": 0}
        self.assertEqual(document["used"], {"tokens": 240, "token_parts": parts, "cost_usd": 0.5})
        self.assertEqual(document["result"], {"text": "All made.", "model": "m"})
        self.assertEqual(document["adapter"]["name"], "claude")

    def hidden(self, hook: str):
        """An agent of which only this event comes by hooks, and that then goes round; it is still there."""
        session, process = self.script("""
            import json, os, sys, urllib.request
            def line(**body):
                print(json.dumps({**body, "session_id": "native", "uuid": "u"}), flush=True)
            line(type="system", subtype="init", model="m")
            body = json.dumps(dict(HOOK, session_id="native", cwd="/w")).encode()
            request = urllib.request.Request(os.environ["HEADWAY_URL"] + "/v1/hooks/claude", body,
                                             {"Content-Type": "application/json", "X-Headway-Session": os.environ["HEADWAY_SESSION"]})
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
            for n in range(8):
                line(type="assistant", message={"id": f"m{n}", "content": [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "make test"}}],
                                                "usage": {"input_tokens": 100, "output_tokens": 10}})
                line(type="user", message={"content": [{"type": "tool_result", "tool_use_id": f"t{n}", "is_error": True, "content": "boom"}]})
            sys.stdin.readline()
            line(type="result", subtype="success", is_error=False, result="Done.", total_cost_usd=0.5, usage={"input_tokens": 50000, "output_tokens": 500})
        """.replace("HOOK", hook), stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        return session, process

    def test_one_event_of_hooks_hides_no_loop_and_no_tokens(self):
        for hook in ('{"hook_event_name": "Notification", "message": "hi"}', '{"hook_event_name": "SessionStart", "source": "startup"}'):
            with self.subTest(hook):
                session, process = self.hidden(hook)
                eventually(lambda: self.client.get(f"/v1/sessions/{session}").json().get("verdict", {}).get("status") == "stuck", seconds=15,
                           what="the loop in the lines")
                self.assertIn("adapter", self.client.session(session))
                self.assertEqual(self.client.session(session)["used"]["tokens"], 880)
                process.stdin.write("go\n")
                process.stdin.close()
                finish(process)
                document = self.client.session(session)
                self.assertEqual((document["used"]["tokens"], document["used"]["cost_usd"]), (50500, 0.5))
                self.assertEqual(document["tools"]["calls"], 9)  # with the command

    def test_the_end_of_an_agent_is_not_the_end_of_the_command(self):
        session, process = self.script(HOOKED + """
    sys.stdin.readline()
    print("after")
    sys.exit(4)
""", stdin=subprocess.PIPE)
        eventually(lambda: "the agent has ended" in json.dumps(self.client.get(f"/v1/sessions/{session}/events").json()), what="its end")
        self.assertIsNone(self.client.session(session).get("outcome"))
        process.stdin.write("go\n")
        process.stdin.close()
        self.assertEqual(finish(process).code, 4)
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["verdict"]["status"]), ("failed", "failed"))


INIT = '{"type":"system","subtype":"init","session_id":"s","uuid":"u","model":"claude-opus-5","tools":[]}\n'
GEMINI = '{"type":"init","timestamp":"2026-11-26T10:00:00.000Z","session_id":"g","model":"gemini-3"}\n'


class OtherProgramThere(OwnDaemonCase):
    """Another program has the daemon's port for a while, and refuses what it does not know."""

    AGENT = """
        import json, os, time
        def line(**body):
            print(json.dumps({**body, "session_id": "native", "uuid": "u"}), flush=True)
        def wait_for(name):
            while not os.path.exists(name):
                time.sleep(0.02)
        line(type="system", subtype="init", model="m")
        for call in ("t1", "t2"):
            line(type="assistant", message={"id": call, "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": call}}]})
            line(type="user", message={"content": [{"type": "tool_result", "tool_use_id": call, "content": "made"}]})
            wait_for(call)
        line(type="result", subtype="success", is_error=False, result="All made.")
    """

    def test_reports_wait_until_it_is_gone(self):
        for status in (404, 405, 501):
            with self.subTest(status=status):
                daemon = self.start()
                calls = lambda: [e["data"]["call_id"] for e in client.journal("s") if e["type"] == "tool.finished" and e["data"]["tool"] == "Bash"]  # noqa: E731
                run = Cli(daemon).start("run", "--session", "s", "--quiet", "--", sys.executable, "-c", textwrap.dedent(self.AGENT))
                self.addCleanup(run.kill)
                client = self.client(daemon)
                eventually(lambda: client.get("/v1/sessions/s").status == 200 and calls() == ["t1"], what="the first call")
                client.close()
                port = daemon.port
                daemon.stop()
                with OtherProgram(status, port=port) as other:
                    (daemon.root / "t1").touch()
                    eventually(lambda: len([line for line in other.asked if line.startswith("POST")]) > 1, what="a second try")
                daemon.start(port)
                eventually(lambda: calls() == ["t1", "t2"], what="the second call")
                (daemon.root / "t2").touch()
                self.assertEqual(finish(run).code, 0)
                self.assertEqual((calls(), client.session("s")["outcome"]), (["t1", "t2"], "completed"))


class Nested(LinesCase):
    """A run inside a run, as an agent's script may begin one."""

    def tokens(self, *inner_output) -> tuple:
        file = self.daemon.root / "lines"
        file.write_text((FIXTURES / "claude.jsonl").read_text())
        outer, inner = unique("outer"), unique("inner")
        command = f"{BINARY} run --session {inner} -- cat {file} {' '.join(inner_output)}"
        self.assertEqual(self.cli.run("run", "--session", outer, "--", "sh", "-c", command).code, 0)
        return tuple(self.client.session(session)["used"]["tokens"] for session in (outer, inner))

    def test_tokens_of_lines_that_both_read_are_counted_once(self):
        self.assertEqual(self.tokens(), (1920, 0))

    def test_tokens_of_lines_that_the_outer_one_does_not_read_are_the_inner_ones(self):
        self.assertEqual(self.tokens("> /dev/null"), (0, 1920))


class Cancelled(LinesCase):
    def test_a_cancel_that_the_command_acknowledges_ends_it_all_the_same(self):
        script = """
            import json, os, time, urllib.request
            url = os.environ["HEADWAY_URL"] + "/v1/sessions/" + os.environ["HEADWAY_SESSION"]
            def ask(path, body=None):
                request = urllib.request.Request(url + path, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
                return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request))
            ask("/events", {"type": "message", "data": {"role": "assistant", "text": "looking"}})
            while True:
                for advice in ask("")["directives"]:
                    if advice["type"] == "stop":
                        ask("/events", {"type": "directive.acknowledged", "data": {"id": advice["id"]}})
                        print("acknowledged", flush=True)
                time.sleep(0.005)
        """
        session, run = self.script(script, "--interval", "5s")
        self.addCleanup(run.kill)
        looks = f"/v1/sessions/{session}/events?types=message"
        eventually(lambda: self.client.get(looks).json().get("events"), what="a command that looks for a stop")
        self.assertEqual(self.cli.run("cancel", session).code, 0)
        done = finish(run)
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("acknowledged", done.out)
        self.assertEqual(self.client.session(session)["outcome"], "cancelled")


class Terminals(LinesCase):
    def test_the_hangup_of_its_own_terminal_ends_the_command(self):
        for verb in (["run", "--session", unique("hangup"), "--"], ["run", "--session", unique("hangup"), "--keep-going", "--"], ["acp", "--"]):
            fifo = self.daemon.root / unique("pid")
            os.mkfifo(fifo)
            pid, terminal = pty.fork()
            if pid == 0:  # the leader of the terminal's session
                os.execve(BINARY, [str(BINARY), *verb, "sh", "-c", f"echo $$ > {fifo}; exec sleep 600"], self.cli.environment)
            command = os.pidfd_open(int(fifo.read_text()))
            self.addCleanup(os.close, command)
            os.close(terminal)
            ended = select.select([command], [], [], patient(30))[0]
            if not ended:
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            self.assertTrue(ended, f"{verb}: the command works on")


class EndedByItself(LinesCase):
    SCRIPT = """
        import json, os, pathlib, sys, time, urllib.request
        url = os.environ["HEADWAY_URL"] + "/v1/sessions/" + os.environ["HEADWAY_SESSION"]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        body = json.dumps({"outcome": "completed", "reason": "all done"}).encode()
        request = urllib.request.Request(url + "/end", body, {"Content-Type": "application/json"})
        while not pathlib.Path(GO + ".end").exists():
            time.sleep(0.005)
        opener.open(request).close()
        while not pathlib.Path(GO).exists():
            time.sleep(0.005)
        sys.exit(3)
    """

    def begin(self):
        """A command that ends its session once `go.end` is there, and itself once `go` is."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.go = Path(folder.name, "go")
        session = unique("lines")
        script = textwrap.dedent(self.SCRIPT.replace("GO", repr(str(self.go))))
        run = self.cli.start("run", "--session", session, "--interval", "100ms", "--", sys.executable, "-c", script)
        self.addCleanup(run.kill)
        eventually(lambda: self.client.get(f"/v1/sessions/{session}").status == 200, what="the session")
        return session, session + "~2", run

    def opened(self, session):
        eventually(lambda: self.client.get(f"/v1/sessions/{session}").status == 200, what="the next generation")
        return self.client.session(session)

    def test_a_command_that_ends_its_own_session_and_works_on_stays_supervised(self):
        session, following, run = self.begin()
        self.go.with_suffix(".end").touch()
        self.assertIsNone(self.opened(following)["ended_at"])
        self.go.touch()
        done = finish(run)
        self.assertEqual(done.code, 3, done)
        self.assertIn(f"goes on as {following}", done.err)
        self.assertEqual([self.client.session(name)["outcome"] for name in (session, following)], ["completed", "failed"])

    def test_what_it_does_between_that_and_its_own_end_is_not_lost(self):
        session = unique("lines")
        self.go = self.daemon.root / unique("go")
        self.go.with_suffix(".end").touch()
        self.go.touch()
        call = '{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"make","exit_code":0,"status":"completed"}}'
        script = textwrap.dedent(self.SCRIPT.replace("GO", repr(str(self.go)))).replace("sys.exit(3)", f"print({call!r}, flush=True)")
        script = "print('{\"type\":\"thread.started\",\"thread_id\":\"t\"}', flush=True)\nimport time\ntime.sleep(0.5)\n" + script
        finish(self.cli.start("run", "--session", session, "--", sys.executable, "-c", script))
        self.assertIn("make", json.dumps(self.client.journal(session + "~2")))

    def test_it_sheds_no_pause_by_that(self):
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        session, following, run = self.begin()
        self.assertEqual(operator.post(f"/v1/sessions/{session}/pause", {"reason": "not now"}).status, 200)
        self.go.with_suffix(".end").touch()
        self.assertIsNotNone(self.opened(following)["paused_at"])
        self.go.touch()
        finish(run)

    def test_one_that_was_cancelled_is_stopped_and_opens_no_other(self):
        session, following, run = self.begin()
        self.assertEqual(self.cli.run("cancel", session).code, 0)
        self.go.with_suffix(".end").touch()
        self.assertNotEqual(finish(run).code, 0)
        self.assertEqual(self.client.get(f"/v1/sessions/{following}").status, 404)

    def test_a_command_whose_session_a_person_ended_opens_no_other(self):
        session, run = self.script("import time; time.sleep(600)", "--interval", "100ms")
        self.addCleanup(run.kill)
        eventually(lambda: self.client.get(f"/v1/sessions/{session}").status == 200, what="the session")
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        operator.post(f"/v1/sessions/{session}/end", {"outcome": "failed"})
        done = finish(run)
        self.assertNotEqual(done.code, 0, done)
        self.assertEqual(self.client.get(f"/v1/sessions/{session}~2").status, 404)


class Ends(LinesCase):
    """How a run ended, by its lines and its exit status together."""

    def failed(self, output: str, *words: str, then: str = ""):
        _, document, _ = self.run_lines(output, then=then)
        self.assertEqual(document["outcome"], "failed")
        for word in words:
            self.assertIn(word, document["verdict"]["reason"])
        self.assertEqual(self.cli.run("wait", document["id"], "--timeout", "10s").code, 1)
        return document

    def test_a_run_that_was_cut_off_is_not_green(self):
        self.failed(INIT, "without its result")
        self.failed('{"type":"thread.started","thread_id":"t1"}\n{"type":"turn.started"}\n', "Codex ended without its result")

    def test_refused_calls_and_nothing_done_is_not_green(self):
        call = {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "/w/probe.txt", "content": "hello"}}
        lines = [{"type": "assistant", "message": {"id": "m1", "content": [call]}},
                 {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True,
                                                           "content": "Claude requested permissions to write to /w/probe.txt, but you haven't granted it yet."}]}},
                 {"type": "result", "subtype": "success", "is_error": False, "result": "I could not write the file.",
                  "permission_denials": [{"tool_name": "Write", "tool_use_id": "t1", "tool_input": {}}]}]
        self.failed(INIT + "".join(json.dumps({**line, "session_id": "s", "uuid": "u"}) + "\n" for line in lines), "nothing was done", "Write")

    def test_a_guard_of_the_agents_own_is_not_green(self):
        warning = '{"type":"error","timestamp":"t","severity":"warning","message":"Loop detected, stopping execution"}\n'
        self.failed(GEMINI + warning + '{"type":"result","timestamp":"t","status":"success"}\n', "stopped itself", "Loop detected")

    def test_what_copilot_says_before_its_exit_code_0_is_not_green(self):
        said = {"type": "assistant.message", "data": {"messageId": "m", "content": "All done."}}
        for kind, data, words in (("abort", {"reason": "user_initiated"}, "it was aborted"),
                                  ("session.autopilot_stopped", {"reason": "no_progress"}, "stopped itself"),
                                  ("session.task_complete", {"success": False, "outcome": "blocked", "reason": "a key"}, "needs a person: a key")):
            lines = [{**line, "id": "e", "timestamp": "t", "parentId": None} for line in (said, {"type": kind, "data": data})]
            lines.append({"type": "result", "timestamp": "t", "sessionId": "c1", "exitCode": 0, "usage": {}})
            with self.subTest(kind):
                self.failed("".join(json.dumps(line) + "\n" for line in lines), words)

    def test_an_exit_status_of_gemini_is_that_of_the_provider(self):
        document = self.failed(GEMINI + '{"type":"result","timestamp":"t","status":"error","error":{"type":"unknown","message":"it failed"}}\n',
                               "HTTP 429", then="exit 173; ")
        self.assertEqual(document["result"]["cause"], "rate_limit")

    def test_the_class_and_the_reset_of_a_limit_of_codex_come_from_its_rollout(self):
        reset = int(time.time()) + 7200
        day = self.daemon.root / "codex/sessions/2026/11/26"
        day.mkdir(parents=True)
        limits = {"primary": {"used_percent": 100.0, "resets_at": reset}, "secondary": {"used_percent": 80.0, "resets_at": reset + 9000}}
        payloads = [{"type": "task_started"}, {"type": "token_count", "rate_limits": limits},
                    {"type": "task_complete", "error": {"message": "no", "codex_error_info": "usage_limit_exceeded"}}]
        (day / "rollout-2026-11-26T23-01-47-th-1.jsonl").write_text(
            "".join(json.dumps({"type": "event_msg", "payload": payload}, separators=(",", ":")) + "\n" for payload in payloads))
        file = self.daemon.root / "limit"
        file.write_text('{"type":"thread.started","thread_id":"th-1"}\n{"type":"turn.started"}\n'
                        '{"type":"turn.failed","error":{"message":"You have hit it"}}\n')
        session = unique("limit")
        self.cli.environment["CODEX_HOME"] = str(self.daemon.root / "codex")
        self.cli.run("run", "--session", session, "--quiet", "--", "cat", str(file))
        document = self.client.session(session)
        until = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(reset))
        self.assertEqual((document["result"]["cause"], document["result"]["retry_at"]), ("usage_limit", until))
        error = [event["data"] for event in self.client.journal(session) if event["type"] == "error.reported"][-1]
        self.assertEqual((error["class"], error["retry_at"], error["ends_turn"]), ("usage_limit_exceeded", until, True))

    def waits(self, *lines: str, note: str = ""):
        """An agent that prints these lines, says the note on standard error and waits."""
        session, process = self.script(f"""
            import sys
            print({json.dumps("".join(lines))}, end="", flush=True)
            sys.stdin.readline()
            print({json.dumps(note)}, file=sys.stderr, flush=True)
            sys.stdin.readline()
        """, stdin=subprocess.PIPE)
        self.addCleanup(process.communicate, "on\n")

        def told(kind: str) -> bool:
            return kind in json.dumps(self.client.get(f"/v1/sessions/{session}/events").json())

        eventually(lambda: told("state.changed"), what="the first line")
        process.stdin.write("go\n")
        process.stdin.flush()
        eventually(lambda: told("error.reported"), what="the error")
        return session, [event["data"] for event in self.client.journal(session) if event["type"] == "error.reported"][-1]

    def test_a_limit_is_told_while_the_run_waits(self):
        reset = int(time.time()) + 7200
        limit = {"type": "rate_limit_event", "session_id": "s", "uuid": "u",
                 "rate_limit_info": {"status": "rejected", "resetsAt": reset, "rateLimitType": "five_hour"}}
        session, _ = self.waits(INIT, json.dumps(limit) + "\n")
        eventually(lambda: self.client.session(session)["verdict"]["status"] == "blocked", what="the block")
        verdict = self.client.session(session)["verdict"]
        self.assertEqual((verdict["cause"], verdict["retry_at"]), ("usage_limit", time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(reset))))

    def test_a_wait_that_only_standard_error_says_is_told(self):
        _, error = self.waits(GEMINI, note="Attempt 1 failed: got status: 429 Too Many. Retrying after 3600000ms...")
        self.assertEqual((error["status"], error["retryable"]), (429, True))
        self.assertIn("retry_at", error)


if __name__ == "__main__":
    unittest.main()
