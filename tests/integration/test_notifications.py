#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Notifications for people: Slack, Discord, ntfy, e-mail and commands, with links, in bounds, at least once."""
import base64
import email
import email.policy
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, unique
from support.cli import Cli
from support.daemon import PROJECT, Daemon, own_database
from support.limits import eventually
from support.mail_server import MailServer
from support.tls import make_certificate
from support.webhook_receiver import Receiver

HOSTILE = "x\r\nBcc: evil@example.com\r\n<!channel> <@U1> @everyone `b` **c** [l](https://evil.example) \u202eabc"
AT_ONCE = {"gather": "0s"}


class NotifyCase(OwnDaemonCase):
    def receiver(self, **how) -> Receiver:
        receiver = Receiver(secrets=(), **how)
        self.addCleanup(receiver.stop)
        return receiver

    def told(self, endpoints: dict, retry=("0s", "1h"), link: str = "https://h.example", test_clock: bool = False, start: bool = True):
        """A daemon with these endpoints, and a client of its operator."""
        lines = ["[webhooks]", f"retry = {json.dumps(list(retry))}"] + ([f'link = "{link}"'] if link else [])
        for name, values in endpoints.items():
            lines += [f"[webhooks.endpoints.{name}]"] + [f"{k} = {json.dumps(v)}" for k, v in values.items()]
        daemon = Daemon(None, "\n".join(lines) + "\n", test_clock=test_clock)
        self.addCleanup(daemon.close)
        if not start:
            return daemon, None
        daemon.start()
        return daemon, self.client(daemon, token=daemon.operator_token())

    def web(self, format: str, receiver: Receiver, **more) -> dict:
        """An endpoint of that format at the receiver."""
        return {"format": format, "url": receiver.url, "allow_private_addresses": "on", **AT_ONCE, **more}

    def mail(self, server: MailServer, scheme: str = "smtp", **more) -> dict:
        return {"format": "email", "url": f"{scheme}://127.0.0.1:{server.port}", "from": "headway@example.org", "to": ["ana@example.com"],
                "allow_private_addresses": "on", **AT_ONCE, **more}

    def command(self, script: str, **more) -> dict:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        program = folder / "notify"
        program.write_text("#!/bin/sh\ncd " + str(folder) + "\n" + script + "\n")
        program.chmod(0o755)
        self.folder = folder
        return {"format": "command", "argv": [str(program)], **AT_ONCE, **more}

    def shown(self, client, name: str = "ops") -> dict:
        return next(w for w in client._expect((200,), client.get("/v1/webhooks"))["webhooks"] if w["name"] == name)

    def until(self, client, name: str = "ops", **expected) -> dict:
        def reached():
            shown = self.shown(client, name)
            return shown if all(shown[k] == v for k, v in expected.items()) else None
        return eventually(reached, 60, f"{name} {expected}")

    def end_one(self, client, reason: str = "", goal: str = "") -> str:
        session = unique()
        client.open(session, **({"goal": goal} if goal else {}))
        client.end(session, "failed", reason=reason or "x")
        return session

    def ask(self, client, goal: str = "mend it", summary: str = "list files", args=None) -> dict:
        session = unique()
        client.open(session, goal=goal, agent={"type": "coder"})
        asked = client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": args or {"command": "ls"}, "summary": summary})
        self.assertEqual(asked.status, 201, asked.body)
        return {"session": session, **asked.json()}


def bodies(receiver: Receiver) -> list:
    return [json.loads(m.body) for m in receiver.messages]


class Formats(NotifyCase):
    def test_a_request_is_told_in_each_chat_with_a_link_to_the_decision(self):
        slack, discord, ntfy = self.receiver(), self.receiver(), self.receiver()
        root = ntfy.url.removesuffix("/hook")
        _, client = self.told({"slack": self.web("slack", slack), "discord": self.web("discord", discord),
                               "ntfy": self.web("ntfy", ntfy, url=root, topic="alerts")})
        asked = self.ask(client, goal=HOSTILE, summary=HOSTILE)
        link = f"https://h.example/#/approvals?id={asked['id']}"
        for receiver in (slack, discord, ntfy):
            receiver.wait_for(1)
        said = bodies(slack)[0]
        self.assertEqual(said["text"], f"{asked['session']} asks for approval: bash")
        self.assertIn(f"<{link}|Show the request>", said["blocks"][-1]["text"]["text"])
        for block in said["blocks"][:-1]:
            self.assertEqual(block["text"]["type"], "plain_text")
        said = bodies(discord)[0]
        self.assertEqual(said["allowed_mentions"], {"parse": []})
        self.assertTrue(said["content"].endswith(f"[Show the request](<{link}>)"))
        self.assertNotRegex(said["content"], r"(?<!\\)@everyone|(?<!\\)`|https://evil")
        said = bodies(ntfy)[0]
        self.assertEqual((said["topic"], said["priority"], said["click"]), ("alerts", 4, link))
        self.assertEqual(ntfy.messages[0].path, "/")
        for receiver in (slack, discord, ntfy):
            self.assertNotIn("authorization", receiver.messages[0].headers)
            self.assertNotIn("\\u202e", receiver.messages[0].body.decode().replace("\\\\u{202e}", ""))
        for name in ("slack", "discord", "ntfy"):
            self.until(client, name, pending=0, delivered=1, format=name)

    def test_telegram_gets_the_message_and_the_token_is_never_shown(self):
        telegram = self.receiver()
        daemon, _ = self.told({"bot": {**self.web("telegram", telegram, url=telegram.url.removesuffix("/hook"), chat="-1001", secret_env="BOT"),
                                       }}, start=False)
        daemon.environment |= {"BOT": "42:hidden"}
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        asked = self.ask(client, goal=HOSTILE, summary=HOSTILE)
        message = telegram.wait_for(1)[0]
        self.assertEqual(message.path, "/bot42:hidden/sendMessage")
        said = json.loads(message.body)
        self.assertEqual((said["chat_id"], said["parse_mode"], said["link_preview_options"]), ("-1001", "HTML", {"is_disabled": True}))
        self.assertIn(f'<a href="https://h.example/#/approvals?id={asked["id"]}">Show the request</a>', said["text"])
        self.assertNotRegex(re.sub(r"<code>.*?</code>", "", said["text"]), "evil|everyone|channel")
        shown = client.get("/v1/webhooks").body.decode() + Cli(daemon).run("webhooks", "list").out + daemon.log()
        self.assertNotIn("hidden", shown)

    def test_a_secret_is_a_url_or_a_token_and_never_shown(self):
        slack, ntfy = self.receiver(), self.receiver()
        daemon, _ = self.told({"slack": {"format": "slack", "secret_env": "SLACK", "allow_private_addresses": "on", **AT_ONCE},
                               "ntfy": self.web("ntfy", ntfy, url=ntfy.url.removesuffix("/hook"), topic="t", secret_env="NTFY")}, start=False)
        daemon.environment |= {"SLACK": slack.url + "/T1/hidden", "NTFY": "tk_hidden"}
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        self.end_one(client)
        self.assertEqual(slack.wait_for(1)[0].path, "/hook/T1/hidden")
        self.assertEqual(ntfy.wait_for(1)[0].headers["authorization"], "Bearer tk_hidden")
        shown = client.get("/v1/webhooks").body.decode() + Cli(daemon).run("webhooks", "list").out + daemon.log()
        self.assertNotIn("hidden", shown)

    def test_a_mail_arrives_with_headers_of_ours_alone(self):
        server = MailServer()
        self.addCleanup(server.stop)
        _, client = self.told({"ops": self.mail(server, tls="off", to=["ana@example.com", "ben@example.com"])})
        session = self.end_one(client, reason=HOSTILE, goal="ä" * 300 + "\r\n.\r\n")
        mail = server.wait_for(1)[0]
        self.assertEqual((mail.sender, mail.recipients), ("FROM:<headway@example.org>" , ["TO:<ana@example.com>", "TO:<ben@example.com>"]))
        message = mail.message
        self.assertEqual(message["Subject"], f"{session} has ended: failed")
        self.assertEqual(sorted(message.keys()), sorted(["Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version",
                                                         "Content-Type", "Content-Transfer-Encoding"]))
        self.assertEqual(message["Auto-Submitted"], "auto-generated")
        self.assertRegex(message["Message-ID"], r"^<msg_[0-9a-f]{32}@example.org>$")
        self.assertIn(f"https://h.example/#/session/{session}?n=", mail.text)
        self.assertIn("evil@example.com", mail.text)
        self.until(client, pending=0, delivered=1)

    def test_a_mail_goes_over_tls_with_a_password_or_not_at_all(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        certificate, key = make_certificate(folder, "mail")
        both = folder / "both.pem"
        both.write_text(certificate.read_text() + key.read_text())
        whole, later, plain = MailServer(str(both)), MailServer(str(both), starttls=True), MailServer()
        for server in (whole, later, plain):
            self.addCleanup(server.stop)
        login = {"user": "headway", "secret_env": "MAIL"}
        daemon, _ = self.told({"whole": self.mail(whole, "smtps", ca_file=str(certificate), **login),
                               "later": self.mail(later, ca_file=str(certificate), **login),
                               "plain": self.mail(plain, **login), "stranger": self.mail(whole, "smtps")}, start=False)
        daemon.environment["MAIL"] = "pass word"
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        self.end_one(client)
        for server in (whole, later):
            mail = server.wait_for(1)[0]
            self.assertTrue(mail.encrypted)
            self.assertEqual(base64.b64decode(mail.user), b"\0headway\0pass word")
        self.assertIn("offers no TLS", self.until(client, "plain", failed=1)["last_failure"])
        self.assertIn("is not trusted", self.until(client, "stranger", failed=1)["last_failure"])
        self.assertEqual(plain.mails, [])
        cli = Cli(daemon)
        cli.environment["MAIL"] = "pass word"
        checks = {c["check"]: c for c in cli.run("doctor", "--config", str(daemon.config_file), "--json").json()["checks"]}
        self.assertTrue(checks["webhook whole"]["ok"], checks)
        self.assertIn("offers no TLS", checks["webhook plain"]["detail"])

    def test_a_password_that_is_not_taken_is_said_and_holds_the_messages(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        certificate, key = make_certificate(folder, "mail")
        both = folder / "both.pem"
        both.write_text(certificate.read_text() + key.read_text())
        server = MailServer(str(both))
        self.addCleanup(server.stop)
        server.answers = {"AUTH": ["535 no"] * 2}
        daemon, _ = self.told({"ops": self.mail(server, "smtps", ca_file=str(certificate), user="u", secret_env="MAIL")},
                              retry=("0s", "10ms", "10ms", "10ms"), start=False)
        daemon.environment["MAIL"] = "hidden"
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        self.end_one(client)
        shown = self.until(client, pending=0, delivered=1)
        self.assertIn("does not take its user and password", shown["last_failure"])
        self.assertEqual(shown["failed"], 2)
        self.assertNotIn("hidden", json.dumps(shown) + daemon.log())

    def test_a_mail_server_says_later_or_never(self):
        server = MailServer()
        self.addCleanup(server.stop)
        server.answers = {"RCPT": ["451 later", "550 unknown", "250 ok"]}
        _, client = self.told({"ops": self.mail(server, tls="off")}, retry=("0s", "10ms", "10ms", "10ms"))
        self.end_one(client)
        first = server.wait_for(1)[0]
        self.assertEqual(self.until(client, pending=0, delivered=1)["failed"], 2)
        server.answers = {"BODY": ["451 later"]}
        self.end_one(client)
        second, again = server.wait_for(3)[1:]
        self.assertEqual(second.message["Message-ID"], again.message["Message-ID"])
        self.assertNotEqual(second.message["Message-ID"], first.message["Message-ID"])

    def test_one_recipient_who_is_refused_keeps_the_mail_from_unknown_else(self):
        server = MailServer()
        self.addCleanup(server.stop)
        _, client = self.told({"ops": self.mail(server, tls="off", to=["ana@h.example", "ben@h.example", "eve@h.example"])},
                              retry=("0s", "10ms", "10ms", "10ms"))
        server.answers = {"RCPT": ["250 ok", "550-who\r\n550 unknown", "250 ok"]}
        self.end_one(client)
        shown = self.until(client, pending=0, delivered=1, failed=1)
        self.assertEqual(shown["last_failure"], "SMTP 550 for ben@h.example; the others have it")
        self.assertEqual(len(server.wait_for(1)), 1)

    def test_one_recipient_who_is_put_off_gets_the_mail_later_and_the_others_once(self):
        server = MailServer()
        self.addCleanup(server.stop)
        _, client = self.told({"ops": self.mail(server, tls="off", to=["ana@h.example", "ben@h.example"])},
                              retry=("0s", "10ms", "10ms", "10ms"))
        server.answers = {"RCPT": ["451 later", "250 ok"]}
        self.end_one(client)
        first, second = server.wait_for(2)
        self.assertIn("ben@", first.message["To"])
        self.assertEqual(first.message["Message-ID"], second.message["Message-ID"])
        self.assertEqual(second.recipients, ["TO:<ana@h.example>"])
        self.assertEqual(self.until(client, pending=0, delivered=1)["last_failure"], "SMTP 451 for ana@h.example; the others have it")

    def test_one_recipient_who_is_put_off_twice_or_then_refused_is_no_failure_of_the_mail(self):
        for last, mails in (("250 ok", 2), ("550 unknown", 1)):
            with self.subTest(last):
                server = MailServer()
                self.addCleanup(server.stop)
                _, client = self.told({"ops": self.mail(server, tls="off", to=["ana@h.example", "ben@h.example"])},
                                      retry=("0s", "10ms", "10ms", "10ms"))
                server.answers = {"RCPT": ["250 ok", "451 later", "451 later", last]}
                self.end_one(client)
                shown = self.until(client, pending=0, delivered=1, dead=0)
                self.assertIn("for ben@h.example; the others have it", shown["last_failure"])
                self.assertEqual(shown["state"], "active")
                self.assertEqual([m.recipients for m in server.wait_for(mails)[1:]], [["TO:<ben@h.example>"]] * (mails - 1))
                self.assertEqual(len(server.mails), mails)

    def test_one_who_is_put_off_for_a_mail_about_several_gets_each_and_the_others_none_twice(self):
        server = MailServer()
        self.addCleanup(server.stop)
        _, client = self.told({"ops": self.mail(server, tls="off", to=["ana@h.example", "ben@h.example"], gather="3s")},
                              retry=("0s", "10ms", "10ms", "10ms"))
        server.answers = {"RCPT": ["250 ok", "451 later", "451 later"]}
        for _ in range(2):
            self.end_one(client, reason="no network")
        self.until(client, pending=0, delivered=2, dead=0)
        first, *again = server.wait_for(3)
        self.assertIn("2 sessions", first.message["Subject"])
        self.assertEqual([m.recipients for m in again], [["TO:<ben@h.example>"]] * 2)

    def test_a_command_gets_the_message_and_no_text_of_an_agent_elsewhere(self):
        _, client = self.told({"ops": self.command('cat > got; tr "\\0" "\\n" < /proc/$$/environ > environment; echo "$@" > words')})
        session = self.end_one(client, reason="$(touch evil) canary")
        self.until(client, pending=0, delivered=1)
        said = json.loads((self.folder / "got").read_text())
        self.assertEqual((said["type"], said["data"]["session"]), ("session.ended", session))
        self.assertIn("canary", said["notice"]["text"])
        self.assertEqual(said["notice"]["link"], f"https://h.example/#/session/{session}?n={said['data']['n']}")
        environment = (self.folder / "environment").read_text()
        self.assertNotIn("canary", environment)
        self.assertEqual({line.partition("=")[0] for line in environment.split()},
                         {"PATH", "LANG", "HOME", "HEADWAY_WEBHOOK", "HEADWAY_MESSAGE_ID"})
        self.assertEqual((self.folder / "words").read_text(), "\n")
        self.assertFalse((self.folder / "evil").exists())

    def test_each_format_can_be_tested(self):
        receiver, server = self.receiver(), MailServer()
        self.addCleanup(server.stop)
        daemon, _ = self.told({"slack": self.web("slack", receiver), "discord": self.web("discord", receiver),
                               "ntfy": self.web("ntfy", receiver, url=receiver.url.removesuffix("/hook"), topic="t"),
                               "email": self.mail(server, tls="off"), "command": self.command("exit 0")})
        cli = Cli(daemon)
        for name in ("slack", "discord", "ntfy", "email", "command"):
            with self.subTest(name):
                tested = cli.run("webhooks", "test", name)
                self.assertEqual((tested.code, tested.err), (0, ""))
        self.assertEqual(len(receiver.messages), 3)
        self.assertEqual(server.mails[0].message["Subject"], "A test of the endpoint email")
        checks = {c["check"]: c for c in cli.run("doctor", "--config", str(daemon.config_file), "--json").json()["checks"]}
        self.assertTrue(all(checks[f"webhook {n}"]["ok"] for n in ("slack", "discord", "ntfy", "email", "command")), checks)

    def test_every_example_of_the_page_is_taken(self):
        page = (PROJECT / "docs/notifications.md").read_text()
        examples = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
        self.assertGreaterEqual(len(examples), 6)
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for example in examples:
            with self.subTest(example):
                file = folder / "headway.toml"
                file.write_text(example)
                checked = Cli(None, "http://127.0.0.1:9").run("config", "check", "--config", str(file))
                # The files and programs of the page are on no machine of ours.
                absent = re.compile(r"webhooks\.endpoints\.\w+: .*( cannot be read| is not set|is no program)")
                self.assertEqual([line for line in checked.err.splitlines() if not absent.match(line)], [])
                self.assertEqual(checked.code, 2 if checked.err else 0)

    def test_the_check_of_the_settings_names_each_webhook_that_cannot_be_sent_to(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "secret").write_text("no secret\n")
        (folder / "headway.toml").write_text("".join(f"[webhooks.endpoints.{name}]\n{lines}\n" for name, lines in (
            ("program", 'format = "command"\nargv = ["/nonexistent/prog"]'),
            ("folder", f'url = "https://a.example"\nsecret_file = "{folder}"'),
            ("text", f'url = "https://a.example"\nsecret_file = "{folder}/secret"'),
            ("unset", 'url = "https://a.example"\nsecret_env = "HOOK_SECRET_OF_NONE"'),
            ("good", 'format = "command"\nargv = ["/bin/true"]'))))
        checked = Cli(None, "http://127.0.0.1:9").run("config", "check", "--config", str(folder / "headway.toml"))
        self.assertEqual((checked.code, checked.out), (2, ""))
        lines = checked.err.splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], [f"webhooks.endpoints.{n}" for n in ("folder", "program", "text", "unset")])
        for line, word in zip(lines, ("cannot be read", "is no program", "secret", "HOOK_SECRET_OF_NONE is not set")):
            self.assertIn(word, line)

    def test_links_lead_to_the_daemon_itself_where_nothing_else_is_said(self):
        receiver = self.receiver()
        daemon, client = self.told({"ops": self.web("slack", receiver)}, link="")
        session = self.end_one(client)
        receiver.wait_for(1)
        self.assertIn(f"<http://127.0.0.1:{daemon.port}/#/session/{session}?n=", bodies(receiver)[0]["blocks"][-1]["text"]["text"])


# A mail server of Debian's python3-aiosmtpd, which refuses and puts off by name, and prints each mail that it takes.
REAL_SERVER = """
import asyncio, json
from aiosmtpd.smtp import SMTP

class Keeper:
    later = set()
    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.partition('@')[0]
        if name == 'unknown':
            return '550 5.1.1 no such user'
        if name == 'later' and name not in self.later:
            self.later.add(name)
            return '450 4.2.1 greylisted'
        envelope.rcpt_tos.append(address)
        return '250 2.1.5 ok'
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({'to': envelope.rcpt_tos, 'from': envelope.mail_from, 'raw': envelope.content.decode('utf-8')}), flush=True)
        return '250 2.0.0 taken'

async def serve():
    keeper = Keeper()
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(keeper), '127.0.0.1', 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(serve())
"""


def python_with_aiosmtpd() -> str:
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import aiosmtpd"], capture_output=True, timeout=60, check=False).returncode == 0:
            return python
    return ""


class RealMail(NotifyCase):
    def test_a_real_server_takes_the_mail_for_all_but_those_that_it_refuses(self):
        python = python_with_aiosmtpd()
        if not python:
            self.skipTest("there is no aiosmtpd (Debian: python3-aiosmtpd)")
        server = subprocess.Popen([python, "-c", REAL_SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        port = server.stdout.readline().strip()
        to = ["ana@h.example", "unknown@h.example", "later@h.example"]
        _, client = self.told({"ops": {"format": "email", "url": f"smtp://127.0.0.1:{port}", "from": "headway@h.example", "to": to, "tls": "off",
                                       "allow_private_addresses": "on", **AT_ONCE}}, retry=("0s", "10ms", "10ms", "10ms"))
        session = self.end_one(client, reason="it broke\r\nBcc: eve@evil.example\r\n\r\n.\r\nQUIT", goal="Subject: \r\nX-Evil: yes")
        first, second = (json.loads(server.stdout.readline()) for _ in range(2))
        self.assertEqual((first["to"], second["to"]), (["ana@h.example"], ["later@h.example"]))
        for mail in (first, second):
            message = email.message_from_string(mail["raw"], policy=email.policy.default)
            self.assertEqual(mail["from"], "headway@h.example")
            self.assertEqual([name for name in ("Bcc", "X-Evil") if message[name]], [])
            self.assertEqual(len(message.get_all("Subject")), 1)
            self.assertEqual(message["Auto-Submitted"], "auto-generated")
            self.assertIn(f"https://h.example/#/session/{session}?n=", message.get_content())
            self.assertIn("eve@evil.example", message.get_content(), "a text of an agent is text")
            if os.environ.get("HEADWAY_TEST_SHOW"):
                print(mail["raw"])
        self.assertIn("SMTP 550 for unknown@h.example", str(self.until(client, pending=0, delivered=1)["last_failure"]))


class Links(NotifyCase):
    def test_whoever_fetches_a_link_changes_nothing(self):
        """Scanners of mails and chats fetch links, as anybody and without what is behind the #."""
        receiver = self.receiver()
        daemon, client = self.told({"ops": self.web("discord", receiver)}, link="")
        asked = self.ask(client)
        receiver.wait_for(1)
        link = bodies(receiver)[0]["content"].rpartition("(<")[2].removesuffix(">)")
        self.assertNotRegex(link, "code=|token|secret")
        before = client.get("/v1/approvals/" + asked["id"]).json()
        for path in (link.partition(str(daemon.port))[2].partition("#")[0], f"/v1/approvals/{asked['id']}", "/v1/sessions/" + asked["session"]):
            connection = http.client.HTTPConnection("127.0.0.1", daemon.port)
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
        self.assertEqual(client.get("/v1/approvals/" + asked["id"]).json(), before)
        # Those of pings are asked for by the agent's own script, and only report.
        changing = [r["path"] for r in Cli(daemon).run("routes", "--json").json()
                    if r["method"] == "GET" and r["effect"] != "reads" and not r["path"].startswith("/ping/")]
        self.assertEqual(changing, [])


class Bounds(NotifyCase):
    def test_one_cause_is_one_message_and_names_every_session(self):
        receiver = self.receiver()
        daemon, client = self.told({"ops": self.web("discord", receiver, gather="5s")})
        sessions = [self.end_one(client, reason="no network") for _ in range(4)]
        receiver.wait_for(1)
        content = bodies(receiver)[0]["content"]
        self.assertTrue(content.startswith("**4 sessions have ended\\: failed**"), content)
        for session in sessions:
            self.assertIn(f"#/session/{session}?n=", content)
        self.until(client, pending=0, delivered=4)
        self.assertEqual(len(receiver.messages), 1)

    @own_database
    def test_what_exceeds_a_window_comes_at_its_end_as_one(self):
        receiver = self.receiver()
        daemon, client = self.told({"ops": self.web("discord", receiver, messages_max=3, window="10m")}, test_clock=True)
        for number in range(2):
            self.end_one(client, reason="r" + "x" * number)
            receiver.wait_for(number + 1)
        self.until(client, pending=0)
        waiting = [self.end_one(client, reason="s" + "y" * number) for number in range(3)]
        self.ask(client)
        receiver.wait_for(3)  # the rest of the window is for requests
        asked = self.ask(client)
        self.assertEqual(self.until(client, pending=4)["delivered"], 3)
        daemon.clock.advance(5 * 60)
        self.assertEqual(len(receiver.messages), 3)
        daemon.clock.advance(5 * 60 + 1)
        receiver.wait_for(4)
        content = bodies(receiver)[3]["content"]
        self.assertRegex(content, r"^\*\*\d more\\: 3 ended, 1 asking for a decision")
        self.assertIn(f"#/approvals?id={asked['id']}", content)
        for session in waiting:
            self.assertIn(session.replace("-", "\\-"), content)
        self.until(client, pending=0)

    def test_programs_get_every_message_by_itself(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        daemon, _ = self.told({"ops": {"url": receiver.url, "secret_env": "S", "allow_private_addresses": "on"}}, start=False)
        daemon.environment["S"] = "whsec_" + base64.b64encode(b"a secret of the tests, long enough").decode()
        daemon.start()
        client = self.client(daemon)
        for _ in range(25):
            self.end_one(client)
        self.assertEqual({m.type for m in receiver.wait_for(25)}, {"session.ended"})
        self.assertEqual(receiver.wrong, [])


class Morning(NotifyCase):
    """[digest]: the test clock is in UTC, as the daemon's environment says."""

    def morning(self, receiver, at: str, **options):
        endpoints = {"chat": self.web("discord", receiver, verdicts=["stuck"], events=["approval.alarm"])}
        daemon, _ = self.told(endpoints, test_clock=True, start=False)
        daemon.config_file.write_text(daemon.config_file.read_text() + f'[digest]\nat = "{at}"\nsince = "8h"\n')
        daemon.environment |= {"TZ": "UTC"}
        daemon.start()
        return daemon, self.client(daemon, token=daemon.operator_token())

    def test_the_digest_is_told_at_its_time_once_a_day_also_over_a_restart(self):
        receiver = self.receiver()
        at = time.strftime("%H:%M", time.gmtime(time.time() + 2 * 3600))
        daemon, client = self.morning(receiver, at)
        session = self.end_one(client, reason="no credit")
        daemon.clock.advance(3600)
        self.assertEqual(receiver.messages, [])
        daemon.clock.advance(3660)
        message = receiver.wait_for(1)[0]
        said = json.loads(message.body)["content"]
        self.assertIn("The night", said)
        self.assertIn(session.replace("-", "\\-"), said)
        self.until(client, "chat", pending=0, delivered=1)
        daemon.stop()
        daemon.start()
        daemon.clock.advance(3600)
        client = self.client(daemon, token=daemon.operator_token())
        client.get("/v1/webhooks")
        self.assertEqual(len(receiver.messages), 1)
        daemon.clock.advance(23 * 3600)
        receiver.wait_for(2)

    def test_bad_times_are_refused_with_the_key(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for lines, words in (('at = "7:30"', "digest.at"), ('at = "24:00"', "digest.at"), ('at = "07:30"', "there is none"), ('since = "10s"', "digest.since")):
            file = folder / "headway.toml"
            file.write_text(f"[digest]\n{lines}\n")
            checked = Cli(None, "http://127.0.0.1:9").run("config", "check", "--config", str(file))
            self.assertNotEqual(checked.code, 0)
            self.assertIn(words, checked.err)


class Crashes(NotifyCase):
    def test_kill_9_between_sending_and_settling_repeats_the_message_and_loses_none(self):
        receiver = self.receiver()
        receiver.answers = ["hang"]
        daemon, client = self.told({"ops": self.web("discord", receiver, gather="1s", timeout="1m")})
        sessions = [self.end_one(client, reason="same") for _ in range(3)]
        receiver.wait_for(1)
        daemon.restart()
        receiver.wait_for(2)
        first, second = (b["content"] for b in bodies(receiver)[:2])
        for session in sessions:
            self.assertIn(f"#/session/{session}?n=", second)
        self.assertEqual(first, second)
        client = self.client(daemon)
        self.until(client, pending=0, dead=0)

    def test_kill_9_while_a_command_runs(self):
        daemon, client = self.told({"ops": self.command('cat >> got; [ -e second ] || { touch second; exec sleep 600; }', timeout="1m")})
        self.end_one(client)
        eventually(lambda: (self.folder / "second").exists(), 60, "the command")
        daemon.restart()
        client = self.client(daemon)
        self.until(client, pending=0, delivered=1)
        first, second = map(json.loads, (self.folder / "got").read_text().splitlines())
        self.assertEqual(first, second)

    def test_a_command_that_hangs_holds_up_nothing(self):
        daemon, client = self.told({"ops": self.command("echo $$ > pid; exec sleep 600", timeout="500ms")}, retry=("0s", "1h"))
        started = time.monotonic()
        for _ in range(5):
            self.end_one(client)
        self.assertLess(time.monotonic() - started, 10)
        shown = self.until(client, failed=1)
        self.assertIn("did not end within its timeout of 500ms", shown["last_failure"])
        pid = int((self.folder / "pid").read_text())
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertEqual(daemon.stop(), 0)

    def test_a_stop_does_not_wait_for_a_command(self):
        daemon, client = self.told({"ops": self.command("touch runs; exec sleep 600", timeout="1m")})
        self.end_one(client)
        eventually(lambda: (self.folder / "runs").exists(), 60, "the command")
        started = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - started, 20)

    def test_a_daemon_whose_parent_ignores_ends_of_children_knows_those_of_its_commands(self):
        daemon, client = self.told({"ops": self.command("cat > got")})
        client.close()
        self.assertEqual(daemon.stop(), 0)
        daemon.wrapper = ["env", "--ignore-signal=CHLD"]
        daemon.start()
        state = Path(f"/proc/{daemon.process.pid}/status").read_text()
        ignored = int(next(line for line in state.splitlines() if line.startswith("SigIgn")).split()[1], 16)
        self.assertFalse(ignored & 1 << (signal.SIGCHLD - 1))

    def test_try_again_of_a_command(self):
        daemon, client = self.told({"ops": self.command('[ -e once ] || { touch once; echo busy; exit 75; }; cat > got')},
                                   retry=("0s", "10ms", "10ms"))
        self.end_one(client)
        shown = self.until(client, pending=0, delivered=1)
        self.assertEqual((shown["failed"], shown["last_failure"]), (1, "exit status 75: busy"))
        left = [file.read_text() for file in Path(f"/proc/{daemon.process.pid}/task").glob("*/children")]
        self.assertEqual("".join(left), "", "every program is reaped")


if __name__ == "__main__":
    unittest.main()
