#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of faults of clients/python/README.md: what the agent sees of each, and that nothing counts twice."""
import asyncio
import contextlib
import logging
import os
import statistics
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from support.case import OwnDaemonCase, unique
from support.client_stand import Stand
from support.daemon import PROJECT
from support.daemon_urls import daemon_urls
from support.disks import SmallDisk, SmallDiskDaemon
from support.limits import SEED, SLOW, eventually, patient
from support.lossy import Lossy
from support.other_program import OtherProgram

sys.path.insert(0, str(PROJECT / "clients/python"))
import headway  # noqa: E402
from headway import _address, _outbox, _session, _wire  # noqa: E402

logging.getLogger("headway").setLevel(logging.CRITICAL)


def kinds(journal, kind) -> list:
    return [event["data"] for event in journal if event["type"] == kind]


def tries_often(test):
    """A daemon that was away is tried again soon."""
    for name, value in (("FIRST_PAUSE", 0.02), ("PAUSE_MAX", 0.1)):
        patch = mock.patch.object(_wire, name, value)
        patch.start()
        test.addCleanup(patch.stop)


class FaultCase(OwnDaemonCase):
    def setUp(self):
        tries_often(self)

    def all_sent(self, session):
        eventually(lambda: session._outbox.sent(session._number), what="all reports")

    def one_waits(self, daemon):
        operator = self.client(daemon, token=daemon.operator_token())
        eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)

    def once(self, journal, count):
        """So many calls, each with one start at most and one end, and each event once."""
        finished = [d["call_id"] for d in kinds(journal, "tool.finished")]
        started = [d["call_id"] for d in kinds(journal, "tool.started")]
        ids = [event["event_id"] for event in journal if "event_id" in event]
        self.assertEqual((len(finished), len(set(finished))), (count, count))
        self.assertEqual(len(started), len(set(started)))
        self.assertEqual(len(ids), len(set(ids)))

    @contextlib.contextmanager
    def left_open(self, url, **more):
        """A session whose end comes when all is sent."""
        session = headway.Session("x", id=unique("f"), url=url, **more).start()
        yield session
        self.all_sent(session)
        session.end("completed")
        self.all_sent(session)


class Away(FaultCase):
    def test_no_daemon_costs_no_time_and_its_reports_come_later(self):
        daemon = self.start()
        port = daemon.port
        daemon.stop()
        with self.left_open(f"http://127.0.0.1:{port}") as s:
            s.advice()
            eventually(s._wire.away)
            took = []
            for i in range(50):
                begin = time.perf_counter()
                call = s.begin("bash", {"command": f"make {i}", "env": {"a": ["b"] * 10}})
                call.done("x" * 1000)
                took.append(time.perf_counter() - begin)
                self.assertTrue(call)
            self.assertLess(statistics.median(took), 0.001 * SLOW, took)
            self.assertEqual((s.advice(), s.stopped, bool(s.approve("?")), s.ask("?")), ("", "", False, None))
            daemon.start(port)
        journal = self.client(daemon).journal(s.id)
        self.once(journal, 50)
        self.assertEqual(kinds(journal, "session.ended")[0]["outcome"], "completed")

    def test_a_report_waits_until_another_program_leaves_the_daemons_port(self):
        daemon = self.start()
        port = daemon.port
        pause = mock.patch.object(_wire, "HUNG_PAUSE", 0.1)
        pause.start()
        self.addCleanup(pause.stop)
        for status in (200, 403, 404, 405, 501):
            with self.subTest(status=status):
                daemon.stop()
                with OtherProgram(status, port=port) as other, self.left_open(f"http://127.0.0.1:{port}") as s:
                    s.begin("bash", {"command": "make"}).done("made")
                    eventually(lambda: len(other.asked) > 1, what="a second try")
                    other.stop()
                    daemon.start(port)
                self.once(self.client(daemon).journal(s.id), 1)

    def test_what_waits_for_a_daemon_is_bounded(self):
        with headway.Session("x", id="bounded", url="http://127.0.0.1:9") as s:
            for i in range(5000):
                s.begin("bash", {"i": i}).done("y" * 100_000)
            self.assertLessEqual(len(s._outbox._items), 1024)
            self.assertLessEqual(s._outbox._bytes, 32 << 20)
            begin = time.monotonic()
        self.assertLess(time.monotonic() - begin, 1 * SLOW, "the end waits for no daemon that is away")

    def test_a_call_that_may_not_run_without_headway(self):
        with headway.Session("x", id="required", url="http://127.0.0.1:9") as s:
            @s.tool(require=True)
            def deploy():
                raise AssertionError("it ran")
            with self.assertRaises(headway.Denied):
                deploy()

    def test_addresses_that_are_none(self):
        wrong = [given for given, kind, _ in daemon_urls() if kind == "wrong"]
        for url in [*wrong, "unix:/nonexistent/x"]:
            with self.subTest(url), headway.Session("x", id="s", url=url) as s:
                call = s.begin("bash", {})
                call.done(1)
                self.assertTrue(call)
                self.assertEqual(s._wire._address is None, url in wrong)

    def test_an_address_that_is_none_is_said_without_it(self):
        with self.assertLogs("headway", "WARNING") as logs:
            headway.Session("x", id="s", url="http://ana:s3cret@127.0.0.1:7718").start()
        self.assertIn("is no URL of a daemon; write http://HOST:PORT", logs.output[0])
        self.assertNotIn("s3cret", logs.output[0])

    def test_addresses_are_read_as_everywhere(self):
        for given, kind, normal in daemon_urls():
            with self.subTest(given):
                read = _address.address_of(given)
                self.assertEqual(("wrong", "") if read is None else (read.scheme, read.name), (kind, normal))
        read = _address.address_of("HTTP://[::1]:7717/base/")
        self.assertEqual((read.host, read.port, read.base), ("::1", 7717, "/base"))


class Killed(FaultCase):
    def test_in_a_call(self):
        daemon = self.start()
        with self.left_open(daemon.url) as s:
            with s.call("bash", {"command": "make"}) as call:
                daemon.kill()
                call.result = "done"
            s.begin("bash", {"command": "test"}).done("also done")
            s.usage(input_tokens=3)
            daemon.start(daemon.port)
        client = self.client(daemon)
        self.once(client.journal(s.id), 2)
        self.assertEqual(client.session(s.id)["in_flight"], [])

    def test_in_a_hold_and_started_again(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        ran = []
        with self.left_open(daemon.url) as s, ThreadPoolExecutor(1) as pool:
            held = pool.submit(s.tool(lambda: ran.append(1), name="deploy"))
            self.one_waits(daemon)
            daemon.restart()
            self.assertEqual(ran, [])
            operator = self.client(daemon, token=daemon.operator_token())
            (waiting,) = operator.get("/v1/approvals").json()["approvals"]
            self.assertEqual(operator.post(f"/v1/approvals/{waiting['id']}/decision", {"decision": "approve"}).status, 200)
            held.result(patient(20))
        self.assertEqual(ran, [1])
        journal = operator.journal(s.id)
        self.once(journal, 1)
        self.assertEqual(len(kinds(journal, "approval.requested")), 1)
        self.assertEqual(kinds(journal, "approval.alarm"), [])

    def test_in_a_hold_and_gone(self):
        """A person was asked, so it does not run; and a daemon that comes back later hears so."""
        daemon = self.start({"approvals.require_tools": "deploy"})
        with mock.patch.object(_session, "AGAIN_SECONDS", 0.5), ThreadPoolExecutor(2) as pool:
            with self.left_open(daemon.url) as s:
                held, asked = pool.submit(s.begin, "deploy", {}), pool.submit(s.approve, "may I?")
                operator = self.client(daemon, token=daemon.operator_token())
                eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 2)
                daemon.kill()
                call = held.result(patient(20))
                self.assertFalse(call)
                self.assertIn("went away", call.denied)
                self.assertFalse(asked.result(patient(20)))
                self.assertTrue(s.begin("deploy", {}), "no person was asked of this one")
                daemon.start(daemon.port)
            (finished,) = [d for d in kinds(self.client(daemon).journal(s.id), "tool.finished") if d["call_id"] == call.id]
            self.assertEqual(finished["error"]["class"], "denied")

    def test_of_a_daemon_that_broke_off_nothing_is_known(self):
        """As without a daemon: it runs at once, unless its author says that it may not; then it is asked again first."""
        stand = Stand(lambda method, path, body: "reset" if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with mock.patch.object(_session, "AGAIN_SECONDS", 0.5), headway.Session("x", id="n", url=stand.url) as s:
            self.assertTrue(s.begin("bash", {}))
            self.assertLessEqual(stand.events().count("pre"), 2, "a connection that was used before may be stale")
            s.said("x")  # what is to be sent finds out that it is back
            eventually(lambda: not s._wire.away())
            before = stand.events().count("pre")
            self.assertFalse(s.begin("bash", {}, require=True))
        self.assertGreater(stand.events().count("pre"), before + 2)
        self.assertEqual(len({b["event_id"] for b in stand.bodies() if b["event"] == "pre"}), 2)

    def test_a_hold_that_falls_silent_is_no_answer_either(self):
        answers = [[" ", 5.0]]
        stand = Stand(lambda method, path, body: (answers.pop() if answers else None) if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with mock.patch.dict(os.environ, HEADWAY_HOOK_SILENCE_MS="200"), mock.patch.object(_session, "AGAIN_SECONDS", 0.3), \
                headway.Session("x", id="n", url=stand.url) as s:
            self.assertFalse(s.begin("deploy", {}))

    def test_each_time_a_daemon_goes_away_in_a_hold_the_time_begins_again(self):
        """Held for longer than a call waits for a daemon that is away, and broken off again."""
        answers = [[" ", None], [" ", 1.5, None], [" ", 1.5, None], {"deny": "no"}]
        stand = Stand(lambda method, path, body: answers.pop(0) if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with mock.patch.object(_session, "AGAIN_SECONDS", 1.0), headway.Session("x", id="n", url=stand.url) as s:
            self.assertEqual(s.begin("deploy", {}).denied, "no")
        self.assertEqual(len({b["event_id"] for b in stand.bodies() if b["event"] == "pre"}), 1)

    def test_a_hold_that_ends_well_but_without_a_decision_is_none(self):
        answers = [[" ", 0.1, " "], {"deny": "no"}]
        stand = Stand(lambda method, path, body: answers.pop(0) if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with mock.patch.object(_wire, "HUNG_PAUSE", 0.1), headway.Session("x", id="n", url=stand.url) as s:
            self.assertEqual(s.begin("deploy", {}).denied, "no")

    def test_another_program_holds_no_call(self):
        """It would be asked again without end."""
        foreign = (200, {"X-Headway": None}, [" ", 0.1, None])
        stand = Stand(lambda method, path, body: foreign if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with headway.Session("x", id="n", url=stand.url) as s:
            self.assertTrue(s.begin("deploy", {}))
        self.assertLessEqual(stand.events().count("pre"), 2, "a connection that was used before may be stale")

    def test_what_answers_after_a_hold_but_not_as_the_daemon_is_no_answer(self):
        """A proxy before a daemon that starts again."""
        answers = [[" ", None], (502, {}, {}), (404, {}, {}), (401, {}, {}), {"deny": "no"}]
        stand = Stand(lambda method, path, body: answers.pop(0) if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with headway.Session("x", id="n", url=stand.url) as s:
            self.assertEqual(s.begin("deploy", {}).denied, "no")

    def test_stopped_in_a_hold(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        s = headway.Session("x", id=unique("f"), url=daemon.url).start()
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(s.begin, "deploy", {})
            self.one_waits(daemon)
            daemon.stop()
            call = held.result(patient(20))
        self.assertFalse(call)
        self.assertIn("again", call.denied)


class Refusing(FaultCase):
    def refusing(self, status, headers):
        stand = Stand(lambda method, path, body: (status, headers, {"detail": "later"}))
        self.addCleanup(stand.close)
        return stand

    def test_503_and_429_with_retry_after(self):
        for status in (503, 429, 500, 502, 507):
            with self.subTest(status):
                stand = self.refusing(status, {"Retry-After": "1"})
                with self.left_open(stand.url) as s:
                    for _ in range(20):
                        call = s.begin("bash", {})
                        self.assertTrue(call)
                        call.done(1)
                    time.sleep(0.4)
                    first = len(stand.got)
                    self.assertLessEqual(first, 2, "it is left alone until then")
                    stand.answer = lambda method, path, body: {}
                bodies = stand.bodies()
                ids = [b["event_id"] for b in bodies]
                self.assertEqual(len(ids), len(set(ids)) + sum(1 for b in bodies[:1] if ids.count(b["event_id"]) > 1))
                self.assertEqual(sum(b["event"] == "post" for b in bodies), 20)

    def test_a_report_that_is_broken_off_each_time_stands_before_no_other(self):
        stand = Stand(lambda method, path, body: "reset" if "poison" in str(body) else {})
        self.addCleanup(stand.close)
        with mock.patch.object(_outbox, "BROKEN_MAX", 3), self.left_open(stand.url) as s:
            s.said("poison")
            s.said("after")
        self.assertIn("after", [b.get("text") for b in stand.bodies()])

    def test_slow(self):
        stand = Stand(lambda method, path, body: None)
        self.addCleanup(stand.close)
        with mock.patch.dict(os.environ, HEADWAY_HOOK_SILENCE_MS="300"):
            with headway.Session("x", id="slow", url=stand.url) as s:
                begin = time.monotonic()
                for _ in range(20):
                    self.assertTrue(s.begin("bash", {}))
                self.assertLess(time.monotonic() - begin, 4 * SLOW, "the first waits, the others know")
        self.assertLessEqual(len(stand.got), 2)

    def test_held_as_long_as_bytes_come(self):
        stand = Stand(lambda method, path, body: [" ", 0.3, " ", 0.3, " ", 0.3, '{"deny":"no"}'] if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with mock.patch.dict(os.environ, HEADWAY_HOOK_SILENCE_MS=str(int(600 * SLOW))):
            with headway.Session("x", id="held", url=stand.url) as s:
                self.assertEqual(s.begin("bash", {}).denied, "no")

    def test_wrong_token(self):
        daemon = self.start({"access.mode": "token"})
        with self.assertLogs("headway", "WARNING") as logs:
            with headway.Session("x", id="wrong", url=daemon.url, token="hw_wrong_token") as s:
                for _ in range(5):
                    with s.call("bash", {}) as call:
                        call.result = 1
        self.assertEqual(len([line for line in logs.output if "refuses the token" in line]), 1)
        self.assertNotIn("hw_wrong_token", " ".join(logs.output))
        self.assertEqual(self.client(daemon, token=daemon.operator_token()).get("/v1/sessions/wrong").status, 404)

    def test_a_session_that_the_token_does_not_cover_takes_no_other_one_with_it(self):
        daemon = self.start({"access.mode": "token", "approvals.require_tools": "deploy"})
        operator = self.client(daemon, token=daemon.operator_token())
        token = operator.post("/v1/tokens", {"name": "night", "scopes": ["report:night"]}).json()["token"]
        with self.assertLogs("headway", "WARNING") as logs, headway.Session("x", id="night", url=daemon.url, token=token) as s:
            s.begin("bash", {"n": 0}).done(0)
            with s.child("look", id="helper") as other:
                for n in range(3):
                    self.assertTrue(other.begin("bash", {"n": n}), "nothing is known of it, as without a daemon")
                self.assertFalse(other.begin("bash", {}, require=True))
                self.all_sent(other)
                self.assertFalse(s._wire.away())
                with ThreadPoolExecutor(1) as pool:
                    held = pool.submit(s.begin, "deploy", {})
                    self.one_waits(daemon)
                    (waiting,) = operator.get("/v1/approvals").json()["approvals"]
                    self.assertEqual(operator.post(f"/v1/approvals/{waiting['id']}/decision", {"decision": "reject"}).status, 200)
                    self.assertFalse(held.result(patient(20)))
        self.once(operator.journal("night"), 2)
        self.assertEqual(operator.get("/v1/sessions/helper").status, 404)
        said = [line for line in logs.output if "403" in line]
        self.assertEqual(len(said), 2, said)  # its opening and its reports
        self.assertNotIn(token, " ".join(logs.output))

    def test_an_opening_that_is_refused_leaves_its_session_supervised(self):
        """Its rules are looser than those in force; its reports and questions are taken."""
        stand = Stand(lambda method, path, body: (403, {}, {"detail": "looser"}) if method == "PUT" else
                      {"deny": "no"} if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        with headway.Session("x", id="n", url=stand.url) as s:
            begin = time.monotonic()
            for _ in range(20):
                self.assertEqual(s.begin("bash", {}).denied, "no")
            self.assertLess(time.monotonic() - begin, 5 * SLOW, "no call waits for an opening that is over")

    def test_nonsense(self):
        nonsense = [["{"], ["null"], ["[1]"], ["\x00"], ['{"deny":{"a":1},"stop":7,"context":["x"],"edit":[1],"allow":true}'],
                    ['{"context":"'] + ["x" * 65536] * 200, ["[" * 100_000], ['{"deny":""}'], "reset"]
        for answer in nonsense:
            with self.subTest(str(answer)[:40]):
                stand = Stand(lambda method, path, body, answer=answer: answer)
                self.addCleanup(stand.close)
                with mock.patch.object(_session, "AGAIN_SECONDS", 0.1), headway.Session("x", id="n", url=stand.url) as s:
                    for _ in range(3):
                        call = s.begin("bash", {})
                        self.assertEqual(bool(call), '"deny":{' not in str(answer), "a refusal is one in any words")
                        call.done(1)
                    self.assertLessEqual(len(s.advice()), 4000)

    def test_a_refusal_is_one_in_any_words(self):
        for answer in ({"deny": True}, {"deny": {"a": 1}}, {"stop": 7}, {"deny": False}):
            with self.subTest(answer):
                stand = Stand(lambda method, path, body, answer=answer: answer if body.get("event") == "pre" else {})
                self.addCleanup(stand.close)
                with headway.Session("x", id="n", url=stand.url) as s:
                    self.assertIn("no text", s.begin("bash", {}).denied)
                    self.assertEqual(s.stopped, "")

    def test_a_call_that_must_be_supervised_does_not_run_on_nonsense(self):
        for answer in ("{", "null", "[1]", "", '{"deny":true}', '{"stop":7}'):
            with self.subTest(answer):
                stand = Stand(lambda method, path, body, answer=answer: [answer])
                self.addCleanup(stand.close)
                with mock.patch.object(_session, "AGAIN_SECONDS", 0.1), headway.Session("x", id="n", url=stand.url) as s:
                    self.assertFalse(s.call("bash", {}, require=True, raises=False).__enter__())

    def test_a_call_after_the_end_is_asked_about_as_any_other(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        with headway.Session("x", id="late", url=daemon.url) as s:
            s.begin("bash", {"n": 0}).done(0)
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(s.begin, "deploy", {})
            self.one_waits(daemon)
            operator = self.client(daemon, token=daemon.operator_token())
            (waiting,) = operator.get("/v1/approvals").json()["approvals"]
            no = {"decision": "reject", "then": "change_approach"}
            self.assertEqual(operator.post(f"/v1/approvals/{waiting['id']}/decision", no).status, 200)
            self.assertFalse(held.result(patient(20)))
        call = s.begin("bash", {"n": 1}, require=True)
        self.assertEqual(call.refusal, "")
        call.done(1)
        self.all_sent(s)
        self.assertEqual(operator.session("late")["outcome"], "completed")
        self.assertEqual(operator.session("late~2")["in_flight"], [])
        self.assertEqual([d["args"] for d in kinds(operator.journal("late~2"), "tool.finished") if d["ok"]], [{"n": 1}])

    def test_after_the_end_of_the_session_require_holds_as_before(self):
        for url in ("http://127.0.0.1:9", "nonsense"):
            with headway.Session("x", id="n", url=url, require=True) as s:
                tool = s.tool(lambda: self.fail("it ran"), name="bash")

                @s.tool
                async def other():
                    self.fail("it ran")
            with self.assertRaises(headway.Denied):
                tool()
            with self.assertRaises(headway.Denied):
                asyncio.run(other())

    def test_every_text_is_bounded(self):
        stand = Stand(lambda method, path, body: {"context": "\u00e9" * 100_000, "deny": "n" * 100_000})
        self.addCleanup(stand.close)
        with headway.Session("x", id="n", url=stand.url) as s:
            for _ in range(30):
                self.assertLessEqual(len(s.begin("bash", {}).denied.encode()), 2000)
            self.assertLessEqual(len(s.advice().encode()), 4000)


class FullDisk(FaultCase):
    def test_the_agent_goes_on_and_its_reports_come_when_there_is_room(self):
        disk = SmallDisk(48)
        daemon = SmallDiskDaemon(disk, {"storage.free_space_min": "6MiB", "storage.ballast": "4MiB"})
        self.addCleanup(daemon.close)
        daemon.start()
        with self.left_open(daemon.url) as s:
            s.begin("bash", {"i": 0}).done(0)
            self.all_sent(s)
            foreign = disk.fill(leave=1 << 20, reserve=daemon.ballast)
            client = self.client(daemon)
            eventually(lambda: client.get("/readyz").status == 503)
            for i in range(1, 10):
                call = s.begin("bash", {"i": i})
                self.assertTrue(call)
                call.done(i)
            self.assertFalse(s._outbox.sent(s._number))
            foreign.unlink()
        self.once(self.client(daemon).journal(s.id), 10)


class Clocks(FaultCase):
    def test_jumps_of_the_clock(self):
        daemon = self.start()
        real, ahead = time.time_ns, [0]
        with mock.patch.object(time, "time_ns", lambda: real() + ahead[0] * 1_000_000_000), \
                mock.patch.object(time, "time", lambda: real() / 1e9 + ahead[0]), self.left_open(daemon.url) as s:
            for ahead[0] in (0, 86400, -86400 * 365, 86400 * 365 * 20, 0):
                begin = time.monotonic()
                s.begin("bash", {"at": ahead[0]}).done(1)
                s.advice()
                self.assertLess(time.monotonic() - begin, 5 * SLOW)
        journal = self.client(daemon).journal(s.id)
        self.once(journal, 5)
        self.assertEqual([d["args"]["at"] for d in kinds(journal, "tool.started")], [0, 86400, -86400 * 365, 86400 * 365 * 20, 0])


class Losses(FaultCase):
    def test_lost_requests_and_lost_answers_count_once(self):
        daemon = self.start()
        lossy = Lossy(daemon.port, 0.3, SEED)
        self.addCleanup(lossy.close)
        with self.left_open(lossy.url) as s:
            lock, told = threading.Lock(), []

            def work(k):
                for i in range(15):
                    s.begin("bash", {"k": k, "i": i}).done(f"{k} {i}")
                    s.usage(input_tokens=1)
                    with lock:
                        told.append((k, i))
                    self.all_sent(s)
            with ThreadPoolExecutor(3) as pool:
                list(pool.map(work, range(3)))
            self.all_sent(s)
            lossy.rate = 0
        self.assertGreater(min(lossy.lost.values()), 5, lossy.lost)
        journal = self.client(daemon).journal(s.id)
        self.once(journal, 45)
        used = sum(d["usage"]["input_tokens"] for d in kinds(journal, "heartbeat") if "usage" in d)
        self.assertEqual(used, 45)


if __name__ == "__main__":
    unittest.main()
