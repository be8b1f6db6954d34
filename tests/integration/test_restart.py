#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State that survives a kill -9, a clean stop, a changed configuration and a strange database."""
import json
import os
import signal
import stat
import time
import unittest
from datetime import datetime

from support.case import OwnDaemonCase
from support.http import RawConnection
from support.limits import eventually, patient
from support.sse import EventStream


def fill(client) -> list:
    """Sessions in many states; returns their ids."""
    client.open("plain")
    client.open("rich", goal="g" * 5000, agent={"type": "t", "name": "n", "model": "m"}, parent="plain",
                labels={"a": "b"}, policy={"profile": "strict", "heartbeat_limit": 3})
    for kind, data in (("tool.started", {"call_id": "c1", "tool": "bash", "args": {"x": [1, 2.5, None, "é"]}}),
                       ("tool.finished", {"tool": "edit", "ok": False, "error": {"class": "io", "message": "no"},
                                          "mutated": [{"path": "a", "digest": "d"}]}),
                       ("phase.started", {"name": "build", "number": 1}), ("state.changed", {"state": "executing_tool"}),
                       ("reflection", {"confidence": 0.25, "text": "t" * 9000}), ("plan.updated", {"steps": [{"title": "s"}]}),
                       ("test.result", {"passed": 1, "failures": ["f"]}), ("error.reported", {"message": "m", "status": 500}),
                       ("compacted", {"summary": "s"}), ("fact.learned", {"text": "f"}),
                       ("progress.estimated", {"percent": 12.5}), ("phase.completed", {"ok": True})):
        client.report("rich", kind, event_id=f"id-{kind}", attempt=2, **data)
    client.beat("rich", phase="execution", iteration=7, in_flight={"call_id": "c1", "counter": 5},
                resources={"cpu_ms": 1, "rss_bytes": 2, "disk_bytes": 3})
    for _ in range(5):
        client.beat("suspect")
    client.open("strict", policy={"profile": "strict"})
    for _ in range(5):
        client.beat("strict")
    client.open("cancelled")
    client.post("/v1/sessions/cancelled/cancel", {"reason": "r"})
    for outcome in ("completed", "failed", "cancelled"):
        client.report(f"ended-{outcome}", "message", event_id="m", text="x")
        client.end(f"ended-{outcome}", outcome, reason="why", result={"r": [1]})
    return ["plain", "rich", "suspect", "strict", "cancelled", "ended-completed", "ended-failed", "ended-cancelled"]


def picture(client, sessions) -> dict:
    """All documents of a daemon about the sessions, without fields that only the passing of time moves."""
    seen = {}
    for session in sessions:
        progress = client.get(f"/progress/{session}").json()
        progress["progress"].pop("lastChangeAgo")
        status = client.get(f"/api/chat/autonomous/status?sessionId={session}").json()
        seen[session] = [client.session(session), progress, status, client.journal(session)]
    seen["list"] = client.get("/v1/sessions").json()
    return seen


class Survival(OwnDaemonCase):
    def setUp(self):
        self.daemon = self.start()
        client = self.client(self.daemon)
        self.sessions = fill(client)
        self.before = picture(client, self.sessions)

    def after(self):
        return picture(self.client(self.daemon), self.sessions)

    def test_a_kill_loses_nothing(self):
        self.daemon.restart()
        self.assertEqual(self.after(), self.before)
        self.daemon.restart()
        self.assertEqual(self.after(), self.before)

    def test_a_clean_stop_loses_nothing(self):
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.assertEqual(self.after(), self.before)

    def test_the_journal_alone_gives_the_same_state(self):
        for end in (self.daemon.stop, self.daemon.kill):
            end()
            self.daemon.forget_snapshots()
            self.daemon.start()
            self.assertEqual(self.after(), self.before)

    def test_retries_after_a_restart_are_answered_like_before(self):
        self.daemon.restart()
        client = self.client(self.daemon)
        again = client.report("ended-failed", "message", event_id="m", text="x")
        self.assertEqual((again["n"], again["duplicates"]), (2, 1))
        self.daemon.restart()
        client = self.client(self.daemon)
        self.assertEqual(client.end("ended-completed")["verdict"]["status"], "completed")
        self.daemon.restart()
        client = self.client(self.daemon)
        self.assertEqual(client.post("/v1/sessions/cancelled/cancel").json()["directives"][0]["type"], "stop")
        self.assertEqual(self.after(), self.before)

    def test_the_fence_the_limit_and_the_directives_stand(self):
        self.daemon.restart()
        client = self.client(self.daemon)
        stale = client.post("/v1/sessions/rich/events", {"type": "message", "attempt": 1})
        self.assertEqual(stale.json()["code"], "stale_attempt")
        self.assertEqual([d["type"] for d in client.beat("cancelled")["directives"]], ["stop"])
        self.assertEqual(client.put("/v1/sessions/rich", {"goal": "other"}).status, 409)

    def test_work_goes_on_with_the_next_number(self):
        self.daemon.restart()
        client = self.client(self.daemon)
        last = self.before["rich"][0]["n"]
        self.assertEqual(client.report("rich", "message", text="back")["n"], last + 1)
        numbers = [e["n"] for e in client.journal("rich")]  # with what its words have lifted
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))


class Idempotency(OwnDaemonCase):
    def test_an_idempotency_key_survives(self):
        daemon = self.start()
        first = self.client(daemon).post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": "k"}).json()
        daemon.restart()
        again = self.client(daemon).post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": "k"})
        self.assertEqual((again.status, again.json()["id"]), (200, first["id"]))


class DownTime(OwnDaemonCase):
    def test_no_session_turns_silent_because_the_daemon_was_gone(self):
        interval = 60
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        client.open("a", policy={"heartbeat_interval_ms": int(interval * 1000)})
        daemon.kill()
        daemon.clock.wall_ahead += 2.2 * interval
        started = time.time() + daemon.clock.wall_ahead
        daemon.start()
        client = self.client(daemon)
        self.assertEqual(client.session("a")["verdict"]["status"], "starting")
        self.assertTrue(client.session("a")["alive"])
        # From then on it has two intervals, like every session.
        daemon.clock.advance(1.5 * interval)
        self.assertTrue(client.session("a")["alive"])
        daemon.clock.advance(0.6 * interval)
        verdict = client.wait("a", until="silent", wait="0s")["verdict"]
        since = datetime.fromisoformat(verdict["since"]).timestamp()
        self.assertGreaterEqual(since, started + 2 * interval - 0.01)
        silent = [e for e in client.journal("a") if e["type"] == "verdict.changed"]
        self.assertEqual(len(silent), 1)


class Stopping(OwnDaemonCase):
    def test_an_idle_daemon_stops_at_once(self):
        daemon = self.start({"server.drain_timeout": "5m"})
        self.assertEqual(daemon.stop(), 0)

    def test_idle_connections_do_not_keep_it(self):
        daemon = self.start({"server.drain_timeout": "5m"})
        client = self.client(daemon)
        client.get("/livez")
        self.assertEqual(daemon.stop(), 0)

    def test_sigint_stops_it_too(self):
        daemon = self.start()
        daemon.process.send_signal(signal.SIGINT)
        self.assertEqual(daemon.wait_for_exit(), 0)

    def test_half_a_request_holds_it_no_longer_than_the_drain_timeout(self):
        daemon = self.start({"server.drain_timeout": "300ms"})
        with RawConnection(daemon.port) as connection:
            connection.send(b"POST /v1/sessions/a/events HTTP/1.1\r\nHost: ")
            with RawConnection(daemon.port) as other:
                other.request("GET", "/livez")  # the half request has been read by now
            self.assertEqual(daemon.stop(8), 0)

    def test_held_up_while_it_drains_it_ends_all_the_same(self):
        daemon = self.start({"server.drain_timeout": "1s"})
        with RawConnection(daemon.port) as connection:
            connection.send(b"POST /v1/sessions/a/events HTTP/1.1\r\nHost: ")
            with RawConnection(daemon.port) as other:
                other.request("GET", "/livez")
            daemon.process.send_signal(signal.SIGTERM)
            eventually(lambda: "draining" in daemon.log(), what="the drain")
            daemon.process.send_signal(signal.SIGSTOP)
            held_up = time.monotonic() + 1.5  # afterwards the drain is over, and every other timer is due with it
            eventually(lambda: time.monotonic() > held_up, what="the end of the pause")
            daemon.process.send_signal(signal.SIGCONT)
            self.assertEqual(daemon.wait_for_exit(), 0)

    def test_replies_in_flight_are_finished_and_true(self):
        daemon = self.start()
        with RawConnection(daemon.port) as connection:
            one = connection.format("POST", "/v1/sessions/a/events", b'{"type":"message"}')
            connection.send(one)
            connection.reply()
            connection.send(one * 50)
            daemon.process.send_signal(signal.SIGTERM)
            statuses = []
            try:
                while True:
                    statuses.append(connection.reply().status)
            except (EOFError, ConnectionResetError):
                pass
        self.assertEqual(daemon.wait_for_exit(), 0)
        self.assertLessEqual(set(statuses), {200, 503})
        daemon.start()
        stored = [e for e in self.client(daemon).journal("a") if e["type"] == "message"]
        self.assertGreaterEqual(len(stored), 1 + statuses.count(200))

    def test_a_stop_with_waiters_and_streams_is_clean_and_immediate(self):
        daemon = self.start({"server.drain_timeout": "5m"})  # no client delays it that long
        client = self.client(daemon)
        client.open("a")
        waiters = [daemon.client() for _ in range(5)]
        for waiter in waiters:
            self.addCleanup(waiter.close)
            waiter._connection.request("GET", "/v1/sessions/a/wait?until=ended&wait=5m")
        streams = [EventStream(daemon.port, path) for path in ("/v1/stream", "/v1/sessions/a/stream", "/progress/a/stream")]
        for stream in streams:
            self.addCleanup(stream.close)
            stream.next()
        eventually(lambda: "headway_waiters 5" in client.get("/metrics").body.decode(), what="five waiters")
        daemon.process.send_signal(signal.SIGTERM)
        for waiter in waiters:
            answer = waiter._connection.getresponse()
            self.assertEqual(answer.getheader("Connection"), "close")
            reply = json.loads(answer.read())
            self.assertEqual((reply["met"], reply["impossible"]), (False, False))
        for stream in streams:
            self.assertEqual(stream.rest()[-1].name, "goodbye")
        self.assertEqual(daemon.wait_for_exit(), 0)


class Ready(OwnDaemonCase):
    def test_the_ports_file_and_the_first_line_say_where_it_listens(self):
        daemon = self.start()
        self.assertEqual(json.loads(daemon.ports_file.read_text()),
                         {"http": f"127.0.0.1:{daemon.port}", "socket": str(daemon.state_dir / "headway.sock")})
        self.assertEqual(self.client(daemon).get("/readyz").json()["status"], "ready")
        self.assertEqual([f for f in os.listdir(daemon.root) if f.startswith("ports") and f != "ports.json"], [])

    def test_no_other_user_may_read_the_database(self):
        daemon = self.start()
        fill(self.client(daemon))
        for file in daemon.state_dir.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode) & 0o077, 0, file.name)


class Refusals(OwnDaemonCase):
    def refused(self, daemon) -> str:
        """The log of a start that must fail by itself."""
        process = daemon.spawn()
        code = process.wait(timeout=patient(20))
        process.stdout.close()
        self.assertNotIn(code, (0, -signal.SIGSEGV, -signal.SIGABRT))
        return daemon.log()

    def test_a_second_daemon_on_the_same_directory_is_refused(self):
        daemon = self.start()
        self.client(daemon).open("a")
        ports = daemon.ports_file.read_text()
        self.assertRegex(self.refused(daemon), r"headway\.db is in use by another process")
        self.assertEqual(daemon.ports_file.read_text(), ports)
        self.assertEqual(self.client(daemon).session("a")["n"], 1)

    def test_a_newer_schema_is_refused_and_left_alone(self):
        daemon = self.start()
        self.client(daemon).open("a")
        daemon.stop()
        with daemon.database() as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            database.execute("PRAGMA user_version=999")
        database.close()
        self.assertRegex(self.refused(daemon), "999.*another Headway")
        with daemon.database() as database:
            self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (999,))
            database.execute(f"PRAGMA user_version={version}")
        database.close()
        daemon.start()
        self.assertEqual(self.client(daemon).session("a")["n"], 1)

    def test_a_database_of_another_program_is_refused_and_left_alone(self):
        daemon = self.start()
        daemon.stop()
        for file in daemon.state_dir.iterdir():
            file.unlink()
        with daemon.database() as database:
            database.execute("CREATE TABLE precious(x)")
        database.close()
        self.assertIn("another program", self.refused(daemon))
        with daemon.database() as database:
            self.assertEqual(database.execute("SELECT name FROM sqlite_master").fetchall(), [("precious",)])
        database.close()

    def test_a_file_that_is_no_database_is_refused(self):
        daemon = self.start()
        daemon.stop()
        for file in daemon.state_dir.iterdir():
            file.unlink()
        (daemon.state_dir / "headway.db").write_bytes(b"this is a letter to my aunt\n" * 300)
        self.assertIn("not a database", self.refused(daemon))

    def test_an_unknown_setting_is_refused_with_its_line(self):
        daemon = self.start()
        daemon.stop()
        daemon.config_file.write_text('[policy]\n\nheartbeat_intervall = "5s"\n')
        log = self.refused(daemon)
        self.assertRegex(log, r":3\b")
        self.assertIn("heartbeat_interval", log)

    def test_a_taken_port_is_named(self):
        daemon = self.start()
        other = self.start()
        other.stop()
        process = other.spawn(daemon.port)
        self.assertNotEqual(process.wait(timeout=patient(20)), 0)
        process.stdout.close()
        self.assertRegex(other.log(), f"cannot listen on 127.0.0.1:{daemon.port}")


class Reload(OwnDaemonCase):
    numbers = iter(range(1000))

    def profile(self, client) -> str:
        return client.open(f"s{next(self.numbers)}")["policy"]["profile"]

    def test_sighup_reads_the_file_again_and_a_broken_one_changes_nothing(self):
        daemon = self.start(config='[policy]\nprofile = "balanced"\n')
        client = self.client(daemon)
        old = client.open("old")
        daemon.config_file.write_text('[policy]\nprofile = "strict"\nheartbeat_limit = 7\n')
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.profile(client) == "strict", what="the new profile for new sessions")
        self.assertEqual(client.open("fresh")["policy"]["heartbeat_limit"], 7)
        self.assertEqual(client.session("old")["policy"], old["policy"])

        daemon.config_file.write_text('[policy]\nprofile = "wild"\n')
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: "not reloaded" in daemon.log(), what="a word about the broken file")
        self.assertEqual(self.profile(client), "strict")

        daemon.config_file.write_text("[policy\n")
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: daemon.log().count("not reloaded") == 2, what="a word about the second broken file")
        self.assertEqual(self.profile(client), "strict")

    def test_sighup_lets_further_hosts_in(self):
        daemon = self.start()

        def status():
            with RawConnection(daemon.port) as connection:
                return connection.request("GET", "/livez", headers="Host: Proxy.Example\r\n").status

        self.assertEqual(status(), 421)
        daemon.config_file.write_text('[server]\nallowed_hosts = ["proxy.example"]\n')
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: status() == 200, what="the allowed host")


class Retention(OwnDaemonCase):
    def test_ended_sessions_go_in_steps_and_open_ones_stay(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("open", policy={"heartbeat_interval_ms": 3_600_000})  # nothing happens to it by itself
        for number in range(1200):  # rows enough for several steps
            client.report("long", "message", event_id=f"e{number}", text="x")
        for number in range(5):
            client.report(f"short-{number}", "message", text="x")
        for session in ["long"] + [f"short-{n}" for n in range(5)]:
            client.end(session)
        client.report("open", "message", text="the last")
        before = picture(client, ["open"])["open"]
        daemon.stop()
        daemon.settings["storage.retention"] = "1ms"
        daemon.start()
        client = self.client(daemon)
        eventually(lambda: len(client.get("/v1/sessions").json()["sessions"]) == 1, 60, "only the open session in the list")
        for session in ("long", "short-0", "short-4"):
            self.assertEqual(client.get(f"/v1/sessions/{session}").status, 404)
        self.assertEqual(picture(client, ["open"])["open"], before)
        eventually(lambda: self.stream_start(daemon).data["oldest"] > 1000, 60, "a later start of the stream")
        self.check_reset(daemon)
        self.check_rows(daemon)

    def test_a_session_is_kept_for_its_time_and_no_longer(self):
        daemon = self.start({"storage.retention": "30d"}, test_clock=True)
        client = self.client(daemon)
        client.open("open", policy={"heartbeat_interval_ms": 3_600_000})
        client.beat("ended")
        client.end("ended")
        daemon.clock.advance(29 * 86400)
        self.assertEqual(client.get("/v1/sessions/ended").status, 200)
        daemon.clock.advance(2 * 86400)
        eventually(lambda: client.get("/v1/sessions/ended").status == 404, 60, "the end of the session")
        self.assertEqual(client.get("/v1/sessions/open").status, 200)

    def test_an_idempotency_key_goes_with_its_session(self):
        daemon = self.start()
        client = self.client(daemon)
        first = client.post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": "k"}).json()["id"]
        client.end(first)
        daemon.stop()
        daemon.settings["storage.retention"] = "1ms"
        daemon.start()
        client = self.client(daemon)
        eventually(lambda: client.get(f"/v1/sessions/{first}").status == 404, 60, "the end of the session")
        again = client.post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": "k"})
        self.assertEqual(again.status, 201)
        self.assertNotEqual(again.json()["id"], first)

    def stream_start(self, daemon):
        with EventStream(daemon.port, "/v1/stream", last_event_id=0) as stream:
            return stream.next()

    def check_reset(self, daemon):
        with EventStream(daemon.port, "/v1/stream", last_event_id=5) as stream:
            hello, reset, first = stream.next(), stream.next(), stream.next()
            self.assertEqual((hello.name, reset.name), ("hello", "reset"))
            self.assertEqual(reset.data["oldest"], hello.data["oldest"])
            self.assertEqual((first.data["session"], first.data["data"].get("text")), ("open", "the last"))

    def check_rows(self, daemon):
        def rows():
            daemon.stop()
            with daemon.database() as database:
                counts = [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                          for table in ("session", "journal", "event_id", "mark")]
            database.close()
            daemon.start()
            return counts == [1, 2, 0, 0]

        eventually(rows, 60, "nothing but the rows of the open session")


if __name__ == "__main__":
    unittest.main()
