#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data of the dashboard: its files, the overview, rows of sessions, logins, the system."""
import gzip
import os
import re
import shutil
import tempfile
import unittest
from datetime import datetime, timezone
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli
from support.sse import EventStream

SECURITY = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin"}


class Pages(SharedDaemonCase):
    settings = {"access.mode": "token"}

    def test_the_page_needs_no_token(self):
        reply = self.client.get("/")
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(reply.headers["cache-control"], "no-cache")
        self.assertIn("default-src 'none'", reply.headers["content-security-policy"])
        self.assertNotIn(b"@ASSETS@", reply.body)
        self.assertLessEqual(SECURITY.items(), reply.headers.items())

    def test_a_page_that_was_read_before_is_not_sent_again(self):
        tag = self.client.get("/").headers["etag"]
        reply = self.client.get("/", If_None_Match=tag)
        self.assertEqual((reply.status, reply.body), (304, b""))
        self.assertEqual(reply.headers["etag"], tag)
        self.assertNotIn("content-length", reply.headers)

    def test_assets_are_kept_by_the_hash_of_the_build(self):
        tag = re.search(r'"(\w+)"', self.client.get("/").headers["etag"]).group(1)
        reply = self.client.get(f"/assets/{tag}/index.html")
        self.assertEqual((reply.status, reply.headers["cache-control"]), (200, "public, max-age=31536000, immutable"))
        other = self.client.get("/assets/0/index.html")
        self.assertEqual((other.status, other.headers["cache-control"], other.body), (200, "no-cache", reply.body))
        packed = self.client.get(f"/assets/{tag}/index.html", Accept_Encoding="gzip")
        self.assertEqual((packed.headers["content-encoding"], gzip.decompress(packed.body)), ("gzip", reply.body))

    def test_what_is_no_asset_is_not_found(self):
        for path in ("/assets/0/none.js", "/assets/0/embed.py", "/assets/x", "/assets/0/../index.html"):
            reply = self.client.get(path)
            self.assertEqual((reply.status, reply.json()["code"]), (404, "unknown_route"), path)

    def test_every_reply_says_that_it_is_what_it_is_and_ours(self):
        for path in ("/livez", "/v1/sessions", "/nowhere", "/assets/0/none.js"):
            self.assertLessEqual(SECURITY.items(), self.client.get(path).headers.items(), path)


class Overview(OwnDaemonCase):
    def test_it_counts_what_is_open_and_lists_what_waits(self):
        daemon = self.start()
        client = self.client(daemon)
        self.assertEqual(client.get("/v1/overview").json(),
                         {"cursor": 0, "open": 0, "counts": {}, "alarm": None, "alarms": 0, "hook_channels": {"ok": 0, "degraded": 0, "mute": 0}, "needs_you": [], "needs_you_total": 0, "approvals_pending": 0})
        client.open("asks", goal="ship it")
        client.post("/v1/sessions/asks/approvals", {"tool": "deploy", "args": {"to": "prod"}, "risk": "high"})
        for i in range(6):
            client.report("loops", "tool.finished", call_id=f"c{i}", tool="bash", args={"command": "make"}, ok=False,
                          error={"class": "test", "message": "1 failed"})
        client.open("ended")
        client.end("ended")
        shown = client.get("/v1/overview").json()
        self.assertEqual((shown["open"], shown["counts"]), (2, {"blocked": 1, "stuck": 1}))
        asks, loops = shown["needs_you"]
        approval = client.get("/v1/approvals").json()["approvals"][0]
        self.assertEqual((asks["kind"], asks["session"], asks["goal"], asks["approval"], asks["risk"], asks["certain"]),
                         ("approval", "asks", "ship it", approval["id"], "high", True))
        self.assertEqual((loops["kind"], loops["session"], loops["certain"]), ("stuck", "loops", False))
        self.assertEqual(loops["reason"], client.session("loops")["verdict"]["reason"])

    def test_following_the_stream_from_its_cursor_misses_nothing(self):
        client = self.client(daemon := self.start())
        client.open("a")
        cursor = client.get("/v1/overview").json()["cursor"]
        client.report("a", "message", text="later")
        with EventStream(daemon.port, f"/v1/stream?last_event_id={cursor}") as stream:
            event = stream.until(lambda e: e.is_journal)[-1]
        self.assertEqual((event.data["session"], event.data["type"]), ("a", "message"))

    def test_it_survives_kill_9(self):
        daemon = self.start()
        client = self.client(daemon)
        client.report("a", "tool.finished", call_id="c", tool="edit", mutated=[{"path": "x", "digest": "1"}])
        client.post("/v1/sessions/b/approvals", {"tool": "deploy"})
        before = client.get("/v1/overview").json()
        self.assertEqual(before["counts"], {"progressing": 1, "blocked": 1})
        daemon.restart()
        self.assertEqual(self.client(daemon).get("/v1/overview").json(), before)


class Rows(SharedDaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = cls.daemon.client()
        client.open("root", goal="Build the shop", agent={"type": "plan", "name": "Ada"})
        for i in range(5):
            client.open(f"child-{i}", parent="root", labels={"team": "red" if i % 2 else "blue"})
        client.report("child-0", "tool.started", call_id="c1", tool="bash", args={"command": "make test"})
        client.end("child-4")
        client.close()

    def rows(self, query: str) -> dict:
        reply = self.client.get("/v1/sessions?view=row&" + query)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def ids(self, query: str) -> list:
        page = self.rows(query)
        self.assertEqual(page["total"], len(page["sessions"]))
        return [row["id"] for row in page["sessions"]]

    def test_a_row_has_what_a_line_needs(self):
        row = self.rows("ids=child-0")["sessions"][0]
        self.assertEqual(row["last_action"]["text"], "bash: make test")
        self.assertEqual((row["parent"], row["labels"], row["alive"]), ("root", {"team": "blue"}, True))
        document = self.client.session("child-0")
        self.assertEqual((row["status"], row["n"]), (document["verdict"]["status"], document["n"]))

    def test_filters(self):
        self.assertEqual(self.ids("parent=root&open=true"), ["child-3", "child-2", "child-1", "child-0"])
        self.assertEqual(self.ids("label=team:red"), ["child-3", "child-1"])
        self.assertEqual(self.ids("q=SHOP"), ["root"])
        self.assertEqual(self.ids("q=ada&agent=plan&verdict=starting"), ["root"])
        self.assertEqual(self.ids("ids=child-4,absent,child-4"), ["child-4"])
        self.assertEqual(self.ids("open=false"), ["child-4"])
        self.assertEqual(self.ids("q=nothing+like+it"), [])

    def test_pages_follow_each_other_and_say_how_many_there_are(self):
        found, cursor = [], ""
        while cursor is not None:
            page = self.rows("limit=2&parent=root" + (f"&cursor={cursor}" if cursor else ""))
            self.assertEqual(page["total"], 5)
            found += [row["id"] for row in page["sessions"]]
            cursor = page["next"]
        self.assertEqual(found, [f"child-{i}" for i in (4, 3, 2, 1, 0)])

    def test_bad_filters_say_what_is_wrong(self):
        for query, field, code in (("view=table", "view", "invalid_parameter"), ("q=" + "x" * 257, "q", "invalid_parameter"),
                                   ("parent=a/b", "parent", "invalid_parameter"), ("ids=a,,b", "ids", "invalid_id"),
                                   ("ids=" + ",".join(f"s{i}" for i in range(201)), "ids", "invalid_parameter"),
                                   ("label=x", "label", "invalid_parameter"), ("open=1", "open", "invalid_parameter")):
            reply = self.client.get("/v1/sessions?" + query)
            self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (400, code, field), query)
        self.assertEqual(self.client.get("/v1/overview?x=1").status, 400)
        for minutes in ("0", "61", "x"):
            self.assertEqual(self.client.get("/v1/overview?minutes=" + minutes).json()["field"], "minutes")


class Logins(OwnDaemonCase):
    def link(self, daemon) -> str:
        reply = self.client(daemon, token=daemon.operator_token()).post("/v1/login-codes")
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json()["url"].removeprefix(daemon.url)

    def log_in(self, daemon) -> dict:
        """The headers of a page that has logged in."""
        code = self.link(daemon).partition("code=")[2]
        reply = self.client(daemon).request("POST", "/v1/login", {"code": code}, {"Origin": daemon.url})
        self.assertEqual(reply.status, 200, reply.body)
        self.assertNotIn("set-cookie", reply.headers)
        return {"Headway-Login": reply.json()["secret"], "Origin": daemon.url}

    def logged_in(self, daemon, page: dict) -> bool:
        return self.client(daemon).request("GET", "/v1/me", headers=page).json()["logged_in"]

    def test_a_link_logs_in_once(self):
        daemon = self.start()
        client, link = self.client(daemon), self.link(daemon)
        code = link.partition("code=")[2]
        for method in ("GET", "HEAD", "GET"):  # reading the link does not use it up
            reply = client.request(method, link)
            self.assertEqual((reply.status, reply.headers["location"]), (303, f"/#/login?code={code}"))
        for bad in ("/login", "/login?code=", "/login?code=%0d%0aX:%20y", "/login?code=" + "x" * 300):
            self.assertEqual(client.get(bad).headers["location"], "/#/login?failed=1", bad)
        page = {"Origin": daemon.url, "Sec-Fetch-Site": "same-origin"}
        reply = client.request("POST", "/v1/login", {"code": code}, page)
        self.assertEqual((reply.status, set(reply.json())), (200, {"secret", "expires_at"}))
        for again in (code, "x", ""):
            refused = client.request("POST", "/v1/login", {"code": again}, page)
            self.assertEqual((refused.status, refused.json()["code"], refused.json()["field"]), (403, "forbidden", "/code"))
        self.assertEqual(client.post("/v1/login", {}).json()["code"], "missing_field")
        elsewhere = client.request("POST", "/v1/login", {"code": code}, {"Origin": "http://127.0.0.1:1"})
        self.assertEqual(elsewhere.json()["code"], "forbidden_origin")

    def test_nothing_of_a_login_travels_by_itself(self):
        """No cookie is set, and none that a browser would send to every port is valid."""
        daemon = self.start({"access.mode": "token"})
        page = self.log_in(daemon)
        self.assertTrue(self.logged_in(daemon, page))
        secret = page["Headway-Login"]
        for cookie in (secret, f"login={secret}", f"headway_login_{daemon.port}={secret}", f"Headway-Login={secret}"):
            reply = self.client(daemon).request("GET", "/v1/me", headers={"Cookie": cookie, "Origin": daemon.url})
            self.assertEqual((reply.json()["logged_in"], "set-cookie" in reply.headers), (False, False))

    def test_the_page_has_one_origin(self):
        """localhost may lead to another address, where another process can have the same port."""
        daemon = self.start()
        code = self.link(daemon).partition("code=")[2]
        for host in (f"localhost:{daemon.port}", f"LOCALHOST:{daemon.port}"):
            reply = self.client(daemon).request("GET", "/", headers={"Host": host})
            self.assertEqual((reply.status, reply.headers["location"]), (307, f"{daemon.url}/"))
            reply = self.client(daemon).request("GET", f"/login?code={code}", headers={"Host": host})
            self.assertEqual((reply.status, reply.headers["location"]), (303, f"{daemon.url}/#/login?code={code}"))
            self.assertEqual(self.client(daemon).request("GET", "/v1/me", headers={"Host": host}).status, 200)
        self.assertEqual(self.client(daemon).get("/").status, 200)

    def test_links_need_all_rights(self):
        daemon = self.start()
        self.assertEqual(self.client(daemon).post("/v1/login-codes").status, 401)

    def test_a_page_that_has_logged_in_may_decide_and_its_name_is_kept(self):
        daemon = self.start({"access.mode": "token"})
        page, client = self.log_in(daemon), self.client(daemon)
        operator = self.client(daemon, token=daemon.operator_token())
        operator.post("/v1/sessions/a/approvals", {"tool": "deploy"})
        approval = client.request("GET", "/v1/approvals", headers=page).json()["approvals"][0]["id"]
        reply = client.request("POST", f"/v1/approvals/{approval}/decision", {"decision": "approve"}, headers=page)
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(operator.get(f"/v1/approvals/{approval}").json()["decision"]["by"], "dashboard")

    def test_a_page_without_a_login_may_only_read(self):
        daemon = self.start()
        client = self.client(daemon)
        for page in ({"Origin": daemon.url}, {"Sec-Fetch-Site": "same-origin"},
                     {"Origin": daemon.url, "Headway-Login": "guessed"}):
            self.assertEqual(client.request("GET", "/v1/sessions", headers=page).status, 200)
            reply = client.request("PUT", "/v1/sessions/a", headers=page)
            self.assertEqual((reply.status, reply.json()["code"]), (401, "unauthorized"))
        self.assertEqual(client.put("/v1/sessions/a").status, 201)

    def test_logins_end_with_the_daemon_and_with_the_operators_token(self):
        """The next process on the port cannot use a secret that it gets."""
        daemon = self.start()
        page = self.log_in(daemon)
        self.assertTrue(self.logged_in(daemon, page))
        daemon.restart()
        self.assertFalse(self.logged_in(daemon, page))
        page = self.log_in(daemon)
        self.client(daemon, token=daemon.operator_token()).post("/v1/tokens/operator/rotate")
        self.assertFalse(self.logged_in(daemon, page))

    def test_a_login_expires(self):
        daemon = self.start({"access.login_for": "1m"})
        code = self.link(daemon).partition("code=")[2]
        reply = self.client(daemon).post("/v1/login", {"code": code}).json()
        left = datetime.fromisoformat(reply["expires_at"].replace("Z", "+00:00")) - datetime.now(timezone.utc)
        self.assertTrue(0 < left.total_seconds() <= 60, left)

    def test_a_logout_ends_a_login_at_once(self):
        daemon = self.start()
        page, other = self.log_in(daemon), self.log_in(daemon)
        reply = self.client(daemon).request("POST", "/v1/logout", headers=page)
        self.assertEqual((reply.status, reply.body), (204, b""))
        self.assertFalse(self.logged_in(daemon, page))
        self.assertTrue(self.logged_in(daemon, other))

    def test_a_stream_ends_with_the_login_that_opened_it_and_no_other(self):
        daemon = self.start({"access.mode": "token"})
        one, other = self.log_in(daemon), self.log_in(daemon)
        with EventStream(daemon.port, "/v1/stream", more=one) as mine, EventStream(daemon.port, "/v1/stream", more=other) as theirs:
            self.assertEqual((mine.next().name, theirs.next().name), ("hello", "hello"))
            self.client(daemon).request("POST", "/v1/logout", headers=one)
            self.assertEqual([event.name for event in mine.rest()], ["goodbye"])
            operator = self.client(daemon, token=daemon.operator_token())
            operator.put("/v1/sessions/a")
            self.assertEqual(theirs.next().name, "session.started")
            operator.post("/v1/tokens/operator/rotate")
            self.assertIn("goodbye", [event.name for event in theirs.rest()])

    def test_me_has_the_callers_name_and_scopes(self):
        daemon = self.start()
        client = self.client(daemon)
        anonymous = client.get("/v1/me").json()
        self.assertEqual(anonymous, {"logged_in": False, "name": None, "mode": "local", "scopes": [],
                                     "can": {"read": True, "control": True, "approve": False, "admin": False}})
        page = client.request("GET", "/v1/me", headers={"Sec-Fetch-Site": "same-origin"}).json()
        self.assertEqual(page["can"], {"read": True, "control": False, "approve": False, "admin": False})
        login = client.request("GET", "/v1/me", headers=self.log_in(daemon)).json()
        self.assertEqual((login["logged_in"], login["name"]), (True, "dashboard"))
        self.assertEqual(login["can"], {"read": True, "control": True, "approve": True, "admin": True})
        made = self.client(daemon, token=daemon.operator_token()).post("/v1/tokens", {"name": "ci", "scopes": ["read"]}).json()
        reader = self.client(daemon, token=made["token"]).get("/v1/me").json()
        self.assertEqual((reader["name"], reader["scopes"]), ("ci", ["read"]))
        self.assertEqual(reader["can"], {"read": True, "control": False, "approve": False, "admin": False})

    def test_the_verb_prints_a_link_that_works(self):
        daemon = self.start()
        done = Cli(daemon).run("dashboard")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(done.out.startswith(f"{daemon.url}/login?code="))
        code = done.out.strip().partition("code=")[2]
        self.assertEqual(self.client(daemon).post("/v1/login", {"code": code}).status, 200)

    def test_the_verb_opens_a_page_and_the_link_is_in_no_command_line_and_no_token_in_the_browser(self):
        daemon = self.start()
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        browser = folder / "xdg-open"
        browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {folder}/args\nenv > {folder}/env\n')
        browser.chmod(0o755)
        token = daemon.operator_token()
        cli = Cli(daemon)
        cli.environment.update(PATH=f"{folder}:{os.environ['PATH']}", XDG_RUNTIME_DIR=str(folder), HEADWAY_TOKEN=token)
        done = cli.run("dashboard", "--open")
        self.assertEqual(done.code, 0, done.err)
        code = done.out.strip().partition("code=")[2]
        [arg] = (folder / "args").read_text().splitlines()
        self.assertNotIn(code, arg)
        self.assertNotIn(token, (folder / "env").read_text())
        page = Path(arg.removeprefix("file://"))
        self.assertEqual((page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777), (0o600, 0o700))
        self.assertIn(f'content="0; url={done.out.strip()}"', page.read_text())

    def test_a_link_of_another_page_leads_to_the_page_and_to_no_data(self):
        daemon = self.start()
        client = self.client(daemon)
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        for path, status in (("/", 200), ("/login?code=x", 303), ("/v1/overview", 403), ("/progress/a", 403)):
            self.assertEqual(client.request("GET", path, headers=link).status, status, path)
        self.assertEqual(client.request("GET", "/", headers={**link, "Sec-Fetch-Dest": "iframe"}).status, 403)

    def test_the_verb_says_when_no_browser_could_be_started(self):
        daemon = self.start()
        cli = Cli(daemon)
        cli.environment.update(PATH="/nowhere", XDG_RUNTIME_DIR="/nowhere")
        done = cli.run("dashboard", "--open")
        self.assertEqual(done.code, 1, done.err)
        self.assertIn("open the link yourself", done.err)


class Journal(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.session = unique("j")
        for i in range(5):
            self.client.report(self.session, "message", text=str(i))
            self.client.beat(self.session)

    def page(self, query: str) -> dict:
        reply = self.client.get(f"/v1/sessions/{self.session}/events?{query}")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def test_newest_first_page_by_page(self):
        seen, query = [], "order=newest&limit=3"
        while query:
            page = self.page(query)
            seen += [event["n"] for event in page["events"]]
            query = f"order=newest&limit=3&before={page['next']}" if page["more"] else ""
        self.assertEqual(seen, list(range(self.page("")["head"], 0, -1)))

    def test_only_some_types(self):
        page = self.page("types=message,session.started&limit=4")
        self.assertEqual([event["type"] for event in page["events"]], ["session.started"] + ["message"] * 3)
        rest = self.page(f"types=message,session.started&after={page['next']}")
        self.assertEqual(([event["data"]["text"] for event in rest["events"]], rest["more"], rest["next"]),
                         (["3", "4"], False, None))

    def test_bad_parameters_say_what_is_wrong(self):
        for query, field in (("types=nothing", "types"), ("types=", "types"), ("types=message,", "types"),
                             ("order=up", "order"), ("before=0", "before"), ("before=x", "before")):
            reply = self.client.get(f"/v1/sessions/{self.session}/events?{query}")
            self.assertEqual((reply.status, reply.json()["field"]), (400, field), query)


class System(OwnDaemonCase):
    def test_it_says_how_the_daemon_is(self):
        daemon = self.start(config='[judge.endpoints.one]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m-1"\n')
        client = self.client(daemon)
        client.open("a")
        shown = client.get("/v1/system").json()
        self.assertEqual(shown["version"], client.get("/v1/version").json())
        self.assertEqual((shown["mode"], shown["database"]["path"]), ("local", str(daemon.state_dir / "headway.db")))
        self.assertEqual((shown["sessions"], shown["database"]["head"]), ({"open": 1, "in_memory": 1}, 1))
        self.assertEqual((shown["commits"]["count"], shown["retention_seconds"]), (1, 30 * 86400))
        for figure in (shown["rss_bytes"], shown["database"]["bytes"], shown["database"]["wal_bytes"],
                       shown["database"]["disk_free_bytes"], shown["commits"]["p99_ms"], shown["connections"]["open"]):
            self.assertGreater(figure, 0)
        self.assertEqual(shown["judge"], {"endpoints": [{"name": "one", "model": "m-1", "role": "primary",
                                                         "breaker": "closed", "in_flight": 0, "waiting": 0}]})
        self.assertLessEqual(shown["started_at"], shown["now"])

    def test_without_a_judge_there_are_none(self):
        self.assertEqual(self.client(self.start()).get("/v1/system").json()["judge"], {"endpoints": []})


if __name__ == "__main__":
    unittest.main()
