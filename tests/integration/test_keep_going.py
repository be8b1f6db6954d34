#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway run --keep-going`: an agent is started again in its conversation, and never against a person."""
import contextlib
import fcntl
import json
import os
import signal
import stat
import subprocess
import tempfile
import time
import unittest
from datetime import datetime
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.daemon import BINARY, Daemon
from support.limits import SLOW, eventually, patient
from support.other_program import OtherProgram
from support.shifted_clock import ShiftedClock
from support.stored_sessions import Rows

# An agent with Claude's lines: each start does the next line of the file `play`, and notes its arguments and folder.
AGENT = r'''#!/usr/bin/env python3
import json, os, sys, time
here = os.environ["PLAY"]
if "HANGUP" in os.environ:
    import signal
    signal.signal(signal.SIGHUP, signal.SIG_DFL if os.environ["HANGUP"] == "by the signal" else lambda *_: os._exit(129))
with open(here + "/starts", "a") as log:
    log.write(json.dumps({"argv": sys.argv[1:], "cwd": os.getcwd(), "at": time.time()}) + "\n")
starts = sum(1 for _ in open(here + "/starts"))
acts = open(here + "/play").read().split()
act = acts[min(starts, len(acts)) - 1]
def say(type, **more):
    print(json.dumps({"type": type, "session_id": os.environ["TALK"], "uuid": "u", **more}), flush=True)
if act in ("offline", "dies", "lost", "mute"):  # before its first line
    words = {"offline": "TypeError: fetch failed", "lost": "No conversation found with session ID: talk-1"}.get(act)
    if words: print(words, file=sys.stderr)
    sys.exit(0 if act == "mute" else 1)
if act == "gone":
    say("result", subtype="error_during_execution", is_error=True, errors=["No conversation found with session ID: talk-1"])
    sys.exit(1)
say("system", subtype="init", model="m", cwd=os.environ.get("CWD", os.getcwd()), claude_code_version=os.environ.get("VERSION", "2.1.332"))
say("assistant", message={"id": f"m{starts}", "content": [{"type": "tool_use", "id": f"t{starts}", "name": "Write",
    "input": {"file_path": f"f{starts}", "content": act}}]})
say("user", message={"content": [{"type": "tool_result", "tool_use_id": f"t{starts}", "content": "written"}]})
def fail(words, status):
    say("result", subtype="success", is_error=True, result=words, api_error_status=status)
    sys.exit(1)
if act == "weekly":
    say("rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": int(time.time()) + 400000})
    fail("You've hit your weekly limit", 429)
if act.startswith("limit"):
    wait = int(act[5:] or 1)
    say("rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": int(time.time()) + wait, "rateLimitType": "five_hour"})
    fail("You've hit your limit", 429)
if act == "polite":  # asked to end, it gives its result
    import signal
    signal.signal(signal.SIGTERM, lambda *_: open(here + "/go", "w").close())
if act in ("slow", "polite"):
    while not os.path.exists(here + "/go"): time.sleep(0.02)
def spend(cents, ends):
    """Totals as Claude says them, and stores them in its transcript."""
    models = {"m": {"inputTokens": 10 * cents, "outputTokens": cents, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": cents / 100}}
    say("result", subtype="success", is_error=not ends, result="You've hit your limit", api_error_status=None if ends else 429, total_cost_usd=cents / 100, modelUsage=models)
    sys.exit(0 if ends else 1)
if act.startswith("spent"):
    ends = starts >= len(acts)
    if not ends: say("rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": int(time.time()) + 1})
    spend(int(act[5:]), ends)
if act.startswith("nests"):  # another run, which is to outlive the agent
    import subprocess
    inner = subprocess.Popen([os.environ["HEADWAY"], "run", "--session", os.environ["INNER"], "--", "sleep", "600"], start_new_session=True)
    while not os.path.exists(here + "/go"): time.sleep(0.02)
    if act == "nests": fail("Overloaded", 529)
    act = "long"
if act == "poses":  # a process with the command line of a run
    import subprocess
    with open(here + "/run", "w") as script: script.write("echo $$ > posing; while :; do sleep 0.1; done")
    subprocess.Popen(["headway", "run"], executable="/bin/sh", cwd=here, start_new_session=True)
    while not os.path.exists(here + "/posing"): time.sleep(0.02)
    fail("Overloaded", 529)
if act == "overload": fail("Overloaded", 529)
while act == "chats":
    try: say("system", subtype="status")
    except BrokenPipeError: os._exit(1)
if act == "login": fail("Invalid API key", 401)
if act == "polite-fail":  # its status says that all is well, its result does not
    say("result", subtype="success", is_error=True, result="Invalid API key", api_error_status=401)
    sys.exit(0)
if act == "unsure":  # its result says that all is well, its status does not
    say("result", subtype="success", is_error=False, result="done")
    sys.exit(1)
if act == "wedged":
    say("result", subtype="success", is_error=True, result="Invalid API key", api_error_status=401)
    time.sleep(600)
if act == "crash": os.kill(os.getpid(), 9)
if act == "hang": time.sleep(600)
if act == "long":
    say("system", subtype="api_retry", attempt=1, max_retries=10, retry_delay_ms=3600000, error_status=429, error="rate_limit")
    time.sleep(600)
if act == "task": say("system", subtype="task_started", task_id="b1", tool_use_id="t1")
say("result", subtype="success", is_error=False, result="done")
if act == "stay" or act == "task": time.sleep(600)
'''

# One turn with Codex's lines, and its record of the folder.
CODEX = r'''#!/usr/bin/env python3
import json, os, sys
with open(os.environ["PLAY"] + "/starts", "a") as log:
    log.write(json.dumps({"argv": sys.argv[1:], "cwd": os.getcwd()}) + "\n")
starts = sum(1 for _ in open(os.environ["PLAY"] + "/starts"))
thread = "01a21a19-b04b-7e60-8238-1ae8d8053a1f"
if "CWD" in os.environ:
    day = os.environ["CODEX_HOME"] + "/sessions/2026/11/28"
    os.makedirs(day, exist_ok=True)
    with open(f"{day}/rollout-2026-11-28T03-00-00-{thread}.jsonl", "w") as record:
        for type, cwd in (("session_meta", "/elsewhere"), ("turn_context", os.environ["CWD"])):
            record.write(json.dumps({"type": type, "payload": {"cwd": cwd}}) + "\n")
for line in ({"type": "thread.started", "thread_id": thread}, {"type": "turn.started"},
             {"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": "done"}},
             {"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 1}}):
    if starts == 1 and line["type"] == "turn.completed" and os.environ.get("ACT") == "crash": os.kill(os.getpid(), 9)
    print(json.dumps(line), flush=True)
'''

class KeepGoingCase(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        agent = self.folder / "claude"
        agent.write_text(AGENT)
        agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
        self.session = unique()
        # The turn that an agent of another test has taken delays no agent of this one.
        (self.daemon.state_dir / "keep-going.claude.turns").unlink(missing_ok=True)
        self.cli = Cli(self.daemon)
        self.cli.environment.update(PLAY=str(self.folder), TALK="talk-1")

    def start(self, play: str, *options, margin="100ms", **popen) -> subprocess.Popen:
        (self.folder / "play").write_text(play)
        return self.cli.start("run", "--session", self.session, "--keep-going", "--margin", margin, *options, "--",
                              str(self.folder / "claude"), "-p", "--model", "opus", "Fix it", **popen)

    def run_play(self, play: str, *options, **more):
        process = self.start(play, *options, **more)
        out, err = process.communicate(timeout=patient(60))
        return process.returncode, err

    def starts(self) -> list:
        file = self.folder / "starts"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def ended(self) -> dict:
        return self.client.get(f"/v1/sessions/{self.session}").json()

    def waiting(self) -> bool:
        """Not before the first start."""
        return bool(self.starts()) and self.ended().get("verdict", {}).get("status") == "waiting"

    def events(self) -> list:
        """None before the session is opened."""
        return self.client.get(f"/v1/sessions/{self.session}/events?limit=500").json().get("events", [])

    def waits(self) -> list:
        return [e["data"] for e in self.events() if e["type"] == "tool.finished" and e["data"]["tool"] == "wait"]

    def wait_for(self, condition, what: str):
        eventually(condition, what=what)


class KeepGoing(KeepGoingCase):
    def test_after_a_limit_it_goes_on_in_the_same_conversation_with_the_same_flags(self):
        code, err = self.run_play("limit done")
        self.assertEqual(code, 0, err)
        first, second = self.starts()
        self.assertEqual(second["argv"][:5], ["-p", "--model", "opus", "--resume", "talk-1"])
        self.assertIn("usage limit was reached, and it has reset", second["argv"][5])
        self.assertNotIn("Fix it", second["argv"])
        self.assertGreaterEqual(second["at"], int(first["at"]) + 1)
        self.assertEqual(self.ended()["verdict"]["status"], "completed")
        self.assertEqual([(w["ok"], w["args"]["why"]) for w in self.waits()], [(True, "the usage limit is reached")])
        resumed = [r["reason"] for r in self.client.get("/v1/digest?since=8h").json()["resumed"] if r["session"] == self.session]
        self.assertEqual(resumed, ["the usage limit is reached"])

    def test_another_run_that_the_agent_began_is_not_ended_with_the_agent(self):
        inner = unique("inner")
        self.cli.environment.update(HEADWAY=str(BINARY), INNER=inner)
        process = self.start("nests done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.client.get(f"/v1/sessions/{inner}").json().get("in_flight"), "no inner run")
        (self.folder / "go").touch()
        process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (0, 2))
        self.assertIsNone(self.client.session(inner)["outcome"])
        self.daemon.operator().post(f"/v1/sessions/{inner}/cancel", {"reason": "the test is over"})
        self.wait_for(lambda: self.client.session(inner)["outcome"] == "cancelled", "no end")

    def test_an_agent_that_is_ended_for_a_long_wait_takes_no_other_run_with_it(self):
        inner = unique("inner")
        self.cli.environment.update(HEADWAY=str(BINARY), INNER=inner)
        process = self.start("nests-long done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.client.get(f"/v1/sessions/{inner}").json().get("in_flight"), "no inner run")
        (self.folder / "go").touch()
        self.wait_for(lambda: any(e["data"].get("tool") == "wait" for e in self.events() if e["type"] == "tool.started"), "no wait")
        self.assertIsNone(self.client.session(inner)["outcome"])
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=patient(60))
        self.daemon.operator().post(f"/v1/sessions/{inner}/cancel", {"reason": "the test is over"})
        self.wait_for(lambda: self.client.session(inner)["outcome"] == "cancelled", "no end")

    def used(self) -> tuple:
        used = self.ended()["used"]
        return round(used["cost_usd"], 6), used["tokens"]

    def test_what_a_resumed_conversation_had_used_before_is_booked_once(self):
        code, err = self.run_play("spent100 spent150 spent200")
        self.assertEqual((code, len(self.starts())), (0, 3), err)
        self.assertEqual(self.used(), (2.0, 2200))

    def test_what_an_agent_that_begins_at_zero_uses_is_booked_whole(self):
        self.cli.environment["VERSION"] = "2.1.276"
        self.run_play("spent100 spent150 spent200")
        self.assertEqual(self.used(), (4.5, 4950))

    def test_totals_below_those_before_are_booked_whole_whatever_the_version(self):
        self.run_play("spent100 spent50 spent75")
        self.assertEqual(self.used(), (1.75, 1925))

    def transcript(self, cents: int):
        """A total of talk-1, stored by Claude."""
        numbers = dict.fromkeys(["totalAPIDuration", "totalAPIDurationWithoutRetries", "totalToolDuration", "totalLinesAdded", "totalLinesRemoved",
                                 "totalDuration", "startTime"], 1)
        part = {"inputTokens": 10 * cents, "outputTokens": cents, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": cents / 100}
        file = self.folder / "home/projects/-work/talk-1.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as lines:
            lines.write(json.dumps({"type": "cost-state", "sessionId": "talk-1", "totalCostUSD": cents / 100, "modelUsage": {"m": part}, **numbers}) + "\n")
        self.cli.environment["CLAUDE_CONFIG_DIR"] = str(self.folder / "home")

    def test_what_a_conversation_had_used_before_the_first_run_is_not_booked(self):
        self.transcript(500)
        code, err = self.run_play("spent600 spent650")
        self.assertEqual((code, len(self.starts())), (0, 2), err)
        # The stored total is that from before the first run: this agent stores none.
        self.assertEqual(self.used(), (2.5, 2750))

    def test_a_stored_total_above_what_was_booked_hides_nothing(self):
        process = self.start("spent100 spent150")
        self.wait_for(lambda: self.starts() and self.waiting(), "no wait")
        self.transcript(140)
        process.communicate(timeout=patient(60))
        self.assertEqual(self.used(), (1.5, 1650))

    def test_an_agent_that_writes_what_keep_going_writes_was_not_resumed(self):
        self.client.post(f"/v1/sessions/{self.session}/events", [
            {"type": "message", "data": {"role": "system", "text": "resume 1: the usage limit is reached; goes on at 2026-11-28T03:10Z"}},
            {"type": "tool.finished", "event_id": "run-a-1", "data": {"call_id": "wait-1", "tool": "wait", "ok": True}}])
        resumed = self.client.get("/v1/digest?since=8h").json()["resumed"]
        self.assertNotIn(self.session, [r["session"] for r in resumed])

    def test_the_later_limit_of_another_run_does_not_delay_it(self):
        self.cli.environment["TALK"] = "talk-2"
        other = self.start("weekly", "--until", "200h")
        self.cli.environment["TALK"] = "talk-1"
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        self.wait_for(self.waiting, "no wait")
        (self.folder / "starts").unlink()
        self.session = unique()
        code, err = self.run_play("limit done")
        self.assertEqual((code, len(self.starts())), (0, 2), err)

    def test_the_limit_of_another_model_delays_a_run_and_does_not_end_it(self):
        """The other run, resumed first, meets a limit that outlasts this run; the model of this run serves again."""
        (self.folder / "claude").write_text(AGENT.replace('"name": "Write"', '"name": "Read"'))
        (self.folder / "other").mkdir()
        (self.folder / "other" / "play").write_text("limit1 limit600")
        environment = {**self.cli.environment, "PLAY": str(self.folder / "other"), "TALK": "talk-2"}
        process = self.start("limit4 done", "--until", "60s", margin="1s")
        self.addCleanup(process.kill)
        other = subprocess.Popen([self.binary(), "run", "--keep-going", "--margin", "100ms", "--until", "1h", "--",
                                  str(self.folder / "claude"), "-p", "--model", "fable", "x"], env=environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        _, err = process.communicate(timeout=patient(90))
        self.assertEqual((process.returncode, len(self.starts())), (0, 2), err)
        self.assertIn("another run found that a limit of claude still holds", err)

    def test_while_it_waits_the_session_is_waiting_and_says_until_when(self):
        process = self.start("limit done", margin="10m")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        self.wait_for(lambda: "waiting until" in (self.ended().get("phase") or ""), "no time")
        self.client.post(f"/v1/sessions/{self.session}/events", {"type": "heartbeat"})
        self.assertEqual(self.ended()["verdict"]["status"], "waiting")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=patient(30))
        self.assertEqual(len(self.starts()), 1)
        self.assertIn("interrupted", self.ended()["verdict"]["reason"])

    def test_a_limit_that_the_run_waits_for_is_never_blocked_and_wait_goes_on(self):
        process = self.start("limit2 done")
        waits = self.cli.start("wait", self.session, "--missing", "wait", "--url", self.daemon.url)
        process.communicate(timeout=patient(60))
        out, err = waits.communicate(timeout=patient(60))
        self.assertEqual(waits.returncode, 0, out + err)
        verdicts = [event["data"]["to"] for event in self.client.journal(self.session) if event["type"] == "verdict.changed"]
        self.assertNotIn("blocked", verdicts)
        self.assertEqual([wait["args"]["error"]["class"] for wait in self.waits()], ["usage_limit"])
        self.assertEqual(self.client.session(self.session)["phase"], "running")

    def test_a_limit_that_ends_the_run_is_blocked(self):
        self.run_play("weekly")
        errors = [event["data"]["class"] for event in self.client.journal(self.session) if event["type"] == "error.reported"]
        self.assertIn("usage_limit", errors)
        self.assertEqual(self.client.session(self.session)["verdict"]["cause"], "usage_limit")

    def test_a_session_that_is_paused_when_its_agent_ends_is_not_checked_until_it_goes_on(self):
        process = self.start("slow", "--check", f"touch {self.folder}/checked")
        self.wait_for(lambda: self.starts() and self.events(), "no session")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/pause", {"reason": "not now"})
        (self.folder / "go").write_text("")
        for line in process.stderr:
            if "the session is paused" in line:
                break
        else:
            self.fail("the check did not wait")
        self.assertFalse((self.folder / "checked").exists())
        self.daemon.operator().post(f"/v1/sessions/{self.session}/resume", {})
        process.communicate(timeout=patient(60))
        self.assertTrue((self.folder / "checked").exists())
        self.assertEqual(self.client.session(self.session)["outcome"], "completed")

    def test_a_signal_that_it_was_started_to_ignore_ends_nothing(self):
        """As by `nohup`: a closed terminal, at work and in the wait."""
        for play, hangs_up, options, starts in (("slow", lambda: bool(self.starts()), ("--check", "true"), 1), ("limit2 done", self.waiting, (), 2)):
            with self.subTest(play):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                process = self.start(play, *options, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
                self.addCleanup(process.kill)
                self.wait_for(hangs_up, "no start, or no wait")
                process.send_signal(signal.SIGHUP)
                (self.folder / "go").touch()
                _, err = process.communicate(timeout=patient(60))
                self.assertEqual((process.returncode, len(self.starts())), (0, starts), err)

    def test_an_agent_that_does_not_ignore_the_hangup_too_is_resumed(self):
        """Node sets each signal back to its default at its start."""
        for ends in ("by the signal", "by itself"):
            with self.subTest(ends):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                self.cli.environment["HANGUP"] = ends
                process = self.start("slow done", start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
                self.addCleanup(process.kill)
                self.wait_for(lambda: bool(self.starts()), "no start")
                os.killpg(process.pid, signal.SIGHUP)
                _, err = process.communicate(timeout=patient(60))
                self.assertEqual((process.returncode, len(self.starts())), (0, 2), err)
                self.assertIn("the process was killed", err)

    def test_a_signal_right_before_the_next_start_starts_nothing(self):
        process = self.start("limit1 done")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        turns = self.daemon.state_dir / "keep-going.claude.turns"
        with open(turns) as held:  # it is looked at once it is time
            fcntl.flock(held, fcntl.LOCK_EX)
            def looks() -> bool:
                return any(os.path.realpath(link) == str(turns) for link in Path(f"/proc/{process.pid}/fd").iterdir())
            self.wait_for(looks, "no look")
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual((len(self.starts()), process.returncode), (1, 1), err)
        self.assertIn("not resumed: interrupted", err)
        self.assertEqual(self.ended()["outcome"], "cancelled")

    def test_a_standard_error_that_is_full_and_not_read_holds_no_signal_back(self):
        """As a pager holds it."""
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        process = self.start("slow done", stderr=write)
        self.addCleanup(process.kill)
        self.wait_for(lambda: any(e["type"] == "tool.finished" for e in self.events()), "no call")
        full = os.open(f"/proc/self/fd/{write}", os.O_WRONLY | os.O_NONBLOCK)
        os.close(write)
        self.addCleanup(os.close, full)
        for size in (4096, 1):
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(full, b"x" * size)
        agent = next(pid for pid in self.children(process.pid) if "claude" in Path(f"/proc/{pid}/cmdline").read_text())
        os.kill(int(agent), signal.SIGKILL)
        self.wait_for(self.waiting, "no wait for the next start")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=patient(60)), 128 + signal.SIGKILL)
        self.assertEqual((len(self.starts()), self.ended()["outcome"]), (1, "cancelled"))

    def children(self, pid: int) -> list:
        return [one for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()]

    def test_an_agent_whose_output_has_no_reader_is_not_resumed(self):
        process = self.start("chats")
        self.addCleanup(process.kill)
        self.wait_for(lambda: bool(self.starts()), "no start")
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn("not resumed: its output has no reader any more", err)

    def test_a_cancel_ends_the_wait_at_once(self):
        process = self.start("limit done", margin="10m")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)
        self.assertEqual(self.ended()["outcome"], "cancelled")

    def test_a_pause_holds_the_next_start_back(self):
        process = self.start("crash done", margin="90s")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/pause", {"reason": "not now"})
        due = next(e["data"]["args"]["until"] for e in self.client.journal(self.session)
                   if e["type"] == "tool.started" and e["data"]["tool"] == "wait")
        due = datetime.fromisoformat(due.replace("Z", "+00:00")).timestamp()
        self.wait_for(lambda: time.time() > due + 2, "the wait is longer than it says")
        self.assertEqual(len(self.starts()), 1)
        self.daemon.operator().post(f"/v1/sessions/{self.session}/resume", {})
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 2)

    def own_daemon(self) -> tuple:
        """A daemon that the test may kill, and a client of it."""
        daemon = Daemon().start()
        self.addCleanup(daemon.stop)
        client = daemon.client()
        self.addCleanup(client.close)
        self.cli = Cli(daemon)
        self.cli.environment.update(PLAY=str(self.folder), TALK="talk-1")
        return daemon, client

    def test_a_request_to_a_person_holds_the_next_start_back_though_the_daemon_is_gone(self):
        daemon, client = self.own_daemon()
        process = self.start("limit9 done", "--interval", "100ms")
        self.addCleanup(process.kill)

        def events(kind):
            return [e for e in client.get(f"/v1/sessions/{self.session}/events?limit=500").json().get("events", []) if e["type"] == kind]
        self.wait_for(lambda: [e for e in events("tool.started") if e["data"]["tool"] == "wait"], "no wait")
        asked = client.post(f"/v1/sessions/{self.session}/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        at = events("approval.requested")[0]["n"]
        self.wait_for(lambda: [e for e in events("heartbeat") if e["n"] > at], "no report since the request")
        port = daemon.port
        daemon.kill()
        time.sleep(9 + 12)  # the reset, and longer than a reply is waited for
        self.assertEqual(len(self.starts()), 1)
        daemon.start(port)
        daemon.operator().post(f"/v1/approvals/{asked}/decision", {"decision": "approve", "by": "ana"})
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 2)

    def daemon_dies(self, cancel: bool):
        """The daemon is killed in the wait, right behind a person's cancel, and is back long after the reset."""
        daemon, client = self.own_daemon()
        process = self.start("limit9 done", "--interval", "1h")
        self.addCleanup(process.kill)
        self.wait_for(lambda: any(e["type"] == "tool.started" and e["data"]["tool"] == "wait" for e in
                                  client.get(f"/v1/sessions/{self.session}/events?limit=500").json().get("events", [])), "no wait")
        if cancel:
            daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        port = daemon.port
        daemon.kill()
        time.sleep(9 + 12)  # the reset, and longer than a reply is waited for
        self.assertEqual(len(self.starts()), 1)
        daemon.start(port)
        client.close()  # its connection was to the one that was killed
        _, err = process.communicate(timeout=patient(90))
        self.assertEqual(len(self.starts()), 1 if cancel else 2, err)
        self.assertIn("no daemon replies", err)
        self.assertEqual(client.session(self.session)["outcome"], "cancelled" if cancel else "completed")

    def test_a_cancel_that_the_run_has_not_read_when_the_daemon_dies_ends_it(self):
        self.daemon_dies(cancel=True)

    def test_a_run_goes_on_when_its_daemon_is_back(self):
        self.daemon_dies(cancel=False)

    def test_a_conversation_that_the_output_names_later_is_not_resumed(self):
        (self.folder / "claude").rename(self.folder / "agent")
        (self.folder / "claude").write_text(
            f"#!/bin/sh\n{self.folder}/agent \"$@\"; code=$?\n"
            """echo '{"type":"system","subtype":"init","session_id":"other","uuid":"u"}'\nexit $code\n""")
        (self.folder / "claude").chmod(0o755)
        _, err = self.run_play("crash done")
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn("its output names another one, other", err)

    def test_a_session_that_was_ended_meanwhile_is_not_resumed(self):
        process = self.start("limit done", margin="10s")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/end", {"outcome": "completed"})
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)

    def test_a_session_that_was_deleted_meanwhile_is_not_resumed(self):
        process = self.start("limit done", margin="10s")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        operator = self.daemon.operator()
        operator.post(f"/v1/sessions/{self.session}/end", {"outcome": "completed"})
        operator.delete(f"/v1/sessions/{self.session}")
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)

    def acknowledge(self, kind: str):
        """As the agent itself may, by its own report."""
        told = next(d for d in self.ended()["directives"] if d["type"] == kind)
        reply = self.client.post(f"/v1/sessions/{self.session}/events", {"type": "directive.acknowledged", "data": {"id": told["id"]}})
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual([d for d in self.ended()["directives"] if not d.get("acknowledged")], [])

    def test_a_pause_that_the_agent_has_acknowledged_holds_the_next_start_back(self):
        go = self.folder / "go"
        process = self.start("done", "--check", f"touch {go}-asked; while ! test -e {go}; do sleep 0.05; done; echo red; false")
        self.addCleanup(process.kill)
        self.wait_for(Path(f"{go}-asked").exists, "no check")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/pause", {"reason": "not now"})
        self.acknowledge("pause")
        go.touch()
        self.wait_for(self.waiting, "no wait")
        with self.assertRaises(subprocess.TimeoutExpired):  # a look at the session takes a second
            process.communicate(timeout=4)
        self.assertEqual(len(self.starts()), 1)
        self.daemon.operator().post(f"/v1/sessions/{self.session}/resume", {})
        self.wait_for(lambda: len(self.starts()) == 2, "not resumed")
        process.communicate(timeout=patient(60))

    def test_a_cancel_that_the_agent_has_acknowledged_starts_nothing(self):
        go = self.folder / "go"
        process = self.start("done", "--check", f"touch {go}-asked; while ! test -e {go}; do sleep 0.05; done; echo red; false")
        self.addCleanup(process.kill)
        self.wait_for(Path(f"{go}-asked").exists, "no check")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        self.acknowledge("stop")
        go.touch()
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)

    def test_a_rejection_that_a_person_has_lifted_does_not_end_it(self):
        for _ in range(5):
            err = self.reject_and_resume()
            if len(self.starts()) > 1:
                return
            self.assertIn("it was stopped", err)  # noticed before it was lifted
            self.session = unique()
            (self.folder / "starts").unlink()
        self.fail(err)

    def reject_and_resume(self) -> str:
        go = self.folder / f"go-{self.session}"
        process = self.start("done", "--check", f"touch {go}-asked; while ! test -e {go}; do sleep 0.05; done; echo red; false")
        self.addCleanup(process.kill)
        self.wait_for(Path(f"{go}-asked").exists, "no check")
        operator = self.daemon.operator()
        asked = operator.post(f"/v1/sessions/{self.session}/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        self.assertEqual(operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject"}).status, 200)
        self.assertEqual(operator.post(f"/v1/sessions/{self.session}/resume", {}).status, 200)
        go.touch()
        _, err = process.communicate(timeout=patient(60))
        return err

    def test_a_session_that_was_halted_stops_its_command(self):
        self.client.put(f"/v1/sessions/{self.session}", {"policy": {"on_stuck": "halt"}})
        process = self.start("hang")
        self.addCleanup(process.kill)
        self.wait_for(self.starts, "no start")
        for i in range(60):
            call = {"call_id": f"c{i}", "tool": "bash", "args": {"command": "make"}}
            error = {"class": "exit_status", "message": "No rule to make target"}
            self.client.post(f"/v1/sessions/{self.session}/events", [
                {"type": "tool.started", "data": call}, {"type": "tool.finished", "data": {**call, "ok": False, "error": error}}])
            if self.ended()["verdict"]["status"] == "halted":
                break
        self.assertEqual(self.ended()["verdict"]["status"], "halted")
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)

    def test_a_session_that_a_person_ended_as_cancelled_stops_its_command(self):
        process = self.start("hang")
        self.addCleanup(process.kill)
        self.wait_for(self.starts, "no start")
        self.wait_for(lambda: self.ended().get("verdict"), "no session")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/end", {"outcome": "cancelled"})
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)

    def test_off_ends_every_wait_and_on_lets_agents_go_on_again(self):
        process = self.start("limit done", margin="10m")
        self.addCleanup(process.kill)
        self.addCleanup(self.cli.run, "keep-going", "on")
        self.wait_for(self.waiting, "no wait")
        self.assertEqual(self.cli.run("keep-going", "status").out.splitlines()[0], "on")
        self.assertIn("off:", self.cli.run("keep-going", "off").out)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)
        self.assertIn("switched off", err)
        (self.folder / "starts").unlink()
        self.session = unique()
        code, err = self.run_play("crash done")
        self.assertEqual((code, len(self.starts())), (137, 1), err)
        self.assertEqual(self.cli.run("keep-going", "on").out, "on\n")
        (self.folder / "starts").unlink()
        self.session = unique()
        code, err = self.run_play("crash done")
        self.assertEqual((code, len(self.starts())), (0, 2), err)
        self.assertEqual(self.cli.run("keep-going", "pause").code, 64)

    def test_a_person_ends_the_wait_and_a_pause(self):
        none = self.cli.run("resume", "--now", self.session)
        self.assertEqual(none.code, 1)
        process = self.start("limit done", "--resume-text", "Commit before you go on.", margin="10m")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/pause", {"reason": "not yet"})
        asked = self.cli.run("resume", "--now", self.session)
        self.assertEqual(asked.code, 0)
        self.assertIn(f"{self.session}: asked process {process.pid} to end its wait\n", asked.out)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 2, err)
        self.assertIn("a person has ended the wait", err)
        self.assertTrue(self.starts()[1]["argv"][-1].endswith("\n\nCommit before you go on."), self.starts()[1])
        self.assertEqual(self.client.session(self.session)["outcome"], "completed")
        again = self.cli.run("resume", "--now", self.session)
        self.assertEqual(again.code, 1, again)

    def test_the_end_of_a_wait_alone_is_not_called_nothing(self):
        process = self.start("limit done", margin="10m")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        asked = self.cli.run("resume", "--now", self.session)
        self.assertNotIn("nothing to resume", asked.out)
        self.assertIn("to end its wait", asked.out)
        process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 2)

    def test_a_person_ends_no_wait_of_a_session_of_another_daemon(self):
        process = self.start("limit done", margin="10m")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        other = Daemon()
        self.addCleanup(other.close)
        other.start()
        other.client().put(f"/v1/sessions/{self.session}", {"goal": "another project's"})
        asked = self.cli.run("resume", "--now", self.session, "--url", other.url, "--state-dir", str(self.daemon.state_dir))
        self.assertEqual(asked.code, 1, asked)
        self.assertIn(f"process {process.pid} is of another session {self.session}", asked.err)
        self.assertFalse((self.daemon.state_dir / "runs" / f"{self.session}.now").exists())
        self.assertEqual(len(self.starts()), 1)

    def test_a_wait_that_a_person_ends_is_still_held_by_a_request(self):
        process = self.start("limit done", margin="10m")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        asked = self.client.post(f"/v1/sessions/{self.session}/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        self.assertEqual(self.cli.run("resume", "--now", self.session).code, 0)
        taken = self.daemon.state_dir / "runs" / f"{self.session}.now"
        self.wait_for(lambda: not taken.exists(), "it is not taken")
        time.sleep(3)
        self.assertEqual(len(self.starts()), 1)
        self.daemon.operator().post(f"/v1/approvals/{asked}/decision", {"decision": "approve", "by": "ana"})
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 2, err)

    def test_a_conversation_that_somebody_opened_in_a_terminal_is_left_alone(self):
        home = self.folder / "home"
        (home / "sessions").mkdir(parents=True)
        self.cli.environment["CLAUDE_CONFIG_DIR"] = str(home)
        began = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(") ")[2].split()[19]
        (home / "sessions" / f"{os.getpid()}.json").write_text(json.dumps(
            {"pid": os.getpid(), "procStart": began, "sessionId": "talk-1", "status": "idle"}))
        code, err = self.run_play("crash done")
        self.assertEqual((code, len(self.starts())), (137, 1), err)
        self.assertIn(f"is open in process {os.getpid()} of claude", err)

    def start_beside(self):
        """A second run of the same agent, as a session of its own."""
        self.session = unique()
        second = self.cli.start("run", "--session", self.session, "--keep-going", "--margin", "100ms", "--",
                                str(self.folder / "claude"), "-p", "Fix it")
        self.addCleanup(second.kill)
        return second

    def test_two_runs_of_one_conversation_do_not_both_resume_it(self):
        """The second gives way as soon as its agent has ended, and says to whom."""
        first = self.start("limit2 done")
        self.addCleanup(first.kill)
        self.wait_for(self.waiting, "no wait")
        second = self.start_beside()
        (self.folder / "play").write_text("limit2 limit2 done")
        _, err = second.communicate(timeout=patient(60))
        self.assertIn(f"not resumed: the conversation is open in process {first.pid}, another", err)
        self.assertNotIn("resumed 1", self.ended()["verdict"]["reason"])
        first.communicate(timeout=patient(60))
        self.assertEqual((first.returncode, len(self.starts())), (0, 3))

    def test_a_conversation_in_which_the_agent_of_another_run_works_is_left_alone(self):
        """The first agent is due while the second works; when that one crashes, it is the only one, and goes on."""
        first = self.start("limit4 slow done")
        self.addCleanup(first.kill)
        self.wait_for(self.waiting, "no wait")
        second = self.start_beside()
        self.wait_for(lambda: len(self.starts()) == 2, "no second start")
        _, err = first.communicate(timeout=patient(60))
        self.assertIn(f"not resumed: the conversation is open in process {second.pid}, another", err)
        self.assertEqual(len(self.starts()), 2, err)
        children = Path(f"/proc/{second.pid}/task/{second.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        _, err = second.communicate(timeout=patient(60))
        self.assertEqual((second.returncode, len(self.starts())), (0, 3), err)

    def test_agents_of_one_provider_begin_one_after_the_other(self):
        others = []
        for number in range(3):
            self.session = unique()
            self.cli.environment["TALK"] = f"talk-{number}"
            others.append(self.start("overload", "--max-resumes", "1", margin="10m"))
            self.addCleanup(others[-1].kill)
            self.wait_for(self.waiting, "no wait")
        turns = (self.daemon.state_dir / "keep-going.claude.turns").read_text()
        times = sorted(int(line.split()[1]) for line in turns.splitlines() if line.startswith("turn"))
        self.assertEqual(len(times), 3, turns)
        self.assertGreaterEqual(min(b - a for a, b in zip(times, times[1:])), 300_000, turns)
        for process in others:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=patient(30))

    def test_a_killed_agent_is_told_so(self):
        code, err = self.run_play("crash done")
        self.assertEqual(code, 0, err)
        self.assertIn("the process was killed", self.starts()[1]["argv"][-1])

    def test_what_needs_a_person_is_not_resumed(self):
        for play, words in (("login done", "needs a person"), ("weekly done", "too late")):
            with self.subTest(play):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                code, err = self.run_play(play)
                self.assertEqual(code, 1, err)
                self.assertEqual(len(self.starts()), 1)
                self.assertIn(words, err)

    def test_without_progress_it_ends_after_so_many_resumes(self):
        agent = self.folder / "claude"
        agent.write_text(AGENT.replace('"name": "Write"', '"name": "Read"'))
        code, err = self.run_play("crash", "--max-resumes", "2")
        self.assertEqual(code, 137, err)
        self.assertEqual(len(self.starts()), 3)
        self.assertIn("2 resumes in a row without progress", err)

    def test_a_long_wait_inside_the_agent_becomes_one_of_ours(self):
        process = self.start("long done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.waits() or (self.starts() and "waiting until" in (self.ended().get("phase") or "")),
                      "the agent still waits by itself")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))
        self.assertEqual(len(self.starts()), 1)

    def test_an_agent_that_does_not_end_after_its_result_is_ended_and_checked(self):
        seen = self.folder / "seen"
        code, err = self.run_play("stay", "--check", f"touch {seen}", "--end-limit", "1s")
        self.assertEqual((code, len(self.starts()), seen.exists()), (0, 1, True), err)
        self.assertIn("has printed its result and does not end", err)
        self.assertEqual(self.ended()["verdict"]["status"], "completed")

    def test_a_short_margin_ends_no_agent_that_takes_its_time_after_its_result(self):
        process = self.start("stay")
        self.addCleanup(process.kill)
        self.wait_for(self.starts, "no start")
        with self.assertRaises(subprocess.TimeoutExpired):
            process.communicate(timeout=4)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))

    def test_an_agent_with_work_in_the_background_may_stay_after_its_result(self):
        process = self.start("task", "--end-limit", "1s")
        self.addCleanup(process.kill)
        self.wait_for(self.starts, "no start")
        with self.assertRaises(subprocess.TimeoutExpired):
            process.communicate(timeout=4)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))

    def test_a_failing_check_is_the_next_prompt_and_twice_the_same_ends_it(self):
        done = self.folder / "ok"
        code, err = self.run_play("done done", "--check", f"test -e {done} || {{ touch {done}; echo 1 test failed; exit 1; }}")
        self.assertEqual(code, 0, err)
        self.assertIn("1 test failed", self.starts()[1]["argv"][-1])
        self.session = unique()
        (self.folder / "starts").unlink()
        code, err = self.run_play("done", "--check", "echo still red; false")
        self.assertEqual(code, 1, err)
        self.assertEqual(len(self.starts()), 2)
        self.assertIn("the check fails in the same way again", err)
        self.assertEqual(self.ended()["verdict"]["status"], "failed")

    def test_the_output_of_a_check_is_text_wherever_it_is_cut(self):
        output = self.folder / "output"
        output.write_bytes(b"begin" + "\u00e9".encode() * 2000 + b"\0 caf\xe9.")
        code, err = self.run_play("done done", "--check", f"cat {output}; test $(wc -l < {self.folder}/starts) = 2")
        self.assertEqual((code, len(self.starts())), (0, 2), err)
        prompt = self.starts()[1]["argv"][-1].encode().decode()  # no half of a character
        self.assertIn("\u00e9 caf\ufffd.\nContinue", prompt)
        self.assertIn("ends so:\n\u2026\u00e9", prompt)
        self.assertNotIn("cannot be recorded", err)

    def test_a_check_that_cannot_be_run_is_said_and_not_put_to_the_agent(self):
        script = self.folder / "no-program"
        script.write_text("echo never\n")
        for check, status, word in (("maek-does-not-exist test", 127, "not found"), (str(script), 126, "ermission denied")):
            with self.subTest(status):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                code, err = self.run_play("done", "--check", check)
                self.assertEqual((code, len(self.starts())), (1, 1), err)
                self.assertRegex(err, f"not resumed: the check cannot be run .exit status {status}: .*{word}.*needs a person")
                ended = self.ended()
                self.assertEqual(ended["verdict"]["status"], "failed")
                self.assertIn("the check cannot be run", ended["verdict"]["reason"])

    def test_a_cancel_or_a_pause_during_the_check_starts_nothing(self):
        for verb in ("cancel", "pause"):
            with self.subTest(verb):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                go = self.folder / f"go-{verb}"
                process = self.start("done", "--check", f"touch {go}-asked; while ! test -e {go}; do sleep 0.05; done; echo red; false")
                self.addCleanup(process.kill)
                self.wait_for(Path(f"{go}-asked").exists, "no check")
                reply = self.daemon.operator().post(f"/v1/sessions/{self.session}/{verb}", {"reason": "enough"})
                self.assertEqual(reply.status, 200, reply.body)
                go.touch()
                if verb == "pause":
                    self.wait_for(self.waiting, "no wait")
                    self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {})
                process.communicate(timeout=patient(60))
                self.assertEqual(len(self.starts()), 1)

    def test_a_person_ends_a_check_that_runs_without_an_end(self):
        """The check and what it has started, also if it ignores SIGTERM at first."""
        for how in ("cancel", "stop", "off", "term"):
            with self.subTest(how):
                process, pid = self.start_endless_check(how)
                if how == "term":
                    process.send_signal(signal.SIGTERM)
                elif how == "off":
                    self.addCleanup(self.cli.run, "keep-going", "on")
                    self.cli.run("keep-going", "off")
                else:
                    path = {"cancel": "cancel", "stop": "end"}[how]
                    body = {"cancel": {"reason": "enough"}, "stop": {"outcome": "cancelled"}}[how]
                    reply = self.daemon.operator().post(f"/v1/sessions/{self.session}/{path}", body)
                    self.assertEqual(reply.status, 200, reply.body)
                _, err = process.communicate(timeout=patient(30))
                self.assertEqual((len(self.starts()), process.returncode), (1, 1), err)
                self.assertFalse(Path(f"/proc/{pid}").exists(), "the check still runs")
                self.assertRegex(err, "switched off" if how == "off" else "not resumed: (it was stopped|interrupted)")
                self.cli.run("keep-going", "on")
                self.assertEqual(self.ended()["outcome"], "cancelled", self.ended())
                if how == "off":
                    self.assertIn("the check was ended", self.ended()["verdict"]["reason"])
                if how != "stop":  # an ended session takes no more reports
                    checks = [e["data"] for e in self.events() if e["type"] == "tool.finished" and e["data"]["tool"] == "check"]
                    self.assertEqual([(c["ok"], c["error"]["class"]) for c in checks], [(False, "cancelled")])

    def start_endless_check(self, name: str):
        """The running supervisor, and the id of a process that its check waits for."""
        self.session = unique()
        (self.folder / "starts").unlink(missing_ok=True)
        file = self.folder / f"check-{name}"
        process = self.start("done", "--check", f"sleep 1000 & echo $! > {file}; wait")
        self.addCleanup(process.kill)
        self.wait_for(lambda: file.exists() and file.read_text().strip(), "no check")
        return process, int(file.read_text())

    def test_a_check_that_ignores_sigterm_is_killed(self):
        file = self.folder / "check"
        process = self.start("done", "--check", f"trap '' TERM; echo $$ > {file}; while true; do sleep 0.1; done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: file.exists() and file.read_text().strip(), "no check")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {})
        process.communicate(timeout=patient(60))
        self.assertFalse(Path(f"/proc/{int(file.read_text())}").exists(), "the check still runs")

    def test_a_check_is_a_call_in_flight_as_long_as_it_runs(self):
        process, _ = self.start_endless_check("seen")
        self.wait_for(lambda: self.ended().get("phase") == "checking", "no phase")
        calls = [e["data"] for e in self.events() if e["type"] == "tool.started" and e["data"]["tool"] == "check"]
        self.assertEqual([c["call_id"] for c in calls], ["check-1"])
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))

    def test_a_check_beyond_its_limit_has_failed_and_says_so(self):
        code, err = self.run_play("done", "--check", "echo began; sleep 1000", "--check-limit", "5s")
        self.assertEqual((code, len(self.starts())), (1, 2), err)
        prompt = self.starts()[1]["argv"][-1]
        self.assertIn("began\n", prompt)
        self.assertIn("the check was ended: it had not ended by itself after 5.0s", prompt)
        self.assertIn("the check fails in the same way again", err)
        checks = [e["data"] for e in self.events() if e["type"] == "tool.finished" and e["data"]["tool"] == "check"]
        self.assertEqual([c["error"]["class"] for c in checks], ["timeout"] * 2)

    def test_a_check_beyond_its_limit_leaves_no_process_behind(self):
        file = self.folder / "left"
        child = f"trap '' TERM; echo $$ > {file}; while true; do sleep 0.1; done"
        self.run_play("done", "--check", f'sh -c "{child.replace("$", chr(92) + "$")}" & wait', "--check-limit", "1s")
        self.assertFalse(Path(f"/proc/{int(file.read_text())}").exists(), "a child of the check still runs")

    def test_a_check_that_is_a_run_itself_ends_at_its_limit(self):
        for before in ("", "cd . && "):
            self.session, inner = unique(), unique("inner")
            (self.folder / "starts").unlink(missing_ok=True)
            _, err = self.run_play("done", "--check", f"{before}{BINARY} run --session {inner} -- sleep 600", "--check-limit", "1s")
            self.assertIn("the check fails in the same way again", err)
            self.wait_for(lambda: self.client.session(inner)["outcome"], "the check's run goes on")

    def test_what_the_agent_left_outlives_a_check_beyond_its_limit(self):
        inner = unique("inner")
        self.cli.environment.update(HEADWAY=str(BINARY), INNER=inner)
        (self.folder / "go").touch()
        _, err = self.run_play("nests done", "--check", "sleep 600", "--check-limit", "1s")
        self.assertIn("the check fails in the same way again", err)
        self.assertIsNone(self.client.session(inner)["outcome"])
        self.daemon.operator().post(f"/v1/sessions/{inner}/cancel", {"reason": "the test is over"})
        self.wait_for(lambda: self.client.session(inner)["outcome"] == "cancelled", "no end")

    def test_a_program_that_calls_itself_a_run_is_ended_with_its_agent(self):
        code, err = self.run_play("poses done")
        self.assertEqual((code, len(self.starts())), (0, 2), err)
        left = int((self.folder / "posing").read_text())
        self.assertFalse(Path(f"/proc/{left}").exists(), "it goes on beside the resumed agent")

    def test_a_run_that_is_interrupted_before_its_check_is_not_completed(self):
        (self.folder / "go").unlink(missing_ok=True)
        process = self.start("polite", "--check", f"touch {self.folder}/checked")
        self.addCleanup(process.kill)
        self.wait_for(lambda: any(e["type"] == "tool.finished" for e in self.events()), "no call")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=patient(60))
        self.assertNotEqual(process.returncode, 0, err)
        self.assertNotEqual(self.ended()["outcome"], "completed")
        self.assertFalse((self.folder / "checked").exists())

    def start_paused(self, *options) -> subprocess.Popen:
        """An agent that has ended well while its session is paused, so that its check waits."""
        (self.folder / "go").unlink(missing_ok=True)
        (self.folder / "starts").unlink(missing_ok=True)
        self.session = unique()
        process = self.start("slow", "--check", f"touch {self.folder}/checked", *options)
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.starts() and self.events(), "no session")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/pause", {"reason": "not now"})
        (self.folder / "go").touch()
        self.assertTrue(any("the session is paused" in line for line in process.stderr), "the check did not wait")
        return process

    def assert_not_checked(self, process, how: str):
        process.communicate(timeout=patient(60))
        self.assertFalse((self.folder / "checked").exists(), how)
        self.assertEqual(process.returncode, 1, how)
        ended = self.ended()
        self.assertNotEqual(ended["outcome"], "completed", how)
        return ended["verdict"]["reason"]

    def test_a_check_that_a_person_has_kept_from_running_is_no_success(self):
        self.addCleanup(self.cli.run, "keep-going", "on")
        ends = {"cancel": lambda _: self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "no"}),
                "off": lambda _: self.cli.run("keep-going", "off"),
                "signal": lambda process: process.send_signal(signal.SIGINT)}
        for how, end in ends.items():
            with self.subTest(how):
                process = self.start_paused()
                end(process)
                self.assertIn("the check did not run", self.assert_not_checked(process, how))
                self.cli.run("keep-going", "on")

    def test_a_check_that_is_held_until_it_is_too_late_is_no_success(self):
        process = self.start_paused("--until", "8s")
        self.assertIn("the check did not run", self.assert_not_checked(process, "too late"))

    def test_a_session_that_takes_no_reports_is_not_checked_and_that_is_no_success(self):
        operator = self.daemon.operator()
        operator.put(f"/v1/sessions/{self.session}", {"goal": "x"})
        self.assertEqual(operator.post(f"/v1/sessions/{self.session}/end", {"outcome": "completed"}).status, 200)
        code, err = self.run_play("done", "--check", f"touch {self.folder}/checked")
        self.assertEqual((code, (self.folder / "checked").exists()), (1, False), err)
        self.assertIn("the check did not run", err)

    def test_an_agent_that_fails_with_status_0_is_no_success_where_a_check_decides(self):
        code, err = self.run_play("polite-fail", "--check", f"touch {self.folder}/checked")
        self.assertEqual((code, len(self.starts()), (self.folder / "checked").exists()), (1, 1, False), err)
        self.assertEqual(self.ended()["verdict"]["status"], "failed")

    def test_a_conversation_that_the_agent_does_not_find_is_named(self):
        code, err = self.run_play("crash gone")
        self.assertEqual((code, len(self.starts())), (1, 2), err)
        self.assertIn("the agent did not find its conversation talk-1", err)

    def test_an_agent_that_ends_before_its_first_line_is_resumed_in_its_conversation(self):
        for act, words in (("offline", "the network or the stream fails"), ("dies", "the run ended without a result")):
            with self.subTest(act):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                code, err = self.run_play(f"crash {act} done")
                self.assertEqual((code, len(self.starts())), (0, 3), err)
                self.assertIn("talk-1", self.starts()[2]["argv"])
                self.assertIn(words, err)
        for act, words in (("lost", "did not find its conversation talk-1"), ("mute", "ended without a line")):
            with self.subTest(act):
                self.session = unique()
                (self.folder / "starts").unlink()
                code, err = self.run_play(f"crash {act} done")
                self.assertEqual((code, len(self.starts())), (1, 2), err)
                self.assertIn(words, err)

    def test_the_check_decides_where_only_the_exit_status_is_no_success(self):
        for play, check, code, starts, verdict in (("unsure", "true", 0, 1, "completed"), ("unsure done", f"test $(wc -l < {self.folder}/starts) = 2", 0, 2, "completed"),
                                                   ("unsure", "", 1, 1, "failed")):
            with self.subTest(check):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                ended, err = self.run_play(play, *(("--check", check) if check else ()))
                self.assertEqual((ended, len(self.starts()), self.ended()["verdict"]["status"]), (code, starts, verdict), err)

    def test_an_agent_that_is_ended_after_a_result_that_is_an_error_has_failed(self):
        code, err = self.run_play("wedged", "--end-limit", "1s")
        self.assertEqual((code, len(self.starts())), (1, 1), err)
        self.assertIn("has printed its result and does not end", err)
        self.assertEqual(self.ended()["verdict"]["status"], "failed")

    def test_output_that_cannot_be_written_ends_no_agent(self):
        """A full disk; the lines of the agent are still read."""
        (self.folder / "play").write_text("slow")
        with open("/dev/full", "w") as full:
            process = self.cli.start("run", "--session", self.session, "--keep-going", "--", str(self.folder / "claude"), "-p", "x", stdout=full)
        self.addCleanup(process.kill)
        self.wait_for(lambda: any(e["type"] == "tool.finished" for e in self.events()), "no call")
        (self.folder / "go").touch()
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (74, 1), err)
        self.assertEqual(err.count("standard output cannot be written"), 1, err)
        self.assertEqual(self.ended()["outcome"], "completed")

    def test_a_pause_ends_the_check_and_it_runs_again_after_that(self):
        process, pid = self.start_endless_check("pause")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/pause", {"reason": "not now"})
        self.wait_for(lambda: not Path(f"/proc/{pid}").exists(), "the check still runs")
        file = self.folder / "check-pause"
        file.unlink()
        self.daemon.operator().post(f"/v1/sessions/{self.session}/resume", {})
        self.wait_for(lambda: file.exists() and file.read_text().strip(), "no second check")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))
        self.assertEqual(len(self.starts()), 1)

    def test_a_command_of_its_own_may_quote_what_it_gets(self):
        (self.folder / "play").write_text("crash done")
        process = self.cli.start("run", "--session", self.session, "--keep-going", "--margin", "100ms", "--resume-command",
                                 str(self.folder / "claude") + ' "{id}" "{prompt}"', "--",
                                 "/bin/sh", "-c", str(self.folder / "claude") + " x; kill -9 $$")
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(self.starts()[1]["argv"]), 2)

    def test_a_script_goes_on_by_a_command_of_its_own(self):
        (self.folder / "play").write_text("crash done")
        process = self.cli.start("run", "--session", self.session, "--keep-going", "--margin", "100ms", "--resume-command",
                                 str(self.folder / "claude") + " --again {id} {prompt}", "--",
                                 "/bin/sh", "-c", str(self.folder / "claude") + " x; kill -9 $$")
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.starts()[1]["argv"][:2], ["--again", "talk-1"])

    def test_bounds_are_checked(self):
        for options, words in ((("--max-resumes", "0"), "from 1 to 50"), (("--max-resumes", "51"), "from 1 to 50"),
                               (("--margin", "0s"), "from 100ms to 1h"), (("--margin", "2h"), "from 100ms to 1h"),
                               (("--check-limit", "0s"), "at least 1s"), (("--end-limit", "0s"), "at least 1s")):
            output = self.cli.run("run", "--keep-going", *options, "--", "true")
            self.assertEqual(output.code, 64, output)
            self.assertIn(words, output.err)
        output = self.cli.run("run", "--keep-going", "--resume-command", "sh -c './agent {prompt}'", "--", "true")
        self.assertEqual(output.code, 64, output)
        self.assertIn("inside quotes", output.err)
        for command, words in ((("codex", "-m", "o", "exec", "--json", "x"), "is not codex exec"), (("cursor-agent", "x"), "no resume of its own")):
            output = self.cli.run("run", "--keep-going", "--", *command)
            self.assertEqual(output.code, 64, output)
            self.assertRegex(output.err, f"could not be resumed: .*{words}.*--resume-command")
        for option in (("--check", "true"), ("--max-resumes", "3"), ("--until", "1h"), ("--margin", "2m"), ("--check-limit", "2h"), ("--end-limit", "1m"),
                       ("--resume-command", "true")):
            output = self.cli.run("run", *option, "--", "true")
            self.assertEqual(output.code, 64, output)
            self.assertIn("need --keep-going", output.err)

    def test_an_agent_that_is_not_called_for_lines_is_named_at_the_start(self):
        for options in ((), ("--quiet",), ("--output-format", "stream-json", "--verbose")):
            with self.subTest(options):
                quiet, words = options == ("--quiet",), options if len(options) > 1 else ()
                (self.folder / "play").write_text("done")
                output = self.cli.run("run", "--keep-going", *(options if quiet else ()), "--", str(self.folder / "claude"), "-p", *words, "x")
                self.assertEqual((output.code, "it needs: --output-format stream-json" in output.err), (0, not options), output)

    def test_a_word_that_may_be_the_prompt_is_a_warning_and_the_agent_starts(self):
        (self.folder / "play").write_text("done")
        output = self.cli.run("run", "--keep-going", "--", str(self.folder / "claude"), "-p", "--new", "value", "x")
        self.assertEqual((output.code, len(self.starts())), (0, 1), output)
        self.assertRegex(output.err, "cannot be resumed by this command: which word .*--resume-command")

    def test_an_agent_with_its_prompt_from_a_pipe_is_called_for_its_lines(self):
        (self.folder / "play").write_text("done")
        (self.folder / "claude").rename(self.folder / "qwen")
        for words, warns in (("stream-json", False), ("text", True)):
            output = self.cli.run("run", "--keep-going", "--", str(self.folder / "qwen"), "-o", words, "-y")
            self.assertEqual("it needs: --output-format stream-json" in output.err, warns, output)

    def test_a_conversation_in_a_database_that_went_on_elsewhere_is_left_alone(self):
        for other, starts in (("ses_other", 2), ("ses_1", 1)):
            with self.subTest(other):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                agent = self.folder / "opencode"
                agent.write_text("#!/bin/sh\necho >> $PLAY/starts2\n" + """echo '{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{"type":"step-start"}}'\n"""
                                 "test $(wc -l < $PLAY/starts2) = 2 || kill -9 $$\n"
                                 """echo '{"type":"step_finish","timestamp":2,"sessionID":"ses_1","part":{"type":"step-finish","reason":"stop"}}'\n""")
                agent.chmod(0o755)
                (self.folder / "starts2").unlink(missing_ok=True)
                home = self.folder / unique()
                rows = Rows(home / "opencode/opencode.db", "opencode")
                self.addCleanup(rows.close)
                for name in ("ses_1", "ses_other"):
                    rows.database.execute("INSERT INTO session VALUES (?, NULL, '/', 'Fix', '1.18.33', 1)", (name,))
                    rows.message("m" + name, name, 1, {"role": "user"})
                rows.database.commit()
                self.cli.environment["XDG_DATA_HOME"] = str(home)
                process = self.cli.start("run", "--session", self.session, "--keep-going", "--margin", "10m", "--max-resumes", "1", "--",
                                         str(agent), "run", "--format", "json", "x")
                self.addCleanup(process.kill)
                self.wait_for(lambda: self.ended().get("verdict", {}).get("status") == "waiting", "no wait")
                rows.part("later", "m" + other, other, 2, {"type": "text", "text": "by a person"})
                rows.database.commit()
                asked = self.cli.run("resume", "--now", self.session)
                self.assertIn(f"asked process {process.pid} to end its wait", asked.out, asked.err)
                _, err = process.communicate(timeout=patient(60))
                self.assertEqual(len((self.folder / "starts2").read_text()), starts, err)
                self.assertEqual("went on elsewhere" in err, starts == 1, err)

    def test_a_folder_that_was_replaced_is_not_worked_in(self):
        place = self.folder / "work"
        place.mkdir()
        (self.folder / "play").write_text("crash done")
        process = subprocess.Popen([self.binary(), "run", "--session", self.session, "--keep-going", "--margin", "12s", "--",
                                    str(self.folder / "claude"), "-p", "x"], cwd=place, env=self.cli.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        os.rename(place, self.folder / "old")
        place.mkdir()
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1)
        self.assertIn("was replaced", err)

    def test_a_worktree_that_is_made_at_each_start_is_refused(self):
        for command in (("claude", "-p", "-w", "x", "Fix it"), ("claude", "-p", "--worktree=x", "Fix it"), ("claude", "-pw", "Fix it"),
                        ("gemini", "--worktree", "-p", "Fix it"), ("/usr/bin/qwen", "Fix it", "--worktree")):
            output = self.cli.run("run", "--keep-going", "--", *command)
            self.assertEqual(output.code, 64, (command, output))
            self.assertRegex(output.err, r"(?s)-(p?w|-worktree).*git worktree add")
        self.assertEqual(self.starts(), [])

    @staticmethod
    def binary() -> str:
        from support.daemon import BINARY
        return str(BINARY)


class KeepGoingElsewhere(KeepGoingCase):
    """An agent that works in another folder than `headway run`."""

    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.tree = self.folder / "tree"
        self.work.mkdir()
        self.tree.mkdir()
        self.seen = self.folder / "seen"
        self.check = f"pwd >> {self.seen}"
        codex = self.folder / "codex"
        codex.write_text(CODEX)
        codex.chmod(codex.stat().st_mode | stat.S_IXUSR)
        self.cli.environment["CODEX_HOME"] = str(self.folder / "home")

    def begin(self, *command, options=()) -> subprocess.Popen:
        (self.folder / "play").write_text("done")
        process = subprocess.Popen([self.binary(), "run", "--session", self.session, "--keep-going", *options, "--",
                                    str(self.folder / command[0]), *command[1:]], cwd=self.work, env=self.cli.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        return process

    def run_in_work(self, *command, options=()):
        process = self.begin(*command, options=("--margin", "100ms", "--check", self.check, *options))
        _, err = process.communicate(timeout=patient(60))
        return process.returncode, err

    def checked_in(self) -> list:
        return self.seen.read_text().split() if self.seen.exists() else []

    binary = staticmethod(KeepGoing.binary)

    def test_the_check_runs_in_the_folder_that_the_agents_option_names(self):
        for options in (("-C", "../tree"), ("--cd", str(self.tree)), ("--cd=../tree",), ("-C../tree",)):
            with self.subTest(options):
                self.session = unique()
                self.seen.unlink(missing_ok=True)
                code, err = self.run_in_work("codex", "exec", "--json", *options, "Fix it")
                self.assertEqual((code, self.checked_in()), (0, [str(self.tree)]), err)

    def test_without_such_an_option_it_runs_in_the_folder_of_headway(self):
        code, err = self.run_in_work("codex", "exec", "--json", "Fix it")
        self.assertEqual((code, self.checked_in()), (0, [str(self.work)]), err)

    def test_a_folder_that_is_not_there_is_refused_at_the_start(self):
        code, err = self.run_in_work("codex", "exec", "--json", "-C", "../none", "Fix it")
        self.assertEqual((code, self.starts()), (64, []), err)
        self.assertIn("none is no folder", err)

    def test_an_agent_that_works_elsewhere_is_not_checked_here(self):
        """Neither does its word move the check: it needs a person."""
        self.cli.environment["CWD"] = str(self.tree)
        for command in (("claude", "-p", "Fix it"), ("codex", "exec", "--json", "Fix it")):
            with self.subTest(command[0]):
                self.session = unique()
                (self.folder / "starts").unlink(missing_ok=True)
                code, err = self.run_in_work(*command)
                self.assertEqual((code, len(self.starts()), self.checked_in()), (1, 1, []), err)
                self.assertIn(f"the agent works in {self.tree}", err)
                self.assertIn(f"the check is for {self.work}", err)
                self.assertEqual(self.ended()["verdict"]["status"], "failed")

    def test_a_folder_with_two_names_is_one(self):
        (self.folder / "link").symlink_to(self.work)
        self.cli.environment["CWD"] = str(self.folder / "link")
        for command in (("claude", "-p", "Fix it"), ("codex", "exec", "--json", "Fix it")):
            self.session = unique()
            code, err = self.run_in_work(*command)
            self.assertEqual(code, 0, err)
        self.assertEqual(self.checked_in(), [str(self.work)] * 2)

    def test_a_person_names_the_folder_of_the_check(self):
        self.cli.environment["CWD"] = "/only/in/a/container"
        code, err = self.run_in_work("claude", "-p", "Fix it", options=("--check-dir", "../tree"))
        self.assertEqual((code, self.checked_in()), (0, [str(self.tree)]), err)

    def test_the_agents_folder_is_not_worked_in_when_it_was_replaced(self):
        self.cli.environment["ACT"] = "crash"
        process = self.begin("codex", "exec", "--json", "-C", "../tree", "Fix it", options=("--margin", "12s"))
        self.wait_for(self.waiting, "no wait")
        os.rename(self.tree, self.folder / "old")
        self.tree.mkdir()
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn(f"the folder {self.tree} was replaced", err)


class KeepGoingBelow(KeepGoingCase):
    """Decisions about sub-agents."""

    def test_a_call_of_a_sub_agent_that_waits_for_a_person_holds_the_next_start_back(self):
        process = self.start("limit done", "--until", "16s", margin="2s")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        operator = self.daemon.operator()
        for child, parent in (("kid", self.session), ("grandkid", "kid")):
            operator.put(f"/v1/sessions/{self.session}-{child}", {"parent": parent if parent == self.session else f"{self.session}-{parent}"})
        operator.post(f"/v1/sessions/{self.session}-grandkid/approvals", {"tool": "deploy", "args": {}})
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn("held until it was too late", err)


class KeepGoingUnseen(KeepGoingCase):
    """Replies that do not show whether a person has to decide."""
    settings = {"access.mode": "token"}

    def test_a_token_that_was_revoked_holds_the_next_start_back(self):
        operator = self.daemon.operator()
        token = operator.post("/v1/tokens", {"name": "night", "scopes": ["report"]}).json()
        file = self.folder / "token"
        file.write_text(token["token"])
        process = self.start("limit done", "--until", "16s", "--token-file", str(file), margin="2s")
        self.addCleanup(process.kill)
        self.wait_for(lambda: operator.get(f"/v1/sessions/{self.session}").json().get("verdict", {}).get("status") == "waiting", "no wait")
        operator.post(f"/v1/sessions/{self.session}/approvals", {"tool": "deploy", "args": {}})
        self.assertLess(operator.delete(f"/v1/tokens/{token['id']}").status, 300)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn("held until it was too late", err)


class KeepGoingStranger(KeepGoingCase):
    """Another server at the daemon's address."""

    def test_another_server_that_answers_everything_holds_the_next_start_back(self):
        self.holds(200, b"{}")

    def test_another_server_that_knows_no_path_holds_the_next_start_back(self):
        self.holds(404, b"<html>not found</html>")

    def holds(self, status: int, body: bytes):
        process = self.start("limit done", "--until", "25s", margin="4s")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        self.client.close()
        port = self.daemon.port
        self.assertEqual(self.daemon.stop(), 0)
        self.addCleanup(self.daemon.start, port)
        with OtherProgram(status, body, port) as other:
            _, err = process.communicate(timeout=patient(60))
        self.assertTrue([line for line in other.asked if f" /v1/sessions/{self.session}" in line], other.asked)
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn("held until it was too late", err)


class Moved(KeepGoingCase):
    """Stopped processes and clocks that jump while an agent is waited for: it goes on once, and never before its time."""
    test_clock = True
    # The wait that is stopped and moved must still last when it is seen, also below a sanitizer on a busy machine.
    limit = 4 if SLOW <= 1 else 30

    def due(self) -> float:
        """The reset that the agent named: so long after its first start, in whole seconds."""
        return int(self.starts()[0]["at"]) + self.limit

    def has_begun(self, kind: str, tool: str) -> bool:
        """From the journal, which keeps it when it is over."""
        return any(e["type"] == kind and e["data"]["tool"] == tool for e in self.events())

    def ends_after_one_resume(self, process):
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(self.starts()), 2, err)
        self.assertGreaterEqual(self.starts()[1]["at"], self.due())
        self.assertEqual([wait["ok"] for wait in self.waits()], [True])

    def begin_wait(self) -> subprocess.Popen:
        process = self.start(f"limit{self.limit} done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.starts() and self.has_begun("tool.started", "wait"), "no wait")
        return process

    def test_a_run_that_is_stopped_beyond_its_time_resumes_once_when_it_continues(self):
        process = self.begin_wait()
        process.send_signal(signal.SIGSTOP)
        time.sleep(max(0, self.due() + 1 - time.time()))
        self.assertEqual(len(self.starts()), 1)
        process.send_signal(signal.SIGCONT)
        self.ends_after_one_resume(process)

    def test_a_run_that_is_stopped_and_continued_within_its_wait_resumes_at_its_time(self):
        process = self.begin_wait()
        for _ in range(3):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            process.send_signal(signal.SIGCONT)
        self.ends_after_one_resume(process)

    def test_a_run_that_is_killed_as_soon_as_it_waits_is_silent(self):
        process = self.start("limit600 done")
        self.addCleanup(process.kill)
        self.wait_for(self.waiting, "no wait")
        process.kill()
        process.communicate()
        self.clock.advance(180)
        self.assertEqual(self.ended()["verdict"]["status"], "silent", self.ended()["verdict"])

    def test_an_agent_that_is_stopped_is_no_agent_that_ended(self):
        process = self.start("slow done")
        self.addCleanup(process.kill)
        self.wait_for(self.starts, "no start")
        agent = self.child_of(process)
        os.kill(agent, signal.SIGSTOP)
        time.sleep(1)
        self.assertEqual((process.poll(), len(self.starts())), (None, 1))
        os.kill(agent, signal.SIGCONT)
        (self.folder / "go").touch()
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (0, 1), err)

    def test_an_agent_that_is_killed_while_it_is_stopped_is_resumed_once(self):
        process = self.start("slow done")
        self.addCleanup(process.kill)
        # Not before it has named its conversation, without which nothing can be resumed.
        self.wait_for(lambda: self.starts() and self.has_begun("tool.finished", "Write"), "no call")
        agent = self.child_of(process)
        os.kill(agent, signal.SIGSTOP)
        os.kill(agent, signal.SIGKILL)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (0, 2), err)

    def test_the_daemons_clock_does_not_move_the_start(self):
        process = self.begin_wait()
        self.clock.step(3600)
        self.clock.step(-3600)
        self.clock.suspend(3600)
        self.clock.advance(120)
        self.clock.stall(600)
        self.ends_after_one_resume(process)

    def test_its_own_clock_moves_the_start_and_never_before_the_reset(self):
        """The wall clock decides, as for everybody who reads "resets at 3:10": set ahead it is time; set back it is not."""
        clock = ShiftedClock(self.folder, "headway")
        for wait, seconds in ((60, 3600), (self.limit, -2)):
            self.session = unique()
            (self.folder / "starts").unlink(missing_ok=True)
            clock.set(0)
            # AddressSanitizer refuses to start behind another library unless its check of the order is off.
            sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
            self.cli.environment.update(clock.environment(), ASAN_OPTIONS=sanitizer)
            process = self.start(f"limit{wait} done")
            self.addCleanup(process.kill)
            self.wait_for(lambda: self.starts() and self.has_begun("tool.started", "wait"), "no wait")
            first = self.starts()[0]["at"]
            clock.set(seconds)
            _, err = process.communicate(timeout=patient(60))
            self.assertEqual((process.returncode, len(self.starts())), (0, 2), err)
            second = self.starts()[1]["at"]
            self.assertGreaterEqual(second + seconds, int(first) + wait, "before its time")
            if seconds > 0:
                self.assertLess(second, int(first) + wait, "not when it was time")

    def test_a_clock_that_jumps_past_the_latest_time_starts_nothing(self):
        """As after a night in which the machine was asleep."""
        clock = ShiftedClock(self.folder, "headway")
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.cli.environment.update(clock.environment(), ASAN_OPTIONS=sanitizer)
        process = self.start("limit600 done", "--until", "1h")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.starts() and self.has_begun("tool.started", "wait"), "no wait")
        clock.set(7200)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (1, 1), err)
        self.assertIn("not resumed: the time to start passed unseen, and it is too late now", err)

    def child_of(self, process) -> int:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return int(eventually(lambda: children.read_text().split(), what="no child")[0])


if __name__ == "__main__":
    unittest.main()
