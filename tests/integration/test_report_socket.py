#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report socket: each client may report, and no header lets it do more."""
import array
import contextlib
import grp
import json
import os
import socket
import stat
import subprocess
import sys
import unittest

from support.case import OwnDaemonCase, unique
from support.daemon import BINARY, Daemon
from support.http import Client, SocketConnection
from support.limits import eventually, patient
from test_access_matrix import BODIES, QUERIES, VALUES


MAY = {"public", "any_token", "report", "read"}
MODES = ({"access.mode": "local", "access.local_control": "open"}, {"access.mode": "local", "access.local_control": "token"},
         {"access.mode": "token"})


class ReportSocketCase(OwnDaemonCase):
    def reporter(self, path, **options) -> Client:
        client = Client(0, **options)
        client._connection = SocketConnection(path)
        self.addCleanup(client.close)
        return client

    def refused(self, daemon, why: str):
        process = daemon.spawn()
        try:
            self.assertEqual(process.wait(patient(20)), 2)
        finally:
            process.kill()
            process.stdout.close()
        self.assertIn(why, daemon.log())


class Rights(ReportSocketCase):
    def test_an_agent_reports_and_reads_what_it_reported(self):
        for mode in MODES:
            with self.subTest(mode):
                daemon = self.start(mode)
                reporter, session = self.reporter(daemon.state_dir / "report.sock"), unique()
                self.assertEqual(reporter.put(f"/v1/sessions/{session}", {"goal": "x"}).status, 201)
                reporter.report(session, "message", text="hello")
                self.assertEqual(reporter.get(f"/v1/sessions/{session}").json()["id"], session)
                self.assertEqual(reporter.get(f"/v1/sessions/{session}/events").status, 200)
                asked = reporter.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"command": "x"}})
                self.assertEqual(asked.status, 201, asked.body)
                self.assertEqual(reporter.get(f"/v1/approvals/{asked.json()['id']}").status, 200)
                self.assertEqual(reporter.get(f"/v1/wait?any={session}&wait=0s").status, 200)
                self.assertEqual(reporter.post(f"/v1/sessions/{session}/end", {"outcome": "completed"}).status, 200)
                self.assertEqual(reporter.get("/livez").status, 200)
                can = reporter.get("/v1/me").json()["can"]
                self.assertEqual([can[may] for may in ("read", "control", "approve", "admin")], [False] * 4)

    def test_every_route_by_its_guard_also_with_the_operators_token(self):
        routes = json.loads(subprocess.run([str(BINARY), "routes", "--json"], capture_output=True, check=True).stdout)
        for mode in MODES:
            daemon = self.start(mode)
            operator = self.client(daemon, token=daemon.operator_token())
            operator.open("own-1")
            operator.post("/v1/sessions/own-1/approvals", {"tool": "bash", "args": {"command": "x"}})
            before = operator.journal("own-1")
            code = operator.post("/v1/login-codes").json()["url"].partition("code=")[2]
            login = self.client(daemon).post("/v1/login", {"code": code}).json()["secret"]
            operators = {"Authorization": f"Bearer {daemon.operator_token()}"}
            for headers in ({}, operators, {"Headway-Login": login}, {"Sec-Fetch-Site": "same-origin", **operators}):
                for route in routes:
                    with self.subTest(f"{mode} {list(headers)} {route['name']}"):
                        self.ask(daemon, route, headers)
            # A child that reports is news of the child.
            after = [event for event in operator.journal("own-1") if event["type"] != "child.progress"]
            self.assertEqual(after, before, "something came of it")

    def ask(self, daemon, route: dict, headers: dict):
        if route["streams"] and route["guard"] in MAY:
            return  # it would not end
        path = route["path"].replace("{asset}", "0/none.js")
        for name, value in VALUES.items():
            path = path.replace(name, value)
        if route["name"] in QUERIES:
            path += "?" + QUERIES[route["name"]]
        reporter = self.reporter(daemon.state_dir / "report.sock")
        body = BODIES.get(route["name"], b"") if route["takes_body"] else None
        reply = reporter.request(route["method"], path, body=body, headers={"Content-Type": "application/json", **headers})
        reporter.close()
        if route["guard"] in MAY:
            self.assertNotIn(reply.status, (401, 403, 421, 429, 500, 503), reply.body)
        else:
            self.assertEqual(reply.status, 403, reply.body)
            self.assertIn("the report socket only reports", reply.json()["detail"])

    def test_a_refusal_is_logged_with_the_user(self):
        daemon = self.start()
        self.assertEqual(self.reporter(daemon.state_dir / "report.sock").get("/v1/tokens").status, 403)
        self.assertIn(f"the report socket (uid {os.geteuid()}) asked for listTokens", daemon.log())

    def test_what_came_through_a_proxy_is_refused(self):
        daemon = self.start()
        reporter = self.reporter(daemon.state_dir / "report.sock")
        self.assertEqual(reporter.request("GET", "/livez", headers={"X-Forwarded-For": "192.0.2.1"}).status, 403)
        self.assertEqual(reporter.request("GET", "/livez", headers={"Host": "evil.example"}).status, 421)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_another_user_may_report_where_the_file_lets_it_in_and_no_more(self):
        daemon = self.start()
        path = daemon.state_dir / "report.sock"
        path.chmod(0o666)
        for folder in (daemon.state_dir, daemon.root):
            folder.chmod(0o755)
        program = ("import os, socket, sys; os.setuid(65534)\n"
                   "for line in ('PUT /v1/sessions/theirs', 'GET /v1/tokens', 'GET /v1/sessions'):\n"
                   "    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
                   "    s.sendall(f'{line} HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n"
                   "Content-Length: 0\\r\\n\\r\\n'.encode()); print(s.recv(4096).split()[1].decode())\n")
        result = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=patient(20))
        self.assertEqual(result.stdout.split()[1:], ["403", "403"], result.stderr)
        self.assertNotIn(result.stdout.split()[0], ("401", "403"))
        self.assertIn("(uid 65534)", daemon.log())


class Descriptors(ReportSocketCase):
    """Descriptors that clients send beside their bytes."""

    def send(self, connection, text: bytes, descriptors: list):
        connection.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])

    def test_a_flood_of_them_takes_none_of_the_daemons(self):
        daemon = self.start()
        before, pidfd = daemon.descriptors(), os.pidfd_open(os.getpid())
        self.addCleanup(os.close, pidfd)
        with open(os.devnull, "rb") as null, contextlib.ExitStack() as crowd:
            for number in range(100):
                connection = crowd.enter_context(socket.socket(socket.AF_UNIX))
                connection.connect(str(daemon.state_dir / "report.sock"))
                for piece in (b"GET /livez HTTP", b"/1.1\r\nHost: local"):  # never the whole request
                    self.send(connection, piece, [pidfd, null.fileno()] * 100 if number % 2 else [null.fileno()] * 200)
            self.assertEqual(self.client(daemon).get("/livez").status, 200)
            eventually(lambda: daemon.descriptors() <= before + 100 + 64 + 1, what="descriptors within their bounds")
        eventually(lambda: daemon.descriptors() <= before + 1, what="the end of the crowd's")

    def test_a_request_with_one_is_served_on_each_socket(self):
        daemon = self.start()
        pidfd = os.pidfd_open(os.getpid())
        self.addCleanup(os.close, pidfd)
        for name in ("report.sock", "headway.sock"):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(patient(20))
                connection.connect(str(daemon.state_dir / name))
                for _ in range(3):
                    self.send(connection, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", [pidfd])
                    self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200"))


class File(ReportSocketCase):
    def mode(self, path) -> int:
        self.assertTrue(stat.S_ISSOCK(path.stat().st_mode))
        return stat.S_IMODE(path.stat().st_mode)

    def test_it_is_its_owners_and_goes_with_the_daemon(self):
        daemon = self.start()
        path = daemon.state_dir / "report.sock"
        self.assertEqual(self.mode(path), 0o600)
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(path.exists())

    def test_a_group_may_connect_by_name_or_number(self):
        gid = os.getegid()
        for group in (grp.getgrgid(gid).gr_name, str(gid)):
            daemon = self.start({"server.report_group": group})
            path = daemon.state_dir / "report.sock"
            self.assertEqual(self.mode(path), 0o660)
            self.assertEqual(path.stat().st_gid, gid)
            self.assertEqual(stat.S_IMODE((daemon.state_dir / "headway.sock").stat().st_mode), 0o600)

    def test_a_group_that_does_not_exist_stops_the_start(self):
        daemon = Daemon({"server.report_group": "no-such-group"})
        self.addCleanup(daemon.close)
        self.refused(daemon, "there is no group")

    def test_one_left_behind_is_replaced(self):
        daemon = self.start()
        path = daemon.state_dir / "report.sock"
        daemon.kill()
        self.assertTrue(path.exists())
        daemon.start()
        self.assertEqual(self.reporter(path).get("/livez").status, 200)

    def test_none_is_made_where_none_is_wanted(self):
        daemon = self.start({"server.report_socket": ""})
        self.assertFalse((daemon.state_dir / "report.sock").exists())
        self.assertTrue((daemon.state_dir / "headway.sock").exists())

    def test_a_service_has_it_in_its_runtime_folder(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        daemon.environment["RUNTIME_DIRECTORY"] = str(daemon.root)
        daemon.start()
        self.assertEqual(self.mode(daemon.root / "report.sock"), 0o600)
        self.assertFalse((daemon.state_dir / "report.sock").exists())

    def test_it_cannot_be_the_operators(self):
        daemon = Daemon({"server.report_socket": "headway.sock"})
        self.addCleanup(daemon.close)
        self.refused(daemon, "must be another path")

    def test_what_is_no_socket_is_not_replaced(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        mine = daemon.root / "notes.txt"
        mine.write_text("mine")
        daemon.settings["server.report_socket"] = str(mine)
        self.refused(daemon, "a file of another kind")
        self.assertEqual(mine.read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
