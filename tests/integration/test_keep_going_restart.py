#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A `headway run --keep-going` that was killed: `headway keep-going continue` goes on by its record, once, and never against a person."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support.case import unique
from support.limits import patient
from test_keep_going import AGENT, KeepGoingCase


class RestartCase(KeepGoingCase):
    def setUp(self):
        super().setUp()
        self.runs = self.daemon.state_dir / "runs"
        shutil.rmtree(self.runs, ignore_errors=True)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.elsewhere = self.cli.root
        self.cli.root = self.work

    def file(self) -> Path:
        return self.runs / f"{self.session}.json"

    def record(self) -> dict:
        return json.loads(self.file().read_text()) if self.file().exists() else {}

    def change(self, **fields):
        self.file().write_text(json.dumps({**self.record(), **fields}))

    def wait_for(self, condition, what: str):
        try:
            super().wait_for(condition, what)
        except AssertionError as failed:
            events = [(e["type"], e["data"]) for e in self.events()]
            raise AssertionError(f"{failed}; starts: {len(self.starts())}; record: {self.record()}; events: {events}") from None

    def kill(self, process):
        process.kill()
        process.communicate()

    def killed_in_wait(self, play: str, *options, **more) -> subprocess.Popen:
        process = self.start(play, *options, **more)
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("phase") == "waiting" and self.record()["opened_at"], "no wait")
        self.kill(process)
        return process

    def killed_at_work(self, play: str, *options, **more) -> int:
        """PID of the agent, which outlives its run."""
        process = self.start(play, *options, **more)
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("conversation") and self.record()["opened_at"], "no conversation")
        self.assertEqual(self.record()["phase"], "running")
        agent = self.record()["agent_process"]["pid"]
        self.addCleanup(self.end, agent)
        self.kill(process)
        return agent

    @staticmethod
    def processes(program: str) -> set:
        """PIDs of those with this word in their command line."""
        found = set()
        for line in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if program.encode() in line.read_bytes().split(b"\0"):
                    found.add(line.parent.name)
            except OSError:  # it has ended
                pass
        return found

    @staticmethod
    def end(pid: int):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def go_on(self, *words):
        """From another folder, as a service does."""
        self.cli.root = self.elsewhere
        return self.cli.run("keep-going", "continue", *words)

    def assert_not_resumed(self, output, words: str, starts: int = 1):
        self.assertEqual(len(self.starts()), starts, output)
        self.assertIn(words, output.err)
        self.assertEqual(self.left(), [], output)

    def left(self) -> list:
        return sorted(path.name for path in self.runs.iterdir()) if self.runs.exists() else []


class Restart(RestartCase):
    def test_a_run_that_was_killed_in_a_wait_goes_on_once_in_the_same_conversation_and_folder(self):
        self.killed_in_wait("limit3 done")
        self.assertEqual(len(self.starts()), 1)
        output = self.go_on()
        self.assertEqual(output.code, 0, output)
        self.assertNotIn("another client", output.err)
        first, second = self.starts()
        self.assertEqual(second["argv"][:5], ["-p", "--model", "opus", "--resume", "talk-1"])
        self.assertIn("usage limit was reached, and it has reset", second["argv"][5])
        self.assertEqual((first["cwd"], second["cwd"]), (str(self.work), str(self.work)))
        self.assertGreaterEqual(second["at"], int(first["at"]) + 3)
        self.assertEqual(self.ended()["verdict"]["status"], "completed")
        self.assertIn("resumed 1 time", self.ended()["verdict"]["reason"])
        self.assertEqual([wait["ok"] for wait in self.waits()], [True])
        self.assertEqual(self.left(), [])
        self.assertIn("no run to continue", self.go_on().err)
        self.assertEqual(len(self.starts()), 2)

    def test_a_run_that_was_killed_while_its_agent_worked_ends_that_and_resumes_it(self):
        agent = self.killed_at_work("slow done")
        output = self.go_on(self.session)
        self.assertEqual((output.code, len(self.starts())), (0, 2), output)
        self.assertIn("the process was killed", self.starts()[1]["argv"][-1])
        self.assertIn("--resume", self.starts()[1]["argv"])
        stat = Path(f"/proc/{agent}/stat")
        self.assertTrue(not stat.exists() or ") Z " in stat.read_text(), "two agents work")
        self.assertEqual(self.left(), [])

    def test_an_agent_in_a_wrapper_that_clears_its_environment_is_ended_as_well(self):
        agent = self.folder / "claude"
        agent.rename(self.folder / "agent")
        agent.write_text(f"""#!/bin/sh
env -i PATH="$PATH" PLAY={self.folder} TALK=talk-1 setsid --wait {self.folder}/agent "$@"
""")
        agent.chmod(0o755)
        self.killed_at_work("slow done")
        inner = self.processes(f"{self.folder}/agent")
        self.assertTrue(inner)
        output = self.go_on()
        self.assertEqual((output.code, len(self.starts())), (0, 2), output)
        self.assertFalse(inner & self.processes(f"{self.folder}/agent"), "two agents work")

    def test_a_process_of_a_session_of_the_same_name_at_another_daemon_is_left_alone(self):
        other = subprocess.Popen(["sleep", "600"], env={**os.environ, "HEADWAY_SESSION": self.session})
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        self.killed_at_work("slow done")
        output = self.go_on()
        self.assertEqual((output.code, len(self.starts())), (0, 2), output)
        self.assertEqual(other.poll(), None)

    def test_a_run_that_was_killed_after_a_resume_goes_on_from_there(self):
        process = self.start("limit1 slow limit1 done", "--check", "true")
        self.addCleanup(process.kill)
        self.wait_for(lambda: len(self.starts()) == 2 and self.record()["phase"] == "running" and self.record()["counts"]["starts"] == 2, "no second start")
        self.addCleanup(self.end, self.record()["agent_process"]["pid"])
        process.kill()
        _, err = process.communicate()
        self.assertNotIn("recorded", err)
        self.assertNotIn("wait", self.record())
        output = self.go_on()
        self.assertEqual((output.code, len(self.starts())), (0, 4), output)
        self.assertNotIn("recorded", output.err)
        self.assertIn("the process was killed", self.starts()[2]["argv"][-1])
        self.assertIn("usage limit", self.starts()[3]["argv"][-1])
        self.assertIn("resumed 3 times", self.ended()["verdict"]["reason"])

    def test_a_session_that_its_agent_had_ended_goes_on_in_the_one_that_was_open(self):
        process = self.start("slow slow done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("conversation") and self.record()["opened_at"], "no conversation")
        self.addCleanup(self.end, self.record()["agent_process"]["pid"])
        self.client.post(f"/v1/sessions/{self.session}/end", {"outcome": "completed"})
        self.wait_for(lambda: self.record().get("generation") == f"{self.session}~2", "no generation")
        self.kill(process)
        self.cli.root = self.elsewhere
        process = self.cli.start("keep-going", "continue")
        self.addCleanup(process.kill)
        before = len(self.client.journal(f"{self.session}~2"))
        self.wait_for(lambda: len(self.starts()) == 2 and len(self.client.journal(f"{self.session}~2")) > before + 1, "no resume")
        self.client.post(f"/v1/sessions/{self.session}~2/end", {"outcome": "completed"})
        self.wait_for(lambda: self.record().get("generation") == f"{self.session}~3", "no third generation")
        self.end(self.record()["agent_process"]["pid"])
        process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (0, 3))
        self.assertIn("resumed 2 times", self.client.session(f"{self.session}~3")["verdict"]["reason"])

    def test_a_generation_that_the_agents_hooks_have_opened_is_known_by_its_time_at_once(self):
        process = self.start("slow done", "--interval", "1s")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("conversation") and self.record()["opened_at"], "no conversation")
        self.addCleanup(self.end, self.record()["agent_process"]["pid"])
        process.send_signal(signal.SIGSTOP)
        self.client.post(f"/v1/sessions/{self.session}/end", {"outcome": "completed"})
        hook = {"hook_event_name": "UserPromptSubmit", "session_id": "talk-1", "prompt": "go on"}
        self.assertEqual(self.client.post("/v1/hooks/claude", hook, {"X-Headway-Session": self.session}).status, 200)
        opened_at = self.client.session(f"{self.session}~2")["opened_at"]
        process.send_signal(signal.SIGCONT)
        self.wait_for(lambda: self.record().get("generation") == f"{self.session}~2", "no generation")
        self.assertEqual(self.record()["opened_at"], opened_at)

    def test_a_pipe_beside_the_record_holds_no_run_up(self):
        process = self.start("limit2 limit2 done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("phase") == "waiting", "no wait")
        os.mkfifo(self.runs / f"{self.session}.json.new")
        process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (0, 3))

    def test_a_new_run_of_the_session_names_the_run_that_it_replaces(self):
        self.killed_in_wait("limit600 done")
        process = self.start("done")
        self.addCleanup(process.kill)
        _, err = process.communicate(timeout=patient(60))
        self.assertIn("replaces one of the same session that was cut off", err)

    def test_several_end_together(self):
        for number in range(2):
            self.session = unique()
            (self.folder / "starts").unlink(missing_ok=True)
            self.cli.environment["TALK"] = f"talk-{number}"
            self.killed_in_wait("limit600 done")
        process = self.cli.start("keep-going", "continue")
        self.addCleanup(process.kill)
        self.wait_for(lambda: json.loads(self.cli.run("keep-going", "status", "--json").out)["runs"][0]["running"]
                      and len(list(self.runs.glob("*.log"))) == 2, "they do not run")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))
        self.assertEqual(process.returncode, 1)
        self.assertEqual([name for name in self.left() if not name.endswith(".log")], [])

    def test_two_at_once_go_on_once(self):
        self.killed_in_wait("limit3 done")
        both = [self.cli.start("keep-going", "continue") for _ in range(2)]
        for process in both:
            process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 2)
        self.assertEqual([process.returncode for process in both], [0, 0])
        self.assertEqual(self.left(), [])

    def test_a_restart_of_the_machine_ends_no_run_for_good(self):
        """Though systemd ends each process by SIGTERM then."""
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "systemctl").write_text(f"#!/bin/sh\ncat {self.folder}/stands\n")
        (tools / "systemctl").chmod(0o755)
        self.cli.environment["PATH"] = f"{tools}:{os.environ['PATH']}"
        (self.folder / "stands").write_text("stopping\n")
        for play, phase in (("limit3 done", "waiting"), ("slow done", "running")):
            (self.folder / "starts").unlink(missing_ok=True)
            self.session = unique()
            self.cli.root = self.work
            process = self.start(play)
            self.addCleanup(process.kill)
            self.wait_for(lambda: self.record().get("phase") == phase and self.record()["opened_at"] and self.record()["conversation"], "no record")
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=patient(30))
            self.assertNotEqual(process.returncode, 0)
            self.assertEqual(self.record()["phase"], phase)
            output = self.go_on()
            self.assertEqual((output.code, len(self.starts())), (0, 2), output)
            self.assertEqual(self.ended()["verdict"]["status"], "completed")
        (self.folder / "stands").write_text("running\n")
        (self.folder / "starts").unlink()
        self.session = unique()
        process = self.start("limit600 done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("phase") == "waiting", "no wait")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=patient(30))
        self.assertEqual(self.left(), [])

    def test_a_run_that_lives_is_left_alone(self):
        process = self.start("limit600 done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("phase") == "waiting", "no wait")
        self.assertIn("no run to continue", self.go_on().err)
        named = self.go_on(self.session)
        self.assertEqual((named.code, len(self.starts())), (1, 1))
        self.assertIn(f"another process keeps {self.session} going", named.err)
        self.assertEqual(process.poll(), None)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=patient(30))
        self.assertEqual(self.left(), [])

    def test_a_check_that_was_cut_off_runs_again(self):
        go = self.folder / "go"
        process = self.start("done", "--check", f"echo x >> {go}-asked; while ! test -e {go}; do sleep 0.05; done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: Path(f"{go}-asked").exists() and self.record().get("phase") == "checking", "no check")
        self.kill(process)
        go.touch()
        output = self.go_on()
        self.assertEqual((output.code, len(self.starts())), (0, 1), output)
        self.assertEqual(Path(f"{go}-asked").read_text().split(), ["x", "x"])
        self.assertEqual(self.ended()["verdict"]["status"], "completed")

    def test_the_counters_survive(self):
        (self.folder / "claude").write_text(AGENT.replace('"name": "Write"', '"name": "Read"'))
        self.killed_in_wait("crash crash crash", "--max-resumes", "1", margin="12s")
        output = self.go_on()
        self.assert_not_resumed(output, "1 resumes in a row without progress", starts=2)
        self.assertEqual(self.ended()["verdict"]["status"], "failed")

    def test_another_boot_means_that_its_process_is_gone(self):
        """By chance another process may have its number and start."""
        self.killed_in_wait("limit2 done")
        own = {"pid": os.getpid(), "began": Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(") ")[2].split()[19],
               "boot": self.record()["process"]["boot"]}
        self.change(process=own)
        self.assertEqual((self.go_on(self.session).code, len(self.starts())), (1, 1))
        self.change(process={**own, "boot": "another"}, agent_process={**own, "boot": "another"})
        output = self.go_on()
        self.assertEqual((output.code, len(self.starts())), (0, 2), output)

    def test_several_go_on_side_by_side_each_with_its_output_in_a_file(self):
        (self.folder / "play").write_text("limit3 limit3 done")
        sessions = []
        for number in range(2):
            self.session = unique()
            sessions.append(self.session)
            self.cli.environment["TALK"] = f"talk-{number}"
            self.killed_in_wait("limit3 limit3 done")
        output = self.go_on()
        self.assertEqual((output.code, len(self.starts())), (0, 4), output)
        for session in sessions:
            self.session = session
            log = self.runs / f"{session}.log"
            self.assertIn("done", log.read_text())
            self.assertEqual(log.stat().st_mode & 0o777, 0o600)
            self.assertEqual(self.ended()["verdict"]["status"], "completed")

    def test_the_record_is_for_its_user_alone_and_has_no_environment_and_no_daemon(self):
        token = self.daemon.operator().post("/v1/tokens", {"name": unique(), "scopes": ["report"]}).json()["token"]
        self.cli.environment.update(API_KEY="sk-secret-value", HEADWAY_TOKEN=token)
        process = self.start("limit600 done", "--check", "true")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record().get("phase") == "waiting", "no wait")
        text = self.file().read_text()
        for secret in ("secret-value", "API_KEY", token, self.daemon.url):
            self.assertNotIn(secret, text)
        self.assertEqual([path.stat().st_mode & 0o777 for path in (self.file(), self.runs)], [0o600, 0o700])
        status = self.cli.run("keep-going", "status").out
        self.assertIn(f"{self.session}: claude in {self.work}, waiting until ", status)
        self.assertIn(f"process {process.pid}", status)
        self.kill(process)
        run, = json.loads(self.cli.run("keep-going", "status", "--json").out)["runs"]
        self.assertEqual((run["session"], run["agent"], run["phase"], run["running"]), (self.session, "claude", "waiting", False))


class RestartNever(RestartCase):
    """The rules of a run that waits hold for one that was cut off."""

    def delete_session(self):
        operator = self.daemon.operator()
        path = f"/v1/sessions/{self.session}"
        operator.post(f"{path}/end", {"outcome": "completed"})
        self.assertEqual(operator.delete(path).status, 202)
        self.wait_for(lambda: operator.get(path).status == 404, "no deletion")

    def test_a_run_that_ends_by_itself_leaves_no_record(self):
        for play, code in (("done", 0), ("limit done", 0), ("login", 1), ("weekly", 1)):
            (self.folder / "starts").unlink(missing_ok=True)
            self.session = unique()
            self.assertEqual(self.run_play(play)[0], code, play)
            self.assertEqual(self.left(), [], play)
        for ends in (signal.SIGINT, signal.SIGTERM):
            (self.folder / "starts").unlink()
            self.session = unique()
            process = self.start("limit600 done")
            self.addCleanup(process.kill)
            self.wait_for(lambda: self.record().get("phase") == "waiting", "no wait")
            process.send_signal(ends)
            process.communicate(timeout=patient(30))
            self.assertEqual(self.left(), [], ends)

    def test_not_after_off(self):
        self.killed_in_wait("limit2 done")
        self.addCleanup(self.cli.run, "keep-going", "on")
        self.cli.run("keep-going", "off")
        self.assert_not_resumed(self.go_on(), "switched off")
        self.assertEqual(self.ended()["verdict"]["status"], "failed")

    def test_not_after_a_person_has_cancelled_it(self):
        self.killed_in_wait("limit2 done")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        self.assert_not_resumed(self.go_on(), "it was stopped")
        self.assertEqual(self.ended()["outcome"], "cancelled")

    def test_not_after_a_cancel_while_its_agent_worked(self):
        self.killed_at_work("slow done")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        self.assert_not_resumed(self.go_on(), "it was stopped")

    def test_not_after_a_person_has_ended_or_deleted_it(self):
        operator = self.daemon.operator()
        self.killed_in_wait("limit2 done")
        operator.post(f"/v1/sessions/{self.session}/end", {"outcome": "completed"})
        self.assert_not_resumed(self.go_on(), "it was stopped")
        (self.folder / "starts").unlink()
        self.session = unique()
        self.cli.root = self.work
        self.killed_in_wait("limit2 done")
        self.delete_session()
        output = self.go_on()
        self.assert_not_resumed(output, "its session was deleted")
        self.assertIn(f"this daemon has no session {self.session} any more", output.err)
        self.assertEqual(self.client.get(f"/v1/sessions/{self.session}").status, 404)

    def test_not_in_another_session_of_its_name_which_gets_no_report_and_no_end(self):
        self.killed_in_wait("limit2 done")
        self.delete_session()
        self.client.report(self.session, "tool.finished", tool="bash", result="of another run")
        before = self.events()
        output = self.go_on()
        self.assert_not_resumed(output, f"session {self.session} of this daemon is another one")
        self.assertEqual(self.events(), before)

    def waits(self, play: str) -> subprocess.Popen:
        process = self.start(play, "--interval", "60s")  # no heartbeat comes between
        self.addCleanup(process.kill)
        self.wait_for(lambda: any(e["data"].get("call_id") == "wait-1" for e in self.events()), "no wait")
        return process

    def other_run_instead(self, process) -> subprocess.Popen:
        """Another run has the name, as after a backup was restored; `process` has not seen that yet."""
        process.send_signal(signal.SIGSTOP)
        self.delete_session()
        other = self.cli.start("run", "--session", self.session, "--interval", "60s", "--", "sleep", "600")
        self.addCleanup(self.kill, other)
        self.wait_for(lambda: any(e["type"] == "tool.started" for e in self.events()), "no other run")
        return other

    def assert_left_alone(self, other, before: list):
        self.assertEqual([e for e in self.events() if e["type"] != "heartbeat"], [e for e in before if e["type"] != "heartbeat"])
        self.assert_not_ended(other)

    def assert_not_ended(self, other):
        self.assertIsNone(self.client.get(f"/v1/sessions/{self.session}").json()["ended_at"])
        self.assertIsNone(other.poll())

    def test_a_run_that_waits_ends_no_other_session_of_its_name(self):
        process = self.waits("limit2 done")
        other = self.other_run_instead(process)
        before = self.events()
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=patient(60))
        self.assertIn(f"session {self.session} of this daemon is another one", err)
        self.assertIn("not resumed: its session was deleted, or", err)
        self.assertEqual((process.returncode, len(self.starts())), (1, 1))
        self.assert_left_alone(other, before)

    def test_a_run_that_waits_opens_no_session_in_place_of_one_that_is_gone(self):
        process = self.waits("limit2 done")
        process.send_signal(signal.SIGSTOP)
        self.delete_session()
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=patient(60))
        self.assertIn("not resumed: its session was deleted, or", err)
        self.assertEqual((process.returncode, len(self.starts())), (1, 1))
        self.assertEqual(self.client.get(f"/v1/sessions/{self.session}").status, 404)

    def test_the_end_of_a_run_is_not_that_of_another_session_of_its_name(self):
        go = self.folder / "go"
        process = self.cli.start("run", "--session", self.session, "--interval", "60s", "--", "sh", "-c", f"while ! [ -e {go} ]; do sleep 0.02; done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: any(e["type"] == "tool.started" for e in self.events()), "no run")
        other = self.other_run_instead(process)
        go.touch()
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=patient(60))
        self.assertEqual(process.returncode, 0)
        self.assertIn("is another one", err)
        self.assert_not_ended(other)

    def test_not_with_a_token_that_is_refused_and_then_with_a_valid_one(self):
        self.killed_in_wait("limit done", margin="3s")
        self.cli.environment["HEADWAY_TOKEN"] = "hw_" + "x" * 40
        refused = self.go_on()
        self.assertEqual(len(self.starts()), 1, refused)
        self.assertNotEqual(refused.code, 0)
        self.assertTrue(self.file().exists(), refused)
        del self.cli.environment["HEADWAY_TOKEN"]
        self.assertEqual(self.go_on().code, 0)
        self.assertEqual((len(self.starts()), self.left()), (2, []))

    def test_not_while_it_is_paused(self):
        self.killed_in_wait("limit1 done")
        operator = self.daemon.operator()
        operator.post(f"/v1/sessions/{self.session}/pause", {"reason": "not now"})
        process = self.cli.start("keep-going", "continue")
        self.addCleanup(process.kill)
        time.sleep(4)
        self.assertEqual(len(self.starts()), 1)
        operator.post(f"/v1/sessions/{self.session}/resume", {})
        process.communicate(timeout=patient(60))
        self.assertEqual((process.returncode, len(self.starts())), (0, 2))

    def test_not_before_the_daemon_has_replied(self):
        """It may know that a person has stopped the session."""
        self.killed_in_wait("limit1 done")
        self.daemon.operator().post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        self.client.close()
        port = self.daemon.port
        self.assertEqual(self.daemon.stop(), 0)
        process = self.cli.start("keep-going", "continue")
        self.addCleanup(process.kill)
        time.sleep(13)  # longer than a run waits for a reply
        starts = len(self.starts())
        self.daemon.start(port)
        self.assertEqual(starts, 1)
        _, err = process.communicate(timeout=patient(60))
        self.assertEqual(len(self.starts()), 1, err)
        self.assertIn("it was stopped", err)

    def test_not_in_a_folder_that_was_replaced_or_is_gone(self):
        self.killed_in_wait("limit2 done")
        self.work.rename(self.folder / "old")
        self.work.mkdir()
        self.assert_not_resumed(self.go_on(), f"the folder {self.work} was replaced")
        self.assertEqual(self.ended()["verdict"]["status"], "failed")
        (self.folder / "starts").unlink()
        self.session = unique()
        self.cli.root = self.work
        self.killed_in_wait("limit2 done")
        shutil.rmtree(self.work)
        self.assert_not_resumed(self.go_on(), f"the folder {self.work} is gone")

    def test_not_when_it_is_too_late(self):
        self.killed_at_work("slow done", "--until", "2s")
        time.sleep(2)
        self.assert_not_resumed(self.go_on(), "it is too late")

    def test_not_in_a_conversation_that_has_no_name_yet(self):
        (self.folder / "claude").write_text("#!/bin/sh\necho >> $PLAY/begun; exec sleep 600\n")
        process = self.start("done")
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.record() and (self.folder / "begun").exists(), "no record")
        self.addCleanup(self.end, self.record()["agent_process"]["pid"])
        self.kill(process)
        output = self.go_on()
        self.assertIn("the agent had not named its conversation", output.err)
        self.assertEqual((self.folder / "begun").read_text(), "\n")
        self.assertEqual(self.left(), [])

    def test_not_in_a_conversation_that_has_grown_meanwhile(self):
        home = self.folder / "home"
        self.cli.environment["CLAUDE_CONFIG_DIR"] = str(home)
        file = home / "projects/-work/talk-1.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("{}\n")
        self.killed_in_wait("limit2 done")
        self.assertEqual(self.record()["wait"]["stored_bytes"], 3)
        file.write_text("{}\n{}\n")
        self.assert_not_resumed(self.go_on(), "went on elsewhere meanwhile")

    def test_not_in_a_conversation_that_a_person_went_on_with_after_the_machine_was_started(self):
        home = self.folder / "home"
        self.cli.environment["CLAUDE_CONFIG_DIR"] = str(home)
        file = home / "projects/-work/talk-1.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("{}\n")
        self.killed_at_work("slow done")
        self.change(agent_process={**self.record()["agent_process"], "boot": "another"})
        self.assert_not_resumed(self.go_on(), "went on elsewhere meanwhile")

    def test_a_record_that_is_damaged_or_of_another_version_is_named_and_left_alone(self):
        self.killed_in_wait("limit600 done")
        good = self.file().read_text()
        record = json.loads(good)
        for text, words in ((good[:50], "no JSON"), (json.dumps({**record, "version": 9}), "version"), (json.dumps({**record, "argv": "x"}), "argv"),
                            (json.dumps({**record, "session": "../x"}), "session"), (json.dumps({**record, "session": "other", "generation": "other"}), "another session")):
            self.file().write_text(text)
            for output in (self.go_on(), self.go_on(self.session), self.cli.run("keep-going", "status")):
                self.assertIn(words, output.err)
                self.assertEqual(self.file().read_text(), text)
        self.file().write_text(good)
        self.file().chmod(0o666)
        self.assertIn("not this user's alone", self.go_on().err)
        self.file().unlink()
        os.mkfifo(self.file())
        self.assertIn("not this user's alone", self.go_on().err)
        self.assertEqual(len(self.starts()), 1)


if __name__ == "__main__":
    unittest.main()
