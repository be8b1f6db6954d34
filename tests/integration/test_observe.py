#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway observe` and `[observe]`: agents without hooks are seen by their stored sessions, and hooks win."""
import json
import os
import shutil
import signal
import tempfile
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

from support.cli import Cli, finish
from support.daemon import Daemon
from support.limits import eventually
from support.other_program import OtherProgram


def stamp(ago: float = 0) -> str:
    return datetime.fromtimestamp(time.time() - ago, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ClaudeFile:
    """A stored session of Claude Code that grows."""

    def __init__(self, home: Path, session: str, agent: str = ""):
        folder = home / ".claude/projects/-home-dev-code"
        self.path = folder / f"{session}.jsonl" if not agent else folder / session / "subagents" / f"agent-{agent}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.base = {"sessionId": session, "cwd": "/home/dev/code", "version": "2.1.332", **({"agentId": agent} if agent else {})}
        self.count = 0

    def add(self, **line):
        line = {**self.base, "timestamp": stamp(line.pop("ago", 0)), **line}
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def prompt(self, text: str, **more):
        self.add(type="user", message={"content": text}, **more)

    def call(self, name: str, **more):
        self.count += 1
        self.add(type="assistant", message={
            "id": f"m{self.path.stem}{self.count}", "model": "claude-sonnet-4-5", "stop_reason": "tool_use",
            "usage": {"input_tokens": 1000, "output_tokens": 200},
            "content": [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "make"}}]}, **more)

    def result(self, name: str, text: str = "Exit code 2\nno rule", failed: bool = True, **more):
        self.add(type="user", message={"content": [{"type": "tool_result", "tool_use_id": name, "is_error": failed, "content": text}]}, **more)

    def answer(self, text: str, **more):
        self.count += 1
        self.add(type="assistant", message={"id": f"m{self.path.stem}{self.count}", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
                                            "usage": {"input_tokens": 1000, "output_tokens": 200},
                                            "content": [{"type": "text", "text": text}]}, **more)


class Observe(unittest.TestCase):
    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="headway-home-"))
        self.addCleanup(shutil.rmtree, self.home, True)
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)

    def start(self, **settings):
        self.daemon.settings.update(settings)
        self.daemon.environment["HOME"] = str(self.home)
        self.daemon.start()
        self.operator = self.daemon.operator()
        return self

    def observe(self, *arguments):
        cli = Cli(self.daemon)
        cli.environment["HOME"] = str(self.home)
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            cli.environment.pop(name, None)
        process = cli.start("observe", "--rescan", "1s", *arguments)
        self.addCleanup(self.end, process)
        self.assertIn("observes", process.stderr.readline())
        return process

    @staticmethod
    def end(process):
        if process.stderr.closed:
            return None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        return finish(process)

    def session(self, name: str) -> dict:
        reply = self.operator.get(f"/v1/sessions/{name}")
        return reply.json() if reply.status == 200 else {}

    def events(self, name: str, *types: str) -> list:
        return [one for one in self.operator.get(f"/v1/sessions/{name}/events?limit=1000").json()["events"]
                if one["type"] in types and one.get("event_id", "").startswith("transcript-")]

    def until(self, name: str, condition):
        return eventually(lambda: (lambda one: one and condition(one) and one)(self.session(name)), seconds=8, what=name)

    def test_a_session_is_seen_and_judged_and_says_that_it_is_only_observed(self):
        self.start()
        self.observe("claude")
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix the build")
        for i in range(5):
            file.call(f"t{i}")
            file.result(f"t{i}")
        one = self.until("claude-one", lambda s: s["verdict"]["status"] == "stuck")
        self.assertEqual((one["labels"]["adapter"], one["labels"]["workspace"], one["goal"]), ("transcript", "/home/dev/code", "Fix the build"))
        self.assertEqual(one["used"]["tokens"], 5 * 1200)
        self.assertNotIn("adapter", one)
        self.assertIn("nothing reaches the agent", Cli(self.daemon).run("show", "claude-one").out)
        file.call("open")
        self.until("claude-one", lambda s: [call["call_id"] for call in s["in_flight"]] == ["open"])
        file.result("open", "done", failed=False)
        file.answer("It is done.")
        self.until("claude-one", lambda s: s["state"] == "idle" and not s["in_flight"])

    def test_the_past_is_context_and_no_report(self):
        self.start()
        file = ClaudeFile(self.home, "old")
        file.prompt("Fix the build", ago=60)
        for i in range(9):
            file.call(f"t{i}", ago=50)
            file.result(f"t{i}", ago=50)
        file.call("running", ago=40)
        self.observe()
        one = self.until("claude-old", lambda s: [call["call_id"] for call in s["in_flight"]] == ["running"])
        self.assertEqual((one["goal"], one["used"]["tokens"], one["tools"]["calls"] if "calls" in one["tools"] else 0), ("Fix the build", 0, 0))
        file.result("running", "ok", failed=False)
        self.until("claude-old", lambda s: not s["in_flight"])
        self.assertEqual(len(self.events("claude-old", "tool.finished")), 1)
        self.assertEqual(self.events("claude-old", "message"), [])

    def test_a_session_of_long_ago_is_not_begun(self):
        self.start()
        old, new = ClaudeFile(self.home, "old"), ClaudeFile(self.home, "new")
        old.call("t", ago=7200)
        os.utime(old.path, (time.time() - 7200, time.time() - 7200))
        self.observe()
        new.prompt("hello")
        self.until("claude-new", lambda s: True)
        self.assertEqual(self.session("claude-old"), {})
        old.call("again")
        self.until("claude-old", lambda s: len(s["in_flight"]) == 2)  # the one before never got a result

    def test_a_restart_of_it_doubles_nothing_and_misses_nothing(self):
        self.start()
        process = self.observe()
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix it")
        for i in range(3):
            file.call(f"t{i}")
            file.result(f"t{i}", f"other {i}")
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 3)
        self.end(process)
        file.call("t3")
        file.result("t3", "meanwhile")
        self.observe()
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 4)
        file.call("t4")
        file.result("t4", "after")
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 5)
        one = self.session("claude-one")
        self.assertEqual(one["used"]["tokens"], 5 * 1200)
        self.assertEqual(len(self.events("claude-one", "message")), 1)

    def test_a_late_one_reports_nothing_of_before_the_newest_report_of_the_other(self):
        kinds = ("message", "tool.started", "tool.finished", "state.changed")
        self.start()
        late = self.observe("claude")
        late.send_signal(signal.SIGSTOP)
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix it")
        file.call("t0")
        file.result("t0")
        first = self.observe("claude")
        file.call("t1")
        file.result("t1")
        file.answer("It is fixed.")
        self.until("claude-one", lambda s: s["state"] == "idle")
        before = self.events("claude-one", *kinds)
        self.end(first)
        file.prompt("And the tests")
        late.send_signal(signal.SIGCONT)
        self.until("claude-one", lambda s: s["state"] != "idle")
        *same, new = self.events("claude-one", *kinds)
        self.assertEqual((same, new["data"]["text"]), (before, "And the tests"))

    def test_another_program_on_the_daemons_port_ends_no_following(self):
        self.start()
        self.observe()
        file = ClaudeFile(self.home, "one")
        port = self.daemon.port
        for number, status in enumerate((200, 404, 403, 405), 1):
            file.call(f"t{number}")
            file.result(f"t{number}", "done", failed=False)
            self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 2 * number - 1)
            self.operator.close()
            self.daemon.stop()
            with OtherProgram(status, port=port) as other:
                file.call(f"u{number}")
                file.result(f"u{number}", "done", failed=False)
                eventually(lambda: len(other.asked) > 1, seconds=8, what="a second try")
            self.daemon.start(port)
            self.operator = self.daemon.operator()
            self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 2 * number)

    def test_a_file_that_is_written_anew_or_cut_counts_once(self):
        self.start()
        self.observe()
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix it")
        file.call("t0")
        file.result("t0", "a")
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 1)
        text = file.path.read_text()
        other = file.path.with_suffix(".tmp")
        other.write_text(text)
        other.rename(file.path)  # another inode
        file.call("t1")
        file.result("t1", "b")
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 2)
        file.path.write_text(text)  # shorter than it was
        file.call("t2")
        file.result("t2", "c")
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 3)
        self.assertEqual(self.session("claude-one")["used"]["tokens"], 3 * 1200)

    def test_a_fork_does_not_report_the_history_that_it_copied(self):
        self.start()
        self.observe()
        original = ClaudeFile(self.home, "original")
        original.prompt("Fix it")
        for k in range(3):
            original.call(f"t{k}")
            original.result(f"t{k}", f"answer {k}")
        self.until("claude-original", lambda s: len(self.events("claude-original", "tool.finished")) == 3)
        fork = ClaudeFile(self.home, "fork")
        fork.path.write_text(original.path.read_text().replace('"sessionId": "original"', '"sessionId": "fork"'))
        fork.call("own")
        fork.result("own", "another answer")
        self.until("claude-fork", lambda s: self.events("claude-fork", "tool.finished"))
        self.assertEqual([call["data"]["call_id"] for call in self.events("claude-fork", "tool.finished")], ["own"])
        self.assertEqual(self.session("claude-fork")["used"]["tokens"], 1200)
        original.call("t3")  # it goes on as well
        original.result("t3", "answer 3")
        self.until("claude-original", lambda s: len(self.events("claude-original", "tool.finished")) == 4)

    def test_a_fork_that_is_made_while_the_daemon_is_away_takes_nothing_from_its_original(self):
        self.start()
        self.observe()
        original = ClaudeFile(self.home, "original")
        original.prompt("Fix it")
        original.call("t0")
        original.result("t0", "answer 0")
        self.until("claude-original", lambda s: len(self.events("claude-original", "tool.finished")) == 1)
        self.daemon.kill()
        for k in (1, 2):
            original.call(f"t{k}")
            original.result(f"t{k}", f"answer {k}")
            time.sleep(1)
        fork = ClaudeFile(self.home, "fork")
        fork.path.write_text(original.path.read_text().replace('"sessionId": "original"', '"sessionId": "fork"'))
        fork.call("own")
        fork.result("own", "another answer")
        time.sleep(2)
        self.daemon.start(self.daemon.port)
        self.operator = self.daemon.operator()
        self.until("claude-fork", lambda s: self.events("claude-fork", "tool.finished"))
        self.until("claude-original", lambda s: len(self.events("claude-original", "tool.finished")) == 3)
        self.assertEqual([call["data"]["call_id"] for call in self.events("claude-fork", "tool.finished")], ["own"])

    def test_hooks_win_before_and_after_it_has_begun(self):
        self.start()
        process = self.observe()
        hook = {"session_id": "hooked", "cwd": "/home/dev/code", "hook_event_name": "SessionStart", "source": "startup"}
        self.assertEqual(self.operator.post("/v1/hooks/claude", hook).status, 200)
        hooked, late = ClaudeFile(self.home, "hooked"), ClaudeFile(self.home, "late")
        for file, call in ((hooked, "h0"), (late, "l0")):
            file.prompt(f"Fix it, {call}")
            file.call(call)
            file.result(call, "a")
        self.until("claude-late", lambda s: len(self.events("claude-late", "tool.finished")) == 1)
        self.assertEqual(self.operator.post("/v1/hooks/claude", {**hook, "session_id": "late"}).status, 200)
        late.call("t1")
        late.result("t1", "b")
        marker = ClaudeFile(self.home, "marker")
        marker.prompt("hello")
        self.until("claude-marker", lambda s: True)
        time.sleep(0.5)
        self.assertEqual(self.events("claude-hooked", "tool.finished", "message"), [])
        self.assertEqual(len(self.events("claude-late", "tool.finished")), 1)
        text = self.end(process).err
        self.assertIn("leaves claude-hooked alone: it reports by itself", text)
        self.assertIn("leaves claude-late alone: it reports by itself", text)

    def test_one_event_of_hooks_hides_no_loop(self):
        self.start()
        process = self.observe()
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix it")
        file.call("t0")
        file.result("t0", "a")
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 1)
        hook = {"session_id": "one", "cwd": "/home/dev/code", "hook_event_name": "Notification", "message": "hi"}
        self.assertEqual(self.operator.post("/v1/hooks/claude", hook).status, 200)
        hooked = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x"}}
        self.assertEqual(self.operator.post("/v1/hooks/claude", {**hook, **hooked, "tool_use_id": "known"}).status, 200)
        file.call("known")
        file.result("known", "x", failed=False)
        for i in range(1, 8):
            file.call(f"t{i}")
            file.result(f"t{i}")
        self.until("claude-one", lambda s: s["verdict"]["status"] in ("suspect", "stuck") and len(self.events("claude-one", "tool.finished")) == 8)
        calls = [event["data"]["call_id"] for event in self.events("claude-one", "tool.finished")]
        self.assertEqual(calls, [f"t{i}" for i in range(8)])
        text = self.end(process).err
        self.assertIn("leaves claude-one alone: it reports by itself", text)
        self.assertIn("follows claude-one: its hooks do not report", text)

    def test_hooks_of_before_a_restart_of_the_daemon_win_too(self):
        self.start()
        process = self.observe()
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix it")
        self.until("claude-one", lambda s: True)
        self.end(process)
        hook = {"session_id": "one", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "tool_response": {"stdout": "x"}, "tool_use_id": "t0"}
        self.assertEqual(self.operator.post("/v1/hooks/claude", hook).status, 200)
        self.daemon.restart()
        self.operator = self.daemon.operator()
        self.assertNotIn("adapter", self.session("claude-one"))
        process = self.observe()
        file.call("t0")
        file.result("t0", "x", failed=False)
        eventually(seconds=8, condition=lambda: "leaves claude-one alone" in process.stderr.readline())
        self.assertEqual(self.events("claude-one", "tool.finished"), [])

    def test_a_command_that_runs_under_a_watch_is_not_seen_twice(self):
        self.start()
        work = self.home / "work"
        work.mkdir()
        cli = Cli(self.daemon)
        runs = cli.start("run", "--session", "run-1", "--", "sh", "-c", f"cd {work}; exec sleep 60")
        self.addCleanup(self.end, runs)
        eventually(lambda: self.session("run-1"))
        eventually(lambda: any(os.readlink(f"/proc/{pid}/cwd") == str(work) for pid in os.listdir("/proc")
                               if pid.isdigit() and os.access(f"/proc/{pid}/cwd", os.R_OK) and os.path.exists(f"/proc/{pid}/cwd")))
        process = self.observe()
        file = ClaudeFile(self.home, "one")
        file.base["cwd"] = str(work)
        file.prompt("Fix it")
        eventually(lambda: "a supervised command works in its folder" in process.stderr.readline())
        self.assertEqual(self.session("claude-one"), {})

    def test_a_sub_agent_is_a_child_and_ends_with_its_turn(self):
        self.start()
        self.observe()
        parent, child = ClaudeFile(self.home, "one"), ClaudeFile(self.home, "one", "a1")
        parent.prompt("Fix it")
        parent.call("task")
        self.until("claude-one", lambda s: s["in_flight"])
        child.prompt("Look")
        child.call("c0")
        child.result("c0", "x", failed=False)
        child.answer("Found it.")
        one = self.until("claude-one.a1", lambda s: s["ended_at"])
        self.assertEqual((one["parent"], one["outcome"]), ("claude-one", "completed"))

    def test_links_and_half_lines_are_not_read(self):
        self.start()
        self.observe()
        file = ClaudeFile(self.home, "one")
        (file.path.parent / "link.jsonl").symlink_to(self.home / "elsewhere.jsonl")
        other = ClaudeFile(self.home / "other", "secret")
        other.prompt("secret")
        (file.path.parent / "link.jsonl").unlink()
        (file.path.parent / "link.jsonl").symlink_to(other.path)
        file.prompt("Fix it")
        with file.path.open("a") as more:
            more.write('{"type":"user","sessionId":"one","timestamp":"' + stamp() + '","message":{"content":"half')
        self.until("claude-one", lambda s: len(self.events("claude-one", "message")) == 1)
        with file.path.open("a") as more:
            more.write(' and half"}}\n')
        self.until("claude-one", lambda s: len(self.events("claude-one", "message")) == 2)
        self.assertEqual(self.events("claude-one", "message")[1]["data"]["text"], "half and half")
        self.assertEqual(self.session("claude-secret"), {})

    def test_a_daemon_that_is_away_costs_nothing(self):
        self.start()
        self.observe()
        file = ClaudeFile(self.home, "one")
        file.prompt("Fix it")
        self.until("claude-one", lambda s: len(self.events("claude-one", "message")) == 1)
        self.daemon.kill()
        for i in range(3):
            file.call(f"t{i}")
            file.result(f"t{i}", f"other {i}")
        self.daemon.start(self.daemon.port)
        self.operator = self.daemon.operator()
        self.until("claude-one", lambda s: len(self.events("claude-one", "tool.finished")) == 3)

    def observer_of_the_daemon(self) -> int:
        children = Path(f"/proc/{self.daemon.process.pid}/task/{self.daemon.process.pid}/children").read_text().split()
        for child in children:
            if b"observe" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                return int(child)
        return 0

    def test_a_daemon_observes_by_its_setting_starts_it_again_and_ends_it_with_itself(self):
        self.daemon.environment.update({"HEADWAY_TOKEN": "of-another-daemon", "MY_HOOK_SECRET": "s3cret", "CLAUDE_CONFIG_DIR": f"{self.home}/.claude"})
        self.start(**{"observe.agents": "claude"})
        pid = eventually(self.observer_of_the_daemon)
        eventually(lambda: b"HEADWAY" not in Path(f"/proc/{pid}/comm").read_bytes() and len(os.listdir(f"/proc/{pid}/fd")) > 4)
        file = ClaudeFile(self.home, "one")

        def seen():
            file.prompt(f"Fix it {time.time()}")
            time.sleep(0.2)
            return self.session("claude-one")
        one = eventually(seen)
        self.assertEqual(one["labels"]["adapter"], "transcript")
        variables = Path(f"/proc/{pid}/environ").read_bytes()
        self.assertIn(b"CLAUDE_CONFIG_DIR", variables)
        self.assertNotRegex(variables, b"HEADWAY_TOKEN|SECRET")
        os.kill(pid, signal.SIGKILL)
        again = eventually(lambda: self.observer_of_the_daemon() not in (0, pid) and self.observer_of_the_daemon())
        file.answer("done")
        self.until("claude-one", lambda s: s["state"] == "idle")
        self.assertIn("ended with signal 9; it is started again in 1 s", self.daemon.log())
        self.assertEqual(self.daemon.stop(), 0)
        self.assertFalse(Path(f"/proc/{again}").exists())

    def test_an_agent_that_cannot_be_observed_is_a_mistake_in_the_settings(self):
        self.daemon.settings["observe.agents"] = "gemini"
        process = self.daemon.spawn()
        self.assertEqual(process.wait(30), 2)
        process.stdout.close()
        self.assertIn("is no agent that can be observed; use claude, codex, copilot, pi, qwen", self.daemon.log())

    def test_without_a_daemon_it_says_so(self):
        self.start()
        self.daemon.kill()
        cli = Cli(self.daemon)
        self.assertEqual(cli.run("observe").code, 69)
        self.assertEqual(cli.run("observe", "gemini").code, 64)


if __name__ == "__main__":
    unittest.main()
