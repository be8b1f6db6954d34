#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Unix socket: the operator needs no token, other users are refused, and the command line uses it."""
import json
import os
import socket
import stat
import subprocess
import sys
import unittest

from support.case import OwnDaemonCase, unique
from support.cli import Cli
from support.daemon import Daemon
from support.http import Client, RawConnection, over_socket
from support.limits import eventually, patient


class SocketCase(OwnDaemonCase):
    def local(self, daemon, **options) -> Client:
        client = over_socket(daemon.state_dir / "headway.sock", **options)
        self.addCleanup(client.close)
        return client


class UnixSocket(SocketCase):
    def test_the_operator_needs_no_token(self):
        daemon = self.start({"access.mode": "token"})
        self.assertEqual(self.client(daemon).get("/v1/tokens").status, 401)
        local = self.local(daemon)
        session = unique()
        local.open(session)
        asked = local.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"command": "x"}}).json()
        decided = local.post(f"/v1/approvals/{asked['id']}/decision", {"decision": "approve"})
        self.assertEqual(decided.status, 200, decided.body)
        made = local.post("/v1/tokens", {"name": "agent", "scopes": ["report:"]})
        self.assertEqual(made.status, 201)
        self.assertEqual(local.get("/v1/me").json()["name"], "operator")

    def test_a_token_that_is_shown_counts_as_everywhere(self):
        daemon = self.start()
        agent = self.local(daemon).post("/v1/tokens", {"name": "agent", "scopes": ["report:"]}).json()["token"]
        as_agent = self.local(daemon, token=agent)
        self.assertEqual(as_agent.get("/v1/tokens").status, 403)
        session = unique()
        asked = as_agent.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {}}).json()
        self.assertEqual(as_agent.post(f"/v1/approvals/{asked['id']}/decision", {"decision": "approve"}).status, 403)
        self.assertEqual(self.local(daemon, token="nonsense").get("/livez").status, 401)

    def test_it_is_where_it_is_said_to_be_and_only_for_its_owner(self):
        daemon = self.start()
        path = daemon.state_dir / "headway.sock"
        self.assertEqual(json.loads(daemon.ports_file.read_text())["socket"], str(path))
        mode = path.stat().st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(path.exists())

    def test_other_names_of_the_daemon_are_checked_as_everywhere(self):
        daemon = self.start({"server.allowed_hosts": "headway.example"})
        for host, status in (("localhost", 200), ("localhost:1", 200), (f"127.0.0.1:{daemon.port}", 200), ("headway.example", 200),
                             ("evil.example", 421), ("", 421)):
            reply = self.local(daemon).request("GET", "/livez", headers={"Host": host})
            self.assertEqual(reply.status, status, host)
        reply = self.local(daemon).request("GET", "/v1/sessions", headers={"Origin": "http://evil.example"})
        self.assertEqual(reply.status, 403)

    def test_agents_that_hold_all_connections_do_not_shut_the_operator_out(self):
        daemon = self.start({"server.connections_max": "16"})
        for _ in range(16):
            connection = socket.socket(socket.AF_UNIX)
            self.addCleanup(connection.close)
            connection.connect(str(daemon.state_dir / "report.sock"))
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200"))
        self.assertEqual(self.local(daemon).get("/v1/tokens").status, 200)
        with socket.socket(socket.AF_UNIX) as one_more:  # an idle one gives way
            one_more.connect(str(daemon.state_dir / "report.sock"))
            one_more.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(one_more.recv(4096).startswith(b"HTTP/1.1 200"))

    def test_waits_and_streams_of_the_operator_never_give_way(self):
        daemon = self.start({"server.connections_max": "16"})
        held = []
        for number in range(10):
            connection = socket.socket(socket.AF_UNIX)
            self.addCleanup(connection.close)
            connection.connect(str(daemon.state_dir / "headway.sock"))
            path = "/v1/stream" if number < 5 else "/v1/sessions/none/wait?missing=wait&wait=10m"
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            held.append(connection)
        local = self.local(daemon)
        for gauge in ("headway_streams 5\n", "headway_waiters 5\n"):
            eventually(lambda gauge=gauge: gauge in local.get("/metrics").body.decode(), what=gauge)
        for _ in range(16):
            connection = RawConnection(daemon.port)
            self.addCleanup(connection.close)
            connection.send(connection.format("POST", "/v1/sessions/a/events", b"{}")[:-1])
        local.get("/livez")  # what was sent before has been read by now
        for _ in range(3):
            with RawConnection(daemon.port) as one_more:
                self.assertTrue(one_more.closed_by_server())
        metrics = local.get("/metrics").body.decode()
        self.assertIn("headway_streams 5\n", metrics)
        self.assertIn("headway_waiters 5\n", metrics)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_other_users_are_turned_away(self):
        daemon = self.start()
        path = daemon.state_dir / "headway.sock"
        # Even where the file and the folders let them in.
        path.chmod(0o666)
        for folder in (daemon.state_dir, daemon.root):
            folder.chmod(0o755)
        program = ("import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
                   "try:\n    s.sendall(b'GET /v1/tokens HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'); print(s.recv(100))\n"
                   "except OSError: print(b'')")
        result = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=patient(20))
        self.assertEqual(result.stdout.strip(), "b''", result.stderr)
        self.assertEqual(self.local(daemon).get("/v1/tokens").status, 200)
        self.assertIn("headway_http_users_refused_total 1\n", self.client(daemon).get("/metrics").body.decode())

    def test_a_socket_left_behind_is_replaced(self):
        daemon = self.start()
        daemon.restart()
        self.assertEqual(self.local(daemon).get("/v1/tokens").status, 200)

    def test_none_is_made_where_none_is_wanted(self):
        daemon = self.start({"server.socket": ""})
        self.assertEqual(json.loads(daemon.ports_file.read_text())["socket"], "")
        self.assertFalse((daemon.state_dir / "headway.sock").exists())

    def test_a_path_of_ones_own(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        path = daemon.root / "own.sock"
        daemon.settings["server.socket"] = str(path)
        daemon.start()
        self.assertEqual(over_socket(path).get("/v1/tokens").status, 200)

    def test_a_path_that_is_too_long_is_said_and_does_not_stop_who_never_asked_for_it(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        daemon.state_dir = daemon.root / ("x" * 100)
        daemon.start()
        self.assertIn("the kernel takes 107", daemon.log())
        self.assertIn("server.socket", daemon.log())
        self.assertEqual(daemon.client().get("/livez").status, 200)

    def test_a_path_that_is_too_long_stops_who_asked_for_it(self):
        daemon = Daemon({"server.socket": "/tmp/" + "x" * 120})
        self.addCleanup(daemon.close)
        self.refused(daemon, "the kernel takes 107")

    def test_the_socket_of_another_daemon_is_not_taken(self):
        first = self.start()
        path = first.state_dir / "headway.sock"
        second = Daemon({"server.socket": str(path)})
        self.addCleanup(second.close)
        self.refused(second, "another daemon listens there")
        self.assertEqual(self.local(first).get("/v1/tokens").status, 200)

    def test_what_is_no_socket_is_not_replaced(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        mine = daemon.root / "notes.txt"
        mine.write_text("mine")
        daemon.settings["server.socket"] = str(mine)
        self.refused(daemon, "a file of another kind")
        self.assertEqual(mine.read_text(), "mine")

    def refused(self, daemon, why: str):
        process = daemon.spawn()
        try:
            self.assertEqual(process.wait(patient(20)), 2)
        finally:
            process.kill()
            process.stdout.close()
        self.assertIn(why, daemon.log())

    def test_requests_over_both_are_the_same(self):
        daemon = self.start()
        local, session = self.local(daemon), unique()
        self.client(daemon).open(session)
        for number in range(200):
            (local if number % 2 else self.client(daemon)).report(session, "message", text=str(number))
        self.assertEqual(local.journal(session), self.client(daemon).journal(session))
        self.assertEqual(local.session(session)["n"], 201)

    def test_it_drains_as_the_port_does(self):
        daemon = self.start()
        local = self.local(daemon)
        self.assertEqual(local.get("/livez").status, 200)
        self.assertEqual(daemon.stop(), 0)


class CommandLine(SocketCase):
    def cli(self, daemon, **environment) -> Cli:
        cli = Cli(daemon)
        del cli.environment["HEADWAY_URL"]
        cli.environment.update(environment)
        return cli

    def test_the_socket_goes_before_the_default_address(self):
        daemon = self.start({"access.mode": "token"})
        daemon.operator_file.rename(daemon.root / "moved")  # it is not what lets us in
        self.local(daemon).open("a", goal="over the socket")
        self.assertIn("over the socket", self.cli(daemon).run("show", "a").out)
        self.assertEqual(self.cli(daemon).run("token", "create", "x", "--scope", "read").code, 0)

    def test_a_url_goes_before_the_socket(self):
        daemon, other = self.start(), self.start()
        self.local(other).open("there", goal="another daemon")
        for arguments, environment in ((("--url", other.url), {}), ((), {"HEADWAY_URL": other.url})):
            output = self.cli(daemon, **environment).run("show", "there", *arguments)
            self.assertIn("another daemon", output.out)

    def test_unix_urls(self):
        daemon = self.start({"access.mode": "token"})
        self.local(daemon).open("a", goal="over the socket")
        nowhere = self.cli(daemon, STATE_DIRECTORY="/nonexistent")
        path = daemon.state_dir / "headway.sock"
        for url in (f"unix:{path}", f"unix://{path}"):
            self.assertIn("over the socket", nowhere.run("show", "a", "--url", url).out)
        missing = nowhere.run("show", "a", "--url", "unix:/nonexistent/headway.sock")
        self.assertEqual(missing.code, 69)
        self.assertIn("unix:/nonexistent/headway.sock", missing.err)
        relative = nowhere.run("show", "a", "--url", "unix:headway.sock")
        self.assertEqual(relative.code, 64)
        self.assertIn("unix:/PATH", relative.err)

    def test_a_socket_left_behind_is_passed_over(self):
        daemon = self.start()
        path = daemon.state_dir / "headway.sock"
        daemon.kill()
        self.assertTrue(path.exists())
        output = self.cli(daemon).run("sessions")
        self.assertEqual(output.code, 69)
        self.assertIn("http://127.0.0.1:7717", output.err)

    def test_the_dashboards_link_is_one_that_a_browser_can_open(self):
        daemon = self.start()
        output = self.cli(daemon).run("dashboard")
        self.assertTrue(output.out.startswith(f"{daemon.url}/login?code="), output.out)
        self.assertEqual(self.client(daemon).get(output.out.strip().removeprefix(daemon.url)).status, 303)

    def test_watching_and_waiting_work_over_it(self):
        daemon = self.start()
        self.local(daemon).open("a")
        cli = self.cli(daemon)
        waiting = cli.start("wait", "a", "--timeout", "2m")
        eventually(lambda: b"headway_waiters 1" in self.client(daemon).get("/metrics").body, what="the one that waits")
        self.local(daemon).end("a")
        self.assertEqual(waiting.wait(patient(20)), 0)
        waiting.communicate()

    def test_what_run_supervises_gets_a_url_that_every_client_knows(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        daemon.start()
        cli = self.cli(daemon)
        output = cli.run("run", "--url", daemon.url, "--quiet", "--", "sh", "-c", "echo $HEADWAY_URL")
        self.assertEqual(output.out.strip(), daemon.url)


if __name__ == "__main__":
    unittest.main()
