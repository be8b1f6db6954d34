#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Server-Sent Events: in order, resumable without loss or duplicates, and no client delays another."""
import contextlib
import random
import signal
import threading
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.daemon import own_database
from support.limits import eventually, patient
from support.sse import EventStream

MANY = 200


def ids(events) -> list:
    return [e.id for e in events if e.is_journal]


class SessionStream(SharedDaemonCase):
    def follow(self, path: str, **options) -> EventStream:
        stream = EventStream(self.daemon.port, path, **options)
        self.addCleanup(stream.close)
        return stream

    def test_hello_comes_first_and_says_where_it_starts(self):
        session = unique()
        self.client.report(session, "message", text="before")
        stream = self.follow(f"/v1/sessions/{session}/stream")
        self.assertEqual(stream.status, 200)
        self.assertIn("content-type: text/event-stream", stream.head)
        self.assertIn("x-request-id: ", stream.head)
        hello = stream.next()
        self.assertEqual((hello.name, stream.retry), ("hello", 2000))
        self.assertEqual((hello.data["head"], hello.data["oldest"], hello.data["replay_from"]), (2, 1, 2))
        self.assertTrue(hello.data["version"])

    def test_events_come_as_they_stand_in_the_journal(self):
        session = unique()
        self.client.open(session)
        stream = self.follow(f"/v1/sessions/{session}/stream")
        stream.next()
        self.client.report(session, "tool.finished", event_id="e", attempt=3, tool="bash", result="line\nline\r\n\u2028ünï")
        self.client.end(session)
        events = stream.until(lambda e: e.data.get("data", {}).get("to") == "completed")
        self.assertEqual([e.data for e in events], self.client.journal(session)[1:])
        self.assertEqual([(e.name, e.id) for e in events], [(e["type"], e["n"]) for e in self.client.journal(session)[1:]])

    def test_from_zero_it_starts_at_the_oldest(self):
        session = unique()
        for start in range(0, 600, 3):
            self.client.post(f"/v1/sessions/{session}/events", [{"type": "message"}] * 3)
        stream = self.follow(f"/v1/sessions/{session}/stream?last_event_id=0")
        events = stream.until(lambda e: e.id == 601)
        self.assertEqual(ids(events), list(range(1, 602)))

    def test_resume_by_header_and_by_query(self):
        session = unique()
        for _ in range(20):
            self.client.report(session, "message", text="x")
        for after in (1, 7, 20):
            for path, header in ((f"/v1/sessions/{session}/stream", after),
                                 (f"/v1/sessions/{session}/stream?last_event_id={after}", None)):
                stream = self.follow(path, last_event_id=header)
                hello, first = stream.next(), stream.next()
                self.assertEqual((hello.data["replay_from"], first.id), (after, after + 1))
                stream.close()

    def test_the_header_wins_over_the_query(self):
        session = unique()
        for _ in range(5):
            self.client.report(session, "message", text="x")
        # A browser that reconnects sends the header, while the query still says where the page began.
        stream = self.follow(f"/v1/sessions/{session}/stream?last_event_id=0", last_event_id=4)
        stream.next()
        self.assertEqual(stream.next().id, 5)

    def test_replay_and_live_meet_without_a_seam(self):
        session = unique()
        self.client.post(f"/v1/sessions/{session}/events", [{"type": "message", "data": {"text": "x" * 500}}] * 999)
        writer = threading.Thread(target=self.write, args=(session, 300), daemon=True)
        writer.start()
        stream = self.follow(f"/v1/sessions/{session}/stream?last_event_id=0", timeout=30)
        events = stream.until(lambda e: e.id == 1300, 30)
        writer.join()
        self.assertEqual(ids(events), list(range(1, 1301)))

    def write(self, session, count):
        client = self.daemon.client()
        for number in range(count):
            client.report(session, "message", text=str(number))
        client.close()

    def test_a_position_from_the_future_is_reset(self):
        session = unique()
        self.client.open(session)
        for path in (f"/v1/sessions/{session}/stream", "/v1/stream"):
            stream = self.follow(path, last_event_id=10**9)
            hello, reset = stream.next(), stream.next()
            self.assertEqual((hello.name, reset.name), ("hello", "reset"))
            self.assertTrue(reset.data["reason"])
            self.client.report(session, "message", text="now")
            self.assertEqual(stream.next().name, "message")

    def test_the_stream_of_all_sessions_keeps_their_order(self):
        stream = self.follow("/v1/stream")
        stream.next()
        sessions = [unique("all") for _ in range(5)]
        for number in range(50):
            self.client.report(sessions[number % 5], "message", text=str(number))
        events = stream.until(lambda e: e.data["data"].get("text") == "49")
        cursors = ids(events)
        self.assertEqual(cursors, list(range(cursors[0], cursors[0] + len(cursors))))
        self.assertEqual([e.data["data"]["text"] for e in events if e.name == "message"], [str(n) for n in range(50)])
        again = self.follow("/v1/stream", last_event_id=cursors[0] - 1)
        again.next()
        self.assertEqual([(e.id, e.data) for e in again.until(lambda e: e.id == cursors[-1])], [(e.id, e.data) for e in events])

    def test_progress_comes_first_and_after_each_change(self):
        session = unique()
        self.client.open(session)
        for route in (f"/progress/{session}/stream", f"/api/autonomous/progress/{session}/stream"):
            stream = self.follow(route)
            first = stream.until(lambda e: e.name == "progress")[-1]
            before = first.data["progress"]["stateChanges"]
            self.assertEqual(set(first.data), set(self.client.get(f"/progress/{session}").json()))
            self.client.report(session, "tool.finished", tool="x")
            self.assertEqual(stream.next().data["progress"]["stateChanges"], before + 1)
            stream.close()

    def test_streams_of_unknown_sessions_are_404_and_the_connection_goes_on(self):
        for route in ("/v1/sessions/absent/stream", "/progress/absent/stream"):
            self.assertEqual(self.client.get(route).status, 404)
        self.assertEqual(self.client.get("/livez").status, 200)


class SlowReaders(OwnDaemonCase):
    def test_a_reader_that_stops_is_cut_with_a_word_and_others_flow(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        slow = EventStream(daemon.port, "/v1/sessions/a/stream", receive_buffer=4096, timeout=30)
        fast = EventStream(daemon.port, "/v1/sessions/a/stream", timeout=30)
        self.addCleanup(slow.close)
        self.addCleanup(fast.close)
        slow.next()
        fast.next()
        # Above what the ring keeps (16 MiB) and what the socket's buffers hold besides.
        batch = [{"type": "message", "data": {"text": "x" * 4000}}] * 200
        for number in range(1, 41):
            client.post("/v1/sessions/a/events", batch)
            fast.until(lambda e: e.id == 1 + 200 * number)
        events = slow.rest(30)
        self.assertEqual(events[-1].name, "lagged", "it was not told why")
        got = ids(events)
        self.assertEqual(got, list(range(2, 2 + len(got))))
        again = EventStream(daemon.port, "/v1/sessions/a/stream", last_event_id=got[-1], timeout=30)
        self.addCleanup(again.close)
        rest = again.until(lambda e: e.id == 8001, 30)
        self.assertEqual(ids(rest), list(range(got[-1] + 1, 8002)))
        self.assertIn("headway_streams_lagged_total 1", client.get("/metrics").body.decode())

    def test_a_reader_that_takes_nothing_for_the_write_timeout_is_closed(self):
        daemon = self.start({"server.write_timeout": "10s"}, test_clock=True)
        client = self.client(daemon)
        client.open("a")
        slow = EventStream(daemon.port, "/v1/sessions/a/stream", receive_buffer=4096)
        self.addCleanup(slow.close)
        slow.next()
        for _ in range(10):  # fills the buffers of the sockets, less than the ring
            client.post("/v1/sessions/a/events", [{"type": "message", "data": {"text": "x" * 4000}}] * 200)
        self.assertEqual(client.beat("a")["next_heartbeat_ms"], 5000)
        daemon.clock.advance(12)
        eventually(lambda: client.beat("a")["next_heartbeat_ms"] == 10000, 15, "the end of the stalled stream")
        self.assertEqual(client.get("/livez").status, 200)


@own_database
class WhatIsLeftOfASession(OwnDaemonCase):
    def test_it_hides_nothing_that_stands_behind_it(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("before")
        client.open("broken")
        for _ in range(100):
            client.report("broken", "message", text="x")
        client.end("broken")
        for _ in range(10):
            client.report("behind", "message", text="x")
        with EventStream(daemon.port, "/v1/stream") as now:
            head = now.next().data["head"]
        daemon.stop()
        # As retention leaves it where it finds a damaged row.
        with contextlib.closing(daemon.database()) as database, database:
            (key,) = database.execute("SELECT key FROM session WHERE name='broken'").fetchone()
            for table, column in (("session", "key"), ("session_index", "session"), ("event_id", "session")):
                database.execute(f"DELETE FROM {table} WHERE {column}=?", (key,))
        daemon.start()
        stream = EventStream(daemon.port, "/v1/stream?last_event_id=0")
        self.addCleanup(stream.close)
        events = stream.until(lambda e: e.id == head)
        self.assertEqual([e.data["session"] for e in events if e.is_journal and e.data["session"] != "before"], ["behind"] * 11)
        self.client(daemon).report("behind", "message", text="live")
        self.assertEqual(stream.next().data["data"]["text"], "live")


class ManyReaders(OwnDaemonCase):
    def test_two_hundred_readers_all_get_everything(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        streams = [EventStream(daemon.port, path) for path in ("/v1/sessions/a/stream", "/v1/stream") for _ in range(MANY // 2)]
        for stream in streams:
            self.addCleanup(stream.close)
            self.assertEqual(stream.next().name, "hello")
        for number in range(20):
            client.report("a", "message", text=str(number))
        for stream in streams:
            events = stream.until(lambda e: e.id == 21)
            self.assertEqual([e.data["data"]["text"] for e in events if e.name == "message"], [str(n) for n in range(20)])

    def test_all_get_a_goodbye(self):
        daemon = self.start()
        self.client(daemon).open("a")
        streams = [EventStream(daemon.port, "/v1/stream") for _ in range(50)]
        for stream in streams:
            self.addCleanup(stream.close)
            stream.next()
        self.assertEqual(daemon.stop(), 0)
        for stream in streams:
            (goodbye,) = stream.rest()
            self.assertEqual(goodbye.name, "goodbye")
            self.assertTrue(goodbye.data["reason"])


class TokensThatEnd(OwnDaemonCase):
    def follow(self, daemon, token: str) -> EventStream:
        stream = EventStream(daemon.port, "/v1/stream", token=token)
        self.addCleanup(stream.close)
        self.assertEqual(stream.next().name, "hello")
        return stream

    def assert_told_to_go(self, stream: EventStream):
        last = stream.rest()[-1]
        self.assertEqual(last.name, "goodbye")
        self.assertIn("token", last.data["reason"])

    def test_a_stream_ends_with_its_token_and_others_go_on(self):
        daemon = self.start({"access.mode": "token"})
        operator = self.client(daemon, token=daemon.operator_token())
        made = [operator.post("/v1/tokens", {"name": name, "scopes": ["read"]}).json() for name in ("gone", "stays")]
        gone, stays = (self.follow(daemon, token["token"]) for token in made)
        operator.delete(f"/v1/tokens/{made[0]['id']}")
        self.assert_told_to_go(gone)
        operator.open("a")
        self.assertEqual(stays.next().data["session"], "a")

    def test_a_token_that_expires_ends_its_stream(self):
        daemon = self.start({"access.mode": "token"}, test_clock=True)
        operator = self.client(daemon, token=daemon.operator_token())
        short = operator.post("/v1/tokens", {"name": "short", "scopes": ["read"], "expires_in": 3600}).json()
        stream = self.follow(daemon, short["token"])
        daemon.clock.advance(3602)
        self.assert_told_to_go(stream)

    def test_an_anonymous_stream_ends_when_the_mode_does(self):
        daemon = self.start(config='[access]\nmode = "local"\n')
        anonymous = EventStream(daemon.port, "/v1/stream")
        self.addCleanup(anonymous.close)
        self.assertEqual(anonymous.next().name, "hello")
        stays = self.follow(daemon, daemon.operator_token())
        daemon.config_file.write_text('[access]\nmode = "token"\n', encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        self.assert_told_to_go(anonymous)
        self.client(daemon, token=daemon.operator_token()).open("a")
        stays.until(lambda event: event.is_journal)

    def test_another_operators_token_ends_the_streams_of_the_old_one(self):
        daemon = self.start()
        old = self.follow(daemon, daemon.operator_token())
        anonymous = EventStream(daemon.port, "/v1/stream")
        self.addCleanup(anonymous.close)
        self.client(daemon, token=daemon.operator_token()).post("/v1/tokens/operator/rotate")
        self.assert_told_to_go(old)
        self.client(daemon).open("a")
        anonymous.until(lambda event: event.is_journal)


class AcrossKills(OwnDaemonCase):
    def test_a_resuming_reader_loses_nothing_and_gets_nothing_twice(self):
        daemon = self.start()
        client = self.client(daemon)
        acknowledged = client.report("a", "message", text="0")["n"]
        seen = {path: [] for path in ("/v1/sessions/a/stream", "/v1/stream")}
        dice = random.Random(7)
        for _ in range(5):
            streams = {path: EventStream(daemon.port, path, last_event_id=got[-1][0] if got else 0)
                       for path, got in seen.items()}
            for _ in range(dice.randint(5, 40)):
                acknowledged = client.report("a", "message", text="x")["n"]
            for path, stream in streams.items():  # each has read only a part when the daemon dies
                stop = dice.randint(len(seen[path]) + 1, acknowledged)
                events = stream.until(lambda e: e.is_journal and e.data["n"] >= stop)
                seen[path] += [(e.id, e.data["n"]) for e in events if e.is_journal]
            daemon.kill()
            for path, stream in streams.items():
                seen[path] += [(e.id, e.data["n"]) for e in stream.rest() if e.is_journal]
                stream.close()
            daemon.start()
            client = self.client(daemon)
        last = client.session("a")["n"]
        for path, got in seen.items():
            with EventStream(daemon.port, path, last_event_id=got[-1][0]) as stream:
                client.report("a", "message", text="end")
                events = stream.until(lambda e: e.is_journal and e.data["n"] > last)
                got += [(e.id, e.data["n"]) for e in events if e.is_journal]
            self.assertEqual([n for _, n in got], list(range(1, last + 2)), path)
            self.assertEqual(sorted({i for i, _ in got}), [i for i, _ in got], path)

    def test_a_reader_never_sees_what_a_kill_undoes(self):
        daemon = self.start()
        stream = EventStream(daemon.port, "/v1/stream")
        self.addCleanup(stream.close)
        stream.next()
        writers = [threading.Thread(target=self.write_until_killed, args=(daemon, f"s{i}"), daemon=True) for i in range(8)]
        for writer in writers:
            writer.start()
        events = [stream.next() for _ in range(200)]
        daemon.kill()
        events += stream.rest()
        for writer in writers:
            writer.join(patient(20))
        daemon.start()
        client = self.client(daemon)
        journals = {f"s{i}": {e["n"]: e for e in client.journal(f"s{i}")} for i in range(8)}
        for event in events:
            self.assertEqual(journals[event.data["session"]][event.data["n"]], event.data)

    def write_until_killed(self, daemon, session):
        client = daemon.client()
        try:
            while True:
                client.report(session, "message", text="x")
        except Exception:  # the kill, in one of its many shapes
            client.close()


if __name__ == "__main__":
    unittest.main()
