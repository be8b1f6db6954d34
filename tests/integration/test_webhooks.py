#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Webhooks: what needs a person is sent to the receiver only, signed, at least once and in order, whatever the receiver does."""
import json
import socket
import threading
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, unique
from support.cli import Cli
from support.daemon import Daemon
from support.limits import eventually
from support.llm import LlmServer
from support.webhook_receiver import SECRET, Receiver

NEVER = "1h"  # a pause that no test waits out


class WebhookCase(OwnDaemonCase):
    def receiver(self, **how) -> Receiver:
        receiver = Receiver(**how)
        self.addCleanup(receiver.stop)
        return receiver

    def configured(self, *endpoints, retry=("0s", NEVER), more: str = "") -> str:
        """Each endpoint is (name, url, settings)."""
        lines = ["[webhooks]", f"retry = {json.dumps(list(retry))}"]
        for name, url, *settings in endpoints:
            values = {"url": url, "secret_env": "HOOK_SECRET", "allow_private_addresses": "on", **(settings[0] if settings else {})}
            lines += [f"[webhooks.endpoints.{name}]"] + [f"{k} = {json.dumps(v)}" for k, v in values.items() if v is not None]
        return "\n".join(lines) + "\n" + more

    def told(self, *endpoints, secret: str = SECRET, settings: dict | None = None, test_clock: bool = False, **how):
        """A daemon with these webhooks, and a client of its operator."""
        daemon = Daemon(settings, self.configured(*endpoints, **how), test_clock=test_clock)
        daemon.environment["HOOK_SECRET"] = secret
        self.addCleanup(daemon.close)
        daemon.start()
        return daemon, self.client(daemon, token=daemon.operator_token())

    def shown(self, client, name: str = "ops") -> dict:
        webhooks = client._expect((200,), client.get("/v1/webhooks"))["webhooks"]
        return next(webhook for webhook in webhooks if webhook["name"] == name)

    def until(self, client, name: str = "ops", **expected) -> dict:
        """The webhook, once these of its members are as expected."""
        def reached():
            shown = self.shown(client, name)
            return shown if all(shown[k] == v for k, v in expected.items()) else None
        return eventually(reached, 60, f"{name} {expected}")

    def end_one(self, client) -> str:
        session = unique()
        client.report(session, "message", role="assistant", text="x")
        client.end(session)
        return session


class Deliveries(WebhookCase):
    def test_everything_that_needs_a_person_arrives_signed(self):
        receiver = self.receiver()
        daemon, client = self.told(("ops", receiver.url), test_clock=True)
        session = unique()
        client.open(session, goal="mend it", agent={"type": "coder"}, labels={"team": "a"}, budget={"max_steps": 10})
        asked = client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"command": "ls"}, "expires_in_ms": 5000})
        self.assertEqual(asked.status, 201, asked.body)
        receiver.wait_for(1)
        daemon.clock.advance(6)
        receiver.wait(lambda messages: "approval.expired" in [m.type for m in messages], what="the expiry")
        for number in range(9):
            client.report(session, "tool.finished", tool="bash", ok=True, call_id=f"c{number}", args={"n": number}, result=str(number))
        quiet = unique()
        client.beat(quiet)
        daemon.clock.advance(21)
        receiver.wait(lambda messages: any(m.type == "verdict.changed" and m.data["session"] == quiet for m in messages), what="silence")
        client.end(session, "failed", reason="gave up")
        messages = receiver.wait(lambda messages: "session.ended" in [m.type for m in messages], what="the end")
        self.assertEqual(receiver.wrong, [])
        mine = [m for m in messages if m.data["session"] == session and m.type != "verdict.changed"]
        self.assertEqual([m.type for m in mine][:2] + [m.type for m in mine][-1:],
                         ["approval.requested", "approval.expired", "session.ended"])
        levels = [m.data["event"]["to"] for m in mine if m.type == "budget.level"]
        self.assertEqual(levels, ["critical", "exhausted"])
        first = mine[0].data
        self.assertEqual((first["approval"], first["goal"], first["agent"], first["labels"], first["event"]["args"]),
                         (asked.json()["id"], "mend it", "coder", {"team": "a"}, {"command": "ls"}))
        self.assertEqual(mine[-1].data["event"]["outcome"], "failed")
        silent = next(m for m in messages if m.data["session"] == quiet)
        self.assertEqual(silent.data["event"]["to"], "silent")
        self.assertEqual(sorted(m.data["n"] for m in mine), [m.data["n"] for m in mine], "in order")
        self.assertEqual(len({m.id for m in messages}), len(messages))
        journal = {event["n"]: event for event in client.journal(session)}
        for message in mine:
            self.assertEqual(message.data["event"], journal[message.data["n"]]["data"])
            self.assertEqual(message.timestamp, journal[message.data["n"]]["at"])
        shown = self.until(client, pending=0)
        self.assertEqual((shown["state"], shown["dead"], shown["delivered"]), ("active", 0, len(messages)))
        metrics = client.get("/metrics").body.decode()
        self.assertIn(f'headway_webhook_delivered_total{{webhook="ops"}} {len(messages)}', metrics)

    def test_an_endpoint_gets_its_events_and_no_others(self):
        ends, all_verdicts = self.receiver(), self.receiver()
        daemon, client = self.told(("ends", ends.url, {"events": ["session.ended"]}),
                                   ("verdicts", all_verdicts.url, {"events": ["verdict.changed"], "verdicts": ["completed"]}))
        session = self.end_one(client)
        self.assertEqual([m.type for m in ends.wait_for(1)], ["session.ended"])
        self.assertEqual([(m.type, m.data["event"]["to"]) for m in all_verdicts.wait_for(1)], [("verdict.changed", "completed")])
        self.until(client, "ends", pending=0, delivered=1)
        self.until(client, "verdicts", pending=0, delivered=1)
        self.assertEqual(ends.messages[0].data["session"], session)

    def test_both_secrets_sign_while_one_is_replaced(self):
        other = "whsec_" + "bmV3ZXIsIGFuZCBhbHNvIGxvbmcgZW5vdWdo"
        receiver = self.receiver(secrets=(other, SECRET))
        _, client = self.told(("ops", receiver.url), secret=f"{other} {SECRET}")
        self.end_one(client)
        receiver.wait_for(1)
        self.assertEqual(receiver.wrong, [])

    def test_what_was_redacted_stays_redacted(self):
        receiver = self.receiver()
        daemon, client = self.told(("ops", receiver.url))
        canary = "sk-ant-api03-" + "c4n4ry" * 10
        session = unique()
        client.open(session, goal=f"use {canary} to log in", labels={"team": "a"})
        client.report(session, "tool.finished", tool="bash", ok=False, error={"class": "x", "message": f"password={canary}"})
        client.end(session, "failed", reason=f"Authorization: Bearer {canary}", result={"api_key": canary})
        receiver.wait_for(1)
        self.assertEqual([m for m in receiver.messages if b"c4n4ry" in m.body], [])
        self.assertIn("REDACTED", receiver.messages[-1].body.decode().upper())

    def test_large_arguments_are_left_out(self):
        receiver = self.receiver()
        _, client = self.told(("ops", receiver.url))
        session = unique()
        client.open(session)
        reply = client.post(f"/v1/sessions/{session}/approvals", {"tool": "write", "args": {"text": "x" * 50_000}})
        self.assertEqual(reply.status, 201)
        message = receiver.wait_for(1)[0]
        self.assertEqual(receiver.wrong, [])
        self.assertTrue(message.data["truncated"])
        self.assertNotIn("args", message.data["event"])


class Failures(WebhookCase):
    def test_a_failure_is_tried_again_with_the_same_id_and_in_order(self):
        receiver = self.receiver()
        receiver.answers = [500, (302, {"Location": receiver.url + "/elsewhere"}), 429]
        _, client = self.told(("ops", receiver.url), retry=("0s", "50ms", "50ms", "50ms"))
        sessions = [self.end_one(client) for _ in range(3)]
        messages = receiver.wait_for(6)
        self.assertEqual([m.data["session"] for m in messages], [sessions[0]] * 4 + sessions[1:])
        self.assertEqual(len({m.id for m in messages}), 3)
        self.assertEqual({m.path for m in messages}, {"/hook"}, "a redirect is not followed")
        self.assertEqual(receiver.wrong, [])
        shown = self.until(client, pending=0, delivered=3)
        self.assertEqual((shown["failed"], shown["state"]), (3, "active"))
        self.assertIn("HTTP 429", shown["last_failure"])

    def test_the_tries_of_three_days_come_at_their_times(self):
        receiver = self.receiver()
        receiver.always = 500
        daemon, client = self.told(("ops", receiver.url), retry=("0s", "1m", "1h", "70h"), test_clock=True)
        self.end_one(client)
        for tried, pause in enumerate((60, 3600, 70 * 3600), 1):
            self.until(client, failed=tried)
            daemon.clock.advance(0.9 * pause)
            self.assertEqual(len(receiver.messages), tried)
            daemon.clock.advance(0.35 * pause)
            receiver.wait_for(tried + 1)
        self.until(client, failed=4, dead=1, pending=0)
        self.assertEqual(len({m.id for m in receiver.messages}), 1)
        # By its own clock the receiver finds their stamps to be days ahead, and nothing else wrong with them.
        self.assertEqual([problem for problem in receiver.wrong if not problem.endswith("is not now")], [])

    def test_a_receiver_that_is_not_there_is_found_when_it_comes(self):
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            port = place.getsockname()[1]
        _, client = self.told(("ops", f"http://127.0.0.1:{port}/hook"), retry=("0s", *["100ms"] * 19))
        session = self.end_one(client)
        shown = self.until(client, state="failing")
        self.assertIn("cannot be reached", shown["last_failure"])
        receiver = self.receiver(port=port)
        self.assertEqual(receiver.wait_for(1)[0].data["session"], session)

    def test_retry_after_is_heeded(self):
        receiver = self.receiver()
        receiver.answers = [(503, {"Retry-After": "3600"})]
        _, client = self.told(("ops", receiver.url), retry=("0s", "1ms", "1ms"))
        self.end_one(client)
        shown = self.until(client, failed=1)
        soon = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 3000))
        self.assertGreater(shown["next_try_at"], soon)
        self.assertEqual(len(receiver.messages), 1)

    def test_410_ends_it_and_a_test_begins_it_again(self):
        receiver = self.receiver()
        receiver.answers = [410]
        daemon, client = self.told(("ops", receiver.url))
        first = self.end_one(client)
        self.until(client, state="disabled", dead=1)
        second = self.end_one(client)
        self.until(client, dead=2, pending=0)
        self.assertEqual(len(receiver.messages), 1)
        refused = client.post("/v1/webhooks/ops/replay", {"all": True})
        self.assertEqual((refused.status, refused.json()["code"]), (409, "webhook_unusable"))
        cli = Cli(daemon)
        self.assertIn("disabled", cli.run("webhooks", "list").out)
        tested = cli.run("webhooks", "test", "ops")
        self.assertEqual((tested.code, tested.err), (0, ""))
        self.assertEqual(receiver.messages[-1].type, "webhook.test")
        self.assertEqual(client._expect((200,), client.post("/v1/webhooks/ops/replay", {"all": True})), {"replayed": 2})
        self.assertEqual([m.data["session"] for m in receiver.wait_for(4)[2:]], [first, second])
        self.assertEqual(receiver.wrong, [])

    def test_dead_letters_are_seen_and_sent_again_from_the_command_line(self):
        receiver = self.receiver()
        receiver.always = 422
        daemon, client = self.told(("ops", receiver.url), retry=("0s",))
        sessions = [self.end_one(client) for _ in range(3)]
        self.until(client, dead=3, pending=0)
        cli = Cli(daemon)
        listed = cli.run("webhooks", "dead", "ops", "--json").json()
        self.assertEqual([d["session"] for d in listed], sessions)
        self.assertEqual({(d["type"], d["tries"], d["reason"]) for d in listed}, {("session.ended", 1, "HTTP 422")})
        table = cli.run("webhooks", "dead", "ops").out
        self.assertIn(listed[0]["id"], table)
        page = client._expect((200,), client.get("/v1/webhooks/ops/deliveries?state=dead&limit=2"))
        self.assertEqual([d["session"] for d in page["deliveries"]], sessions[:2])
        rest = client._expect((200,), client.get(f"/v1/webhooks/ops/deliveries?state=dead&limit=2&cursor={page['next']}"))
        self.assertEqual(([d["session"] for d in rest["deliveries"]], rest["next"]), (sessions[2:], None))
        receiver.always = 200
        self.assertEqual(cli.run("webhooks", "replay", "ops").code, 64)
        self.assertEqual(cli.run("webhooks", "replay", "ops", listed[1]["id"], "--json").json(), {"replayed": 1})
        self.assertEqual(receiver.wait_for(4)[3].id, listed[1]["id"])
        self.assertIn("2 sent again", cli.run("webhooks", "replay", "ops", "--all").out)
        self.assertEqual({m.id for m in receiver.wait_for(6)[3:]}, {d["id"] for d in listed})
        self.until(client, dead=0, pending=0, delivered=3)
        self.assertEqual(cli.run("webhooks", "replay", "ops", "msg_none").code, 1)
        self.assertEqual(cli.run("webhooks", "dead", "absent").code, 1)

    def test_one_that_hangs_holds_up_neither_reports_nor_another(self):
        slow, good = self.receiver(), self.receiver()
        slow.always = "hang"
        daemon, client = self.told(("slow", slow.url, {"timeout": "1m"}), ("good", good.url))
        for number in range(5):
            self.end_one(client)
            good.wait_for(number + 1)
        self.assertEqual(len(slow.wait_for(1)), 1, "one at a time")
        self.assertEqual(self.shown(client, "slow")["pending"], 5)
        started = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - started, 30, "a stop does not wait for a delivery")

    def test_a_stop_answers_clients_that_wait_for_a_test(self):
        slow = self.receiver()
        slow.always = "hang"
        daemon, _ = self.told(("slow", slow.url, {"timeout": "1m"}))
        replies = []
        tester = self.client(daemon, token=daemon.operator_token(), timeout=60)
        thread = threading.Thread(target=lambda: replies.append(tester.post("/v1/webhooks/slow/test")), daemon=True)
        thread.start()
        slow.wait_for(1)
        self.assertEqual(daemon.stop(), 0)
        thread.join()
        self.assertEqual((replies[0].status, replies[0].json()["code"]), (503, "draining"))

    def test_a_reply_without_end_is_no_matter(self):
        receiver = self.receiver()
        receiver.answers = [(200, {"Content-Length": "100000000"})]  # and not a byte of it
        _, client = self.told(("ops", receiver.url, {"timeout": "500ms"}))
        self.end_one(client)
        self.until(client, delivered=1, pending=0)


class Crashes(WebhookCase):
    def test_every_acknowledged_event_arrives_through_kill_9_with_one_id(self):
        receiver = self.receiver()
        receiver.answers = [500, 204, 503, "hang"]
        daemon, client = self.told(("ops", receiver.url, {"timeout": "1m"}), retry=("0s", *["10ms"] * 19))
        sessions = []
        for _ in range(4):
            sessions += [self.end_one(client) for _ in range(5)]
            daemon.restart()  # kill -9, wherever the deliveries are
            client = self.client(daemon)
        messages = receiver.wait(lambda messages: {m.data["session"] for m in messages} == set(sessions), 60, "every session")
        ids = {}
        for message in messages:
            ids.setdefault(message.data["session"], set()).add(message.id)
        self.assertEqual({len(known) for known in ids.values()}, {1}, "a message has one id, however often it comes")
        self.assertEqual(receiver.wrong, [])
        self.until(client, pending=0, dead=0)

    def test_what_waits_is_kept_while_an_endpoint_is_not_configured(self):
        receiver = self.receiver()
        receiver.always = 500
        daemon, client = self.told(("ops", receiver.url))
        session = self.end_one(client)
        self.until(client, failed=1)
        self.assertEqual(daemon.stop(), 0)
        with_it = daemon.config_file.read_text()
        daemon.config_file.write_text("")
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        shown = self.shown(client)
        self.assertEqual((shown["state"], shown["pending"], shown["url"]), ("removed", 1, ""))
        self.assertIn("kept for a week", shown["problem"])
        self.assertEqual(client.post("/v1/webhooks/ops/test").json()["code"], "webhook_unusable")
        self.assertEqual(daemon.stop(), 0)
        daemon.config_file.write_text(with_it.replace(NEVER, "10ms"))
        receiver.always = 204
        daemon.start()
        client = self.client(daemon, token=daemon.operator_token())
        self.assertEqual(self.shown(client)["state"], "failing")
        other = self.end_one(client)
        self.assertEqual({m.data["session"] for m in receiver.wait_for(3)[1:]}, {session, other})


class Addresses(WebhookCase):
    # All of these are this machine, however they are written.
    NAMES = ("127.0.0.1", "localhost", "2130706433", "127.1", "0x7f.1", "0177.0.0.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]",
             "[::ffff:7f00:1]", "[::]", "127.0.0.1.", "LOCALHOST")

    def test_this_machine_is_refused_however_it_is_written(self):
        receiver = self.receiver()
        for some in (self.NAMES[:7], self.NAMES[7:]):
            hooks = [(f"e{i}", f"http://{host}:{receiver.port}/x", {"allow_private_addresses": None, "timeout": "5s"})
                     for i, host in enumerate(some)]
            daemon, client = self.told(*hooks)
            self.end_one(client)
            for name, url, _ in hooks:
                with self.subTest(url):
                    shown = self.until(client, name, failed=1)
                    self.assertRegex(shown["last_failure"], "address; if that is meant, set its allow_private_addresses|cannot be reached|"
                                                            "no answer")
            self.assertEqual(receiver.messages, [])
        self.assertIn("127.0.0.1, a loopback address",
                      self.reason_for("127.1", receiver.port))

    def reason_for(self, host: str, port: int) -> str:
        _, client = self.told(("ops", f"http://{host}:{port}/x", {"allow_private_addresses": None}))
        self.end_one(client)
        return self.until(client, failed=1)["last_failure"]

    def test_a_connection_of_a_judge_is_not_used(self):
        """libcurl would reuse one to the same host and port, without a check of its address."""
        receiver = self.receiver()
        root = f"http://127.0.0.1:{receiver.port}"
        _, client = self.told(("ops", root + "/x", {"allow_private_addresses": None}),
                              more=f'[judge.endpoints.local]\nbase_url = "{root}/v1"\nmodel = "m"\n')
        receiver.always = 400
        client.post("/check-status", {"sessionId": unique()})
        session = unique()
        client.report(session, "message", role="assistant", text="x")
        checked = client._expect((202,), client.post("/check-status", {"sessionId": session}))
        client._expect((200,), client.get(f"/check-status/{checked['checkId']}?wait=2m"))
        client.end(session)
        self.until(client, failed=1)
        self.assertEqual({m.path for m in receiver.messages}, {"/v1/chat/completions"})

    def test_a_proxy_of_the_environment_is_not_used(self):
        receiver, proxy = self.receiver(), self.receiver()
        daemon = Daemon(None, self.configured(("ops", receiver.url)))
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            daemon.environment[name] = f"http://127.0.0.1:{proxy.port}"
        daemon.environment["HOOK_SECRET"] = SECRET
        self.addCleanup(daemon.close)
        daemon.start()
        self.end_one(self.client(daemon))
        receiver.wait_for(1)
        self.assertEqual(proxy.messages, [])


class Surroundings(WebhookCase):
    def test_over_tls_only_a_trusted_receiver_gets_messages(self):
        with LlmServer(tls=True) as server:  # which knows no webhooks, but speaks TLS
            url = server.root + "/hook"
            _, client = self.told(("trusted", url, {"ca_file": server.certificate}), ("stranger", url))
            self.end_one(client)
            self.assertIn("HTTP 404", self.until(client, "trusted", failed=1)["last_failure"])
            self.assertRegex(self.until(client, "stranger", failed=1)["last_failure"], "is not trusted: .*; set its ca_file")

    def test_secrets_are_never_shown(self):
        receiver = self.receiver()
        secret_file = Path(self.start().root) / "secret"
        secret_file.write_text(SECRET + "\n")
        daemon, client = self.told(("ops", receiver.url + "?key=hidden", {"secret_env": None, "secret_file": str(secret_file)}))
        self.end_one(client)
        receiver.wait_for(1)
        self.assertEqual(receiver.wrong, [])
        self.assertEqual(receiver.messages[0].path, "/hook?key=hidden")
        cli = Cli(daemon)
        texts = [client.get(path).body.decode() for path in ("/v1/webhooks", "/v1/webhooks/ops/deliveries", "/metrics", "/v1/system")]
        texts += [cli.run("webhooks", "list").out, cli.run("webhooks", "test", "ops").out, daemon.log()]
        for text in texts:
            self.assertNotIn(SECRET.removeprefix("whsec_"), text)
            self.assertNotIn("hidden", text)

    def test_a_secret_that_cannot_be_read_is_said_and_what_waits_is_sent_later(self):
        receiver = self.receiver()
        daemon, client = self.told(("ops", receiver.url), secret="whsec_short")
        session = self.end_one(client)
        shown = self.shown(client)
        self.assertEqual((shown["state"], shown["pending"]), ("misconfigured", 1))
        self.assertIn("headway webhooks secret", shown["problem"])
        self.assertNotIn("short", shown["problem"])
        self.assertIn("webhook ops cannot be sent to", daemon.log())
        self.assertEqual(daemon.stop(), 0)
        daemon.environment["HOOK_SECRET"] = SECRET
        daemon.start()
        self.assertEqual(receiver.wait_for(1)[0].data["session"], session)

    def test_a_made_secret_is_one(self):
        made = Cli(None, "http://127.0.0.1:9").run("webhooks", "secret").out.strip()
        self.assertNotEqual(made, Cli(None, "http://127.0.0.1:9").run("webhooks", "secret").out.strip())
        receiver = self.receiver(secrets=(made,))
        _, client = self.told(("ops", receiver.url), secret=made)
        self.end_one(client)
        receiver.wait_for(1)
        self.assertEqual(receiver.wrong, [])

    def test_doctor_connects_and_sends_nothing(self):
        receiver = self.receiver()
        daemon, _ = self.told(("ops", receiver.url), ("inside", receiver.url, {"allow_private_addresses": None}),
                              ("nosecret", receiver.url, {"secret_env": "NO_SUCH"}), ("dead", "http://127.0.0.1:9/x"))
        cli = Cli(daemon)
        cli.environment["HOOK_SECRET"] = SECRET
        found = cli.run("doctor", "--config", str(daemon.config_file), "--json").json()
        checks = {check["check"]: check for check in found["checks"]}
        self.assertTrue(checks["webhook ops"]["ok"], checks)
        self.assertIn("connects to 127.0.0.1", checks["webhook ops"]["detail"])
        self.assertIn("a loopback address", checks["webhook inside"]["detail"])
        self.assertIn("NO_SUCH is not set", checks["webhook nosecret"]["detail"])
        self.assertIn("cannot be reached", checks["webhook dead"]["detail"])
        self.assertEqual(receiver.messages, [])

    def test_only_the_operator_tests_and_replays(self):
        receiver = self.receiver()
        daemon, _ = self.told(("ops", receiver.url))
        anybody = self.client(daemon)
        for path, body in (("/v1/webhooks/ops/test", None), ("/v1/webhooks/ops/replay", {"all": True})):
            self.assertEqual(anybody.post(path, body).status, 401)
        self.assertEqual(anybody.get("/v1/webhooks").status, 200)
        self.assertEqual(receiver.messages, [])

    def test_without_any_nothing_is_there(self):
        daemon = self.start()
        client = self.client(daemon, token=daemon.operator_token())
        self.assertEqual(client._expect((200,), client.get("/v1/webhooks")), {"webhooks": []})
        self.assertEqual(client.get("/v1/webhooks/ops/deliveries").json()["code"], "unknown_webhook")
        self.assertEqual(client.post("/v1/webhooks/ops/test").json()["code"], "unknown_webhook")
        self.assertNotIn("headway_webhook", client.get("/metrics").body.decode())
        self.assertIn("no webhooks", Cli(daemon).run("webhooks", "list").err)


if __name__ == "__main__":
    unittest.main()
