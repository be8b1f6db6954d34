#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wait` and agents that die, never come or are misspelt: it neither hangs nor reports success."""
import contextlib
import os
import signal
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli, finish
from support.limits import eventually

QUICK = {"heartbeat_interval_ms": 10_000}  # of a clock that hurries

def waits(client) -> bool:
    return "headway_waiters 1" in client.get("/metrics").body.decode()


def end_group(process: int):
    """The rest of its output."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


class Api(SharedDaemonCase):
    test_clock = True

    def wait(self, session: str, **query) -> dict:
        """Meanwhile time flies."""
        with self.clock.hurry(1):
            return self.client.wait(session, **query)

    def test_a_wait_ends_when_the_agent_has_not_beaten_for_ten_intervals(self):
        session = unique()
        started = self.daemon.now()  # the last beat is the opening, which comes after this
        self.client.open(session, policy=QUICK)
        answer = self.wait(session, until="ended", wait="5m")
        self.assertEqual((answer["met"], answer["impossible"], answer["cause"]), (False, True, "silent"))
        self.assertEqual((answer["verdict"]["status"], answer["alive"]), ("silent", False))
        self.assertGreaterEqual(self.daemon.now() - started, 100)

    def test_silent_for_says_how_long_and_0_is_as_long_as_it_takes(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        answer = self.wait(session, until="ended", wait="150s", silent_for="0")
        self.assertEqual((answer["impossible"], answer["cause"]), (False, None))
        answer = self.wait(session, until="ended", wait="5m", silent_for="160s")
        self.assertEqual(answer["cause"], "silent")

    def test_who_beats_again_in_time_is_waited_for(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        self.wait(session, until="silent", wait="5m")
        self.client.beat(session)
        answer = self.wait(session, until="ended", wait="30s")
        self.assertEqual((answer["impossible"], answer["cause"]), (False, None))

    def test_following_events_is_not_given_up_unless_asked_for(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        n = self.wait(session, until="silent", wait="5m")["n"]
        self.clock.advance(100)
        answer = self.wait(session, until="event", after=n, wait="10s")
        self.assertFalse(answer["impossible"])
        answer = self.wait(session, until="event", after=n, wait="5m", silent_for="100s")
        self.assertEqual(answer["cause"], "silent")

    def test_silence_while_a_person_is_asked_proves_nothing(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "deploy", "args": {}})
        answer = self.wait(session, until="ended", wait="150s", silent_for="20s")
        self.assertEqual((answer["impossible"], answer["verdict"]["status"]), (False, "blocked"))

    def test_an_agent_that_beats_during_its_calls_is_gone_when_it_does_not(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        self.client.report(session, "tool.started", call_id="c", tool="bash", args={})
        self.client.beat(session, in_flight={"call_id": "c", "counter": 1})
        self.assertEqual(self.wait(session, until="ended", wait="5m")["cause"], "silent")

    def test_an_agent_that_never_beats_during_a_call_is_given_time(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        self.client.report(session, "tool.started", call_id="c", tool="bash", args={})
        answer = self.wait(session, until="ended", wait="150s")
        self.assertEqual((answer["impossible"], answer["verdict"]["status"]), (False, "slow"))
        self.assertEqual(self.wait(session, until="ended", wait="5m", silent_for="100s")["cause"], "silent")

    def test_a_session_that_is_not_opened_in_time(self):
        session = unique()
        answer = self.wait(session, open_within="20s", wait="5m")
        self.assertEqual((answer["impossible"], answer["cause"], answer["verdict"]), (True, "never_opened", None))
        answer = self.wait(session, open_within="0", wait="20s")
        self.assertEqual((answer["impossible"], answer["cause"]), (False, None))
        refused = self.client.get(f"/v1/sessions/{session}/wait?missing=error&open_within=1s")
        self.assertEqual((refused.status, refused.json()["field"]), (400, "open_within"))

    def test_several_with_their_causes(self):
        gone, done, never = unique("gone"), unique("done"), unique("never")
        self.client.open(gone, policy=QUICK)
        self.client.open(done)
        self.client.end(done)
        path = f"/v1/wait?any={gone},{never}&until=ended&wait=5m&open_within=10s"
        with self.clock.hurry(1):
            answer = self.client.get(path).json()
        self.assertEqual((answer["impossible"], answer["causes"]), (True, {gone: "silent", never: "never_opened"}))
        answer = self.client.get(f"/v1/wait?any={gone},{done}&until=ended&wait=5m").json()
        self.assertEqual((answer["met"], answer["matched"]), (True, {done: "completed"}))
        answer = self.client.get(f"/v1/wait?all={gone},{done}&until=ended&wait=5m").json()
        self.assertEqual((answer["met"], answer["impossible"], answer["causes"]), (False, True, {gone: "silent"}))


class CommandLine(SharedDaemonCase):
    test_clock = True

    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)

    def test_an_agent_that_is_gone_is_5(self):
        session = unique()
        self.client.open(session, policy=QUICK)
        with self.clock.hurry(1):
            output = self.cli.run("wait", session)
        self.assertEqual(output.code, 5, output)
        self.assertIn(f"headway show {session}", output.err)
        for until in ("silent", "settled,silent", "ended"):
            self.assertEqual(self.cli.run("wait", session, "--until", until).code, 5, until)
        answer = self.cli.run("wait", session, "--json")
        self.assertEqual((answer.code, answer.json()["cause"]), (5, "silent"))
        output = self.cli.run("wait", session, "--silent-for", "0", "--timeout", "300ms")
        self.assertEqual(output.code, 124, output)

    def test_a_session_that_never_comes_is_6_and_is_named_at_once(self):
        known, wanted = "nightly-build-7", "nigthly-build-7"
        self.client.open(known)
        process = self.cli.start("wait", wanted, "--open-within", "2s")
        said = process.stderr.readline()
        self.assertIsNone(process.poll())
        self.assertIn(f"session {wanted} does not exist yet", said)
        self.assertIn(f"did you mean `{known}`?", said)
        output = finish(process)  # by the clock of the command line
        self.assertEqual(output.code, 6, output)
        self.assertIn(known, output.err)
        self.assertEqual(self.cli.run("wait", wanted, "--missing", "fail").code, 6)

    def test_a_watched_session_that_never_comes_is_6_and_is_named_at_once(self):
        known, wanted = "weekly-build-7", "weekyl-build-7"
        self.client.open(known)
        process = self.cli.start("watch", wanted, "--open-within", "2s")
        said = process.stderr.readline()
        self.assertIsNone(process.poll())
        self.assertIn(f"session {wanted} does not exist yet; waiting 2s for it to be opened; did you mean `{known}`?", said)
        output = finish(process)  # by the clock of the command line
        self.assertEqual((output.code, output.out), (6, ""), output)
        self.assertIn("was not opened within 2s", output.err)

    def test_a_watched_session_that_comes_late_is_shown_from_its_start(self):
        session = unique("late")
        process = self.cli.start("watch", session, "--open-within", "30s")
        self.assertIn("does not exist yet", process.stderr.readline())
        self.client.open(session)
        self.client.end(session)
        output = finish(process)
        self.assertEqual(output.code, 0, output)
        self.assertIn("session.started", output.out)

    def test_a_session_that_comes_late_is_waited_for(self):
        session = unique("late")
        process = self.cli.start("wait", session, "--open-within", "30s")
        self.assertIn("does not exist yet", process.stderr.readline())
        self.client.open(session)
        self.client.end(session)
        self.assertEqual(finish(process).code, 0)

    def test_of_several_the_worst_decides(self):
        gone, done = unique("gone"), unique("done")
        self.client.open(gone, policy=QUICK)
        self.client.open(done)
        self.client.end(done)
        with self.clock.hurry(1):
            self.assertEqual(self.cli.run("wait", gone, done).code, 5)
        self.assertEqual(self.cli.run("wait", gone, done, "--any").code, 0)
        with self.clock.hurry(1):
            self.assertEqual(self.cli.run("wait", done, unique("never"), "--open-within", "10s").code, 6)

    def test_a_killed_command_under_run_is_1_and_a_killed_run_is_5(self):
        for victim, code in (("command", 1), ("run", 5)):
            session = unique(victim)
            run = self.cli.start("run", "--session", session, "--interval", "200ms", "--", "sleep", "1000",
                                 start_new_session=True)
            self.addCleanup(end_group, run.pid)
            eventually(lambda s=session: self.client.get(f"/v1/sessions/{s}").status == 200, what="the session")
            # Before its first beat it is an agent that cannot beat while a tool runs, as some are.
            eventually(lambda s=session: self.client.session(s)["heartbeats"] > 0, what="a beat")
            wait = self.cli.start("wait", session)
            eventually(lambda: waits(self.client), what="the waiter")
            child = int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()[0])
            os.kill(child if victim == "command" else run.pid, signal.SIGKILL)
            with self.clock.hurry(0.1) if victim == "run" else contextlib.nullcontext():
                output = finish(wait)
            self.assertEqual(output.code, code, (victim, output))
            if victim == "run":
                os.kill(child, signal.SIGKILL)
            run.communicate()


class Daemons(OwnDaemonCase):
    def test_a_daemon_that_dies_and_stays_away_is_69(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        process = Cli(daemon).start("wait", "a", "--connect-timeout", "500ms")
        eventually(lambda: waits(client), what="the waiter")
        daemon.kill()
        output = finish(process)
        self.assertEqual(output.code, 69, output)

    def test_an_agent_that_died_with_the_daemon_is_5_after_its_restart(self):
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        client.open("a", policy=QUICK)
        process = Cli(daemon).start("wait", "a", "--silent-for", "200s")
        eventually(lambda: waits(client), what="the waiter")
        daemon.restart()
        with daemon.clock.hurry(1):
            output = finish(process)
        self.assertEqual(output.code, 5, output)

    def test_a_daemon_that_forgot_the_session_is_6(self):
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        client.open("a")
        process = Cli(daemon).start("wait", "a", "--open-within", "1s")
        eventually(lambda: waits(client), what="the waiter")
        daemon.kill()
        for file in daemon.state_dir.glob("headway.db*"):
            file.unlink()
        daemon.start(daemon.port)
        self.assertEqual(finish(process).code, 6)

    def test_after_a_restart_a_silent_row_is_not_alive(self):
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        client.open("a", policy={"heartbeat_interval_ms": 60_000})
        client.open("b", policy=QUICK)
        daemon.clock.advance(21)
        client.wait("b", until="silent", wait="5m")
        daemon.restart()
        client = self.client(daemon)
        rows = {r["id"]: r for r in client.get("/v1/sessions?view=row").json()["sessions"]}
        self.assertEqual((rows["b"]["status"], rows["b"]["alive"]), ("silent", False))
        self.assertTrue(rows["a"]["alive"])
        self.assertFalse(client.session("b")["alive"])
        self.assertFalse(client.get("/progress/b").json()["alive"])


class Outage(OwnDaemonCase):
    def test_a_watch_for_a_session_that_never_comes_ends_behind_a_restart_too(self):
        daemon = self.start()
        process = Cli(daemon).start("watch", "never-there", "--open-within", "3s")
        self.assertIn("does not exist yet", process.stderr.readline())
        daemon.restart()
        output = finish(process)
        self.assertEqual(output.code, 6, output)

    def test_a_watch_ends_when_its_session_is_deleted_while_the_daemon_is_away(self):
        daemon = self.start()
        client = daemon.client()
        self.addCleanup(client.close)
        client.open("job")
        process = Cli(daemon).start("watch", "job", "--open-within", "2s")
        self.assertIn("session.started", process.stdout.readline())
        daemon.kill()
        for file in daemon.state_dir.glob("headway.db*"):
            file.unlink()
        daemon.start(daemon.port)
        output = finish(process)
        self.assertEqual(output.code, 1, output)
        self.assertNotIn("was not opened", output.err)


if __name__ == "__main__":
    unittest.main()
