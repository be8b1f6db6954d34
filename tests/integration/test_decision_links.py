#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The link in a message to people by which one request is decided: once, never by a GET, and nothing else."""
import json
import re
import subprocess
import tempfile
import unittest
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from support.case import OwnDaemonCase, unique
from support.daemon import BINARY, Daemon, clean_environment
from support.limits import eventually
from support.webhook_receiver import Receiver


class DecisionLinks(OwnDaemonCase):
    def begin(self, decide="on", test_clock=False, settings=""):
        """A daemon with an endpoint of Slack and one of ntfy."""
        self.slack, self.ntfy = Receiver(secrets=()), Receiver(secrets=())
        for receiver in (self.slack, self.ntfy):
            self.addCleanup(receiver.stop)
        lines = ["[webhooks]", 'link = "https://h.example"']
        for name, url, more in (("slack", self.slack.url, ""), ("ntfy", self.ntfy.url.removesuffix("/hook"), 'topic = "alerts"\n')):
            lines += [f"[webhooks.endpoints.{name}]", f'format = "{name}"\nurl = "{url}"\nallow_private_addresses = "on"\ngather = "0s"\n'
                      f'{more}decide = "{decide}"']
        self.daemon = Daemon(None, "\n".join([*lines, settings]) + "\n", test_clock=test_clock)
        self.addCleanup(self.daemon.close)
        self.daemon.start()
        self.operator = self.client(self.daemon, token=self.daemon.operator_token())
        self.browser = self.client(self.daemon)

    def ask(self, **more) -> dict:
        session = unique()
        self.operator.open(session, goal="mend it")
        asked = self.operator.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"command": "ls"}, "summary": "list files", **more})
        self.assertEqual(asked.status, 201, asked.body)
        eventually(lambda: any(session in one["text"] for one in self.requests()), what="no message")
        return asked.json()

    def requests(self) -> list:
        """Messages of Slack about requests that wait; those that expire have messages, too."""
        said = [json.loads(message.body) for message in self.slack.messages]
        return [one for one in said if " asks " in one["text"]]

    def link(self) -> str:
        """In the newest message of Slack."""
        text = self.requests()[-1]["blocks"][-1]["text"]["text"]
        url, self.words = re.fullmatch(r"<([^|]+)\|([^>]+)>", unescape(text)).groups()
        return url

    def fields(self, url: str) -> dict:
        return {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}

    def open(self, url: str, **more):
        where = urlsplit(url)
        return self.browser.get(f"{where.path}?{where.query}", **more)

    def press(self, fields: dict, decision: str, **headers):
        body = urlencode({**fields, "decision": decision}).encode()
        return self.browser.request("POST", "/decide", body, {"Content-Type": "application/x-www-form-urlencoded", **headers})

    def does_nothing(self, reply, words: str):
        self.assertEqual(reply.status, 200, reply.body)
        self.assertIn(words, reply.body.decode())
        self.assertNotIn("<form", reply.body.decode())

    def status(self, asked: dict) -> dict:
        return self.operator.get(f"/v1/approvals/{asked['id']}").json()

    def test_a_get_shows_the_request_and_decides_nothing_and_the_form_decides_once(self):
        self.begin()
        asked = self.ask(args={"command": "rm -r <build> \u202e"})
        url = self.link()
        self.assertEqual(self.words, "Approve or reject")
        self.assertTrue(url.startswith("https://h.example/decide?"), url)
        for _ in range(3):
            page = self.open(url)
            self.assertEqual(page.status, 200, page.body)
            self.assertEqual(self.status(asked)["status"], "pending")
        text = page.body if isinstance(page.body, str) else page.body.decode()
        self.assertIn("rm -r &lt;build&gt; \\u202e", text)
        self.assertIn(asked["args_digest"], text)
        self.assertNotIn("<script", text)
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        self.assertEqual(page.headers["cache-control"], "no-store")
        form = dict(re.findall(r'name="(id|from|code)" value="([^"]*)"', text))
        self.assertEqual(form, self.fields(url))
        done = self.press(form, "approve")
        self.assertEqual(done.status, 200, done.body)
        decided = self.status(asked)
        self.assertEqual((decided["status"], decided["decision"]["by"], decided["decision"]["channel"]), ("approved", "link of slack", "link"))
        for reply in (self.press(form, "reject"), self.press(form, "approve"), self.open(url)):
            self.does_nothing(reply, "This request is approved")
        self.assertEqual(self.status(asked)["status"], "approved")

    def test_a_rejection(self):
        self.begin()
        asked = self.ask()
        self.assertEqual(self.press(self.fields(self.link()), "reject").status, 200)
        self.assertEqual(self.status(asked)["status"], "rejected")

    def test_ntfy_has_a_button_that_opens_the_page(self):
        self.begin()
        self.ask()
        self.ntfy.wait_for(1)
        said = json.loads(self.ntfy.messages[0].body)
        self.assertEqual(said["actions"], [{"action": "view", "label": "Approve or reject", "url": said["click"]}])
        self.assertEqual(self.fields(said["click"])["from"], "ntfy")

    def test_a_code_is_of_one_request_and_one_endpoint(self):
        self.begin()
        first = self.ask()
        of_first = self.fields(self.link())
        second = self.ask()
        of_second = self.fields(self.link())
        self.assertNotEqual(of_first["code"], of_second["code"])
        for wrong in ({**of_first, "code": of_second["code"]}, {**of_first, "id": of_second["id"]}, {**of_first, "from": "ntfy"},
                      {**of_first, "from": "other"}, {**of_first, "code": "0" * 32}, {**of_first, "code": ""},
                      {**of_first, "code": of_first["code"].upper()}, {**of_first, "id": "unknown.a1"}):
            for reply in (self.press(wrong, "approve"), self.browser.get("/decide?" + urlencode(wrong))):
                self.does_nothing(reply, "This link is not valid")
        for broken in ({"id": "x"}, {**of_first, "id": "no approval"}, {**of_first, "extra": "1"}, {}):
            self.assertEqual(self.press(broken, "approve").status, 400, broken)
        self.assertEqual(self.press(of_first, "edit").status, 400)
        for asked in (first, second):
            self.assertEqual(self.status(asked)["status"], "pending")

    def test_it_is_off_unless_configured(self):
        self.begin(decide="off")
        asked = self.ask()
        self.assertIn("/#/approvals?id=", self.link())
        self.assertEqual(self.words, "Show the request")
        self.does_nothing(self.press({"id": asked["id"], "from": "slack", "code": "0" * 32}, "approve"), "This link is not valid")

    def test_critical_calls_questions_and_large_calls_have_no_such_link(self):
        self.begin()
        for more in ({"risk": "critical"}, {"kind": "question", "tool": "ask", "args": None, "summary": "which?"},
                     {"args": {"command": "x" * 60_000}}):
            self.ask(**{name: value for name, value in more.items() if value is not None})
            self.assertIn("/#/approvals?id=", self.link(), more.keys())

    def test_a_link_ends_with_its_request_and_with_the_operators_token(self):
        self.begin(test_clock=True)
        asked = self.ask(expires_in_ms=60_000)
        fields = self.fields(self.link())
        self.daemon.clock.advance(61)
        self.does_nothing(self.press(fields, "approve"), "The request has expired")
        self.assertNotEqual(self.status(asked)["status"], "approved")
        asked = self.ask()
        fields = self.fields(self.link())
        self.assertEqual(self.operator.post("/v1/tokens/operator/rotate", {}).status, 201)
        self.does_nothing(self.press(fields, "approve"), "This link is not valid")

    def test_a_link_ends_with_its_session_also_when_another_takes_its_name(self):
        self.begin()
        session = unique()
        call = {"tool": "bash", "args": {"command": "ls"}}
        ids, links = [], []
        for _ in range(2):
            self.operator.open(session, goal="mend it")
            ids.append(self.operator.post(f"/v1/sessions/{session}/approvals", call).json()["id"])
            eventually(lambda: len(self.requests()) > len(links), what="no message")
            links.append(self.fields(self.link()))
            if len(ids) == 1:
                self.assertEqual(self.operator.post(f"/v1/sessions/{session}/end", {"outcome": "completed"}).status, 200)
                self.assertEqual(self.operator.delete(f"/v1/sessions/{session}").status, 202)
                eventually(lambda: self.operator.get(f"/v1/sessions/{session}").status == 404, what="not deleted")
        self.assertEqual(ids[0], ids[1])
        self.does_nothing(self.press(links[0], "approve"), "This link is not valid")
        self.assertEqual(self.status({"id": ids[1]})["status"], "pending")
        self.assertEqual(self.press(links[1], "approve").status, 200)
        self.assertEqual(self.status({"id": ids[1]})["status"], "approved")

    def test_output_of_a_failed_program_is_not_kept_if_its_message_has_a_link(self):
        # Programs print their input when they fail, and anyone may read the reason of a failure.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name) / "notify"
        program.write_text("#!/bin/sh\ncat\nexit 1\n")
        program.chmod(0o755)
        self.begin(settings=f'[webhooks.endpoints.program]\nformat = "command"\nargv = ["{program}"]\ngather = "0s"\ndecide = "on"')
        self.ask()
        failed = eventually(lambda: [d for d in self.browser.get("/v1/webhooks/program/deliveries").json()["deliveries"] if d.get("reason")],
                            what="no failure")
        self.assertIn("exit status 1; its output is not kept", failed[0]["reason"])
        for path in ("/v1/webhooks", "/v1/webhooks/program/deliveries"):
            self.assertNotIn("code=", self.browser.get(path).body.decode())

    def test_a_link_outlives_a_restart(self):
        self.begin()
        self.ask()
        fields = self.fields(self.link())
        self.browser.close()
        self.daemon.restart()
        self.browser = self.client(self.daemon)
        self.assertEqual(self.press(fields, "approve").status, 200)

    def test_a_browser_may_come_from_a_chat_and_pages_of_others_may_not_post(self):
        self.begin()
        asked = self.ask()
        url = self.link()
        navigation = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        self.assertEqual(self.open(url, **navigation).status, 200)
        self.assertEqual(self.press(self.fields(url), "approve", Origin="https://evil.example").status, 403)
        self.assertEqual(self.status(asked)["status"], "pending")
        own = self.daemon.url
        self.assertEqual(self.press(self.fields(url), "approve", Origin=own, **{"Sec-Fetch-Site": "same-origin"}).status, 200)


class Configuration(OwnDaemonCase):
    def test_it_needs_an_address_of_the_daemon_and_a_format_for_people(self):
        for settings, word in (('format = "slack"\nurl = "https://hooks.example/x"\ndecide = "on"', "needs webhooks.link"),
                               ('url = "https://ops.example/x"\nsecret_env = "S"\ndecide = "on"', "decide, which is for people")):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "headway.toml"
                file.write_text(f"[webhooks.endpoints.ops]\n{settings}\n")
                checked = subprocess.run([BINARY, "config", "check", "--config", file], capture_output=True, text=True,
                                         env=clean_environment())
                self.assertNotEqual(checked.returncode, 0)
                self.assertIn(word, checked.stderr + checked.stdout)


if __name__ == "__main__":
    unittest.main()
