#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slow clients and many of them: each is disconnected or bounded, memory is bounded, and others do not notice.

HEADWAY_LONG=1 comes with ten times as many, measures how long others wait, and prints the figures.
"""
import resource
import select
import socket
import sys
import unittest

from support.case import OwnDaemonCase
from support.http import RawConnection
from support.limits import LONG, SLOW, Deadline, eventually, patient
from support.sse import EventStream
from support.witness import Witness

EVENT = b'{"type":"message","data":{"text":"x"}}'
MANY = 20_000 if LONG else 2_000
# Seconds, the 99th percentile of others, measured in the long version only; on a machine that is busy anyway three times what it is
# before the flood.
WAIT_MAX = 0.050


def say(text: str):
    if LONG:
        print(text, file=sys.stderr, flush=True)


class FloodCase(OwnDaemonCase):
    def start(self, settings: dict | None = None, **more):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        daemon = super().start(settings, **more)
        self.wait_max = WAIT_MAX * SLOW
        if LONG and not more.get("files_max"):
            with Witness(daemon) as quiet:
                eventually(lambda: self.metric(daemon, "headway_events_total") > 300, 60, "some requests")
            self.wait_max = max(self.wait_max, 3 * quiet.percentile(99))
            say(f"quiet: {quiet.figures()}")
        return daemon

    def metric(self, daemon, name: str) -> float:
        """On a connection of its own, which also proves that connections are accepted."""
        with RawConnection(daemon.port) as connection:
            text = connection.request("GET", "/metrics").body.decode()
        return float(next(line for line in text.splitlines() if line.startswith(name + " ")).split()[-1])

    def check_memory(self, grown: float, bound: float):
        if SLOW == 1:  # sanitizers keep books about each byte
            self.assertLess(grown, bound)

    def connected(self, daemon, count: int, **options) -> list:
        connections = []
        self.addCleanup(lambda: [c.close() for c in connections])
        for _ in range(count):
            connections.append(RawConnection(daemon.port, **options))
        return connections

    def check_witness(self, what: str, witness: Witness):
        say(f"{what}: others: {witness.figures()}")
        if LONG:
            self.assertLess(witness.percentile(99), self.wait_max, witness.figures())

    def drip(self, clock, connections: list, byte: bytes, seconds: float) -> dict:
        """A byte each second of `clock` on each, until the server has closed them all; the replies to each."""
        told, left, deadline = {c: b"" for c in connections}, set(connections), Deadline(seconds)
        sockets = {c.socket: c for c in connections}
        while left and not deadline.passed():
            clock.advance(1, 1)
            for connection in list(left):
                try:
                    connection.socket.send(byte)
                except OSError:
                    pass  # what it said is read below
            for ready in self.readable(left):
                try:
                    piece = ready.recv(65536)
                except ConnectionResetError:
                    piece = b""
                told[sockets[ready]] += piece
                if not piece:
                    left.discard(sockets[ready])
        self.assertFalse(left, f"{len(left)} connections are still open")
        return told

    @staticmethod
    def readable(connections) -> list:
        poller = select.epoll()
        by_number = {c.socket.fileno(): c.socket for c in connections}
        for number in by_number:
            poller.register(number, select.EPOLLIN)
        ready = [by_number[number] for number, _ in poller.poll(0.1)]
        poller.close()
        return ready


class SlowClients(FloodCase):
    def test_headers_that_come_byte_by_byte_are_cut_in_time(self):
        daemon = self.start({"server.header_timeout": "10s"}, test_clock=True)
        slow = self.connected(daemon, 2_000 if LONG else 200)
        with Witness(daemon) as witness:
            for connection in slow:
                connection.send(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            told = self.drip(daemon.clock, slow, b"a", 15)
        for reply in told.values():
            self.assertIn(b" 408 ", reply)
        self.check_witness("slow headers", witness)

    def test_bodies_that_come_byte_by_byte_are_cut_in_time_and_store_nothing(self):
        daemon = self.start({"server.body_timeout": "10s"}, test_clock=True)
        slow = self.connected(daemon, 2_000 if LONG else 200)
        with Witness(daemon) as witness:
            for connection in slow:
                connection.send(connection.format("POST", "/v1/sessions/slow/events", b" " * 1_000_000)[:200])
            told = self.drip(daemon.clock, slow, b" ", 15)
        for reply in told.values():
            self.assertIn(b" 408 ", reply)
        self.assertEqual(self.client(daemon).get("/v1/sessions/slow").status, 404)
        self.check_witness("slow bodies", witness)

    def test_a_length_that_is_only_promised_costs_no_memory(self):
        daemon = self.start()
        before = daemon.resident_bytes()
        liars = self.connected(daemon, 1_000 if LONG else 200)
        for connection in liars:
            connection.send(connection.format("POST", "/v1/sessions/slow/events", headers="Content-Type: application/json\r\n"
                                              "Content-Length: 1048576\r\n") + b"[")
        self.assertEqual(self.client(daemon).get("/livez").status, 200)
        eventually(lambda: self.metric(daemon, "headway_http_connections") > len(liars), what="all of them")
        grown = (daemon.resident_bytes() - before) / len(liars)
        say(f"a body that is promised: {grown / 1024:.0f} KiB each")
        self.check_memory(grown, 100 * 1024)

    def test_bodies_that_are_never_whole_are_bounded_over_all_clients(self):
        daemon = self.start()
        bound = self.metric(daemon, 'headway_bound{of="http_held_bytes"}')
        before, refused = daemon.resident_bytes(), set()
        with Witness(daemon) as witness:
            senders = self.connected(daemon, int(bound // 2**20) + 60)
            for sender in senders:
                request = sender.format("POST", "/v1/sessions/half/events", b" " * 2**20)
                sender.send_some(request[:-1])
            eventually(lambda: self.metric(daemon, "headway_http_held_bytes") > 0.9 * bound, 30, "most of the bodies")
            self.assertLessEqual(self.metric(daemon, "headway_http_held_bytes"), bound)
            grown = daemon.resident_bytes() - before
            eventually(lambda: refused.update(self.readable(senders)) or len(refused) >= 50, what="the refusals")
            for ready in refused:
                try:
                    self.assertIn(ready.recv(65536)[:13], (b"HTTP/1.1 503 ", b""))
                except ConnectionResetError:
                    pass  # it still sent when it was hung up on
        self.check_memory(grown, 2.5 * bound)
        say(f"unfinished bodies: {grown >> 20} MiB for {len(senders)} clients, {len(refused)} refused; others: {witness.figures()}")
        for sender in senders:
            sender.close()
        eventually(lambda: self.metric(daemon, "headway_http_held_bytes") == 0, 30, "the end of them")
        self.assertEqual(self.client(daemon).get("/v1/sessions/half").status, 404)

    def test_unread_replies_are_bounded_over_all_clients(self):
        daemon = self.start()
        client = self.client(daemon)
        page = len(client.get("/openapi.json").body)  # costs next to nothing to make, so that it does not take long anywhere
        each = 64
        before = daemon.resident_bytes()
        with Witness(daemon) as witness:
            bound = self.metric(daemon, 'headway_bound{of="http_held_bytes"}')
            greedy = self.connected(daemon, int((4 if LONG else 2) * bound / (each * page)), receive_buffer=4096)
            for connection in greedy:  # twice the bound, if all of it were kept
                connection.send(connection.format("GET", "/openapi.json") * each)
            eventually(lambda: self.metric(daemon, "headway_http_connections_cut_total") > 0, 60, "the first that is cut")
            self.assertLessEqual(self.metric(daemon, "headway_http_held_bytes"), bound)
            grown = daemon.resident_bytes() - before
        say(f"unread replies: {grown >> 20} MiB for {len(greedy)} clients")
        self.check_memory(grown, 2.5 * bound)
        for connection in greedy:
            connection.close()
        eventually(lambda: self.metric(daemon, "headway_http_held_bytes") < 1e6, 30, "the end of the unread bytes")
        self.assertGreater(len(witness.seconds), 0)

    def test_unread_streams_share_their_frames(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("big")
        before = daemon.resident_bytes()
        count = 4_000 if LONG else 400
        with Witness(daemon) as witness:
            streams = self.connected(daemon, count, receive_buffer=4096)
            for i, stream in enumerate(streams):
                stream.send(stream.format("GET", "/v1/stream" if i % 2 else "/v1/sessions/big/stream"))
            for stream in streams:
                stream.read_until(b"event: hello")
            report = [{"type": "message", "data": {"text": "x" * 4000}}] * 240
            for _ in range(12):  # 1 MB each
                self.assertEqual(client.post("/v1/sessions/big/events", report).status, 200)
            grown = daemon.resident_bytes() - before
            bound = self.metric(daemon, 'headway_bound{of="http_held_bytes"}')
            self.assertLessEqual(self.metric(daemon, "headway_http_held_bytes"), bound)
        say(f"unread streams: {grown >> 20} MiB for {count}; others: {witness.figures()}")
        self.check_memory(grown, 150 << 20)
        for stream in streams:
            stream.close()
        eventually(lambda: self.metric(daemon, "headway_http_held_bytes") < 1e6, 30, "the end of the unread bytes")

    def test_replies_behind_a_long_poll_count_as_unread_too(self):
        daemon = self.start()
        client = self.client(daemon)
        for _ in range(4):
            client.post("/v1/sessions/big/events", [{"type": "message", "data": {"text": "x" * 4000}}] * 250)
        greedy = self.connected(daemon, 3)
        for connection in greedy:
            connection.send(connection.format("GET", "/v1/sessions/big/wait?until=ended&wait=10m") +
                            connection.format("GET", "/v1/sessions/big/events?limit=1000") * 60)
        eventually(lambda: self.metric(daemon, "headway_http_connections_cut_total") > 0, 60, "the first that is cut")
        self.assertLessEqual(self.metric(daemon, "headway_http_held_bytes"), 256 << 20)
        self.assertEqual(client.get("/livez").status, 200)


class Floods(FloodCase):
    def test_connects_above_the_cap_take_the_place_of_silent_ones_and_others_are_served(self):
        daemon = self.start({"server.connections_max": "500"})
        held = self.connected(daemon, 50)
        self.assertEqual({c.request("GET", "/livez").status for c in held}, {200})
        before = daemon.resident_bytes()
        with Witness(daemon) as witness:
            for _ in range(MANY // 1000):
                wave = []
                for _ in range(1000):
                    wave.append(socket.create_connection(("127.0.0.1", daemon.port), timeout=patient(40)))
                self.assertEqual({c.request("GET", "/livez").status for c in held}, {200})
                for late in wave:
                    late.close()
        eventually(lambda: self.metric(daemon, "headway_http_connections") <= 60, what="the end of the flood")
        grown = daemon.resident_bytes() - before
        say(f"{MANY} connects: {grown >> 10} KiB more")
        self.check_memory(grown, 30 << 20)
        self.check_witness(f"{MANY} connects", witness)

    def test_connections_that_say_nothing_or_half_of_it_leave_nothing(self):
        daemon = self.start({"server.idle_timeout": "1s", "server.header_timeout": "1s"})
        with Witness(daemon) as witness:
            silent = self.connected(daemon, MANY // 20)
            halved = self.connected(daemon, MANY // 20)
            for connection in halved:
                connection.send(b"GET /livez HTT")
                connection.socket.shutdown(socket.SHUT_WR)
            whole = self.connected(daemon, MANY // 20)
            for connection in whole:
                connection.send(connection.format("GET", "/livez"))
                connection.socket.shutdown(socket.SHUT_WR)
            self.assertEqual({c.reply().status for c in whole}, {200})
            for connection in silent + halved:
                self.assertTrue(connection.closed_by_server())
        eventually(lambda: self.metric(daemon, "headway_http_connections") <= 2, what="the end of them")
        self.check_witness("silence", witness)

    def test_a_thousand_pipelined_requests_are_answered_in_order(self):
        daemon = self.start()
        with Witness(daemon) as witness:
            connections = self.connected(daemon, 10 if LONG else 2)
            for name, connection in enumerate(connections):
                requests = []
                for i in range(1000):
                    kind = (("GET", "/livez", b""), ("POST", f"/v1/sessions/p{name}/events", EVENT), ("GET", "/nowhere", b""))[i % 3]
                    requests.append(connection.format(*kind, headers=f"X-Request-Id: r{i}\r\n"))
                connection.send(b"".join(requests))
            for connection in connections:
                for i in range(1000):
                    reply = connection.reply()
                    self.assertEqual((reply.headers["x-request-id"], reply.status), (f"r{i}", (200, 200, 404)[i % 3]))
        self.assertEqual(self.client(daemon).session("p0")["n"], 334)
        self.check_witness("pipelines", witness)

    def test_a_storm_of_agents_that_come_back_at_once_is_served(self):
        daemon = self.start()
        for round_ in range(2):
            agents = self.connected(daemon, 2_000 if LONG else 300)
            for i, agent in enumerate(agents):
                agent.send(agent.format("POST", f"/v1/sessions/agent-{i}/events", EVENT))
            for agent in agents:
                reply = agent.reply()
                self.assertIn(reply.status, (200, 503))
                if reply.status == 503:
                    self.assertIn("retry-after", reply.headers)
            if round_ == 0:
                daemon.restart()
        self.assertEqual(self.client(daemon).get("/readyz").status, 200)


class IdleStreams(FloodCase):
    def test_many_idle_streams_are_cheap_and_delay_no_client(self):
        count = 10_000 if LONG else 500
        daemon = self.start()
        client = self.client(daemon)
        client.open("quiet")
        warm = EventStream(daemon.port, "/v1/sessions/quiet/stream")
        self.addCleanup(warm.close)
        warm.next()
        before = daemon.resident_bytes()
        streams = self.connected(daemon, count)
        for stream in streams:
            stream.send(stream.format("GET", "/v1/sessions/quiet/stream"))
        for stream in streams:
            stream.read_until(b"event: hello")
        eventually(lambda: self.metric(daemon, "headway_streams") == count + 1, 30, "all of the streams")
        each = (daemon.resident_bytes() - before) / count
        known = self.metric(daemon, "headway_events_total")
        with Witness(daemon) as crowded:
            eventually(lambda: self.metric(daemon, "headway_events_total") > known + (1000 if LONG else 200), 60, "some requests")
        say(f"{count} idle streams: {each / 1024:.1f} KiB each; others: {crowded.figures()}")
        self.check_memory(each, 20 * 1024)
        client.report("quiet", "message", text="for all of you")
        for stream in streams:
            stream.read_until(b"for all of you")
        if LONG:
            self.assertLess(crowded.percentile(99), self.wait_max)


class FewDescriptors(FloodCase):
    def test_with_64_descriptors_a_crowd_is_turned_away_and_the_rest_works(self):
        daemon = self.start(files_max=64)
        client = self.client(daemon)
        client.open("a")
        self.assertIn("limit of open files", daemon.log())
        crowd = self.connected(daemon, 300)
        for _ in range(50):
            client.report("a", "message", text="x" * 3000)
        self.assertEqual(len(client.journal("a")), 51)
        self.assertGreater(client.get("/metrics").body.decode().count("\n"), 10)
        for connection in crowd:
            connection.close()
        eventually(lambda: self.let_in(daemon), what="room for a new connection")
        self.assertEqual(client.get("/readyz").status, 200)

    def test_without_a_single_descriptor_left_accepting_pauses_and_goes_on(self):
        if SLOW > 1:
            self.skipTest("UBSan looks at objects through a pipe, for which there is no descriptor")
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        in_use = daemon.descriptors()
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (in_use + 5, in_use + 5))
        with Witness(daemon) as witness:  # a part of the five
            crowd = self.connected(daemon, 50)
            eventually(lambda: self.count(client, "headway_http_accept_errors_total") > 0, what="an accept that fails")
            errors = self.count(client, "headway_http_accept_errors_total")
            spent = daemon.processor_seconds()
            for _ in range(100):
                client.report("a", "message", text="x")
            eventually(lambda: self.count(client, "headway_http_accept_errors_total") > errors + 3, what="another try")
            self.assertLess(daemon.processor_seconds() - spent, 2 * SLOW, "it spins")
            for connection in crowd:
                connection.close()
            eventually(lambda: self.let_in(daemon), what="room for a new connection")
        self.assertGreater(len(witness.seconds), 0)
        self.assertEqual(len(client.journal("a")), 101)

    def count(self, client, name: str) -> float:
        text = client.get("/metrics").body.decode()
        return float(next(line for line in text.splitlines() if line.startswith(name + " ")).split()[-1])

    @staticmethod
    def let_in(daemon) -> bool:
        try:
            with RawConnection(daemon.port, timeout=2) as connection:
                return connection.request("GET", "/livez").status == 200
        except (EOFError, OSError):
            return False


if __name__ == "__main__":
    unittest.main()
