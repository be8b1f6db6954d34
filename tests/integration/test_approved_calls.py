#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of an agent about calls that a person has to allow: one approval is one execution, of the bytes that were shown, and no field
of a report makes more of it."""
import contextlib
import hashlib
import json
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from support.http import RawConnection
from support.limits import eventually, patient
from test_agent_authority import AgentCase

ARGS = {"to": "production", "n": 1}
DIGEST = "sha256:" + hashlib.sha256(json.dumps(ARGS, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class CallCase(AgentCase):
    """Calls of `deploy` need a person's approval."""
    SESSION = "a-1"

    def setUp(self):
        self.daemon_used, self.operator, self.agent = self.pair({"approvals.require_tools": "deploy,drop"})

    def started(self, call_id="c1", tool="deploy", args=ARGS, **more):
        data = {"tool": tool, "call_id": call_id, **({"args": args} if args is not None else {}), **more}
        return self.agent.report(self.SESSION, "tool.started", **data)

    def finished(self, call_id="c1", tool="deploy", args=ARGS, result="done", **more):
        data = {"tool": tool, **({"call_id": call_id} if call_id else {}), **({"args": args} if args is not None else {}),
                **({"result": result} if more.get("ok", True) else {}), **more}
        return self.agent.report(self.SESSION, "tool.finished", **data)

    def ask(self, **more) -> str:
        """A started call and the id of the request that it made."""
        (waiting,) = [a for a in self.started(**more)["approvals"] if a["status"] == "pending"]
        return waiting["id"]

    def decide(self, approval, decision="approve", **more):
        reply = self.operator.post(f"/v1/approvals/{approval}/decision", {"decision": decision, **more})
        self.assertEqual(reply.status, 200, reply.body)

    def approved(self, **more) -> str:
        approval = self.ask(**more)
        self.decide(approval)
        return approval

    def shown(self, approval) -> dict:
        return self.operator.get(f"/v1/approvals/{approval}").json()

    def alarms(self) -> list:
        return [e["data"]["alarm"] for e in self.operator.journal(self.SESSION) if e["type"] == "approval.alarm"]

    def open_alarms(self) -> list:
        return [(a["kind"], a["approval_id"], a["times"]) for a in self.operator.session(self.SESSION)["alarms"]]

    def acknowledge(self):
        self.assertEqual(self.operator.post(f"/v1/sessions/{self.SESSION}/alarms/acknowledge", {}).status, 200)


class OneExecution(CallCase):
    def test_the_same_call_again_raises_each_time_in_this_round_and_in_others(self):
        approval = self.approved()
        self.finished(round=1)
        self.assertEqual((self.alarms(), self.shown(approval)["status"]), ([], "executed"))
        for times, number in enumerate((1, 1, 2, 3), 1):
            self.finished(round=number)
            self.assertEqual(self.open_alarms(), [("executed_unapproved", approval, times)])

    def test_after_the_acknowledgement_the_next_one_is_raised_again(self):
        approval = self.approved()
        for _ in range(2):
            self.finished()
        for _ in range(3):
            self.acknowledge()
            self.assertEqual(self.open_alarms(), [])
            self.finished()
            self.assertEqual(self.open_alarms(), [("executed_unapproved", approval, 1)])

    def test_a_finish_while_its_new_request_waits_raises_at_once(self):
        self.approved()
        self.finished()
        for number in range(2, 5):
            approval = self.ask()
            self.finished()
            self.assertIn(("executed_unapproved", approval, 1), self.open_alarms())
            self.assertEqual((self.shown(approval)["status"], self.shown(approval)["alarm"]), ("cancelled", "executed_unapproved"))
            self.assertEqual(len(self.alarms()), number - 1)

    def test_each_approved_repetition_is_allowed_and_uses_up_its_own(self):
        for _ in range(4):
            approval = self.approved()
            self.finished()
            self.assertEqual((self.alarms(), self.shown(approval)["status"]), ([], "executed"))

    def test_the_same_event_id_again_is_no_second_execution(self):
        approval = self.approved()
        event = {"type": "tool.finished", "event_id": "e1", "data": {"tool": "deploy", "call_id": "c1", "args": ARGS, "result": "done"}}
        for _ in range(6):
            self.assertEqual(self.agent.post(f"/v1/sessions/{self.SESSION}/events", event).status, 200)
        self.assertEqual((self.alarms(), self.shown(approval)["status"]), ([], "executed"))

    def test_a_call_that_only_its_agent_wanted_allowed_is_not_repeated_either(self):
        approval = self.approved(tool="bash", requires_approval=True)
        self.finished(tool="bash")
        self.finished(tool="bash")
        self.assertEqual(self.open_alarms(), [("executed_unapproved", approval, 1)])
        self.finished(tool="bash", args={"other": "call"}, call_id="c2")  # needs no permission
        self.assertEqual(len(self.alarms()), 1)

    def test_a_call_that_ran_unapproved_takes_no_other_calls_approval(self):
        other = self.approved(call_id="c2")
        self.finished(call_id="c2")
        free = self.approved(call_id="c3")
        self.finished(call_id="c2")
        self.assertEqual((self.alarms(), self.shown(free)["status"]), (["executed_unapproved"], "approved"))
        self.assertEqual(self.open_alarms()[0][1], other)


class Arguments(CallCase):
    def test_a_digest_alone_says_that_it_shows_nothing(self):
        approval = self.ask(args=None, args_digest=DIGEST)
        shown = self.shown(approval)
        self.assertEqual((shown["args"], shown["args_digest"], shown["risk"]), (None, DIGEST, "high"))
        self.assertIn("arguments were not sent", shown["summary"])

    def test_the_call_of_a_digest_is_known_by_its_arguments(self):
        approval = self.approved(args=None, args_digest=DIGEST)
        self.finished(args=ARGS)
        shown = self.shown(approval)
        self.assertEqual((self.alarms(), shown["status"], shown["unverified"]), ([], "executed", False))

    def test_other_arguments_than_those_of_the_digest_raise(self):
        approval = self.approved(args=None, args_digest=DIGEST)
        self.finished(args={**ARGS, "n": 2})
        self.assertEqual((self.open_alarms(), self.shown(approval)["status"]), ([("executed_unapproved", approval, 1)], "approved"))

    def test_a_digest_of_another_kind_is_known_when_it_comes_again(self):
        approval = self.approved(args=None, args_digest="md5:0123")
        self.assertIn("arguments were not sent", self.shown(approval)["summary"])
        self.assertNotEqual(self.shown(approval)["args_digest"], self.shown(self.ask(call_id="c9", args=None))["args_digest"])
        self.finished(args=None, args_digest="md5:0123")
        shown = self.shown(approval)
        self.assertEqual((self.alarms(), shown["status"], shown["unverified"]), ([], "executed", False))

    def test_nothing_about_the_arguments_uses_the_approval_of_its_call_up_and_is_marked(self):
        approval, other = self.approved(), self.approved(call_id="c2", args={"to": "staging"})
        self.finished(args=None)
        shown = self.shown(approval)
        self.assertEqual((self.alarms(), shown["status"], shown["unverified"]), ([], "executed", True))
        self.finished(args=None, call_id=None)
        self.finished(args=None, call_id="c3")
        self.assertEqual((self.alarms(), self.shown(other)["status"]), (["executed_unapproved"] * 2, "approved"))

    def test_a_call_without_arguments_needs_to_say_none(self):
        approval = self.approved(args=None)
        self.finished(args=None)
        shown = self.shown(approval)
        self.assertEqual((self.alarms(), shown["status"], shown["unverified"]), ([], "executed", False))

    def test_another_tool_under_the_id_of_an_approved_call_raises(self):
        approval = self.approved()
        self.finished(tool="bash", args=None)
        self.assertEqual((self.open_alarms(), self.shown(approval)["status"]), ([("executed_unapproved", approval, 1)], "approved"))

    def test_arguments_that_only_look_alike_are_others(self):
        """The rules of loops leave out what says when and which time, such as `pid`; an approval is bound to the very bytes."""
        args = [{"signal": 9, "pid": pid} for pid in (4711, 1)]
        approval = self.approved(args=args[0])
        self.finished(call_id="c2", args=args[1])
        self.assertEqual((self.alarms(), self.shown(approval)["status"]), (["executed_unapproved"], "approved"))
        self.decide(self.ask(call_id="c3", args=args[1]), scope="session")
        self.finished(call_id="c4", args=args[1])
        self.assertEqual(len(self.alarms()), 1)
        self.finished(call_id="c5", args={**args[1], "pid": 2})
        self.assertEqual(len(self.alarms()), 2)


class Refusals(CallCase):
    DENIED = {"ok": False, "error": {"class": "permission_denied", "message": "refused before it ran"}}

    def test_a_call_that_was_refused_did_not_run(self):
        approval = self.ask()
        self.finished(**self.DENIED)
        self.assertEqual((self.alarms(), self.shown(approval)["status"]), ([], "pending"))
        self.decide(approval, "reject")
        for name in ("permission", "denied"):
            self.finished(ok=False, error={"class": name, "message": "refused"})
        self.assertEqual(self.alarms(), [])

    def test_only_a_failure_of_that_class_is_a_refusal(self):
        self.decide(self.ask(), "reject")
        for more in ({"ok": True, "error": self.DENIED["error"]}, {"ok": False, "error": {"class": "timeout", "message": "permission denied"}}, {"ok": False}):
            self.finished(**more)
        self.assertEqual(self.alarms(), ["executed_though_rejected"] * 3)

    def test_a_refusal_without_a_request_is_no_excuse_and_uses_up_an_approval(self):
        self.finished(call_id="c9", **self.DENIED)
        self.assertEqual(self.alarms(), ["executed_unapproved"])
        approval = self.approved()
        self.finished(**self.DENIED)
        self.assertEqual(self.shown(approval)["status"], "executed")
        self.finished(**self.DENIED)
        self.assertEqual(self.alarms(), ["executed_unapproved"] * 2)

    def test_a_call_that_starts_after_its_rejection_raises(self):
        approval = self.ask()
        self.decide(approval, "reject")
        self.started()
        self.assertEqual(self.open_alarms(), [("started_after_rejection", approval, 1)])
        self.assertEqual(self.operator.get("/v1/overview").json()["needs_you"][0]["reason_code"], "started_after_rejection")
        self.assertIn("headway_approval_alarms{alarm=\"started_after_rejection\"} 1", self.operator.get("/metrics").body.decode())
        self.finished()
        self.assertEqual(self.open_alarms()[0], ("executed_though_rejected", approval, 1))  # the worst
        self.started(call_id="c2")  # another call asks again
        self.assertEqual(len(self.alarms()), 2)


class Time(AgentCase):
    """A rule for approval by time has to be complete, and not about the worst."""
    SETTINGS = {"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"}
    ASKED = {"tool": "lint", "on_expiry": "approve", "expires_in_ms": 1000}

    def test_neither_critical_nor_hidden_calls_are_approved_by_time(self):
        daemon, operator, agent = self.pair(self.SETTINGS)
        for more in ({"args": {}, "risk": "critical"}, {"args": {"password": "hunter22"}}):
            self.refused(agent.post("/v1/sessions/a-1/approvals", {**self.ASKED, **more}), "invalid_field", "/on_expiry", "expiry")
            event = {"type": "approval.requested", "data": {**self.ASKED, **more}}
            self.refused(agent.post("/v1/sessions/a-1/events", event), "invalid_field", "/data/on_expiry")
        self.assertEqual(operator.get("/v1/sessions/a-1").status, 404, "something was stored")
        asked = agent.post("/v1/sessions/a-1/approvals", {**self.ASKED, "args": {}, "risk": "high"}).json()
        daemon.clock.advance(2)
        self.assertEqual(agent.get(f"/v1/approvals/{asked['id']}?wait=1m").json()["status"], "approved")


class Crowds(CallCase):
    """Alarms and requests that an agent makes by itself hide none of those that matter."""

    def test_alarms_of_an_agents_own_making_hide_no_alarm_against_a_person_and_no_approval(self):
        for number in range(110):
            name = f"a-{number}"
            call = {"tool": "lint", "args": {"n": number}, "call_id": "c"}
            self.agent.post(f"/v1/sessions/{name}/approvals", {**call, "expires_in_ms": 1, "on_expiry": "reject"})
        self.daemon_used.clock.advance(1)
        real = self.agent.post("/v1/sessions/a-real/approvals", {"tool": "lint", "args": {}, "call_id": "r"}).json()["id"]
        self.decide(real, "reject", then="change_approach")
        for name, call, args in [(f"a-{number}", "c", {"n": number}) for number in range(110)] + [("a-real", "r", {})]:
            self.agent.report(name, "tool.finished", tool="lint", call_id=call, args=args, result="done")
        asked = self.agent.post("/v1/sessions/a-critical/approvals", {"tool": "deploy", "args": {}, "risk": "critical"}).json()["id"]
        needs = self.operator.get("/v1/overview").json()["needs_you"]
        self.assertEqual(needs[0]["session"], "a-real")
        self.assertIn(asked, [need.get("approval") for need in needs])


class ByHooks(CallCase):
    """One approval lets one call go, whatever the agent says of its calls."""
    LONG = "A" * 128

    def hook(self, event: str, **more) -> dict:
        reply = self.agent.post("/v1/hooks/generic", {"agent": "a", "session": "1", "event": event, **more})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def pre(self, call: str | None = "c1", tool="deploy", args=ARGS, **more) -> dict:
        named = {} if call is None else {"call": call}
        return self.hook("pre", tool=tool, args=args, hold_ms=1, **named, **more)

    def pending(self) -> list:
        return [a["id"] for a in self.operator.get("/v1/approvals").json()["approvals"]]

    def allow(self, call: str | None = "c1", **more):
        """The call is refused for want of a decision, then allowed."""
        self.assertIn("deny", self.pre(call, **more))
        (asked,) = self.pending()
        self.decide(asked)
        return asked

    def test_the_same_id_again_is_another_call(self):
        self.allow()
        self.assertIn("allow", self.pre())
        for _ in range(3):
            self.assertIn("deny", self.pre())
        self.assertEqual(len(self.pending()), 1)

    def test_the_same_event_again_lets_no_second_call_go(self):
        for ends in (False, True):
            with self.subTest(ends=ends):
                call, event = f"c-{ends}", f"one-{ends}"
                self.allow(call)
                self.assertIn("allow", self.pre(call, event_id=event))
                if ends:
                    self.hook("post", tool="deploy", args=ARGS, call=call, result="done")
                for _ in range(3):
                    self.assertIn("deny", self.pre(call, event_id=event))
                for asked in self.pending():
                    self.decide(asked, "reject", then="change_approach")

    def test_long_ids_that_begin_alike_are_different_calls(self):
        self.allow(self.LONG + "1")
        self.assertIn("allow", self.pre(self.LONG + "1"))
        for end in "23":
            self.assertIn("deny", self.pre(self.LONG + end))

    def test_calls_without_an_id_are_one_each(self):
        self.allow(None)
        self.assertIn("allow", self.pre(None))
        self.assertIn("deny", self.pre(None))

    def test_the_dialog_of_another_call_does_not_take_the_approval_of_one_that_runs(self):
        self.allow()
        self.assertIn("allow", self.pre())
        dialog = self.hook("permission", dialog=True, tool="deploy", args=ARGS, call="c9", hold_ms=1)
        self.assertNotIn("allow", dialog)

    def test_the_dialog_of_the_call_itself_does(self):
        self.allow()
        self.assertIn("allow", self.pre())
        self.assertIn("allow", self.hook("permission", dialog=True, tool="deploy", args=ARGS, call="c1", hold_ms=1))

    def test_what_was_redeemed_lets_no_call_go(self):
        asked = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": "deploy", "args": ARGS}).json()["id"]
        self.decide(asked)
        self.assertEqual(self.agent.post(f"/v1/approvals/{asked}/redeem", {"args": ARGS, "key": "k"}).status, 200)
        for call in ("c1", "c2", "c3"):
            self.assertIn("deny", self.pre(call))
            self.hook("interrupt")

    def test_what_a_hook_let_go_is_not_redeemed(self):
        asked = self.allow()
        self.assertIn("allow", self.pre())
        self.assertEqual(self.agent.post(f"/v1/approvals/{asked}/redeem", {"args": ARGS, "key": "k"}).status, 409)

    def test_a_refusal_of_headway_uses_up_no_approval_and_raises_no_alarm(self):
        asked = self.allow()
        self.assertIn("deny", self.pre(args={"to": "elsewhere"}))
        self.assertEqual((self.shown(asked)["status"], self.alarms()), ("approved", []))
        self.assertIn("allow", self.pre())

    def test_a_call_that_is_tried_again_while_nobody_has_decided_raises_no_alarm(self):
        for call in ("c1", "c2", "c3"):
            self.assertIn("deny", self.pre(call))
        self.assertEqual((self.alarms(), len(self.pending())), ([], 1))

    def leave(self, call: str):
        """A call whose connection closes while it is held, as when a person presses Esc."""
        body = json.dumps({"agent": "a", "session": "1", "event": "pre", "tool": "deploy", "args": ARGS, "call": call, "hold_ms": 600_000})
        with RawConnection(self.daemon_used.port) as held:
            held.send(held.format("POST", "/v1/hooks/generic", body.encode(), f"Authorization: Bearer {self.agent.token}\r\n"))
            eventually(held.readable, what="the reply of a held call has not begun")

    def test_a_call_that_a_person_interrupts_while_it_is_held_did_not_run(self):
        for ending in ("prompt", "stop", "interrupt"):
            with self.subTest(ending):
                for call in ("u1", "u2", "u3"):
                    self.leave(f"{ending}-{call}")
                    self.hook(ending, text="go on")
                self.assertEqual(self.alarms(), [])
        # All three wait for one decision. A turn that ended without a person may have one in the morning.
        (asked,) = self.pending()
        self.decide(asked)
        self.assertIn("allow", self.pre("retry"))
        self.hook("stop")
        self.assertEqual(self.alarms(), [])

    def test_a_held_call_that_its_user_gave_up_at_the_agent_waits_for_no_decision(self):
        for ending in ("prompt", "interrupt"):
            with self.subTest(ending):
                self.leave(ending)
                (asked,) = self.pending()
                self.assertEqual(self.operator.session(self.SESSION)["verdict"]["status"], "blocked")
                self.hook(ending, text="no, do something else")
                self.hook("post", tool="deploy", args=ARGS, call=ending, ok=False, **{"class": "cancelled"})
                self.assertEqual((self.alarms(), self.pending()), ([], []))
                self.assertNotEqual(self.operator.session(self.SESSION)["verdict"]["status"], "blocked")
                late = self.operator.post(f"/v1/approvals/{asked}/decision", {"decision": "approve"})
                self.assertEqual(late.status, 409)
                self.assertIn("given up", late.json()["detail"])

    def test_a_prompt_during_a_hold_leaves_the_request_to_the_person(self):
        body = json.dumps({"agent": "a", "session": "1", "event": "pre", "tool": "deploy", "args": ARGS, "call": "typed", "hold_ms": 600_000})
        with RawConnection(self.daemon_used.port) as held:
            held.send(held.format("POST", "/v1/hooks/generic", body.encode(), f"Authorization: Bearer {self.agent.token}\r\n"))
            eventually(held.readable, what="the reply of a held call has not begun")
            self.hook("prompt", text="and then run the tests")
            self.assertEqual(len(self.pending()), 1)

    def test_equal_calls_that_wait_together_get_their_own_decisions(self):
        names = ("e0", "e1", "e2", "e3")

        def call(name: str) -> dict:
            agent = self.daemon_used.client(token=self.agent.token)
            body = {"agent": "a", "session": "1", "event": "pre", "tool": "deploy", "args": ARGS, "call": name, "hold_ms": 600_000}
            with contextlib.closing(agent):
                return agent.post("/v1/hooks/generic", body).json()

        def asked() -> dict:
            return {a["call_id"]: a["id"] for a in self.operator.get("/v1/approvals").json()["approvals"]}
        with ThreadPoolExecutor(len(names)) as pool:
            calls = {name: pool.submit(call, name) for name in names}
            requests = eventually(lambda: len(asked()) == len(names) and asked(), what="all requests")
            for name, decision in zip(names, ("reject", "approve", "reject", "approve")):
                self.decide(requests[name], decision, **({"then": "change_approach"} if decision == "reject" else {}))
                self.assertIn("deny" if decision == "reject" else "allow", calls[name].result(patient(20)), name)

    def test_a_call_that_its_agent_asked_about_and_took_back_is_asked_about_again(self):
        request = {"kind": "tool", "tool": "merge", "call_id": "m1", "args": {"n": 1}}
        self.assertEqual(self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", request).status, 201)
        body = json.dumps({"agent": "a", "session": "1", "event": "pre", "tool": "merge", "args": {"n": 1}, "call": "m1", "hold_ms": 600_000})
        with RawConnection(self.daemon_used.port) as held:
            held.send(held.format("POST", "/v1/hooks/generic", body.encode(), f"Authorization: Bearer {self.agent.token}\r\n"))
            eventually(held.readable, what="the reply of a held call has not begun")
        self.hook("post", tool="merge", args={"n": 1}, call="m1", ok=False, **{"class": "cancelled"})
        self.assertEqual(self.pending(), [])
        refused = self.hook("pre", tool="merge", args={"n": 1}, call="m2", hold_ms=1)
        self.assertIn("Request an approval to ask again", refused["deny"])

    def test_a_cancel_leaves_nothing_to_decide(self):
        request = {"kind": "tool", "tool": "merge", "call_id": "m1", "args": {"n": 1}}
        asked = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", request).json()["id"]

        def by_agent(send) -> dict:
            with contextlib.closing(self.daemon_used.client(token=self.agent.token)) as agent:
                return send(agent).json()
        held = {"agent": "a", "session": "1", "event": "pre", "tool": "deploy", "args": ARGS, "call": "c1", "hold_ms": 600_000}
        with ThreadPoolExecutor(2) as pool:
            call = pool.submit(by_agent, lambda agent: agent.post("/v1/hooks/generic", held))
            eventually(lambda: len(self.pending()) == 2, what="both requests")
            wait = pool.submit(by_agent, lambda agent: agent.get(f"/v1/approvals/{asked}?wait=20s"))
            self.assertEqual(self.operator.post(f"/v1/sessions/{self.SESSION}/cancel", {}).status, 200)
            self.assertIn("cancelled by the operator", call.result(patient(40))["stop"])
            self.assertEqual(wait.result(patient(40))["closed"], "stopped")
        self.assertEqual((self.pending(), self.alarms()), ([], []))
        self.assertNotEqual(self.operator.session(self.SESSION)["verdict"]["status"], "blocked")
        late = self.operator.post(f"/v1/approvals/{asked}/decision", {"decision": "approve"})
        self.assertEqual((late.status, late.json()["winner"]["closed"]), (409, "stopped"))

    def test_an_approval_that_another_call_took_by_mcp_lets_its_own_call_go_no_more(self):
        request = {"kind": "tool", "tool": "deploy", "args": ARGS, "call_id": "c0"}
        asked = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", request).json()["id"]
        self.decide(asked)
        call = {"name": "approve", "arguments": {"tool_name": "deploy", "input": ARGS, "tool_use_id": "m1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        reply = self.agent.post("/mcp", message, {"X-Headway-Session": self.SESSION, "Accept": "application/json"})
        self.assertIn("allow", reply.json()["result"]["content"][0]["text"])
        self.assertIn("deny", self.pre("c0"))

    def test_a_held_call_that_its_own_user_takes_back_raises_nothing_and_leaves_nothing_to_decide(self):
        for number, error in enumerate(("cancelled", "denied")):
            with self.subTest(error):
                self.leave(f"b{number}")
                self.assertEqual(len(self.pending()), 1)
                self.hook("post", tool="deploy", args=ARGS, call=f"b{number}", ok=False, **{"class": error})
                self.assertEqual((self.alarms(), self.pending()), ([], []))
                (closed,) = [a for a in self.operator.get("/v1/approvals?status=all").json()["approvals"] if a["call_id"] == f"b{number}"]
                self.assertEqual((closed["status"], closed["closed"]), ("cancelled", "taken_back"))
        # A call that runs all the same is seen.
        self.hook("post", tool="deploy", args=ARGS, call="b0", ok=True)
        self.assertEqual(self.alarms(), ["executed_unapproved"])

    def test_a_permission_that_a_person_has_decided_about_blocks_nothing_any_more(self):
        for number, decision in enumerate(("approve", "reject")):
            with self.subTest(decision):
                more = {"tool": "deploy", "args": {"n": number}, "call": f"p{number}"}
                self.agent.report(self.SESSION, "tool.started", tool="deploy", args={"n": number}, call_id=f"p{number}")
                self.hook("permission", hold_ms=1, words=False, edits=False, **more)
                self.assertEqual(self.operator.session(self.SESSION)["verdict"]["status"], "blocked")
                (asked,) = self.pending()
                self.decide(asked, decision, **({"then": "change_approach"} if decision == "reject" else {}))
                self.assertNotEqual(self.operator.session(self.SESSION)["verdict"]["status"], "blocked")
                self.hook("permission", hold_ms=1, words=False, edits=False, **more)
                self.hook("post", ok=decision == "approve", **({} if decision == "approve" else {"class": "denied"}), **more)

    def test_a_decision_about_a_call_leaves_a_question_at_the_agent_open(self):
        self.agent.report(self.SESSION, "tool.started", tool="AskUserQuestion", args={"questions": []}, call_id="q1")
        self.leave("b1")
        (asked,) = self.pending()
        self.decide(asked)
        self.assertEqual(self.operator.session(self.SESSION)["verdict"]["status"], "blocked")

    def test_a_call_that_was_approved_before_it_was_taken_back_has_used_its_approval_up(self):
        self.leave("b1")
        (asked,) = self.pending()
        self.decide(asked)
        self.hook("post", tool="deploy", args=ARGS, call="b1", ok=False, **{"class": "cancelled"})
        self.assertIn("deny", self.pre("b2"))
        self.assertEqual(len(self.pending()), 1)

    def test_one_of_two_held_calls_that_is_taken_back_leaves_the_decision_to_the_other(self):
        self.leave("b1")
        self.leave("b2")
        self.hook("post", tool="deploy", args=ARGS, call="b1", ok=False, **{"class": "cancelled"})
        self.assertEqual((self.alarms(), len(self.pending())), ([], 1))

    def test_the_end_of_a_call_that_headway_has_closed_is_no_second_execution(self):
        for middle in ("prompt", "stop", "interrupt"):
            for end in ({"ok": True}, {"ok": False, "class": "cancelled"}):
                with self.subTest(f"{middle} {end}"):
                    call = f"{middle}-{end['ok']}"
                    self.allow(call)
                    self.assertIn("allow", self.pre(call))
                    self.hook(middle, text="go on")
                    self.hook("post", tool="deploy", args=ARGS, call=call, **end)
                    self.assertEqual(self.alarms(), [])
        self.hook("post", tool="deploy", args=ARGS, call=call, ok=True)
        self.assertEqual(self.alarms(), ["executed_unapproved"])

    def test_a_call_that_runs_again_behind_its_refusal_is_seen(self):
        self.allow()
        self.assertIn("allow", self.pre())
        self.hook("prompt", text="go on")
        self.assertIn("deny", self.pre())
        self.hook("post", tool="deploy", args=ARGS, call="c1", ok=True)
        self.assertEqual(self.alarms(), ["executed_unapproved"])

    def test_what_was_rejected_stays_so_under_another_id(self):
        reply = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": "lint", "args": ARGS, "call_id": "c1"})
        self.decide(reply.json()["id"], "reject", reason="not now", then="change_approach")
        for call in ("c1", "c2"):
            self.assertIn("not now", self.pre(call, tool="lint")["deny"])

    def test_no_key_of_the_agent_hides_that_a_call_never_ran(self):
        approval = self.approved()
        for key in ("delivered", "hook c9"):
            self.refused(self.agent.post(f"/v1/approvals/{approval}/redeem", {"args": ARGS, "key": key}), "invalid_field", "/key")

    def end(self):
        self.assertEqual(self.agent.post(f"/v1/sessions/{self.SESSION}/end", {"outcome": "completed"}).status, 200)

    def test_the_end_of_its_session_does_not_lift_the_stop_of_a_rejection(self):
        self.assertIn("deny", self.pre())
        self.decide(self.pending()[0], "reject", reason="stop it")
        self.assertIn("STOP", self.pre("c2", tool="read")["deny"])
        self.end()
        self.assertIn("stop", self.pre("c3", tool="read"))

    def test_the_stop_of_a_rejection_holds_in_later_generations_until_a_person_resumes(self):
        self.assertIn("deny", self.pre())
        self.decide(self.pending()[0], "reject", reason="stop it")
        for generation, begins in ((2, "start"), (3, "prompt")):
            self.end()
            self.hook(begins, text="go on", source="resume")
            self.SESSION = f"a-1~{generation}"
            self.assertIn("only after a person resumes it", json.dumps(self.pre(f"c{generation}", tool="read")))
            self.assertIn("stop", json.dumps(self.pre("k1", tool="read", session=f"kid-{generation}", parent="1")))
        self.assertEqual(self.agent.post(f"/v1/sessions/{self.SESSION}/resume", {}).status, 403)
        self.assertEqual(self.operator.post(f"/v1/sessions/{self.SESSION}/resume", {}).status, 200)
        self.assertEqual(self.pre("c4", tool="read"), {})
        self.end()
        self.hook("start", source="resume")
        self.SESSION = "a-1~4"
        self.assertEqual(self.pre("c5", tool="read"), {})

    def reject(self, tool: str):
        reply = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": tool, "args": ARGS, "call_id": "r1"})
        self.decide(reply.json()["id"], "reject", reason="not now", then="change_approach")

    def test_a_rejection_holds_behind_the_end_of_the_session_and_for_its_sub_agents(self):
        self.reject("lint")
        self.assertIn("deny", self.pre("k1", tool="lint", session="kid", parent="1"))
        self.assertEqual(self.pre("k2", tool="read", session="kid", parent="1"), {})
        for generation in (2, 3):
            self.end()
            self.hook("start", source="resume")
            self.SESSION = f"a-1~{generation}"
            self.assertIn("rejected", self.pre(f"g{generation}", tool="lint")["deny"])
            self.assertEqual(self.pre(f"h{generation}", tool="read"), {})

    def test_a_grant_lifts_a_rejection_in_its_own_session_and_in_no_later_generation(self):
        self.reject("lint")
        self.end()
        self.hook("start", source="resume")
        self.SESSION = "a-1~2"
        self.assertIn("rejected", self.pre("g2", tool="lint")["deny"])
        asked = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": "lint", "args": ARGS}).json()["id"]
        self.decide(asked, "approve")
        self.assertIn("allow", self.pre("g2b", tool="lint"))
        self.hook("post", tool="lint", args=ARGS, call="g2b", ok=True)
        self.assertIn("rejected", self.pre("g2c", tool="lint")["deny"], "one approval is one execution")
        asked = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": "lint", "args": ARGS}).json()["id"]
        self.decide(asked, "approve", scope="session")
        for call in ("g2d", "g2e"):
            self.assertNotIn("deny", self.pre(call, tool="lint"))
        self.end()
        self.hook("start", source="resume")
        self.SESSION = "a-1~3"
        self.assertIn("rejected", self.pre("g3", tool="lint")["deny"])

    def test_a_tool_that_needs_approval_in_a_session_needs_it_in_its_sub_agents(self):
        self.operator.put("/v1/sessions/a-1", {"policy": {"tools": [{"tool": "mytool", "requires_approval": True}]}})
        for session, more in (("1", {}), ("kid", {"parent": "1"})):
            self.assertIn("deny", self.pre(f"c-{session}", tool="mytool", session=session, **more))

    def test_a_pause_a_cancel_and_a_stop_hold_the_calls_of_sub_agents_and_resume_lifts_two_of_them(self):
        controller = self.daemon_used.client(token=self.operator.post("/v1/tokens", {"name": "c", "scopes": ["control"]}).json()["token"])
        self.addCleanup(controller.close)
        for what in ("pause", "cancel", "stop"):
            with self.subTest(what):
                name = f"s-{what}"
                self.SESSION = f"a-{name}"
                self.assertEqual(self.pre("m1", tool="read", session=name), {})
                self.assertEqual(self.pre("k1", tool="read", session="kid", parent=name), {})
                if what == "stop":
                    asked = self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": "deploy", "args": ARGS}).json()["id"]
                    self.decide(asked, "reject")
                else:
                    self.operator.post(f"/v1/sessions/{self.SESSION}/{what}", {})
                for call, kid in (("k2", "kid"), ("k3", "new")):
                    self.assertNotEqual(self.pre(call, tool="read", session=kid, parent=name), {}, kid)
                denied = 403 if what == "stop" else 200
                self.assertEqual(controller.post(f"/v1/sessions/{self.SESSION}/resume", {}).status, denied)
                self.operator.post(f"/v1/sessions/{self.SESSION}/resume", {})
                for call, about in (("k5", {"session": "kid", "parent": name}), ("m5", {"session": name})):
                    self.assertEqual(self.pre(call, tool="read", **about) == {}, what != "cancel", call)

    def test_the_end_of_a_paused_session_does_not_free_its_sub_agents(self):
        self.assertEqual(self.pre("m1", tool="read"), {})
        self.assertEqual(self.pre("k1", tool="read", session="kid", parent="1"), {})
        self.operator.post(f"/v1/sessions/{self.SESSION}/pause", {})
        self.end()
        for kid in ("kid", "another"):
            self.assertIn("paused", self.pre(f"{kid}-2", tool="read", session=kid, parent="1").get("deny", ""), kid)
        self.hook("prompt", text="go on")
        self.assertIn("paused", self.pre("k3", tool="read", session="another", parent="1").get("deny", ""))
        self.operator.post(f"/v1/sessions/{self.SESSION}~2/resume", {})
        self.assertEqual(self.pre("k4", tool="read", session="another", parent="1"), {})

    def test_a_session_opened_beforehand_is_no_sub_agent_that_decisions_do_not_reach(self):
        self.assertEqual(self.pre("m1", tool="read"), {})
        for name, about in (("a-1.early", {}), ("a-1.other", {"parent": "a-free"})):
            self.agent.put(f"/v1/sessions/{name}", about)
            self.assertIn("not as a sub-agent", self.pre("k1", tool="read", session=name.split(".")[1], parent="1").get("deny", ""))
        self.agent.put("/v1/sessions/a-1.kid", {"parent": "a-1"})
        self.assertEqual(self.pre("k2", tool="read", session="kid", parent="1"), {})

    def test_an_opening_of_its_own_takes_no_sub_agent_out_from_under_its_session(self):
        self.assertEqual(self.pre("m1", tool="read"), {})
        for number, about in enumerate(({"goal": "mine"}, {"parent": "a-free"})):
            kid = f"k{number}"
            self.assertEqual(self.pre(f"{kid}-1", tool="read", session=kid, parent="1"), {})
            self.agent.put(f"/v1/sessions/a-1.{kid}", about)
            self.assertEqual(self.operator.session(f"a-1.{kid}")["parent"], "a-1")
            self.assertEqual(self.pre(f"{kid}-2", tool="read", session=kid, parent="1"), {})
        self.operator.post(f"/v1/sessions/{self.SESSION}/cancel", {})
        for kid in ("k0", "k1"):
            self.assertIn("deny", self.pre(f"{kid}-3", tool="read", session=kid, parent="1"))

    def test_too_many_levels_of_sessions_let_no_call_go(self):
        for level in range(40):
            self.agent.open(f"a-l{level}", **({"parent": f"a-l{level - 1}"} if level else {}))
        for level, held in ((20, False), (39, True)):
            reply = self.pre(f"l{level}", tool="read", session=f"l{level}")
            self.assertEqual("stop" in json.dumps(reply) or "deny" in reply, held, reply)

    def test_a_sub_agent_of_an_earlier_generation_obeys_the_one_in_force(self):
        self.assertEqual(self.pre("m1", tool="read"), {})
        self.end()
        self.assertEqual(self.pre("k1", tool="read", session="kid", parent="1"), {})
        self.hook("start", source="resume")
        self.hook("prompt", text="go on")
        self.operator.post(f"/v1/sessions/{self.SESSION}~2/cancel", {})
        self.assertIn("deny", self.pre("k2", tool="read", session="kid", parent="1"))

    def test_a_rejection_holds_for_sub_agents_of_the_next_generation(self):
        self.reject("lint")
        self.end()
        self.hook("start", source="resume")
        self.hook("prompt", text="go on")
        for kid in ("kid", "another"):
            self.assertIn("rejected", self.pre(f"{kid}-1", tool="lint", session=kid, parent="1").get("deny", ""))

    def test_what_an_agent_asks_for_without_a_call_is_not_missed(self):
        self.hook("prompt", text="go on")
        self.assertIn("deny", self.hook("request", tool="phase 2", args={}, call="q1", hold_ms=1))
        self.decide(self.pending()[0])
        self.assertIn("allow", self.hook("request", tool="phase 2", args={}, call="q1", hold_ms=1))
        self.assertIn("deny", self.hook("request", tool="phase 2", args={}, call="q1", hold_ms=1))
        self.daemon_used.clock.advance(3600)
        self.hook("turn")
        self.assertEqual(self.alarms(), [])

    def test_no_sub_agent_goes_on_behind_the_end_that_a_person_made(self):
        self.assertEqual(self.pre("m1", tool="read"), {})
        self.assertEqual(self.pre("k1", tool="read", session="kid", parent="1"), {})
        self.operator.post(f"/v1/sessions/{self.SESSION}/end", {"outcome": "completed"})
        for kid in ("kid", "another"):
            self.assertIn("was ended", json.dumps(self.pre(f"{kid}-2", tool="read", session=kid, parent="1")))

    def test_an_approval_of_a_sub_agent_is_not_redeemed_while_the_session_above_is_paused_or_stopped(self):
        for verb in ("pause", "cancel"):
            name = f"a-r-{verb}"
            self.agent.open(name)
            self.agent.open(f"{name}.kid", parent=name)
            asked = self.agent.post(f"/v1/sessions/{name}.kid/approvals", {"tool": "deploy", "args": ARGS}).json()["id"]
            self.decide(asked)
            self.operator.post(f"/v1/sessions/{name}/{verb}", {})
            self.assertEqual(self.agent.post(f"/v1/approvals/{asked}/redeem", {"args": ARGS, "key": "k"}).status, 409, verb)

    def test_the_arguments_that_a_person_has_put_in_place_are_the_only_ones_that_run(self):
        other = {"to": "staging", "n": 1}
        for number, announced in enumerate((False, True)):
            with self.subTest(announced=announced):
                args = {**ARGS, "number": number}
                for call in ("u1", "u2"):  # two calls alike, whose clients have given up
                    self.hook("request", tool="deploy", args=args, call=f"{number}-{call}", hold_ms=1)
                first = self.pending()[0]
                self.decide(first, "edit", edited_args=other)
                if announced:
                    self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": "deploy", "args": other, "call_id": f"{number}-u3"})
                reply = self.hook("request", tool="deploy", args=args, call=f"{number}-u3", hold_ms=1)
                self.assertTrue("deny" in reply or reply.get("edit") == other, reply)
                for asked in self.pending():
                    self.decide(asked, "reject", then="change_approach")

    def held_below(self, verb: str) -> dict:
        """The answer to a call of a sub-agent, which the pause of its parent holds until the operator calls this verb."""
        self.pre("m1", tool="read")
        self.operator.post(f"/v1/sessions/{self.SESSION}/pause", {})
        other = self.daemon_used.client(token=self.agent.token)
        self.addCleanup(other.close)
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(other.post, "/v1/hooks/generic", {"event": "pre", "agent": "a", "session": "kid", "parent": "1", "tool": "read",
                                                                 "args": ARGS, "call": "k1", "hold_ms": 600_000})
            eventually(lambda: self.operator.get("/v1/sessions/a-1.kid").status == 200, what="no call of the sub-agent")
            self.operator.post(f"/v1/sessions/{self.SESSION}/{verb}", {})
            return held.result().json()

    def test_a_call_of_a_sub_agent_that_a_pause_holds_goes_on_when_it_ends(self):
        self.assertEqual(self.held_below("resume"), {})

    def test_a_call_of_a_sub_agent_that_a_pause_holds_is_refused_when_its_parent_is_cancelled(self):
        self.assertIn("stopped the session above", json.dumps(self.held_below("cancel")))

    def test_what_a_grant_approved_in_advance_lapses_with_it(self):
        for tool, how in (("deploy", "revoke"), ("drop", "until")):
            with self.subTest(how):
                path = f"/v1/sessions/{self.SESSION}/approvals"
                first = self.agent.post(path, {"tool": tool, "args": {}}).json()["id"]
                until = {"scope": "session"} if how == "revoke" else {"scope": "until", "until": datetime.fromtimestamp(self.daemon_used.clock.wall() + 60, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")}
                self.decide(first, "approve", match="tool", **until)
                self.assertIn("allow", self.pre(f"{tool}-0", tool=tool, args={}))
                stocked = [self.agent.post(path, {"tool": tool, "args": {"n": n}}).json() for n in range(3)]
                self.assertEqual([one["status"] for one in stocked], ["approved"] * 3)
                self.assertIn("allow", self.pre(f"{tool}-1", tool=tool, args={"n": 0}))  # used in time
                if how == "revoke":
                    self.operator.post(f"/v1/approvals/{first}/revoke", {})
                else:
                    self.daemon_used.clock.advance(61)
                    eventually(lambda: self.shown(stocked[1]["id"])["status"] == "cancelled", what="it is still approved")
                for n in (1, 2):
                    self.assertIn("deny", self.pre(f"{tool}-late-{n}", tool=tool, args={"n": n}))
                    closed = self.shown(stocked[n]["id"])
                    self.assertEqual((closed["status"], closed["closed"]), ("cancelled", "grant_ended"))
        self.assertEqual(self.alarms(), [])

    def test_what_a_grant_let_go_is_not_lost_with_it(self):
        path = f"/v1/sessions/{self.SESSION}/approvals"
        first = self.agent.post(path, {"tool": "deploy", "args": {}}).json()["id"]
        self.decide(first, "approve", match="tool", scope="session")
        asked = self.agent.post(path, {"tool": "deploy", "args": {"n": 1}}).json()["id"]
        self.assertEqual(self.agent.post(f"/v1/approvals/{asked}/redeem", {"args": {"n": 1}, "key": "k"}).status, 200)
        self.operator.post(f"/v1/approvals/{first}/revoke", {})
        self.finished(call_id=None, args={"n": 1})
        self.assertEqual((self.shown(asked)["status"], self.alarms()), ("executed", []))

    def test_a_sub_agent_that_goes_on_is_of_the_generation_in_force(self):
        self.pre("m1", tool="read")
        self.pre("k1", tool="read", session="kid", parent="1")
        self.end()
        self.hook("start", source="resume")
        self.hook("prompt", text="go on")
        self.assertEqual(self.pre("k2", tool="read", session="kid", parent="1"), {})
        self.assertEqual(self.operator.session("a-1.kid~2")["parent"], "a-1~2")

    def test_a_grant_lets_later_calls_of_the_session_go(self):
        self.assertIn("deny", self.pre("c1"))
        self.decide(self.pending()[0], "approve", scope="session")
        self.assertIn("allow", self.pre("c1"))
        for call in ("c2", "c3"):
            self.assertNotIn("deny", self.pre(call))
            self.hook("post", tool="deploy", args=ARGS, call=call, ok=True)
        self.assertIn("deny", self.pre("c4", args={"to": "elsewhere"}))
        self.assertEqual(self.open_alarms(), [])

    def test_a_granted_call_that_a_pause_has_held_goes_on_when_it_ends(self):
        self.assertIn("deny", self.pre("c1"))
        self.decide(self.pending()[0], "approve", scope="session")
        self.assertIn("allow", self.pre("c1"))
        self.hook("post", tool="deploy", args=ARGS, call="c1", ok=True)
        self.operator.post(f"/v1/sessions/{self.SESSION}/pause", {})
        other = self.daemon_used.client(token=self.agent.token)
        self.addCleanup(other.close)
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(other.post, "/v1/hooks/generic", {"event": "pre", "agent": "a", "session": "1", "tool": "deploy", "args": ARGS,
                                                                 "call": "c2", "hold_ms": 600_000})
            eventually(lambda: any(e["type"] == "tool.started" and e["data"].get("call_id") == "c2"
                                   for e in self.operator.journal(self.SESSION)), what="no call")
            self.operator.post(f"/v1/sessions/{self.SESSION}/resume", {})
            reply = held.result().json()
        self.assertEqual(reply, {})

    def test_no_report_of_the_session_lets_a_held_call_go(self):
        # Requests may run side by side, and a person may type on while a call waits.
        others = ({"event": "prompt", "text": "go on"}, {"event": "prompt", "text": "go on", "synthetic": True}, {"event": "interrupt"},
                  {"event": "stop"}, {"event": "post", "tool": "deploy", "args": ARGS, "ok": True},
                  {"event": "post", "tool": "deploy", "args": ARGS, "ok": False, "class": "cancelled"})
        for number, other in enumerate(others):
            with self.subTest(other):
                call = f"h{number}"
                client = self.daemon_used.client(token=self.agent.token)
                self.addCleanup(client.close)
                with ThreadPoolExecutor(1) as pool:
                    held = pool.submit(client.post, "/v1/hooks/generic", {
                        "event": "pre", "agent": "a", "session": "1", "tool": "deploy", "args": {"h": number}, "call": call, "hold_ms": 600_000})
                    asked = eventually(self.pending, what="no request")
                    self.hook(other["event"], **{**{k: v for k, v in other.items() if k != "event"},
                                                 **({"call": call, "args": {"h": number}} if "tool" in other else {})})
                    if self.pending():
                        self.decide(asked[0], "reject", then="change_approach")
                    self.assertIn("deny", held.result().json())

    def test_no_prompt_begins_a_generation_of_a_session_that_is_unknown(self):
        reply = self.agent.post("/v1/hooks/generic", {"agent": "a", "session": "1~2", "event": "prompt", "text": "go on"})
        self.assertEqual((reply.status, self.operator.get("/v1/sessions/a-1~2").status), (403, 404), reply.body)

    def test_no_generation_begins_before_its_turn_whoever_asks(self):
        self.pre("m1", tool="read")
        for reply in (self.operator.put("/v1/sessions/a-1~2", {}), self.operator.post("/v1/sessions/a-1~2/events", {"type": "heartbeat"})):
            self.refused(reply, "forbidden", "id", "a-1", 403)
        self.refused(self.agent.put("/v1/sessions/a-b~2", {}), "forbidden", "id", "choose another id", 403)
        self.assertEqual(self.operator.put("/v1/sessions/b~2", {}).status, 201)
        self.refused(self.operator.put("/v1/sessions/b~3", {}), "forbidden", "id", "b~2", 403)

    def ask_for(self, tool: str, call: str, args=ARGS) -> str:
        """The agent's own request, by the API."""
        return self.agent.post(f"/v1/sessions/{self.SESSION}/approvals", {"tool": tool, "args": args, "call_id": call}).json()["id"]

    def test_the_approval_of_another_tool_lets_no_call_go(self):
        self.assertIn("deny", self.pre("c1"))
        self.decide(self.ask_for("echo", "c1"))
        for _ in range(3):
            self.assertIn("No person has decided", self.pre("c1")["deny"])

    def test_a_grant_for_another_tool_lets_no_call_go(self):
        self.decide(self.ask_for("echo", "c0"), scope="session", match="tool")
        for call in ("c1", "c2"):
            self.ask_for("echo", call)
            self.assertIn("deny", self.pre(call))

    def test_a_used_approval_is_not_used_again_while_an_equal_request_waits(self):
        self.allow("c1")
        self.assertIn("allow", self.pre("c1"))
        self.assertIn("deny", self.pre("c2"))
        for _ in range(3):
            self.assertIn("deny", self.pre("c1"))
        self.hook("post", tool="deploy", args=ARGS, call="c1", result="done")
        for _ in range(3):
            self.assertIn("deny", self.pre("c1"))

    def test_an_approval_that_an_equal_call_took_is_not_taken_again_by_it(self):
        self.allow("c1")
        self.assertIn("allow", self.pre("c2"))
        for _ in range(3):
            self.assertIn("deny", self.pre("c2"))

    def test_an_edited_approval_lets_the_edited_call_go_once_under_any_id(self):
        self.assertIn("deny", self.pre("c1"))
        self.decide(self.pending()[0], "edit", edited_args={"to": "safe"})
        self.assertIn("allow", self.pre("c9", args={"to": "safe"}))
        for call in ("c9", "c10", "c1"):
            self.assertIn("deny", self.pre(call, args={"to": "safe"}))

    def test_an_edit_for_an_agent_that_takes_none_lets_the_call_that_it_names_go_once(self):
        def qwen(call, args, decision=None, **more):
            """The answer to a call; with a decision, to one that is held until then."""
            client = self.daemon_used.client(token=self.agent.token)
            self.addCleanup(client.close)
            body = {"hook_event_name": "PreToolUse", "session_id": "1", "tool_name": "deploy", "tool_input": args, "tool_use_id": call}
            with ThreadPoolExecutor(1) as pool:
                held = pool.submit(client.post, "/v1/hooks/qwen", body, {"X-Headway-Session": "a-q"})
                if decision:
                    self.decide(eventually(self.pending, what="no request")[0], decision, **more)
                return held.result().json()

        safe = {"to": "safe"}
        refused = qwen("q1", ARGS, "edit", edited_args=safe)
        self.assertIn('exactly these:\n{"to":"safe"}', refused["hookSpecificOutput"]["permissionDecisionReason"])
        self.assertEqual(qwen("q2", safe), {})
        self.assertIn("deny", json.dumps(qwen("q3", safe, "reject")))

    def test_a_neutral_call_that_takes_no_edit_is_refused_with_the_arguments_to_use(self):
        safe = {"to": "safe"}
        self.assertIn("deny", self.pre(edits=False))
        self.decide(self.pending()[0], "edit", edited_args=safe)
        refused = self.pre(edits=False)
        self.assertIn('exactly these:\n{"to":"safe"}', refused["deny"])
        self.assertEqual({"allow", "edit"} & set(refused), set())
        self.assertIn("allow", self.pre("c2", args=safe, edits=False))
        self.assertIn("deny", self.pre("c3", args=safe, edits=False))

    def test_an_edited_dialog_is_one_execution(self):
        client = self.daemon_used.client(token=self.agent.token)
        self.addCleanup(client.close)
        dialog = {"agent": "a", "session": "1", "event": "permission", "dialog": True, "tool": "lint", "args": ARGS, "call": "c1"}
        self.assertEqual(self.pre("c1", tool="lint"), {})
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(client.post, "/v1/hooks/generic", dialog)
            asked = eventually(self.pending, what="no request")[0]
            self.decide(asked, "edit", edited_args={"to": "safe"})
            self.assertEqual(held.result().json()["edit"], {"to": "safe"})
        again = self.agent.post(f"/v1/approvals/{asked}/redeem", {"args": {"to": "safe"}, "key": "k"})
        self.assertEqual((again.status, again.json()["code"]), (409, "already_redeemed"), again.body)

    def test_an_ignored_request_does_not_let_a_call_go_that_needs_approval(self):
        self.assertIn("deny", self.pre("c1"))
        self.decide(self.pending()[0], "ignore")
        for call in ("c1", "c1", "c2"):
            self.assertIn("deny", self.pre(call))

    def test_no_number_of_decisions_makes_a_session_forget_a_rejection(self):
        self.reject("lint")
        for number in range(140):
            self.decide(self.ask_for("other", f"o{number}", {"n": number}))
        for call in ("r1", "r2"):
            self.assertIn("deny", self.pre(call, tool="lint"))

    def test_an_agents_own_end_of_an_equal_request_does_not_hide_a_rejection(self):
        self.reject("lint")
        self.ask_for("lint", "c7")
        self.hook("post", tool="lint", args=ARGS, call="c7", ok=False, **{"class": "cancelled"})
        self.assertIn("deny", self.pre("c9", tool="lint"))

    def test_no_way_of_opening_the_next_session_lifts_a_cancel(self):
        self.pre(tool="read")
        self.operator.post(f"/v1/sessions/{self.SESSION}/cancel", {})
        self.end()
        for reply in (self.agent.put("/v1/sessions/a-1~2", {}), self.agent.post("/v1/sessions/a-1~2/events", {"type": "heartbeat"}),
                      self.agent.get("/ping/a-1/start"), self.agent.get("/ping/a-1~2/start")):
            self.assertEqual(reply.status, 403, reply.body)
        named = self.agent.post("/v1/hooks/generic", {"event": "pre", "agent": "a", "session": "1", "tool": "read", "args": ARGS, "call": "n", "hold_ms": 1},
                                headers={"X-Headway-Session": "a-1~2"})
        self.assertIn("was stopped", named.json()["deny"])
        self.assertEqual(self.operator.get("/v1/sessions/a-1~2").status, 404)
        self.assertIn("stop", self.pre("c2", tool="read"))
        self.assertEqual(self.operator.put("/v1/sessions/a-1~2", {}).status, 201)  # a person

    def test_no_event_without_a_person_lifts_a_cancel_behind_an_end(self):
        self.pre(tool="read")
        self.operator.post(f"/v1/sessions/{self.SESSION}/cancel", {})
        self.end()
        for event, more in (("start", {"source": "compact"}), ("substart", {})):
            self.hook(event, **more)
            self.assertIn("stop", self.pre(f"after-{event}", tool="read"))


if __name__ == "__main__":
    unittest.main()
