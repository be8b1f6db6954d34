#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of a running daemon are deleted, renamed or cut: it stops acknowledging, and says how to save what there is."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import threading
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.daemon import Daemon
from support.limits import eventually
from support.llm import LlmServer
from support.webhook_receiver import SECRET, Receiver


class Agents:
    """Report all the time, each to a session of its own, until the daemon refuses or goes."""

    def __init__(self, case, daemon, count: int = 4):
        self.daemon, self.acknowledged, self.refused, self.after = daemon, {}, [], []
        self._refused, self._stop = threading.Event(), threading.Event()
        self.threads = []
        for number in range(count):
            session, client = f"agent-{number}", case.client(daemon)
            self.acknowledged[session] = []
            thread = threading.Thread(target=self._run, args=(session, client), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _run(self, session: str, client):
        number = 0
        while not self._stop.is_set():
            known_to_refuse = self._refused.is_set()
            event = {"type": "message", "event_id": f"e{number}", "data": {"role": "assistant", "text": f"t{number}"}}
            try:
                reply = client.post(f"/v1/sessions/{session}/events", event)
            except OSError:
                return
            if reply.status == 200:
                self.acknowledged[session].append(event["event_id"])
                number += 1
                if known_to_refuse:  # sent after a refusal
                    self.after.append((session, number))
            else:
                self.refused.append((reply.status, reply.json()))
                self._refused.set()
                if len(self.refused) > 50:
                    return

    def have_reported(self, times: int = 20):
        eventually(lambda: all(len(ids) >= times for ids in self.acknowledged.values()), what="reports")

    def wait_for_refusal(self):
        eventually(lambda: len(self.refused) > 20 or not self.daemon.running(), what="refusals")

    def stop(self):
        self._stop.set()
        for thread in self.threads:
            thread.join()


def delete_state(daemon):
    """The database goes first: a log that goes first is a case of its own, and the daemon may look between the two."""
    (daemon.state_dir / "headway.db").unlink()
    shutil.rmtree(daemon.state_dir)


class Moved(OwnDaemonCase):
    def all_there(self, daemon, agents):
        client = self.client(daemon)
        for session, acknowledged in agents.acknowledged.items():
            events = client.journal(session)
            self.assertEqual([e["n"] for e in events], list(range(1, len(events) + 1)))
            stored = [e["event_id"] for e in events if e.get("event_id")]
            self.assertEqual(stored[:len(acknowledged)], acknowledged)

    def refuses(self, daemon, agents):
        agents.wait_for_refusal()
        status, problem = agents.refused[0]
        self.assertEqual((status, problem["code"]), (503, "storage_unavailable"))
        self.assertRegex(problem["detail"], "deleted, renamed or replaced")
        eventually(lambda: self.client(daemon).get("/readyz").status == 503, what="not ready")
        self.assertIn("deleted, renamed or replaced while headway has it open", daemon.log())
        agents.stop()
        self.assertEqual(agents.after, [], "acknowledged after a refusal")

    def test_a_deleted_state_directory_is_noticed_and_can_be_saved_from_the_process(self):
        daemon = self.start()
        agents = Agents(self, daemon)
        agents.have_reported()
        delete_state(daemon)
        self.refuses(daemon, agents)
        # The remedy of the log.
        saved = Daemon()
        self.addCleanup(saved.close)
        saved.state_dir.mkdir()
        command = re.search(r"`(cp /proc/\S+ headway\.db && cp /proc/\S+ headway\.db-wal)`", daemon.log())[1]
        subprocess.run(command, shell=True, check=True, cwd=saved.state_dir)
        daemon.stop()
        saved.start()
        self.all_there(saved, agents)

    def test_a_renamed_database_is_written_again_when_it_is_back(self):
        daemon = self.start()
        agents = Agents(self, daemon)
        agents.have_reported()
        database = daemon.state_dir / "headway.db"
        database.rename(database.with_name("elsewhere"))
        self.refuses(daemon, agents)
        database.with_name("elsewhere").rename(database)
        client = self.client(daemon)
        eventually(lambda: client.get("/readyz").status == 200, what="ready again")
        self.assertEqual(client.report("new", "message", role="assistant", text="work goes on")["accepted"], 1)
        self.all_there(daemon, agents)
        self.assertEqual(daemon.stop(), 0)

    def test_one_that_stays_renamed_loses_nothing_when_the_daemon_ends(self):
        daemon = self.start()
        agents = Agents(self, daemon)
        agents.have_reported()
        database = daemon.state_dir / "headway.db"
        database.rename(database.with_name("elsewhere"))
        self.refuses(daemon, agents)
        daemon.stop()
        database.with_name("elsewhere").rename(database)
        daemon.start()
        self.all_there(daemon, agents)

    def test_a_log_that_is_cut_ends_the_daemon_and_the_journal_has_no_gap(self):
        daemon = self.start()
        agents = Agents(self, daemon)
        agents.have_reported()
        with open(daemon.state_dir / "headway.db-wal", "r+b") as log:
            log.truncate(0)
        self.assertEqual(daemon.wait_for_exit(), 1)
        agents.stop()
        self.assertEqual(agents.after, [])
        self.assertIn("was cut while headway has it open", daemon.log())
        daemon.start()
        client = self.client(daemon)
        for session in agents.acknowledged:
            if client.get(f"/v1/sessions/{session}").status == 404:
                continue  # all of it was in what was cut
            events = client.journal(session)
            self.assertEqual([e["n"] for e in events], list(range(1, len(events) + 1)))
        self.assertEqual(client.report("new", "message", role="assistant", text="work goes on")["accepted"], 1)

    def test_a_deleted_log_ends_the_daemon_and_nothing_is_lost(self):
        daemon = self.start()
        agents = Agents(self, daemon)
        agents.have_reported()
        (daemon.state_dir / "headway.db-wal").unlink()
        self.assertEqual(daemon.wait_for_exit(), 1)
        agents.stop()
        self.assertEqual(agents.after, [])
        daemon.start()
        self.all_there(daemon, agents)

    def test_it_is_noticed_while_nothing_is_reported(self):
        daemon = self.start()
        client = self.client(daemon)
        client.beat("a")
        delete_state(daemon)
        eventually(lambda: client.get("/readyz").status == 503, what="not ready")


@contextlib.contextmanager
def renamed(daemon):
    """The database is elsewhere meanwhile, and the daemon has noticed it."""
    database = daemon.state_dir / "headway.db"
    elsewhere = database.with_name("elsewhere")
    database.rename(elsewhere)
    client = daemon.client()
    try:
        eventually(lambda: client.get("/readyz").status == 503, what="not ready")
        yield
        elsewhere.rename(database)
        eventually(lambda: client.get("/readyz").status == 200, what="ready again")
    finally:
        client.close()


class Delivered(OwnDaemonCase):
    """A renamed database, noticed by the daemon itself: it is reported once, and not by a client that repeats it."""

    def test_a_message_is_not_sent_again_and_its_result_is_kept(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        receiver.answers = ["hang"]
        config = ('[webhooks]\nretry = ["0s", "1s", "1h"]\n[webhooks.endpoints.ops]\n'
                  f'url = "{receiver.url}"\nsecret_env = "HOOK_SECRET"\nallow_private_addresses = "on"\n')
        daemon = Daemon({}, config)
        daemon.environment["HOOK_SECRET"] = SECRET
        self.addCleanup(daemon.close)
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        for session in ("a", "b"):
            client.report(session, "message", role="assistant", text="x")
            client.end(session, "failed", reason="gave up")
        receiver.wait_for(1)
        with renamed(daemon):
            receiver.release()  # the first try has failed, and the next is due before the database is back
            time.sleep(3)
            self.assertEqual(len(receiver.messages), 1, "sent while nothing is written")

        def shown() -> dict:
            return client.get("/v1/webhooks").json()["webhooks"][0]
        eventually(lambda: shown()["pending"] == 0, what="all delivered")
        self.assertEqual((shown()["delivered"], shown()["failed"]), (2, 1))
        self.assertEqual(sorted(m.data["session"] for m in receiver.messages), ["a", "a", "b"])

    def test_the_answer_of_a_judge_ends_its_check(self):
        llm = LlmServer()
        self.addCleanup(llm.stop)
        endpoint = f'base_url = "{llm.url}"\nmodel = "sleep:2"\n'
        daemon = self.start(config="[judge.endpoints.local]\n" + endpoint)
        client = self.client(daemon)
        client.report("a", "tool.finished", tool="bash", ok=True, args={"command": "ls"}, result="a b c")
        self.assertEqual(client.post("/check-status", {"sessionId": "a", "checkId": "c1"}).status, 202)
        eventually(llm.requests, what="a question")
        with renamed(daemon):
            time.sleep(4)
        eventually(lambda: client.get("/check-status/c1").json()["state"] == "completed", what="the end of the check")
        self.assertEqual(len(llm.requests()), 1)

    def test_an_agent_that_ends_meanwhile_is_gone(self):
        daemon = self.start()
        agent = subprocess.Popen(["sleep", "600"])
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        stat = Path(f"/proc/{agent.pid}/stat").read_text()
        headers = {"X-Headway-Agent-Pid": str(agent.pid), "X-Headway-Agent-Start": stat[stat.rindex(")") + 2:].split()[19],
                   "X-Headway-Agent-Boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
                   "X-Headway-Agent-Pid-Ns": os.readlink("/proc/self/ns/pid")[5:-1]}
        client = self.client(daemon)
        hook = {"hook_event_name": "UserPromptSubmit", "session_id": "a", "prompt": "go"}
        self.assertEqual(client.post("/v1/hooks/claude", hook, headers).status, 200)
        with renamed(daemon):
            agent.kill()
            agent.wait()
            time.sleep(1)
            self.assertIsNone(client.session("claude-a")["ended_at"])
        session = eventually(lambda: client.session("claude-a")["ended_at"] and client.session("claude-a"), what="its end")
        self.assertEqual(session["outcome"], "failed")
        self.assertIn("agent_gone", json.dumps(session))

    def test_what_is_kept_does_not_hold_up_the_end_of_the_daemon(self):
        llm = LlmServer()
        self.addCleanup(llm.stop)
        daemon = self.start(config=f'[judge.endpoints.local]\nbase_url = "{llm.url}"\nmodel = "sleep:1"\n')
        client = self.client(daemon)
        client.report("a", "tool.finished", tool="bash", ok=True, args={"command": "ls"}, result="a b c")
        self.assertEqual(client.post("/check-status", {"sessionId": "a", "checkId": "c1"}).status, 202)
        database = daemon.state_dir / "headway.db"
        database.rename(database.with_name("elsewhere"))
        time.sleep(2)
        self.assertEqual(daemon.stop(), 0)
        database.with_name("elsewhere").rename(database)
        daemon.start()
        client = self.client(daemon)
        eventually(lambda: client.get("/check-status/c1").json()["state"] == "completed", what="the check, asked again")


if __name__ == "__main__":
    unittest.main()
