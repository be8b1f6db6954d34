#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TLS: accepted connections, a new certificate at run time, and addresses that other machines can reach."""
import http.client
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from support.case import OwnDaemonCase, unique
from support.cli import Cli
from support.daemon import Daemon
from support.http import Client, RawConnection
from support.limits import LONG, SLOW, Deadline, eventually, patient
from support.tls import make_certificate

EVENT = b'{"type":"message","data":{"text":"x"}}'


class TlsRaw(RawConnection):
    """A socket with TLS that speaks no HTTP of its own."""

    def __init__(self, port: int, context: ssl.SSLContext, **options):
        super().__init__(port, **options)
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")


class TlsCase(OwnDaemonCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="headway-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.certificate, cls.key = make_certificate(cls.folder, "first")

    def start(self, settings: dict | None = None, **more):
        return super().start({"server.tls_cert": str(self.certificate), "server.tls_key": str(self.key), **(settings or {})}, **more)

    def context(self, certificate=None) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(certificate or self.certificate))

    def secure(self, daemon, **options) -> Client:
        client = Client(daemon.port, **options)
        client._connection = http.client.HTTPSConnection("127.0.0.1", daemon.port, timeout=patient(20), context=self.context())
        self.addCleanup(client.close)
        return client

    def raw(self, daemon, **options) -> TlsRaw:
        connection = TlsRaw(daemon.port, self.context(), **options)
        self.addCleanup(connection.close)
        return connection


class Encrypted(TlsCase):
    def test_requests_are_served_over_tls_only(self):
        daemon = self.start()
        client, session = self.secure(daemon), unique()
        client.open(session)
        for number in range(100):
            client.report(session, "message", text=str(number))
        self.assertEqual(len(client.journal(session)), 101)
        with RawConnection(daemon.port) as plain:
            plain.send_some(plain.format("GET", "/livez"))
            with self.assertRaises((EOFError, OSError)):
                plain.reply()
        self.assertEqual(client.get("/livez").status, 200)

    def test_old_versions_are_refused(self):
        daemon = self.start()
        context = self.context()
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context.minimum_version = context.maximum_version = version
            with TlsRaw(daemon.port, context) as connection:
                self.assertEqual(connection.request("GET", "/livez").status, 200)
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{daemon.port}", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patient(20))
        self.assertNotEqual(result.returncode, 0, result.stdout)

    def test_pipelines_large_bodies_and_large_pages_go_through(self):
        daemon = self.start()
        connection, session = self.raw(daemon), unique()
        requests = [connection.format("POST", f"/v1/sessions/{session}/events", EVENT, f"X-Request-Id: r{i}\r\n") for i in range(500)]
        connection.send(b"".join(requests))
        self.assertEqual([connection.reply().headers["x-request-id"] for _ in requests], [f"r{i}" for i in range(500)])
        client = self.secure(daemon)
        for _ in range(4):
            client.post(f"/v1/sessions/{session}/events", [{"type": "message", "data": {"text": "x" * 4000}}] * 250)
        slow = self.raw(daemon, receive_buffer=4096, timeout=30)
        page = slow.request("GET", f"/v1/sessions/{session}/events?after=501&limit=1000")
        self.assertGreater(len(page.body), 3_900_000)
        self.assertEqual(slow.request("GET", "/livez").status, 200)

    def test_many_handshakes_at_once_succeed_and_delay_no_client(self):
        daemon, hellos = self.start(), []
        client = self.secure(daemon)
        client.open("s")
        for _ in range(1000 if LONG else 100):
            outgoing = ssl.MemoryBIO()
            begun = self.context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
            with self.assertRaises(ssl.SSLWantReadError):
                begun.do_handshake()
            hellos.append((RawConnection(daemon.port), outgoing.read()))
        for connection, hello in hellos:
            self.addCleanup(connection.close)
            connection.send(hello)
        seconds = []
        for number in range(20):
            begin = time.monotonic()
            client.report("s", "message", text=str(number))
            seconds.append(time.monotonic() - begin)
        for connection, _ in hellos:
            self.assertEqual(connection.socket.recv(1), b"\x16", "a handshake record")
        if LONG:
            print(f"reports beside {len(hellos)} handshakes: worst {max(seconds) * 1e3:.1f} ms", file=sys.stderr)
            self.assertLess(max(seconds), 0.05 * SLOW)

    def test_a_request_may_come_byte_by_byte_and_half_closed(self):
        daemon = self.start()
        connection, session = self.raw(daemon), unique()
        for byte in connection.format("POST", f"/v1/sessions/{session}/events", EVENT):
            connection.send(bytes([byte]))
        self.assertEqual(connection.reply().status, 200)

    def test_streams_and_long_polls(self):
        daemon = self.start()
        client = self.secure(daemon)
        client.open("a")
        stream, waiter = self.raw(daemon), self.raw(daemon)
        stream.send(stream.format("GET", "/v1/sessions/a/stream"))
        stream.read_until(b"event: hello")
        waiter.send(waiter.format("GET", "/v1/sessions/a/wait?until=ended&wait=1m"))
        for number in range(200):
            client.report("a", "message", text=f"number {number}.")
        stream.read_until(b"number 199.")
        client.end("a")
        self.assertTrue(waiter.reply().json()["met"])
        stream.read_until(b"event: session.ended")
        self.assertEqual(daemon.stop(), 0)
        stream.read_until(b"event: goodbye")

    def test_a_handshake_that_does_not_end_is_cut(self):
        daemon = self.start({"server.header_timeout": "10s"}, test_clock=True)
        with RawConnection(daemon.port) as silent, RawConnection(daemon.port) as half:
            half.send(b"\x16\x03\x01\x02\x00\x01\x00")
            self.assertEqual(self.secure(daemon).get("/livez").status, 200)
            daemon.clock.advance(12)
            self.assertTrue(silent.closed_by_server())
            self.assertTrue(half.closed_by_server())
        self.assertEqual(self.secure(daemon).get("/livez").status, 200)

    def test_junk_in_place_of_a_handshake_does_no_harm(self):
        daemon = self.start()
        for junk in (b"", b"\0" * 4096, b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"a" * 70_000, bytes(range(256)) * 64):
            with RawConnection(daemon.port) as connection:
                connection.send_some(junk)
        # and in the middle of what was encrypted
        broken = self.raw(daemon)
        self.assertEqual(broken.request("GET", "/livez").status, 200)
        plain = socket.socket(fileno=broken.socket.detach())
        plain.sendall(b"GET /livez HTTP/1.1\r\n\r\n")
        deadline = Deadline(10)
        plain.settimeout(deadline.left())
        try:
            while plain.recv(65536):
                pass
        except ConnectionResetError:
            pass
        plain.close()
        self.assertEqual(self.secure(daemon).get("/livez").status, 200)

    def test_a_slow_header_is_answered_and_the_connection_ends_with_a_goodbye(self):
        daemon = self.start({"server.header_timeout": "10s"}, test_clock=True)
        connection = self.raw(daemon)
        connection.send(b"GET /livez HTTP/1.1\r\nHost: ")
        self.assertEqual(self.secure(daemon).get("/livez").status, 200)
        daemon.clock.advance(12)
        self.assertEqual(connection.reply().status, 408)
        self.assertTrue(connection.closed_by_server())  # without it Python would say that it was cut

    def test_fifty_clients_at_once(self):
        daemon = self.start()
        failures = []

        def work(name):
            try:
                client = self.secure(daemon)
                for _ in range(20):
                    client.report(f"s{name}", "message", text="x")
            except Exception as error:  # the test says which
                failures.append(error)

        workers = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(50)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(patient(60))
        self.assertEqual(failures, [])

    def test_urls_say_so(self):
        daemon = self.start()
        operator = self.secure(daemon, token=daemon.operator_token())
        url = operator.post("/v1/login-codes").json()["url"]
        self.assertTrue(url.startswith(f"https://127.0.0.1:{daemon.port}/login"), url)
        origin = {"Origin": f"https://127.0.0.1:{daemon.port}", "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(self.secure(daemon).request("GET", "/v1/sessions", headers=origin).status, 200)


class Certificates(TlsCase):
    def seen(self, daemon) -> bytes:
        """The certificate that a new connection is shown."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with TlsRaw(daemon.port, context) as connection:
            return connection.socket.getpeercert(binary_form=True)

    def test_a_new_one_is_taken_on_sighup_and_a_bad_one_is_not(self):
        certificate, key = make_certificate(self.folder, "changing")
        daemon = self.start({"server.tls_cert": str(certificate), "server.tls_key": str(key)})
        first = self.seen(daemon)
        kept = TlsRaw(daemon.port, self.context(certificate))
        self.addCleanup(kept.close)
        self.assertEqual(kept.request("GET", "/livez").status, 200)

        make_certificate(self.folder, "changing")
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.seen(daemon) != first, what="the new certificate")
        second = self.seen(daemon)
        self.assertEqual(kept.request("GET", "/livez").status, 200, "a connection keeps what it began with")

        for number, (broken, why) in enumerate(((certificate, "cannot use the certificate"), (key, "cannot use the key"))):
            good = broken.read_text()
            broken.write_text("nonsense")
            daemon.process.send_signal(signal.SIGHUP)
            eventually(lambda w=why: w in daemon.log(), what="the refusal")
            self.assertEqual(daemon.log().count("the configuration was not reloaded"), number + 1)
            self.assertEqual(self.seen(daemon), second)
            broken.write_text(good)

    def test_files_that_are_no_use_stop_the_start_and_say_why(self):
        other = make_certificate(self.folder, "other")[1]
        missing = self.folder / "none.pem"
        for certificate, key, why in ((missing, self.key, "none.pem"), (self.key, self.key, "cannot use the certificate"),
                                      (self.certificate, self.certificate, "cannot use the key"),
                                      (self.certificate, other, "cannot use the key"), (self.certificate, "", "come together"),
                                      ("", self.key, "come together")):
            with self.subTest(f"{certificate} {key}"):
                daemon = Daemon({"server.tls_cert": str(certificate), "server.tls_key": str(key)})
                self.addCleanup(daemon.close)
                process = daemon.spawn()
                self.assertEqual(process.wait(patient(20)), 2)
                process.stdout.close()
                self.assertIn(why, daemon.log())


class Reachable(TlsCase):
    """Every address (0.0.0.0) stands for one that other machines can reach."""

    def refused(self, why: str, **settings):
        daemon = Daemon({k.replace("__", "."): v for k, v in settings.items()})
        self.addCleanup(daemon.close)
        daemon.address = "0.0.0.0"
        process = daemon.spawn()
        self.assertEqual(process.wait(patient(20)), 2)
        process.stdout.close()
        self.assertIn(why, daemon.log())

    def test_only_with_tokens_and_tls(self):
        tls = {"server__tls_cert": str(self.certificate), "server__tls_key": str(self.key)}
        self.refused("access.mode", **tls)
        self.refused("access.mode", server__insecure_bind="on")
        self.refused("server.tls_cert", access__mode="token")
        daemon = self.open_to_all({"access.mode": "token", "server.tls_cert": str(self.certificate), "server.tls_key": str(self.key)})
        self.assertEqual(self.secure(daemon).get("/v1/sessions").status, 401)
        self.assertEqual(self.secure(daemon, token=daemon.operator_token()).get("/v1/sessions").status, 200)

    def test_without_tls_only_by_a_word_and_with_a_warning(self):
        daemon = self.open_to_all({"access.mode": "token", "server.insecure_bind": "on"})
        self.assertIn("without TLS", daemon.log())
        self.assertEqual(self.client(daemon, token=daemon.operator_token()).get("/v1/sessions").status, 200)
        self.assertEqual(self.client(daemon).get("/v1/sessions").status, 401)

    def test_the_link_it_prints_is_one_that_it_answers(self):
        for address in ("0.0.0.0", "[::]"):
            daemon = Daemon({"access.mode": "token", "server.insecure_bind": "on"})
            self.addCleanup(daemon.close)
            daemon.address = address
            daemon.start()
            cli = Cli(daemon, f"unix:{daemon.state_dir}/headway.sock")
            link = urlsplit(cli.run("dashboard").out.strip())
            connection = http.client.HTTPConnection(link.hostname, link.port, timeout=patient(20))
            self.addCleanup(connection.close)
            connection.request("GET", f"{link.path}?{link.query}")  # with the Host of the link
            self.assertEqual(connection.getresponse().status, 303, link)

    def open_to_all(self, settings: dict) -> Daemon:
        daemon = Daemon(settings)
        self.addCleanup(daemon.close)
        daemon.address = "0.0.0.0"
        return daemon.start()


class CommandLine(TlsCase):
    def test_the_ca_file_is_named_by_flag_or_variable(self):
        daemon = self.start()
        self.secure(daemon).open("a", goal="over TLS")
        url = f"https://127.0.0.1:{daemon.port}"
        cli = Cli(daemon, url)
        self.assertIn("over TLS", cli.run("show", "a", "--ca-file", str(self.certificate)).out)
        stranger = cli.run("show", "a")
        self.assertEqual(stranger.code, 69)
        self.assertIn("certificate", stranger.err)
        cli.environment["HEADWAY_CA_FILE"] = str(self.certificate)
        self.assertIn("over TLS", cli.run("show", "a").out)
        self.assertEqual(cli.run("token", "create", "x", "--scope", "read").code, 0)
        missing = cli.run("show", "a", "--ca-file", "/nonexistent.pem")
        self.assertEqual(missing.code, 64)
        self.assertIn("--ca-file", missing.err)


if __name__ == "__main__":
    unittest.main()
