#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens and scopes: access in both modes, over restarts, by HTTP and by the command line."""
import contextlib
import json
import os
import signal
import socket
import sqlite3
import stat
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli
from support.http import RawConnection
from support.limits import eventually

# (method, path, body, what a token needs, whether an anonymous caller has access: in mode local, in mode token)
REPORT, READ, OVERVIEW, CONTROL, ADMIN, ANY, NOTHING = "report", "read", "overview", "control", "admin", "any", "nothing"
ROUTES = [
    ("PUT", "/v1/sessions/{s}", {}, REPORT),
    ("POST", "/v1/sessions", {"id": "{s}"}, REPORT),
    ("POST", "/v1/sessions/{s}/events", {"type": "message", "data": {"text": "x"}}, REPORT),
    ("POST", "/v1/sessions/{s}/heartbeat", {}, REPORT),
    ("GET", "/v1/sessions/{s}", None, READ),
    ("GET", "/v1/sessions/{s}/events", None, READ),
    ("GET", "/v1/sessions/{s}/wait?until=event&wait=0s", None, READ),
    ("GET", "/v1/wait?any={s}&until=event&wait=0s", None, READ),
    ("GET", "/progress/{s}", None, READ),
    ("GET", "/api/autonomous/progress/{s}", None, READ),
    ("GET", "/api/chat/autonomous/status?sessionId={s}", None, READ),
    ("GET", "/v1/sessions", None, OVERVIEW),
    ("GET", "/v1/overview", None, OVERVIEW),
    ("GET", "/v1/system", None, OVERVIEW),
    ("GET", "/metrics", None, OVERVIEW),
    ("POST", "/v1/sessions/{s}/pause", {}, CONTROL),
    ("POST", "/v1/sessions/{s}/resume", {}, CONTROL),
    ("POST", "/v1/sessions/{s}/nudge", {"text": "x"}, CONTROL),
    ("POST", "/v1/sessions/{s}/cancel", {}, CONTROL),
    ("POST", "/v1/sessions/{s}.past/recorded", [{"type": "session.started"}], CONTROL),
    ("POST", "/v1/sessions/{s}/end", {"outcome": "completed"}, REPORT),
    ("GET", "/v1/tokens", None, ADMIN),
    ("DELETE", "/v1/tokens/none", None, ADMIN),
    ("GET", "/v1/version", None, ANY),
    ("GET", "/readyz", None, ANY),
    ("GET", "/", None, NOTHING),
    ("GET", "/v1/me", None, NOTHING),
    ("POST", "/v1/login-codes", None, ADMIN),
    ("GET", "/livez", None, NOTHING),
]
STREAMS = [("/v1/sessions/{s}/stream", READ), ("/progress/{s}/stream", READ), ("/v1/stream", OVERVIEW)]
OPENS = {
    "report:": {REPORT, READ, OVERVIEW, ANY, NOTHING},
    "report:{s}": {REPORT, READ, ANY, NOTHING},
    "read": {READ, OVERVIEW, ANY, NOTHING},
    "control": {CONTROL, ANY, NOTHING},
    "approve": {ANY, NOTHING},
    "admin": {ADMIN, ANY, NOTHING},
}


class AccessCase(OwnDaemonCase):
    def operator(self, daemon):
        return self.client(daemon, token=daemon.operator_token())

    def token(self, daemon, *scopes, **more) -> str:
        return self.create(daemon, *scopes, **more)["token"]

    def create(self, daemon, *scopes, name: str = "test", **more) -> dict:
        reply = self.operator(daemon).post("/v1/tokens", {"name": name, "scopes": list(scopes), **more})
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json()

    def assert_refused(self, reply, status: int, code: str):
        self.assertEqual((reply.status, reply.json()["code"]), (status, code), reply.body)
        self.assertEqual(reply.headers["content-type"], "application/problem+json")
        self.assertEqual(reply.headers.get("www-authenticate"), "Bearer" if status == 401 else None)

    def each_route(self, client, session: str):
        """(what it needs, reply) of every route, for a session that is open."""
        for method, path, body, need in ROUTES:
            path = path.replace("{s}", session)
            body = None if body is None else json.loads(json.dumps(body).replace("{s}", session))
            yield f"{method} {path}", need, client.request(method, path, body)


class Matrix(AccessCase):
    def test_a_long_body_without_a_token_is_refused_before_it_is_read(self):
        daemon = self.start({"access.mode": "token"})
        for path in ("/v1/hooks/claude", "/v1/sessions/a/events", "/v1/logs"):
            with socket.create_connection(("127.0.0.1", daemon.port), timeout=40) as peer:
                peer.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nContent-Type: application/json\r\n"
                             "Content-Length: 100000\r\n\r\n{".encode())
                self.assertTrue(peer.recv(4096).startswith(b"HTTP/1.1 401 "), path)

    def test_without_a_token_in_mode_local(self):
        daemon = self.start()
        for what, need, reply in self.each_route(self.client(daemon), unique()):
            with self.subTest(what):
                if need == ADMIN:
                    self.assert_refused(reply, 401, "unauthorized")
                else:
                    self.assertIn(reply.status, (200, 201), reply.body)

    def test_without_a_token_in_mode_token(self):
        daemon = self.start({"access.mode": "token"})
        for what, need, reply in self.each_route(self.client(daemon), unique()):
            with self.subTest(what):
                if need == NOTHING:
                    self.assertEqual(reply.status, 200)
                else:
                    self.assert_refused(reply, 401, "unauthorized")
        for path, _ in STREAMS:
            self.assert_refused(self.client(daemon).get(path.replace("{s}", "a")), 401, "unauthorized")

    def test_each_scope_opens_its_routes_in_both_modes(self):
        for mode in ("local", "token"):
            daemon = self.start({"access.mode": mode})
            for scope, opens in OPENS.items():
                self.run_scope(daemon, mode, scope, opens)

    def run_scope(self, daemon, mode: str, scope: str, opens: set):
        session = unique("m")
        self.operator(daemon).open(session)
        token = self.token(daemon, scope.replace("{s}", session))
        client = self.client(daemon, token=token)
        for what, need, reply in self.each_route(client, session):
            with self.subTest(f"{mode}: {scope}: {what}"):
                if need in opens:
                    # 404: the token that is revoked is none; 409: the session was ended by this loop
                    self.assertIn(reply.status, (200, 201, 404) if need == ADMIN else (200, 201), reply.body)
                else:
                    self.assert_refused(reply, 403, "forbidden")
        for path, need in STREAMS:
            with self.subTest(f"{mode}: {scope}: {path}"), RawConnection(daemon.port) as connection:
                connection.send(connection.format("GET", path.replace("{s}", session), b"",
                                                  f"Authorization: Bearer {token}\r\n"))
                status = int(connection.read_until(b"\r\n").split()[1])
                self.assertEqual(status, 200 if need in opens else 403)

    def test_the_operator_may_do_everything(self):
        daemon = self.start({"access.mode": "token"})
        for what, need, reply in self.each_route(self.operator(daemon), unique()):
            with self.subTest(what):
                self.assertIn(reply.status, (200, 201, 404) if need == ADMIN else (200, 201), reply.body)

    def test_control_is_closed_by_its_key(self):
        daemon = self.start({"access.local_control": "token"})
        client, session = self.client(daemon), unique()
        client.open(session)
        for verb, body in (("pause", {}), ("nudge", {"text": "x"}), ("cancel", {})):
            self.assert_refused(client.post(f"/v1/sessions/{session}/{verb}", body), 401, "unauthorized")
        allowed = self.client(daemon, token=self.token(daemon, "control"))
        self.assertEqual(allowed.post(f"/v1/sessions/{session}/cancel", {}).status, 200)


class Wrong(AccessCase):
    def test_an_invalid_token_is_401(self):
        daemon = self.start(test_clock=True)
        good = self.create(daemon, "read")
        revoked = self.create(daemon, "read")
        self.assertEqual(self.operator(daemon).delete(f"/v1/tokens/{revoked['id']}").status, 200)
        short = self.token(daemon, "read", expires_in="1m")
        probe = self.client(daemon, token=short)
        self.assertEqual(probe.get("/v1/version").status, 200)
        daemon.clock.advance(61)
        eventually(lambda: probe.get("/v1/version").status == 401, what="the token's end")
        last = "a" if good["token"][-1] != "a" else "b"
        wrong = {
            "revoked": "Bearer " + revoked["token"],
            "expired": "Bearer " + short,
            "garbled": "Bearer " + good["token"][:-1] + last,
            "cut": "Bearer " + good["token"][:-5],
            "foreign": "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x",
            "empty": "Bearer ",
            "no scheme": good["token"],
            "basic": "Basic dXNlcjpwYXNz",
        }
        client = self.client(daemon)
        # All other routes: test_access_matrix.py. More failures from one address would be rate-limited: test_backoff.py.
        for name, header in wrong.items():
            for method, path, body in (("POST", "/v1/sessions/a/events", {"type": "message"}), ("GET", "/livez", None)):
                with self.subTest(f"{name}: {method} {path}"):
                    reply = client.request(method, path, body, {"Authorization": header})
                    self.assert_refused(reply, 401, "unauthorized")
                    self.assertNotIn(header.split(" ")[-1] or "?", reply.body.decode())
        self.assertEqual(client.get("/v1/sessions/a").status, 404, "nothing of it was done")

    def test_two_tokens_at_once_are_refused(self):
        daemon = self.start()
        token = daemon.operator_token()
        with RawConnection(daemon.port) as connection:
            reply = connection.request("GET", "/v1/tokens", b"", f"Authorization: Bearer {token}\r\n" * 2)
        self.assert_refused(reply, 401, "unauthorized")

    def test_the_problem_names_the_scope_and_the_way_to_it(self):
        daemon = self.start()
        client = self.client(daemon, token=self.token(daemon, "read", name="viewer"))
        problem = client.post("/v1/sessions/a/cancel", {}).json()
        for part in ('"viewer"', "`control`", "headway token create"):
            self.assertIn(part, problem["detail"])
        self.assertEqual((problem["field"], problem["retryable"]), ("Authorization", False))
        problem = self.client(daemon).get("/v1/tokens").json()
        for part in ("`admin`", "Authorization: Bearer", "operator.token"):
            self.assertIn(part, problem["detail"])


class Prefixes(AccessCase):
    def test_a_prefix_is_kept_in_whatever_names_a_session(self):
        daemon = self.start()
        other = self.client(daemon)
        other.open("other")
        client = self.client(daemon, token=self.token(daemon, "report:ci-"))
        client.open("ci-1")
        refused = [
            ("PUT", "/v1/sessions/other2", {}),
            ("PUT", "/v1/sessions/ci", {}),
            ("POST", "/v1/sessions", {"id": "other2"}),
            ("PUT", "/v1/sessions/ci-2", {"parent": "other"}),
            ("POST", "/v1/sessions/other/events", {"type": "heartbeat"}),
            ("POST", "/v1/sessions/other/end", {"outcome": "completed"}),
            ("GET", "/v1/sessions/other", None),
            ("GET", "/v1/wait?any=ci-1,other&wait=0s", None),
            ("GET", "/api/chat/autonomous/status?sessionId=other", None),
            ("GET", "/v1/sessions", None),
        ]
        for method, path, body in refused:
            with self.subTest(f"{method} {path}"):
                self.assert_refused(client.request(method, path, body), 403, "forbidden")
        self.assertEqual(other.get("/v1/sessions/other2").status, 404)
        self.assertEqual(other.get("/v1/sessions/ci-2").status, 404)
        self.assertIsNone(other.session("other")["ended_at"])
        client.open("ci-2", parent="ci-1")

    def test_an_id_that_the_daemon_makes_fits_the_token(self):
        daemon = self.start()
        client = self.client(daemon, token=self.token(daemon, "report:ci-"))
        session = client.post("/v1/sessions", {"goal": "g"}).json()["id"]
        self.assertTrue(session.startswith("ci-"), session)
        client.beat(session)

    def test_an_idempotency_key_of_another_token_shows_nothing(self):
        daemon = self.start()
        key = {"Idempotency-Key": "the-same"}
        first = self.client(daemon, token=self.token(daemon, "report:a-"))
        second = self.client(daemon, token=self.token(daemon, "report:b-"))
        opened = [c.post("/v1/sessions", {"goal": "g"}, key) for c in (first, second, first)]
        self.assertEqual([r.status for r in opened], [201, 201, 200])
        self.assertEqual(opened[0].json()["id"], opened[2].json()["id"])
        self.assertTrue(opened[1].json()["id"].startswith("b-"))
        asked = [c.post(f"/v1/sessions/{s}/approvals", {"tool": "bash", "args": {}}, key)
                 for c, s in ((first, "a-1"), (second, "b-1"))]
        self.assertEqual([r.status for r in asked], [201, 201])

    def test_an_idempotency_key_cannot_be_written_for_another_token(self):
        daemon = self.start()
        made = daemon.client(token=daemon.operator_token()).post("/v1/tokens", {"name": "b", "scopes": ["report:b-"]}).json()
        everyone = self.client(daemon, token=self.token(daemon, "report"))
        for forged in (f"{made['id']}/k", f"token/{made['id']}/k"):
            self.assertEqual(everyone.post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": forged}).status, 201)
        for forged in (f"\x1ftoken/{made['id']}/k", "\x1fping/j"):
            self.assertEqual(everyone.post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": forged}).status, 400)
        opened = self.client(daemon, token=made["token"]).post("/v1/sessions", {"goal": "g"}, {"Idempotency-Key": "k"})
        self.assertEqual(opened.status, 201)
        self.assertTrue(opened.json()["id"].startswith("b-"), opened.json())

    def test_commands_are_signed_with_the_name_of_the_token(self):
        daemon = self.start()
        session = unique()
        client = self.client(daemon, token=self.token(daemon, "control", "read", name="ana's laptop"))
        self.client(daemon).open(session)
        client.post(f"/v1/sessions/{session}/pause", {"reason": "wait"})
        client.post(f"/v1/sessions/{session}/nudge", {"text": "x", "by": "ana"})
        client.post(f"/v1/sessions/{session}/budget", {"set": {"max_steps": 10}, "by": "ana"})
        self.assertEqual([e["data"]["by"] for e in client.journal(session) if e["type"] == "budget.set"],
                         ["ana (token ana's laptop)"])
        signed = [e["data"]["by"] for e in client.journal(session) if e["data"].get("by")]
        self.assertEqual(set(signed), {"ana's laptop", "ana (token ana's laptop)"})


class Tokens(AccessCase):
    def test_a_token_is_shown_once_and_listed_without_its_secret(self):
        daemon = self.start()
        made = self.create(daemon, "report:ci-", "read", name="ci", expires_in="30d")
        self.assertRegex(made["token"], rf"^hw_{made['id']}_[0-9A-Za-z]{{49}}$")
        listed = self.operator(daemon).get("/v1/tokens")
        (token,) = listed.json()["tokens"]
        self.assertEqual(token, {k: v for k, v in made.items() if k != "token"})
        self.assertEqual((token["name"], token["scopes"], token["active"]), ("ci", ["report:ci-", "read"], True))
        self.assertNotIn(made["token"][20:40], listed.body.decode())

    def test_revoking_counts_at_once_and_again_changes_nothing(self):
        daemon = self.start()
        made = self.create(daemon, "read")
        client = self.client(daemon, token=made["token"])
        self.assertEqual(client.get("/v1/sessions").status, 200)
        first = self.operator(daemon).delete(f"/v1/tokens/{made['id']}")
        self.assertEqual(client.get("/v1/sessions").status, 401)
        again = self.operator(daemon).delete(f"/v1/tokens/{made['id']}")
        self.assertEqual((first.status, again.status), (200, 200))
        self.assertEqual(first.json()["revoked_at"], again.json()["revoked_at"])
        self.assertFalse(again.json()["active"])
        self.assert_refused(self.operator(daemon).delete("/v1/tokens/none"), 404, "unknown_token")
        self.assert_refused(self.operator(daemon).delete("/v1/tokens/operator"), 400, "invalid_id")

    def test_an_admin_manages_tokens_without_being_the_operator(self):
        daemon = self.start()
        admin = self.client(daemon, token=self.token(daemon, "admin"))
        made = admin.post("/v1/tokens", {"name": "x", "scopes": ["read"]})
        self.assertEqual(made.status, 201)
        self.assertEqual(admin.delete(f"/v1/tokens/{made.json()['id']}").status, 200)
        self.assertEqual(len(admin.get("/v1/tokens").json()["tokens"]), 2)

    def test_bad_bodies_name_the_field(self):
        daemon = self.start()
        operator = self.operator(daemon)
        for body, code, field in (({}, "missing_field", "/name"), ({"name": "x"}, "missing_field", "/scopes"),
                                  ({"name": "x", "scopes": ["all"]}, "invalid_field", "/scopes/0"),
                                  ({"name": "x", "scopes": ["report:", "approve"]}, "invalid_field", "/scopes"),
                                  ({"name": "x", "scopes": ["read"], "expires_in": "soon"}, "invalid_field", "/expires_in"),
                                  ({"name": "operator", "scopes": ["read"]}, "invalid_field", "/name")):
            reply = operator.post("/v1/tokens", body)
            self.assert_refused(reply, 400, code)
            self.assertEqual(reply.json()["field"], field)
        self.assertEqual(operator.get("/v1/tokens").json()["tokens"], [])

    def test_tokens_survive_kill_and_restart(self):
        daemon = self.start({"access.mode": "token"})
        kept = self.create(daemon, "read", name="kept")
        gone = self.create(daemon, "read", name="gone")
        self.operator(daemon).delete(f"/v1/tokens/{gone['id']}")
        operator = daemon.operator_token()
        before = self.operator(daemon).get("/v1/tokens").json()
        daemon.restart()
        self.assertEqual(daemon.operator_token(), operator)
        self.assertEqual(self.operator(daemon).get("/v1/tokens").json(), before)
        self.assertEqual(self.client(daemon, token=kept["token"]).get("/v1/sessions").status, 200)
        self.assertEqual(self.client(daemon, token=gone["token"]).get("/v1/sessions").status, 401)

    def test_the_last_use_is_remembered_over_a_restart(self):
        daemon = self.start()
        made = self.create(daemon, "read")
        used = lambda: self.operator(daemon).get("/v1/tokens").json()["tokens"][0]["last_used_at"]  # noqa: E731
        self.assertIsNone(used())
        self.client(daemon, token=made["token"]).get("/v1/version")
        at = used()
        self.assertIsNotNone(at)
        self.assertEqual(daemon.stop(), 0)
        daemon.start()
        self.assertEqual(used(), at)


class Operator(AccessCase):
    def test_the_file_is_for_its_owner_and_the_token_nowhere_else(self):
        daemon = self.start()
        token = daemon.operator_token()
        made = self.create(daemon, "read")["token"]
        self.assertEqual(stat.S_IMODE(daemon.operator_file.stat().st_mode), 0o600)
        self.client(daemon).beat("a")
        self.client(daemon).request("GET", "/v1/tokens", headers={"Authorization": f"Bearer {token[:-1]}"})
        self.assertEqual(daemon.stop(), 0)
        for secret in (token[12:50], made[16:50]):
            self.assertNotIn(secret, daemon.log())
            for file in daemon.state_dir.iterdir():
                if file != daemon.operator_file:
                    self.assertNotIn(secret.encode(), file.read_bytes(), file)

    def test_a_deleted_file_is_created_again_at_the_next_start(self):
        daemon = self.start()
        old = daemon.operator_token()
        daemon.operator_file.unlink()
        daemon.restart()
        self.assertNotEqual(daemon.operator_token(), old)
        self.assertEqual(self.client(daemon, token=old).get("/v1/version").status, 401)
        self.assertEqual(self.operator(daemon).get("/v1/tokens").status, 200)

    def test_a_file_that_holds_no_token_stops_the_start_and_is_named(self):
        daemon = self.start()
        self.assertEqual(daemon.stop(), 0)
        daemon.operator_file.write_text("password\n", encoding="ascii")
        process = daemon.spawn()
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.wait(timeout=30), 2)
        self.assertIn("operator.token does not hold", daemon.log())
        self.assertEqual(daemon.operator_file.read_text(encoding="ascii"), "password\n")

    def test_a_file_that_others_can_read_is_closed_with_a_warning(self):
        daemon = self.start()
        self.assertEqual(daemon.stop(), 0)
        os.chmod(daemon.operator_file, 0o644)
        daemon.start()
        self.assertEqual(stat.S_IMODE(daemon.operator_file.stat().st_mode), 0o600)
        self.assertIn("others could read", daemon.log())

    def test_a_token_whose_scopes_cannot_be_read_has_none_and_the_daemon_starts(self):
        daemon = self.start({"access.mode": "token"})
        operator = self.operator(daemon)
        made = [operator.post("/v1/tokens", {"name": name, "scopes": ["read"]}).json() for name in ("bad", "good")]
        self.assertEqual(daemon.stop(), 0)
        with contextlib.closing(sqlite3.connect(daemon.state_dir / "headway.db")) as database:
            database.execute("UPDATE token SET scopes='teleport' WHERE id=?", (made[0]["id"],))
            database.commit()
        daemon.start()
        found = [self.client(daemon, token=token["token"]).get("/v1/sessions").status for token in made]
        self.assertEqual(found, [401, 200])
        self.assertIn(f"the scopes of the token {made[0]['id']} cannot be read", daemon.log())

    def test_rotation_ends_the_old_token_at_once(self):
        daemon = self.start()
        old = self.operator(daemon)
        reply = old.post("/v1/tokens/operator/rotate")
        self.assertEqual(reply.status, 201)
        self.assertEqual(reply.json()["token"], daemon.operator_token())
        self.assertEqual(old.get("/v1/tokens").status, 401)
        self.assertEqual(self.operator(daemon).get("/v1/tokens").status, 200)
        self.assertEqual(stat.S_IMODE(daemon.operator_file.stat().st_mode), 0o600)

    def test_the_mode_is_reloaded(self):
        daemon = self.start(config='[access]\nmode = "local"\n')
        self.assertEqual(self.client(daemon).get("/v1/sessions").status, 200)
        daemon.config_file.write_text('[access]\nmode = "token"\n', encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.client(daemon).get("/v1/sessions").status == 401, what="the reload")

    def test_a_reload_does_not_open_to_everybody_what_a_proxy_passes_on_until_the_restart(self):
        daemon = self.start(config='[access]\nmode = "token"\n[server]\nbehind_proxy = "on"\n')
        daemon.config_file.write_text('[access]\nmode = "local"\n', encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: "the configuration was not reloaded: the listener stays" in daemon.log(), what="the refusal")
        self.assertEqual(self.client(daemon).get("/v1/sessions").status, 401)


class CommandLine(AccessCase):
    def test_the_operators_token_is_found_by_itself(self):
        daemon = self.start({"access.mode": "token"})
        cli = Cli(daemon)
        self.assertEqual(cli.run("report", "a", "heartbeat").code, 0)
        self.assertEqual(cli.run("sessions", "--json").json()[0]["id"], "a")
        self.assertEqual(cli.run("run", "--quiet", "--session", "r", "--", "true").code, 0)
        self.assertEqual(cli.run("wait", "r", "--timeout", "2m").code, 0)
        self.assertEqual(cli.run("events", "a", "--json").lines()[0]["type"], "session.started")

    def test_without_any_token_the_error_names_the_way_to_one(self):
        daemon = self.start({"access.mode": "token"})
        cli = Cli(daemon)
        cli.environment["STATE_DIRECTORY"] = "/nonexistent"
        output = cli.run("sessions")
        self.assertEqual(output.code, 1)
        self.assertIn("--token-file", output.err)
        token = self.token(daemon, "read")
        cli.environment["HEADWAY_TOKEN"] = token
        self.assertEqual(cli.run("sessions").code, 0)
        cli.environment["HEADWAY_TOKEN"] = token[:-1]
        self.assertEqual(cli.run("sessions").code, 1)
        self.assertEqual(cli.run("sessions", "--token-file", str(daemon.operator_file)).code, 0)
        self.assertEqual(cli.run("sessions", "--token-file", "/nonexistent").code, 64)

    def test_the_token_of_another_daemon_does_not_lock_a_person_out(self):
        daemon, other = self.start(), self.start()
        cli = Cli(daemon)
        cli.environment["STATE_DIRECTORY"] = str(other.state_dir)
        self.assertEqual(cli.run("report", "a", "heartbeat").code, 0)
        self.assertEqual(cli.run("token", "list").code, 1)
        cli.environment["HEADWAY_TOKEN_FILE"] = str(other.operator_file)
        self.assertEqual(cli.run("sessions").code, 1, "one that was named is never left out")

    def test_create_list_revoke(self):
        daemon = self.start()
        cli = Cli(daemon)
        made = cli.run("token", "create", "ci", "--scope", "report:ci-,read", "--expires", "12h")
        self.assertEqual(made.code, 0, made.err)
        token = made.out.strip()
        self.assertEqual(self.client(daemon, token=token).get("/v1/sessions/ci-1").status, 404)
        self.assertNotIn(token, made.err)
        (listed,) = cli.run("token", "list", "--json").json()
        self.assertEqual((listed["name"], listed["scopes"]), ("ci", ["report:ci-", "read"]))
        self.assertIsNotNone(listed["expires_at"])
        self.assertIn("active", cli.run("token", "list").out)
        revoked = cli.run("token", "revoke", listed["id"])
        self.assertEqual(revoked.code, 0)
        self.assertIn(listed["id"], revoked.out)
        self.assertIn("revoked", cli.run("token", "list").out)
        self.assertEqual(self.client(daemon, token=token).get("/livez").status, 401)
        self.assertEqual(cli.run("token", "revoke", "none").code, 1)
        as_json = cli.run("token", "create", "x", "--scope", "read", "--json").json()
        self.assertTrue(as_json["token"].startswith("hw_" + as_json["id"]))
        wrong = cli.run("token", "create", "x", "--scope", "everything")
        self.assertEqual(wrong.code, 1)
        self.assertIn("report:<prefix", wrong.err)

    def test_rotate_operator(self):
        daemon = self.start()
        cli, old = Cli(daemon), daemon.operator_token()
        rotated = cli.run("token", "rotate-operator")
        self.assertEqual(rotated.code, 0, rotated.err)
        self.assertIn(str(daemon.operator_file), rotated.out)
        self.assertNotIn(daemon.operator_token(), rotated.out)
        self.assertNotEqual(daemon.operator_token(), old)
        self.assertEqual(cli.run("token", "list").code, 0)


class Locked(SharedDaemonCase):
    settings = {"access.mode": "token"}

    def test_refusals_keep_the_connection_and_its_order(self):
        with RawConnection(self.daemon.port) as connection:
            token = self.daemon.operator_token()
            good = connection.format("GET", "/v1/version", b"", f"Authorization: Bearer {token}\r\n")
            bad = connection.format("POST", "/v1/sessions/a/heartbeat", b"{}")
            connection.send(bad + good + bad + good)
            self.assertEqual([connection.reply().status for _ in range(4)], [401, 200, 401, 200])

    def test_head_is_refused_like_get(self):
        with RawConnection(self.daemon.port) as connection:
            self.assertEqual(connection.request("HEAD", "/v1/sessions").status, 401)
            self.assertEqual(connection.request("HEAD", "/livez").status, 200)


if __name__ == "__main__":
    unittest.main()
