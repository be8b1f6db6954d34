#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients/python against the real daemon: what is reported, what is obeyed, and that the agent's own work passes unchanged."""
import asyncio
import dataclasses
import datetime
import decimal
import enum
import ipaddress
import json
import logging
import numbers
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.client_stand import Stand
from support.daemon import PROJECT
from support.limits import SLOW, eventually, patient

sys.path.insert(0, str(PROJECT / "clients/python"))
import headway  # noqa: E402
from headway import _plain  # noqa: E402

logging.getLogger("headway").setLevel(logging.CRITICAL)


def kinds(journal, kind) -> list:
    return [event["data"] for event in journal if event["type"] == kind]


class ClientCase(SharedDaemonCase):
    settings = {"approvals.require_tools": "deploy,publish"}

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def session(self, goal="try it", **more):
        return headway.Session(goal, id=more.pop("id", None) or unique("py"), url=self.daemon.url, **more)

    def journal(self, session):
        return self.client.journal(session.id)

    def pending(self, session):
        client = self.daemon.operator()  # some ask from a thread of their own

        def look():
            reply = client.get("/v1/approvals?status=pending&session=" + session.id)
            return reply.json().get("approvals") if reply.status == 200 else None
        try:
            return eventually(look)[0]["id"]
        finally:
            client.close()

    def decide(self, session, decision, **more):
        reply = self.client.post(f"/v1/approvals/{self.pending(session)}/decision", {"decision": decision, **more})
        self.assertEqual(reply.status, 200, reply.body)

    def later(self, function, *args, **more):
        pool = ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        return pool.submit(function, *args, **more)


class Reports(ClientCase):
    def test_a_session_its_calls_its_use_and_its_end(self):
        with self.session("fix it", agent="mine", model="m1", labels={"team": "night"}, budget={"max_steps": 20}) as s:
            @s.tool
            def add(a, b=2):
                """Adds."""
                return a + b
            self.assertEqual((add(1), add(a=1, b=5), add.__name__, add.__doc__), (3, 6, "add", "Adds."))
            s.usage(input_tokens=10, output_tokens=5, cost_usd=0.25)
            s.said("done")
        document = self.client.session(s.id)
        self.assertEqual((document["goal"], document["agent"], document["labels"]["team"], document["verdict"]["status"]),
                         ("fix it", {"type": "mine", "name": "mine", "model": "m1"}, "night", "completed"))
        journal = self.journal(s)
        self.assertEqual([d["args"] for d in kinds(journal, "tool.started")], [{"a": 1}, {"a": 1, "b": 5}])
        self.assertEqual([(d["ok"], d["result"]) for d in kinds(journal, "tool.finished")], [(True, "3"), (True, "6")])
        (usage,) = [d["usage"] for d in kinds(journal, "heartbeat") if "usage" in d]
        self.assertEqual((usage["input_tokens"], usage["output_tokens"], usage["cost_usd"]), (10, 5, 0.25))
        self.assertEqual(kinds(journal, "message")[-1]["text"], "done")
        ids = [event["event_id"] for event in journal if "event_id" in event]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertGreaterEqual(len(ids), 7)

    def test_an_exception_is_a_failure_and_the_same_exception(self):
        error = ValueError("no")
        with self.assertRaises(ValueError) as raised, self.session() as s:
            @s.tool
            def bad():
                raise error
            bad()
        self.assertIs(raised.exception, error)
        (finished,) = kinds(self.journal(s), "tool.finished")
        self.assertEqual((finished["ok"], finished["error"]["message"]), (False, "ValueError: no"))
        self.assertEqual(self.client.session(s.id)["outcome"], "failed")

    def test_the_error_of_a_command_says_its_status_and_its_words(self):
        with self.session() as s:
            with self.assertRaises(subprocess.CalledProcessError), s.call("bash", {"command": "x"}):
                subprocess.run(["sh", "-c", "echo no such thing >&2; exit 3"], check=True, capture_output=True)
        (finished,) = kinds(self.journal(s), "tool.finished")
        self.assertIn("no such thing", finished["error"]["message"])

    def test_coroutines_and_generators(self):
        async def main():
            async with self.session() as s:
                @s.tool
                async def fetch(url):
                    await asyncio.sleep(0)
                    return {"url": url}

                @s.tool
                async def stream(n):
                    for i in range(n):
                        yield i

                @s.tool
                def count(n):
                    got = yield 0
                    return got

                self.assertEqual(await fetch("a"), {"url": "a"})
                self.assertEqual([i async for i in stream(3)], [0, 1, 2])
                running = count(1)
                next(running)
                with self.assertRaises(StopIteration) as over:
                    running.send("sent")
                self.assertEqual(over.exception.value, "sent")
                running = count(2)
                next(running)
                running.close()
                return s
        s = asyncio.run(main())
        self.assertEqual([(d["tool"], d["ok"]) for d in kinds(self.journal(s), "tool.finished")],
                         [("fetch", True), ("stream", True), ("count", True), ("count", True)])

    def test_a_method_has_the_arguments_without_its_object(self):
        with self.session() as s:
            class Box:
                @s.tool
                def put(self, x, /, *rest, y=1, **more):
                    return (x, rest, y, more)
            self.assertEqual(Box().put(1, 2, 3, y=4, z=5), (1, (2, 3), 4, {"z": 5}))
        self.assertEqual(kinds(self.journal(s), "tool.started")[0]["args"], {"x": 1, "rest": [2, 3], "y": 4, "z": 5})

    def test_parallel_calls_of_threads(self):
        with self.session() as s:
            @s.tool
            def square(x):
                return x * x
            with ThreadPoolExecutor(8) as pool:
                self.assertEqual(list(pool.map(square, range(64))), [x * x for x in range(64)])
        journal = self.journal(s)
        self.assertEqual(sorted(d["args"]["x"] for d in kinds(journal, "tool.started")), list(range(64)))
        self.assertEqual(len(kinds(journal, "tool.finished")), 64)
        self.assertEqual(self.client.session(s.id)["in_flight"], [])

    def test_children_are_sessions_whose_parent_is_this_one(self):
        with self.session() as s:
            with s.child("look around", agent="explore") as c:
                c.begin("read", {"path": "a"}).done("text")
                self.assertIs(headway.current(), c)
            self.assertIs(headway.current(), s)
        document = self.client.session(c.id)
        self.assertEqual((document["parent"], document["goal"], document["outcome"]), (s.id, "look around", "completed"))
        self.assertTrue(c.id.startswith(s.id + "."), "a token for its parent covers it")

    def test_beats_of_a_quiet_agent(self):
        with self.session(heartbeat_seconds=0.2) as s:
            s.advice()
            eventually(lambda: len(kinds(self.journal(s), "heartbeat")) >= 3)
        before = len(self.journal(s))
        time.sleep(0.5)
        self.assertEqual(len(self.journal(s)), before, "it is over")

    def test_the_end_says_how_it_ended(self):
        def run(error):
            try:
                with self.session() as s:
                    if error:
                        raise error
            except BaseException as raised:  # noqa: BLE001
                self.assertIs(raised, error)
            return self.client.session(s.id)["outcome"]
        self.assertEqual(run(None), "completed")
        self.assertEqual(run(RuntimeError("no")), "failed")
        self.assertEqual(run(KeyboardInterrupt()), "cancelled")
        self.assertEqual(run(SystemExit(0)), "completed")
        self.assertEqual(run(SystemExit(2)), "failed")
        self.assertEqual(run(asyncio.CancelledError()), "cancelled")

    def test_a_block_whose_last_turn_ended_by_an_error_is_not_completed(self):
        with self.session() as s:
            s.begin("bash", {}).done("x")
            s.error("You've hit your usage limit")
        document = self.client.session(s.id)
        self.assertEqual((document["outcome"], "usage limit" in document["verdict"]["reason"]), ("failed", True), document["verdict"])
        for goes_on in (lambda s: s.said("done"), lambda s: s.begin("bash", {}).done("x"), lambda s: s.turn()):
            with self.session() as s:
                s.error("overloaded")
                goes_on(s)
            self.assertEqual(self.client.session(s.id)["outcome"], "completed")

    def test_the_session_ends_with_its_process(self):
        name = unique("gone")
        code = ("import headway, os, signal\n"
                f"s = headway.Session('x', id={name!r}).start()\n"
                "s.begin('bash', {}).done('x'); s.advice()\n"
                "os.kill(os.getpid(), signal.SIGKILL)\n")
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "HEADWAY_URL": self.daemon.url,
                                                          "PYTHONPATH": str(PROJECT / "clients/python")}, check=False)
        eventually(lambda: self.client.session(name)["verdict"]["status"] == "failed")
        self.assertEqual(kinds(self.client.journal(name), "session.ended")[0]["code"], "agent_gone")

    def test_a_child_of_a_fork_reports_and_ends_nothing(self):
        with self.session() as s:
            s.begin("before", {}).done(1)
            child = os.fork()
            if child == 0:
                try:
                    if s._wire._kept or s._outbox._items:
                        os._exit(1)  # they are the parent's
                    with s:
                        s.begin("inside", {}).done(2)
                        s.advice()
                finally:
                    os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            s.begin("after", {}).done(3)
        self.assertEqual([d["tool"] for d in kinds(self.journal(s), "tool.finished")], ["before", "inside", "after"])
        self.assertEqual(self.client.session(s.id)["outcome"], "completed")

    def test_forks_while_other_threads_report(self):
        with self.session() as s:
            stop = threading.Event()

            def busy():
                while not stop.is_set():
                    s.begin("busy", {}).done(1)
            threads = [threading.Thread(target=busy) for _ in range(3)]
            for thread in threads:
                thread.start()
            codes = []
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    signal.alarm(int(patient(20)))
                    s.begin("child", {}).done(1)
                    s.advice()
                    os._exit(7)
                codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(codes, [7] * 20)
        finished = [d for d in kinds(self.journal(s), "tool.finished") if d["tool"] == "child"]
        self.assertEqual(len(finished), 20, finished)


    def test_a_signal_handler_may_report(self):
        times = []

        def alarm(*_):
            s.said("alarm")
            times.append(1)
            if len(times) < 200:  # one that is handled as the loop ends may not set a timer that outlives this handler
                signal.setitimer(signal.ITIMER_REAL, 0.0005)  # not before: on a slow machine handlers would nest without end
        with self.session() as s:
            old = signal.signal(signal.SIGALRM, alarm)
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            try:
                while len(times) < 200:
                    s.begin("bash", {}).done(1)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, old)
        # The end of a `with` block waits two seconds for what is queued; a slow machine may need longer.
        document = eventually(lambda: next((d for d in [self.client.session(s.id)] if d.get("outcome")), None))
        self.assertEqual((document["outcome"], document["in_flight"]), ("completed", []))

    def test_a_report_of_an_agent_at_its_recursion_limit_is_valid_or_not_sent(self):
        told = []

        def dive():
            try:
                dive()
                if len(told) < 100:  # from the deepest frame outwards, so that any number of frames is left once
                    told.append(1)
                    s.said("deep")
            except RecursionError:
                pass
        with mock.patch.object(logging.getLogger("headway"), "warning") as warned:
            with self.session() as s:
                dive()
            self.assertTrue(eventually(lambda: self.client.session(s.id).get("outcome")))
        self.assertEqual([call.args for call in warned.call_args_list if "refuses a report" in call.args[0]], [])

    def test_ctrl_c_at_any_moment_leaves_nothing_behind(self):
        armed, counts, rng = [False], {"done": 0, "interrupted": 0}, random.Random(5)

        def interrupt(*_):
            if armed[0]:
                raise KeyboardInterrupt
        old = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, old)
        with self.session() as s:
            within = 0.004  # seconds; follows the machine, so that about half of the calls are interrupted
            while min(counts.values()) < 100:
                try:
                    armed[0] = True
                    signal.setitimer(signal.ITIMER_REAL, rng.random() * within + 0.0001)
                    with s.call("bash", {"n": counts["done"]}) as call:
                        call.result = 1
                    s.advice()
                    armed[0] = False
                    counts["done"] += 1
                    within /= 1.1
                except KeyboardInterrupt:
                    counts["interrupted"] += 1
                    within *= 1.1
                armed[0] = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.assertTrue(s.begin("bash", {}))
            self.assertFalse(s._wire.away())
        document = self.client.session(s.id)
        self.assertEqual((document["outcome"], document["in_flight"]), ("completed", []))

    def test_what_is_reported_last_arrives_without_a_with_block(self):
        name = unique("exit")
        subprocess.run([sys.executable, "-c", f"import headway\ns = headway.Session('x', id={name!r}).start()\ns.begin('bash', {{}}).done('last')\n"],
                       env={**os.environ, "HEADWAY_URL": self.daemon.url, "PYTHONPATH": str(PROJECT / "clients/python")}, check=True)
        self.assertEqual([d["result"] for d in kinds(self.client.journal(name), "tool.finished")], ["last"])

    def test_texts_of_any_script_and_length_fit_into_a_report(self):
        with self.session("\u4e16" * 100_000) as s:
            for text in ("\u4e16" * (4 << 20), "\U0001f600" * (4 << 20), "\x00" * (4 << 20), "a" * (20 << 20)):
                with s.call("write", {"content": text, "again": [text]}) as call:
                    call.result = text
        journal = self.journal(s)
        self.assertEqual((len(kinds(journal, "tool.started")), len(kinds(journal, "tool.finished"))), (4, 4))
        self.assertIn("\u4e16\u4e16", str(self.client.session(s.id)["goal"]))

    def test_a_loop_that_is_not_of_asyncio(self):
        async def main():
            async with self.session() as s:
                async with s.call("bash", {}) as call:
                    call.result = 1
                return s, await s.aadvice()
        with self.assertRaises(StopIteration) as done:
            main().send(None)
        s, _ = done.exception.value
        self.assertEqual(len(kinds(self.journal(s), "tool.finished")), 1)


class Obeys(ClientCase):
    def test_advice_reaches_the_agent_once(self):
        with self.session() as s:
            told = []
            for _ in range(5):
                s.begin("bash", {"command": "cat nothing"}).fail("cat: nothing: No such file or directory")
                told.append(s.advice())
        self.assertEqual([bool(text) for text in told[:2]], [False, False])
        self.assertTrue(any("4 times in a row" in text for text in told), told)
        self.assertEqual(s.advice(), "")

    def test_a_cancel_ends_the_block_without_an_error(self):
        reached = []
        with self.session() as s:
            s.begin("bash", {}).done(1)
            self.client.post(f"/v1/sessions/{s.id}/cancel", {"reason": "not needed"})

            @s.tool
            def never():
                reached.append(1)
            try:
                never()
            except Exception:
                reached.append("swallowed")
            reached.append("not here")
        self.assertEqual(reached, [])
        self.assertIn("not needed", s.stopped)
        self.assertEqual(self.client.session(s.id)["outcome"], "cancelled")
        self.assertEqual(self.client.session(s.id)["in_flight"], [])

    def test_stop_as_a_value(self):
        with self.session() as s:
            self.client.post(f"/v1/sessions/{eventually(lambda: s.advice() == '' and s.id)}/cancel", {"reason": "enough"})
            call = s.begin("bash", {})
            self.assertFalse(call)
            self.assertIn("enough", call.stop)
            call.done("ignored")
            with self.assertRaises(headway.Stop):
                s.check()

    def test_the_budget_block_and_its_stop(self):
        with self.session(budget={"max_steps": 10}) as s:
            blocks, calls = [], 0
            self.assertRegex(s.budget_block(), r"^\[EXECUTION BUDGET\]\n.*Step 0/10")
            for i in range(40):
                call = s.begin("bash", {"i": i})
                if not call:
                    break
                call.done(i)
                calls += 1
                blocks.append(s.advice())
        self.assertLess(calls, 11)
        self.assertTrue(any("Wrap up" in text for text in blocks), blocks)
        self.assertIn("steps are used", call.refusal)
        self.assertEqual(self.client.session(s.id)["outcome"], "completed", "it gave its answer in time")

    def test_a_person_approves_rejects_and_edits(self):
        ran = []
        with self.session() as s:
            @s.tool
            def deploy(target, force=False):
                ran.append((target, force))
                return "deployed"
            held = self.later(deploy, "staging")
            self.decide(s, "approve")
            self.assertEqual(held.result(patient(20)), "deployed")
            held = self.later(deploy, "production")
            self.decide(s, "reject", reason="not on Fridays: use another day instead")
            with self.assertRaises(headway.Denied) as denied:
                held.result(patient(20))
            self.assertIn("not on Fridays", denied.exception.reason)
            held = self.later(deploy, target="everywhere")
            self.decide(s, "edit", edited_args={"target": "canary", "force": True})
            self.assertEqual(held.result(patient(20)), "deployed")
            held = self.later(deploy, target="x")
            self.decide(s, "edit", edited_args={"no_such": 1})
            with self.assertRaises(headway.Denied):
                held.result(patient(20))
            soft = s.tool(refusal="return")(deploy.__wrapped__)
            held = self.later(soft, "production")
            self.decide(s, "reject", reason="a different way instead")
            self.assertIn("different way", held.result(patient(20)))
        self.assertEqual(ran, [("staging", False), ("canary", True)])
        self.assertEqual(kinds(self.journal(s), "approval.alarm"), [])

    def test_an_edit_of_any_kind_of_arguments_takes_their_place(self):
        with self.session() as s:
            for args, edit in (("rm -rf /", "ls"), ([1, 2], [3]), (5, 0), (True, False), ("x", "")):
                held = self.later(s.approve, "please", tool="deploy", args=args)
                self.decide(s, "edit", edited_args=edit)
                decision = held.result(patient(20))
                self.assertEqual((decision.approved, decision.args, decision.edited), (True, edit, True))

    def test_no_decision_is_made_about_an_object_that_cannot_be_shown(self):
        class Target:
            def __init__(self, place):
                self.place = place
        ran = []
        with self.session() as s:
            @s.tool
            def deploy(target):
                ran.append(target)

            @s.tool
            def look(target):
                return target.place
            first = self.later(deploy, Target("staging"))
            self.decide(s, "approve", scope="session")
            with self.assertRaisesRegex(headway.Denied, "the argument 'target' has a value that cannot be shown"):
                first.result(20)
            with self.assertRaisesRegex(headway.Denied, "dataclass"):
                deploy(Target("production"))
            self.assertEqual((look(Target("x")), ran), ("x", []))
            decision = s.approve("Remove it?", args={"what": Target("x")})
            self.assertEqual((bool(decision), "'what'" in decision.reason), (False, True))

            async def asks():
                return await s.aapprove("Remove it?", args=[Target("x")])
            self.assertFalse(asyncio.run(asks()))

    def test_arguments_that_change_while_a_person_decides_do_not_run(self):
        ran, places = [], ["staging"]
        with self.session() as s:
            @s.tool
            def deploy(places):
                ran.append(list(places))
            held = self.later(deploy, places)
            self.pending(s)
            places.append("production")
            self.decide(s, "approve")
            with self.assertRaisesRegex(headway.Denied, "have changed since a person was asked"):
                held.result(20)
            held = self.later(deploy, places)
            self.decide(s, "approve")
            held.result(20)
        self.assertEqual(ran, [["staging", "production"]])

    def test_a_decision_covers_no_arguments_that_have_changed_since(self):
        with self.session() as s:
            async def asks(args):
                return await s.aapprove("Deploy?", tool="deploy", args=args)
            for ask in (lambda args: s.approve("Deploy?", tool="deploy", args=args), lambda args: asyncio.run(asks(args))):
                args = {"places": ["staging"]}
                held = self.later(ask, args)
                self.pending(s)
                args["places"].append("production")
                self.decide(s, "approve")
                decision = held.result(patient(20))
                self.assertFalse(decision, decision.args)
                self.assertIn("have changed since a person was asked", decision.reason)
                held = self.later(ask, args)
                self.pending(s)
                args["places"].append("everywhere")
                self.decide(s, "edit", edited_args={"places": ["canary"]})
                decision = held.result(patient(20))
                self.assertEqual((bool(decision), decision.args), (True, {"places": ["canary"]}), "these a person has written")

    def test_a_grant_covers_no_arguments_that_change_in_a_pause(self):
        ran, places = [], ["staging"]
        with self.session() as s:
            @s.tool
            def deploy(places):
                ran.append(list(places))
            held = self.later(deploy, places)
            self.decide(s, "approve", scope="session")
            held.result(patient(20))
            self.client.post(f"/v1/sessions/{s.id}/pause", {})
            held = self.later(deploy, places)
            eventually(lambda: len(kinds(self.journal(s), "tool.started")) == 2, what="the second call is held")
            places.append("production")
            self.client.post(f"/v1/sessions/{s.id}/resume", {})
            with self.assertRaises(headway.Denied):
                held.result(patient(20))
        self.assertEqual(ran, [["staging"]])

    def test_no_decision_is_made_about_a_dict_whose_keys_cannot_be_shown(self):
        ran = []
        with self.session() as s:
            @s.tool
            def publish(to):
                ran.append(to)
            first = self.later(publish, {("eu", "west"): 1})
            self.decide(s, "approve", scope="session")
            with self.assertRaisesRegex(headway.Denied, "texts as keys"):
                first.result(20)
            for to in ({("us", "east"): 1}, {1: "production", "1": "staging"}):
                with self.assertRaisesRegex(headway.Denied, "'to' has a value that cannot be shown"):
                    publish(to)
            self.assertFalse(s.approve("Deploy?", args={"to": {("eu", "west"): 1}}))
            self.assertEqual(ran, [])

    def test_an_approver_sees_every_argument_of_a_tool(self):
        def plain(cls, n=1):
            return cls
        def doubled(cmd, /, **kw):
            return kw
        def many(*args, **kw):
            return kw
        with self.session() as s:
            operator = self.daemon.operator()
            self.addCleanup(operator.close)
            for function, args, more, shown in ((plain, ("rm",), {}, {"cls": "rm"}), (plain, (), {"cls": "rm"}, {"cls": "rm"}),
                                                (doubled, ("ls",), {"cmd": "rm"}, {"cmd": "ls", "**kw": {"cmd": "rm"}}),
                                                (many, ("a",), {"args": ["rm"]}, {"args": ["a"], "**kw": {"args": ["rm"]}})):
                tool = s.tool(name="deploy")(function)
                held = self.later(tool, *args, **more)
                asked = operator.get(f"/v1/approvals/{self.pending(s)}").json()
                self.assertEqual(asked["args"], shown)
                self.decide(s, "approve")
                held.result(patient(20))

    def test_the_first_argument_of_a_function_is_no_receiver_by_its_name(self):
        class Cluster:
            def __init__(self, place):
                self.place = place
        ran = []
        with self.session() as s:
            @s.tool(name="deploy")
            def scale(cls, replicas):
                ran.append((cls.place, replicas))

            @s.tool(name="deploy")
            def stop(self):
                ran.append(self.place)

            class Tools:
                @staticmethod
                @s.tool(name="deploy")
                def start(self):
                    ran.append(self)
            operator = self.daemon.operator()
            self.addCleanup(operator.close)
            for call, name in ((lambda: scale(Cluster("staging"), 3), "cls"), (lambda: stop(Cluster("staging")), "self"),
                               (lambda: scale(replicas=3, cls=Cluster("staging")), "cls"), (lambda: Tools.start(Tools()), "self")):
                with self.subTest(name):
                    s._asks_a_person.clear()  # so that each of them is asked about
                    held = self.later(call)
                    self.assertIn(name, operator.get(f"/v1/approvals/{self.pending(s)}").json()["args"])
                    self.decide(s, "approve")
                    with self.assertRaisesRegex(headway.Denied, f"the argument '{name}' has a value that cannot be shown"):
                        held.result(patient(20))
        self.assertEqual(ran, [])

    def test_methods_of_every_kind_have_their_arguments_without_the_receiver(self):
        def late(self, n):
            return n
        with self.session() as s:
            class Box:
                @s.tool
                def put(self, n):
                    return n

                @classmethod
                @s.tool
                def make(cls, n):
                    return n

                @s.tool
                def __hidden(self, n):
                    return n

                def hidden(self, n):
                    return self.__hidden(n)

            class Small(Box):
                pass
            Box.late = s.tool(late)
            calls = (Box().put, Small().put, Box.make, Small().make, Small().hidden, Box().late, s.tool(Box().late.__wrapped__.__get__(Box())))
            self.assertEqual([call(i) for i, call in enumerate(calls)], list(range(len(calls))))
        self.assertEqual([d["args"] for d in kinds(self.journal(s), "tool.started")], [{"n": i} for i in range(len(calls))])

    def test_a_person_is_asked(self):
        with self.session() as s:
            held = self.later(s.approve, "Send the mail?", tool="mail", args={"to": "all"})
            self.decide(s, "approve", by="ana")
            decision = held.result(patient(20))
            self.assertTrue(decision)
            self.assertEqual(decision.args, {"to": "all"})
            held = self.later(s.approve, "Send it again?")
            self.decide(s, "reject", reason="once is enough; use a different list instead")
            self.assertFalse(held.result(patient(20)))
            held = self.later(s.ask, "Which database?", ["a", "b"])
            self.decide(s, "respond", response="b")
            self.assertEqual(held.result(patient(20)), "b")

    def test_a_held_coroutine_can_be_cancelled_and_others_go_on(self):
        async def main():
            async with self.session() as s:
                @s.tool
                async def deploy(target):
                    raise AssertionError("it was not approved")
                tasks = [asyncio.ensure_future(deploy(str(i))) for i in range(12)]
                await asyncio.get_running_loop().run_in_executor(None, self.pending, s)
                async with s.call("other", {}) as call:  # the executor is not full of those who wait
                    call.result = "went on"
                for task in tasks:
                    task.cancel()
                done = await asyncio.gather(*tasks, return_exceptions=True)
                self.assertTrue(all(isinstance(d, asyncio.CancelledError) for d in done), done)
                return s
        begin = time.monotonic()
        s = asyncio.run(main())
        self.assertLess(time.monotonic() - begin, patient(20))
        eventually(lambda: self.client.session(s.id)["in_flight"] == [], what="the cancelled calls have ended")
        journal = self.journal(s)
        started = {d["call_id"]: (d["tool"], d["args"]) for d in kinds(journal, "tool.started") if d["tool"] == "deploy"}
        ended = [d for d in kinds(journal, "tool.finished") if d["tool"] == "deploy" and "args" in d]
        self.assertEqual({(d["ok"], d["error"]["class"]) for d in ended}, {(False, "cancelled")})
        self.assertEqual({d["call_id"]: (d["tool"], d["args"]) for d in ended}, started)
        self.assertEqual(kinds(journal, "approval.alarm"), [])

    def test_stop_of_a_task_group(self):
        if sys.version_info < (3, 11):
            self.skipTest("there are no task groups")

        async def main():
            async with self.session() as s:
                s.begin("bash", {}).done(1)
                s.advice()
                self.client.post(f"/v1/sessions/{s.id}/cancel", {"reason": "enough"})

                @s.tool
                async def work(i):
                    return i
                async with asyncio.TaskGroup() as group:
                    group.create_task(work(1))
                raise AssertionError("not reached")
            return s
        self.assertIn("enough", asyncio.run(main()).stopped)


class Interrupts(OwnDaemonCase):
    def test_ctrl_c_in_a_held_call(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        operator = self.client(daemon, token=daemon.operator_token())
        code = ("import headway\n"
                "with headway.Session('x', id='held') as s:\n"
                "    with s.call('deploy', {'a': 1}):\n"
                "        print('ran')\n")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "HEADWAY_URL": daemon.url, "PYTHONPATH": str(PROJECT / "clients/python")})
        eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=patient(20))
        self.assertEqual(out, "")
        self.assertIn("KeyboardInterrupt", err)
        document = operator.session("held")
        self.assertEqual((document["in_flight"], document["outcome"]), ([], "cancelled"))
        journal = operator.journal("held")
        (started,), ended = kinds(journal, "tool.started"), kinds(journal, "tool.finished")[0]
        self.assertEqual((ended["call_id"], ended["args"], ended["ok"], ended["error"]["class"]),
                         (started["call_id"], {"a": 1}, False, "cancelled"))
        self.assertEqual(document["alarms"], [])

    def test_a_timeout_by_a_signal_in_a_hold_lets_no_call_run(self):
        """As libraries make it, with an exception of their own or a TimeoutError, which is an error of sockets too."""
        class Timeout(Exception):
            pass

        class Handler:
            def __call__(self, *_):
                raise Timeout("slow")

            def raises(self, *_):
                raise TimeoutError("slow")

        def resets(*_):
            raise ConnectionResetError("slow")
        daemon = self.start({"approvals.require_tools": "deploy"})
        operator = self.client(daemon, token=daemon.operator_token())
        before = signal.getsignal(signal.SIGALRM)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        for handler, error in ((Handler(), Timeout), (Handler().raises, TimeoutError), (resets, ConnectionResetError)):
            with self.subTest(error.__name__):
                ran = []
                s = headway.Session("x", url=daemon.url, id=error.__name__).start()
                deploy = s.tool(name="deploy")(lambda to, ran=ran: ran.append(to))
                s.begin("look", {}).done()
                signal.signal(signal.SIGALRM, handler)
                for held in (lambda: deploy("a"), lambda: s.approve("Deploy?", tool="deploy", args={"to": "b"})):
                    signal.setitimer(signal.ITIMER_REAL, 0.3)
                    with self.assertRaisesRegex(error, "slow"):
                        held()
                self.assertEqual(ran, [])
                ended = eventually(lambda: [d for d in kinds(operator.journal(s.id), "tool.finished") if "args" in d][1:])
                self.assertEqual([(d["args"], d["ok"], d["error"]["class"]) for d in ended], [({"to": "a"}, False, "cancelled")])
                self.assertEqual(operator.session(s.id)["alarms"], [])
                s.end()


class Color(str, enum.Enum):
    RED = "red"


class Plain(unittest.TestCase):
    """No daemon: values as JSON."""

    @staticmethod
    def of(value, **more):
        return json.loads(_plain.json_of(value, **more))

    def test_what_json_has_is_itself(self):
        value = {"a": [1, -2.5, True, None, "\u00e9 \ud800 \x00"], "b": {}}
        self.assertEqual(self.of(value), value)

    def test_what_json_lacks_is_text(self):
        @dataclasses.dataclass
        class Point:
            x: int
            secret: str = dataclasses.field(repr=False, default="s3cret")

        class Nasty:
            def __repr__(self):
                raise RuntimeError("no")

            def __str__(self):
                raise SystemExit
        told = self.of({"p": pathlib.PurePosixPath("/a"), "d": datetime.date(2026, 1, 2), "n": float("nan"), "i": 1 << 70, "b": b"x",
                        "e": Color.RED, "s": {3, 1, 2}, "t": (1, 2), 5: 6, None: 7, "o": Nasty(), "pt": Point(1), "c": decimal.Decimal("1.5"),
                        "u": uuid.UUID(int=0), "type": Nasty})
        self.assertEqual((told["p"], told["d"], told["n"], told["i"], told["e"], told["s"], told["t"], told["5"], told["c"], told["pt"]["x"]),
                         ("/a", "2026-01-02", "nan", str(1 << 70), "red", [1, 2, 3], [1, 2], 6, "1.5", 1))
        self.assertRegex(told["pt"]["secret"], "^<not shown, sha256 [0-9a-f]{64}>$")
        self.assertNotIn("s3cret", json.dumps(told))
        self.assertRegex(told["o"], "Nasty>$")
        self.assertRegex(told["b"], "^<1 bytes, [0-9a-f]{64}>$")

    def test_it_is_bounded_and_what_was_cut_is_still_too_long_for_an_approval(self):
        cycle = []
        cycle += [cycle, cycle]
        deep = []
        for _ in range(5000):
            deep = [deep]
        hostile = [cycle, deep, "x" * (8 << 20), ["y"] * 1_000_000, {str(i): i for i in range(300_000)}, 10 ** 5000, [1 << 60] * 500_000]
        for value in hostile:
            begin = time.perf_counter()
            text = _plain.json_of({"v": value})
            self.assertLess(len(text), 6 << 20)
            self.assertLess(time.perf_counter() - begin, 2 * SLOW)
            if value is cycle or value is deep or value != 10 ** 5000:
                self.assertGreater(len(text), 65536)
            self.assertLess(len(_plain.json_of({"v": value}, brief=True)), 16384)

    def test_what_is_shown_by_its_type_alone_is_named(self):
        class Target:
            pass
        for args, member in (({"a": 1, "to": Target()}, "to"), ({"deep": [{"x": Target()}], "to": Target()}, "deep"), (Target(), "value"),
                             ({"f": print}, "f"), ({"k": {("eu", "west"): 1}}, "k"), ({"k": [{1: "a", "1": "b"}]}, "k"),
                             ({"k": {frozenset(): 1}}, "k"), ({"k": {None: 1, "None": 2, True: 3, Color.RED: 4, 2.5: 5}}, ""), ({"a": uuid.UUID(int=0), "b": {1}, "c": b"x", "d": None, "e": Color.RED}, "")):
            self.assertEqual(_plain.shown(args)[1], member)

    def test_what_an_instance_has_beside_its_items_has_no_form(self):
        class Marked(list):
            pass

        class Slotted(list):
            __slots__ = ("place",)

        @dataclasses.dataclass
        class Point:
            x: int = 1
        for made in (Marked([1]), Slotted([1]), Point()):
            if not isinstance(made, Slotted):
                self.assertEqual(_plain.shown({"v": made})[1], "")
            made.place = "production"
            self.assertEqual(_plain.shown({"v": made})[1], "v")

    def test_what_is_all_in_its_text_has_a_form(self):
        class Count:  # as those of numpy
            def __index__(self):
                return 7
        numbers.Integral.register(Count)
        network = ipaddress.ip_network("10.0.0.0/8")
        for value, text in ((Count(), "7"), (network, '"10.0.0.0/8"'), (ipaddress.ip_address("::1"), '"::1"')):
            self.assertEqual(_plain.shown({"v": value}), (f'{{"v":{text}}}', ""))
        if sys.version_info >= (3, 10):
            point = dataclasses.make_dataclass("Point", [("x", int)], slots=True)
            self.assertEqual(_plain.shown(point(1)), ('{"x":1}', ""))

    def test_long_values_that_differ_in_the_middle_stay_different(self):
        a, b = bytes(200_000), bytes(100_000) + b"x" + bytes(99_999)
        self.assertNotEqual(_plain.json_of(a), _plain.json_of(b))
        self.assertNotEqual(_plain.json_of(1 << 200_000), _plain.json_of((1 << 200_000) + (1 << 100_000)))

    def test_long_texts_that_differ_stay_different(self):
        a, b = "x" * (3 << 20), "x" * (3 << 20) + "y"
        self.assertNotEqual(_plain.json_of(a), _plain.json_of(b))
        self.assertNotEqual(_plain.json_of(a, brief=True), _plain.json_of(b, brief=True))

    def test_random_values_give_json(self):
        rng = random.Random(7)
        leaves = [None, True, 1, -1, 1e300, "", "\udfff", b"\xff", object(), int, {1}, float("inf"), range(3), Color.RED]

        def value(depth):
            if depth == 0 or rng.random() < 0.3:
                return rng.choice(leaves)
            if rng.random() < 0.5:
                return [value(depth - 1) for _ in range(rng.randrange(4))]
            return {rng.choice(["a", 1, None, b"k", (1,)]): value(depth - 1) for _ in range(rng.randrange(4))}
        for _ in range(500):
            made = value(6)
            text = _plain.json_of(made)
            text.encode()  # no half of a surrogate pair
            self.assertEqual(isinstance(json.loads(text), (list, dict)), isinstance(made, (list, dict, set)), made)

    def test_texts_are_cut_between_characters(self):
        self.assertEqual(_plain.cut("abc"), "abc")
        self.assertEqual(_plain.cut(None), "")
        self.assertEqual(_plain.cut(["x"]), "")
        for newest in (False, True):
            text = _plain.cut("\u00e9" * 3000, 2000, newest)
            self.assertLessEqual(len(text.encode()), 2000)
            self.assertNotIn("\ufffd", text)


class Secrets(unittest.TestCase):
    TOKEN = "hw_secret_token"

    def test_the_token_is_in_no_text(self):
        stand = Stand(lambda method, path, body: (401, {}, {"detail": "no"}))
        self.addCleanup(stand.close)
        with self.assertLogs("headway", "WARNING") as logs:
            with headway.Session("x", id="s", url=stand.url, token=self.TOKEN) as s:
                s.begin("bash", {}).done(1)
                s.advice()
        self.assertEqual(stand.got[0][2]["Authorization"], "Bearer " + self.TOKEN)
        shown = " ".join([repr(s), str(s), repr(vars(s._wire)), *logs.output])
        self.assertNotIn(self.TOKEN, shown)

    def test_a_token_that_is_no_header_is_not_sent(self):
        stand = Stand()
        self.addCleanup(stand.close)
        with self.assertLogs("headway", "WARNING") as logs:
            with headway.Session("x", id="s", url=stand.url, token="a\r\nX-Evil: 1") as s:
                s.begin("bash", {}).done(1)
        self.assertNotIn("Authorization", stand.got[0][2])
        self.assertNotIn("Evil", " ".join(logs.output))


if __name__ == "__main__":
    unittest.main()
