#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 as clients really speak it: kept alive, pipelined, in pieces, half closed, too slow, too many."""
import gzip
import http.client
import json
import re
import signal
import socket
import subprocess
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.daemon import Daemon
from support.http import RawConnection, over_socket
from support.limits import SLOW, eventually

EVENT = b'{"type":"message","data":{"text":"x"}}'


class Requests(SharedDaemonCase):
    def connect(self) -> RawConnection:
        connection = RawConnection(self.daemon.port)
        self.addCleanup(connection.close)
        return connection

    def test_one_connection_carries_many_requests(self):
        connection, session = self.connect(), unique()
        for _ in range(250):
            self.assertEqual(connection.request("POST", f"/v1/sessions/{session}/events", EVENT).status, 200)
            self.assertEqual(connection.request("GET", f"/progress/{session}").status, 200)
        self.assertEqual(self.client.session(session)["n"], 251)

    def test_a_hundred_pipelined_requests_are_answered_in_order(self):
        connection, session = self.connect(), unique()
        kinds = [("POST", f"/v1/sessions/{session}/events", EVENT, 200), ("GET", "/livez", b"", 200),
                 ("GET", f"/v1/sessions/{session}", b"", 200), ("GET", "/nowhere", b"", 404),
                 ("POST", f"/v1/sessions/{session}/events", b"{", 400), ("HEAD", "/livez", b"", 200),
                 ("GET", f"/progress/{session}", b"", 200), ("PUT", f"/v1/sessions/{session}", b"", 200),
                 ("GET", f"/v1/sessions/{session}/wait?wait=0ms", b"", 200), ("DELETE", "/livez", b"x=1", 405)]
        self.client.open(session)
        requests = [(i, *kinds[i % len(kinds)]) for i in range(100)]
        connection.send(b"".join(connection.format(m, p, b, f"X-Request-Id: r{i}\r\n") for i, m, p, b, _ in requests))
        for i, method, _, _, status in requests:
            reply = connection.reply(head=method == "HEAD")
            self.assertEqual((reply.headers["x-request-id"], reply.status), (f"r{i}", status))
            self.assertTrue(reply.keeps_open)
        self.assertEqual(self.client.session(session)["n"], 11)

    def test_what_is_ready_waits_behind_what_is_not(self):
        connection, session = self.connect(), unique()
        self.client.open(session)
        wait = connection.format("GET", f"/v1/sessions/{session}/wait?until=ended&wait=5m", headers="X-Request-Id: first\r\n")
        connection.send(wait + connection.format("GET", "/livez") * 150)
        self.client.end(session)
        self.assertEqual(connection.reply().headers["x-request-id"], "first")
        for _ in range(150):
            self.assertEqual(connection.reply().json(), {"status": "ok"})

    def test_pipelined_reports_are_stored_in_order(self):
        connection, session = self.connect(), unique()
        bodies = [json.dumps({"type": "message", "data": {"text": str(i)}}).encode() for i in range(100)]
        connection.send(b"".join(connection.format("POST", f"/v1/sessions/{session}/events", b) for b in bodies))
        self.assertEqual([connection.reply().json()["n"] for _ in bodies], list(range(2, 102)))
        self.assertEqual([e["data"]["text"] for e in self.client.journal(session)[1:]], [str(i) for i in range(100)])

    def test_a_framing_error_in_a_pipeline_spares_what_came_before(self):
        connection = self.connect()
        live = connection.format("GET", "/livez")
        connection.send(live * 3 + b"GARBAGE\r\n\r\n" + live * 3)
        self.assertEqual([connection.reply().status for _ in range(4)], [200, 200, 200, 400])
        self.assertTrue(connection.closed_by_server())

    def test_a_request_may_come_byte_by_byte(self):
        connection, session = self.connect(), unique()
        for byte in connection.format("POST", f"/v1/sessions/{session}/events", EVENT):
            connection.send(bytes([byte]))
        self.assertEqual(connection.reply().json()["n"], 2)

    def test_a_large_body_may_come_in_pieces(self):
        connection, session = self.connect(), unique()
        events = [{"type": "message", "data": {"text": f"{i} " + "x" * 900}} for i in range(1000)]
        lines = b"".join(json.dumps(event).encode() + b"\n" for event in events)
        headers = "Content-Type: application/x-ndjson\r\n"
        request = connection.format("POST", f"/v1/sessions/{session}/events", lines, headers)
        for start in range(0, len(request), 9973):
            connection.send(request[start:start + 9973])
        self.assertEqual(connection.reply().json()["accepted"], 1000)
        connection.send(request + connection.format("GET", "/livez"))
        self.assertEqual(connection.reply().status, 200)
        self.assertEqual(connection.reply().json(), {"status": "ok"})

    def test_a_large_page_is_read_whole(self):
        session = unique()
        for _ in range(4):
            self.client.post(f"/v1/sessions/{session}/events", [{"type": "message", "data": {"text": "x" * 4000}}] * 250)
        self.assertEqual(len(self.client.journal(session, 1000)), 1001)
        with RawConnection(self.daemon.port, receive_buffer=4096) as slow:
            page = slow.request("GET", f"/v1/sessions/{session}/events?limit=1000")
            self.assertGreater(len(page.body), 3_900_000)
            self.assertEqual(slow.request("GET", "/livez").status, 200)

    def test_expect_100_continue_is_answered_before_the_body(self):
        connection, session = self.connect(), unique()
        head = f"Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: {len(EVENT)}\r\n"
        connection.send(connection.format("POST", f"/v1/sessions/{session}/events", headers=head))
        self.assertEqual(connection.reply().status, 100)
        connection.send(EVENT)
        self.assertEqual(connection.reply().status, 200)

    def test_expect_is_not_answered_when_the_body_is_not_wanted(self):
        connection = self.connect()
        head = "Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n"
        connection.send(connection.format("POST", "/v1/sessions/x/events", headers=head))
        self.assertEqual(connection.reply().status, 413)

    def test_a_body_in_chunks_is_taken_as_clients_send_it(self):
        session = unique()
        pieces = [b'{"type":"message",', b'"data":{"text":"', b"x" * 100_000, b'"}}']
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=60)
        self.addCleanup(connection.close)
        for n in range(2, 6):  # an iterable without a length: chunks, one for each of its pieces
            connection.request("POST", f"/v1/sessions/{session}/events", iter(pieces), {"Content-Type": "application/json"},
                               encode_chunked=True)
            reply = connection.getresponse()
            self.assertEqual((reply.status, json.loads(reply.read())["n"]), (200, n))
        self.assertEqual(len(self.client.journal(session)), 5)

    def test_curl_may_send_what_it_reads_from_a_pipe(self):
        session = unique()
        command = ["curl", "-sS", "-X", "POST", "-T", "-", "-H", "Content-Type: application/x-ndjson",
                   f"{self.daemon.url}/v1/sessions/{session}/events"]
        lines = b'{"type":"message","data":{"text":"x"}}\n' * 900
        result = subprocess.run(command, input=lines, capture_output=True, timeout=60, check=True)
        self.assertEqual(json.loads(result.stdout)["accepted"], 900)

    def test_chunks_are_awaited_after_100_continue(self):
        connection, session = self.connect(), unique()
        head = "Expect: 100-continue\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        connection.send(connection.format("POST", f"/v1/sessions/{session}/events", headers=head))
        self.assertEqual(connection.reply().status, 100)
        connection.send(f"{len(EVENT):x}\r\n".encode() + EVENT + b"\r\n0\r\n\r\n")
        self.assertEqual(connection.reply().status, 200)

    def test_a_packed_body_is_read(self):
        connection, session = self.connect(), unique()
        events = json.dumps([json.loads(EVENT)] * 500).encode()
        for kind in ("gzip", "x-gzip", "GZIP"):
            reply = connection.request("POST", f"/v1/sessions/{session}/events", gzip.compress(events), f"Content-Encoding: {kind}\r\n")
            self.assertEqual((reply.status, reply.json()["accepted"]), (200, 500))
        packed = gzip.compress(EVENT)
        chunks = f"{len(packed):x}\r\n".encode() + packed + b"\r\n0\r\n\r\n"
        connection.send(connection.format("POST", f"/v1/sessions/{session}/events", headers="Content-Type: application/json\r\n"
                                          "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n") + chunks)
        self.assertEqual(connection.reply().status, 200)
        self.assertEqual(self.client.session(session)["n"], 1502)

    def test_a_packed_body_that_is_a_bomb_or_damaged_is_refused(self):
        for packed, status in ((gzip.compress(b" " * 50_000_000), 413), (gzip.compress(EVENT)[:-1], 400), (EVENT, 400),
                               (gzip.compress(EVENT) + b"x", 400)):
            connection = self.connect()
            reply = connection.request("POST", "/v1/sessions/none-1/events", packed, "Content-Encoding: gzip\r\n")
            self.assertEqual((reply.status, reply.json()["field"]), (status, "Content-Encoding"))
        self.assertEqual(self.client.get("/v1/sessions/none-1").status, 404)

    def test_other_codings_and_charsets_are_refused(self):
        connection = self.connect()
        for headers, field in (("Content-Encoding: br\r\n", "Content-Encoding"), ("Content-Encoding: deflate\r\n", "Content-Encoding"),
                               ("Content-Type: application/json; charset=utf-16\r\n", "Content-Type"),
                               ("Content-Type: application/json; charset=latin1\r\n", "Content-Type")):
            reply = connection.request("POST", "/v1/sessions/none-1/events", EVENT, headers)
            self.assertEqual((reply.status, reply.json()["field"]), (415, field))
        reply = connection.request("POST", f"/v1/sessions/{unique()}/events", EVENT, "Content-Type: application/json; charset=UTF-8\r\n")
        self.assertEqual(reply.status, 200)

    def test_http_1_0_keep_alive_is_confirmed(self):
        connection = self.connect()
        for _ in range(3):
            connection.send(f"GET /livez HTTP/1.0\r\nHost: 127.0.0.1:{self.daemon.port}\r\nConnection: Keep-Alive\r\n\r\n".encode())
            reply = connection.reply()
            self.assertEqual((reply.status, reply.headers["connection"]), (200, "keep-alive"))

    def test_a_target_may_be_a_url_of_ours(self):
        connection = self.connect()
        for host in (f"127.0.0.1:{self.daemon.port}", f"localhost:{self.daemon.port}"):
            self.assertEqual(connection.request("GET", f"http://{host}/v1/sessions?limit=1").status, 200)

    def test_a_request_behind_a_stream_ends_it_cleanly(self):
        for apart in (False, True):
            connection, session = self.connect(), unique()
            self.client.open(session)
            stream, live = connection.format("GET", f"/v1/sessions/{session}/stream"), connection.format("GET", "/livez")
            if apart:
                connection.send(stream)
                self.assertEqual(connection.stream_reply().status, 200)
                connection.send(live)
            else:
                connection.send(stream + live)
                connection.read_until(b"\r\n\r\n")
            with self.assertRaises(EOFError):
                connection.read(1 << 20)

    def test_a_request_behind_a_stream_that_is_refused_is_answered(self):
        connection = self.connect()
        connection.send(connection.format("GET", "/v1/sessions/none-1/stream") + connection.format("GET", "/livez"))
        self.assertEqual([connection.reply().status for _ in range(2)], [404, 200])

    def test_a_proxy_is_refused_where_every_client_is_trusted(self):
        connection = self.connect()
        for header in ("Forwarded: for=10.0.0.1", "X-Forwarded-For: 10.0.0.1", "X-Forwarded-Proto: https", "X-Real-IP: 10.0.0.1",
                       "Via: 1.1 proxy"):
            reply = connection.request("GET", "/v1/sessions", headers=header + "\r\n")
            self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (403, "forbidden", header.split(":")[0]))
            self.assertIn("server.behind_proxy", reply.json()["detail"])
        self.assertEqual(connection.request("GET", "/livez").status, 200)

    def test_head_is_a_get_without_a_body(self):
        connection = self.connect()
        full = connection.request("GET", "/v1/version")
        head = connection.request("HEAD", "/v1/version")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["content-length"], full.headers["content-length"])
        self.assertEqual(connection.request("HEAD", "/v1/sessions/absent-1").status, 404)
        self.assertEqual(connection.request("GET", "/livez").status, 200)

    def test_http_1_0_is_answered_and_closed(self):
        connection = self.connect()
        connection.send(f"GET /livez HTTP/1.0\r\nHost: 127.0.0.1:{self.daemon.port}\r\n\r\n".encode())
        reply = connection.reply()
        self.assertEqual((reply.status, reply.keeps_open), (200, False))
        self.assertTrue(connection.closed_by_server())

    def test_connection_close_is_honoured(self):
        connection = self.connect()
        self.assertFalse(connection.request("GET", "/livez", headers="Connection: close\r\n").keeps_open)
        self.assertTrue(connection.closed_by_server())

    def test_a_half_closed_connection_gets_its_replies(self):
        connection, session = self.connect(), unique()
        connection.send(connection.format("POST", f"/v1/sessions/{session}/events", EVENT) * 5)
        connection.socket.shutdown(socket.SHUT_WR)
        self.assertEqual([connection.reply().status for _ in range(5)], [200] * 5)
        self.assertTrue(connection.closed_by_server())

    def test_empty_lines_before_a_request_are_skipped(self):
        connection = self.connect()
        connection.send(b"\r\n" + connection.format("GET", "/livez") + b"\r\n" + connection.format("GET", "/livez"))
        self.assertEqual([connection.reply().status for _ in range(2)], [200, 200])

    def test_request_ids_are_echoed_when_usable_and_made_when_not(self):
        connection = self.connect()
        for good in ("a", "A.b_c:d-9", "x" * 64):
            reply = connection.request("GET", "/livez", headers=f"X-Request-Id: {good}\r\n")
            self.assertEqual(reply.headers["x-request-id"], good)
        made = set()
        for bad in ("", "x" * 65, "a b", "a\"b", "ä"):
            reply = connection.request("GET", "/nowhere", headers=f"X-Request-Id: {bad}\r\n")
            self.assertRegex(reply.headers["x-request-id"], r"^[A-Za-z0-9._:-]{1,64}$")
            made.add(reply.headers["x-request-id"])
        self.assertEqual(len(made), 5)

    def test_every_reply_is_timed_and_named(self):
        connection, session = self.connect(), unique()
        for method, path, body in (("GET", "/livez", b""), ("POST", f"/v1/sessions/{session}/events", EVENT), ("GET", "/no", b""),
                                   ("GET", "/metrics", b""), ("POST", f"/v1/sessions/{session}/events", b"[")):
            reply = connection.request(method, path, body)
            self.assertTrue(re.fullmatch(r"app;dur=\d+\.\d+", reply.headers["server-timing"]), reply.headers)
            self.assertTrue(reply.headers["x-request-id"])

    def test_all_our_names_are_ours(self):
        for host in ("127.0.0.1", "localhost", "[::1]", "LocalHost"):
            reply = self.connect().request("GET", "/livez", headers=f"Host: {host}:{self.daemon.port}\r\n")
            self.assertEqual(reply.status, 200, host)
        own = f"Origin: http://127.0.0.1:{self.daemon.port}\r\nSec-Fetch-Site: same-origin\r\n"
        self.assertEqual(self.connect().request("GET", "/livez", headers=own).status, 200)

    def test_two_hundred_connections_at_once(self):
        connections = [self.connect() for _ in range(200)]
        for connection in connections:
            connection.send(connection.format("GET", "/livez"))
        self.assertEqual([c.reply().status for c in connections], [200] * 200)

    def test_metrics_count_requests_by_route_and_name_no_session(self):
        daemon_before = self.metric('headway_http_route_requests_total{route="version"}')
        session = unique("secret")
        self.client.open(session)
        for _ in range(3):
            self.client.get("/v1/version")
        self.assertEqual(self.metric('headway_http_route_requests_total{route="version"}') - daemon_before, 3)
        text = self.client.get("/metrics").body.decode()
        self.assertNotIn("secret", text)
        counts = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("headway_http_route_requests_total")]
        self.assertTrue(all(count == int(count) and count < 1e6 for count in counts), counts)

    def metric(self, name: str) -> float:
        text = self.client.get("/metrics").body.decode()
        return float(next(line for line in text.splitlines() if line.startswith(name + " ")).split()[-1])


class Proxies(OwnDaemonCase):
    def test_behind_a_proxy_a_token_says_who_it_is(self):
        daemon = self.start({"access.mode": "token", "server.behind_proxy": "on"})
        client = daemon.operator()
        self.addCleanup(client.close)
        self.assertEqual(client.get("/v1/sessions", X_Forwarded_For="10.0.0.1").status, 200)
        self.assertEqual(self.client(daemon).get("/v1/sessions", X_Forwarded_For="10.0.0.1").status, 401)

    def test_the_unix_socket_is_for_no_proxy(self):
        daemon = self.start({"access.mode": "token"})
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(daemon.state_dir / "headway.sock"))
            sock.sendall(b"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n")
            self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 403 "))

    def test_a_proxy_without_tokens_is_a_mistake_in_the_configuration(self):
        daemon = Daemon({"server.behind_proxy": "on"})
        self.addCleanup(daemon.close)
        process = daemon.spawn()
        self.assertEqual(process.wait(timeout=60), 2)
        process.stdout.close()
        self.assertIn('set access.mode = "token"', daemon.log())


class Limits(OwnDaemonCase):
    def test_a_slow_header_gets_408_and_others_do_not_notice(self):
        daemon = self.start({"server.header_timeout": "10s"}, test_clock=True)
        with RawConnection(daemon.port) as slow:
            slow.send(b"GET /livez HTTP/1.1\r\nHost: ")
            client = self.client(daemon)
            self.assertEqual(client.get("/livez").status, 200)
            daemon.clock.advance(8)
            slow.send(b"127.")
            self.assertFalse(slow.readable())
            daemon.clock.advance(4)
            reply = slow.reply()
            self.assertEqual((reply.status, reply.json()["code"], reply.keeps_open), (408, "request_timeout", False))
            self.assertTrue(slow.closed_by_server())
            self.assertEqual(client.get("/livez").status, 200)

    def test_a_slow_body_gets_408_and_stores_nothing(self):
        daemon = self.start({"server.body_timeout": "10s"}, test_clock=True)
        with RawConnection(daemon.port) as slow:
            slow.send(slow.format("POST", "/v1/sessions/a/events", EVENT)[:-1])
            self.assertEqual(self.client(daemon).get("/livez").status, 200)  # what was sent before has been read by now
            daemon.clock.advance(8)
            self.assertFalse(slow.readable())
            daemon.clock.advance(4)
            reply = slow.reply()
            self.assertEqual((reply.status, reply.json()["code"]), (408, "request_timeout"))
            self.assertTrue(slow.closed_by_server())
        self.assertEqual(self.client(daemon).get("/v1/sessions/a").status, 404)

    def test_an_idle_connection_is_closed_without_a_word(self):
        daemon = self.start({"server.idle_timeout": "10s"}, test_clock=True)
        with RawConnection(daemon.port) as fresh, RawConnection(daemon.port) as used:
            self.assertEqual(used.request("GET", "/livez").status, 200)
            daemon.clock.advance(8)
            self.assertFalse(fresh.readable() or used.readable())
            daemon.clock.advance(4)
            self.assertTrue(fresh.closed_by_server())
            self.assertTrue(used.closed_by_server())

    def test_a_long_poll_and_a_stream_are_not_idle(self):
        daemon = self.start({"server.idle_timeout": "10s", "server.write_timeout": "10s"}, test_clock=True)
        client = self.client(daemon)
        client.open("a")
        with RawConnection(daemon.port) as waiter, RawConnection(daemon.port) as stream:
            stream.send(stream.format("GET", "/v1/sessions/a/stream"))
            stream.read_until(b"\n\n")
            waiter.send(waiter.format("GET", "/v1/sessions/a/wait?until=ended&wait=1m"))
            eventually(lambda: b"headway_waiters 1" in client.get("/metrics").body, what="the waiter")
            daemon.clock.advance(59)
            self.assertFalse(waiter.readable())
            daemon.clock.advance(2)
            self.assertFalse(waiter.reply().json()["met"])
            self.client(daemon).end("a")
            stream.read_until(b"event: session.ended")

    def test_connections_over_the_cap_are_closed_and_room_is_found_again(self):
        daemon = self.start({"server.connections_max": "16"})
        held = [RawConnection(daemon.port) for _ in range(16)]
        for connection in held:
            self.addCleanup(connection.close)
            connection.send(connection.format("POST", "/v1/sessions/a/events", EVENT)[:-1])
        with RawConnection(daemon.port) as one_more:
            self.assertTrue(one_more.closed_by_server())
        held.pop().close()

        def admitted():
            with RawConnection(daemon.port) as again:
                try:
                    return again.request("GET", "/livez").status == 200
                except (EOFError, OSError):
                    return False

        eventually(admitted, what="room for a new connection")

    def test_long_polls_and_streams_give_way_to_new_connections(self):
        for path, gauge in (("/v1/sessions/none/wait?missing=wait&wait=10m", b"headway_waiters 15"),
                            ("/v1/stream", b"headway_streams 15")):
            daemon = self.start({"server.connections_max": "16"})
            held = [RawConnection(daemon.port) for _ in range(15)]
            for connection in held:
                self.addCleanup(connection.close)
                connection.send(connection.format("GET", path))
            client = self.client(daemon)
            eventually(lambda client=client, gauge=gauge: gauge in client.get("/metrics").body, what=path)
            for _ in range(5):  # each takes the place of the one before, or of one that waits
                another = RawConnection(daemon.port)
                self.addCleanup(another.close)
                another.send(another.format("POST", "/v1/sessions/a/events", EVENT)[:-1])
            with RawConnection(daemon.port) as hook:
                self.assertEqual(hook.request("GET", "/livez").status, 200)

    def test_a_single_stream_and_wait_stay_where_half_requests_take_all_connections(self):
        daemon = self.start({"server.connections_max": "16"})
        client = self.client(daemon)
        waits = [RawConnection(daemon.port) for _ in range(2)]
        for connection, path in zip(waits, ("/v1/sessions/none/wait?missing=wait&wait=10m", "/v1/stream")):
            self.addCleanup(connection.close)
            connection.send(connection.format("GET", path))
        waits[1].read_until(b"event: hello")
        eventually(lambda: b"headway_waiters 1" in client.get("/metrics").body, what="the waiter")
        client.close()
        for _ in range(14):
            half = RawConnection(daemon.port)
            self.addCleanup(half.close)
            half.send(half.format("POST", "/v1/sessions/a/events", EVENT)[:-1])
        for _ in range(5):
            with RawConnection(daemon.port) as one_more:
                self.assertTrue(one_more.closed_by_server())
        self.assertFalse(waits[0].readable())
        client = over_socket(daemon.state_dir / "headway.sock")
        self.addCleanup(client.close)
        metrics = client.get("/metrics").body
        self.assertIn(b"headway_waiters 1\n", metrics)
        self.assertIn(b"headway_streams 1\n", metrics)

    def test_no_wait_is_refused_whose_connection_stays(self):
        daemon = self.start({"server.connections_max": "16"})
        path = "/v1/sessions/none/wait?missing=wait&wait=10m"
        waits = [RawConnection(daemon.port) for _ in range(14)]
        for connection in waits:  # each owes two replies
            self.addCleanup(connection.close)
            connection.send(connection.format("GET", path) * 2)
        client = over_socket(daemon.state_dir / "headway.sock")
        self.addCleanup(client.close)
        eventually(lambda: b"headway_waiters 28\n" in client.get("/metrics").body, what="the waiters")
        for _ in range(2):
            half = RawConnection(daemon.port)
            self.addCleanup(half.close)
            half.send(half.format("POST", "/v1/sessions/a/events", EVENT)[:-1])
        client.get("/livez")  # what was sent before has been read by now
        with RawConnection(daemon.port) as one_more:
            self.assertTrue(one_more.closed_by_server())
        self.assertFalse(any(connection.readable() for connection in waits))
        self.assertIn(b"headway_waiters 28\n", client.get("/metrics").body)

    def test_connections_without_a_request_give_way_to_new_ones(self):
        daemon = self.start({"server.connections_max": "16"})
        served = RawConnection(daemon.port)
        self.addCleanup(served.close)
        self.assertEqual(served.request("GET", "/livez").status, 200)
        silent = [RawConnection(daemon.port) for _ in range(15)]
        for number, connection in enumerate(silent):
            self.addCleanup(connection.close)
            if number % 2:
                connection.send(b"GET /livez HTT")
        for _ in range(20):
            with RawConnection(daemon.port) as another:
                self.assertEqual(another.request("GET", "/livez").status, 200)
        self.assertEqual(served.request("GET", "/livez").status, 200)

    def test_a_request_that_is_completed_while_draining_is_answered(self):
        daemon = self.start({"server.drain_timeout": "5s"})
        with RawConnection(daemon.port) as connection:
            request = connection.format("POST", "/v1/sessions/a/events", EVENT)
            connection.send(request[:-1])
            with RawConnection(daemon.port) as other:
                other.request("GET", "/livez")  # what was sent before has been read by now
            daemon.process.send_signal(signal.SIGTERM)
            eventually(lambda: "draining" in daemon.log(), what="the drain")
            connection.send(request[-1:])
            reply = connection.reply()
            self.assertIn(reply.status, (200, 503))
            self.assertFalse(reply.keeps_open)
            if reply.status == 503:
                self.assertEqual((reply.json()["code"], reply.json()["retryable"]), ("draining", True))
                self.assertIn("retry-after", reply.headers)
        self.assertEqual(daemon.wait_for_exit(5), 0)

    def test_no_connection_is_accepted_while_draining(self):
        daemon = self.start({"server.drain_timeout": "3s"})
        with RawConnection(daemon.port) as holder:
            holder.send(holder.format("POST", "/v1/sessions/a/events", EVENT)[:-1])
            holder_read = self.client(daemon)
            holder_read.get("/livez")
            daemon.process.send_signal(signal.SIGTERM)

            def refused():
                try:
                    RawConnection(daemon.port, timeout=1 * SLOW).close()
                    return False
                except OSError:
                    return True

            eventually(refused, what="a closed door")
        self.assertEqual(daemon.wait_for_exit(), 0)


if __name__ == "__main__":
    unittest.main()
